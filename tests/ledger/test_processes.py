"""Many processes, kills and forks: nothing acknowledged is lost, and no state is half."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from forgetguard.errors import LedgerUnavailable
from forgetguard.keys import Key
from forgetguard.ledger import Fact, Ledger, creation, database, place

WORKERS = Path(__file__).with_name("workers.py")
ROOT = WORKERS.parents[2]

KILLS = pytest.mark.parametrize("kills", [10, pytest.param(200, marks=pytest.mark.slow)])


@pytest.fixture
def start() -> Iterator[object]:
    """Starts a worker; whatever still runs at the end is ended."""
    started: list[subprocess.Popen[str]] = []

    def run(work: str, *arguments: object) -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        process = subprocess.Popen(
            [sys.executable, str(WORKERS), work, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def ready(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"


def killed(process: subprocess.Popen[str], after: float, lines: int = 0) -> list[list[str]]:
    """Kill a worker a while after so many acknowledgements; all that it gave."""
    assert process.stdout is not None
    first = [process.stdout.readline() for _ in range(lines)]
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    # Not by `communicate`: it reads past what `readline` has read ahead, and those acknowledgements would be lost.
    rest = process.stdout.read().split("\n")[:-1]
    process.wait(60)
    return [line.split() for line in (*first, *rest)]


@KILLS
def test_every_acknowledged_forget_survives_a_kill(path: Path, key: Key, start, kills: int) -> None:
    chance = random.Random(7)
    intended: dict[str, str] = {}
    last: set[str] = set()
    for number in range(kills):
        process = start("forget_for_ever", path, number)
        ready(process)
        for word, entry in killed(process, chance.uniform(0.0, 0.03), chance.randint(3, 20)):
            intended[entry] = word
        last.update(list(intended)[-1:])
        with Ledger.open(path, key) as ledger:
            found = {entry.id: entry.pending for entry in ledger.entries()}
            assert ledger.verify().problems == {}
    lost = [entry for entry, word in intended.items() if word != "released" and entry not in found]
    # A release that was cut off before its acknowledgement may have been done; it can only be of the last entry.
    assert set(lost) <= last
    assert not [entry for entry, word in intended.items() if word == "released" and entry in found]
    assert not [entry for entry, word in intended.items() if word == "committed" and found.get(entry, False)]
    assert len(intended) > kills


@KILLS
def test_a_killed_intent_is_active_and_pending(path: Path, key: Key, start, kills: int) -> None:
    """Killed between intent and commit, by the clock of the acknowledgements: what was intended last counts."""
    last = []
    for number in range(kills):
        process = start("forget_for_ever", path, number)
        ready(process)
        assert process.stdout is not None
        word, entry = process.stdout.readline().split()
        assert word == "intended"
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
        last.append(entry)
    with Ledger.open(path, key) as ledger:
        found = {entry.id for entry in ledger.entries()}
        assert set(last) <= found


@pytest.mark.parametrize("new_root", ["no", "yes"])
@KILLS
def test_a_killed_rekey_leaves_a_key_that_opens(path: Path, key: Key, start, kills: int, new_root: str) -> None:
    other = Key.from_bytes(b"o" * 32)
    chance = random.Random(3)
    with Ledger.open(path, key, create=True) as ledger:
        ids = ledger.forget([Fact(f"fact {number}") for number in range(50)])
    for _ in range(kills):
        process = start("rekey_for_ever", path, new_root)
        ready(process)
        killed(process, chance.uniform(0.0, 0.05))
        opened = 0
        for candidate in (key, other):
            try:
                # Looking only: opening with the new key would finish the re-keying.
                with Ledger.open(path, candidate) as ledger:
                    assert [entry.id for entry in ledger.entries()] == list(ids)
                    assert ledger.verify().problems == {}
                    opened += 1
            except LedgerUnavailable as error:
                assert error.code == "wrong-key"
        assert opened


@pytest.mark.parametrize("seconds", [5, pytest.param(60, marks=pytest.mark.slow)])
def test_eight_processes_on_one_ledger_lose_nothing(path: Path, key: Key, start, seconds: int) -> None:
    workers = [start("mixed", path, seconds, f"worker-{number}") for number in range(8)]
    forgot: set[str] = set()
    released: set[str] = set()
    for worker in workers:
        output, _ = worker.communicate(timeout=seconds + 60)
        assert worker.returncode == 0
        for line in output.splitlines():
            word, *ids = line.split()
            assert word != "WRONG"
            (forgot if word == "forgot" else released).update(ids)
    with Ledger.open(path, key) as ledger:
        assert {entry.id for entry in ledger.entries()} == forgot - released
        assert ledger.pending() == ()
        assert ledger.verify().problems == {}
        # All of them wrote as one device: the mark is shared.
        assert ledger.status().devices == 1
    assert len(forgot) > 50


def test_a_new_record_is_seen_by_the_next_check_elsewhere(path: Path, ledger: Ledger, start) -> None:
    others = [start("answer", path) for _ in range(2)]
    for other in others:
        ready(other)

    def ask(entry: str) -> list[str]:
        answers = []
        for other in others:
            assert other.stdin is not None
            assert other.stdout is not None
            other.stdin.write(entry + "\n")
            other.stdin.flush()
            answers.append(other.stdout.readline().strip())
        return answers

    for number in range(50):
        (entry,) = ledger.intend([Fact(f"fact {number}")])
        assert ask(entry) == ["yes", "yes"]
        ledger.release([entry])
        assert ask(entry) == ["no", "no"]


def test_a_ledger_that_is_made_while_one_looks_for_it_is_opened(path: Path, key: Key, monkeypatch) -> None:
    looked: list[str] = []

    def made_meanwhile(name: str) -> bool:
        looked.append(name)
        if len(looked) > 1:
            return exists(name)
        with Ledger.open(path, key, create=True) as other:
            other.forget([Fact("User is vegetarian")])
        return False

    exists = place.exists
    monkeypatch.setattr(place, "exists", made_meanwhile)
    with Ledger.open(path, key, create=True) as ledger:
        assert len(ledger.entries()) == 1


def test_a_ledger_is_not_seen_before_its_mark(path: Path, key: Key, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who opens one that is just being made waits for its mark, and does not take it for one that lost its mark."""
    take_name, marks = creation._take_name, []

    def look() -> None:
        with Ledger.open(path, key) as early:
            marks.append((early.status().mark, early.created))

    early = threading.Thread(target=look)

    def taken(temporary: str, name: str) -> bool:
        made = take_name(temporary, name)
        early.start()
        early.join(0.3)
        return made

    monkeypatch.setattr(creation, "_take_name", taken)
    with Ledger.open(path, key, create=True) as ledger:
        early.join()
        assert (marks, ledger.status().mark, ledger.created) == ([("kept", False)], "created", True)


def test_a_ledger_that_is_not_made_leaves_no_mark(path: Path, key: Key, state_home: Path, monkeypatch) -> None:
    def full(*_paths: object) -> bool:
        raise LedgerUnavailable.because("io")

    monkeypatch.setattr(creation, "_take_name", full)
    with pytest.raises(LedgerUnavailable):
        Ledger.open(path, key, create=True)
    assert list((state_home / "forgetguard").iterdir()) == []


def test_two_processes_that_initialise_at_once_share_one_vault(tmp_path: Path, key: Key, start) -> None:
    for number in range(3):
        path = tmp_path / f"vault-{number}" / "ledger.db"
        begin = time.time() + 0.7
        workers = [start("initialise", path, begin) for _ in range(3)]
        answers = [worker.communicate(timeout=60)[0].split() for worker in workers]
        assert all(answer[0] == "forgot" for answer in answers)
        assert len({answer[2] for answer in answers}) == 1
        with Ledger.open(path, key) as ledger:
            assert {entry.id for entry in ledger.entries()} == {answer[1] for answer in answers}
            assert ledger.verify().problems == {}
            # One of them made the mark, the others share it.
            assert ledger.status().devices == 1
        assert not list(path.parent.glob(".*.new*"))


def test_a_raw_scan_in_another_process_loses_nothing(path: Path, key: Key, ledger: Ledger) -> None:
    scan = "import sys\nwhile True:\n    for name in sys.argv[1:]:\n        open(name, 'rb').read()\n"
    process = subprocess.Popen([sys.executable, "-c", scan, str(path), f"{path}-wal", f"{path}-shm"])
    try:
        ids = [entry for number in range(300) for entry in ledger.forget([Fact(f"fact {number}")])]
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()
    with Ledger.open(path, key) as again:
        assert [entry.id for entry in again.entries()] == ids
        assert again.verify().outcome == "ok"


def in_child(action) -> int:
    """Run an action in a forked child; its exit code, 0 where nothing was raised."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(60)
            action()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def test_both_sides_of_a_fork_go_on(path: Path, key: Key, ledger: Ledger) -> None:
    ledger.forget([Fact("before")])

    def child() -> None:
        assert [entry.text for entry in ledger.entries()] == ["before"]
        ledger.forget([Fact("child")])

    assert in_child(child) == 0
    assert {entry.text for entry in ledger.entries()} == {"before", "child"}
    ledger.forget([Fact("parent")])
    with Ledger.open(path, key) as again:
        assert {entry.text for entry in again.entries()} == {"before", "child", "parent"}
        assert again.verify().problems == {}


def test_a_fork_while_another_thread_is_inside_a_transaction(path: Path, key: Key, ledger: Ledger) -> None:
    inside, stop = threading.Event(), threading.Event()
    forgotten: list[str] = []

    def write() -> None:
        while not stop.is_set():
            forgotten.extend(ledger.forget([Fact("thread")]))
            with ledger._core.writing():
                inside.set()
                time.sleep(0.01)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for number in range(8):
            inside.clear()
            assert inside.wait(60)
            assert in_child(lambda number=number: ledger.forget([Fact(f"child {number}")])) == 0
            ledger.entries()
    finally:
        stop.set()
        thread.join()
    with Ledger.open(path, key) as again:
        found = {entry.id: entry.text for entry in again.entries()}
        assert set(forgotten) <= set(found)
        assert {f"child {number}" for number in range(8)} <= set(found.values())
        assert again.verify().problems == {}


def test_one_who_writes_all_the_time_lets_others_in(path: Path, key: Key, ledger: Ledger) -> None:
    stop, turns = threading.Event(), 0

    def write() -> None:
        nonlocal turns
        while not stop.is_set():
            with ledger._core.writing():
                time.sleep(0.01)
            turns += 1

    thread = threading.Thread(target=write)
    thread.start()
    try:
        with Ledger.open(path, key, wait=60.0) as other:
            begin = turns
            for number in range(30):
                other.forget([Fact(f"fact {number}")])
            waited = turns - begin
    finally:
        stop.set()
        thread.join()
    # In turns of the one who writes all the time, 10 ms each or more on a busy machine. Starved: hundreds (5 s).
    assert waited / 30 < 20


def test_a_child_outlives_its_parents_ledger(path: Path, key: Key, ledger: Ledger) -> None:
    """The child holds locks of its own: another process that closes last must not take the WAL away under it."""

    has_opened, tell_opened = os.pipe()
    may_go_on, tell_to_go_on = os.pipe()

    def child() -> None:
        ledger.forget([Fact("child one")])
        os.write(tell_opened, b".")
        os.read(may_go_on, 1)
        ledger.forget([Fact("child two")])

    child_id = os.fork()
    if child_id == 0:
        code = 1
        try:
            signal.alarm(60)
            child()
            code = 0
        finally:
            os._exit(code)
    os.close(tell_opened)
    assert os.read(has_opened, 1) == b"."
    ledger.close()
    with Ledger.open(path, key) as other:
        other.forget([Fact("other")])
    os.write(tell_to_go_on, b".")
    _, status = os.waitpid(child_id, 0)
    assert status == 0
    for end in (has_opened, may_go_on, tell_to_go_on):
        os.close(end)
    with Ledger.open(path, key) as again:
        assert {entry.text for entry in again.entries()} == {"child one", "child two", "other"}


def test_threads_share_a_ledger(path: Path, key: Key, ledger: Ledger) -> None:
    failures: list[BaseException] = []

    def work(name: int) -> None:
        try:
            for number in range(30):
                (entry,) = ledger.intend([Fact(f"{name} {number}")])
                assert entry in {one.id for one in ledger.entries()}
                ledger.commit([entry])
                if number % 2:
                    ledger.release([entry])
                    assert entry not in {one.id for one in ledger.entries()}
        except BaseException as error:  # noqa: BLE001 - handed to the main thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(ledger.entries()) == 60
    with Ledger.open(path, key) as again:
        assert again.entries() == ledger.entries()
        assert again.verify().outcome == "ok"


class Clock:
    """Stands still but for sleeping."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_a_check_does_not_wait_for_a_writer_and_a_writer_says_locked(
    path: Path, key: Key, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger.open(path, key, wait=0.2) as other:
        with ledger._core.writing():
            # The writer is this very thread: had the check to wait for it, it would never come back.
            assert other.entries() == ()
            monkeypatch.setattr(database, "time", clock := Clock())
            with pytest.raises(LedgerUnavailable) as caught:
                other.forget([Fact("one")])
            assert caught.value.code == "locked"
            assert 0.2 <= clock.now < 0.21
            monkeypatch.setattr(database, "time", time)
        other.forget([Fact("one")])
