"""How alike two embeddings are, as int8, and whether they may be alike enough."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from operator import mul

OFFSET, SLOPE = 0.358, 0.169
"""MiniLM's null distribution over unrelated facts, mean and sd: the scale on which every line is stated."""
SLACK = 0.001
"""What a root or a similarity may lose to rounding, or gain."""

Scale = tuple[float, float]
"""Mean and sd of a model's null distribution; without one the cosine is used as it is."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """Signed bytes, one a dimension, and the model that made them: those of different models are never compared.

    `all` and `rest` are sums of squares: of all values, and of those behind the middle.
    """

    values: Sequence[int] = field(repr=False)
    model: str
    all: int = field(repr=False)
    rest: int = field(repr=False)

    @classmethod
    def of(cls, values: bytes, model: str) -> Embedding:
        """The embedding of these signed bytes."""
        numbers = array("b", values)
        rest = numbers[len(numbers) // 2 :]
        return cls(numbers, model, _dot(numbers, numbers), _dot(rest, rest))

    def is_comparable(self, other: Embedding) -> bool:
        """Whether the two are of one model and length, and neither is zero."""
        same = self.model == other.model and len(self.values) == len(other.values)
        return same and self.all != 0 and other.all != 0


def similar(a: Embedding, b: Embedding, scale: Scale | None) -> float | None:
    """Cosine on MiniLM's scale, rounded to 1e-4; None for two that cannot be compared.

    The dot product is an exact integer, so it is the same on every machine.
    """
    return _scaled(_dot(a.values, b.values), a, b, scale) if a.is_comparable(b) else None


def alike(a: Embedding, b: Embedding, least: float, scale: Scale | None) -> float | None:
    """The same if it is at least `least`, which is more than -1, where similarities end.

    Most are told by their first half: the rest adds no more than the product of its lengths.
    """
    if not a.is_comparable(b):
        return None
    half = len(a.values) // 2
    first = _dot(a.values[:half], b.values[:half])
    cosine = _unscaled(least - SLACK, scale)
    if first + sqrt(a.rest * b.rest) + SLACK < cosine * sqrt(a.all * b.all):
        return None
    similarity = _scaled(first + _dot(a.values[half:], b.values[half:]), a, b, scale)
    return similarity if similarity >= least else None


def _dot(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(map(mul, a, b))


def _scaled(dot: int, a: Embedding, b: Embedding, scale: Scale | None) -> float:
    cosine = dot / sqrt(a.all * b.all)
    if scale is not None:
        mean, deviation = scale
        cosine = OFFSET + SLOPE * (cosine - mean) / deviation
    return _rounded(max(-1.0, min(1.0, cosine)))


def _unscaled(similarity: float, scale: Scale | None) -> float:
    """The cosine that `_scaled` makes a similarity of, before it is rounded."""
    if scale is None:
        return similarity
    mean, deviation = scale
    return (similarity - OFFSET) * deviation / SLOPE + mean


def _rounded(number: float) -> float:
    """To 1e-4, half away from zero: the same in every language."""
    return (int(abs(number) * 10_000 + 0.5) / 10_000) * (1 if number >= 0 else -1)
