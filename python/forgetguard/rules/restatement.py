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


_Hit = tuple[int, str, str, str, float | None, float]
"""Slot, action, code, why, similarity and coverage."""


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
        known: set[str] = set()
        new: list[Entry] = []
        for entry in entries:
            if entry.id and (entry.id in self._slots or entry.id in known):
                continue
            known.add(entry.id)
            new.append(entry)
        first = self._core.add_many([_row(checked_text(entry.text), entry.vector) for entry in new])
        for slot, entry in enumerate(new, first):
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
        # Not by `match_many`, whose lists take half as long as the answer itself.
        given, scale = checked_text(text), _scale(calibration)
        if callable(embedding):
            ((is_wanted, hit),) = self._core.ask_many([(given, _model(embedding, calibration))])
            if not is_wanted:
                return self._match(hit)
            return self._match(self._core.match(*_row(given, embedding(given)), scale))
        return self._match(self._core.match(*_row(given, _as_vector(embedding)), scale))

    def match_many(
        self, texts: Sequence[str], embeddings: Sequence[Embedding] | None = None, *, calibration: Scale | None = None
    ) -> list[Match | None]:
        """`match` for each of `texts`, in order; `embeddings` has one for each, or is None."""
        if embeddings is None:
            embeddings = [None] * len(texts)
        elif len(embeddings) != len(texts):
            raise InvalidInput("there are not as many embeddings as texts")
        checked = [checked_text(text) for text in texts]
        scale = _scale(calibration)
        lazy = [n for n, given in enumerate(embeddings) if callable(given)]
        asked = self._core.ask_many([(checked[n], _model(embeddings[n], calibration)) for n in lazy]) if lazy else []
        wanted = {n for n, (is_wanted, _) in zip(lazy, asked, strict=True) if is_wanted}
        hits = {n: hit for n, (is_wanted, hit) in zip(lazy, asked, strict=True) if not is_wanted}
        rest = [n for n in range(len(checked)) if n not in hits]
        rows = [
            _row(checked[n], _made(embeddings[n], checked[n]) if n in wanted else _as_vector(embeddings[n]))
            for n in rest
        ]
        hits |= zip(rest, self._core.match_many(rows, scale), strict=True)
        return [self._match(hits[n]) for n in range(len(checked))]

    def need_embeddings(self, texts: Sequence[str], model: str = "") -> list[bool]:
        """`needs_embedding` for each of `texts`, in order."""
        return [wanted for wanted, _ in self._core.ask_many([(checked_text(text), model) for text in texts])]

    def scrubbed(
        self, text: str, embedder: Callable[[str], Vector | None] | None, calibration: Scale | None
    ) -> tuple[list[tuple[int, int, Match]], list[tuple[int, int, str]]]:
        """The spans of a cleaned text that restate something, and what to cut for them (see `scrubbing`)."""
        embed = None
        if embedder is not None:
            ask = embedder

            def embed(texts: list[str]) -> list[tuple[bytes, str] | None]:
                vectors = [ask(text) for text in texts]
                return [None if vector is None else (vector.values, vector.model) for vector in vectors]

        restated, cuts = self._core.scrub(text, embed, _model(embedder, calibration), _scale(calibration))
        return [(start, end, self._known(hit)) for start, end, hit in restated], cuts

    def needs_embedding(self, text: str, model: str = "") -> bool:
        """Whether an embedding of `text` by `model` could change what `match` answers."""
        return self._core.needs_embedding(checked_text(text), model)

    def _match(self, hit: _Hit | None) -> Match | None:
        return None if hit is None else self._known(hit)

    def _known(self, hit: _Hit) -> Match:
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


def _row(text: str, vector: Vector | None) -> tuple[str, bytes | None, str]:
    return (text, vector.values, vector.model) if vector is not None else (text, None, "")


def _model(embedding: object, calibration: Scale | None) -> str:
    """The model of an embedder: that of the calibration, or the one it names itself."""
    return calibration.model_id if calibration is not None else str(getattr(embedding, "model_id", ""))


def _made(embedder: Embedding, text: str) -> Vector | None:
    return embedder(text) if callable(embedder) else None


def _as_vector(embedding: Embedding) -> Vector | None:
    if embedding is None or isinstance(embedding, Vector):
        return embedding
    quantised = _backend.quantise(embedding)
    return Vector.quantise(embedding) if quantised is None else Vector(*quantised)


def _scale(calibration: Scale | None) -> tuple[float, float] | None:
    if calibration is None:
        return None
    if calibration.sd <= 0:
        raise InvalidVector("the calibration has no spread", advice="Calibrate the model again.")
    return calibration.mean, calibration.sd
