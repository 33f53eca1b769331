"""The status of a guard: counts and codes, and no text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from forgetguard.errors import LedgerUnavailable
from forgetguard.guard.deciding import Decider
from forgetguard.guard.embedding import Embedding
from forgetguard.guard.reembedding import without_vector
from forgetguard.guard.vault import Vault
from forgetguard.rules import BACKEND, rules_version


@dataclass(frozen=True, slots=True)
class GuardStatus:
    """Counts and codes; no text.

    `ledger` is `ok` or the code of its unavailability; the ledger's counts are 0 then. `oldest_held` is in seconds.
    `embedded` of `checked` texts needed a vector to be made. `releases_waiting`: remembers not written down yet.
    `words_only`: entries without a vector of the model in use (0 where there is no model); only their words count until
    `reembed`.
    """

    ledger: str
    backend: str
    rules_version: str
    model: str
    calibrated: bool
    entries: int = 0
    pending: int = 0
    dropped: int = 0
    held: int = 0
    oldest_held: float | None = None
    unrecorded: int = 0
    checked: int = 0
    embedded: int = 0
    deferred: int = 0
    embedding_failures: int = 0
    words_only: int = 0
    releases_waiting: int = 0
    problems: dict[str, int] = field(default_factory=dict)

    @property
    def degraded(self) -> bool:
        """Whether the ledger cannot be asked now."""
        return self.ledger != "ok"


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
