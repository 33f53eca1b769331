"""Each way to be unavailable, by its own code, against each row of the guard's policy table; fresh and while open."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from forgetguard.errors import LedgerUnavailable
from forgetguard.guard import Decision, ForgetGuard
from forgetguard.keys import Key
from forgetguard.ledger import Ledger, place

FACT, OTHER = "User is vegetarian", "User likes tea"
FRESH, OPEN = "fresh", "open"

HOLD = (
    "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute(sys.argv[2]);"
    "c.execute('BEGIN IMMEDIATE'); c.execute('DELETE FROM review'); print('holding', flush=True); sys.stdin.read()"
)


class Broken:
    """What the ways to break a ledger need: its place, its key, an older copy, and something to undo at the end."""

    def __init__(self, path: Path, key: Key, old: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path, self.key, self.old, self.monkeypatch = path, key, old, monkeypatch
        self.undo: list[Callable[[], object]] = []

    def run(self, sql: str) -> None:
        connection = sqlite3.connect(self.path, isolation_level=None)
        connection.execute(sql)
        connection.close()

    def sides(self) -> list[Path]:
        return [Path(f"{self.path}{end}") for end in ("-wal", "-shm")]

    def remove(self) -> None:
        for one in (self.path, *self.sides()):
            one.unlink(missing_ok=True)

    # -- one method a code ---------------------------------------------------------------------------------------------

    def missing(self) -> None:
        self.remove()

    def replaced(self) -> None:
        self.remove()
        Ledger.open(self.path.with_name("other"), self.key, create=True, mark=None).close()
        os.replace(self.path.with_name("other"), self.path)

    def rolled_back(self) -> None:
        """The older copy's content in the same file; the same as its records gone from it."""
        self.run("DELETE FROM log WHERE seq > 2")
        if not any(one.exists() for one in self.sides()):
            self.path.write_bytes(self.old)

    def emptied(self) -> None:
        self.run("DELETE FROM log")

    def wrong_key(self) -> None:
        """Re-keyed with a new root elsewhere: the key that this guard holds opens it no longer."""
        with Ledger.open(self.path, self.key) as elsewhere:
            elsewhere.rekey(Key.generate(), new_root=True)

    def damaged(self) -> None:
        self.run("UPDATE header SET digest = zeroblob(32)")

    def newer_format(self) -> None:
        self.run("UPDATE header SET format = 2")

    def unreadable(self) -> None:
        def refuse(path: str, absent: str = "missing") -> None:
            raise LedgerUnavailable.because("unreadable")

        self.monkeypatch.setattr(place, "_stat", refuse)

    def io(self) -> None:
        def fail(*arguments: object) -> None:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_READ
            raise error

        from forgetguard.ledger import core

        self.monkeypatch.setattr(core.Core, "_catch_up", fail)
        self.run("UPDATE header SET one = 1")

    def locked(self) -> None:
        holder = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(self.path), "PRAGMA locking_mode=EXCLUSIVE"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert holder.stdout is not None
        assert holder.stdout.readline() == "holding\n"
        self.undo.append(lambda: holder.communicate(timeout=10))

    def not_a_ledger(self) -> None:
        self.remove()
        self.path.mkdir()

    def unsupported_filesystem(self) -> None:
        self.monkeypatch.setattr(place, "unsupported", lambda path: True)


CODES = {
    "missing": Broken.missing,
    "replaced": Broken.replaced,
    "rolled-back": Broken.rolled_back,
    "emptied": Broken.emptied,
    "wrong-key": Broken.wrong_key,
    "damaged": Broken.damaged,
    "newer-format": Broken.newer_format,
    "unreadable": Broken.unreadable,
    "io": Broken.io,
    "locked": Broken.locked,
    "not-a-ledger": Broken.not_a_ledger,
    "unsupported-filesystem": Broken.unsupported_filesystem,
}
# Only a fresh opening can meet these: a directory in place of an open ledger is `replaced`, a file system does not
# change under an open file, and a reader is never locked out (writers are: see below).
FRESH_ONLY = {"not-a-ledger", "unsupported-filesystem", "locked"}
CASES = [(code, when) for code in CODES for when in (FRESH, OPEN) if when == FRESH or code not in FRESH_ONLY]


@pytest.fixture
def guard_of(path: Path, key: Key, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """A guard whose ledger holds one fact and is then broken in one way."""
    guards: list[ForgetGuard] = []
    broken: list[Broken] = []

    def make(code: str, when: str, **options: Any) -> ForgetGuard:
        path.parent.mkdir(exist_ok=True)
        options = {"key": key, "wait": 0.2, **options}
        first = ForgetGuard.open(path, create=True, strict=True, **options)
        guards.append(first)
        first.forget("User lives in Lisbon")
        first.close()
        old = path.read_bytes()
        first = ForgetGuard.open(path, strict=True, **options)
        guards.append(first)
        first.forget(FACT)
        if when == FRESH:
            first.close()
        broken.append(Broken(path, key, old, monkeypatch))
        CODES[code](broken[0])
        if when == OPEN:
            return first
        guards.append(ForgetGuard.open(path, create=True, **options))
        return guards[-1]

    yield make
    monkeypatch.undo()
    for one in broken:
        for undo in one.undo:
            undo()
    for guard in guards:
        guard.close()


@pytest.mark.parametrize(("code", "when"), CASES)
def test_each_code_against_each_row(guard_of: Callable[..., ForgetGuard], code: str, when: str) -> None:
    guard = guard_of(code, when)
    assert guard.status().ledger == code
    for text in (FACT, OTHER):
        write = guard.check(text)
        assert (write.action, write.reason, write.degraded) == (Decision.DEFER, code, True)
        summary = guard.check(text, use="summary")
        assert (summary.action, summary.reason) == (Decision.DROP, code)
        read = guard.check(text, use="read")
        assert (read.action, read.degraded) == (Decision.KEEP, True)
    assert guard.scrub(f"{OTHER}.").empty
    remembered = guard.remember(OTHER)
    assert (remembered.store, remembered.release) == (True, "pending")
    deleted: list[int] = []
    for call in (
        lambda: guard.forget(OTHER, delete=lambda: deleted.append(1)),
        lambda: guard.release("0" * 32),
        guard.forgotten,
        guard.pending,
        guard.review,
    ):
        with pytest.raises(LedgerUnavailable) as caught:
            call()
        assert caught.value.code == code
        assert caught.value.advice == LedgerUnavailable.CAUSES[code][1]
    assert deleted == []


@pytest.mark.parametrize(("code", "when"), CASES)
def test_a_host_may_choose_to_store(guard_of: Callable[..., ForgetGuard], code: str, when: str) -> None:
    verdict = guard_of(code, when, on_defer="keep").check(OTHER)
    assert (verdict.action, verdict.reason, verdict.degraded) == (Decision.KEEP, code, True)


def test_while_another_process_writes_a_check_goes_on_and_a_forget_says_locked(
    path: Path, key: Key, ledger: Ledger
) -> None:
    with ForgetGuard.open(path, key=key, wait=0.2, strict=True) as guard:
        guard.forget(FACT)
        holder = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(path), "PRAGMA foreign_keys=ON"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "holding\n"
            assert guard.check(FACT).action is Decision.DROP
            assert guard.check(OTHER).action is Decision.KEEP
            with pytest.raises(LedgerUnavailable) as caught:
                guard.forget(OTHER)
            assert caught.value.code == "locked"
        finally:
            holder.communicate(timeout=10)
        guard.forget(OTHER)


def test_a_ledger_that_comes_back_is_used_again(path: Path, key: Key, tmp_path: Path) -> None:
    with ForgetGuard.open(path, key=key, create=True, strict=True) as guard:
        guard.forget(FACT)
        shutil.move(path, tmp_path / "aside")
        assert guard.check(FACT).reason == "missing"
        shutil.move(tmp_path / "aside", path)
        assert guard.check(FACT).action is Decision.DROP
