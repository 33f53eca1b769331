"""Waiting for a lock that somebody else holds, for a bounded time."""

from __future__ import annotations

import time
from collections.abc import Callable

from forgetguard.errors import Refused

STEP_SECONDS = 0.05


def wait_for(take: Callable[[], object], seconds: float, code: str) -> None:
    """Call `take` until it no longer raises BlockingIOError. Raises Refused with `code` when the time is over."""
    end = time.monotonic() + seconds
    while True:
        try:
            take()
        except BlockingIOError:
            if time.monotonic() >= end:
                raise Refused(
                    "somebody else is at work on the same store",
                    code=code,
                    advice="Wait until the other purge has ended.",
                ) from None
            time.sleep(STEP_SECONDS)
        else:
            return
