"""What the guard answers. All values are frozen, and none shows a text in its `repr`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, NoReturn, TypeVar

from forgetguard.errors import InvalidInput
from forgetguard.values import Entry, Vector

Item = TypeVar("Item")

NOTE = "note"
"""Reason: the text is a request to forget, or a note that something was deleted."""
PASSES = "passes"
"""Reason: a DELETE or a no-op; these put nothing back."""
TOO_LONG = "too-long"
"""Reason: the text is longer than the rules read (`forgetguard.rules.MAX_TEXT`); the rest may restate a fact."""
HOLD_UNRECORDED = "hold-unrecorded"
"""Reason: likely a restatement, but the review queue could not keep it; what happened then is the guard's setting."""


class Decision(StrEnum):
    """`drop` is sure, `hold` is likely: neither is stored. `defer` could not be decided now: try again later."""

    KEEP = "keep"
    DROP = "drop"
    HOLD = "hold"
    DEFER = "defer"


class Use(StrEnum):
    """What a text is wanted for; it decides what happens while the ledger is unavailable."""

    WRITE = "write"
    SUMMARY = "summary"
    READ = "read"

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:  # noqa: ARG003 - the signature of enum
        raise InvalidInput("a use is write, summary or read")


Position = tuple[int, int]
"""A moment of one guard's ledger: (which opening, which version of its entries)."""

NOWHERE: Position = (0, -1)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do with one text.

    `reason` is a stable code: empty for a plain keep; the kind of match (`exact`, `subset`, `superset`, `clause`, `id`,
    `anchor`); `note`; `passes`; `hold-unrecorded`; or, while the ledger is unavailable, its code.
    `entry` is the forgotten fact, for its owner's eyes. `degraded` says that the ledger could not be asked.
    """

    action: Decision
    reason: str = ""
    entry: Entry | None = field(default=None, repr=False)
    position: Position = NOWHERE
    similarity: float | None = None
    coverage: float = 0.0
    degraded: bool = False
    text: str = field(default="", repr=False)
    vector: Vector | None = field(default=None, repr=False)

    @property
    def kept(self) -> bool:
        """Whether the text may be stored."""
        return self.action is Decision.KEEP


@dataclass(frozen=True, slots=True)
class Filtered(Generic[Item]):
    """Items in their order, sorted by verdict; `verdicts` stands beside the items as they were given."""

    kept: tuple[Item, ...] = field(default=(), repr=False)
    dropped: tuple[Item, ...] = field(default=(), repr=False)
    held: tuple[Item, ...] = field(default=(), repr=False)
    deferred: tuple[Item, ...] = field(default=(), repr=False)
    verdicts: tuple[Verdict, ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """One clause that was taken out of a text: where it stood (code points), and what it restates."""

    start: int
    end: int
    action: Decision
    reason: str
    entry: Entry | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """A text without the clauses that restate something forgotten. `empty`: no narrative is left, store nothing.

    `action` is `defer` where nothing could be decided and the text was withheld whole.
    """

    text: str = field(repr=False)
    removed: tuple[Cut, ...] = ()
    empty: bool = False
    action: Decision = Decision.KEEP
    reason: str = ""
    degraded: bool = False


@dataclass(frozen=True, slots=True)
class ScrubbedTree:
    """A structure with every string in it scrubbed. `removed` counts clauses; `empty`: no string is left."""

    value: object = field(repr=False)
    removed: int = 0
    empty: bool = False
    degraded: bool = False


@dataclass(frozen=True, slots=True)
class Forgot:
    """`ids` of the ledger's entries, one a fact, in order. `found`: what `among` held that restates them."""

    ids: tuple[str, ...]
    found: tuple[Finding[object], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Remembered:
    """What an explicit remember did: `store` is always true.

    `release` is `done`, `none` (nothing forgotten restates it) or `pending` (the ledger is unavailable; the guard
    releases at the next chance). A dry run says what would be released.
    """

    release: str
    entries: tuple[Entry, ...] = field(default=(), repr=False)
    dry_run: bool = False
    store: bool = True


@dataclass(frozen=True, slots=True)
class Finding(Generic[Item]):
    """Something stored already that restates a forgotten fact: its place among the items, and why."""

    index: int
    item: Item = field(repr=False)
    verdict: Verdict
