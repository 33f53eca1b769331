"""The real Hermes in a home of the test's own, with a scripted model and nothing else on the network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from forgetguard import ForgetGuard
from forgetguard.adapters.hermes import plugin, scope
from guarding import guard, home, key, open_guard, path  # noqa: F401 - fixtures; every test has a private home
from hosts.scripted_model import Message, Request, ScriptedModel

Answers = dict[str, str | Message]


def answering(answers: Answers) -> Callable[[Request], str | Message]:
    """A model that answers a user's message by the first key in it, and says "Done." to everything else."""

    def script(request: Request) -> str | Message:
        last = request["messages"][-1]
        if last["role"] != "user":
            return "Done."
        words = str(last["content"])
        return next((answer for part, answer in answers.items() if part in words), "Done.")

    return script


class Hermes:
    """One installation: its home, its configuration, and agents in it."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.monkeypatch = monkeypatch
        self._open: list[Callable[[], object]] = []
        self.home = root
        self.use(root)

    def use(self, root: Path) -> None:
        """From here on, the profile that lies there."""
        self.home = root
        root.mkdir(parents=True, exist_ok=True)
        self.monkeypatch.setenv("HERMES_HOME", str(root))

    def configure(self, *, guarded: bool = True, **sections: Any) -> None:
        """Write config.yaml, and let the real plugin manager load what it enables."""
        from hermes_cli import plugins

        config = {
            "agent": {"environment_probe": False},
            "memory": {"memory_enabled": True, "user_profile_enabled": True, "nudge_interval": 0},
            "model": {"context_length": 128_000},
            "plugins": {"enabled": ["forgetguard"] if guarded else []},
        }
        for name, section in sections.items():
            config[name] = {**config.get(name, {}), **section}
        (self.home / "config.yaml").write_text(yaml.safe_dump(config))
        self.monkeypatch.setattr(plugins, "_plugin_manager", None)
        plugins.discover_plugins()

    def model(self, answers: Answers | None = None) -> ScriptedModel:
        """A running model."""
        made = ScriptedModel(answering(answers or {}))
        made.__enter__()
        self._open.append(lambda: made.__exit__(None, None, None))
        return made

    def agent(self, model: ScriptedModel, **options: Any) -> Any:
        """The real agent, over the real session database."""
        from hermes_state import SessionDB
        from run_agent import AIAgent

        given = {
            "provider": "custom",
            "model": "scripted",
            "api_key": "x",
            "tool_delay": 0,
            "enabled_toolsets": TOOLSETS,
            **options,
        }
        database = SessionDB(self.home / "state.db")  # its default was fixed when it was imported
        made = AIAgent(base_url=model.base_url, quiet_mode=True, skip_context_files=True, session_db=database, **given)
        self._open += [made.close, database.close]
        return made

    def talk(self, agent: Any, *said: str) -> list[Message]:
        """One conversation; all of its messages."""
        messages: list[Message] = []
        for one in said:
            messages = agent.run_conversation(one, conversation_history=messages)["messages"]
        return messages

    def memory(self, target: str = "user") -> list[str]:
        """The entries of USER.md or MEMORY.md."""
        file = self.home / "memories" / f"{target.upper()}.md"
        text = file.read_text() if file.exists() else ""
        return [entry for entry in text.split("\n§\n") if entry.strip()]

    def guard(self, user: str = "") -> ForgetGuard:
        """The guard that the plugin uses here."""
        return plugin.shared_room(bool(user)).hooks(scope.Scope(self.home, user)).guard

    def close(self) -> None:
        """End every agent, database and model."""
        while self._open:
            self._open.pop(0)()


TOOLSETS = ["memory", "session_search"]


@pytest.fixture
def hermes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hermes]:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HERMES_SKIP_SSL_GUARD", "1")  # the model speaks plain HTTP, and certificates load slowly
    plugin.shared_room.cache_clear()
    made = Hermes(tmp_path / "hermes", monkeypatch)
    yield made
    made.close()
