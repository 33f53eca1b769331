"""What was forgotten, on disk: an append-only log of sealed records in SQLite, one file a vault."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from forgetguard.ledger.fold import Delta
from forgetguard.ledger.mark import DEFAULT
from forgetguard.ledger.records import Fact
from forgetguard.ledger.review import ReviewItem
from forgetguard.ledger.store import DEFAULT_REVIEW_SIZE, DEFAULT_WAIT, Ledger

if TYPE_CHECKING:
    from forgetguard.ledger.report import LedgerStatus, Verification
    from forgetguard.ledger.transfer import Merged

__all__ = [
    "DEFAULT",
    "DEFAULT_REVIEW_SIZE",
    "DEFAULT_WAIT",
    "Delta",
    "Fact",
    "Ledger",
    "LedgerStatus",
    "Merged",
    "ReviewItem",
    "Verification",
]

_LATE = {"LedgerStatus": "report", "Verification": "report", "Merged": "transfer"}


def __getattr__(name: str) -> object:
    if name not in _LATE:
        raise AttributeError(f"module 'forgetguard.ledger' has no attribute {name!r}")
    return getattr(import_module(f"forgetguard.ledger.{_LATE[name]}"), name)
