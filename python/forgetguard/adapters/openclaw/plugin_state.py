"""What the memory plugin keeps in the database that all agents share: rows of JSON, by namespace and workspace."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from forgetguard.adapters.openclaw import database
from forgetguard.adapters.openclaw.compacting import compact
from forgetguard.adapters.openclaw.corpus import needle_text
from forgetguard.adapters.openclaw.keys import claim_of, session_of_scope, text_hash
from forgetguard.adapters.openclaw.notes import Workspace
from forgetguard.adapters.openclaw.scrub import Wanted, scrub
from forgetguard.adapters.openclaw.stored import UNREADABLE, mapping_of, value_of
from forgetguard.provenance.schema import Connection, writing
from forgetguard.purge.surfaces import sqlite_scan as scan
from forgetguard.purge.surfaces.protocol import Artefact, Declaration, Erased, Finding, Standing, Surface, Targets, Work

PLUGIN = "memory-core"
RECALL, PHASES = "short-term-recall", "short-term-phase-signals"
INGESTED, SEEN = "dreaming-session-ingestion-files", "dreaming-session-ingestion-seen"
BACKUPS, REWIND, EVENTS = "dreaming-memory-backups", "session-backfill-rewind", "memory-host.events"
DAILY = "dreaming-daily-ingestion"
SPACES = (PHASES, RECALL, INGESTED, SEEN, REWIND, BACKUPS, EVENTS)
ARTEFACTS = ("core:memory-artifact-provenance", "workspace-files")
TABLE = "plugin_state_entries"


@dataclass(frozen=True)
class Row:
    """One row: `logical` is the key that the plugin uses, `value` what it keeps under it."""

    namespace: str
    entry_key: str
    logical: str
    value: Any
    whole: Mapping[str, Any]


@dataclass(frozen=True)
class Change:
    """What happens to a row: a new text, or None where it goes. `kind` is what it is counted as."""

    row: Row
    kind: str
    name: str
    text: str | None = None
    becomes: str | None = None


def _texts(
    connection: Connection, workspace_keys: frozenset[str], namespaces: Sequence[str]
) -> Iterator[tuple[str, str, str]]:
    """(namespace, entry key, text) of a workspace's rows, in order. Of events nobody can tell the workspace."""
    for namespace in namespaces:
        for key, text in connection.execute(
            f"SELECT entry_key, value_json FROM {TABLE} WHERE plugin_id=? AND namespace=? ORDER BY entry_key",
            (PLUGIN, namespace),
        ):
            if namespace == EVENTS or key.partition(":")[0] in workspace_keys:
                yield namespace, key, text


def rows(connection: Connection, workspace_keys: frozenset[str], namespaces: Sequence[str]) -> Iterator[Row]:
    """The rows of a workspace in these namespaces."""
    for namespace, key, text in _texts(connection, workspace_keys, namespaces):
        read = mapping_of(text)
        if read is not None:
            logical, value = (key, read) if namespace == EVENTS else (str(read.get("key", "")), read.get("value"))
            yield Row(namespace, key, logical, value if isinstance(value, dict) else {}, read)


def damaged(connection: Connection, workspace_keys: frozenset[str]) -> Iterator[tuple[Row, str]]:
    """The rows of a workspace that hold no JSON, with what they hold: the host itself cannot read them."""
    for namespace, key, text in _texts(connection, workspace_keys, SPACES):
        if value_of(text) is UNREADABLE:
            yield Row(namespace, key, key, {}, {}), text


def recorded_writers(connection: Connection, workspace_keys: frozenset[str]) -> dict[str, dict[str, Any]]:
    """Place of a note to the record of who wrote it last."""
    found: dict[str, dict[str, Any]] = {}
    for key, text in connection.execute(
        f"SELECT entry_key, value_json FROM {TABLE} WHERE plugin_id=? AND namespace=? ORDER BY entry_key", ARTEFACTS
    ):
        read = mapping_of(text)
        if key.partition(":")[0] in workspace_keys and read is not None:
            found[str(read.get("relativePath", "")).replace("\\", "/")] = read
    return found


@dataclass(frozen=True)
class PluginState(Surface):
    """Short-term memory, phase signals, ingestion state, rewind batches, backups of MEMORY.md, events."""

    workspace: Workspace
    name: str = "plugin-state"

    def declares(self) -> Declaration:
        covers = tuple(f"rows:{one}" for one in SPACES)
        method = ("delete", "rewrite", "vacuum", "wal-checkpoint")
        keeps = ("rows:workspace-files", f"rows:{DAILY}", "tables:other")
        return Declaration("openclaw.plugin-state", covers, keeps, ("disk-blocks", "snapshots"), method, by_text=True)

    @property
    def _keys(self) -> frozenset[str]:
        return self.workspace.agent.workspace_keys

    def _changes(self, connection: Connection, targets: Targets) -> Iterator[Change]:
        wanted = self.workspace.wanted(targets)
        keys = self._keys
        agent = self.workspace.agent.name
        scopes: set[str] = set()
        for row, text in damaged(connection, keys):
            if _names(text, targets):
                yield Change(row, "damagedRows", row.entry_key)
        for row in rows(connection, keys, SPACES):
            if row.namespace in (PHASES, RECALL):
                yield from _remembered(row, targets, wanted.held)
            elif row.namespace == INGESTED and session_of_scope(row.logical, agent) in targets.sessions:
                yield Change(row, "ingestionFiles", row.logical)
            elif row.namespace == SEEN:
                scope = str(row.value.get("scope", ""))
                if session_of_scope(scope, agent) in targets.sessions:
                    yield Change(row, "seenHashRows" if scope in scopes else "seenHashScopes", scope)
                    scopes.add(scope)
            elif row.namespace == REWIND:
                yield from _rewound(row, agent, targets)
            elif row.namespace == BACKUPS:
                yield from _backed_up(row, wanted)
            elif row.namespace == EVENTS:
                yield from _told(row, targets)

    def find(self, targets: Targets) -> Iterator[Artefact | Finding]:
        with database.reading(self.workspace.agent.state.shared) as connection:
            yield from map(_artefact, self._changes(connection, targets))

    def erase(self, targets: Targets, work: Work) -> Erased:
        counts: dict[str, int] = {}
        with database.erasing(self.workspace.agent.state.shared) as connection:
            with writing(connection):
                changes = list(self._changes(connection, targets))
                work.saw(map(_artefact, changes))
                for one in changes:
                    _apply(connection, one)
                    counts[one.kind] = counts.get(one.kind, 0) + 1
            idle = not changes and not work.resumed
            return Erased(dict(sorted(counts.items())), () if idle else compact(connection, self.name))

    def residue(self, targets: Targets) -> Iterator[Finding]:
        path = self.workspace.agent.state.shared
        with database.reading(path) as connection:
            left = list(self._changes(connection, targets))
            if left:
                yield Finding(Standing.RESIDUE, f"table:{TABLE}", "text", len(left))
            kept = [str(row[0]) for row in connection.execute("SELECT name FROM sqlite_schema WHERE type='table'")]
            for space, count in Counter(row.namespace for row, _ in damaged(connection, self._keys)).items():
                yield Finding(Standing.CANNOT_PROVE, f"rows:{space}", "unreadable", count)
            others = _held_by_others(connection, targets)
            if others:
                yield Finding(Standing.RETAINED, f"table:{TABLE}", "other-rows", len(others))
            needles = targets.needles.without(others)
            yield from scan.scan_bytes(connection, path, needles, [name for name in kept if name != TABLE])

    def holding(self, targets: Targets) -> Iterator[tuple[str, str]]:
        with database.reading(self.workspace.agent.state.shared) as connection:
            for row in rows(connection, self._keys, (RECALL,)):
                text = str(row.value.get("snippet", ""))
                if row.logical not in targets.entry_keys and targets.needles.holds(text):
                    yield row.logical, claim_of(text)


def _artefact(one: Change) -> Artefact:
    return Artefact(one.kind, one.row.namespace, one.name, one.text)


def _apply(connection: Connection, one: Change) -> None:
    where = (PLUGIN, one.row.namespace, one.row.entry_key)
    if one.becomes is None:
        list(connection.execute(f"DELETE FROM {TABLE} WHERE plugin_id=? AND namespace=? AND entry_key=?", where))
    else:
        sql = f"UPDATE {TABLE} SET value_json=? WHERE plugin_id=? AND namespace=? AND entry_key=?"
        list(connection.execute(sql, (one.becomes, *where)))


def _text(whole: Mapping[str, Any], **changed: object) -> str:
    text = json.dumps({**whole, **changed}, ensure_ascii=False, separators=(",", ":"))
    if any("\ud800" <= char <= "\udfff" for char in text):  # half of a pair: only its escape can be stored
        return json.dumps({**whole, **changed}, separators=(",", ":"))
    return text


def _names(text: str, targets: Targets) -> bool:
    """Whether a text that cannot be read any better says something of what goes."""
    return targets.needles.holds(text) or any(one in text for one in (*targets.sessions, *targets.entry_keys))


def _remembered(row: Row, targets: Targets, held: frozenset[str]) -> Iterator[Change]:
    mine = row.logical in targets.entry_keys
    if row.logical in held:
        return
    if row.namespace == PHASES:
        if mine:
            yield Change(row, "phaseSignals", row.logical)
        return
    claim = claim_of(str(row.value.get("snippet", "")))
    if mine or targets.needles.holds(claim):
        yield Change(row, "shortTermEntries" if mine else "otherShortTermEntries", row.logical, needle_text(claim))


def _rewound(row: Row, agent: str, targets: Targets) -> Iterator[Change]:
    """A batch without the candidates of the selected sessions; without any it goes."""
    given = row.value.get("candidates")
    candidates = given if isinstance(given, list) else []
    stay = [one for one in candidates if session_of_scope(_scope(one), agent) not in targets.sessions]
    if len(stay) < len(candidates):
        becomes = _text(row.whole, value={**row.value, "candidates": stay}) if stay else None
        yield Change(row, "rewindBatches", row.logical, becomes=becomes)


def _scope(candidate: object) -> str:
    return str(candidate.get("scope", "")) if isinstance(candidate, dict) else ""


def _backed_up(row: Row, wanted: Wanted) -> Iterator[Change]:
    content = str(row.value.get("content", ""))
    made = scrub(content.encode("utf-8", "surrogatepass"), "MEMORY.md", wanted)
    if made.cuts:
        left = made.content().decode("utf-8", "surrogatepass")
        becomes = _text(row.whole, value={**row.value, "content": left, "contentHash": text_hash(left)})
        yield Change(row, "backups", row.logical, becomes=becomes)


def _told(row: Row, targets: Targets) -> Iterator[Change]:
    """An event without the memories that go; one whose query says such a text goes altogether."""
    event = row.value.get("event")
    if not isinstance(event, dict):
        return
    if targets.needles and targets.needles.holds(str(event.get("query", ""))):
        yield Change(row, "hostEvents", row.entry_key)
        return
    given = event.get("candidates")
    candidates = given if isinstance(given, list) else []
    stay = [one for one in candidates if not (isinstance(one, dict) and one.get("key") in targets.entry_keys)]
    if len(stay) < len(candidates):
        becomes = _text(row.whole, event={**event, "candidates": stay, "applied": len(stay)})
        yield Change(row, "hostEvents", row.entry_key, becomes=becomes)


def _held_by_others(connection: Connection, targets: Targets) -> set[int]:
    """The numbers of the needles that rows hold which are not ours to change."""
    held: set[int] = set()
    if targets.needles:
        for (text,) in connection.execute(f"SELECT value_json FROM {TABLE}"):
            held |= targets.needles.hits(str(text))
    return held
