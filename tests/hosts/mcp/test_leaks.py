"""No answer, no error and no log holds text of the ledger, whatever a client asks."""

from __future__ import annotations

import json
import logging
import sys
from io import StringIO

import pytest

from forgetguard.adapters.mcp.logs import TextFree, text_free_stderr
from forgetguard.adapters.mcp.server import TOOLS, _called
from forgetguard.adapters.mcp.tool import NOT_SAVED, Tool
from hosts.mcp.talking import Server, Talk, forget

CANARY = "User keeps the quixotic lighthouse key under the blue mat"
WORDS = ("quixotic", "lighthouse", "blue mat")


def spoken(heard: list[str]) -> list[str]:
    """The canary's words that stand in what was said."""
    return [word for word in WORDS if word in "".join(heard).lower()]


def test_every_tool_is_asked_about_the_canary(server: Server):
    server.forget(CANARY)

    async def conversation(talk: Talk) -> None:
        (entry,) = (await talk("forgotten"))["entries"]
        assert (await talk("check", text=CANARY))["entry"] == entry["id"]
        assert (await talk("check", text="The user keeps a key under a mat"))["entry"] == entry["id"]
        for use in ("write", "summary", "read"):
            assert (await talk("check", text=CANARY, use=use))["action"] == "drop"
        answer = await talk("filter", items=[{"text": CANARY}, {"text": CANARY, "action": "UPDATE", "target": "m"}])
        assert (answer["store"], answer["dropped"], answer["note"]) == ([], [0, 1], NOT_SAVED)
        assert (await talk("filter", items=[{"text": "User likes tea"}]))["note"] == ""
        assert all(one["recorded"] for one in answer["decisions"])
        for use in ("summary", "read"):
            scrubbed = await talk("scrub", text=f"It rained. {CANARY}. We had tea.", use=use)
            assert scrubbed["text"] == "It rained. We had tea."
            (cut,) = scrubbed["removed"]
            assert (cut["start"], cut["entry"]) == (11, entry["id"])
        assert (await talk("scrub", text=CANARY))["empty"]
        await talk("remember", text=CANARY, user_asked=False)
        await talk("status")
        await forget(talk, CANARY, stored=[{"id": "1", "text": CANARY}])
        preview = await talk("release", ids=[entry["id"]])
        await talk.refused("release", ids=[entry["id"], "x"], token=preview["token"])
        await talk.refused("forget", facts=[CANARY], token="x")
        await talk.refused("check", text=CANARY, use=CANARY)
        await talk.refused("filter", items=[{"text": CANARY, CANARY: CANARY}])
        await talk.refused("verify", sessions=[CANARY])
        await talk.refused("purge_preview", participants=[CANARY])
        await talk.refused("check", text=CANARY + "\0")
        await talk("remember", text=CANARY, user_asked=True)

    assert spoken(server.talk(conversation)) == []
    assert spoken([server.errors]) == []
    # What was dropped and cut out is with its owner.
    with server.guard() as guard:
        assert [CANARY in one.candidate.text for one in guard.review()] == [True] * 5


def test_what_is_called_read_only_writes_nothing(server: Server):
    server.forget(CANARY)
    folder = server.home / "data" / "forgetguard"
    given: dict[str, dict[str, object]] = {
        "forget_preview": {"facts": [CANARY, "User likes tea"], "stored": [{"id": "1", "text": CANARY}]},
        "forgotten": {},
        "check": {"text": CANARY},
        "status": {},
    }

    def written() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith("-shm")}

    async def conversation(talk: Talk) -> None:
        await talk("status")
        before = written()
        for tool, arguments in given.items():
            await talk(tool, **arguments)
        await talk("scrub", text=CANARY, use="read")
        assert written() == before
        await talk("scrub", text=CANARY)
        assert written() != before

    assert given.keys() == {tool.name for tool in TOOLS.values() if tool.reads} - {"purge_preview"}  # in test_purge.py
    server.talk(conversation)


def test_forced_faults_are_answered_without_their_words(server: Server, monkeypatch):
    """A fault deep inside, in this process: the class is logged, the words are not."""

    def fails(served, given):
        raise RuntimeError(CANARY)

    def has_no_disk(served, given):
        raise OSError(28, CANARY)

    status = TOOLS["status"]
    for run, code in ((fails, "fault"), (has_no_disk, "io")):
        broken = Tool("status", status.title, status.about, status.takes, status.gives, run)
        result = _called(broken, lambda given: None, None, {})
        assert result.is_error
        assert result.structured_content["error"]["code"] == code
        assert spoken([result.model_dump_json()]) == []


@pytest.fixture
def stderr(monkeypatch) -> StringIO:
    """stderr under the server's logging, which is put back afterwards."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    caught = StringIO()
    monkeypatch.setattr(sys, "stderr", caught)
    text_free_stderr()
    yield caught
    root.handlers[:] = handlers
    root.setLevel(level)


def test_logs_of_libraries_lose_their_text(stderr: StringIO):
    try:
        raise ValueError(CANARY)
    except ValueError:
        logging.getLogger("mcp.server").exception("dropped %r", CANARY)
    logging.getLogger("asyncio").error(CANARY)
    logging.getLogger("forgetguard").warning("the ledger is unavailable: %s", "missing")
    lines = stderr.getvalue().splitlines()
    assert spoken(lines) == []
    assert lines[0].startswith("error mcp.server: test_leaks:")
    assert lines[0].endswith(" ValueError")
    assert lines[2] == "warning forgetguard: the ledger is unavailable: missing"
    assert isinstance(logging.getLogger().handlers[0].formatter, TextFree)


def test_answers_are_json_of_ids_dates_codes_and_counts(server: Server):
    """Every string in an answer that is not the caller's own is short: no place for a sentence."""
    server.forget(CANARY)

    async def conversation(talk: Talk) -> None:
        await talk("forgotten")
        await talk("status")
        await talk("check", text=CANARY)

    for line in server.talk(conversation):
        content = json.loads(line)["structured_content"]
        assert not any(" " in string for string in strings(content)), content


def strings(value: object) -> list[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [string for one in inner for string in strings(one)]
