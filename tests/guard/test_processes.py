"""Threads, forks, kills and several processes on one ledger."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import forgetguard
from forgetguard.guard import Decision

PACKAGE = str(Path(forgetguard.__file__).parent.parent)
FACT = "User is vegetarian"
OPEN = """
import os, sys
from pathlib import Path
from forgetguard.guard import ForgetGuard
guard = ForgetGuard.open(sys.argv[1], key=bytes(range(32)), create=True, strict=True)
"""


def start(code, path, *arguments):
    environment = {**os.environ, "PYTHONPATH": PACKAGE}
    return subprocess.Popen(
        [sys.executable, "-c", OPEN + code, str(path), *arguments], env=environment, stdout=subprocess.PIPE, text=True
    )


def test_killed_between_intent_and_commit(open_guard, path):
    block = "    print('intended', flush=True); import time; time.sleep(60)"
    child = start(f"with guard.forgetting({FACT!r}):\n{block}", path)
    assert child.stdout.readline() == "intended\n"
    child.send_signal(signal.SIGKILL)
    child.wait(10)
    guard = open_guard(create=False)
    assert [entry.text for entry in guard.pending()] == [FACT]
    assert guard.check("The user is a vegetarian").action is Decision.DROP
    assert guard.status().pending == 1


def test_four_processes_lose_nothing(open_guard, path):
    open_guard()
    code = "name = sys.argv[2]\nfor n in range(60):\n    guard.forget(f'User keeps {name} {n} in box {n}')"
    names = ("apples", "pears", "plums", "figs")
    children = [start(code, path, name) for name in names]
    assert [child.wait(120) for child in children] == [0, 0, 0, 0]
    texts = {entry.text for entry in open_guard().forgotten()}
    assert texts == {f"User keeps {name} {n} in box {n}" for name in names for n in range(60)}


def test_what_another_process_forgot_counts_at_the_next_check(guard, path):
    assert guard.check(FACT).kept
    assert start(f"guard.forget({FACT!r})", path).wait(30) == 0
    assert guard.check(FACT).action is Decision.DROP
    assert start(f"guard.remember({FACT!r})", path).wait(30) == 0
    assert guard.check(FACT).kept


def test_threads_share_a_guard(guard):
    errors = []

    def work(name):
        try:
            for n in range(15):
                guard.forget(f"User keeps {name} {n}")
                assert not guard.check(f"User keeps {name} {n}").kept
                if n % 5 == 4:
                    assert guard.remember(f"User keeps {name} {n}").release == "done"
        except BaseException as error:  # noqa: BLE001 - reported in the main thread
            errors.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("apples", "pears", "plums", "figs")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors == []
    assert len(guard.forgotten()) == 4 * 12


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # forking beside a thread is what is tested
def test_both_sides_of_a_fork_go_on(guard):
    guard.forget(FACT)
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            guard.filter(["User likes tea", FACT])

    thread = threading.Thread(target=busy)
    thread.start()
    try:
        for n in range(5):
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    signal.alarm(60)
                    guard.forget(f"User owns boat {n}")
                    code = 0 if guard.check(FACT).action is Decision.DROP else 2
                finally:
                    os._exit(code)
            assert os.waitpid(child, 0)[1] == 0
            assert not guard.check(f"User owns boat {n}").kept
    finally:
        stop.set()
        thread.join(10)
    assert len(guard.forgotten()) == 6
