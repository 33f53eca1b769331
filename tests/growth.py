"""How the time of a call grows with its text."""

from __future__ import annotations

import time
from collections.abc import Callable

FACTOR = 4
QUADRATIC_SHARE = 10
"""Four times the text takes a quadratic rule 16 times as long; a linear one stays well below this."""
NOISE = 0.25
"""Seconds that caches shared with other processes, and a garbage collection, may cost."""
ATTEMPTS = 3
"""A busy machine may spoil one; a quadratic rule fails them all."""


def grows_linearly(call: Callable[[str], object], piece: str, length: int) -> bool:
    """Whether `call` on a text of `length` characters takes at most about as much more as the text is longer."""
    call(piece)
    return any(_is_linear(call, piece, length) for _ in range(ATTEMPTS))


def _is_linear(call: Callable[[str], object], piece: str, length: int) -> bool:
    short, long = (_seconds(call, piece * (size // len(piece))) for size in (length // FACTOR, length))
    return long < QUADRATIC_SHARE * short + NOISE


def _seconds(call: Callable[[str], object], text: str) -> float:
    # Of this thread's own work: on a busy machine the clock on the wall runs for others too.
    start = time.thread_time()
    call(text)
    return time.thread_time() - start
