"""From candidates to verdicts: the rules, asked with the index as it is now, and with a vector where one can matter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from forgetguard import rules
from forgetguard.errors import LedgerUnavailable
from forgetguard.guard.embedding import Embedding
from forgetguard.guard.live import LiveIndex
from forgetguard.guard.policy import Policy
from forgetguard.guard.verdicts import NOTE, NOWHERE, PASSES, TOO_LONG, Cut, Decision, Position, Scrubbed, Use, Verdict
from forgetguard.ledger import Fact
from forgetguard.rules import MAX_TEXT, ForgottenIndex, Match, is_forget_request, match_forgotten
from forgetguard.values import Action, Candidate, Entry, Vector

if TYPE_CHECKING:
    from forgetguard.embedder import Calibration

PUTS_NOTHING_BACK = (Action.DELETE, Action.NOOP)


class Decider:
    """Decides, and writes nothing.

    `checked` and `deferred` count the texts that were asked about, `embedded` those of them that needed a vector made.
    """

    def __init__(
        self, live: LiveIndex, embedding: Embedding, policy: Policy, options: tuple[Sequence[str], str]
    ) -> None:
        self.checked = 0
        self.deferred = 0
        self.embedded = 0
        self._live = live
        self._embedding = embedding
        self._policy = policy
        self._aliases, self._past = options

    def decide(self, candidates: Sequence[Candidate], use: Use) -> list[Verdict]:
        """One verdict a candidate. Deletion notes and what puts nothing back need no ledger."""
        verdicts = [_without_ledger(one, use) for one in candidates]
        asked = [one for one, verdict in zip(candidates, verdicts, strict=True) if verdict is None]
        answers = iter(self._ask(asked, use)) if asked else iter(())
        return [next(answers) if verdict is None else verdict for verdict in verdicts]

    def _ask(self, candidates: Sequence[Candidate], use: Use) -> list[Verdict]:
        self.checked += len(candidates)
        try:
            matches, position = self._matches(candidates)
        except LedgerUnavailable as error:
            self.deferred += len(candidates)
            return [self._policy.unavailable(use, error.code, one.text) for one in candidates]
        pairs = zip(candidates, matches, strict=True)
        return [_verdict(match, position, one) for one, match in pairs]

    def _matches(self, candidates: Sequence[Candidate]) -> tuple[list[Match | None], Position]:
        vectors = [one.vector for one in candidates]
        if self._embedding.available:
            vectors = self._completed([one.text for one in candidates], vectors)
        calibration = self._embedding.calibration() if any(vectors) else None
        with self._live.reading() as (index, position):
            return _match_all(index, [one.text for one in candidates], vectors, calibration), position

    def _completed(self, texts: Sequence[str], vectors: list[Vector | None]) -> list[Vector | None]:
        """Embed those texts whose answer a vector could change; outside the index's lock, for it may take long."""
        without = [at for at, vector in enumerate(vectors) if vector is None]
        with self._live.reading() as (index, _):
            needs = index.need_embeddings([texts[at] for at in without], self._embedding.model)
        wanted = [at for at, is_needed in zip(without, needs, strict=True) if is_needed]
        self.embedded += len(wanted)
        made = self._made(texts, wanted)
        return [made.get(at, vector) for at, vector in enumerate(vectors)]

    def _made(self, texts: Sequence[str], places: Sequence[int]) -> dict[int, Vector | None]:
        """The embeddings of the texts in these places, made at one time; None where there could be none."""
        return dict(zip(places, self._embedding.vectors([texts[at] for at in places]), strict=True))

    def matching(self, text: str, vector: Vector | None) -> tuple[Entry, ...]:
        """Every entry that the text restates. Raises LedgerUnavailable."""
        if vector is None and self._embedding.available:
            (vector,) = self._completed([text], [None])
        calibration = _fitting(self._embedding.calibration(), vector) if vector is not None else None
        return self._live.all_matching(text, vector, calibration)

    def scrub(self, text: str, use: Use) -> Scrubbed:
        """The text without the clauses that restate something; withheld whole where the ledger cannot be asked."""
        if len(text) > MAX_TEXT:
            kept = text if use is Use.READ else ""
            action = Decision.KEEP if kept else Decision.DROP
            return Scrubbed(kept, (), not kept, action, TOO_LONG, degraded=True)
        try:
            found = self._scrubbed(text)
        except LedgerUnavailable as error:
            verdict = self._policy.unavailable(use, error.code)
            self.deferred += 1
            kept = text if verdict.kept else ""
            return Scrubbed(kept, (), not kept.strip(), verdict.action, error.code, degraded=True)
        cuts = tuple(
            Cut(one.start, one.end, Decision(one.match.action), one.match.kind, one.match.entry)
            for one in found.removed
        )
        return Scrubbed(found.text, cuts, found.empty)

    def _scrubbed(self, text: str) -> rules.Scrubbed:
        """Scrub with the vectors that are known; make those that were missed, with nothing locked; and once more."""
        vectors: dict[str, Vector | None] = {}
        calibration = None
        while True:
            asked = _Asked(self._embedding.model, vectors)
            with self._live.reading() as (index, _):
                embedder = cast(Callable[[str], Vector], asked) if self._embedding.available else None
                found = rules.scrub(text, index, embedder=embedder, calibration=calibration)
            if not asked.missing:
                return found
            vectors |= zip(asked.missing, self._embedding.vectors(list(asked.missing)), strict=True)
            calibration = self._embedding.calibration()

    def still_current(self, verdict: Verdict) -> bool:
        """Whether the same question would get the same answer now. Raises LedgerUnavailable."""
        delta, position = self._live.since(verdict.position)
        if position == verdict.position or verdict.reason in (NOTE, PASSES, TOO_LONG):
            return True
        if not verdict.kept:
            return verdict.entry is not None and verdict.entry.id not in delta.removed
        calibration = _fitting(self._embedding.calibration(), verdict.vector)
        return not match_forgotten(
            verdict.text, verdict.vector, delta.added, aliases=self._aliases, past=self._past, calibration=calibration
        )

    def standing(self, facts: Sequence[Fact]) -> list[str | None]:
        """For each fact the id of a committed entry with the very same text (and a vector if one is given), or None."""
        with self._live.reading() as (index, _):
            matches = index.match_many([fact.text for fact in facts])
        return [
            match.entry.id if match is not None and _stands(match.entry, fact) else None
            for fact, match in zip(facts, matches, strict=True)
        ]

    def restating(self, facts: Sequence[Fact], texts: Sequence[str]) -> list[Verdict]:
        """For each text the verdict if these facts alone were forgotten; an entry's id is the place of its fact."""
        index = ForgottenIndex(aliases=self._aliases, past=self._past)
        index.add(Entry(fact.text, str(at), fact.vector) for at, fact in enumerate(self.with_vectors(facts)))
        made: dict[int, Vector | None] = {}
        if self._embedding.available:
            needs = index.need_embeddings(texts, self._embedding.model)
            made = self._made(texts, [at for at, is_needed in enumerate(needs) if is_needed])
        vectors = [made.get(at) for at in range(len(texts))]
        calibration = self._embedding.calibration() if any(vectors) else None
        matches = _match_all(index, texts, vectors, calibration)
        return [_verdict(match, NOWHERE, Candidate(text)) for match, text in zip(matches, texts, strict=True)]

    def with_vectors(self, facts: Sequence[Fact]) -> list[Fact]:
        """The facts, each with a vector where there is an embedder that can make one."""
        missing = [at for at, fact in enumerate(facts) if fact.vector is None]
        made = self._made([fact.text for fact in facts], missing)
        return [Fact(fact.text, made[at], fact.origin) if at in made else fact for at, fact in enumerate(facts)]


@dataclass(slots=True)
class _Asked:
    """Answers with a known vector, and notes what is not known; None then, so the words alone decide for now."""

    model_id: str
    known: Mapping[str, Vector | None]
    missing: dict[str, None] = field(default_factory=dict)

    def __call__(self, text: str) -> Vector | None:
        if text not in self.known:
            self.missing[text] = None
        return self.known.get(text)


def _stands(entry: Entry, fact: Fact) -> bool:
    return entry.text == fact.text and not entry.pending and (fact.vector is None or entry.vector is not None)


def _without_ledger(candidate: Candidate, use: Use) -> Verdict | None:
    if candidate.action in PUTS_NOTHING_BACK:
        return Verdict(Decision.KEEP, PASSES, text=candidate.text)
    if is_forget_request(candidate.text):
        return Verdict(Decision.DROP, NOTE, text=candidate.text)
    if len(candidate.text) > MAX_TEXT:
        action = Decision.KEEP if use is Use.READ else Decision.HOLD
        return Verdict(action, TOO_LONG, degraded=True, text=candidate.text)
    return None


def _verdict(match: Match | None, position: Position, candidate: Candidate) -> Verdict:
    if match is None:
        return Verdict(Decision.KEEP, position=position, text=candidate.text, vector=candidate.vector)
    return Verdict(
        Decision(match.action), match.kind, match.entry, position, match.similarity, match.coverage,
        text=candidate.text, vector=candidate.vector,
    )  # fmt: skip


def _match_all(
    index: ForgottenIndex, texts: Sequence[str], vectors: Sequence[Vector | None], calibration: Calibration | None
) -> list[Match | None]:
    if calibration is None or all(one is None or one.model == calibration.model_id for one in vectors):
        return index.match_many(texts, vectors, calibration=calibration)
    # A calibration belongs to one model; cosines of another are used as they are.
    pairs = zip(texts, vectors, strict=True)
    return [index.match(text, vector, calibration=_fitting(calibration, vector)) for text, vector in pairs]


def _fitting(calibration: Calibration | None, vector: Vector | None) -> Calibration | None:
    fits = calibration is not None and vector is not None and vector.model == calibration.model_id
    return calibration if fits else None
