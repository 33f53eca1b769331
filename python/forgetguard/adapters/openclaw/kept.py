"""What a purge keeps by design and names: transcripts, archives, logs, and other tables made from sessions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from forgetguard.adapters.openclaw import database
from forgetguard.adapters.openclaw.keys import session_of_file
from forgetguard.adapters.openclaw.layout import Agent
from forgetguard.provenance.schema import Connection, batches, has_table, marks
from forgetguard.purge.surfaces.protocol import Artefact, Declaration, Erased, Finding, Standing, Surface, Targets, Work
from forgetguard.purge.surfaces.sqlite_scan import run_child

# Table, and the column that says whose row it is: in the agent's database by id and by key, in the shared one by key.
BY_SESSION = (
    ("transcript_events", "session_id"),
    ("session_transcript_fts_rows", "session_id"),
    ("session_transcript_archives", "session_id"),
    ("session_transcript_cold_archives", "session_id"),
)
BY_KEY = (
    ("session_progress_cards", "session_key"),
    ("heartbeat_outcomes", "session_key"),
    ("session_windows", "session_key"),
)
SHARED_BY_KEY = (("task_runs", "requester_session_key"), ("task_runs", "child_session_key"))


@dataclass(frozen=True)
class Kept(Surface):
    """Of one agent."""

    agent: Agent
    name: str = "kept"

    def declares(self) -> Declaration:
        keeps = ("transcripts", "transcript-search", "archives", "logs", "session_progress_cards", "heartbeat_outcomes",
                 "task_runs", "session_windows.display_name")  # fmt: skip
        return Declaration("openclaw.kept", (), keeps, ("host-backups", "remote-copies"), ())

    def find(self, targets: Targets) -> Iterator[Artefact | Finding]:
        yield from self._rows(targets)
        yield from self._archives(targets)

    def _rows(self, targets: Targets) -> Iterator[Finding]:
        with database.reading(self.agent.database) as connection:
            for table, column in BY_SESSION:
                yield from _counted(connection, table, column, targets.sessions)
            for table, column in BY_KEY:
                yield from _counted(connection, table, column, targets.session_keys)
        with database.reading(self.agent.state.shared) as connection:
            for table, column in SHARED_BY_KEY:
                yield from _counted(connection, table, column, targets.session_keys)

    def _archives(self, targets: Targets) -> Iterator[Finding]:
        for path in sorted(self.agent.sessions.glob("*")) if self.agent.sessions.is_dir() else ():
            if path.is_file() and session_of_file(path.name) in targets.sessions:
                yield Finding(Standing.RETAINED, f"sessions/{path.name}", "archive-file")

    def erase(self, targets: Targets, work: Work) -> Erased:  # noqa: ARG002 - nothing is erased here
        return Erased()

    def residue(self, targets: Targets) -> Iterator[Finding]:
        yield from self._rows(targets)
        yield from self._archives(targets)
        logs = self.logs()
        for answer in run_child(logs, targets.needles.raw_patterns) if logs and targets.needles else ():
            place = f"log:{Path(str(answer['path'])).name}"
            if answer.get("error"):
                yield Finding(Standing.CANNOT_PROVE, place, "unreadable")
            elif answer["hits"]:
                yield Finding(Standing.RETAINED, place, "text")

    def logs(self) -> list[Path]:
        """The host's log files."""
        return [path for folder in self.agent.state.temporary for path in sorted(folder.glob("openclaw-*.log"))]


def _counted(connection: Connection, table: str, column: str, values: frozenset[str]) -> Iterator[Finding]:
    if not values or not has_table(connection, table):
        return
    count = 0
    for batch in batches(sorted(values)):
        sql = f"SELECT count(*) FROM {table} WHERE {column} IN ({marks(batch)})"
        count += sum(int(row[0]) for row in connection.execute(sql, batch))
    if count:
        yield Finding(Standing.RETAINED, f"table:{table}", "kept", count)
