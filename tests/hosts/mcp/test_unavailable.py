"""Without a key, without a ledger, with a damaged one: every tool answers, and nothing passes for an empty ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from forgetguard.adapters.mcp.tool import NOT_NOW
from hosts.mcp.talking import Server, Talk, forget

FACT = "User is vegetarian"


async def assert_answers(talk: Talk, code: str) -> None:
    """What the tools say while the ledger is unavailable for the reason `code`."""
    status = await talk("status")
    assert (status["ledger"], status["degraded"]) == (code, True)
    assert await part(talk, "check", text=FACT) == {"action": "defer", "reason": code, "degraded": True}
    assert await part(talk, "check", text=FACT, use="summary") == {"action": "drop", "reason": code, "degraded": True}
    assert await part(talk, "check", text=FACT, use="read") == {"action": "keep", "reason": code, "degraded": True}
    filtered = await talk("filter", items=[{"text": FACT}, {"text": "", "action": "DELETE", "target": "m"}])
    assert (filtered["store"], filtered["deferred"], filtered["degraded"]) == ([1], [0], True)
    scrubbed = await talk("scrub", text=FACT)
    assert (scrubbed["text"], scrubbed["empty"], scrubbed["degraded"]) == (None, True, True)
    scrubbed = await talk("scrub", text=FACT, use="read")
    assert (scrubbed["text"], scrubbed["empty"], scrubbed["degraded"]) == (FACT, False, True)
    mirrored = await talk("remember", text=FACT, user_asked=False)
    assert (mirrored["store"], mirrored["action"], mirrored["note"]) == (False, "defer", NOT_NOW)
    for tool, given in (("forget_preview", {"facts": [FACT]}), ("forgotten", {}), ("release", {"ids": ["x"]})):
        assert await talk.refused(tool, **given) == code


async def part(talk: Talk, tool: str, **given: Any) -> dict[str, Any]:
    answer = await talk(tool, **given)
    return {name: answer[name] for name in ("action", "reason", "degraded")}


def key_of(server: Server) -> Path:
    return server.home / "config" / "forgetguard" / "key"


def test_with_nothing_there_and_then_the_user_makes_it(bare: Server):
    async def conversation(talk: Talk) -> None:
        await assert_answers(talk, "missing")
        assert (await talk("remember", text=FACT, user_asked=True))["release"] == "pending"
        bare.cli("init")
        await anyio.sleep(1.1)  # an opening is tried once a second
        assert (await talk("status"))["ledger"] == "ok"
        await forget(talk, FACT)
        assert (await talk("check", text=FACT))["action"] == "drop"

    bare.talk(conversation)


def test_with_the_key_gone_and_then_back(server: Server):
    server.forget(FACT)
    key = key_of(server)
    kept = key.rename(key.with_name("elsewhere"))

    async def conversation(talk: Talk) -> None:
        await assert_answers(talk, "no-key")
        kept.rename(key)
        await anyio.sleep(1.1)
        assert (await talk("check", text=FACT))["action"] == "drop"

    server.talk(conversation)


@pytest.mark.parametrize("code", ["damaged", "wrong-key"])
def test_with_a_ledger_that_cannot_be_read(server: Server, code: str):
    server.forget(FACT)
    if code == "wrong-key":
        key = key_of(server)
        key.unlink()
        key.write_text("00" * 32)
        key.chmod(0o600)
    else:
        ledger = server.home / "data" / "forgetguard" / "ledger.sqlite"
        ledger.with_name("ledger.sqlite-wal").unlink(missing_ok=True)
        ledger.write_bytes(b"not a database at all" * 400)

    async def conversation(talk: Talk) -> None:
        await assert_answers(talk, code)

    server.talk(conversation)


def test_with_a_ledger_that_goes_away_while_it_is_read_nothing_is_said_of_its_entries(server: Server):
    server.forget(FACT)
    ledger = server.home / "data" / "forgetguard" / "ledger.sqlite"

    async def conversation(talk: Talk) -> None:
        (entry,) = (await talk("forgotten"))["entries"]
        away = ledger.rename(ledger.with_name("elsewhere"))
        for ids in (["x"], [entry["id"]]):
            assert await talk.refused("release", ids=ids) == "missing"
        away.rename(ledger)
        assert (await talk("release", ids=[entry["id"]]))["would_release"] == [entry["id"]]

    server.talk(conversation)
