"""Extracted facts that could not be decided on, until the next extraction of the same account.

The host forgets the messages once extraction has looked at them, and its own queue on disk is in clear, so they are
kept here: in memory, bounded, and lost with the process.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable
from typing import Any, Final

MOST: Final = 100
"""Facts an account; the oldest go first. An extraction makes at most 15."""


class Waiting:
    """The facts, by client. Thread-safe."""

    def __init__(self) -> None:
        self._facts: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()

    def put(self, client: Any, facts: Iterable[Any]) -> None:
        """Keep these for the next time, behind those that wait already."""
        with self._lock:
            self._facts[client] = [*self._facts.get(client, ()), *facts][-MOST:]

    def take(self, client: Any) -> list[Any]:
        """What waits, oldest first; it waits no longer."""
        with self._lock:
            return self._facts.pop(client, [])
