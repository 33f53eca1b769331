"""What was forgotten, on disk: an append-only log of sealed records in SQLite, one file a vault."""

from __future__ import annotations

from forgetguard.ledger.fold import Delta
from forgetguard.ledger.mark import DEFAULT
from forgetguard.ledger.records import Fact
from forgetguard.ledger.report import LedgerStatus, Verification
from forgetguard.ledger.review import ReviewItem
from forgetguard.ledger.store import DEFAULT_REVIEW_SIZE, DEFAULT_WAIT, Ledger
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
