"""Claims that were taken from a note without being given origins: they inherit the session that wrote the note.

Who wrote a note is on record in two places: the host's own record of the last writer of a file, and the header of a
hook note. A claim names its note as its path (short-term memory) or its source (MEMORY.md, DREAMS.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from forgetguard.adapters.openclaw import database
from forgetguard.adapters.openclaw.layout import Agent
from forgetguard.adapters.openclaw.notes import Workspace
from forgetguard.adapters.openclaw.plugin_state import RECALL, recorded_writers, rows
from forgetguard.provenance.schema import Connection, has_table

_SOURCE = re.compile(r"(?:\bSource:\s*|\bsource=)(\S+?)(?:#L\d+(?:-L?\d+)?|:\d+-\d+)")


@dataclass(frozen=True)
class Notes:
    """Who wrote which note, and which memories without origins were taken from which note."""

    writers: Mapping[str, frozenset[str]]
    claims: tuple[tuple[str, str], ...]  # key, place of the note


def read_notes(agent: Agent, workspace: Workspace) -> Notes:
    """What is on record now."""
    with database.reading(agent.state.shared) as connection:
        recorded = recorded_writers(connection, agent.workspace_keys)
        recalled = [
            (row.logical, str(row.value.get("path", ""))) for row in rows(connection, agent.workspace_keys, (RECALL,))
        ]
    writers = {place: {str(one["sessionId"])} for place, one in recorded.items() if one.get("sessionId")}
    cited: list[tuple[str, str]] = []
    for file in workspace.walk()[0]:
        facts = workspace.facts(file)
        if facts.notes:
            writers.setdefault(file.place, set()).update(session for session, _ in facts.notes)
        cited += [(key, place) for key, text in facts.entries for place in _SOURCE.findall(text)]
    known = {place: frozenset(given) for place, given in writers.items()}
    claims = {pair for pair in (*recalled, *cited) if pair[1] in known}
    with database.reading(agent.database) as connection:
        own = set(_with_origins(connection, agent.name)) if claims else set()
    return Notes(known, tuple(sorted(pair for pair in claims if pair[0] not in own)))


def _with_origins(connection: Connection, agent: str) -> Iterator[str]:
    if has_table(connection, "memory_entry_origins"):
        for (key,) in connection.execute(
            "SELECT DISTINCT entry_key FROM memory_entry_origins WHERE agent_id=?", (agent,)
        ):
            yield str(key)


def inherited(agent: Agent, workspace: Workspace, sessions: frozenset[str]) -> frozenset[str]:
    """The claims that inherit one of these sessions."""
    notes = read_notes(agent, workspace)
    return frozenset(key for key, place in notes.claims if notes.writers[place] & sessions)
