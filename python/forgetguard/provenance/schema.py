"""The tables of the provenance store, how its file is opened, and the little that a connection must be able to do.

Hosts that have no record of where memories came from get one SQLite file an agent. A host that has these tables itself
(same names, same columns) keeps them: every function of this package works on any connection that holds them.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeVar

from forgetguard.errors import StoreUnreadable

SCHEMA_VERSION = 1
PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON", "temp_store=MEMORY")
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

    Raises StoreUnreadable when the file is of a later version or is not ours.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():  # 0600 before SQLite opens it: `-wal` and `-shm` inherit the mode
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    connection = sqlite3.connect(path, isolation_level=None, timeout=30.0, check_same_thread=False)
    try:
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
        _migrate(connection)
    except sqlite3.DatabaseError:
        connection.close()
        raise StoreUnreadable("the provenance file cannot be opened", code="unreadable") from None
    except StoreUnreadable:
        connection.close()
        raise
    return connection


def _migrate(connection: sqlite3.Connection) -> None:
    if _version(connection) == SCHEMA_VERSION:
        return
    with writing(connection):
        version = _version(connection)  # another process may have made the tables while this one waited
        if version == 0:
            for statement in STATEMENTS:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        elif version != SCHEMA_VERSION:
            raise StoreUnreadable("the provenance file was made by a later version", code="later-version")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


@contextmanager
def writing(connection: Connection) -> Iterator[None]:
    """One immediate transaction: committed at the end, rolled back when the body raises."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


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
