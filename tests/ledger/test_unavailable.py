"""Unavailable is never empty: each cause has its code, on a fresh opening and on an open ledger."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from forgetguard.errors import LedgerUnavailable
from forgetguard.keys import Key
from forgetguard.ledger import Fact, Ledger


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(LedgerUnavailable) as caught:
        call()
    assert caught.value.advice == LedgerUnavailable.CAUSES[caught.value.code][1]
    return caught.value.code


def remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        Path(str(path) + suffix).unlink(missing_ok=True)


def test_modes(path: Path, ledger: Ledger, state_home: Path) -> None:
    ledger.forget([Fact("one")])
    files = [*path.parent.iterdir(), *state_home.rglob("*.mark")]
    assert len(files) == 4
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE((state_home / "forgetguard").stat().st_mode) == 0o700


def test_an_absent_ledger_is_missing_and_is_made_only_on_demand(path: Path, key: Key) -> None:
    assert code_of(lambda: Ledger.open(path, key)) == "missing"
    assert not path.exists()
    Ledger.open(path, key, create=True).close()
    Ledger.open(path, key, create=True).close()
    Ledger.open(path, key).close()


def test_a_removed_ledger_is_missing_even_when_it_may_be_created(path: Path, key: Key, ledger: Ledger) -> None:
    ledger.forget([Fact("one")])
    ledger.close()
    remove(path)
    assert code_of(lambda: Ledger.open(path, key, create=True)) == "missing"


def test_missing_while_open(path: Path, ledger: Ledger) -> None:
    ledger.forget([Fact("one")])
    path.unlink()
    assert code_of(ledger.entries) == "missing"
    assert code_of(lambda: ledger.forget([Fact("two")])) == "missing"


def test_replaced_while_open_and_put_back(tmp_path: Path, path: Path, ledger: Ledger) -> None:
    ledger.forget([Fact("one")])
    path.rename(tmp_path / "aside")
    shutil.copy(tmp_path / "aside", path)
    assert code_of(ledger.entries) == "replaced"
    assert code_of(lambda: ledger.forget([Fact("two")])) == "replaced"
    os.replace(tmp_path / "aside", path)
    assert [entry.text for entry in ledger.entries()] == ["one"]


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
def test_a_side_file_that_goes_away_is_noticed_before_an_acknowledgement(
    path: Path, ledger: Ledger, suffix: str
) -> None:
    ledger.forget([Fact("one")])
    Path(str(path) + suffix).unlink()
    assert code_of(ledger.entries) == "replaced"
    assert code_of(lambda: ledger.forget([Fact("two")])) == "replaced"


def test_replaced_by_another_vault(path: Path, key: Key, ledger: Ledger, tmp_path: Path) -> None:
    ledger.forget([Fact("one")])
    ledger.close()
    remove(path)
    Ledger.open(tmp_path / "other.db", key, create=True).close()
    (tmp_path / "other.db").rename(path)
    assert code_of(lambda: Ledger.open(path, key)) == "replaced"


def test_wrong_key(path: Path, ledger: Ledger) -> None:
    ledger.close()
    assert code_of(lambda: Ledger.open(path, Key.generate())) == "wrong-key"


def test_emptied(path: Path, key: Key, ledger: Ledger, raw: Callable[..., object]) -> None:
    ledger.forget([Fact("one")])
    raw("DELETE FROM log")
    assert code_of(ledger.entries) == "emptied"
    ledger.close()
    assert code_of(lambda: Ledger.open(path, key)) == "emptied"


def test_truncated_to_nothing(path: Path, key: Key, ledger: Ledger) -> None:
    ledger.forget([Fact("one")])
    os.truncate(path, 0)
    assert code_of(ledger.entries) == "emptied"
    assert code_of(lambda: Ledger.open(path, key, create=True)) == "emptied"


def test_an_older_copy_put_back(path: Path, key: Key, ledger: Ledger, tmp_path: Path) -> None:
    ledger.forget([Fact("one")])
    ledger.close()
    shutil.copy(path, tmp_path / "old")
    with Ledger.open(path, key) as newer:
        newer.forget([Fact("two")])
    shutil.copy(tmp_path / "old", path)
    assert code_of(lambda: Ledger.open(path, key)) == "rolled-back"


def test_an_older_copy_put_back_while_open(path: Path, ledger: Ledger, raw: Callable[..., object]) -> None:
    ledger.forget([Fact("one")])
    ledger.forget([Fact("two")])
    raw("DELETE FROM log WHERE seq = (SELECT max(seq) FROM log)")
    assert code_of(ledger.entries) == "rolled-back"


def test_damaged_file(path: Path, key: Key, ledger: Ledger) -> None:
    ledger.close()
    path.write_bytes(b"\x00" * path.stat().st_size)
    assert code_of(lambda: Ledger.open(path, key)) == "damaged"


def test_not_a_ledger(tmp_path: Path, key: Key) -> None:
    assert code_of(lambda: Ledger.open(tmp_path, key)) == "not-a-ledger"
    (tmp_path / "text").write_text("just a text, long enough to be looked at " * 50)
    assert code_of(lambda: Ledger.open(tmp_path / "text", key, create=True)) == "not-a-ledger"


def test_newer_format(path: Path, key: Key, ledger: Ledger, raw: Callable[..., object]) -> None:
    raw("UPDATE header SET format = 2")
    assert code_of(lambda: Ledger.open(path, key)) == "newer-format"
    assert code_of(ledger.entries) == "newer-format"


def test_one_bad_record_leaves_the_others_readable(
    path: Path, key: Key, ledger: Ledger, raw: Callable[..., object]
) -> None:
    ledger.forget([Fact("one")])
    ledger.forget([Fact("two")])
    raw("UPDATE log SET sealed = zeroblob(length(sealed)) WHERE seq = 1")
    ledger.close()
    with Ledger.open(path, key) as again:
        assert [entry.text for entry in again.entries()] == ["two"]


def test_an_older_file_copied_over_the_open_one(path: Path, key: Key, ledger: Ledger, tmp_path: Path) -> None:
    """Same inode, older content: `cp old ledger.db` while it is open and its WAL has been written back."""
    ledger.forget([Fact("one")])
    ledger.close()
    old = path.read_bytes()
    with Ledger.open(path, key) as again:
        again.forget([Fact("two")])
        with again._core.connections.write_lock:
            again._core.connections.writer().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert len(again.entries()) == 2
        status = path.stat()
        path.write_bytes(old)
        assert path.stat().st_ino == status.st_ino
        assert code_of(again.entries) in ("rolled-back", "damaged")
        assert code_of(lambda: again.forget([Fact("three")])) in ("rolled-back", "damaged")


def test_damaged_while_open(path: Path, key: Key, ledger: Ledger) -> None:
    ledger.forget([Fact("x" * 20_000) for _ in range(20)])
    ledger.close()
    with Ledger.open(path, key) as again:
        size = path.stat().st_size
        with path.open("r+b") as stream:
            stream.seek(4096)
            stream.write(b"\xa5" * (size - 4096))
        assert code_of(again.entries) == "damaged"
        assert code_of(lambda: again.forget([Fact("two")])) == "damaged"
    assert code_of(lambda: Ledger.open(path, key)) == "damaged"


def test_a_record_removed_from_the_middle_is_reported(
    path: Path, key: Key, ledger: Ledger, raw: Callable[..., object]
) -> None:
    for text in ("one", "two", "three"):
        ledger.intend([Fact(text)])
    ledger.close()
    raw("DELETE FROM log WHERE seq = 2")
    with Ledger.open(path, key) as again:
        assert [entry.text for entry in again.entries()] == ["one", "three"]
        assert again.status().problems == {"gap": 1}
        assert again.verify().exit_code == 1


@pytest.mark.parametrize("code", sorted(LedgerUnavailable.CAUSES))
def test_every_cause_has_its_own_advice(code: str) -> None:
    message, advice = LedgerUnavailable.CAUSES[code]
    error = LedgerUnavailable.because(code)
    assert (str(error), error.code, error.advice) == (message, code, advice)
    assert sum(advice == other for _, other in LedgerUnavailable.CAUSES.values()) == 1


def test_inspecting_never_raises_for_a_ledger_that_does_not_open(path: Path, key: Key, ledger: Ledger) -> None:
    assert Ledger.inspect(path, key).exit_code == 0
    assert Ledger.inspect(path, Key.generate()).exit_code == 3
    ledger.forget([Fact("one")])
    ledger.close()
    remove(path)
    verification = Ledger.inspect(path, key)
    assert (verification.exit_code, verification.problems) == (1, {"missing": 1})


def test_locked_at_the_opening(path: Path, key: Key, ledger: Ledger) -> None:
    ledger.close()
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
            "c.execute('PRAGMA locking_mode=EXCLUSIVE'); c.execute('BEGIN EXCLUSIVE');"
            "c.execute('DELETE FROM review'); print('holding', flush=True); sys.stdin.read()",
            str(path),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "holding\n"
        assert code_of(lambda: Ledger.open(path, key, wait=0.2)) == "locked"
    finally:
        holder.communicate(timeout=10)
    Ledger.open(path, key).close()
