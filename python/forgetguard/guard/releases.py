"""Explicit remembers that came while the ledger was unavailable: kept in memory, and done at the next chance.

They are never written down in clear. If the process ends first they are lost: the fact is stored in the host, and the
ledger goes on holding its entry until it is released.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from forgetguard.values import Entry, Vector


@dataclass(frozen=True, slots=True)
class Waiting:
    """One remember, and when it was said (Unix seconds): what is forgotten later stays forgotten."""

    text: str = field(repr=False)
    vector: Vector | None = field(repr=False)
    at: float


class WaitingReleases:
    """The queue. Thread-safe."""

    def __init__(self) -> None:
        self._waiting: list[Waiting] = []
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, text: str, vector: Vector | None) -> None:
        """Keep one remember for later."""
        with self._lock:
            self._waiting.append(Waiting(text, vector, time.time()))

    def settle(self, release: Callable[[Waiting], object]) -> None:
        """Do them in order; one that raises stays, with those behind it, and the error is passed on."""
        with self._lock:
            while self._waiting:
                release(self._waiting[0])
                del self._waiting[0]

    def renew_lock(self) -> None:
        """In a forked child: the lock may be held by a thread that is not there; the parent does the releases."""
        self._lock = threading.Lock()
        self._waiting = []


def before(waiting: Waiting, entries: tuple[Entry, ...]) -> list[str]:
    """The ids of those entries that were forgotten before the remember was said."""
    return [entry.id for entry in entries if entry.forgotten_at <= waiting.at]
