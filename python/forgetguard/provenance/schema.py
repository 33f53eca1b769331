"""The tables of the provenance store, how its file is opened, and the little that a connection must be able to do.

Hosts that have no record of where memories came from get one SQLite file an agent. A host that has these tables itself
(same names, same columns) keeps them: every function of this package works on any connection that holds them.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeVar

from forgetguard.errors import StoreUnreadable, StoreUnwritable

SCHEMA_VERSION = 1
PRAGMAS = ("synchronous=FULL", "foreign_keys=ON", "secure_delete=ON", "temp_store=MEMORY")
WAIT_SECONDS = 30.0  # for a writer of another process
STEP_SECONDS = 0.005
BATCH = 500  # bound parameters a statement; SQLite's floor is 999

T = TypeVar("T")

_CLASSES = "origin_class IN ('owner','agent','untrusted','system')"

STATEMENTS = (
    """CREATE TABLE sessions(
        agent_id TEXT NOT NULL, session_id TEXT NOT NULL, session_key TEXT NOT NULL DEFAULT '',
        kind TEXT NOT NULL DEFAULT 'interactive', hook_source TEXT, channel TEXT, chat_type TEXT,
        archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0,1)), created_at REAL NOT NULL DEFAULT 0,
        excluded_reason TEXT, PRIMARY KEY (agent_id, session_id)) STRICT""",
    """CREATE TABLE participants(
        agent_id TEXT NOT NULL, session_id TEXT NOT NULL, actor_id TEXT NOT NULL, namespace TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (agent_id, session_id, actor_id, namespace),
        FOREIGN KEY (agent_id, session_id) REFERENCES sessions(agent_id, session_id) ON DELETE CASCADE) STRICT""",
    f"""CREATE TABLE memory_entry_origins(
        entry_key TEXT NOT NULL, agent_id TEXT NOT NULL, session_id TEXT NOT NULL, session_key TEXT NOT NULL DEFAULT '',
        origin_class TEXT NOT NULL CHECK ({_CLASSES}), observed_at REAL NOT NULL,
        PRIMARY KEY (entry_key, agent_id, session_id)) STRICT""",
    "CREATE INDEX memory_entry_origins_session ON memory_entry_origins(session_id)",
    """CREATE TABLE memory_session_tombstones(
        session_id TEXT NOT NULL PRIMARY KEY, agent_id TEXT NOT NULL, reason TEXT NOT NULL,
        created_at REAL NOT NULL) STRICT""",
    """CREATE TABLE memory_legal_holds(
        session_id TEXT NOT NULL PRIMARY KEY, agent_id TEXT NOT NULL, reason TEXT NOT NULL,
        created_at REAL NOT NULL) STRICT""",
    "CREATE TABLE memory_state(id INTEGER PRIMARY KEY CHECK (id = 1), revision INTEGER NOT NULL) STRICT",
    "INSERT INTO memory_state VALUES (1, 0)",
)


class Connection(Protocol):
    """What the functions here need of a database: sqlite3 with `isolation_level=None` and apsw both have it."""

    def execute(self, sql: str, bindings: Any = ..., /) -> Iterable[Any]: ...


def open_store(path: Path) -> sqlite3.Connection:
    """Open the provenance file for writing; made with its tables, 0600 in a 0700 directory, if it is absent.

    Raises StoreUnreadable when the file is of a later version or is not ours, StoreUnwritable when it cannot be made.
    """
    connection = None
    try:
        connection = open_private(path)
        _migrate(connection)
    except (sqlite3.DatabaseError, OSError, StoreUnreadable) as error:
        if connection is not None:
            connection.close()
        if isinstance(error, StoreUnreadable):
            raise
        if getattr(error, "sqlite_errorname", "") in _NOT_OURS:
            raise StoreUnreadable("the provenance file is no database, or is damaged") from None
        raise unwritable(error) from None
    return connection


_NOT_OURS = ("SQLITE_NOTADB", "SQLITE_CORRUPT")


def unwritable(error: Exception) -> StoreUnwritable:
    """The typed error for what stood in the way of a write."""
    return StoreUnwritable("the provenance file cannot be written", code=why(error, "unwritable"))


def open_private(path: Path) -> sqlite3.Connection:
    """A database of our own, made 0600 in a 0700 directory if it is absent. Raises OSError, sqlite3.DatabaseError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():  # 0600 before SQLite opens it: `-wal` and `-shm` inherit the mode
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    connection = sqlite3.connect(path, isolation_level=None, timeout=WAIT_SECONDS, check_same_thread=False)
    try:
        _switch_to_wal(connection)
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """SQLite itself does not wait here (measured): of two that open a new file at once, one is told that it is busy."""
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if why(error, "") != "busy" or time.monotonic() >= deadline:
                raise
            time.sleep(STEP_SECONDS)
        else:
            return


def _migrate(connection: sqlite3.Connection) -> None:
    if is_made(connection):
        return
    with writing(connection):
        if not is_made(connection):  # else another process made the tables while this one waited
            for statement in STATEMENTS:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")


def is_made(connection: sqlite3.Connection) -> bool:
    """Whether the tables are there; a file whose making was cut short (a kill, a full disk) has none.

    Raises StoreUnreadable for another program's file, or a later version of ours.
    """
    # In one statement: between two, another process could make the tables, and they would be taken for a stranger's.
    version, tables = connection.execute(
        "SELECT user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version"
    ).fetchone()
    if version == SCHEMA_VERSION:
        return True
    if version:
        raise StoreUnreadable("the provenance file was made by a later version", code="later-version")
    if tables:
        raise StoreUnreadable("the provenance file is another program's database", code="not-ours")
    return False


@contextmanager
def writing(connection: Connection) -> Iterator[None]:
    """One immediate transaction: committed at the end, rolled back when the body or the commit raises."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(Exception):  # after a full disk SQLite has rolled back by itself
            connection.execute("ROLLBACK")
        raise


def why(error: Exception, otherwise: str) -> str:
    """A stable code for what stood in the way of a write; never the error's text, which may quote a row or a path."""
    if isinstance(error, OSError):
        name = errno.errorcode.get(error.errno or 0, "")
    else:
        name = str(getattr(error, "sqlite_errorname", type(error).__name__)).upper()
    return next((code for part, code in _CAUSES if part in name), otherwise)


_CAUSES = (
    ("FULL", "no-space"), ("ENOSPC", "no-space"), ("EFBIG", "no-space"), ("EDQUOT", "no-space"),
    ("IOERR", "io-error"), ("EIO", "io-error"), ("BUSY", "busy"), ("LOCKED", "busy"),
    ("READONLY", "read-only"), ("CANTOPEN", "read-only"), ("EROFS", "read-only"), ("EACCES", "read-only"),
    ("EPERM", "read-only"), ("CORRUPT", "damaged"), ("NOTADB", "damaged"),
)  # fmt: skip


def has_table(connection: Connection, name: str) -> bool:
    """Whether the database has this table; a host of an earlier version may lack one of ours."""
    return bool(scalar(connection, "SELECT count(*) FROM sqlite_schema WHERE type='table' AND name=?", (name,)))


def scalar(connection: Connection, sql: str, bindings: Sequence[object] = ()) -> Any:
    """The first column of the first row."""
    for row in connection.execute(sql, tuple(bindings)):
        return row[0]
    return None


def changed(connection: Connection) -> int:
    """How many rows the last statement changed."""
    return int(scalar(connection, "SELECT changes()"))


def batches(items: Iterable[T], size: int = BATCH) -> Iterator[tuple[T, ...]]:
    """The items in tuples of at most `size`, so that memory and bound parameters stay bounded."""
    iterator = iter(items)
    while batch := tuple(islice(iterator, size)):
        yield batch


def marks(batch: Sequence[object]) -> str:
    """`?,?,?` for as many values as the batch has."""
    return ",".join("?" * len(batch))
