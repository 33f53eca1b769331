"""Reading a SQLite file without leaving a trace: no byte changed, no `-wal`, `-shm` or journal made beside it.

`mode=ro` alone is not enough (measured): on a WAL database it creates `-wal` and `-shm` where they are missing, and
where they are there it writes read marks into `-shm`. So the state on disk decides:

    `-wal` and `-shm` there     mode=ro, readonly_shm=1      sees the host's latest commit
    rollback mode               mode=ro                      takes the ordinary shared lock
    WAL mode, no `-wal`         immutable=1                  nobody has it open; a stamp tells if that changed
    a full `-wal`, no `-shm`    refused                      only SQLite's recovery, a write, could read it
"""

from __future__ import annotations

import codecs
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from forgetguard.errors import StoreUnreadable

ATTEMPTS = 5
STEP_SECONDS = 0.02

_Stamp = tuple[int, int, int, bool]
_STRAY = "forgetguard-stray"  # how `lenient` reads bytes that are no UTF-8


def _stray_bytes(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error(_STRAY, _stray_bytes)


def lenient(raw: bytes) -> str:
    """UTF-8 in which stray bytes are read as Latin-1: one of them must not hide the rest of a host's text."""
    return raw.decode("utf-8", _STRAY)


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that can only read `path`, in one view of it from beginning to end.

    Raises StoreUnreadable: `missing`, `busy` (a writer changed it under an unlocked view), `needs-recovery`, `corrupt`.
    """
    path = Path(os.path.realpath(path))  # SQLite keeps `-wal` and `-shm` beside the file that a link leads to
    connection, watched = _open(path)
    try:
        yield connection
        if watched is not None and watched != _stamp(path):
            raise StoreUnreadable("a database changed while it was being read", code="busy")
    except sqlite3.DatabaseError as error:
        if str(error).startswith("no such "):
            raise StoreUnreadable(
                "a table or column that was named is not in the database",
                code="no-such-column",
                advice="Check the names of tables and columns in the description of the host.",
            ) from None
        raise StoreUnreadable("a database could not be read", code=_code(error)) from None
    finally:
        connection.close()


def _open(path: Path) -> tuple[sqlite3.Connection, _Stamp | None]:
    if not path.is_file():
        raise StoreUnreadable("a database is missing", code="missing")
    for attempt in range(ATTEMPTS):
        time.sleep(attempt * STEP_SECONDS)
        stamp = _stamp(path)
        try:
            flags = _flags(path)
            connection = _connect(path, flags)
        except StoreUnreadable:
            # Its last user may have closed it between the look at `-wal` and `-shm` and the opening.
            if attempt == ATTEMPTS - 1:
                raise
            continue
        if "immutable" not in flags:
            return connection, None
        if stamp == _stamp(path):
            return connection, stamp
        connection.close()  # a writer came meanwhile: look at the disk again
    raise StoreUnreadable("a database kept changing while it was being opened", code="busy")


def _flags(path: Path) -> str:
    wal = path.with_name(path.name + "-wal")
    if wal.exists() and path.with_name(path.name + "-shm").exists():
        return "mode=ro&readonly_shm=1"
    if wal.exists() and wal.stat().st_size:
        raise StoreUnreadable("a database needs recovery before it can be read", code="needs-recovery")
    return "mode=ro" if _in_rollback_mode(path) else "mode=ro&immutable=1"


def _in_rollback_mode(path: Path) -> bool:
    """Whether the header asks for no WAL. SQLite tells: without locks it opens these only, and makes no file.

    Reading the header through a file handle of our own would drop every lock that this process holds on the database.
    """
    try:
        _connect(path, "mode=ro&nolock=1").close()
    except StoreUnreadable as error:
        if error.code == "unreadable":
            return False
        raise
    return True


def _connect(path: Path, flags: str) -> sqlite3.Connection:
    uri = f"file:{quote(str(path))}?{flags}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=5.0, check_same_thread=False)
    connection.text_factory = lenient
    try:
        connection.execute("PRAGMA temp_store=MEMORY")
        connection.execute("PRAGMA query_only=ON")
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.DatabaseError as error:
        connection.close()
        raise StoreUnreadable("a database could not be opened for reading", code=_code(error)) from None
    return connection


def _stamp(path: Path) -> _Stamp:
    found = os.stat(path)
    return found.st_ino, found.st_size, found.st_mtime_ns, path.with_name(path.name + "-wal").exists()


def _code(error: sqlite3.Error) -> str:
    name = str(getattr(error, "sqlite_errorname", ""))
    known = {"SQLITE_BUSY": "busy", "SQLITE_NOTADB": "not-a-database", "SQLITE_READONLY_ROLLBACK": "needs-recovery"}
    return "corrupt" if name.startswith("SQLITE_CORRUPT") else known.get(name, "unreadable")
