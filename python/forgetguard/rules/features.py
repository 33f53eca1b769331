"""What a fact is found by: features of its tokens, and what they weigh.

Two tokens that can align have a feature in common, on whichever side they stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache, reduce
from operator import or_
from typing import NamedTuple

from forgetguard.rules.alignment import MEANING_KINDS, SUFFIX_DIGITS, content, meanings, name_variants, weight
from forgetguard.rules.matching import ANCHOR_WORDS, is_claim
from forgetguard.rules.tokens import Parsed, Token

FACT_BITS = 16
"""Bits for the tokens of a fact."""
LAST = FACT_BITS - 1
"""The number that a fact's last tokens share, if it has so many."""


class Shape(NamedTuple):
    """What is known of a fact's tokens. The last number stands for all that follow, and may weigh as much as the whole.

    `total`: the weight of those that count even if the candidate does not say them. `required`: the tokens that a text
    must hold to hold the whole fact. `anchors`: those of which an anchor holds one; none in a fact too short for an
    anchor.
    """

    weights: tuple[int, ...]
    total: int
    required: int
    anchors: int

    @classmethod
    def of(cls, tokens: Sequence[Token]) -> Shape:
        """The shape of a fact with these claims."""
        weights = [weight(token) for token in tokens]
        total = sum(weight(token) for token in tokens if not is_optional(token))
        if len(tokens) > LAST:
            weights[LAST:] = [total]
        required = _bits(n for n, token in enumerate(tokens) if not is_optional(token))
        anchors = _bits(n for n, token in enumerate(tokens) if is_claim(token)) if len(tokens) >= ANCHOR_WORDS else 0
        return cls(tuple(weights), total, required, anchors)


def _bits(places: Iterable[int]) -> int:
    """A bit for each token's number."""
    return reduce(or_, (1 << number(place) for place in places), 0)


def number(place: int) -> int:
    """The number of the token in this place."""
    return min(place, LAST)


Term = tuple[str, ...]
"""A token as facts have it: its features."""


class Features(NamedTuple):
    """What a fact is found by: its exact form, and its terms, each with its token's number; the tokens' weights."""

    exact: str
    found_by: tuple[tuple[Term, int], ...]
    shape: Shape


def claims(parsed: Parsed) -> Sequence[Token]:
    """The tokens that carry a claim, and those that carry one beside a text that says the same."""
    labels = (t for t in parsed.tokens if t.role == "label" and t.kind not in ("mark", "negation", "user"))
    return (*content(parsed), *labels)


def is_optional(token: Token) -> bool:
    """Whether a token claims nothing by itself."""
    return token.role != "content"


@lru_cache(maxsize=4096)
def features_of(parsed: Parsed, wordnet: bool) -> Features:
    """What a fact can be found by."""
    tokens = claims(parsed)
    found = {(features(token, parsed.language, wordnet, True), number(n)): None for n, token in enumerate(tokens)}
    return Features(parsed.exact, tuple(found), Shape.of(tokens))


@lru_cache(maxsize=4096)
def features(token: Token, language: str, wordnet: bool, of_fact: bool) -> tuple[str, ...]:
    """What a token is found by, each once. What meets its opposite is turned on one of the two sides."""
    found = [f"k{token.key}", f"k{token.form}"]
    if token.kind in ("name", "word"):
        found += (f"k{short}" for short in name_variants(token.form))
    if token.kind == "name" and token.form:
        found.append(f"{'ij'[(len(token.form) > 1) == of_fact]}{token.form[0]}")
    if token.kind in MEANING_KINDS:
        found += meanings(token, language, wordnet, 1 if of_fact else -1)
    if token.kind == "date":
        for reading in token.key.split("|"):
            parts = zip("ymd", reading.split("-"), strict=False)
            found += (f"{part}{value}" for part, value in parts if value != "0")
    elif token.kind in ("phone", "number") and len(token.key) >= SUFFIX_DIGITS:
        found.append(f"p{token.key[-SUFFIX_DIGITS:]}")
    elif token.kind == "cjk":
        found += (f"h{char}" for char in token.form)
    return tuple(dict.fromkeys(found))
