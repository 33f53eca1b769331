"""Many forgotten facts at once: only those that a candidate could restate are decided (`postings`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from forgetguard.rules.cuts import cuts
from forgetguard.rules.features import features_of
from forgetguard.rules.matching import ANCHOR_SIMILARITY, Decision, judge
from forgetguard.rules.postings import Postings
from forgetguard.rules.question import ANCHOR, SIMILARITY, WORDS, Hope, Question
from forgetguard.rules.readings import Reading, readings
from forgetguard.rules.sentences import sentences
from forgetguard.rules.tokens import Parsed, parse
from forgetguard.rules.vectors import Embedding, Scale, alike, similar

Row = tuple[str, bytes | None, str]
"""A text, its embedding as int8, and the model that made it."""
Embed = Callable[[list[str]], Sequence[tuple[bytes, str] | None]]
"""What embeds texts: as int8, and the model that made them; None for one that could not be embedded."""


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
    embedding: Embedding | None

    def is_by(self, model: str) -> bool:
        """Whether its embedding was made by this model."""
        return self.embedding is not None and self.embedding.model == model


class Index:
    """Facts by slot, in the order in which they were added. Texts are cleaned already (`text.clean`)."""

    def __init__(self, aliases: tuple[str, ...] = (), past: str = "drop", wordnet: bool = True) -> None:
        self._aliases = aliases
        self._past = past
        self._wordnet = wordnet
        self._facts: list[_Fact | None] = []
        self._postings = Postings()

    def add(self, text: str, values: bytes | None = None, model: str = "") -> int:
        """The slot of a new fact. `values`: its embedding as int8."""
        parsed = parse(text, self._aliases)
        slot = len(self._facts)
        self._facts.append(_Fact(parsed, None if values is None else Embedding.of(values, model)))
        self._postings.add(features_of(parsed, self._wordnet))
        return slot

    def add_many(self, rows: Iterable[Row]) -> int:
        """The slot of the first of several new facts; the others follow it, in order."""
        first = len(self._facts)
        for row in rows:
            self.add(*row)
        return first

    def remove(self, slot: int) -> None:
        """Take a fact out. Its slot is never used again."""
        fact = self._facts[slot]
        if fact is not None:
            self._facts[slot] = None
            self._postings.remove(slot, features_of(fact.parsed, self._wordnet))

    def match(self, text: str, values: bytes | None = None, model: str = "", scale: Scale | None = None) -> Hit | None:
        """The first fact in slot order that `text` restates, a drop before a hold."""
        candidate = readings(text, self._aliases)
        asked = Embedding.of(values, model) if values else None
        held: Hit | None = None
        for slot, fact, hope in self._related(candidate, asked is not None):
            own, similarity = fact.embedding, None
            if asked and own and asked.is_comparable(own):
                if hope == WORDS:
                    similarity = similar(asked, own, scale)
                elif (similarity := alike(asked, own, ANCHOR_SIMILARITY, scale)) is None:
                    continue
            elif hope == SIMILARITY:
                continue
            decision = self._judge(candidate, fact, similarity)
            if decision.action == "drop":
                return _hit(slot, decision, similarity)
            if decision.action == "hold" and held is None:
                held = _hit(slot, decision, similarity)
        return held

    def match_many(self, rows: Sequence[Row], scale: Scale | None = None) -> list[Hit | None]:
        """`match` for each row, in order."""
        return [self.match(text, values, model, scale) for text, values, model in rows]

    def needs_embedding(self, text: str, model: str = "") -> bool:
        """Whether an embedding of `text` by `model` could change what `match` answers."""
        candidate = readings(text, self._aliases)
        for _, fact, hope in self._related(candidate, True):
            compared = fact.is_by(model)
            if hope == SIMILARITY or (hope == ANCHOR and compared):
                if compared and self._judge(candidate, fact, 1.0).action != "store":
                    return True
                continue
            if not compared:
                if self._judge(candidate, fact, None).action == "drop":
                    return False
                continue
            low, high = self._judge(candidate, fact, -1.0), self._judge(candidate, fact, 1.0)
            if low != high:
                return True
            if low.action == "drop":
                return False
        return False

    def ask_many(self, rows: Iterable[tuple[str, str]]) -> list[tuple[bool, Hit | None]]:
        """For each text and model: whether its embedding could change the answer; and if not, the answer."""
        return [
            (True, None) if self.needs_embedding(text, model) else (False, self.match(text)) for text, model in rows
        ]

    def scrub(
        self, text: str, embed: Embed | None = None, model: str = "", scale: Scale | None = None
    ) -> tuple[list[tuple[int, int, Hit]], list[tuple[int, int, str]]]:
        """The spans of a text that restate something, and what to cut for them.

        A sentence of several clauses is asked clause by clause, and as a whole only if no clause restates anything.
        `embed` is given those texts whose answer an embedding by `model` could change.
        """
        plan = sentences(text, self._aliases)
        found = iter(self._answers([c.text for s in plan for c in s.clauses], embed, model, scale))
        by_clause = [[next(found) for _ in sentence.clauses] for sentence in plan]
        whole = [n for n, s in enumerate(plan) if len(s.clauses) > 1 and not any(by_clause[n])]
        texts = [text[plan[n].start : plan[n].end] for n in whole]
        by_sentence = dict(zip(whole, self._answers(texts, embed, model, scale), strict=True))
        restated: list[tuple[int, int, Hit]] = []
        gone: list[tuple[int, int | None]] = []
        for at, sentence in enumerate(plan):
            if (hit := by_sentence.get(at)) is not None:
                gone.append((at, None))
                restated.append((sentence.start, sentence.end, hit))
            for n, (clause, hit) in enumerate(zip(sentence.clauses, by_clause[at], strict=True)):
                if hit is not None:
                    gone.append((at, n))
                    restated.append((clause.start, clause.end, hit))
        return restated, cuts(text, self._aliases, gone) if gone else []

    def _answers(self, texts: list[str], embed: Embed | None, model: str, scale: Scale | None) -> list[Hit | None]:
        """What each text restates, with an embedding where one could change it."""
        if embed is None:
            return [self.match(text) for text in texts]
        answers = self.ask_many((text, model) for text in texts)
        wanted = [n for n, (is_wanted, _) in enumerate(answers) if is_wanted]
        made = dict(zip(wanted, embed([texts[n] for n in wanted]), strict=True)) if wanted else {}
        rows = [(texts[n], *(row or (None, ""))) for n, row in made.items()]
        embedded = dict(zip(wanted, self.match_many(rows, scale), strict=True))
        return [embedded.get(n, hit) for n, (_, hit) in enumerate(answers)]

    def _judge(self, candidate: tuple[Reading, ...], fact: _Fact, similarity: float | None) -> Decision:
        return judge(candidate, fact.parsed, similarity, past=self._past, wordnet=self._wordnet)

    def _related(self, candidate: tuple[Reading, ...], compared: bool) -> Iterator[tuple[int, _Fact, Hope]]:
        """The facts that some reading may restate, in slot order, and what each is asked for (`question`).

        `compared`: there may be a similarity.
        """
        for slot, hope in self._postings.related(Question(candidate, self._wordnet, compared)):
            fact = self._facts[slot]
            if fact is not None:
                yield slot, fact, hope


def _hit(slot: int, decision: Decision, similarity: float | None) -> Hit:
    return Hit(slot, decision.action, decision.code, decision.why, similarity, decision.coverage)


def explain(
    candidate: Row,
    fact: Row,
    scale: Scale | None,
    aliases: tuple[str, ...],
    past: str,
    wordnet: bool,
) -> tuple[str, str, str, float | None, float]:
    """Action, code, why, similarity and coverage of one candidate and one fact."""
    similarity = None
    (_, values, model), (_, own, own_model) = candidate, fact
    if values and own:
        similarity = similar(Embedding.of(values, model), Embedding.of(own, own_model), scale)
    parsed = parse(fact[0], aliases)
    decision = judge(readings(candidate[0], aliases), parsed, similarity, past=past, wordnet=wordnet)
    return decision.action, decision.code, decision.why, similarity, decision.coverage
