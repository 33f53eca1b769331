"""docs/hosts/mcp.md is true: its configuration starts a server, its table lists the tools with their hints."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from forgetguard.adapters.mcp import DEFAULT_SECONDS
from forgetguard.adapters.mcp.server import TOOLS
from hosts.mcp.talking import Server, Talk

PAGE = (Path(__file__).parents[3] / "docs" / "hosts" / "mcp.md").read_text("utf-8")


def test_the_configuration_starts_a_server(server: Server, monkeypatch: pytest.MonkeyPatch):
    (block,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    given = json.loads(block)["mcpServers"]["forgetguard"]
    command = [sys.executable, "-m", *given["command"].split(), *given["args"]]
    assert command == server.command

    async def conversation(talk: Talk) -> None:
        assert (await talk("status"))["ledger"] == "ok"

    server.talk(conversation)


def test_the_table_lists_every_tool_with_its_hints():
    rows = re.findall(r"^\| `(\w+)` \| .+ \|([a-z, -]*)\| (.+) \|$", PAGE, re.MULTILINE)
    assert [name for name, _, _ in rows] == list(TOOLS)
    for name, hints, written in rows:
        tool = TOOLS[name]
        told = ["read-only"] if tool.reads else ["destructive"] * tool.destroys + ["idempotent"] * tool.repeats
        assert hints.strip() == ", ".join(told), name
        assert (written == "nothing") is tool.reads, name


def test_the_tokens_last_as_long_as_it_says():
    assert DEFAULT_SECONDS == 5 * 60
    assert "five minutes" in PAGE
