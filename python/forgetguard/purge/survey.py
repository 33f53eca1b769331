"""What lies where, for a set of sessions: the one search that a preview and a purge share."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from forgetguard.errors import StoreUnreadable
from forgetguard.provenance.schema import batches
from forgetguard.purge.host import Host, Lineage
from forgetguard.purge.needles import Needles
from forgetguard.purge.surfaces.protocol import Artefact, Finding, Standing, Surface, Targets

T = TypeVar("T")
WAITS = (0.05, 0.2, 0.5, 1.0)  # seconds between looks


@dataclass(frozen=True, slots=True)
class Noted:
    """An artefact without its text. `number` parts those that have everything else in common."""

    surface: str
    kind: str
    place: str
    id: str = field(repr=False)
    number: int


def numbered(surface: str, artefacts: Iterable[Artefact], text: Callable[[Artefact], None]) -> Iterator[Noted]:
    """The artefacts without their texts, which `text` gets to see."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for one in artefacts:
        text(one)
        same = (one.kind, one.place, one.id)
        seen[same] += 1
        yield Noted(surface, *same, seen[same])


@dataclass(frozen=True)
class Survey:
    """`found` is what goes; its texts live on as needles only: `known` all of them, in `targets` those to look for.

    `shared` counts the needles that surviving memories of other sessions hold as well: these stay.
    """

    targets: Targets
    known: Needles = field(repr=False)
    found: tuple[Noted, ...] = field(repr=False)
    findings: tuple[tuple[str, Finding], ...] = ()
    mixed: tuple[str, ...] = ()
    untargetable: tuple[str, ...] = ()
    held_entries: tuple[tuple[str, str], ...] = ()
    shared: int = 0

    def counts(self) -> dict[str, dict[str, int]]:
        """How many artefacts of each kind, by surface."""
        return count_kinds((one.surface, one.kind) for one in self.found)


def count_kinds(found: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """(surface, kind) pairs as counts by surface and kind, sorted."""
    counts: dict[str, dict[str, int]] = {}
    for surface, kind in found:
        kinds = counts.setdefault(surface, {})
        kinds[kind] = kinds.get(kind, 0) + 1
    return {surface: dict(sorted(kinds.items())) for surface, kinds in sorted(counts.items())}


def survey(
    host: Host,
    sessions: frozenset[str],
    keys: frozenset[str],
    known: Needles | None = None,
    tell: Callable[[str], None] | None = None,
) -> Survey:
    """Find everything of these sessions. `known` are needles of an earlier attempt, whose text may be gone already.

    `tell` hears which surface is looked at.
    """
    return patiently(lambda: _survey(host, sessions, keys, known, tell or _quiet))


def _quiet(what: str) -> None:
    del what


def patiently(look: Callable[[], T]) -> T:
    """Look again when somebody wrote to a database that nobody had open when the look began."""
    for wait in WAITS:
        try:
            return look()
        except StoreUnreadable as error:
            if error.code != "busy":
                raise
            time.sleep(wait)
    return look()


def _survey(
    host: Host, sessions: frozenset[str], keys: frozenset[str], known: Needles | None, tell: Callable[[str], None]
) -> Survey:
    lineage = host.lineage
    entries, mixed, held = _entries(lineage, sessions)
    targets = Targets(sessions, keys, entries)
    found: dict[str, list[Noted]] = {}
    findings: dict[str, list[Finding]] = {}

    def texts() -> Iterator[str]:
        for surface in host.surfaces:
            tell(f"find:{surface.name}")
            for item in _noted(surface, targets, found, findings):
                if item.text:
                    yield item.text

    needles = Needles.of(texts()).plus(known or Needles())
    every = Targets(sessions, keys, entries, needles)
    kept, shared = unshared(host, every)
    final = Targets(sessions, keys, entries, kept)
    for surface in host.surfaces:
        if surface.declares().by_text and kept:
            tell(f"find-text:{surface.name}")
            for _ in _noted(surface, final, found, findings):
                pass
    return Survey(
        final,
        needles,
        tuple(item for surface in host.surfaces for item in found[surface.name]),
        tuple((surface.name, finding) for surface in host.surfaces for finding in findings[surface.name]),
        mixed,
        untargetable(host),
        held,
        shared,
    )


def _noted(
    surface: Surface,
    targets: Targets,
    found: dict[str, list[Noted]],
    findings: dict[str, list[Finding]],
) -> Iterator[Artefact]:
    """The artefacts of one surface, noted in place of what an earlier look at it noted."""
    found[surface.name], findings[surface.name] = [], []
    seen: Counter[tuple[str, str, str]] = Counter()
    for item in surface.find(targets):
        if isinstance(item, Finding):
            findings[surface.name].append(item)
            continue
        same = (item.kind, item.place, item.id)
        seen[same] += 1
        found[surface.name].append(Noted(surface.name, *same, seen[same]))
        yield item


def _entries(
    lineage: Lineage, sessions: frozenset[str]
) -> tuple[frozenset[str], tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The memories that go, those of several sessions among them, and those that a legal hold keeps with the reason."""
    wanted = lineage.entries_of(sorted(sessions))
    holds = lineage.holds()
    mixed: set[str] = set()
    held: dict[str, str] = {}
    for key, origin in lineage.origins_of(sorted(wanted)):
        if origin.session_id in holds:
            held[key] = holds[origin.session_id]
        elif origin.session_id not in sessions:
            mixed.add(key)
    gone = wanted - held.keys()
    return gone, tuple(sorted(mixed & gone)), tuple(sorted(held.items()))


def unshared(host: Host, targets: Targets) -> tuple[Needles, int]:
    """The needles that no surviving memory of another known origin holds, and how many do.

    A sentence that a clean session said as well is its own; text without lineage has no such claim.
    """
    if not targets.needles:
        return targets.needles, 0
    shared: set[int] = set()
    for surface in host.surfaces:
        for batch in batches(surface.holding(targets)):
            traced = host.lineage.traced(key for key, _ in batch)
            for key, text in batch:
                if key in traced and key not in targets.entry_keys:
                    shared |= targets.needles.hits(text)
    return targets.needles.without(shared), len(shared)


def untargetable(host: Host) -> tuple[str, ...]:
    """Memories on any surface that have no lineage: no purge can reach them, and recall goes on showing them."""
    missing: set[str] = set()
    for surface in host.surfaces:
        for batch in batches(surface.keys()):
            missing |= set(batch) - host.lineage.traced(batch)
    return tuple(sorted(missing))


def refusals(found: Survey, held_sessions: Iterable[tuple[str, str]]) -> list[dict[str, object]]:
    """What is refused and why: legal holds first, then what surfaces would not touch."""
    given: list[dict[str, object]] = [{"kind": "session", "id": key, "reason": reason} for key, reason in held_sessions]
    given += [{"kind": "entry", "id": key, "reason": reason} for key, reason in found.held_entries]
    for surface, finding in found.findings:
        if finding.standing is Standing.REFUSED:
            given.append({"kind": "place", "surface": surface, "id": finding.place, "reason": finding.code})
    return given
