"""Tokens that join a preview to what it previewed.

1. A token is good once: any attempt to use it, also a wrong one, uses it up.
2. It ends after a while, and with the process.
3. It is good for one action on one set: what was asked for, and what was found for it, must be the same again.
4. What it is bound to is kept as a keyed digest; no text stays here.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from forgetguard.errors import Refused

DEFAULT_SECONDS: Final = 300
MOST_WAITING: Final = 64  # a client that only ever previews must not fill the memory
_ADVICE: Final = "Preview again, show the user what it says, and use the new token."


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is handed out. `expires_at` is in Unix seconds."""

    value: str
    expires_at: float


@dataclass(frozen=True, slots=True)
class _Bound:
    asked: bytes
    found: bytes
    until: float


class Tokens:
    """The tokens of one server. Thread-safe. `clock` counts seconds and never goes back."""

    def __init__(self, seconds: float = DEFAULT_SECONDS, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._key = secrets.token_bytes(32)
        self._waiting: dict[str, _Bound] = {}
        self._lock = threading.Lock()

    def issue(self, action: str, asked: object, found: object) -> Token:
        """A new token for `action` on what was `asked` for, as it was `found`; both are JSON values."""
        value = secrets.token_urlsafe(24)
        bound = _Bound(self._digest(action, asked), self._digest(action, found), self._clock() + self._seconds)
        with self._lock:
            self._waiting[value] = bound
            for oldest in list(self._waiting)[:-MOST_WAITING]:
                del self._waiting[oldest]
        return Token(value, time.time() + self._seconds)

    def redeem(self, value: str, action: str, asked: object, found: object) -> None:
        """Use a token up. Raises Refused: `token-unknown`, `token-expired`, `token-other`, `token-stale`."""
        with self._lock:
            bound = self._waiting.pop(value, None)
        if bound is None:
            raise _refused("token-unknown", "this token was never given out, or was used before")
        if self._clock() >= bound.until:
            raise _refused("token-expired", "the token has expired")
        if bound.asked != self._digest(action, asked):
            raise _refused("token-other", "the token belongs to another preview")
        if bound.found != self._digest(action, found):
            raise _refused("token-stale", "what was previewed has changed since")

    def _digest(self, action: str, value: object) -> bytes:
        content = json.dumps([action, value], sort_keys=True).encode()
        return blake2b(content, key=self._key, digest_size=16).digest()


def _refused(code: str, message: str) -> Refused:
    return Refused(f"{message}; nothing was changed", code=code, advice=_ADVICE)
