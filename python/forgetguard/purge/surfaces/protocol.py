"""What a surface is: one kind of place where memory text lies, and what it must be able to do.

    declares   what it covers, keeps by design and cannot reach, as codes; nothing is opened
    find       what would go, read without a trace
    erase      make it go, in the surface's own transaction or file replacement; doing it twice does nothing more
    residue    look for the bytes again, and for the keys; nothing is changed
    keys       the memories that lie here, so that those without lineage can be named
    holding    memories that stay and hold a needle: what several sessions said is not taken from the others

A surface raises Refused for what it will not touch, OSError or sqlite3.Error when a step fails; both are journaled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from forgetguard.purge.needles import Needles


class Standing(StrEnum):
    """What a finding means for the result of a purge."""

    RESIDUE = "residue"
    CANNOT_PROVE = "cannot-prove"
    RETAINED = "retained"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Targets:
    """What a purge is about. `needles` is the text of what was found; `sessions` and `session_keys` are exact ids."""

    sessions: frozenset[str] = frozenset()
    session_keys: frozenset[str] = frozenset()
    entry_keys: frozenset[str] = frozenset()
    needles: Needles = field(default_factory=Needles, repr=False)


@dataclass(frozen=True, slots=True)
class Artefact:
    """One thing to erase: what it is counted as, where it stands, its text, and an id that is stable within that place.

    The id of a memory is its entry key; any id is kept as a keyed digest only, so it may be made from content.
    """

    kind: str
    place: str
    id: str = field(repr=False)
    text: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to report about a place: a stable code, never any text of it. `retry`: trying again later may help."""

    standing: Standing
    place: str
    code: str
    count: int = 1
    retry: bool = False


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a surface is good for, in codes: for the report, the receipt and `doctor`.

    `evidence`: it holds what other surfaces are found by, so it is erased last. `by_text`: it is found by needles too.
    """

    kind: str
    covers: tuple[str, ...] = ()
    retains: tuple[str, ...] = ()
    not_covered: tuple[str, ...] = ()
    method: tuple[str, ...] = ()
    evidence: bool = False
    by_text: bool = False


@dataclass(frozen=True, slots=True)
class Erased:
    """What a surface erased, and what it could not do. A finding with `retry` makes the next run try again."""

    counts: Mapping[str, int] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


class Work(Protocol):
    """What a surface tells while it erases; everything is sealed in the journal before anything is deleted.

    `resumed`: an earlier attempt at this step was cut short or could not finish, so traces of it may be left.
    """

    @property
    def resumed(self) -> bool:
        """Whether to clean up although nothing is left to delete."""

    def saw(self, artefacts: Iterable[Artefact]) -> None:
        """These are about to go: call inside the transaction or lock that deletes them, before the deletion."""

    def touching(self, place: str, prehash: bytes) -> None:
        """A file is about to be replaced; `prehash` is the digest of what stands there."""

    def progress(self, done: int, total: int) -> None:
        """For long steps."""


class Surface:
    """The base of every surface: subclass it and give `name`, `declares`, `find`, `erase` and `residue`."""

    name: str

    def declares(self) -> Declaration:
        """What this surface covers, keeps and cannot reach."""
        raise NotImplementedError

    def find(self, targets: Targets) -> Iterator[Artefact | Finding]:
        """What would go, in the order in which it stands, and what is refused or kept. Leaves no trace."""
        raise NotImplementedError

    def erase(self, targets: Targets, work: Work) -> Erased:
        """Make it go. Selects again for itself: what was found before may have changed."""
        raise NotImplementedError

    def residue(self, targets: Targets) -> Iterator[Finding]:
        """Where text or keys are left. Changes nothing."""
        raise NotImplementedError

    def keys(self) -> Iterator[str]:
        """The keys of all memories that lie here, streamed."""
        return iter(())

    def holding(self, targets: Targets) -> Iterator[tuple[str, str]]:  # noqa: ARG002 - subclasses use it
        """(key, text) of every memory here that is not selected and holds a needle."""
        return iter(())
