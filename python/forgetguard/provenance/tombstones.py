"""Which sessions may never come back, and which may not be purged (legal hold).

A tombstone names a session, not a text: whatever was already reading the session when it was forgotten asks again
at its commit. Functions work on any connection that holds the tables, and take part in the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from forgetguard.provenance.schema import Connection, batches, changed, has_table, marks, scalar

TABLE = "memory_session_tombstones"
HOLDS = "memory_legal_holds"
FORGOTTEN = "forgotten"


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A session that may not come back (in the list of holds: may not be purged). `created_at` is in Unix seconds."""

    session_id: str
    agent_id: str
    reason: str
    created_at: float


def bury(connection: Connection, session_ids: Iterable[str], agent_id: str, now: float, reason: str = FORGOTTEN) -> int:
    """Write the tombstones that are not there yet; how many that were. Call inside a write transaction."""
    return _insert(connection, TABLE, session_ids, agent_id, now, reason)


def hold(connection: Connection, session_ids: Iterable[str], agent_id: str, now: float, reason: str) -> int:
    """Put sessions under legal hold: a purge refuses them and names the reason code."""
    return _insert(connection, HOLDS, session_ids, agent_id, now, reason)


def unbury(connection: Connection, session_id: str) -> bool:
    """Remove one tombstone, the way back from a typo. Whether it was there."""
    connection.execute(f"DELETE FROM {TABLE} WHERE session_id=?", (session_id,))
    return changed(connection) > 0


def unhold(connection: Connection, session_id: str) -> bool:
    """Lift a legal hold. Whether it was there."""
    connection.execute(f"DELETE FROM {HOLDS} WHERE session_id=?", (session_id,))
    return changed(connection) > 0


def is_buried(connection: Connection, session_id: str) -> bool:
    """Whether the session may not come back. A database without the table has no tombstones."""
    return bool(buried_among(connection, (session_id,)))


def buried_among(connection: Connection, session_ids: Iterable[str]) -> frozenset[str]:
    """Those of the ids that have a tombstone."""
    if not has_table(connection, TABLE):
        return frozenset()
    return frozenset(
        str(row[0])
        for batch in batches(session_ids)
        for row in connection.execute(f"SELECT session_id FROM {TABLE} WHERE session_id IN ({marks(batch)})", batch)
    )


def tombstones(connection: Connection) -> Iterator[Tombstone]:
    """All tombstones, by session id."""
    return _all(connection, TABLE)


def holds(connection: Connection) -> Iterator[Tombstone]:
    """All legal holds, by session id."""
    return _all(connection, HOLDS)


def revision(connection: Connection) -> int:
    """A number that grows whenever sessions are buried: work begun under another one has to look again."""
    return int(scalar(connection, "SELECT revision FROM memory_state WHERE id=1") or 0)


def bump_revision(connection: Connection) -> None:
    """Make the revision one larger; call in the transaction that buries."""
    connection.execute("UPDATE memory_state SET revision = revision + 1 WHERE id=1")


def _insert(
    connection: Connection, table: str, session_ids: Iterable[str], agent_id: str, now: float, reason: str
) -> int:
    added = 0
    insert = f"INSERT INTO {table}(session_id, agent_id, reason, created_at) VALUES (?,?,?,?) ON CONFLICT DO NOTHING"
    for session_id in session_ids:
        connection.execute(insert, (session_id, agent_id, reason, now))
        added += changed(connection)
    return added


def _all(connection: Connection, table: str) -> Iterator[Tombstone]:
    if not has_table(connection, table):
        return
    for row in connection.execute(f"SELECT session_id, agent_id, reason, created_at FROM {table} ORDER BY session_id"):
        yield Tombstone(*row)
