"""What could a candidate restate? Bounds on what a fact and a candidate can have in common.

A token of a fact that can align with one of a candidate has a feature in common with it (`features`). So the tokens
that share one bound from above what two texts have in common, and a fact is passed over only where no kind of match is
left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

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
from forgetguard.rules.tokens import Token

SLACK = 0.0005
"""What a share may lose to rounding before it is compared with its line."""
Hope = Literal["words", "anchor", "similarity"]
"""What a fact is asked for: some kind of match; an anchor of the whole text, for which the embeddings must be alike
where there are any; the same by fewer words, for which there must be embeddings."""
WORDS: Hope = "words"
ANCHOR: Hope = "anchor"
SIMILARITY: Hope = "similarity"
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
    """Which kinds of match are left for a fact that holds some of a candidate's tokens.

    `named`: a request or a code names it. `subset`: the candidate adds nothing. `anchor`: both say much of each other.
    `near_anchor`: they say enough of each other for embeddings that are alike. `…_of_clause`: a clause does.
    """

    named: bool
    subset: bool
    subset_of_clause: bool
    anchor: bool
    anchor_of_clause: bool
    near_anchor: bool


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
        self.hopeful = sum(bit for bit in known.values() if any(self._what_is_left(bit)))
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
                self._codes |= bit if _may_be_code(token) else 0
            bits |= bit
            weights[bit] = weights.get(bit, 0) + weight(token)
            if not is_optional(token):
                required |= bit
                total += weight(token)
        return _Tokens(bits, required, weights, total, reading.clause)

    def may_match(self, own: int, asked: int, shape: Shape) -> Hope | None:
        """What is left for a fact that has at most this in common with the candidate."""
        if own & shape.required == shape.required:
            return WORDS  # superset
        left = self._left.get(asked)
        if left is None:
            left = self._left[asked] = self._what_is_left(asked)
        if not any(left):
            return None
        held = sum(w for n, w in enumerate(shape.weights) if own >> n & 1) / max(shape.total, 1)
        if left.named and held >= NOTE_SHARE - SLACK:
            return WORDS  # note; id, which leaves at most two others beside the code that weighs as much as any
        several = own >> LAST or own & (own - 1)
        if left.subset and (several or any(w > RARE for n, w in enumerate(shape.weights) if own >> n & 1)):
            return WORDS
        if left.subset_of_clause and several and held >= CLAUSE_SHARE - SLACK:
            return WORDS
        if not own & shape.anchors:
            return None
        if left.anchor_of_clause and held >= WORDS_SHARE - SLACK:
            return WORDS
        if left.anchor and held >= WORDS_SHARE - SLACK:
            return ANCHOR
        return SIMILARITY if left.near_anchor and held >= ANCHOR_SHARE - SLACK else None

    def _what_is_left(self, asked: int) -> _Left:
        whole_subset = clause_subset = whole_anchor = clause_anchor = near = False
        for reading in self._readings:
            common = asked & reading.bits
            if not common:
                continue
            held = sum(w for bit, w in reading.weights.items() if common & bit)
            subset = common & reading.required == reading.required
            anchor = held >= (WORDS_SHARE - SLACK) * reading.total
            if reading.clause:
                clause_subset, clause_anchor = clause_subset or subset, clause_anchor or anchor
                continue
            whole_subset, whole_anchor = whole_subset or subset, whole_anchor or anchor
            # The similarity is of the whole text; where it is high enough for an anchor, a clause has none.
            near = near or (self._compared and held >= (ANCHOR_SHARE - SLACK) * reading.total)
        named = self._request or bool(asked & self._codes)
        return _Left(named, whole_subset, clause_subset, whole_anchor, clause_anchor, near)


def _may_be_code(token: Token) -> bool:
    """Whether a candidate's token may align with a code.

    Only with an equal one, or one that shares `SUFFIX_DIGITS` with it, so it is no shorter than `LONG_ID`.
    """
    return token.kind in CODE_KINDS and len(token.key) >= LONG_ID
