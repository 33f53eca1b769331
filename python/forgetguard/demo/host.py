"""A small memory host with the ways in that real ones have: extraction, updates, imports, a retry queue, summaries.

Without hooks it behaves as agents do today. With hooks it asks them wherever its memory is written. The tests use it as
well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from forgetguard.demo import extractor
from forgetguard.hooks import Hooks
from forgetguard.values import Action, Candidate


@dataclass(slots=True)
class Host:
    """An agent's memory: `facts` by id, `summaries`, a `retry` queue, and the transcript that they are made from."""

    hooks: Hooks | None = None
    transcript: list[str] = field(default_factory=list, repr=False)
    facts: dict[str, str] = field(default_factory=dict, repr=False)
    summaries: list[str] = field(default_factory=list, repr=False)
    retry: list[Candidate] = field(default_factory=list, repr=False)
    made: int = 0

    def hear(self, message: str) -> None:
        """A turn of the user's: kept in the transcript, and extracted at once."""
        self.transcript.append(message)
        self.extract([message])

    def extract(self, messages: Iterable[str]) -> None:
        """Automatic extraction: restate what the messages say, and store what is new."""
        self.write([Candidate(fact) for message in messages for fact in extractor.facts(message)])

    def compact(self) -> None:
        """Before the context is shortened, everything is read once more."""
        self.extract(self.transcript)

    def end_session(self) -> None:
        """At the end everything is read once more, and a summary is kept."""
        self.extract(self.transcript)
        self.summarise()

    def summarise(self) -> None:
        """Keep a summary of the transcript."""
        text: str | None = extractor.summary(self.transcript)
        if self.hooks is not None:
            text = self.hooks.debrief(text).text
        if text:
            self.summaries.append(text)

    def mirror(self, other: Mapping[str, str]) -> None:
        """Copy what another store holds; an id that is here already is replaced."""
        for name, text in other.items():
            if self.hooks is None or self.hooks.remember(text, explicit=False).store:
                self.facts[name] = text

    def write(self, candidates: Sequence[Candidate]) -> None:
        """Carry out what extraction wants to do."""
        if self.hooks is not None:
            answer = self.hooks.extraction(candidates)
            self.retry += answer.deferred
            candidates = answer.store
        for candidate in candidates:
            self._carry_out(candidate)

    def write_failed(self, candidates: Iterable[Candidate]) -> None:
        """The store was busy: the candidates wait in the retry queue, undecided."""
        self.retry += candidates

    def retry_all(self) -> None:
        """Write what waits in the retry queue."""
        waiting, self.retry = self.retry, []
        self.write(waiting)

    def forget(self, name: str) -> None:
        """The user asks to forget one memory. The request itself is a turn, and is read like any other."""
        text = self.facts[name]
        if self.hooks is None:
            del self.facts[name]
        else:
            with self.hooks.guard.forgetting(ids=[name], fetch=self.facts.get):
                del self.facts[name]
        self.hear(f"{extractor.REQUEST}{text[:1].lower()}{text[1:]}.")

    def remember(self, text: str) -> None:
        """The user asks, explicitly, to remember something."""
        if self.hooks is None or self.hooks.remember(text, explicit=True).store:
            self._carry_out(Candidate(text))

    def find(self, part: str) -> str:
        """The id of the memory that holds `part`. Raises LookupError."""
        for name, text in self.facts.items():
            if part in text:
                return name
        raise LookupError("no memory holds it")

    def holds(self, part: str) -> bool:
        """Whether any memory or summary holds `part`."""
        return any(part in text for text in (*self.facts.values(), *self.summaries))

    def _carry_out(self, candidate: Candidate) -> None:
        if candidate.action is Action.DELETE and candidate.target is not None:
            self.facts.pop(candidate.target, None)
        elif candidate.action is Action.UPDATE and candidate.target is not None:
            self.facts[candidate.target] = candidate.text
        elif candidate.action is Action.ADD and candidate.text not in self.facts.values():
            self.made += 1
            self.facts[f"m{self.made}"] = candidate.text
