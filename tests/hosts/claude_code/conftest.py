"""Claude Code itself, offline, with a scripted model: run where FORGETGUARD_CLAUDE_CODE names the program.

`make test-claude-code` installs it from npm and sets that.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import forgetguard
from hosts.claude_code.scripted_claude import Call, ScriptedClaude

PROGRAM = os.environ.get("FORGETGUARD_CLAUDE_CODE", "")
PACKAGE = str(Path(forgetguard.__file__).parent.parent)
SECONDS = 120


@dataclass
class User:
    """One user with a home, a ledger and a project of their own."""

    home: Path

    @property
    def environment(self) -> dict[str, str]:
        homes = {f"XDG_{name}_HOME": str(self.home / name.lower()) for name in ("DATA", "CONFIG", "STATE", "CACHE")}
        own = {"HOME": str(self.home), "PYTHONPATH": PACKAGE, "PATH": os.environ["PATH"]}
        return {**homes, **own, "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}

    @property
    def project(self) -> Path:
        return self.home / "project"

    @property
    def memory(self) -> Path:
        return self.project / "CLAUDE.md"

    def guard(self, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Runs `forgetguard`."""
        command = [sys.executable, "-m", "forgetguard", *arguments]
        return subprocess.run(command, input=given, env=self.environment, capture_output=True, text=True, timeout=60)

    def settings(self, *options: str, **changes: object) -> Path:
        """The file of settings as the command prints it, with the hook's fields changed."""
        printed = json.loads(self.guard("hook", "claude-code", *options, "--print-settings").stdout)
        printed["hooks"]["PreToolUse"][0]["hooks"][0] |= changes
        path = self.home / "settings.json"
        path.write_text(json.dumps(printed))
        return path

    def claude(
        self, calls: Sequence[Call], settings: Path | None = None, servers: dict[str, Any] | None = None
    ) -> list[tuple[bool, str]]:
        """One session in which the model calls these tools; for each call whether it failed, and what was told."""
        options = ["--permission-mode", "acceptEdits", "--allowedTools", "mcp__memory"]
        options += ["--settings", str(settings)] if settings is not None else []
        options += ["--mcp-config", json.dumps({"mcpServers": servers}), "--strict-mcp-config"] if servers else []
        with ScriptedClaude(calls) as model:
            environment = {
                **self.environment, "ANTHROPIC_BASE_URL": model.base_url, "ANTHROPIC_API_KEY": "no-key",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
                "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9", "no_proxy": "127.0.0.1",
            }  # fmt: skip
            done = subprocess.run(
                [PROGRAM, "-p", "Note this.", *options], cwd=self.project, env=environment, capture_output=True,
                text=True, timeout=SECONDS,
            )  # fmt: skip
        assert (done.returncode, done.stdout.strip()) == (0, "done"), done.stderr
        return [model.results[f"call-{at}"] for at in range(len(calls))]


@pytest.fixture
def user(tmp_path: Path) -> Callable[[str], User]:
    def make(name: str) -> User:
        made = User(tmp_path / name)
        made.project.mkdir(parents=True)
        assert made.guard("init").returncode == 0
        return made

    return make


@pytest.fixture
def ana(user: Callable[[str], User]) -> User:
    """A user who had a fact forgotten."""
    made = user("ana")
    assert made.guard("forget", given="User is vegetarian").returncode == 0
    return made
