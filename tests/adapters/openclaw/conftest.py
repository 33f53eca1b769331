"""A recorded state for every test, a purge home of its own, and the command as a person calls it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("apsw", reason="the extra `openclaw` is not installed")
pytest.importorskip("sqlite_vec", reason="the extra `openclaw` is not installed")
pytest.importorskip("zstandard", reason="the extra `openclaw` is not installed")

import apsw
import sqlite_vec

from adapters.openclaw.recording import unpack
from forgetguard.adapters.openclaw import Outcome, State, forget, plan_forget, preview_forget
from forgetguard.purge import Home, Order, Selection


@dataclass
class Recorded:
    """A state directory that was unpacked for one test."""

    root: Path
    base: Path

    @property
    def state(self) -> State:
        return State(self.root, (self.base / "tmp",))

    @property
    def home(self) -> Home:
        return Home(self.base / "home")

    @property
    def workspace(self) -> Path:
        return self.root / "workspace"

    @property
    def agent_database(self) -> Path:
        return self.root / "agents/main/agent/openclaw-agent.sqlite"

    @property
    def shared_database(self) -> Path:
        return self.root / "state/openclaw.sqlite"

    def selection(self, *sessions: str, **others: Any) -> Selection:
        return Selection(sessions=sessions, union=True, **others)

    def preview(self, *sessions: str, **others: Any) -> Outcome:
        return preview_forget(plan_forget(self.state.agent(), self.selection(*sessions, **others)))

    def purge(self, *sessions: str, order: Order | None = None, **others: Any) -> Outcome:
        return forget(plan_forget(self.state.agent(), self.selection(*sessions, **others)), self.home, order)

    def rows(self, path: Path, sql: str, *bindings: object) -> list[tuple[Any, ...]]:
        connection = apsw.Connection(str(path))
        connection.enable_load_extension(True)
        connection.load_extension(sqlite_vec.loadable_path())
        try:
            return list(connection.execute(sql, bindings))
        finally:
            connection.close()

    def agent(self, sql: str, *bindings: object) -> list[tuple[Any, ...]]:
        return self.rows(self.agent_database, sql, *bindings)

    def shared(self, sql: str, *bindings: object) -> list[tuple[Any, ...]]:
        return self.rows(self.shared_database, sql, *bindings)

    def command(self, *arguments: str) -> tuple[int, Any, str]:
        """Exit code, JSON on stdout (None when there is none), stderr."""
        environment = {
            **os.environ,
            "PYTHONPATH": ":".join(path for path in sys.path if path),
            "FORGETGUARD_PURGE_HOME": str(self.home.directory),
            "TMPDIR": str(self.base),
            "XDG_DATA_HOME": str(self.base / "xdg"),
            "XDG_CONFIG_HOME": str(self.base / "xdg"),
        }
        done = subprocess.run(
            [sys.executable, "-m", "forgetguard", *arguments],
            input=b"", capture_output=True, timeout=120, check=False, env=environment,
        )  # fmt: skip
        text = done.stdout.decode()
        return done.returncode, json.loads(text) if text.startswith("{") else None, done.stderr.decode()

    def forget(self, *arguments: str) -> tuple[int, Any, str]:
        return self.command("memory", "forget", "--state-dir", str(self.root), *arguments)


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One copy that no test may change."""
    return unpack(tmp_path_factory.mktemp("recorded") / "state")


@pytest.fixture
def recorded(tmp_path: Path) -> Recorded:
    """A copy of the test's own."""
    return Recorded(unpack(tmp_path / "state"), tmp_path)


@pytest.fixture
def theirs(recorded: Recorded) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A report without what is ours."""
    return lambda body: {key: value for key, value in body.items() if key != "forgetguard"}
