"""The rules as others call them: does this text put a forgotten fact back, and why?

Texts, vectors and entries are checked here, once for both implementations, so their errors are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from forgetguard.errors import InvalidInput, InvalidText, InvalidVector, UnknownEntry
from forgetguard.rules import _backend
from forgetguard.rules.text import clean
from forgetguard.values import Entry, Vector

Embedding = Vector | Callable[[str], Vector] | Sequence[float] | bytes | None
"""The embedding of a text: a Vector, plain numbers, a callable that is asked only when it matters, or None."""

PAST = ("drop", "keep")


class Scale(Protocol):
    """The null distribution of a model's cosines (see `forgetguard.embedder.Calibration`)."""

    @property
    def model_id(self) -> str: ...
    @property
    def mean(self) -> float: ...
    @property
    def sd(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Match:
    """A restatement. `action`: drop (sure) or hold (likely: do not store, ask the user).

    `kind`: exact, note, id, subset, superset, clause or anchor; `why` names the rule inside a clause.
    `similarity` is on MiniLM's scale, None where no embedding was compared; `coverage` is 0 to 1.
    """

    entry: Entry
    kind: str
    action: str
    similarity: float | None
    coverage: float
    why: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a text does or does not restate one fact; holds codes and numbers, never text.

    `code` is the kind that matched, or the veto or absence that lets it through (`rules.tsv` lists them).
    """

    action: str
    code: str
    why: str
    similarity: float | None
    coverage: float


class ForgottenIndex:
    """Forgotten facts, ready to be asked about many texts. Not thread-safe: its owner locks.

    `aliases`: further names of the user. `past`: whether "used to be so" restates ("drop") or is kept.
    `wordnet`: whether words may align by a shared sense.
    """

    def __init__(self, *, aliases: Iterable[str] = (), past: str = "drop", wordnet: bool = True) -> None:
        if past not in PAST:
            raise InvalidInput("past is neither drop nor keep", advice='Pass past="drop" or past="keep".')
        self.aliases = tuple(checked_text(alias) for alias in aliases)
        self._core = _backend.Index(self.aliases, past, wordnet)
        self._entries: dict[int, Entry] = {}
        self._slots: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, entries: Iterable[Entry]) -> None:
        """Take in entries, in ledger order. An entry whose id is known already is passed over."""
        for entry in entries:
            if entry.id and entry.id in self._slots:
                continue
            vector = entry.vector
            slot = self._core.add(
                checked_text(entry.text), vector.values if vector else None, vector.model if vector else ""
            )
            self._entries[slot] = entry
            if entry.id:
                self._slots[entry.id] = slot

    def remove(self, ids: Iterable[str]) -> None:
        """Take entries out by id. Raises UnknownEntry for an id that is not here."""
        for entry_id in ids:
            slot = self._slots.pop(entry_id, None)
            if slot is None:
                raise UnknownEntry("no entry of the index has this id")
            self._core.remove(slot)
            del self._entries[slot]

    def match(self, text: str, embedding: Embedding = None, *, calibration: Scale | None = None) -> Match | None:
        """The first entry in ledger order that `text` restates, a drop before a hold; None if it restates none.

        `embedding`: as `Embedding` says. A callable is asked at most once, and only if its answer could matter.
        """
        return self.match_many([text], [embedding], calibration=calibration)[0]

    def match_many(
        self, texts: Sequence[str], embeddings: Sequence[Embedding] | None = None, *, calibration: Scale | None = None
    ) -> list[Match | None]:
        """`match` for each of `texts`, in order; `embeddings` has one for each, or is None."""
        if embeddings is None:
            embeddings = [None] * len(texts)
        elif len(embeddings) != len(texts):
            raise InvalidInput("there are not as many embeddings as texts")
        checked = [checked_text(text) for text in texts]
        vectors = [self._vector(t, given, calibration) for t, given in zip(checked, embeddings, strict=True)]
        rows = [(t, v.values if v else None, v.model if v else "") for t, v in zip(checked, vectors, strict=True)]
        hits = self._core.match_many(rows, _scale(calibration))
        return [None if hit is None else self._match(hit) for hit in hits]

    def needs_embedding(self, text: str, model: str = "") -> bool:
        """Whether an embedding of `text` by `model` could change what `match` answers."""
        return self._core.needs_embedding(checked_text(text), model)

    def _vector(self, text: str, embedding: Embedding, calibration: Scale | None) -> Vector | None:
        if callable(embedding):
            model = calibration.model_id if calibration is not None else str(getattr(embedding, "model_id", ""))
            return embedding(text) if self._core.needs_embedding(text, model) else None
        return _as_vector(embedding)

    def _match(self, hit: tuple[int, str, str, str, float | None, float]) -> Match:
        slot, action, code, why, similarity, coverage = hit
        return Match(self._entries[slot], code, action, similarity, coverage, why)


def match_forgotten(
    text: str,
    embedding: Embedding,
    entries: Iterable[Entry],
    *,
    aliases: Iterable[str] = (),
    calibration: Scale | None = None,
    past: str = "drop",
    wordnet: bool = True,
) -> Match | None:
    """Whether `text` puts back one of the forgotten `entries`: the first that it restates, or None.

    With many entries keep a `ForgottenIndex` instead. Raises InvalidText, InvalidVector or InvalidInput.
    """
    index = ForgottenIndex(aliases=aliases, past=past, wordnet=wordnet)
    index.add(entries)
    return index.match(text, embedding, calibration=calibration)


def explain(
    text: str,
    embedding: Embedding,
    entry: Entry,
    *,
    aliases: Iterable[str] = (),
    calibration: Scale | None = None,
    past: str = "drop",
    wordnet: bool = True,
) -> Explanation:
    """Which rule or which veto decides about `text` and one entry, by stable code."""
    given = embedding(checked_text(text)) if callable(embedding) else _as_vector(embedding)
    vector = entry.vector
    action, code, why, similarity, coverage = _backend.explain(
        (checked_text(text), given.values if given else None, given.model if given else ""),
        (checked_text(entry.text), vector.values if vector else None, vector.model if vector else ""),
        _scale(calibration),
        tuple(checked_text(alias) for alias in aliases),
        past,
        wordnet,
    )
    return Explanation(action, code, why, similarity, coverage)


def is_forget_request(text: str) -> bool:
    """Whether `text` asks that something be forgotten, or notes that it was. Raises InvalidText."""
    return bool(_backend.request_code(checked_text(text)))


def checked_text(text: object) -> str:
    """`text` as both implementations see it. Raises InvalidText if it is no str."""
    if not isinstance(text, str):
        raise InvalidText("the text is not a str")
    return clean(text)


def _as_vector(embedding: Vector | Sequence[float] | bytes | None) -> Vector | None:
    if embedding is None or isinstance(embedding, Vector):
        return embedding
    return Vector.quantise(embedding)


def _scale(calibration: Scale | None) -> tuple[float, float] | None:
    if calibration is None:
        return None
    if calibration.sd <= 0:
        raise InvalidVector("the calibration has no spread", advice="Calibrate the model again.")
    return calibration.mean, calibration.sd
