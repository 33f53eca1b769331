"""The journal: which step of which run was begun and done, and, sealed, what a later run needs to finish it.

1. A step is written down before it begins and after it ends, durably: a kill in between shows as `started`.
2. Needles, entry keys, paths and pre-hashes stand here sealed, and only until the run is clean or closed; then they are
   deleted, the file is compacted and its WAL emptied.
3. Nothing else about the content stands here: steps have names, statuses and counts.

Not guaranteed: that the disk keeps no old blocks of this file. They hold sealed bytes, useless without the operator's
key. Nor that somebody who can write it put no older copy of the whole file in its place.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from forgetguard.errors import PurgeFailed
from forgetguard.provenance.readonly import reading
from forgetguard.provenance.schema import open_private, why, writing
from forgetguard.purge.operator import Home, Operator
from forgetguard.purge.waiting import wait_for

SCHEMA_VERSION = 1
STATEMENTS = (
    """CREATE TABLE runs(
        id TEXT NOT NULL PRIMARY KEY, host TEXT NOT NULL, state TEXT NOT NULL
        CHECK (state IN ('open','unproven','clean','closed')), attempt INTEGER NOT NULL, codes TEXT NOT NULL,
        created_at REAL NOT NULL) STRICT""",
    """CREATE TABLE steps(
        run TEXT NOT NULL REFERENCES runs(id), n INTEGER NOT NULL, attempt INTEGER NOT NULL, name TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('started','done','incomplete','failed')), counts TEXT NOT NULL,
        at REAL NOT NULL, PRIMARY KEY (run, n)) STRICT""",
    """CREATE TABLE secrets(
        run TEXT NOT NULL REFERENCES runs(id), kind TEXT NOT NULL, n INTEGER NOT NULL, sealed BLOB NOT NULL,
        PRIMARY KEY (run, kind, n)) STRICT""",
    """CREATE TABLE receipts(
        n INTEGER NOT NULL PRIMARY KEY, id TEXT NOT NULL UNIQUE, run TEXT NOT NULL, body BLOB NOT NULL,
        signature BLOB NOT NULL, openings BLOB NOT NULL) STRICT""",
)


class RunState(StrEnum):
    """`open`: a step is missing. `unproven`: done, but not clean. `clean` and `closed`: nothing sealed is left."""

    OPEN = "open"
    UNPROVEN = "unproven"
    CLEAN = "clean"
    CLOSED = "closed"


_OVER = (RunState.CLEAN, RunState.CLOSED)


class StepStatus(StrEnum):
    """`incomplete`: done, but something must be tried again. A `started` step of an earlier attempt was interrupted."""

    STARTED = "started"
    DONE = "done"
    INCOMPLETE = "incomplete"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Step:
    """One step in order of execution. `attempt` counts from 1: which call of the purge ran it."""

    n: int
    attempt: int
    name: str
    status: StepStatus
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Run:
    """A purge, over all its attempts. `codes` are operator, basis and request id."""

    id: str
    host: str
    state: RunState
    attempt: int
    codes: Mapping[str, str]


Observer = Callable[[str, str], None]


class JournalFailed(PurgeFailed):
    """The journal cannot be written or read now: nothing may be done that it does not know of."""

    code = "journal-unwritable"
    advice = "Check the space and the permissions of the purge's own directory, then run the same purge again."


@contextmanager
def _guarded() -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        cause = why(error, "unwritable")
        code = "journal-unreadable" if cause == "damaged" else f"journal-{cause}"
        raise JournalFailed("the journal cannot be written", code=code) from None
    except ValueError:  # JSON or a state that was never written so
        raise JournalFailed("the journal was altered", code="journal-unreadable") from None


class Journal:
    """The journal of one home. `observe(name, status)` is called after each step is durable."""

    def __init__(self, connection: sqlite3.Connection, operator: Operator, observe: Observer | None = None) -> None:
        self.connection = connection
        self.operator = operator
        self._tell = observe

    def _observe(self, name: str, status: str) -> None:
        if self._tell is not None:
            self._tell(name, status)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction. Raises JournalFailed."""
        with _guarded(), writing(self.connection):
            yield self.connection

    # -- runs

    def begin(self, host: str, codes: Mapping[str, str]) -> Run:
        """A new run, in its first attempt."""
        run = Run(uuid.uuid4().hex, host, RunState.OPEN, 1, dict(codes))
        with self.writing() as connection:
            connection.execute(
                "INSERT INTO runs VALUES (?,?,?,?,?,?)",
                (run.id, host, run.state.value, run.attempt, json.dumps(codes, sort_keys=True), time.time()),
            )
        return run

    def again(self, run: Run) -> Run:
        """The run in its next attempt."""
        with self.writing() as connection:
            connection.execute("UPDATE runs SET attempt=attempt+1, state='open' WHERE id=?", (run.id,))
        return next(one for one in self.unfinished(run.host) if one.id == run.id)

    def unfinished(self, host: str | None = None) -> list[Run]:
        """The runs that are neither clean nor closed, oldest first."""
        with _guarded():
            rows = self.connection.execute(
                """SELECT id, host, state, attempt, codes FROM runs
                   WHERE state IN ('open','unproven') AND (?1 IS NULL OR host=?1) ORDER BY created_at, id""",
                (host,),
            )
            return [Run(row[0], row[1], RunState(row[2]), row[3], json.loads(row[4])) for row in rows]

    def finish(self, run: Run, state: RunState) -> None:
        """The run's new state; what was sealed for it goes when nothing needs it any more."""
        with self.writing() as connection:
            connection.execute("UPDATE runs SET state=? WHERE id=?", (state.value, run.id))
            if state in _OVER:
                connection.execute("DELETE FROM secrets WHERE run=?", (run.id,))
        if state in _OVER:
            with _guarded():
                self.connection.execute("VACUUM")
                self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._observe("finish", state.value)

    # -- steps

    @contextmanager
    def step(self, run: Run, name: str) -> Iterator[Outcome]:
        """Journal a step around its body; a body that raises leaves it `failed`, a kill leaves it `started`."""
        with self.writing() as connection:
            row = connection.execute("SELECT coalesce(max(n), 0) + 1 FROM steps WHERE run=?", (run.id,)).fetchone()
            connection.execute(
                "INSERT INTO steps VALUES (?,?,?,?,'started','{}',?)", (run.id, row[0], run.attempt, name, time.time())
            )
        self._observe(name, StepStatus.STARTED.value)
        outcome = Outcome()
        try:
            yield outcome
        except Exception:
            with suppress(JournalFailed):  # a full disk: the step then shows as interrupted
                self._end(run, row[0], name, StepStatus.FAILED, outcome.counts)
            raise
        self._end(run, row[0], name, outcome.status, outcome.counts)

    def _end(self, run: Run, n: int, name: str, status: StepStatus, counts: Mapping[str, int]) -> None:
        with self.writing() as connection:
            connection.execute(
                "UPDATE steps SET status=?, counts=?, at=? WHERE run=? AND n=?",
                (status.value, json.dumps(dict(counts), sort_keys=True), time.time(), run.id, n),
            )
        self._observe(name, status.value)

    def steps(self, run: Run) -> list[Step]:
        """All steps of all attempts, in order of execution."""
        with _guarded():
            rows = self.connection.execute(
                "SELECT n, attempt, name, status, counts FROM steps WHERE run=? ORDER BY n", (run.id,)
            )
            return [Step(row[0], row[1], row[2], StepStatus(row[3]), json.loads(row[4])) for row in rows]

    # -- sealed content

    def seal(self, run: Run, kind: str, content: object, *, durable: bool = True) -> None:
        """Keep `content` (JSON) sealed under the run, after what was kept before.

        Not `durable`: a kill loses nothing, a power cut may; for what a later run could find out again.
        """
        with _guarded():
            last = self.connection.execute(
                "SELECT max(n) FROM secrets WHERE run=? AND kind=?", (run.id, kind)
            ).fetchone()
        n = (last[0] or 0) + 1
        sealed = self.operator.seal(f"{run.id}/{kind}/{n}", json.dumps(content).encode())
        self.connection.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
        try:
            with self.writing() as connection:
                connection.execute("INSERT INTO secrets VALUES (?,?,?,?)", (run.id, kind, n, sealed))
        finally:
            self.connection.execute("PRAGMA synchronous=FULL")

    def sealed(self, run: Run) -> dict[str, int]:
        """How many records of each kind are sealed under the run."""
        with _guarded():
            return dict(
                self.connection.execute("SELECT kind, max(n) FROM secrets WHERE run=? GROUP BY kind", (run.id,))
            )

    def unseal(self, run: Run, kind: str) -> Iterator[object]:
        """Everything that was sealed under this kind, in order. Raises PurgeFailed for another key, or a gap."""
        with _guarded():
            rows = self.connection.execute(
                "SELECT n, sealed FROM secrets WHERE run=? AND kind=? ORDER BY n", (run.id, kind)
            ).fetchall()
        for expected, (n, sealed) in enumerate(rows, 1):
            if n != expected:
                raise PurgeFailed("sealed records are missing from the journal", code="journal-unreadable")
            yield json.loads(self.operator.unseal(f"{run.id}/{kind}/{n}", sealed))


@dataclass
class Outcome:
    """What a step's body reports."""

    status: StepStatus = StepStatus.DONE
    counts: dict[str, int] = field(default_factory=dict)


@contextmanager
def opened(home: Home, operator: Operator, observe: Observer | None = None, wait: float = 30.0) -> Iterator[Journal]:
    """The journal for writing, made if it is absent, with the lock that keeps two purges of one home apart.

    The lock goes with the process, so a killed purge leaves none. Raises Refused when it is held for longer than
    `wait` seconds.
    """
    with ExitStack() as stack:
        with _guarded():
            home.make()
            handle = os.open(home.lock, os.O_CREAT | os.O_RDWR, 0o600)
        stack.callback(os.close, handle)
        wait_for(lambda: _take(handle), wait, "purge-busy")
        with _guarded():
            connection = stack.enter_context(closing(_open(home.journal)))
        yield Journal(connection, operator, observe)


def _take(handle: int) -> None:
    try:
        import fcntl
    except ModuleNotFoundError:
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError as error:
            raise BlockingIOError from error
        return
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _open(path: Path) -> sqlite3.Connection:
    connection = open_private(path)
    try:
        with writing(connection):
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                for statement in STATEMENTS:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
            elif version != SCHEMA_VERSION:
                raise PurgeFailed("the journal was made by a later version", code="journal-unreadable")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def viewed(home: Home) -> Iterator[sqlite3.Connection | None]:
    """The journal for reading, without a trace; None when there is none yet."""
    if not home.journal.exists():
        yield None
        return
    with reading(home.journal) as connection:
        made = connection.execute("PRAGMA user_version").fetchone()[0] != 0
        yield connection if made else None
