"""Which of many facts could a candidate restate? An inverted index: the answer is that of asking every fact."""

from __future__ import annotations

from collections.abc import Iterator

from forgetguard.rules.features import FACT_BITS, LAST, Features, Shape, Term
from forgetguard.rules.question import WORDS, Hope, Question

TOKEN_BITS = 4
"""Bits of a posting that number the token in its fact; the others are the slot."""
TOKEN = (1 << TOKEN_BITS) - 1
OWN = (1 << FACT_BITS) - 1
"""Bits of an entry's account that are its own tokens; the candidate's stand above them."""


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
        """Facts of which one token that both texts hold may be enough, or more tokens than have bits of their own."""

    def add(self, features: Features) -> None:
        """Take in the fact of the next slot."""
        slot = len(self._shapes)
        self._shapes.append(features.shape)
        if len(features.shape.weights) > LAST or not _several(features.shape.required):
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

    def related(self, question: Question) -> Iterator[tuple[int, Hope]]:
        """The slots whose facts the candidate may restate, in order, and what each is asked for (`question`)."""
        accounts: dict[int, int] = {}
        worth: set[int] = set()  # most facts that share anything share one token: enough for few of them
        for term, asked in self._asked(question).items():
            postings = self._lists[term]
            shared = [asked << FACT_BITS | 1 << token for token in range(FACT_BITS)]
            for posting in postings:
                slot = posting >> TOKEN_BITS
                if slot in accounts:
                    accounts[slot] |= shared[posting & TOKEN]
                    worth.add(slot)
                else:
                    accounts[slot] = shared[posting & TOKEN]
            if _several(asked) or asked & question.hopeful:
                worth.update(posting >> TOKEN_BITS for posting in postings)
        worth |= accounts.keys() & self._short
        exact = {slot for form in question.exact for slot in self._exact.get(form, ())}
        for slot in sorted(exact | worth):
            shape = self._shapes[slot]
            if slot in exact:
                yield slot, WORDS
            elif shape is not None:
                account = accounts[slot]
                if hope := question.may_match(account & OWN, account >> FACT_BITS, shape):
                    yield slot, hope

    def _asked(self, question: Question) -> dict[Term, int]:
        """The terms that a question asks for, each with the bits of its tokens."""
        asked: dict[Term, int] = {}
        for feature, bit in question.features:
            for term in self._terms.get(feature, ()):
                asked[term] = asked.get(term, 0) | bit
        return asked


def _several(bits: int) -> int:
    """Not zero if more than one bit is set."""
    return bits & (bits - 1)
