"""What Hermes calls when it loads the plugin: the entry point in the group `hermes_agent.plugins`, and the directory.

Settings, in the profile's config.yaml:

    memory:
      provider: forgetguard            # only with a provider beside the built-in memory
    context:
      engine: forgetguard              # the built-in compressor, with its summaries checked
    plugins:
      enabled: [forgetguard]
      entries:
        forgetguard:
          provider: holographic        # the provider that is to be guarded
          vault: profile               # or: user, a vault each user of a gateway
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any

from forgetguard.adapters.hermes import answers, commands, tools, view
from forgetguard.adapters.hermes.engine import guarded_engine
from forgetguard.adapters.hermes.provider import guard_provider
from forgetguard.adapters.hermes.room import Room
from forgetguard.adapters.hermes.scope import NAME, ProfileVaults, Scope, current

log = logging.getLogger("forgetguard")

SEARCH = "session_search"


def register(context: Any) -> None:
    """Register with a PluginContext of Hermes, or with its collector of memory providers."""
    settings = _settings()
    room = shared_room(_section(settings, "plugins", "entries", NAME).get("vault") == "user")
    if hasattr(context, "register_memory_provider"):
        _register_provider(context, room, settings)
    if hasattr(context, "register_middleware"):
        _register_seams(context, room)
    if hasattr(context, "register_context_engine") and _section(settings, "context").get("engine") == NAME:
        context.register_context_engine(guarded_engine(room, _section(settings, "compression")))


@lru_cache
def shared_room(per_user: bool) -> Room:
    """The one room of the process: the plugin and the memory provider are loaded apart, and share the vaults."""
    return Room(ProfileVaults(per_user=per_user))


def _register_seams(context: Any, room: Room) -> None:
    context.register_hook("pre_llm_call", partial(turn_begins, room))
    context.register_hook("pre_tool_call", partial(before_tool, room))
    context.register_middleware("tool_execution", partial(around_tool, room))
    context.register_middleware("llm_request", partial(before_request, room))
    context.register_command("forget", partial(commands.forget, room), "Forget a fact for good.", "TEXT")
    context.register_command("remember", partial(commands.remember, room), "Remember a fact, also again.", "TEXT")


def _register_provider(context: Any, room: Room, settings: Mapping[str, Any]) -> None:
    from plugins.memory import load_memory_provider

    name = str(_section(settings, "plugins", "entries", NAME).get("provider") or "")
    inner = load_memory_provider(name) if name and name != NAME else None
    if inner is None:
        log.warning("no memory provider to guard: set plugins.entries.forgetguard.provider")
        return
    context.register_memory_provider(guard_provider(inner, room))


def turn_begins(
    room: Room, *, session_id: str = "", turn_id: str = "", user_message: object = "", sender_id: str = "", **_: object
) -> None:
    """Hook `pre_llm_call`: note whose turn begins, and whether its user asks to forget something."""
    here = current()
    room.turns.begin(session_id, turn_id, user_message, Scope(here.home, sender_id or here.user))


def before_tool(
    room: Room, *, tool_name: str = "", args: object = None, session_id: str = "", turn_id: str = "", **_: object
) -> dict[str, str] | None:
    """Hook `pre_tool_call`: a block for a write that may not be stored. Never raises: Hermes would carry on."""
    try:
        texts = tools.written(tool_name, args if isinstance(args, dict) else {})
    except Exception as error:  # noqa: BLE001 - what cannot be read may be anything, a structure too deep for one
        log.warning("a write was blocked, for it could not be read: %s", type(error).__name__)
        return {"action": "block", "message": answers.FAILED}
    refused = room.refusal(_scope(room, session_id, turn_id), texts) if texts else None
    return {"action": "block", "message": refused} if refused is not None else None


def around_tool(
    room: Room,
    *,
    next_call: Callable[[Any], Any],
    tool_name: str = "",
    args: Any = None,
    session_id: str = "",
    turn_id: str = "",
    **_: object,
) -> Any:
    """Middleware `tool_execution`: removals that the user asked for are recorded; found sessions are scrubbed."""
    turn = room.turns.get(session_id, turn_id)
    if tool_name == tools.BUILT_IN and turn is not None and turn.is_forget_request:
        return tools.remove(
            lambda: room.hooks(turn.scope).guard, lambda: tools.removed(args, tools.on_disk), lambda: next_call(args)
        )
    found = next_call(args)
    return view.result(found, room.reader(_scope(room, session_id, turn_id))) if tool_name == SEARCH else found


def before_request(
    room: Room, *, request: object = None, session_id: str = "", turn_id: str = "", **_: object
) -> dict[str, Any] | None:
    """Middleware `llm_request`: earlier turns and the system prompt without what was forgotten."""
    if not isinstance(request, dict):
        return None
    changed = view.request(request, room.reader(_scope(room, session_id, turn_id)))
    return {"request": changed, "source": NAME} if changed is not None else None


def _scope(room: Room, session: str, turn: str) -> Callable[[], Scope]:
    return lambda: room.turn(session, turn).scope


def _settings() -> Mapping[str, Any]:
    from hermes_cli.config import load_config

    loaded = load_config()
    return loaded if isinstance(loaded, dict) else {}


def _section(settings: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """A section of the configuration; an empty one where there is none."""
    found: object = settings
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}
