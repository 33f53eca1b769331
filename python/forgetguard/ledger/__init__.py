"""What was forgotten, on disk: an append-only log of sealed records in SQLite, one file a vault."""

from __future__ import annotations

from forgetguard.ledger.fold import Delta
from forgetguard.ledger.mark import DEFAULT
from forgetguard.ledger.records import Fact
from forgetguard.ledger.report import LedgerStatus, Verification
from forgetguard.ledger.review import ReviewItem, ReviewRing
from forgetguard.ledger.store import Ledger
from forgetguard.ledger.transfer import Merged

__all__ = ["DEFAULT", "Delta", "Fact", "Ledger", "LedgerStatus", "Merged", "ReviewItem", "ReviewRing", "Verification"]
