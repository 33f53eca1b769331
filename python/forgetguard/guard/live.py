"""The index of forgotten facts, kept up with the ledger: each reading sees what any process acknowledged before it."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from forgetguard.guard.vault import Vault
from forgetguard.guard.verdicts import NOWHERE, Position
from forgetguard.ledger import Delta, Ledger
from forgetguard.rules import ForgottenIndex
from forgetguard.values import Entry, Vector

if TYPE_CHECKING:
    from forgetguard.embedder import Calibration

FORK_PATIENCE: Final = 10.0  # seconds to let another thread leave the index before a fork


class LiveIndex:
    """One index behind one lock. After a fork, both sides go on from the same state."""

    def __init__(self, vault: Vault, aliases: Sequence[str], past: str) -> None:
        self._vault = vault
        self._options = (tuple(aliases), past)
        self._index = self._empty()
        self._position = NOWHERE
        self._displaced: set[str] = set()
        self.lock = threading.RLock()
        _ALL.add(self)

    @contextmanager
    def reading(self) -> Iterator[tuple[ForgottenIndex, Position]]:
        """The index, caught up, and the moment it stands for; other threads wait. Raises LedgerUnavailable."""
        with self.lock:
            self._catch_up()
            yield self._index, self._position

    def since(self, position: Position) -> tuple[Delta, Position]:
        """What changed after `position` (everything, where that moment is not known), and until when.

        Raises LedgerUnavailable.
        """

        def read(ledger: Ledger) -> tuple[Delta, Position]:
            opening = self._vault.opening(ledger)
            delta = ledger.entries_since(position[1] if position[0] == opening else -1)
            return delta, (opening, delta.version)

        return self._vault.call(read)

    def all_matching(self, text: str, vector: Vector | None, calibration: Calibration | None) -> tuple[Entry, ...]:
        """Every entry that `text` restates, not only the best one. Raises LedgerUnavailable."""
        found: dict[str, Entry] = {}
        with self.reading() as (index, _):
            try:
                while (match := index.match(text, vector, calibration=calibration)) and match.entry.id not in found:
                    found[match.entry.id] = match.entry
                    index.remove([match.entry.id])
            finally:
                index.add(found.values())
                self._displaced.update(found)
        return tuple(found.values())

    def _catch_up(self) -> None:
        delta, position = self.since(self._position)
        # Entries that were taken out and put back stand last, and would lose ties that are theirs.
        if not self._displaced.issubset(delta.removed):
            delta, position = self.since(NOWHERE)
        elif position == self._position:
            return
        # Until the change is in, the position is unknown: a failure half-way leads to a rebuild, not to a stale index.
        self._position = NOWHERE
        if delta.whole:
            self._index = self._empty()
        elif delta.removed:
            self._index.remove(delta.removed)
        self._index.add(delta.added)
        self._displaced.clear()
        self._position = position

    def _empty(self) -> ForgottenIndex:
        aliases, past = self._options
        return ForgottenIndex(aliases=aliases, past=past)


_ALL: weakref.WeakSet[LiveIndex] = weakref.WeakSet()
_FORKING = threading.local()


def _before_fork() -> None:
    # Before the ledger's own handler (they run last in, first out), so the order of locks is the usual one.
    _FORKING.held = [one for one in list(_ALL) if one.lock.acquire(timeout=FORK_PATIENCE)]


def _after_fork_in_parent() -> None:
    for one in _FORKING.held:
        one.lock.release()
    _FORKING.held = []


def _after_fork_in_child() -> None:
    for one in list(_ALL):
        one.lock = threading.RLock()
        one._vault.renew_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
