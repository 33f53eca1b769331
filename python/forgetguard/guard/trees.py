"""Walking a structure of dicts, lists and strings, as JSON makes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from forgetguard.errors import InvalidInput
from forgetguard.guard.verdicts import Scrubbed, ScrubbedTree

MAX_DEPTH = 200
_GONE = object()


@dataclass(slots=True)
class _Walk:
    """One walk. Strings that have nothing left go from lists; in a dict the key stays, with an empty string."""

    scrub: Callable[[str], Scrubbed]
    removed: int = 0
    left: int = 0
    degraded: bool = False
    above: set[int] = field(default_factory=set)

    def visit(self, value: object) -> object:
        if isinstance(value, str):
            return self._string(value)
        if not isinstance(value, (dict, list, tuple)):
            return value
        if id(value) in self.above or len(self.above) >= MAX_DEPTH:
            raise InvalidInput("the structure is nested too deeply, or contains itself")
        self.above.add(id(value))
        try:
            if isinstance(value, dict):
                return {key: "" if (new := self.visit(old)) is _GONE else new for key, old in value.items()}
            kept = [new for old in value if (new := self.visit(old)) is not _GONE]
            return kept if isinstance(value, list) else tuple(kept)
        finally:
            self.above.discard(id(value))

    def _string(self, value: str) -> object:
        answer = self.scrub(value)
        self.removed += len(answer.removed)
        self.degraded |= answer.degraded
        if answer.empty and (answer.removed or answer.degraded):
            return _GONE
        self.left += bool(answer.text.strip())
        return answer.text


def scrub_tree(value: object, scrub: Callable[[str], Scrubbed]) -> ScrubbedTree:
    """A copy of `value` with every string scrubbed; keys and everything else stay. Raises InvalidInput (too deep)."""
    walk = _Walk(scrub)
    answer = walk.visit(value)
    return ScrubbedTree("" if answer is _GONE else answer, walk.removed, walk.left == 0, walk.degraded)
