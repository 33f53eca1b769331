"""Which of many facts could a candidate restate? An inverted index, and bounds on what two texts can have in common.

A fact's token that can align with a candidate's has a feature in common with it. So what an entry's postings say of it
bounds from above what it has in common with the candidate, and `Question` passes over an entry only where no kind of
match is left: the index answers as asking every fact would.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from forgetguard.rules.alignment import MEANING_KINDS, SUFFIX_DIGITS, content, meanings, name_variants, weight
from forgetguard.rules.matching import (
    ANCHOR_SHARE,
    ANCHOR_WORDS,
    CLAUSE_SHARE,
    ID_KINDS,
    NOTE_SHARE,
    RARE,
    WORDS_SHARE,
)
from forgetguard.rules.readings import Reading
from forgetguard.rules.tokens import Parsed, Token

TOKEN_BITS = 4
"""Bits of a posting that number the token in its fact, the last number for all that follow; the others are the slot."""
LAST = (1 << TOKEN_BITS) - 1
FACT_BITS = 1 << TOKEN_BITS
"""Bits of an entry's account that are its own tokens; the candidate's stand above them."""
OWN = (1 << FACT_BITS) - 1
SLACK = 0.0005
"""What a share may lose to rounding before it is compared with its line."""
WORDS, SIMILARITY = "words", "similarity"
"""What a fact is asked for: some kind of match, or only an anchor, for which the embeddings must be alike."""
CODE_KINDS = (*ID_KINDS, "number")
"""Kinds of a candidate's tokens that may align with a code."""


class Shape(NamedTuple):
    """The weights of a fact's tokens; the last number stands for all that follow, and may weigh as much as the whole.

    `optional`: tokens that count only if the candidate says them too; `total` is the weight of the others.
    """

    weights: tuple[int, ...]
    total: int
    all: int
    optional: int
    words: int


Term = tuple[str, ...]
"""A token as facts have it: its features."""


class Features(NamedTuple):
    """What a fact is found by: its exact form, and its terms, each with its token's number; the tokens' weights."""

    exact: str
    found_by: tuple[tuple[Term, int], ...]
    shape: Shape


class Postings:
    """An inverted index: facts by what they can be found by.

    A word has several features, and most facts with one of them say that word: so each is listed once, by its term.
    """

    def __init__(self) -> None:
        self._terms: dict[str, list[Term]] = {}
        self._lists: dict[Term, list[int]] = {}
        self._exact: dict[str, list[int]] = {}
        self._shapes: list[Shape | None] = []
        self._short: set[int] = set()

    def add(self, features: Features) -> None:
        """Take in the fact of the next slot."""
        slot = len(self._shapes)
        self._shapes.append(features.shape)
        if not _several(features.shape.all & ~features.shape.optional):
            self._short.add(slot)
        self._exact.setdefault(features.exact, []).append(slot)
        for term, token in features.found_by:
            if term not in self._lists:
                self._lists[term] = []
                for feature in term:
                    self._terms.setdefault(feature, []).append(term)
            self._lists[term].append(slot << TOKEN_BITS | token)

    def remove(self, slot: int, features: Features) -> None:
        """Take a fact out; its slot stays empty."""
        self._shapes[slot] = None
        self._short.discard(slot)
        self._exact[features.exact].remove(slot)
        for term, token in features.found_by:
            self._lists[term].remove(slot << TOKEN_BITS | token)
            if not self._lists[term]:
                del self._lists[term]
                for feature in term:
                    self._terms[feature].remove(term)

    def related(self, question: Question) -> Iterator[tuple[int, bool]]:
        """The slots whose facts the candidate may restate, in order, and whether only if the embeddings are alike."""
        accounts: dict[int, int] = {}
        known = accounts.get
        for term, bits in self._asked(question).items():
            asked = bits << FACT_BITS
            for posting in self._lists[term]:
                slot = posting >> TOKEN_BITS
                accounts[slot] = known(slot, 0) | asked | 1 << (posting & LAST)
        exact = {slot for form in question.exact for slot in self._exact.get(form, ())}
        for slot in sorted(exact.union(self._worth_a_look(accounts, question.hopeful))):
            shape = self._shapes[slot]
            if slot in exact:
                yield slot, False
            elif shape is not None:
                account = accounts[slot]
                if hope := question.may_match(account & OWN, account >> FACT_BITS, shape):
                    yield slot, hope == SIMILARITY

    def _asked(self, question: Question) -> dict[Term, int]:
        """The terms that a question asks for, each with the bits of its tokens."""
        asked: dict[Term, int] = {}
        for feature, bit in question.features:
            for term in self._terms.get(feature, ()):
                asked[term] = asked.get(term, 0) | bit
        return asked

    def _worth_a_look(self, accounts: dict[int, int], hopeful: int) -> Iterator[int]:
        """Most facts that share anything share one token: enough for one that says no more, or if it weighs much."""
        for slot, account in accounts.items():
            own, asked = account & OWN, account >> FACT_BITS
            if account & hopeful or own & (own - 1) or asked & (asked - 1) or slot in self._short:
                yield slot


def _several(bits: int) -> int:
    """Not zero if more than one bit is set."""
    return bits & (bits - 1)


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
        alone = (bit for bit in known.values() if self._request or any(self._what_is_left(bit)))
        self.hopeful = 1 << LAST | sum(bit << FACT_BITS for bit in alone)
        """Bits of an account that may be enough alone."""

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
                self.features.extend((feature, bit) for feature in _features(token, language, wordnet, False))
                self._codes |= bit if token.kind in CODE_KINDS else 0
            bits |= bit
            weights[bit] = weights.get(bit, 0) + weight(token)
            if not _is_optional(token):
                required |= bit
                total += weight(token)
        return _Tokens(bits, required, weights, total, reading.clause)

    def may_match(self, own: int, asked: int, shape: Shape) -> str:
        """What is left for a fact that has at most this in common with the candidate: `WORDS`, `SIMILARITY` or ""."""
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
        if shape.words < ANCHOR_WORDS:
            return ""
        if left.anchor and held >= WORDS_SHARE - SLACK:
            return WORDS
        return SIMILARITY if left.near_anchor and held >= ANCHOR_SHARE - SLACK else ""

    def _what_is_left(self, asked: int) -> _Left:
        anchor = near_anchor = subset = clause = False
        for reading in self._readings:
            common = asked & reading.bits
            if not common:
                continue
            if common & reading.required == reading.required:
                subset, clause = subset or not reading.clause, clause or reading.clause
            held = sum(w for bit, w in reading.weights.items() if common & bit)
            anchor = anchor or held >= (WORDS_SHARE - SLACK) * reading.total
            # The similarity is of the whole text; where it is high enough for an anchor, a clause has none.
            near = self._compared and not reading.clause
            near_anchor = near_anchor or (near and held >= (ANCHOR_SHARE - SLACK) * reading.total)
        return _Left(bool(asked & self._codes), anchor, near_anchor, subset, clause)


def claims(parsed: Parsed) -> Iterable[Token]:
    """The tokens that carry a claim, and those that carry one beside a text that says the same."""
    labels = (t for t in parsed.tokens if t.role == "label" and t.kind not in ("mark", "negation", "user"))
    return (*content(parsed), *labels)


def _is_optional(token: Token) -> bool:
    """Whether a token claims nothing by itself."""
    return token.role != "content"


@lru_cache(maxsize=4096)
def features_of(parsed: Parsed, wordnet: bool) -> Features:
    """What a fact can be found by."""
    found: dict[tuple[Term, int], None] = {}
    weights: list[int] = []
    total = optional = words = 0
    for words, token in enumerate(claims(parsed), 1):
        number = min(words - 1, LAST)
        found[_features(token, parsed.language, wordnet, True), number] = None
        if len(weights) == number:
            weights.append(weight(token))
        if _is_optional(token):
            optional |= 1 << number
        else:
            total += weight(token)
    if words > LAST:
        weights[LAST] = total
    return Features(parsed.exact, tuple(found), Shape(tuple(weights), total, (1 << len(weights)) - 1, optional, words))


@lru_cache(maxsize=4096)
def _features(token: Token, language: str, wordnet: bool, of_fact: bool) -> tuple[str, ...]:
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
