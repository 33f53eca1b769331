"""Which sessions there are, who took part, and what kind each one is.

The kind is structured identity: what the host says of a session, or the shape of its key. Quoted text never decides it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from forgetguard.provenance.schema import Connection, batches, marks


class SessionKind(StrEnum):
    """`interactive` is a person's session; the others are the agent's own and are never sources of memories."""

    INTERACTIVE = "interactive"
    DREAMING = "dreaming"
    CRON = "cron"
    HEARTBEAT = "heartbeat"


@dataclass(frozen=True, slots=True)
class Participant:
    """Someone who took part: the raw id, and the namespace it belongs to (two namespaces may use one id)."""

    actor_id: str
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """A session as its host knows it. `created_at` is in Unix seconds. Ids are exact and case-sensitive."""

    session_id: str
    session_key: str = ""
    agent_id: str = ""
    kind: SessionKind = SessionKind.INTERACTIVE
    hook_source: str | None = None
    channel: str | None = None
    chat_type: str | None = None
    archived: bool = False
    created_at: float = 0.0
    participants: tuple[Participant, ...] = field(default=())


_COLUMNS = "agent_id, session_id, session_key, kind, hook_source, channel, chat_type, archived, created_at"
_KEY = r"^(?:agent:[^:]+:)?"
_SHAPES = (
    (re.compile(_KEY + r"cron:[^:]+:run:[^:]+$"), SessionKind.CRON),
    (re.compile(_KEY + r"dreaming-narrative-[^:]+$"), SessionKind.DREAMING),
    (re.compile(_KEY + r"(?:[^:]+:)*heartbeat$"), SessionKind.HEARTBEAT),
)


def internal_kind(session: Session) -> SessionKind | None:
    """The kind of an agent's own session, or None for a person's. A `cron:<job>` key without a run is a person's."""
    if session.kind is not SessionKind.INTERACTIVE:
        return session.kind
    for pattern, kind in _SHAPES:
        if pattern.match(session.session_key):
            return kind
    return None


def record_session(connection: Connection, session: Session) -> None:
    """Write the session down, or bring its row up to date; participants are only added. Call inside a transaction."""
    connection.execute(
        f"""INSERT INTO sessions({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?)
           ON CONFLICT(agent_id, session_id) DO UPDATE SET session_key=excluded.session_key,
           kind=excluded.kind, hook_source=excluded.hook_source, channel=excluded.channel, chat_type=excluded.chat_type,
           archived=excluded.archived, created_at=excluded.created_at""",
        (
            session.agent_id, session.session_id, session.session_key, session.kind.value, session.hook_source,
            session.channel, session.chat_type, int(session.archived), session.created_at,
        ),
    )  # fmt: skip
    for participant in session.participants:
        connection.execute(
            "INSERT INTO participants VALUES (?,?,?,?) ON CONFLICT DO NOTHING",
            (session.agent_id, session.session_id, participant.actor_id, participant.namespace),
        )


def record_excluded(connection: Connection, session: Session, reason: str) -> None:
    """Write down that the session was not scanned, and why; made if it is not known yet. Call inside a transaction."""
    connection.execute(
        """INSERT INTO sessions(agent_id, session_id, session_key, kind, created_at, excluded_reason)
           VALUES (?,?,?,?,?,?)
           ON CONFLICT(agent_id, session_id) DO UPDATE SET excluded_reason=excluded.excluded_reason""",
        (session.agent_id, session.session_id, session.session_key, session.kind.value, session.created_at, reason),
    )


def clear_excluded(connection: Connection, session: Session) -> None:
    """Drop the note of an exclusion that no longer holds. Call inside a transaction."""
    connection.execute(
        "UPDATE sessions SET excluded_reason=NULL WHERE agent_id=? AND session_id=? AND excluded_reason IS NOT NULL",
        (session.agent_id, session.session_id),
    )


def excluded_reason(connection: Connection, session: Session) -> str | None:
    """The exclusion on record for the session, or None."""
    for row in connection.execute(
        "SELECT excluded_reason FROM sessions WHERE agent_id=? AND session_id=?", (session.agent_id, session.session_id)
    ):
        return None if row[0] is None else str(row[0])
    return None


def exclusions(connection: Connection) -> Iterator[dict[str, str]]:
    """Every session that was not scanned, as `{"sessionId", "sessionKey", "excludedReason"}`, by session id."""
    for row in connection.execute(
        """SELECT session_id, session_key, excluded_reason FROM sessions WHERE excluded_reason IS NOT NULL
           ORDER BY session_id"""
    ):
        yield {"sessionId": row[0], "sessionKey": row[1], "excludedReason": row[2]}


def known_sessions(connection: Connection) -> Iterator[Session]:
    """Every session on record with its participants, in batches, by session id."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM sessions ORDER BY session_id, agent_id")
    for batch in batches(rows):
        people = _participants(connection, {row[1] for row in batch})
        for row in batch:
            yield _session(row, tuple(people.get((row[0], row[1]), ())))


def _participants(connection: Connection, ids: Iterable[str]) -> dict[tuple[str, str], list[Participant]]:
    found: dict[tuple[str, str], list[Participant]] = {}
    wanted = tuple(ids)
    for row in connection.execute(
        f"""SELECT agent_id, session_id, actor_id, namespace FROM participants WHERE session_id IN ({marks(wanted)})
            ORDER BY actor_id, namespace""",
        wanted,
    ):
        found.setdefault((row[0], row[1]), []).append(Participant(row[2], row[3]))
    return found


def _session(row: Any, participants: tuple[Participant, ...]) -> Session:
    agent_id, session_id, session_key, kind, hook_source, channel, chat_type, archived, created_at = row
    kind, archived = SessionKind(kind), bool(archived)
    return Session(
        session_id, session_key, agent_id, kind, hook_source, channel, chat_type, archived, created_at, participants
    )
