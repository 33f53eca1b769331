"""Vectors for the entries of a ledger after the embedding model changed.

Until an entry has a vector of the model in use, only its words count. Each batch is recorded as soon as it is made, and
an entry that has its vector is not embedded again: a run that was cut off is finished by the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from forgetguard.errors import ModelUnavailable
from forgetguard.guard.embedding import Embedding
from forgetguard.guard.vault import Vault
from forgetguard.values import Entry

BATCH: Final = 16


@dataclass(frozen=True, slots=True)
class Reembedded:
    """`made` entries got a vector of `model`; for `failed` ones it gave none; the rest of `entries` had one."""

    model: str
    entries: int
    made: int
    failed: int


def without_vector(entries: Iterable[Entry], model: str) -> list[Entry]:
    """The entries that have no vector of this model."""
    return [entry for entry in entries if entry.vector is None or entry.vector.model != model]


def reembed(vault: Vault, embedding: Embedding, progress: Callable[[int, int], object] | None = None) -> Reembedded:
    """Give each entry a vector of the model in use. `progress(done, total)` is called after each batch.

    Raises ModelUnavailable where there is no model, or it cannot be loaded; LedgerUnavailable, LedgerFull.
    """
    model = embedding.model
    if not model:
        raise ModelUnavailable(
            "there is no embedding model in use, or it cannot be loaded",
            advice="`forgetguard model add DIR` sets one; `forgetguard model list` says what is wrong with it.",
        )
    entries = vault.call(lambda ledger: ledger.entries())
    missing = without_vector(entries, model)
    made = 0
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        made += _embed(vault, embedding, batch)
        if progress is not None:
            progress(start + len(batch), len(missing))
    return Reembedded(model, len(entries), made, len(missing) - made)


def _embed(vault: Vault, embedding: Embedding, batch: Sequence[Entry]) -> int:
    """Record a vector for each entry that the model gives one for; how many there were."""
    texts = [entry.text for entry in batch]
    vectors = embedding.vectors(texts)
    if None in vectors and len(texts) > 1:
        # One text that the model cannot take must not cost the others theirs.
        vectors = [vector for text in texts for vector in embedding.vectors([text])]
    found = {entry.id: vector for entry, vector in zip(batch, vectors, strict=True) if vector is not None}
    if found:
        vault.call(lambda ledger: ledger.embed(found))
    return len(found)
