"""The provenance store of one agent: sessions, origins, tombstones and admission behind one object.

Nothing is made until something is written: asking a store that does not exist yet answers from an empty one.

A publisher keeps this order: a session forgotten meanwhile cannot come back, and a purge finds whatever was first.

    admission = store.admit(session)                 before the transcript is read
    ... extract, decide ...
    begin the host's write transaction (files: take the workspace lock)
        store.publish(session, {key: origins, ...})  asks the tombstones again and records lineage, or raises Forgotten
        write the memories
    commit the host's transaction
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from forgetguard.errors import Forgotten, StoreUnreadable, StoreUnwritable
from forgetguard.provenance import origins, sessions, tombstones
from forgetguard.provenance.admission import Admission, Policy, Purpose, decide
from forgetguard.provenance.origins import Consolidation, Reservation
from forgetguard.provenance.readonly import reading
from forgetguard.provenance.schema import is_made, open_store, unwritable, why, writing
from forgetguard.provenance.sessions import Session
from forgetguard.provenance.tombstones import Tombstone
from forgetguard.values import Origin, OriginClass

T = TypeVar("T")
WAITS = (0.01, 0.05, 0.2)  # seconds between looks


class ProvenanceStore:
    """One agent's file. Safe to share between threads; after a fork the child opens its own connection.

    `read_only` refuses every write and leaves no trace on disk, not even a `-shm`.
    """

    def __init__(
        self,
        path: Path | str,
        agent_id: str,
        *,
        policy: Policy | None = None,
        read_only: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = Path(path)
        self.agent_id = agent_id
        self.policy = policy or Policy()
        self._read_only = read_only
        self._clock = clock
        self._lock = threading.RLock()
        self._open: tuple[int, sqlite3.Connection] | None = None

    @classmethod
    def in_directory(cls, directory: Path | str, agent_id: str, *, policy: Policy | None = None) -> ProvenanceStore:
        """The store of `agent_id` in a directory that holds one file an agent."""
        return cls(Path(directory) / f"{quote(agent_id, safe='')}.provenance.sqlite", agent_id, policy=policy)

    # -- sessions and admission

    def admit(self, session: Session, purpose: Purpose = Purpose.INGESTION) -> Admission:
        """Whether the session may be read now. A refused ingestion is written down with its reason."""
        session = self._own(session)
        unknown: tuple[bool, str | None] = (False, None)
        buried, before = self._read(lambda connection: _standing(connection, session), unknown)
        answer = decide(session, buried=buried, policy=self.policy, purpose=purpose)
        if purpose is Purpose.INGESTION and before != answer.reason and not self._read_only:
            return self._noted(session)
        return answer

    def _noted(self, session: Session) -> Admission:
        """The answer for an ingestion, decided and written down in one transaction."""
        with self._writing() as connection:
            # Looked at again: forgotten since the first look, an older answer would wipe out what is on record now.
            buried, before = _standing(connection, session)
            answer = decide(session, buried=buried, policy=self.policy, purpose=Purpose.INGESTION)
            if answer.reason is None:
                sessions.clear_excluded(connection, session)
            elif answer.reason != before:
                sessions.record_excluded(connection, session, answer.reason)
            return answer

    def record_session(self, session: Session) -> None:
        """Write a session and its participants down, or bring the row up to date."""
        with self._writing() as connection:
            sessions.record_session(connection, self._own(session))

    def known_sessions(self) -> list[Session]:
        """Every session on record."""
        return self._read(lambda connection: list(sessions.known_sessions(connection)), [])

    def exclusions(self) -> list[dict[str, str]]:
        """Every session that was not scanned, with its `excludedReason`."""
        return self._read(lambda connection: list(sessions.exclusions(connection)), [])

    # -- lineage

    def record(self, entry_key: str, origin: Origin | Iterable[Origin]) -> Reservation:
        """Write where a memory comes from; call before the memory is written."""
        given = (origin,) if isinstance(origin, Origin) else origin
        with self._writing() as connection:
            return origins.record(connection, entry_key, [self._own_origin(one) for one in given])

    def publish(self, session_id: str, lineage: Mapping[str, Iterable[Origin]]) -> Reservation:
        """At commit: ask the tombstones again and record lineage, in one transaction.

        Raises Forgotten when the session, or one that an origin names, was forgotten meanwhile.
        """
        given = {key: [self._own_origin(one) for one in found] for key, found in lineage.items()}
        named = {session_id, *(one.session_id for found in given.values() for one in found)}
        with self._writing() as connection:
            if tombstones.buried_among(connection, sorted(named)):
                raise Forgotten("the session was forgotten while work on it was running")
            made = [origins.record(connection, key, found) for key, found in given.items()]
            return Reservation(tuple(row for one in made for row in one.rows))

    def consolidate(
        self, result: str, action: Consolidation | str, parents: Sequence[str] = (), *, begun: int | None = None
    ) -> Reservation:
        """Give `result` the union of its own and its parents' origins; call before it is published.

        `begun` is the `revision` before the parents were read. When sessions were forgotten since, what was read may
        hold their text although their origins are gone: raises Forgotten, and the work is to be done again.
        """
        with self._writing() as connection:
            if begun is not None and tombstones.revision(connection) != begun:
                raise Forgotten("a session was forgotten while memories were being consolidated")
            return origins.consolidate(connection, result, action, parents)

    def release(self, reservation: Reservation) -> None:
        """Take back what `record`, `publish` or `consolidate` added, when the memory was not written after all."""
        with self._writing() as connection:
            reservation.release(connection)

    def prune(self, live_keys: Collection[str]) -> int:
        """Delete the origins of memories that are gone; how many rows.

        Call inside the host's write transaction, in which `live_keys` were read: a publisher records lineage before
        its memory is there.
        """
        with self._writing() as connection:
            return origins.prune(connection, live_keys)

    def origins_of(self, entry_keys: Iterable[str]) -> list[tuple[str, Origin]]:
        """The origins of these memories."""
        return self._read(lambda connection: list(origins.origins_of(connection, entry_keys)), [])

    def entries_of(self, session_ids: Iterable[str]) -> frozenset[str]:
        """The memories with any origin in these sessions."""
        return self._read(lambda connection: frozenset(origins.entries_of(connection, session_ids)), frozenset())

    def traced(self, entry_keys: Iterable[str]) -> frozenset[str]:
        """Those of the memories that have any origin."""
        return self._read(lambda connection: origins.traced(connection, entry_keys), frozenset())

    def session_origins(self) -> list[tuple[str, str, OriginClass]]:
        """Every session that a memory came from, with key and class."""
        return self._read(lambda connection: list(origins.session_origins(connection)), [])

    def erase_origins(self, entry_keys: Iterable[str]) -> int:
        """Delete all origins of these memories; how many rows."""
        with self._writing() as connection:
            return origins.erase_origins(connection, entry_keys)

    # -- tombstones

    def bury(self, session_ids: Iterable[str], reason: str = tombstones.FORGOTTEN) -> int:
        """Tombstones and revision in one transaction; how many were new. Burying what is buried writes nothing."""
        wanted = sorted(set(session_ids))
        if self.buried(wanted).issuperset(wanted):
            return 0
        with self._writing() as connection:
            added = tombstones.bury(connection, wanted, self.agent_id, self._clock(), reason)
            if added:
                tombstones.bump_revision(connection)
            return added

    def unbury(self, session_id: str) -> bool:
        """Remove one tombstone; whether it was there."""
        if not self.is_buried(session_id):
            return False
        with self._writing() as connection:
            return tombstones.unbury(connection, session_id)

    def is_buried(self, session_id: str) -> bool:
        """Whether the session may not come back."""
        return bool(self.buried((session_id,)))

    def buried(self, session_ids: Iterable[str]) -> frozenset[str]:
        """Those of the sessions that may not come back."""
        return self._read(lambda connection: tombstones.buried_among(connection, session_ids), frozenset())

    def tombstones(self) -> list[Tombstone]:
        """All tombstones."""
        return self._read(lambda connection: list(tombstones.tombstones(connection)), [])

    def revision(self) -> int:
        """Grows whenever sessions are buried."""
        return self._read(lambda connection: tombstones.revision(connection), 0)

    def hold(self, session_ids: Iterable[str], reason: str) -> int:
        """Put sessions under legal hold; how many were new."""
        with self._writing() as connection:
            return tombstones.hold(connection, session_ids, self.agent_id, self._clock(), reason)

    def unhold(self, session_id: str) -> bool:
        """Lift a legal hold; whether it was there."""
        with self._writing() as connection:
            return tombstones.unhold(connection, session_id)

    def holds(self) -> dict[str, str]:
        """Session id to reason code, for every legal hold."""
        return self._read(lambda connection: {one.session_id: one.reason for one in tombstones.holds(connection)}, {})

    # -- connections

    def close(self) -> None:
        """Close the connection, if this process opened one."""
        with self._lock:
            connection = self._own_connection()
            if connection is not None:
                connection.close()
            self._open = None

    def _own(self, session: Session) -> Session:
        return session if session.agent_id else replace(session, agent_id=self.agent_id)

    def _own_origin(self, origin: Origin) -> Origin:
        if origin.agent_id and origin.observed_at:
            return origin
        observed_at = origin.observed_at or self._clock()
        return replace(origin, agent_id=origin.agent_id or self.agent_id, observed_at=observed_at)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        if self._read_only:
            raise StoreUnwritable("this provenance store was opened read-only", code="read-only")
        with self._lock:
            connection = self._connection()
            try:
                with writing(connection):
                    yield connection
            except sqlite3.Error as error:
                raise unwritable(error) from None

    def _read(self, look: Callable[[sqlite3.Connection], T], empty: T) -> T:
        """What `look` finds; `empty` when there is no store yet. Looks again when a writer came meanwhile."""
        for wait in WAITS:
            try:
                with self._reading() as connection:
                    return empty if connection is None else look(connection)
            except StoreUnreadable as error:
                if error.code != "busy":
                    raise
                time.sleep(wait)
        with self._reading() as connection:
            return empty if connection is None else look(connection)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        """A connection to read with. Before this process has written, one that leaves no trace."""
        with self._lock:
            connection = self._own_connection()
            if connection is not None:
                try:
                    yield connection
                except sqlite3.Error as error:
                    raise StoreUnreadable(
                        "the provenance file could not be read", code=why(error, "unreadable")
                    ) from None
            elif not self.path.exists():
                yield None
            else:
                with reading(self.path) as connection:
                    yield connection if is_made(connection) else None

    def _own_connection(self) -> sqlite3.Connection | None:
        # A connection opened before a fork belongs to the parent: using or closing it here would break its locks.
        return self._open[1] if self._open is not None and self._open[0] == os.getpid() else None

    def _connection(self) -> sqlite3.Connection:
        connection = self._own_connection()
        if connection is None:
            connection = open_store(self.path)
            self._open = (os.getpid(), connection)
        return connection


def _standing(connection: sqlite3.Connection, session: Session) -> tuple[bool, str | None]:
    """Whether the session is buried, and the exclusion on record."""
    return tombstones.is_buried(connection, session.session_id), sessions.excluded_reason(connection, session)


def consolidate_all(
    stores: Sequence[ProvenanceStore],
    result: str,
    action: Consolidation | str,
    parents: Sequence[str] = (),
    *,
    begun: Sequence[int] | None = None,
) -> tuple[Reservation, ...]:
    """`consolidate` for a workspace that several agents share: each agent's rows are carried on in its own store.

    `begun`: the `revision` of each store before the parents were read. When one store fails, what the others added is
    taken back before the error goes on.
    """
    revisions = begun if begun is not None else [None] * len(stores)
    done: list[tuple[ProvenanceStore, Reservation]] = []
    try:
        for store, revision in zip(stores, revisions, strict=True):
            done.append((store, store.consolidate(result, action, parents, begun=revision)))
    except BaseException:
        for store, reservation in done:
            store.release(reservation)
        raise
    return tuple(reservation for _, reservation in done)


def prune_all(stores: Sequence[ProvenanceStore], live_keys: Collection[str]) -> int:
    """`prune` for every agent that shares the workspace; how many rows."""
    return sum(store.prune(live_keys) for store in stores)
