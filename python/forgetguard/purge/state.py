"""What one run knows: sealed in the journal as it is learnt, and read back by the next attempt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from forgetguard.errors import PurgeFailed
from forgetguard.provenance.schema import batches
from forgetguard.purge.journal import Journal, Run, StepStatus
from forgetguard.purge.needles import Needle, Needles, needles_of
from forgetguard.purge.plan import Plan, artefact_digest
from forgetguard.purge.selection import Selected, Source
from forgetguard.purge.surfaces.protocol import Artefact, Finding, Standing
from forgetguard.purge.survey import Noted, Survey, count_kinds, numbered

_AT_ONCE = 1000


@dataclass
class Knowledge:
    """The content of a run. Everything here stands sealed in the journal before the host is changed."""

    journal: Journal
    run: Run
    sessions: tuple[Selected, ...] = ()
    held: tuple[tuple[str, str], ...] = ()
    selectors: tuple[tuple[str, str], ...] = ()
    planned: frozenset[str] = frozenset()
    key: bytes | None = None
    found: dict[str, tuple[str, str]] = field(default_factory=dict)  # digest -> (surface, kind)
    late: list[dict[str, str]] = field(default_factory=list)
    needles: dict[bytes, Needle] = field(default_factory=dict)
    short: int = 0
    entries: set[str] = field(default_factory=set)
    findings: list[tuple[str, Finding]] = field(default_factory=list)
    description: dict[str, Any] = field(default_factory=dict)
    _unsealed: list[Needle] = field(default_factory=list)

    @property
    def ids(self) -> frozenset[str]:
        """The sessions of the run; fixed from the beginning."""
        return frozenset(one.session_id for one in self.sessions)

    @property
    def session_keys(self) -> frozenset[str]:
        return frozenset(one.session_key for one in self.sessions if one.session_key)

    def all_needles(self) -> Needles:
        """Everything that was learnt of the purged text."""
        return Needles(self.needles.values(), self.short)

    def counts(self) -> dict[str, dict[str, int]]:
        """What was found in all attempts, by surface and kind."""
        return count_kinds(self.found.values())

    def withhold(self, holds: Mapping[str, str]) -> None:
        """Leave out the sessions that came under legal hold since the plan was made; they show among the refusals."""
        new = [(one.session_id, holds[one.session_id]) for one in self.sessions if one.session_id in holds]
        self.held = tuple(dict.fromkeys((*self.held, *new)))
        self.sessions = tuple(one for one in self.sessions if one.session_id not in holds)

    # -- learning

    def begin(self, plan: Plan) -> None:
        """Seal what the plan says. A run without its `ready` mark never touched the host."""
        head = {
            "sessions": [one.as_json() for one in plan.sessions],
            "held": list(plan.resolution.held),
            "selectors": [[name, value] for name, values in plan.selection.values().items() for value in values],
            "key": None if plan.key is None else plan.key.hex(),
        }
        self._seal("head", head)
        for batch in batches(sorted(plan.digests), _AT_ONCE):
            self._seal("planned", list(batch))
        self._seal("ready", True)
        self._head(head)
        self.planned = plan.digests

    def learn(self, survey: Survey, description: Mapping[str, Any]) -> None:
        """Seal what a search found."""
        self._needles(survey.known.items, survey.known.short)
        self._artefacts(survey.found, survey.targets.entry_keys)
        new = sorted(survey.targets.entry_keys - self.entries)
        for batch in batches(new, _AT_ONCE):
            self._seal("entries", list(batch))
        self.entries.update(new)
        lasting = [(name, one) for name, one in survey.findings if one.standing is Standing.CANNOT_PROVE]
        self.report(lasting)
        if not self.description:
            self._seal("description", description)
            self.description = dict(description)
        self._seal("total", self.journal.sealed(self.run))

    def saw(self, surface: str, artefacts: Iterable[Artefact]) -> None:
        """Seal what a surface is about to erase."""
        for batch in batches(numbered(surface, artefacts, self._text), _AT_ONCE):
            self._artefacts(batch, frozenset(self.entries))
        if self._unsealed:
            self._needles((), 0)

    def report(self, findings: Iterable[tuple[str, Finding]]) -> None:
        """Seal findings of the erasing that stand for good."""
        for surface, one in findings:
            if not one.retry and (surface, one) not in self.findings:
                self._seal("finding", [surface, one.standing.value, one.place, one.code, one.count])
                self.findings.append((surface, one))

    def _text(self, artefact: Artefact) -> None:
        if artefact.text:
            found, _ = needles_of(artefact.text)
            self._unsealed += [one for one in found if one.folded not in self.needles]

    def _needles(self, items: Iterable[Needle], short: int) -> None:
        new = {one.folded: one for one in (*items, *self._unsealed) if one.folded not in self.needles}
        for batch in batches(new.values(), _AT_ONCE):
            self._seal("needles", [one.seal_form() for one in batch])
        if short > self.short:
            self._seal("short", short)
            self.short = short
        self.needles.update(new)
        self._unsealed = []

    def _artefacts(self, items: Iterable[Noted], entries: frozenset[str]) -> None:
        rows = []
        for item in items:
            digest = self.digest(item)
            if digest in self.found:
                continue
            late = digest not in self.planned
            named = {"surface": item.surface, "kind": item.kind, "place": item.place}
            if item.id in entries:
                named["entryKey"] = item.id
            rows.append([digest, late, named])
            self._artefact(digest, late, named)
        for batch in batches(rows, _AT_ONCE):
            self._seal("artefacts", list(batch))

    def _artefact(self, digest: str, late: bool, named: dict[str, str]) -> None:
        self.found[digest] = (named["surface"], named["kind"])
        if late:
            self.late.append(named)

    def digest(self, item: Noted) -> str:
        """The name under which the plan knows an artefact."""
        return artefact_digest(self.journal.operator, self.key, item)

    def _seal(self, kind: str, content: object) -> None:
        self.journal.seal(self.run, kind, content)

    # -- reading back

    def is_ready(self) -> bool:
        """Whether the run had sealed its beginning; if not, it never touched the host."""
        return any(True for _ in self.journal.unseal(self.run, "ready"))

    def load(self) -> None:
        """Read back what earlier attempts learnt. Raises PurgeFailed for another key, or when something is missing."""
        self._check_whole()
        for head in self._unseal("head"):
            self._head(head)
        self.planned = frozenset(digest for batch in self._unseal("planned") for digest in batch)
        self.entries = {key for batch in self._unseal("entries") for key in batch}
        for batch in self._unseal("needles"):
            self.needles.update({one.folded: one for one in map(Needle.from_seal_form, batch)})
        self.short = max((int(value) for value in self._unseal("short")), default=0)
        for batch in self._unseal("artefacts"):
            for digest, late, named in batch:
                self._artefact(digest, late, named)
        for surface, standing, place, code, count in self._unseal("finding"):
            self.findings.append((surface, Finding(Standing(standing), place, code, count)))
        for description in self._unseal("description"):
            self.description = description

    def _check_whole(self) -> None:
        """Without some of the needles a store would look clean that is not."""
        there = self.journal.sealed(self.run)
        totals = list(self._unseal("total"))
        selected = any(one.name == "select" and one.status is StepStatus.DONE for one in self.journal.steps(self.run))
        if (selected and not totals) or any(there.get(kind, 0) < n for total in totals for kind, n in total.items()):
            raise PurgeFailed("sealed records are missing from the journal", code="journal-unreadable")

    def _head(self, head: Mapping[str, Any]) -> None:
        self.sessions = tuple(
            Selected(one["sessionId"], one.get("sessionKey", ""), Source(one["source"])) for one in head["sessions"]
        )
        self.held = tuple((session, reason) for session, reason in head["held"])
        self.selectors = tuple((name, value) for name, value in head["selectors"])
        self.key = None if head["key"] is None else bytes.fromhex(head["key"])

    def _unseal(self, kind: str) -> Iterable[Any]:
        return self.journal.unseal(self.run, kind)
