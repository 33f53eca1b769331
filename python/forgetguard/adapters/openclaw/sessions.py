"""The sessions of an agent as its database knows them, and which of them a selection names.

Live sessions are windows; selecting a key takes every window of that key. Archives are named by id or key alone:
nothing in them says who took part or where they came from, so what a wider selector says of them is not known.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from forgetguard.adapters.openclaw import database
from forgetguard.adapters.openclaw.keys import code_units
from forgetguard.adapters.openclaw.layout import Agent
from forgetguard.adapters.openclaw.stored import mapping_of
from forgetguard.provenance import Participant, Session
from forgetguard.provenance.schema import Connection, has_table
from forgetguard.purge.selection import Resolution, Selected, Selection, Source
from forgetguard.purge.survey import patiently
from forgetguard.values import OriginClass

_AGENT = re.compile(r"^agent:([^:]+):")


@dataclass(frozen=True)
class Roster:
    """Every session of the agent, who took part under which key, and where memories came from."""

    sessions: tuple[Session, ...]
    identities: tuple[tuple[str, str, str], ...]  # session key, actor, namespace; as the host orders them
    origins: tuple[tuple[str, str, OriginClass], ...]


def roster(agent: Agent) -> Roster:
    """The agent's sessions as they stand now."""

    def look() -> Roster:
        with database.reading(agent.database) as connection:
            return read(connection, agent.name)

    return patiently(look)


def read(connection: Connection, agent: str) -> Roster:
    """The roster as it stands in the database now."""
    identities = tuple(_identities(connection))
    origins = tuple(_origins(connection, agent))
    return Roster((*_live(connection, agent, identities), *_archived(connection, agent)), identities, origins)


def _identities(connection: Connection) -> Iterator[tuple[str, str, str]]:
    if has_table(connection, "session_participants"):
        for key, actor, space in connection.execute(
            "SELECT session_key, actor_id, identity_namespace FROM session_participants ORDER BY 1, rowid"
        ):
            yield str(key), str(actor), str(space)


def _origins(connection: Connection, agent: str) -> Iterator[tuple[str, str, OriginClass]]:
    if has_table(connection, "memory_entry_origins"):
        for session, key, kind in connection.execute(
            "SELECT DISTINCT session_id, coalesce(session_key, ''), origin_class FROM memory_entry_origins"
            " WHERE agent_id=? ORDER BY 1, 2, 3",
            (agent,),
        ):
            yield str(session), str(key), OriginClass(kind)


def _belongs(key: str, agent: str) -> bool:
    match = _AGENT.match(key)
    return match is None or match.group(1) == agent


def _live(connection: Connection, agent: str, identities: Iterable[tuple[str, str, str]]) -> Iterator[Session]:
    people: dict[str, list[Participant]] = {}
    for key, actor, space in identities:
        people.setdefault(key, []).append(Participant(actor, space))
    rows = connection.execute(
        """SELECT w.session_id, w.session_key, w.created_at, w.hook_external_content_source, w.session_entry_provenance,
                  w.channel, w.chat_type, n.current_session_id, n.entry_json
           FROM session_windows w LEFT JOIN session_nodes n ON n.session_key = w.session_key ORDER BY w.session_id"""
    )
    for session, key, created, coarse, proven, channel, chat, current, entry in rows:
        if _belongs(str(key), agent):
            hook = _exact_hook(entry) if current == session else None
            if hook is None and coarse == "gmail" and proven:
                hook = "gmail"
            yield Session(
                str(session), str(key), agent, hook_source=hook, channel=channel, chat_type=chat,
                created_at=(created or 0) / 1000, participants=tuple(people.get(str(key), ())),
            )  # fmt: skip


def _exact_hook(entry: object) -> str | None:
    value = (mapping_of(str(entry)) or {}).get("hookExternalContentSource")
    return value if isinstance(value, str) and value else None


def _archived(connection: Connection, agent: str) -> Iterator[Session]:
    if has_table(connection, "session_transcript_archives"):
        for session, key, created in connection.execute(
            "SELECT session_id, session_key, max(created_at) FROM session_transcript_archives GROUP BY session_id"
            " ORDER BY session_id"
        ):
            if _belongs(str(key), agent):
                yield Session(str(session), str(key), agent, archived=True, created_at=(created or 0) / 1000)


def resolve(selection: Selection, roster: Roster) -> Resolution:
    """What the selection names now; a union of all its selectors. `unmatched` are values that nothing answers to."""
    found: dict[str, Selected] = {}
    old: set[str] = set()
    matched: set[tuple[str, str]] = set()
    for session in roster.sessions:
        hits = _hits(selection, session, roster)
        matched |= hits
        if hits and selection.since is not None and session.created_at < selection.since:
            old.add(session.session_id)
        elif hits and session.session_id not in found:
            source = Source.ARCHIVED if session.archived else Source.LIVE
            found[session.session_id] = Selected(session.session_id, session.session_key, source)
    known = {session.session_id for session in roster.sessions}
    for session_id, key, kind in roster.origins:
        hits = {("sessions", value) for value in selection.sessions if value in (session_id, key)}
        hits |= {("origin_classes", value.value) for value in selection.origin_classes if value is kind}
        matched |= hits
        if hits and session_id not in known and (selection.since is None or session_id in selection.sessions):
            found.setdefault(session_id, Selected(session_id, key, Source.ORIGIN))
    given = selection.values()
    unmatched = [(name, value) for name, values in given.items() for value in dict.fromkeys(values)
                 if (name, value) not in matched]  # fmt: skip
    for name, value in unmatched:
        if name == "sessions":
            found.setdefault(value, Selected(value, source=Source.UNRESOLVED))
    ordered = tuple(found[key] for key in sorted(found, key=code_units))
    return Resolution(ordered, _people(selection, roster, ordered), (), tuple(unmatched))


def without(resolution: Resolution, elsewhere: Collection[tuple[str, str]]) -> Resolution:
    """The resolution without values that are unknown here, but not to another agent."""
    left = tuple(one for one in resolution.unmatched if one not in elsewhere)
    mine = tuple(
        one
        for one in resolution.sessions
        if one.source is not Source.UNRESOLVED or ("sessions", one.session_id) not in elsewhere
    )
    return replace(resolution, sessions=mine, unmatched=left)


def withheld(resolution: Resolution, holds: Mapping[str, str]) -> Resolution:
    """The resolution without the sessions that a legal hold keeps, which it names with the reason."""
    held = tuple((one.session_id, holds[one.session_id]) for one in resolution.sessions if one.session_id in holds)
    left = tuple(one for one in resolution.sessions if one.session_id not in holds)
    return replace(resolution, sessions=left, held=tuple(dict.fromkeys((*resolution.held, *held))))


def _hits(selection: Selection, session: Session, roster: Roster) -> set[tuple[str, str]]:
    own: dict[str, set[str | None]] = {"sessions": {session.session_id, session.session_key}}
    if not session.archived:
        own |= {
            "participants": {one.actor_id for one in session.participants},
            "hook_sources": {session.hook_source},
            "channels": {session.channel},
            "chat_types": {session.chat_type},
        }
    hits = {(name, value) for name, has in own.items() for value in getattr(selection, name) if value in has}
    for session_id, _, kind in roster.origins if selection.origin_classes else ():
        if session_id == session.session_id and kind in selection.origin_classes:
            hits.add(("origin_classes", kind.value))
    return hits


def _people(
    selection: Selection, roster: Roster, sessions: Iterable[Selected]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Every namespace in which a participant's id was met among the selected sessions: one id may be two people."""
    keys = {one.session_key for one in sessions}
    met: dict[str, dict[str, None]] = {}
    for key, actor, space in roster.identities:
        if key in keys and actor in selection.participants:
            met.setdefault(actor, {})[space] = None
    return tuple((actor, tuple(met[actor])) for actor in sorted(met, key=code_units))


def identity(space: str, actor: str) -> dict[str, object]:
    """An identity as the host reports it: its type, its id, and what else the namespace says."""
    given = mapping_of(space) or {"type": space}
    return {"type": given.get("type"), "id": actor, **{key: value for key, value in given.items() if key != "type"}}


def unjudged(selection: Selection, roster: Roster, chosen: Iterable[str]) -> tuple[str, ...]:
    """Archives of which a selector by person, source or place cannot say whether it means them; by id."""
    wide = (selection.participants, selection.hook_sources, selection.channels, selection.chat_types)
    if not any(wide):
        return ()
    taken = set(chosen)
    return tuple(
        one.session_id
        for one in roster.sessions
        if one.archived
        and one.session_id not in taken
        and not (selection.since is not None and one.created_at < selection.since)
    )
