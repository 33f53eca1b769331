"""Origins and tombstones where the host keeps them: its own tables, in the agent's database."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from forgetguard.adapters.openclaw import database, sessions
from forgetguard.adapters.openclaw.layout import Agent
from forgetguard.provenance import ProvenanceStore, Session
from forgetguard.provenance.schema import Connection, batches, changed, has_table, marks, writing
from forgetguard.provenance.tombstones import Tombstone
from forgetguard.purge.surfaces.sqlite_tools import checkpoint
from forgetguard.values import Origin, OriginClass

SHARING = "session\0"  # begins the name of a text that is no memory, but belongs to a session that stays
_TOMBSTONES = """CREATE TABLE IF NOT EXISTS memory_session_tombstones (
  session_id TEXT NOT NULL PRIMARY KEY,
  agent_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT"""

Inherited = Callable[[frozenset[str]], frozenset[str]]


def _nothing(_: frozenset[str]) -> frozenset[str]:
    return frozenset()


@dataclass(frozen=True)
class HostLineage:
    """The lineage of one agent. `inherited`: claims without origins that were taken from a note of these sessions.

    `held`: our own file with the legal holds, of which the host knows nothing.
    """

    agent: Agent
    inherited: Inherited = field(default=_nothing, repr=False)
    held: ProvenanceStore | None = field(default=None, repr=False)

    @property
    def agent_id(self) -> str:
        return self.agent.name

    def known_sessions(self) -> Iterable[Session]:
        """Every session on record, live and archived."""
        with database.reading(self.agent.database) as connection:
            return sessions.read(connection, self.agent_id).sessions

    def session_origins(self) -> Iterable[tuple[str, str, OriginClass]]:
        """(session id, session key, class) of every session that some memory came from."""
        with database.reading(self.agent.database) as connection:
            return sessions.read(connection, self.agent_id).origins

    def entries_of(self, session_ids: Iterable[str]) -> frozenset[str]:
        """The memories with any origin in these sessions, and those that inherit one from a note."""
        wanted = frozenset(session_ids)
        sql = "SELECT DISTINCT entry_key FROM memory_entry_origins WHERE agent_id=? AND session_id IN"
        own = frozenset(str(row[0]) for row in self._origins(sql, wanted))
        return own | self.inherited(wanted)

    def origins_of(self, entry_keys: Iterable[str]) -> Iterable[tuple[str, Origin]]:
        """(memory, origin), all origins of these memories of this agent."""
        sql = (
            "SELECT entry_key, agent_id, session_id, coalesce(session_key, ''), origin_class, observed_at"
            " FROM memory_entry_origins WHERE agent_id=? AND entry_key IN"
        )
        for row in self._origins(sql, entry_keys):
            yield str(row[0]), Origin(row[1], row[2], row[3], OriginClass(row[4]), row[5] / 1000)

    def traced(self, entry_keys: Iterable[str]) -> frozenset[str]:
        """Those of the memories that have any origin, and every text of a session that stays."""
        keys = frozenset(entry_keys)
        sharing = frozenset(key for key in keys if key.startswith(SHARING))
        sql = "SELECT DISTINCT entry_key FROM memory_entry_origins WHERE agent_id=? AND entry_key IN"
        return sharing | frozenset(str(row[0]) for row in self._origins(sql, keys - sharing))

    def _origins(self, sql: str, values: Iterable[str]) -> Iterator[tuple[str, str, str, str, str, int]]:
        wanted = sorted(set(values))
        if not wanted:
            return
        with database.reading(self.agent.database) as connection:
            if has_table(connection, "memory_entry_origins"):
                for batch in batches(wanted):
                    yield from connection.execute(f"{sql} ({marks(batch)}) ORDER BY 1", (self.agent_id, *batch))

    def holds(self) -> Mapping[str, str]:
        """Session id to reason code of every legal hold."""
        return {} if self.held is None else self.held.holds()

    def held_entries(self) -> frozenset[str]:
        """The memories with any origin in a session under legal hold."""
        held = self.holds()
        return self.entries_of(held) if held else frozenset()

    def buried(self, session_ids: Iterable[str]) -> frozenset[str]:
        """Those of the sessions that have a tombstone."""
        with database.reading(self.agent.database) as connection:
            return frozenset(_buried(connection, session_ids))

    def tombstones(self) -> Iterable[Tombstone]:
        """All tombstones, by session id."""
        with database.reading(self.agent.database) as connection:
            if has_table(connection, "memory_session_tombstones"):
                sql = "SELECT session_id, agent_id, reason, created_at FROM memory_session_tombstones ORDER BY 1"
                for session, agent, reason, created in connection.execute(sql):
                    yield Tombstone(session, agent, reason, created / 1000)

    def unbury(self, session_id: str) -> bool:
        """Remove one tombstone; whether it was there."""
        if session_id not in self.buried([session_id]):
            return False
        with database.erasing(self.agent.database) as connection:
            with writing(connection):
                connection.execute("DELETE FROM memory_session_tombstones WHERE session_id=?", (session_id,))
                removed = changed(connection) > 0
            checkpoint(connection, "tombstones")
        return removed

    def bury(self, session_ids: Iterable[str]) -> int:
        """Write missing tombstones and raise the revision, in one transaction; how many were missing."""
        wanted = sorted(set(session_ids))
        if self.buried(wanted).issuperset(wanted):
            return 0
        now = int(time.time() * 1000)
        with database.erasing(self.agent.database) as connection, writing(connection):
            if not has_table(connection, "memory_session_tombstones"):
                connection.execute(_TOMBSTONES)  # as the host itself makes it when it first needs it
            missing = sorted(set(wanted) - set(_buried(connection, wanted)))
            for session in missing:
                connection.execute(
                    "INSERT INTO memory_session_tombstones VALUES (?,?,'forgotten',?)", (session, self.agent_id, now)
                )
            if missing and has_table(connection, "memory_index_state"):
                connection.execute("UPDATE memory_index_state SET revision = revision + 1 WHERE id = 1")
            return len(missing)

    def erase_origins(self, entry_keys: Iterable[str]) -> int:
        """Delete all origins of these memories of this agent; how many rows."""
        count = 0
        with database.erasing(self.agent.database) as connection:
            if not has_table(connection, "memory_entry_origins"):
                return 0
            with writing(connection):
                for batch in batches(sorted(set(entry_keys))):
                    connection.execute(
                        f"DELETE FROM memory_entry_origins WHERE agent_id=? AND entry_key IN ({marks(batch)})",
                        (self.agent_id, *batch),
                    )
                    count += changed(connection)
            checkpoint(connection, "origins")
        return count


def _buried(connection: Connection, session_ids: Iterable[str]) -> Iterator[str]:
    if not has_table(connection, "memory_session_tombstones"):
        return
    for batch in batches(sorted(set(session_ids))):
        for (found,) in connection.execute(
            f"SELECT session_id FROM memory_session_tombstones WHERE session_id IN ({marks(batch)})", batch
        ):
            yield str(found)
