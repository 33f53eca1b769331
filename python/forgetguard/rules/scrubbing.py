"""A text without what restates a forgotten fact: by sentence, list item and clause."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from forgetguard.rules import _backend
from forgetguard.rules.restatement import ForgottenIndex, Match, Scale, checked_text
from forgetguard.values import Vector


@dataclass(frozen=True, slots=True)
class Removed:
    """A span that was cut, in code points of the text that was given, and the match it was cut for."""

    start: int
    end: int
    match: Match


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """What is left of a text. `empty`: no narrative is left (only headings and marks), so there is nothing to store."""

    text: str = field(repr=False)
    removed: tuple[Removed, ...]
    empty: bool


def scrub(
    text: str,
    index: ForgottenIndex,
    *,
    embedder: Callable[[str], Vector] | None = None,
    calibration: Scale | None = None,
) -> Scrubbed:
    """`text` without the sentences, list items and clauses that restate an entry of `index`, surely or likely.

    A sentence of several clauses is asked clause by clause, each behind the subject it takes over, and as a whole only
    if no clause restates anything. What is not cut is returned as it was, byte for byte. `embedder` embeds one sentence
    and is asked only where that could matter. Raises InvalidText.
    """
    restated, cuts = index.scrubbed(checked_text(text), embedder, calibration)
    left = _without(text, cuts) if cuts else text
    removed = tuple(Removed(start, end, match) for start, end, match in restated)
    return Scrubbed(left, removed, not _backend.has_narrative(checked_text(left)))


def _without(text: str, cuts: Sequence[tuple[int, int, str]]) -> str:
    out: list[str] = []
    last = 0
    for start, end, instead in cuts:
        out.extend((text[last:start], instead))
        last = end
    return "".join((*out, text[last:]))
