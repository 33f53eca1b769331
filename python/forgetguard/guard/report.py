"""The status of a guard: counts and codes, and no text."""

from __future__ import annotations

from typing import Any

from forgetguard.errors import LedgerUnavailable
from forgetguard.guard.deciding import Decider
from forgetguard.guard.embedding import Embedding
from forgetguard.guard.reembedding import without_vector
from forgetguard.guard.vault import Vault
from forgetguard.guard.verdicts import GuardStatus
from forgetguard.rules import BACKEND, rules_version


def guard_status(vault: Vault, decider: Decider, embedding: Embedding, waiting: int, unrecorded: int) -> GuardStatus:
    """The status now. `waiting` releases; `unrecorded`: candidates that the review queue could not keep."""
    own: dict[str, Any] = {
        "backend": BACKEND,
        "rules_version": str(rules_version()),
        "model": embedding.model,
        "calibrated": embedding.is_calibrated,
        "checked": decider.checked,
        "embedded": decider.embedded,
        "deferred": decider.deferred,
        "embedding_failures": embedding.failures,
        "releases_waiting": waiting,
        "unrecorded": unrecorded,
    }
    try:
        found = vault.call(lambda ledger: ledger.status())
        entries = vault.call(lambda ledger: ledger.entries())
    except LedgerUnavailable as error:
        return GuardStatus(error.code, **own)
    return GuardStatus(
        "ok",
        entries=found.active,
        pending=found.pending,
        dropped=found.dropped,
        held=found.held,
        oldest_held=found.oldest_held,
        words_only=len(without_vector(entries, own["model"])) if embedding.available else 0,
        problems=dict(found.problems),
        **own,
    )
