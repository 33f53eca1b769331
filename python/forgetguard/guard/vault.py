"""The ledger behind a guard: opened when it can be, and opened again when it comes back.

1. A failure to open is kept and answered with, and tried again at most once a second.
2. Only the first opening may make a ledger. One that was open and then is gone stays unavailable until it is back.
3. A ledger that was replaced is opened anew only where a mark can tell an older or another one from the right one.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
import weakref
from collections.abc import Callable
from typing import Final, TypeVar

from forgetguard.errors import LedgerUnavailable
from forgetguard.ledger import Ledger

RETRY_SECONDS: Final = 1.0
LOST: Final = frozenset({"missing", "replaced", "emptied", "rolled-back", "damaged"})
"""Codes after which the file at the path may be another one than the one that is open."""

log = logging.getLogger("forgetguard")
Answer = TypeVar("Answer")


class Vault:
    """Hands out the open ledger. Each opening has a random number of its own."""

    def __init__(self, open_ledger: Callable[[bool], Ledger], *, create: bool, has_mark: bool) -> None:
        """`open_ledger(create)` opens or raises LedgerUnavailable."""
        self._numbers: weakref.WeakKeyDictionary[Ledger, int] = weakref.WeakKeyDictionary()
        self._open = open_ledger
        self._create = create
        self._has_mark = has_mark
        self._lock = threading.RLock()
        self._ledger: Ledger | None = None
        self._failure: LedgerUnavailable | None = None
        self._retry_at = 0.0
        self._closed = False

    def call(self, operation: Callable[[Ledger], Answer]) -> Answer:
        """Run `operation` on the ledger; once more on the one that was put back meanwhile. Raises LedgerUnavailable."""
        ledger = self._current()
        try:
            return operation(ledger)
        except LedgerUnavailable as error:
            # Where another thread has opened it anew meanwhile, this one saw the end of the old opening (`closed`).
            if not self._has_mark or (error.code not in LOST and ledger is self._ledger):
                raise
            return operation(self._reopened(ledger, error))

    def opening(self, ledger: Ledger) -> int:
        """The number of the opening that gave this ledger."""
        return self._numbers[ledger]

    def close(self) -> None:
        """Close the ledger for good."""
        with self._lock:
            self._closed = True
            if self._ledger is not None:
                self._ledger.close()

    def renew_lock(self) -> None:
        """In a forked child: the lock may be held by a thread that is not there."""
        self._lock = threading.RLock()

    def _current(self) -> Ledger:
        ledger = self._ledger
        if ledger is not None:
            return ledger
        with self._lock:
            if self._ledger is None:
                self._try_opening()
            return self._ledger  # type: ignore[return-value]  # set, or _try_opening raised

    def _reopened(self, lost: Ledger, error: LedgerUnavailable) -> Ledger:
        with self._lock:
            if self._ledger is lost:
                if self._closed or time.monotonic() < self._retry_at:
                    raise error
                self._failure = None
                self._try_opening()
                lost.close()
            return self._ledger or lost

    def _try_opening(self) -> None:
        if self._closed:
            raise LedgerUnavailable.because("closed")
        now = time.monotonic()
        if self._failure is not None and now < self._retry_at:
            raise LedgerUnavailable(str(self._failure), code=self._failure.code, advice=self._failure.advice)
        self._retry_at = now + RETRY_SECONDS
        try:
            ledger = self._open(self._create)
        except LedgerUnavailable as error:
            if self._failure is None:
                log.warning("the ledger is unavailable: %s", error.code)
            self._failure = error
            raise
        self._create = False
        self._failure = None
        self._numbers[ledger] = secrets.randbits(62)
        self._ledger = ledger
        log.info("the ledger is open")
