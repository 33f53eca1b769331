"""What could a candidate restate? Bounds on what a fact and a candidate can have in common.

A token of a fact that can align with one of a candidate has a feature in common with it (`features`). So the tokens
that share one bound from above what two texts have in common, and a fact is passed over only where no kind of match is
left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from forgetguard.rules.alignment import weight
from forgetguard.rules.features import LAST, Shape, claims, features, is_optional
from forgetguard.rules.matching import (
    ANCHOR_SHARE,
    CLAUSE_SHARE,
    ID_KINDS,
    LONG_ID,
    NOTE_SHARE,
    RARE,
    WORDS_SHARE,
)
from forgetguard.rules.readings import Reading

SLACK = 0.0005
"""What a share may lose to rounding before it is compared with its line."""
WORDS, ANCHOR, SIMILARITY = "words", "anchor", "similarity"
"""What a fact is asked for: some kind of match; an anchor of the whole text, for which the embeddings must be alike
where there are any; the same by fewer words, for which there must be embeddings."""
CODE_KINDS = (*ID_KINDS, "number")
"""Kinds of a candidate's tokens that may align with a code."""


class _Tokens(NamedTuple):
    """A reading's tokens: each has a bit, which further readings share."""

    bits: int
    required: int
    weights: dict[int, int]
    total: int
    clause: bool


class _Left(NamedTuple):
    """Which kinds of match are left for a fact that holds some of a candidate's tokens."""

    code: bool
    anchor: bool
    clause_anchor: bool
    near_anchor: bool
    subset: bool
    clause: bool


class Question:
    """A candidate's readings as sets of tokens. `compared`: there may be a similarity."""

    def __init__(self, candidate: Sequence[Reading], wordnet: bool, compared: bool) -> None:
        self.features: list[tuple[str, int]] = []
        self.exact = {reading.parsed.exact for reading in candidate}
        self._request = candidate[0].request
        self._compared = compared
        self._codes = 0
        self._left: dict[int, _Left] = {}
        known: dict[tuple[object, ...], int] = {}
        self._readings = [self._tokens(reading, wordnet, known) for reading in candidate]
        self.hopeful = sum(bit for bit in known.values() if self._request or any(self._what_is_left(bit)))
        """Tokens that may be enough alone."""

    def _tokens(self, reading: Reading, wordnet: bool, known: dict[tuple[object, ...], int]) -> _Tokens:
        bits = required = total = 0
        weights: dict[int, int] = {}
        language = reading.parsed.language
        for token in claims(reading.parsed):
            # What tokens with the same features share.
            identity = (token.kind, token.key, token.form, token.relation, language)
            bit = known.get(identity, 0)
            if not bit:
                bit = known[identity] = 1 << len(known)
                self.features.extend((feature, bit) for feature in features(token, language, wordnet, False))
                self._codes |= bit if token.kind in CODE_KINDS and len(token.key) >= LONG_ID else 0
            bits |= bit
            weights[bit] = weights.get(bit, 0) + weight(token)
            if not is_optional(token):
                required |= bit
                total += weight(token)
        return _Tokens(bits, required, weights, total, reading.clause)

    def may_match(self, own: int, asked: int, shape: Shape) -> str:
        """What a fact is to be asked for that has at most this in common with the candidate, or "" for nothing."""
        if own | shape.optional == shape.all:
            return WORDS  # superset
        left = self._left.get(asked)
        if left is None:
            left = self._left[asked] = self._what_is_left(asked)
        if not (self._request or any(left)):
            return ""
        held = sum(w for n, w in enumerate(shape.weights) if own >> n & 1) / max(shape.total, 1)
        if held >= NOTE_SHARE - SLACK and (self._request or left.code):
            return WORDS  # note; id, which leaves at most two others beside the code that weighs as much as any
        several = own >> LAST or own & (own - 1)
        if left.subset and (several or any(w > RARE for n, w in enumerate(shape.weights) if own >> n & 1)):
            return WORDS
        if left.clause and several and held >= CLAUSE_SHARE - SLACK:
            return WORDS
        if not own & shape.anchors:
            return ""
        if left.clause_anchor and held >= WORDS_SHARE - SLACK:
            return WORDS
        if left.anchor and held >= WORDS_SHARE - SLACK:
            return ANCHOR
        return SIMILARITY if left.near_anchor and held >= ANCHOR_SHARE - SLACK else ""

    def _what_is_left(self, asked: int) -> _Left:
        anchor = clause_anchor = near_anchor = subset = clause = False
        for reading in self._readings:
            common = asked & reading.bits
            if not common:
                continue
            if common & reading.required == reading.required:
                subset, clause = subset or not reading.clause, clause or reading.clause
            held = sum(w for bit, w in reading.weights.items() if common & bit)
            if held >= (WORDS_SHARE - SLACK) * reading.total:
                anchor, clause_anchor = anchor or not reading.clause, clause_anchor or reading.clause
            # The similarity is of the whole text; where it is high enough for an anchor, a clause has none.
            near = self._compared and not reading.clause
            near_anchor = near_anchor or (near and held >= (ANCHOR_SHARE - SLACK) * reading.total)
        return _Left(bool(asked & self._codes), anchor, clause_anchor, near_anchor, subset, clause)
