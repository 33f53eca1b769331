"""Opening the host's databases, always with apsw: Python's own SQLite may lack what the host's schema and vectors need.

1. No file of the host is opened through two SQLite libraries in one process: that breaks SQLite's locks.
2. Reading leaves no trace: no byte changed, no `-wal`, `-shm` or journal made (`provenance.readonly` says how).
3. A version that was not tested is refused before anything is written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from forgetguard.errors import ForgetGuardError, Refused, StoreUnreadable
from forgetguard.provenance import readonly
from forgetguard.provenance.schema import Connection, has_table, scalar
from forgetguard.purge.surfaces import sqlite_tools as tools

VECTORS = "memory_index_chunks_vec"


class ExtraMissing(ForgetGuardError):
    """What this adapter is built on is not installed."""

    code = "extra-missing"
    advice = "Install it with `pip install forgetguard[openclaw]`."
    exit_code = 2


def library() -> Any:
    """apsw. Raises ExtraMissing."""
    try:
        import apsw
    except ModuleNotFoundError as error:
        if error.name != "apsw":
            raise
        raise ExtraMissing("the extra `openclaw` is not installed") from None
    return apsw


def reading(path: Path) -> AbstractContextManager[Connection]:
    """A connection that can only read, in one view from beginning to end. Raises StoreUnreadable."""
    return readonly.reading_with(readonly.Engine(_connect, library().Error), path)


def _connect(uri: str) -> Any:
    apsw = library()
    connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    connection.set_busy_timeout(5000)
    return connection


def _code(error: Exception) -> str:
    known = {
        "BusyError": "busy",
        "NotADBError": "not-a-database",
        "CorruptError": "corrupt",
        "CantOpenError": "missing",
    }
    return known.get(type(error).__name__, "unreadable")


@contextmanager
def erasing(path: Path, wait: float | None = None) -> Iterator[Connection]:
    """A connection that deletes for good: foreign keys on, freed bytes overwritten, vectors loaded where there are any.

    `wait`: seconds for a busy host. Raises StoreUnreadable; Refused where the vectors cannot be opened.
    """
    apsw = library()
    connection = None
    try:
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
        connection = apsw.Connection(f"file:{quote(str(path))}?mode=rw", flags=flags)
        connection.set_busy_timeout(int(1000 * (tools.WAIT_SECONDS if wait is None else wait)))
        tools.prepare(connection)
        scalar(connection, "SELECT count(*) FROM sqlite_schema")
        if has_table(connection, VECTORS):
            _load_vectors(connection)
    except apsw.Error as error:
        if connection is not None:
            connection.close()
        raise StoreUnreadable("a database of the host cannot be opened for writing", code=_code(error)) from None
    try:
        yield connection
    finally:
        connection.close()


def _load_vectors(connection: Any) -> None:
    try:
        import sqlite_vec
    except ModuleNotFoundError as error:
        if error.name != "sqlite_vec":
            raise
        raise ExtraMissing("the extra `openclaw` is not installed") from None
    try:
        connection.enable_load_extension(True)
        connection.load_extension(sqlite_vec.loadable_path())
        connection.enable_load_extension(False)
        list(connection.execute(f"SELECT count(*) FROM {VECTORS} WHERE 0"))
    except Exception as error:
        if not tools.is_sqlite_error(error):
            raise
        raise Refused("the host's vectors cannot be opened, so nothing was written", code="no-vectors") from None


def version(connection: Connection) -> int:
    """The schema version that the host wrote."""
    return int(scalar(connection, "PRAGMA user_version") or 0)


def check_version(path: Path, tested: Collection[int]) -> None:
    """Raises Refused for a version that was not tested, StoreUnreadable where it cannot be told."""
    with reading(path) as connection:
        if version(connection) not in tested:
            raise Refused(
                "a database of the host has a version that was not tested with forgetguard",
                code="unknown-version",
                advice="`forgetguard doctor --state-dir` names the versions that were; nothing was written.",
            )
