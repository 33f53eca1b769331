"""Forgetting, committing, aborting, releasing: what an owner of an open ledger sees."""

from __future__ import annotations

import subprocess
import sys
import time
import traceback
from pathlib import Path

import pytest

from forgetguard.errors import ForgetGuardError, InvalidInput, InvalidText, LedgerFull, LedgerUnavailable, UnknownEntry
from forgetguard.keys import Key
from forgetguard.ledger import Fact, Ledger, ReviewItem
from forgetguard.values import Candidate, Origin, OriginClass, Vector

VEGETARIAN = "User is vegetarian"


def texts(ledger: Ledger) -> list[str]:
    return [entry.text for entry in ledger.entries()]


def test_an_intent_is_active_and_pending_until_it_is_committed(ledger: Ledger) -> None:
    ids = ledger.intend([Fact(VEGETARIAN)])
    assert [(entry.text, entry.pending) for entry in ledger.entries()] == [(VEGETARIAN, True)]
    assert ledger.pending() == ledger.entries()
    ledger.commit(ids)
    assert [(entry.text, entry.pending) for entry in ledger.entries()] == [(VEGETARIAN, False)]
    assert ledger.pending() == ()


def test_an_aborted_intent_ends(ledger: Ledger) -> None:
    ids = ledger.intend([Fact(VEGETARIAN), Fact("Lives in Lisbon")])
    ledger.abort(ids[:1])
    assert texts(ledger) == ["Lives in Lisbon"]


def test_a_committed_entry_cannot_be_aborted(ledger: Ledger) -> None:
    ids = ledger.forget([Fact(VEGETARIAN)])
    with pytest.raises(InvalidInput) as caught:
        ledger.abort(ids)
    assert caught.value.code == "not-pending"
    assert texts(ledger) == [VEGETARIAN]


def test_everything_about_an_entry_survives_closing(path: Path, key: Key, ledger: Ledger) -> None:
    vector = Vector.quantise([0.5, -1.0, 0.25], "mini")
    origin = Origin("agent", "session", "key", OriginClass.OWNER, 1700000000.5)
    ids = ledger.forget([Fact("Olá, 世界 🎉", vector)], "owner-asked", origin)
    before = ledger.entries()
    ledger.close()
    with Ledger.open(path, key) as again:
        assert again.entries() == before
        (entry,) = again.entries()
        assert (entry.id, entry.vector, entry.origin, entry.reason) == (ids[0], vector, origin, "owner-asked")


def test_release_brings_back_and_a_released_entry_can_be_forgotten_again(ledger: Ledger) -> None:
    ids = ledger.forget([Fact(VEGETARIAN)])
    assert ledger.release(ids, dry_run=True) == ids
    assert texts(ledger) == [VEGETARIAN]
    assert ledger.release(ids) == ids
    assert texts(ledger) == []
    assert ledger.release(ids) == ()
    again = ledger.forget([Fact(VEGETARIAN)])
    assert again != ids
    assert texts(ledger) == [VEGETARIAN]


@pytest.mark.parametrize("unknown", ["0" * 32, "no id at all", "", "0" * 30, "g" * 32])
def test_an_unknown_id_is_an_error_and_nothing_is_written(ledger: Ledger, unknown: str) -> None:
    ids = ledger.forget([Fact(VEGETARIAN)])
    for call in (ledger.release, ledger.commit, ledger.abort):
        with pytest.raises(UnknownEntry) as caught:
            call([ids[0], unknown])
        assert caught.value.exit_code == 5
    assert texts(ledger) == [VEGETARIAN]


@pytest.mark.parametrize("text", ["", "   \n", None, 7, b"bytes"])
def test_a_fact_without_text_is_refused(ledger: Ledger, text: object) -> None:
    with pytest.raises(InvalidText):
        ledger.intend([Fact("fine"), Fact(text)])
    assert texts(ledger) == []


@pytest.mark.parametrize("text", ["x" * 1_000_000, "ä" * 500_000, "\x00\x01\x7f", "a\udc80b", "'; DROP TABLE log; --"])
def test_any_text_comes_back(path: Path, key: Key, ledger: Ledger, text: str) -> None:
    ledger.forget([Fact(text)])
    ledger.close()
    with Ledger.open(path, key) as again:
        assert texts(again) == [text.replace("\udc80", "\ufffd")]


def test_max_entries_refuses_before_anything_is_written_and_a_release_frees_a_place(path: Path, key: Key) -> None:
    with Ledger.open(path, key, create=True, max_entries=2) as ledger:
        ids = ledger.intend([Fact("one")])
        with pytest.raises(LedgerFull):
            ledger.intend([Fact("two"), Fact("three")])
        assert texts(ledger) == ["one"]
        ledger.intend([Fact("two")])
        ledger.release(ids)
        ledger.intend([Fact("three")])
        assert texts(ledger) == ["two", "three"]


def test_the_version_moves_exactly_with_the_entries(ledger: Ledger) -> None:
    start = ledger.version
    ids = ledger.intend([Fact("one")])
    one = ledger.version
    assert one > start
    assert ledger.entries() is ledger.entries()
    ledger.commit(ids)
    two = ledger.version
    assert two > one
    ledger.commit(ids)
    assert ledger.version == two
    ledger.release(ids)
    assert ledger.version > two


def test_an_index_can_follow_the_changes(ledger: Ledger) -> None:
    known: dict[str, str] = {}
    version = ledger.version

    def follow() -> None:
        nonlocal version
        delta = ledger.entries_since(version)
        if delta.whole:
            known.clear()
        for one in delta.removed:
            known.pop(one)
        known.update((entry.id, entry.text) for entry in delta.added)
        version = delta.version

    first = ledger.forget([Fact("one"), Fact("two")])
    follow()
    ledger.release(first[:1])
    second = ledger.intend([Fact("three")])
    follow()
    ledger.commit(second)
    third = ledger.forget([Fact("four")])
    ledger.release(third)
    follow()
    assert known == {entry.id: entry.text for entry in ledger.entries()}
    assert ledger.entries_since(version).added == ()
    assert ledger.entries_since(-1).whole


def test_another_ledger_object_sees_it_at_its_next_call(path: Path, key: Key, ledger: Ledger) -> None:
    with Ledger.open(path, key) as other:
        ids = ledger.forget([Fact(VEGETARIAN)])
        assert texts(other) == [VEGETARIAN]
        other.release(ids)
        assert texts(ledger) == []


def test_a_closed_ledger_says_so(ledger: Ledger) -> None:
    ledger.close()
    for call in (ledger.entries, lambda: ledger.intend([Fact("one")])):
        with pytest.raises(LedgerUnavailable) as caught:
            call()
        assert caught.value.code == "closed"


# Run in a process of its own: a second handle on an open ledger would drop SQLite's locks here.
SEARCH = """
import pathlib, sys
folder, *needles = sys.argv[1:]
files = [file for file in pathlib.Path(folder).rglob('*') if file.is_file()]
print(len(files), [file.name for file in files for needle in needles if needle.encode() in file.read_bytes()])
"""


def test_nothing_readable_is_shown_or_stored(tmp_path: Path, ledger: Ledger) -> None:
    canary, agent = "the canary sings at dawn", "secret-agent"
    ids = ledger.forget([Fact(canary)], origin=Origin(agent))
    ledger.review.add(ReviewItem("hold", Candidate(canary, origin=Origin(agent)), ids[0]))
    ledger.export(tmp_path / "export")
    shown = [ledger, ledger.entries(), Fact(canary), ledger.review.list(), ledger.status(), ledger.entries_since(-1)]
    assert not [one for one in map(repr, shown) if canary in one]
    command = [sys.executable, "-c", SEARCH, str(tmp_path), canary, agent, "canary sings"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split(maxsplit=1) == ["5", "[]\n"]
    ledger.release(ids)
    for call in (lambda: ledger.forget([Fact(canary), Fact("")]), lambda: ledger.release([canary])):
        with pytest.raises(ForgetGuardError) as caught:
            call()
        assert canary not in "".join(traceback.format_exception(caught.value))


def test_the_maximum_age_only_reports(path: Path, key: Key) -> None:
    with Ledger.open(path, key, create=True, max_age=0.0) as ledger:
        ledger.intend([Fact("one")])
        time.sleep(0.01)
        status = ledger.status()
        assert (status.past_age, status.active, status.pending) == (1, 1, 1)
        assert status.oldest_pending is not None
        assert 0 < status.oldest_pending < 60
        ledger.max_age = 3600.0
        assert ledger.status().past_age == 0


def test_a_dry_run_changes_no_byte(tmp_path: Path, ledger: Ledger) -> None:
    ids = ledger.forget([Fact("one")])
    ledger.entries()

    def touched() -> dict[str, tuple[int, int]]:
        # Not read: a second handle on an open ledger would drop SQLite's locks.
        files = [file for file in tmp_path.rglob("*") if file.is_file() and "shm" not in file.name]
        return {file.name: (file.stat().st_size, file.stat().st_mtime_ns) for file in files}

    before = touched()
    time.sleep(0.02)
    ledger.release(ids, dry_run=True)
    assert touched() == before
