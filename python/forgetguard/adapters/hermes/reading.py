"""Reading: what a text says without what was forgotten. Read texts are known again, for each request repeats the last.

A conversation of 100,000 tokens takes about half a second to read; its next request is the same with one turn more.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from threading import Lock

from forgetguard.adapters.hermes import answers
from forgetguard.guard import ForgetGuard, Use

log = logging.getLogger("forgetguard")

MOST = 65_536  # texts; unchanged ones, nearly all, take no room but their digest

Moment = tuple[ForgetGuard, int]
"""A guard, and a version of its ledger: the same text reads the same in it."""


class Memo:
    """What texts read as, by digest: their new text, or None where nothing is left out. Thread-safe."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[Moment, bytes], str | None] = OrderedDict()
        self._lock = Lock()

    def read(self, moment: Moment, text: str) -> str:
        """The text without what was forgotten at this moment. Raises what the guard raises."""
        key = (moment, blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest())
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return text if (known := self._known[key]) is None else known
        found = moment[0].scrub(text, use=Use.READ)
        left = (found.text if found.text.strip() else answers.WITHHELD) if found.removed else None
        if not found.degraded:
            self._keep(key, left)
        return text if left is None else left

    def _keep(self, key: tuple[Moment, bytes], left: str | None) -> None:
        with self._lock:
            self._known[key] = left
            while len(self._known) > MOST:
                self._known.popitem(last=False)


class Reader:
    """Reads the texts of one request or result. It never raises: where the guard fails, a text passes as it is."""

    def __init__(self, guard: Callable[[], ForgetGuard], memo: Memo) -> None:
        self._guard = guard
        self._memo = memo
        self._moment: Moment | None = None

    def __call__(self, text: str) -> str:
        try:
            if self._moment is None:
                guard = self._guard()
                self._moment = (guard, guard.with_ledger(lambda ledger: ledger.version))
            return self._memo.read(self._moment, text)
        except Exception as error:  # noqa: BLE001 - reading goes on when the guard does not
            log.warning("a text was passed on unchecked: %s", type(error).__name__)
            return text
