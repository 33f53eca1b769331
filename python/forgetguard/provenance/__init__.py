"""Where memories came from, which sessions may be read, and which may never come back."""

from __future__ import annotations

from forgetguard.provenance.admission import Admission, Policy, Purpose
from forgetguard.provenance.origins import Consolidation, Operation, Reservation, operations
from forgetguard.provenance.sessions import Participant, Session, SessionKind, internal_kind
from forgetguard.provenance.store import ProvenanceStore, consolidate_all, prune_all
from forgetguard.provenance.tombstones import Tombstone

__all__ = [
    "Admission",
    "Consolidation",
    "Operation",
    "Participant",
    "Policy",
    "ProvenanceStore",
    "Purpose",
    "Reservation",
    "Session",
    "SessionKind",
    "Tombstone",
    "consolidate_all",
    "internal_kind",
    "operations",
    "prune_all",
]
