"""Conversations with the real server, in a process of its own, through the real package's client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, MCPError, StdioServerParameters, stdio_client

import forgetguard
from forgetguard.guard import ForgetGuard
from forgetguard.guard.settings import Settings

PACKAGE = str(Path(forgetguard.__file__).parent.parent)
SECONDS = 120
_CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
HELLO = json.dumps({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": _CLIENT})
"""The line that opens a connection."""


@dataclass
class Talk:
    """One conversation. `heard`: everything the server said, as it came."""

    client: Client
    heard: list[str] = field(default_factory=list)

    async def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured content of a call that works. The client holds it against the tool's output schema."""
        result = await self._called(tool, arguments)
        assert not result.is_error, result.structured_content
        return result.structured_content

    async def refused(self, tool: str, **arguments: Any) -> str:
        """The code of a call that fails; the error's shape is checked."""
        result = await self._called(tool, arguments)
        assert result.is_error, result.structured_content
        assert set(result.structured_content) == {"error"}
        error = result.structured_content["error"]
        assert set(error) == {"code", "message", "advice"}
        assert all(error.values())
        return error["code"]

    async def _called(self, tool: str, arguments: dict[str, Any]) -> Any:
        try:
            result = await self.client.call_tool(tool, arguments)
        except MCPError as error:
            self.heard.append(json.dumps([error.code, error.message, error.data]))
            raise
        self.heard.append(result.model_dump_json())
        (content,) = result.content
        assert json.loads(content.text) == result.structured_content
        return result


@dataclass
class Server:
    """How a server is started: in whose home, with which options and variables."""

    home: Path
    options: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        backend = (
            {"FORGETGUARD_BACKEND": os.environ["FORGETGUARD_BACKEND"]} if "FORGETGUARD_BACKEND" in os.environ else {}
        )
        homes = {f"XDG_{name}_HOME": str(self.home / name.lower()) for name in ("DATA", "CONFIG", "STATE", "CACHE")}
        null = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}
        own = {"PATH": os.environ["PATH"], "HOME": str(self.home), "PYTHONPATH": PACKAGE}
        return {**own, **homes, **backend, **null, **self.variables}

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-m", "forgetguard", "mcp", *self.options]

    @property
    def errors(self) -> str:
        """What all servers of this home wrote to stderr."""
        return (self.home / "stderr.txt").read_text()

    def talk(self, conversation: Callable[[Talk], Awaitable[None]], mode: str = "auto") -> list[str]:
        """Start a server, hold the conversation, end it; what the server said."""

        async def hold() -> list[str]:
            command, *arguments = self.command
            parameters = StdioServerParameters(command=command, args=arguments, env=self.environment)
            with (self.home / "stderr.txt").open("a") as errors, anyio.fail_after(SECONDS):
                async with Client(stdio_client(parameters, errlog=errors), mode=mode) as client:
                    talk = Talk(client)
                    await conversation(talk)
                    return talk.heard

        return anyio.run(hold)

    def guard(self, *, create: bool = False) -> ForgetGuard:
        """The user's own guard over the same ledger, in this process, whose home is the server's."""
        settings = Settings.load()
        if self.options[:1] == ("--ledger",):
            settings = replace(settings, ledger=Path(self.options[1]))
        return settings.open_guard(create=create, strict=True)

    def forget(self, fact: str) -> None:
        """What the user does beside the server."""
        with self.guard() as guard:
            guard.forget(fact)

    def cli(self, *arguments: str, given: str = "") -> str:
        """Run another command in the same home, as the user; its output."""
        done = subprocess.run(
            [sys.executable, "-m", "forgetguard", *arguments],
            input=given, env=self.environment, capture_output=True, text=True, timeout=SECONDS, check=True,
        )  # fmt: skip
        return done.stdout

    def wire(self, *lines: str) -> tuple[list[dict[str, Any]], str]:
        """Write lines as they are after a handshake; (the lines of stdout after it, read as JSON; stderr)."""
        opening = (HELLO, json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        expected = len([line for line in lines if line])
        with subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment
        ) as process:
            assert process.stdin and process.stdout and process.stderr
            process.stdin.write("".join(line + "\n" for line in (*opening, *lines)).encode())
            process.stdin.flush()
            said = [json.loads(process.stdout.readline()) for _ in range(1 + expected)]
            process.stdin.close()
            rest, errors = process.stdout.read(), process.stderr.read().decode()
            assert process.wait(SECONDS) == 0
        assert rest == b""
        return [one for one in said if one.get("id") != "hello"], errors


async def forget(talk: Talk, *facts: str, stored: list[dict[str, str]] | None = None) -> dict[str, Any]:
    """Both steps."""
    given: dict[str, Any] = {"facts": list(facts)} | ({} if stored is None else {"stored": stored})
    preview = await talk("forget_preview", **given)
    return await talk("forget", **given, token=preview["token"])
