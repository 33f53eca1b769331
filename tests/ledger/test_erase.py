"""Erasing destroys what was recorded: content, review items, cache, and the bytes in database and WAL."""

from __future__ import annotations

import gc
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from forgetguard.errors import UnknownEntry
from forgetguard.keys import Key
from forgetguard.ledger import Fact, Ledger, ReviewItem
from forgetguard.values import Candidate, Entry

Raw = Callable[..., list[tuple[object, ...]]]

# Reads the raw bytes in a process that has no SQLite open, so that no lock of this one is dropped.
SCAN = """
import sys
needle = bytes.fromhex(sys.stdin.read())
windows = {needle[at:at + 16] for at in range(len(needle) - 15)}
for name in sys.argv[1:]:
    try:
        content = open(name, 'rb').read()
    except FileNotFoundError:
        continue
    if any(content[at:at + 16] in windows for at in range(len(content) - 15)):
        print('found')
"""


def windows_of(sealed: bytes, path: Path) -> bool:
    """Whether any 16 bytes of `sealed` stand in the database or its side files."""
    names = [str(path), f"{path}-wal", f"{path}-shm"]
    done = subprocess.run(
        [sys.executable, "-c", SCAN, *names], input=sealed.hex(), capture_output=True, text=True, check=True, timeout=60
    )
    return "found" in done.stdout


def test_nothing_of_an_erased_row_is_left(path: Path, ledger: Ledger, raw: Raw) -> None:
    kept = ledger.forget([Fact(f"kept {number}") for number in range(30)])
    ids = ledger.intend([Fact("User is vegetarian " * 30)])
    ledger.commit(ids)
    rows = raw("SELECT sealed FROM log ORDER BY seq DESC LIMIT 2")
    saved = [row[0] for row in rows]
    assert all(isinstance(one, bytes) and windows_of(one, path) for one in saved)
    assert ledger.erase(ids) == "done"
    assert not any(windows_of(one, path) for one in saved if isinstance(one, bytes))
    assert [entry.id for entry in ledger.entries()] == list(kept)
    assert ledger.verify().outcome == "ok"


def test_erasing_reaches_the_cache_of_every_open_ledger(path: Path, key: Key, ledger: Ledger) -> None:
    with Ledger.open(path, key) as other:
        ids = ledger.forget([Fact("one"), Fact("two")])
        before = other.version
        assert len(other.entries()) == 2
        ledger.erase(ids[:1])
        assert [entry.text for entry in other.entries()] == ["two"]
        # The journal of changes holds entries; after an erasing it starts anew.
        assert other.entries_since(before).whole
        assert [entry.text for entry in other.entries_since(before).added] == ["two"]


def test_no_copy_of_an_erased_text_stays_in_memory(ledger: Ledger) -> None:
    text = f"User's locker is {uuid.uuid4()}"  # no other test of this process has an entry with this text
    ids = ledger.intend([Fact(text)])
    ledger.commit(ids)
    ledger.entries()
    assert [one for one in gc.get_objects() if isinstance(one, Entry) and one.text == text]
    ledger.erase(ids)
    ledger.entries()
    gc.collect()
    assert not [one for one in gc.get_objects() if isinstance(one, Entry) and one.text == text]


def test_erasing_takes_the_review_items_along(ledger: Ledger) -> None:
    first, second = ledger.forget([Fact("one"), Fact("two")])
    for entry in (first, second, first):
        ledger.review.add(ReviewItem("drop", Candidate("restated"), entry))
    ledger.erase([first])
    assert [item.entry_id for item in ledger.review.list()] == [second]


def test_a_record_that_names_others_keeps_them(path: Path, key: Key, ledger: Ledger) -> None:
    first, second, third = ledger.intend([Fact("one"), Fact("two"), Fact("three")])
    ledger.commit([first, second, third])
    ledger.release([first, third])
    ledger.erase([first])
    ledger.close()
    with Ledger.open(path, key) as again:
        assert [(entry.id, entry.pending) for entry in again.entries()] == [(second, False)]
        assert again.release([third]) == ()
        with pytest.raises(UnknownEntry):
            again.release([first])
        again.erase([second])
        again.erase([first, second])
        assert again.entries() == ()
        assert again.verify().outcome == "ok"


def test_an_unknown_id(ledger: Ledger) -> None:
    ids = ledger.forget([Fact("one")])
    with pytest.raises(UnknownEntry):
        ledger.erase([*ids, "0" * 32])
    assert len(ledger.entries()) == 1


def test_pending_while_somebody_reads_and_finished_at_the_next_opening(
    path: Path, key: Key, ledger: Ledger, raw: Raw
) -> None:
    reader = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN');"
            "c.execute('SELECT count(*) FROM log').fetchone(); print('reading', flush=True); sys.stdin.read()",
            str(path),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    ids = ledger.forget([Fact("User is vegetarian")])
    saved = raw("SELECT sealed FROM log ORDER BY seq LIMIT 1")[0][0]
    assert isinstance(saved, bytes)
    try:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "reading\n"
        assert ledger.erase(ids) == "pending"
        assert ledger.entries() == ()
        assert ledger.status().erase_waits
    finally:
        reader.communicate(timeout=10)
    assert windows_of(saved, path)
    with Ledger.open(path, key) as again:
        assert not again.status().erase_waits
    assert not windows_of(saved, path)
    assert ledger.entries() == ()
    assert not ledger.status().erase_waits


def test_content_put_back_over_its_hole_is_noticed_and_stays_without_effect(
    path: Path, key: Key, ledger: Ledger, raw: Raw
) -> None:
    ids = ledger.forget([Fact("User is vegetarian")])
    (old,) = raw("SELECT sealed, device, n, rid FROM log ORDER BY seq LIMIT 1")
    ledger.erase(ids)
    raw("UPDATE log SET sealed = ? WHERE device = ? AND n = ? AND rid = ?", *old)
    assert ledger.verify().problems == {"erased-returned": 1}
    ledger.close()
    with Ledger.open(path, key) as again:
        assert again.entries() == ()
    with Ledger.open(path, key) as healed:
        assert healed.verify().outcome == "ok"
    assert isinstance(old[0], bytes)
    assert not windows_of(old[0], path)
