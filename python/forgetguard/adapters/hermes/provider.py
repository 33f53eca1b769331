"""A memory provider around another one: what goes in is scrubbed, what restates something forgotten stays out.

Delegates whatever the provider interface has in the installed version of Hermes, by name, so that a method which a
newer Hermes adds reaches the provider inside. Each wrapper keeps the signature of what it wraps, for Hermes looks at it
before it calls.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

from forgetguard.adapters.hermes import answers, tools, view
from forgetguard.adapters.hermes.room import Room
from forgetguard.adapters.hermes.scope import Scope, current
from forgetguard.adapters.hermes.turns import spoken
from forgetguard.errors import MissingExtra
from forgetguard.rules import is_forget_request

Guarded = Callable[["_Keeper", Mapping[str, Any], Callable[..., Any]], Any]

USER, ASSISTANT = "user_content", "assistant_content"
EVERYTHING = 1_000_000  # rows: the provider's list is cut at ten by default


def guard_provider(inner: Any, room: Room) -> Any:
    """A MemoryProvider that hands on to `inner` what may be stored. Raises MissingExtra."""
    try:
        from agent.memory_provider import MemoryProvider
    except ModuleNotFoundError:
        raise MissingExtra.of("hermes") from None
    keeper = _Keeper(inner, room)
    names = [name for name in dir(MemoryProvider) if not name.startswith("_") and hasattr(inner, name)]
    members: dict[str, Any] = {name: _member(keeper, name, getattr(MemoryProvider, name)) for name in names}
    members["__getattr__"] = lambda _, name: getattr(inner, name)
    return type("GuardedMemoryProvider", (MemoryProvider,), members)()


class _Keeper:
    """What the wrappers of one provider share: whose memory it is, and whether the running turn asks to forget."""

    def __init__(self, inner: Any, room: Room) -> None:
        self.inner = inner
        self.room = room
        self.asked = False
        self._scope: Scope | None = None

    def scope(self) -> Scope:
        """Given at initialisation; the workers that store later know nothing of Hermes' context."""
        return self._scope or current()

    def begin(self, given: Mapping[str, Any]) -> None:
        """The session begins: its profile and its user."""
        home, user = given.get("hermes_home"), given.get("user_id")
        here = current()
        self._scope = replace(here, home=Path(home) if home else here.home, user=str(user) if user else here.user)

    def text(self, text: str, *, of_user: bool = False) -> str:
        """What may be stored of a text that is new. Raises where it cannot be told.

        `of_user`: the user says it. A wish to forget is then not stored, also where nothing is recorded that it is
        about: it restates what it is about.
        """
        return _unless_wish(self.room.debrief(self.scope(), text) if text.strip() else text, of_user)

    def messages(self, messages: list[Any]) -> list[Any]:
        """What may be stored of a conversation. Its turns were asked about one by one, so nothing is recorded again."""
        return [kept for one in messages if (kept := self._message(one)) is not None]

    def _message(self, message: Any) -> Any:
        """One message; None where nothing of its words is left."""
        if not isinstance(message, dict):
            return message
        of_user = message.get("role") == "user"
        kept = view.message(message, lambda text: _unless_wish(self.room.scrub(self.scope(), text), of_user))
        emptied = spoken(message.get("content")).strip() and not spoken(kept.get("content")).strip()
        return None if emptied else kept

    def read(self, text: Any) -> Any:
        """What the model may see of a text."""
        return view.result(text, self.room.reader(self.scope)) if text else text


def _unless_wish(text: str, of_user: bool) -> str:
    return "" if of_user and is_forget_request(text) else text


def _member(keeper: _Keeper, name: str, declared: Any) -> Any:
    """What stands for one name of the provider interface; `declared` is what the interface says of it."""
    if isinstance(declared, property):
        return property(lambda _: getattr(keeper.inner, name))
    method = getattr(keeper.inner, name)
    if not callable(method):
        return method
    return staticmethod(_wrapped(keeper, method, declared, GUARDED[name]) if name in GUARDED else method)


def _wrapped(keeper: _Keeper, method: Callable[..., Any], declared: Any, guarded: Guarded) -> Callable[..., Any]:
    signature = inspect.signature(method)
    # By place: Hermes calls so, and a provider may name its arguments as it likes.
    theirs = dict(zip(_places(inspect.signature(declared))[1:], _places(signature), strict=False))
    ours = {their: our for our, their in theirs.items()}

    @wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)

        def carry_on(**changed: Any) -> Any:
            for name, value in changed.items():
                _set(bound, theirs.get(name, name), value)
            return method(*bound.args, **bound.kwargs)

        given = {ours.get(name, name): value for name, value in _flat(bound).items()}
        return guarded(keeper, given, carry_on)

    return call


def _places(signature: inspect.Signature) -> list[str]:
    """The names of the arguments that may be given by their place."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [name for name, one in signature.parameters.items() if one.kind in kinds]


def _others(signature: inspect.Signature) -> str | None:
    """The name under which a method takes any other arguments, if it does."""
    kind = inspect.Parameter.VAR_KEYWORD
    return next((name for name, one in signature.parameters.items() if one.kind is kind), None)


def _flat(bound: inspect.BoundArguments) -> dict[str, Any]:
    """The arguments by name, with those that a method takes as **kwargs among them."""
    others = _others(bound.signature)
    flat = {name: value for name, value in bound.arguments.items() if name != others}
    flat.update(bound.arguments.get(others or "", {}))
    return flat


def _set(bound: inspect.BoundArguments, name: str, value: Any) -> None:
    """Change one argument, where it is."""
    others = _others(bound.signature)
    if name not in bound.signature.parameters and others is not None:
        bound.arguments.setdefault(others, {})[name] = value
    else:
        bound.arguments[name] = value


def _initialize(keeper: _Keeper, given: Mapping[str, Any], carry_on: Callable[..., Any]) -> Any:
    keeper.begin(given)
    return carry_on()


def _on_turn_start(keeper: _Keeper, given: Mapping[str, Any], carry_on: Callable[..., Any]) -> Any:
    keeper.asked = is_forget_request(spoken(given.get("message")))
    return carry_on()


def _sync_turn(keeper: _Keeper, given: Mapping[str, Any], carry_on: Callable[..., Any]) -> Any:
    words: dict[str, Any] = {name: keeper.text(spoken(given[name]), of_user=name == USER) for name in (USER, ASSISTANT)}
    if isinstance(history := given.get("messages"), list):
        words["messages"] = keeper.messages(history)
    return carry_on(**words) if any(words.values()) else None


def _on_session_end(keeper: _Keeper, given: Mapping[str, Any], carry_on: Callable[..., Any]) -> Any:
    left = keeper.messages(given["messages"] or [])
    return carry_on(messages=left) if left or not given["messages"] else None


def _on_pre_compress(keeper: _Keeper, given: Mapping[str, Any], carry_on: Callable[..., Any]) -> Any:
    found = carry_on(messages=keeper.messages(given["messages"] or []))
    return keeper.text(found) if isinstance(found, str) else found


def _on_delegation(keeper: _Keeper, given: Mapping[str, Any], carry_on: Callable[..., Any]) -> Any:
    words = {name: keeper.text(spoken(given[name])) for name in ("task", "result")}
    return carry_on(**words) if any(words.values()) else None


def _reading(keeper: _Keeper, given: Mapping[str, Any], carry_on: Callable[..., Any]) -> Any:
    del given
    return keeper.read(carry_on())


def _on_memory_write(keeper: _Keeper, given: Mapping[str, Any], carry_on: Callable[..., Any]) -> Any:
    """A mirrored write: decided like any automatic one, and never a release."""
    if given.get("action") == "remove" or keeper.room.refusal(keeper.scope, tools.words(given.get("content"))) is None:
        return carry_on()
    return None


def _handle_tool_call(keeper: _Keeper, given: Mapping[str, Any], carry_on: Callable[..., Any]) -> Any:
    name, arguments = given["tool_name"], given.get("args") or {}
    refused = keeper.room.refusal(keeper.scope, tools.stored(arguments)) if tools.stored(arguments) else None
    if refused is not None:
        return answers.failure(refused)
    if keeper.asked and name == "fact_store" and arguments.get("action") == "remove":
        fact = arguments.get("fact_id")
        return tools.remove(
            lambda: keeper.room.hooks(keeper.scope()).guard, lambda: (_fact(keeper.inner, fact),), carry_on
        )
    return keeper.read(carry_on())


def _fact(inner: Any, fact_id: object) -> str:
    """The text of a fact of the bundled `holographic` provider. Raises LookupError, ValueError."""
    listed = inner.handle_tool_call("fact_store", {"action": "list", "min_trust": 0.0, "limit": EVERYTHING})
    for fact in json.loads(listed)["facts"]:
        if str(fact["fact_id"]) == str(fact_id):
            return str(fact["content"])
    raise LookupError("there is no such fact")


GUARDED: dict[str, Guarded] = {
    "initialize": _initialize,
    "on_turn_start": _on_turn_start,
    "sync_turn": _sync_turn,
    "on_session_end": _on_session_end,
    "on_delegation": _on_delegation,
    "on_pre_compress": _on_pre_compress,
    "on_memory_write": _on_memory_write,
    "handle_tool_call": _handle_tool_call,
    "prefetch": _reading,
    "system_prompt_block": _reading,
}
