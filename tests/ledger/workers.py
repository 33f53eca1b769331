"""What the ledger's tests run in processes of their own. Called as `python workers.py WORK PATH ...`.

Each line on stdout is an acknowledgement: it is written, unbuffered, only after the call returned.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import time
from pathlib import Path

from forgetguard.errors import ForgetGuardError
from forgetguard.keys import Key
from forgetguard.ledger import Fact, Ledger

KEY = Key.from_bytes(bytes(range(32)))
OTHER = Key.from_bytes(b"o" * 32)


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def forget_for_ever(path: str, name: str) -> None:
    """Forget one fact after another until killed."""
    with Ledger.open(path, KEY, create=True) as ledger:
        say("ready")
        for number in range(10**9):
            (entry,) = ledger.intend([Fact(f"fact {name} {number}")])
            say("intended", entry)
            ledger.commit([entry])
            say("committed", entry)
            if number % 5 == 4:
                ledger.release([entry])
                say("released", entry)


def rekey_for_ever(path: str, new_root: str) -> None:
    """Change the key to and fro until killed."""
    ledger = None
    for key in (KEY, OTHER):
        try:
            ledger = Ledger.open(path, key)
            mine = key
            break
        except ForgetGuardError:
            continue
    assert ledger is not None
    say("ready")
    while True:
        mine = OTHER if mine is KEY else KEY
        ledger.rekey(mine, new_root=new_root == "yes")
        say("rekeyed")


def mixed(path: str, seconds: str, name: str) -> None:
    """Forget, remember and check at random for a while; every acknowledgement on its line."""
    chance = random.Random(name)
    mine: list[str] = []
    released: set[str] = set()
    end = time.monotonic() + float(seconds)
    with Ledger.open(path, KEY, create=True, wait=30.0) as ledger:
        while time.monotonic() < end:
            choice = chance.random()
            if choice < 0.4 or not mine:
                ids = ledger.intend([Fact(f"{name} {chance.random()}") for _ in range(chance.randint(1, 3))])
                ledger.commit(ids)
                mine += ids
                say("forgot", *ids)
            elif choice < 0.6:
                entry = mine[chance.randrange(len(mine))]
                ledger.release([entry])
                released.add(entry)
                say("released", entry)
            known = {entry.id: entry.pending for entry in ledger.entries()}
            for entry in mine:
                if (entry in known) is (entry in released) or known.get(entry):
                    say("WRONG", entry)


def answer(path: str) -> None:
    """For each id on stdin say whether it is active at the next check."""
    with Ledger.open(path, KEY) as ledger:
        ledger.entries()
        say("ready")
        for line in sys.stdin:
            say("yes" if line.strip() in {entry.id for entry in ledger.entries()} else "no")


def initialise(path: str, start: str) -> None:
    """Wait for the starting time, then create and forget."""
    time.sleep(max(0.0, float(start) - time.time()))
    with Ledger.open(path, KEY, create=True) as ledger:
        ids = ledger.forget([Fact(f"fact of {os.getpid()}")])
        say("forgot", *ids, ledger.vault)


def forget_once(path: str, size: str = "50") -> None:
    """One forget; the acknowledgement or the code of the error."""
    with Ledger.open(path, KEY) as ledger:
        _try_forget(ledger, int(size))


def forget_under_file_limit(path: str, size: str) -> None:
    """Forget while files may not grow; then say what is there, and that it can be written again."""
    with Ledger.open(path, KEY) as ledger:
        ledger.entries()
        limit = max(Path(path).stat().st_size, Path(f"{path}-wal").stat().st_size) + 4096
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
        _try_forget(ledger, int(size))
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        say("entries", len(ledger.entries()))
        _try_forget(ledger, 50)
        say("entries", len(ledger.entries()))


def forget_with_trigger(path: str, trigger: str) -> None:
    """Forget with the disk failing (the preloaded shim fails while the trigger file exists), then without."""
    with Ledger.open(path, KEY) as ledger:
        ledger.entries()
        Path(trigger).touch()
        _try_forget(ledger, 50)
        Path(trigger).unlink()
        say("entries", len(ledger.entries()))
        _try_forget(ledger, 50)
        say("entries", len(ledger.entries()))


def _try_forget(ledger: Ledger, size: int) -> None:
    try:
        (entry,) = ledger.forget([Fact("x" * size)])
        say("forgot", entry)
    except ForgetGuardError as error:
        say("refused", error.code)


WORKS = {
    work.__name__: work
    for work in (
        forget_for_ever,
        rekey_for_ever,
        mixed,
        answer,
        initialise,
        forget_once,
        forget_under_file_limit,
        forget_with_trigger,
    )
}

if __name__ == "__main__":
    WORKS[sys.argv[1]](*sys.argv[2:])
