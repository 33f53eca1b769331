"""The mark: behind is normal, ahead is a rollback, lost or damaged is said."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from forgetguard.directories import alone_in, locked
from forgetguard.errors import LedgerUnavailable
from forgetguard.keys import Key
from forgetguard.ledger import Fact, Ledger, mark


@pytest.fixture
def file(ledger: Ledger, state_home: Path) -> Path:
    (found,) = (state_home / "forgetguard").glob("*.mark")
    return found


def devices(ledger: Ledger) -> int:
    return ledger.status().devices


def test_behind_is_normal(path: Path, key: Key, ledger: Ledger, file: Path) -> None:
    """A kill between the commit and the mark: the file knows more, and the next record takes the next place."""
    ledger.forget([Fact("one")])
    older = file.read_bytes()
    ledger.forget([Fact("two")])
    ledger.close()
    file.write_bytes(older)
    with Ledger.open(path, key) as again:
        assert again.status().mark == "kept"
        again.forget([Fact("three")])
        assert devices(again) == 1
        assert again.verify().outcome == "ok"


def test_a_mark_that_cannot_be_written_does_not_fail_a_forget(
    path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError

    monkeypatch.setattr(mark, "advance", refuse)
    ledger.forget([Fact("one")])
    assert len(ledger.entries()) == 1
    assert ledger.status().problems == {"mark-unwritten": 1}


@pytest.mark.parametrize("content", [None, b"", b"x" * 20000])
def test_a_lost_or_damaged_mark_is_said_and_the_device_is_new(
    path: Path, key: Key, ledger: Ledger, file: Path, content: bytes | None
) -> None:
    ledger.forget([Fact("one")])
    ledger.close()
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)
    with Ledger.open(path, key) as again:
        state = "damaged" if content else "new"
        assert again.status().mark == state
        assert again.verify().exit_code == (1 if content else 3)
        assert again.verify().problems == {f"mark-{state}": 1}
        again.forget([Fact("two")])
        assert devices(again) == 2
    with Ledger.open(path, key) as later:
        assert later.verify().outcome == "ok"
        later.forget([Fact("three")])
        assert devices(later) == 2


def test_a_mark_lost_while_open_is_made_again_with_the_same_device(
    path: Path, key: Key, ledger: Ledger, file: Path
) -> None:
    ledger.forget([Fact("one")])
    file.unlink()
    assert ledger.verify().problems == {"mark-lost": 1}
    ledger.forget([Fact("two")])
    assert ledger.verify().outcome == "ok"
    assert devices(ledger) == 1


@pytest.mark.parametrize("cut", ["the newer slot", "half of the newer slot"])
def test_a_write_that_was_cut_leaves_the_other_slot(path: Path, key: Key, ledger: Ledger, file: Path, cut: str) -> None:
    for text in ("one", "two", "three"):
        ledger.forget([Fact(text)])
    ledger.close()
    content = bytearray(file.read_bytes())
    # Three records after the first slot: generation 4 stands in slot 0.
    length = 400 if cut == "the newer slot" else 60
    content[:length] = b"\0" * length
    file.write_bytes(content)
    with Ledger.open(path, key) as again:
        assert again.status().mark == "kept"
        assert again.verify().outcome == "ok"


def test_no_mark_must_be_said_and_then_verify_cannot_tell(path: Path, key: Key, state_home: Path) -> None:
    with Ledger.open(path, key, create=True, mark=None) as ledger:
        ledger.forget([Fact("one")])
        assert not list(state_home.rglob("*.mark"))
        verification = ledger.verify()
        assert (verification.exit_code, verification.problems) == (3, {"mark-none": 1})


def test_a_mark_at_a_place_of_the_hosts_choice(path: Path, key: Key, tmp_path: Path) -> None:
    file = tmp_path / "kept" / "elsewhere" / "mark"
    with Ledger.open(path, key, create=True, mark=file) as ledger:
        ledger.forget([Fact("one")])
        shutil.copy(path, tmp_path / "old")
        ledger.forget([Fact("two")])
    assert file.stat().st_mode & 0o777 == 0o600
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    with pytest.raises(LedgerUnavailable) as caught:
        Ledger.open(path, key, create=True, mark=file)
    assert caught.value.code == "missing"
    with Ledger.open(tmp_path / "other", key, create=True):
        pass
    shutil.copy(tmp_path / "other", path)
    with pytest.raises(LedgerUnavailable) as caught:
        Ledger.open(path, key, mark=file)
    assert caught.value.code == "replaced"


def test_a_moved_ledger_is_still_compared(path: Path, key: Key, ledger: Ledger, tmp_path: Path) -> None:
    ledger.forget([Fact("one")])
    ledger.close()
    shutil.copy(path, tmp_path / "old")
    with Ledger.open(path, key) as newer:
        newer.forget([Fact("two")])
    path.rename(tmp_path / "moved")
    with Ledger.open(tmp_path / "moved", key) as moved:
        assert moved.status().mark == "moved"
        assert moved.verify().exit_code == 3
    with pytest.raises(LedgerUnavailable) as caught:
        Ledger.open(tmp_path / "old", key)
    assert caught.value.code == "rolled-back"


def test_a_copy_beside_its_original_is_no_rollback(path: Path, key: Key, ledger: Ledger, tmp_path: Path) -> None:
    ledger.forget([Fact("one")])
    ledger.close()
    shutil.copy(path, tmp_path / "copy")
    with Ledger.open(path, key) as original, Ledger.open(tmp_path / "copy", key) as copy:
        original.forget([Fact("two")])
        copy.forget([Fact("three")])
        copy.export(tmp_path / "export")
        # Each writes as a device of its own, so nothing collides.
        assert not original.merge(tmp_path / "export").forked
        assert {entry.text for entry in original.entries()} == {"one", "two", "three"}


def test_more_devices_than_a_slot_holds(ledger: Ledger) -> None:
    own = b"o" * 16
    heads = {number.to_bytes(16, "big"): number + 1 for number in range(2000)} | {own: 1}
    bounded = mark._bounded(dict(heads), own)
    assert len(bounded) == mark.MAX_HEADS
    assert bounded[own] == 1
    assert len(mark._encode(mark.Mark(b"v" * 16, 1, own, bounded, b"p" * 2048), ledger._core.keys)) <= mark.SLOT_BYTES


def test_the_mark_shows_no_path(tmp_path: Path, file: Path) -> None:
    assert str(tmp_path).encode() not in file.read_bytes()
    assert tmp_path.name not in file.name


def test_of_two_that_start_a_mark_the_second_shares_the_first_ones_device(ledger: Ledger, tmp_path: Path) -> None:
    keys = ledger._core.keys
    first, state = mark.start(tmp_path / "mark", keys, {}, b"/place")
    assert state == "new"
    assert mark.start(tmp_path / "mark", keys, {}, b"/place") == (first, "kept")
    assert mark.start(tmp_path / "mark", keys, {}, b"/place", anew=True)[0] != first


def test_a_mark_made_between_looking_and_starting_is_shared(
    path: Path, key: Key, ledger: Ledger, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes open a ledger that one of them just created: its mark appears after the other looked for it."""
    ledger.forget([Fact("one")])
    content = file.read_bytes()
    file.unlink()
    load = mark.load

    def look(*arguments: object) -> mark.Mark | None:
        found = load(*arguments)
        file.write_bytes(content)
        return found

    monkeypatch.setattr(mark, "load", look)
    with Ledger.open(path, key) as other:
        assert other.status().mark == "kept"
        other.forget([Fact("two")])
        assert devices(other) == 1
        assert other.verify().outcome == "ok"


def test_a_mark_that_is_being_written_is_waited_for(
    ledger: Ledger, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader never sees two half slots: it waits for the writer's lock."""
    seen: list[mark.Mark | None] = []
    waiting = threading.Event()

    def told(handle: int, *, shared: bool = False) -> AbstractContextManager[None]:
        if shared:
            waiting.set()
        return locked(handle, shared=shared)

    monkeypatch.setattr(mark, "locked", told)
    reader = threading.Thread(target=lambda: seen.append(mark.load(file, ledger._core.keys)))
    content = file.read_bytes()
    with mark._locked(file) as stream:
        stream.write(bytes(len(content)))
        reader.start()
        assert waiting.wait(60)
        reader.join(0.1)
        assert seen == []
        stream.seek(0)
        stream.write(content)
    reader.join()
    assert seen[0] is not None


def test_a_directory_is_no_mark(path: Path, key: Key, tmp_path: Path) -> None:
    with Ledger.open(path, key, create=True, mark=tmp_path) as ledger:
        ledger.forget([Fact("one")])
        assert ledger.verify().outcome == "unknown"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("lock", [mark._locked, alone_in], ids=["mark", "directory"])
def test_a_child_that_is_forked_under_a_lock_does_not_keep_it(
    tmp_path: Path, file: Path, lock: Callable[[Path], AbstractContextManager[object]]
) -> None:
    import fcntl

    target = file if lock is mark._locked else tmp_path
    with lock(target):
        child = os.fork()
        if child == 0:
            signal.pause()
    try:
        handle = os.open(target, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(handle)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
