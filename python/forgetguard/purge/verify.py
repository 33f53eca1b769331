"""Looking for the bytes again. Three answers, and only one of them is success.

    clean          nothing was found, and everything could be looked at
    residue        text or keys were found, and where
    cannot-prove   nothing was found, but some place could not be looked at, or no text to look for is left

What is kept by design (live transcripts, archives, files written by hand) is listed apart as retained.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from forgetguard.errors import ForgetGuardError
from forgetguard.purge.host import Host
from forgetguard.purge.needles import Needles
from forgetguard.purge.surfaces.protocol import Finding, Standing, Surface, Targets
from forgetguard.purge.survey import patiently, unshared


class Verdict(StrEnum):
    """What a verification says."""

    CLEAN = "clean"
    RESIDUE = "residue"
    CANNOT_PROVE = "cannot-prove"


@dataclass(frozen=True, slots=True)
class Verification:
    """The verdict, and (surface, finding) of what it rests on.

    `looked_for` counts needles; `shared` those of others too.
    """

    status: Verdict
    findings: tuple[tuple[str, Finding], ...] = ()
    looked_for: int = 0
    shared: int = 0

    def as_json(self) -> dict[str, object]:
        """For a report: `retained` stands apart from what counts against the purge."""
        given = [(_finding(surface, one), one.standing is Standing.RETAINED) for surface, one in self.findings]
        return {
            "status": self.status.value,
            "lookedFor": self.looked_for,
            "shared": self.shared,
            "findings": [item for item, kept in given if not kept],
            "retained": [item for item, kept in given if kept],
        }


def _finding(surface: str, finding: Finding) -> dict[str, object]:
    return {
        "surface": surface,
        "place": finding.place,
        "standing": finding.standing.value,
        "code": finding.code,
        "count": finding.count,
    }


def verify(
    host: Host,
    targets: Targets,
    earlier: Iterable[tuple[str, Finding]] = (),
    progress: Callable[[str], None] | None = None,
) -> Verification:
    """Look for needles and keys on every surface. `earlier` are findings of the erasing that stand for good.

    With no needles at all (they were erased, or the text was too short) the structure is checked and no more can be
    proved.
    """
    needles, shared = unshared(host, targets)
    wanted = Targets(targets.sessions, targets.session_keys, targets.entry_keys, needles)
    findings = list(earlier)
    for surface in host.surfaces:
        if progress is not None:
            progress(surface.name)
        findings += [(surface.name, one) for one in _residue(surface, wanted)]
    findings += [("provenance", one) for one in _lineage(host, targets)]
    findings += [("provenance", one) for one in _text(targets.needles)]
    unique = tuple(dict.fromkeys(findings))
    return Verification(_verdict(one for _, one in unique), unique, len(targets.needles), shared)


def _residue(surface: Surface, targets: Targets) -> Iterator[Finding]:
    found: list[Finding] = []

    def look() -> None:
        found.clear()
        found.extend(surface.residue(targets))  # what was found stays when the rest cannot be looked at

    try:
        patiently(look)
    except Exception as error:  # noqa: BLE001 - a surface may be anybody's, and what it could not say is not proved
        code = error.code if isinstance(error, ForgetGuardError) else "unreadable"
        found.append(Finding(Standing.CANNOT_PROVE, surface.name, code))
    yield from found


def _lineage(host: Host, targets: Targets) -> Iterator[Finding]:
    """Origins that point at a purged session, missing tombstones, and the sessions that stay by design."""
    holds = host.lineage.holds()
    left = host.lineage.entries_of(targets.sessions)
    held = {key for key, origin in host.lineage.origins_of(left) if origin.session_id in holds}
    if left - held:
        yield Finding(Standing.RESIDUE, "origins", "key", len(left - held))
    if held:
        yield Finding(Standing.RETAINED, "origins", "legal-hold", len(held))
    unburied = targets.sessions - host.lineage.buried(targets.sessions)
    if unburied:
        yield Finding(Standing.RESIDUE, "tombstones", "missing", len(unburied))
    stay = [one for one in host.lineage.known_sessions() if one.session_id in targets.sessions]
    for code, count in (
        ("live", sum(not one.archived for one in stay)),
        ("archived", sum(one.archived for one in stay)),
    ):
        if count:
            yield Finding(Standing.RETAINED, "sessions", code, count)


def _text(needles: Needles) -> Iterator[Finding]:
    if needles.short:
        yield Finding(Standing.CANNOT_PROVE, "needles", "too-short", needles.short)


def _verdict(findings: Iterable[Finding]) -> Verdict:
    standings = {one.standing for one in findings}
    if Standing.RESIDUE in standings:
        return Verdict.RESIDUE
    return Verdict.CANNOT_PROVE if Standing.CANNOT_PROVE in standings else Verdict.CLEAN
