"""Many forgotten facts at once: only those that share something with a candidate are decided.

`features` gives two tokens that can align a feature in common, so the index answers as asking every fact would.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

from forgetguard.rules.alignment import MEANING_KINDS, SUFFIX_DIGITS, content, meanings, name_variants
from forgetguard.rules.matching import Decision, judge
from forgetguard.rules.readings import Reading, readings
from forgetguard.rules.tokens import Parsed, Token, parse

OFFSET, SLOPE = 0.358, 0.169
"""MiniLM's null distribution over unrelated facts, mean and sd: the scale on which every line is stated."""

Row = tuple[str, bytes | None, str]
"""A text, its embedding as int8, and the model that made it."""


class Hit(NamedTuple):
    """The fact in `slot` is restated. `similarity` is None where no embedding was compared."""

    slot: int
    action: str
    code: str
    why: str
    similarity: float | None
    coverage: float


@dataclass(frozen=True, slots=True)
class _Fact:
    parsed: Parsed = field(repr=False)
    values: bytes | None = field(repr=False)
    model: str
    norm: int


class Index:
    """Facts by slot, in the order in which they were added. Texts are cleaned already (`text.clean`)."""

    def __init__(self, aliases: tuple[str, ...] = (), past: str = "drop", wordnet: bool = True) -> None:
        self._aliases = aliases
        self._past = past
        self._wordnet = wordnet
        self._facts: list[_Fact | None] = []
        self._postings: dict[str, list[int]] = {}

    def add(self, text: str, values: bytes | None = None, model: str = "") -> int:
        """The slot of a new fact. `values`: its embedding as int8."""
        parsed = parse(text, self._aliases)
        slot = len(self._facts)
        self._facts.append(_Fact(parsed, values, model, _norm(values) if values else 0))
        for feature in _features_of(parsed, self._wordnet):
            self._postings.setdefault(feature, []).append(slot)
        return slot

    def remove(self, slot: int) -> None:
        """Take a fact out. Its slot is never used again."""
        fact = self._facts[slot]
        if fact is not None:
            self._facts[slot] = None
            for feature in _features_of(fact.parsed, self._wordnet):
                self._postings[feature].remove(slot)

    def match(
        self,
        text: str,
        values: bytes | None = None,
        model: str = "",
        scale: tuple[float, float] | None = None,
    ) -> Hit | None:
        """The first fact in slot order that `text` restates, a drop before a hold.

        `scale`: mean and sd of the model.
        """
        candidate = readings(text, self._aliases)
        norm = _norm(values) if values else 0
        held: Hit | None = None
        for slot in self._related(candidate):
            fact = self._facts[slot]
            if fact is None:
                continue
            compared = bool(values) and fact.values is not None and fact.model == model
            similarity = similar(values or b"", norm, fact.values or b"", fact.norm, scale) if compared else None
            decision = self._judge(candidate, fact, similarity)
            if decision.action == "drop":
                return _hit(slot, decision, similarity)
            if decision.action == "hold" and held is None:
                held = _hit(slot, decision, similarity)
        return held

    def match_many(self, rows: Sequence[Row], scale: tuple[float, float] | None = None) -> list[Hit | None]:
        """`match` for each row, in order."""
        return [self.match(text, values, model, scale) for text, values, model in rows]

    def needs_embedding(self, text: str, model: str = "") -> bool:
        """Whether an embedding of `text` by `model` could change what `match` answers."""
        candidate = readings(text, self._aliases)
        for slot in self._related(candidate):
            fact = self._facts[slot]
            if fact is None:
                continue
            if fact.values is None or fact.model != model:
                if self._judge(candidate, fact, None).action == "drop":
                    return False
                continue
            low, high = self._judge(candidate, fact, -1.0), self._judge(candidate, fact, 1.0)
            if low != high:
                return True
            if low.action == "drop":
                return False
        return False

    def _judge(self, candidate: tuple[Reading, ...], fact: _Fact, similarity: float | None) -> Decision:
        return judge(candidate, fact.parsed, similarity, past=self._past, wordnet=self._wordnet)

    def _related(self, candidate: tuple[Reading, ...]) -> list[int]:
        """Slots of the facts that share a feature with some reading, in slot order."""
        found: set[int] = set()
        for reading in candidate:
            for feature in _features_of(reading.parsed, self._wordnet):
                found.update(self._postings.get(feature, ()))
        return sorted(found)


def _hit(slot: int, decision: Decision, similarity: float | None) -> Hit:
    return Hit(slot, decision.action, decision.code, decision.why, similarity, decision.coverage)


def explain(
    candidate: Row,
    fact: Row,
    scale: tuple[float, float] | None,
    aliases: tuple[str, ...],
    past: str,
    wordnet: bool,
) -> tuple[str, str, str, float | None, float]:
    """Action, code, why, similarity and coverage of one candidate and one fact."""
    similarity = None
    if candidate[1] and fact[1] and candidate[2] == fact[2]:
        similarity = similar(candidate[1], _norm(candidate[1]), fact[1], _norm(fact[1]), scale)
    parsed = parse(fact[0], aliases)
    decision = judge(readings(candidate[0], aliases), parsed, similarity, past=past, wordnet=wordnet)
    return decision.action, decision.code, decision.why, similarity, decision.coverage


@lru_cache(maxsize=4096)
def _features_of(parsed: Parsed, wordnet: bool) -> tuple[str, ...]:
    """What a text can be found by, each once."""
    found: dict[str, None] = {f"x{parsed.exact}": None}
    for token in (*content(parsed), *(t for t in parsed.tokens if t.role == "label")):
        found.update(dict.fromkeys(_features(token, parsed.language, wordnet)))
    return tuple(found)


def _features(token: Token, language: str, wordnet: bool) -> Iterable[str]:
    yield f"k{token.key}"
    yield f"k{token.form}"
    if token.kind in ("name", "word"):
        yield from (f"k{short}" for short in name_variants(token.form))
    if token.kind in MEANING_KINDS:
        yield from meanings(token, language, wordnet)
    if token.kind == "date":
        for reading in token.key.split("|"):
            yield from (
                f"{part}{value}" for part, value in zip("ymd", reading.split("-"), strict=False) if value != "0"
            )
    elif token.kind in ("phone", "number") and len(token.key) >= SUFFIX_DIGITS:
        yield f"p{token.key[-SUFFIX_DIGITS:]}"
    elif token.kind == "cjk":
        yield from (f"h{char}" for char in token.form)


def _norm(values: bytes) -> int:
    return sum(v * v for v in memoryview(values).cast("b"))


def similar(a: bytes, norm_a: int, b: bytes, norm_b: int, scale: tuple[float, float] | None) -> float | None:
    """Cosine of two int8 vectors on MiniLM's scale, rounded to 1e-4; None if their lengths differ.

    The dot product is an exact integer, so it is the same on every machine. `scale`: mean and sd of the model's null
    distribution; without one the cosine is used as it is.
    """
    if len(a) != len(b) or not norm_a or not norm_b:
        return None
    dot = sum(x * y for x, y in zip(memoryview(a).cast("b"), memoryview(b).cast("b"), strict=True))
    cosine = dot / sqrt(norm_a * norm_b)
    if scale is not None:
        mean, deviation = scale
        cosine = OFFSET + SLOPE * (cosine - mean) / deviation
    return rounded(max(-1.0, min(1.0, cosine)))


def rounded(number: float) -> float:
    """To 1e-4, half away from zero: the same in every language."""
    return (int(abs(number) * 10_000 + 0.5) / 10_000) * (1 if number >= 0 else -1)
