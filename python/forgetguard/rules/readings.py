"""A candidate as it is judged: whole, and clause by clause, each clause with the subject that it takes over."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from forgetguard.rules.clauses import Span, split
from forgetguard.rules.subjects import subject_of
from forgetguard.rules.text import clean
from forgetguard.rules.tokens import Parsed, parse


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a candidate: the whole text, or one clause of it (`start` and `end` in code points)."""

    parsed: Parsed = field(repr=False)
    start: int
    end: int
    clause: bool = False


@lru_cache(maxsize=1024)
def readings(text: str, aliases: tuple[str, ...] = ()) -> tuple[Reading, ...]:
    """The whole of `text` first, then its clauses if it has more than one."""
    text = clean(text)
    whole = Reading(parse(text, aliases), 0, len(text))
    spans = split(text)
    if len(spans) < 2:
        return (whole,)
    return (
        whole,
        *(Reading(_clause(text, spans, i, aliases), span.start, span.end, True) for i, span in enumerate(spans)),
    )


def _clause(text: str, spans: list[Span], i: int, aliases: tuple[str, ...]) -> Parsed:
    """A clause, behind the subject of the clause that it takes its subject from."""
    own = text[spans[i].start : spans[i].end]
    source = spans[i].inherits
    if source is None:
        return parse(own, aliases)
    head = text[spans[source].start : spans[source].end]
    subject = subject_of(parse(head, aliases))
    if not subject:
        return parse(own, aliases)
    return parse(head[: subject[-1].end] + " " + own, aliases)
