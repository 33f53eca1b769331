"""The command: confirmation, plans, strictness, wider selectors; keys, dates and JSON5."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from adapters.openclaw.conftest import Recorded
from adapters.openclaw.recording import ALICE, BOB, ERIN
from forgetguard.adapters.openclaw import dates, json5, keys
from forgetguard.errors import InvalidInput
from purge.world import picture

DANA = "b83b6764-12ee-456b-bc0b-4f3b0b3580bc"
GRP = "3ec10a37-6a8b-4f0d-a233-d70f6f0d74a3"
MAIL = "a1a02ef0-8864-44ed-bf78-d2287a04c418"


def test_without_a_confirmation_nothing_happens(recorded: Recorded) -> None:
    before = picture(recorded.base)
    code, body, errors = recorded.forget("--session", ALICE, "--json")
    assert (code, body["ok"], body["forgetguard"]["code"]) == (4, False, "not-confirmed")
    assert "confirmation" in errors
    assert picture(recorded.base) == before


def test_strict_refuses_a_typo(recorded: Recorded) -> None:
    before = picture(recorded.root)
    code, body, _ = recorded.forget("--session", ALICE, "--session", "typo", "--strict", "--yes", "--json")
    assert (code, body["forgetguard"]["code"]) == (5, "nothing-matched")
    assert picture(recorded.root) == before


def test_a_typo_beside_a_known_session(recorded: Recorded) -> None:
    code, body, _ = recorded.forget("--session", ALICE, "--session", "typo", "--yes", "--json")
    assert code == 5
    assert {one["sessionId"]: one["source"] for one in body["sessionResolutions"]} == {
        ALICE: "live",
        "typo": "unresolved",
    }
    assert body["artifacts"]["sessionCorpusLines"] == 8
    assert body["forgetguard"]["result"] == "clean"


def test_a_plan_in_a_file(recorded: Recorded) -> None:
    path = recorded.base / "plan.json"
    code, body, _ = recorded.forget("--session", ALICE, "--plan", str(path), "--json")
    assert code == 0 and body["dryRun"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert "Setubal" not in path.read_text() and "claim" not in path.read_text()
    note = recorded.workspace / "memory/2026-12-01.md"
    note.write_text("User: My favourite harbour is Setubal and my badge colour is teal.\n")
    code, body, _ = recorded.forget("--apply", str(path), "--yes", "--json")
    assert code == 0
    assert [one["place"] for one in body["forgetguard"]["late"]] == ["memory/2026-12-01.md"] * 2
    assert note.read_text() == ""


def test_a_plan_that_was_altered(recorded: Recorded) -> None:
    path = recorded.base / "plan.json"
    recorded.forget("--session", ALICE, "--plan", str(path), "--json")
    path.write_text(path.read_text().replace(ALICE, BOB))
    code, body, _ = recorded.forget("--apply", str(path), "--yes", "--json")
    assert (code, body["forgetguard"]["code"]) == (4, "plan-altered")


@pytest.mark.parametrize(
    ("selectors", "sessions"),
    [
        ({"channels": ("telegram",)}, {DANA, GRP}),
        ({"chat_types": ("group",)}, {GRP}),
        ({"channels": ("Telegram",)}, set()),
        ({"participants": ("person-dana",)}, {DANA, GRP}),
        ({"sessions": ("agent:main:erin",)}, {ERIN}),
        ({"sessions": (ERIN,), "chat_types": ("group",)}, {ERIN, GRP}),
        ({"sessions": ("agent:main:alice",), "since": 1796055502.186}, {ALICE}),
        ({"sessions": ("agent:main:alice",), "since": 1796055502.187}, set()),
    ],
    ids=["channel", "chat type", "case", "person", "archived key", "union", "since its beginning", "since just later"],
)
def test_selectors(recorded: Recorded, selectors: dict[str, tuple[str, ...]], sessions: set[str]) -> None:
    given = {**selectors}
    names = given.pop("sessions", ())
    assert set(recorded.preview(*names, **given).body["sessionIds"]) == sessions  # type: ignore[call-overload]


def test_origin_class(recorded: Recorded) -> None:
    from forgetguard.values import OriginClass

    recorded.agent("UPDATE memory_entry_origins SET origin_class='untrusted' WHERE session_id=?", MAIL)
    body = recorded.preview(origin_classes=(OriginClass.UNTRUSTED,)).body
    assert body["sessionIds"] == [MAIL]


def test_archives_that_cannot_be_judged_are_listed(recorded: Recorded) -> None:
    done = recorded.purge(hook_sources=("gmail",))
    assert done.exit_code == 3
    ours = done.body["forgetguard"]
    assert ours["unjudgedArchives"] == [ERIN]  # type: ignore[index]
    assert ours["result"] == "cannot-prove"  # type: ignore[index]
    assert recorded.purge(ERIN, hook_sources=("gmail",)).exit_code == 0


def test_no_such_agent_or_directory(recorded: Recorded) -> None:
    assert recorded.forget("--agent", "nobody", "--session", ALICE, "--dry-run", "--json")[0] == 5
    assert (
        recorded.command("memory", "forget", "--state-dir", "/nonexistent", "--session", "x", "--json", "--yes")[0] == 2
    )


def test_doctor(recorded: Recorded) -> None:
    code, facts, _ = recorded.command("doctor", "--state-dir", str(recorded.root), "--json")
    assert code == 0 and facts["ready"] and facts["testedReleases"] == ["2026.9.6"]
    (agent,) = facts["agents"]
    assert {one["name"] for one in agent["surfaces"]} == {
        "index", "plugin-state", "notes", "leftovers", "kept", "corpus", "origins"
    }  # fmt: skip
    assert all(one["erases"] or one["reports"] for one in agent["surfaces"])
    assert agent["places"]["tables"]["memory_index_chunks"] == 28
    assert recorded.command("doctor", "--state-dir", str(recorded.root))[0] == 0


@pytest.fixture
def in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    import time

    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-30", datetime(2026, 11, 30, tzinfo=UTC)),
        ("2026-11", datetime(2026, 11, 1, tzinfo=UTC)),
        ("2026", datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-11-30T12:00:00Z", datetime(2026, 11, 30, 12, tzinfo=UTC)),
        ("2026-11-30T12:00:00.250+02:00", datetime(2026, 11, 30, 10, 0, 0, 250000, tzinfo=UTC)),
        ("2026-11-30T12:00", datetime(2026, 11, 30, 3, tzinfo=UTC)),
        ("Mon, 30 Nov 2026 12:00:00 GMT", datetime(2026, 11, 30, 12, tzinfo=UTC)),
        ("November 30, 2026", datetime(2026, 11, 29, 15, tzinfo=UTC)),
    ],
)
def test_dates_as_javascript_reads_them(in_tokyo: None, text: str, moment: datetime) -> None:
    assert dates.parse(text) == moment.timestamp()


@pytest.mark.parametrize("text", ["notadate", "", "2026-13-01", "2026-11-31", "12:00"])
def test_what_is_no_date(text: str) -> None:
    assert dates.parse(text) is None


def test_json5() -> None:
    text = "// c\n{ a: 1, 'b': [true, null, .5, +2, 0x1F, ], /* d */ \"c\": 'it\\'s\\u0021\\\n', $e: -Infinity, }\n"
    assert json5.loads(text) == {"a": 1, "b": [True, None, 0.5, 2, 31], "c": "it's!", "$e": float("-inf")}
    for wrong in ("", "{", "{a}", "[1 2]", "'x", "{a: b}", "{} x", "[" * 500):
        with pytest.raises(InvalidInput):
            json5.loads(wrong)


def test_keys_against_the_recording(recorded: Recorded) -> None:
    rows = recorded.shared("SELECT value_json FROM plugin_state_entries WHERE namespace='short-term-recall'")
    for (text,) in rows:
        value = json.loads(text)["value"]
        claim = keys.claim_of(value["snippet"])
        assert value["key"] in keys.claim_keys(claim, value["path"], value["startLine"], value["endLine"])
    for path, name, start, end, digest, model, text, source in recorded.agent(
        "SELECT path, id, start_line, end_line, hash, model, text, source FROM memory_index_chunks"
    ):
        assert keys.text_hash(text) == digest
        assert keys.text_hash(f"{source}:{path}:{start}:{end}:{digest}:{model}") == name
    assert keys.normal("\ufeffa\u2028 b\x1cc ") == "a b\x1cc"
