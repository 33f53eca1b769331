"""Reading a SQLite file without leaving a trace: no byte changed, no `-wal`, `-shm` or journal made beside it.

`mode=ro` alone is not enough (measured): on a WAL database it creates `-wal` and `-shm` where they are missing, and
where they are there it writes read marks into `-shm`. So the state on disk decides:

    `-wal` and `-shm` there     mode=ro, readonly_shm=1      sees the host's latest commit
    rollback mode               mode=ro                      takes the ordinary shared lock
    WAL mode, no `-wal`         immutable=1                  nobody has it open; a stamp tells if that changed
    after a crash               its `-shm` is gone or does not fit its `-wal`, and SQLite would repair it, a write:
      no commit in the `-wal`   immutable=1                  the database file is all there is
      commits in the `-wal`     vfs=unix-none, exclusive     an index of the `-wal` in memory, of which a stamp tells
                                                             whether it still holds
"""

from __future__ import annotations

import codecs
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from struct import iter_unpack, unpack
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import quote

from forgetguard.errors import StoreUnreadable

ATTEMPTS = 5
STEP_SECONDS = 0.02
WAL_HEADER_BYTES = 32  # a `-wal` of no more has no content
FRAME_HEADER_BYTES = 24
_LITTLE, _BIG = 0x377F0682, 0x377F0683  # how a `-wal` begins, and the byte order of its checksums
_PRIVATE = "mode=ro&vfs=" + ("win32-none" if os.name == "nt" else "unix-none")

_Stamp = tuple[int, int, int, int, int]


class Readable(Protocol):
    """What is needed of a connection: sqlite3 and apsw both have it."""

    def execute(self, sql: str, bindings: Any = ..., /) -> Any: ...
    def close(self) -> None: ...


C = TypeVar("C", bound=Readable)
_STRAY = "forgetguard-stray"  # how `lenient` reads bytes that are no UTF-8


def _stray_bytes(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error(_STRAY, _stray_bytes)


def lenient(raw: bytes) -> str:
    """UTF-8 in which stray bytes are read as Latin-1: one of them must not hide the rest of a host's text."""
    return raw.decode("utf-8", _STRAY)


@dataclass(frozen=True, slots=True)
class Engine(Generic[C]):
    """A SQLite library. A host's file is opened through one of them alone: two in one process break SQLite's locks.

    `connect` opens a `file:` URI for reading, in autocommit mode; `errors` is the root of what the library raises.
    """

    connect: Callable[[str], C]
    errors: type[Exception]


def _connect_standard(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=5.0, check_same_thread=False)
    connection.text_factory = lenient
    return connection


_STANDARD = Engine(_connect_standard, sqlite3.DatabaseError)


def reading(path: Path) -> AbstractContextManager[sqlite3.Connection]:
    """`reading_with` Python's own SQLite."""
    return reading_with(_STANDARD, path)


@contextmanager
def reading_with(engine: Engine[C], path: Path) -> Iterator[C]:
    """A connection that can only read `path`, in one view of it from beginning to end.

    Raises StoreUnreadable: `missing`, `busy` (a writer changed it under an unlocked view), `needs-recovery`, `corrupt`,
    `not-a-database`, `no-such-column`.
    """
    path = Path(os.path.realpath(path))  # SQLite keeps `-wal` and `-shm` beside the file that a link leads to
    connection, watched = _open(engine, path)
    try:
        yield connection
        if watched is not None and watched != _stamp(path):
            raise StoreUnreadable("a database changed while it was being read", code="busy")
    except engine.errors as error:
        if "no such " in str(error):
            raise StoreUnreadable(
                "a table or column that was named is not in the database",
                code="no-such-column",
                advice="Check the names of tables and columns in the description of the host.",
            ) from None
        raise StoreUnreadable("a database could not be read", code=_code(error)) from None
    finally:
        connection.close()


def _open(engine: Engine[C], path: Path) -> tuple[C, _Stamp | None]:
    if not path.is_file():
        raise StoreUnreadable("a database is missing", code="missing")
    for attempt in range(ATTEMPTS):
        time.sleep(attempt * STEP_SECONDS)
        try:
            stamp = _stamp(path)
            flags = _flags(engine, path)
            try:
                connection = _connect(engine, path, flags)
            except StoreUnreadable as error:
                if flags != _SHARED or error.code != "unreadable":
                    raise
                flags = _after_a_crash(path)
                connection = _connect(engine, path, flags)
                _crashed[path] = stamp
        except StoreUnreadable:
            # Its last user may have closed it between the look at `-wal` and `-shm` and the opening.
            if attempt == ATTEMPTS - 1:
                raise
            continue
        if flags in (_SHARED, _ROLLBACK):
            return connection, None
        if stamp == _stamp(path):
            return connection, stamp
        connection.close()  # a writer came meanwhile: look at the disk again
    raise StoreUnreadable("a database kept changing while it was being opened", code="busy")


_SHARED, _ROLLBACK, _ALONE = "mode=ro&readonly_shm=1", "mode=ro", "mode=ro&immutable=1"


# Where a `-shm` did not fit: SQLite tries for ten seconds before it says so (measured), and need not each time.
_crashed: dict[Path, _Stamp] = {}


def _flags(engine: Engine[C], path: Path) -> str:
    stamp, shm = _stamp(path), path.with_name(path.name + "-shm").exists()
    size = stamp[3]  # of the `-wal`, -1 where there is none
    if size > 0:
        if size <= WAL_HEADER_BYTES or _crashed.get(path) == stamp:
            return _after_a_crash(path)
        return _SHARED if shm else _after_a_crash(path)
    if size == 0 and shm:
        return _SHARED
    return _ROLLBACK if _in_rollback_mode(engine, path) else _ALONE


def _after_a_crash(path: Path) -> str:
    wal = path.with_name(path.name + "-wal")
    try:
        return _PRIVATE if has_commit(wal) else _ALONE
    except FileNotFoundError:
        return _ALONE


def has_commit(wal: Path) -> bool:
    """Whether a `-wal` holds a committed transaction, by the file format: salts, checksums, a size in the last frame.

    SQLite takes no locks on this file, so a handle of our own does no harm.
    """
    with wal.open("rb") as stream:
        header = stream.read(WAL_HEADER_BYTES)
        if len(header) < WAL_HEADER_BYTES:
            return False
        magic, _, size = unpack(">III", header[:12])
        if magic not in (_LITTLE, _BIG):
            return False
        order = "<II" if magic == _LITTLE else ">II"
        total = _checksum(order, header[:24], (0, 0))
        if total != unpack(">II", header[24:]):
            return False
        while True:
            frame = stream.read(FRAME_HEADER_BYTES + size)
            if len(frame) < FRAME_HEADER_BYTES + size or frame[8:16] != header[16:24]:
                return False
            total = _checksum(order, frame[FRAME_HEADER_BYTES:], _checksum(order, frame[:8], total))
            if total != unpack(">II", frame[16:24]):
                return False
            if unpack(">I", frame[4:8])[0]:  # the size of the database: the last frame of a transaction
                return True


def _checksum(order: str, content: bytes, start: tuple[int, int]) -> tuple[int, int]:
    first, second = start
    for one, other in iter_unpack(order, content):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second


def _in_rollback_mode(engine: Engine[C], path: Path) -> bool:
    """Whether the header asks for no WAL. SQLite tells: without locks it opens these only, and makes no file.

    Reading the header through a file handle of our own would drop every lock that this process holds on the database.
    """
    try:
        _connect(engine, path, "mode=ro&nolock=1").close()
    except StoreUnreadable as error:
        if error.code == "unreadable":
            return False
        raise
    return True


def _connect(engine: Engine[C], path: Path, flags: str) -> C:
    connection: C | None = None
    try:
        connection = engine.connect(f"file:{quote(str(path))}?{flags}")
        alone = ("PRAGMA locking_mode=EXCLUSIVE",) if flags == _PRIVATE else ()
        for statement in (*alone, "PRAGMA temp_store=MEMORY", "PRAGMA query_only=ON", "BEGIN"):
            list(connection.execute(statement))
        list(connection.execute("SELECT count(*) FROM sqlite_schema"))
    except engine.errors as error:
        if connection is not None:
            connection.close()
        raise StoreUnreadable("a database could not be opened for reading", code=_code(error)) from None
    return connection


def _stamp(path: Path) -> _Stamp:
    """Raises StoreUnreadable where the database is gone."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        raise StoreUnreadable("a database is missing", code="missing") from None
    try:
        wal = os.stat(path.with_name(path.name + "-wal"))
    except FileNotFoundError:
        return found.st_ino, found.st_size, found.st_mtime_ns, -1, -1
    return found.st_ino, found.st_size, found.st_mtime_ns, wal.st_size, wal.st_mtime_ns


def _code(error: Exception) -> str:
    name = str(getattr(error, "sqlite_errorname", type(error).__name__)).upper()
    return next((code for part, code in _CODES if part in name), "unreadable")


_CODES = (
    ("BUSY", "busy"),
    ("NOTADB", "not-a-database"),
    ("CORRUPT", "corrupt"),
    ("READONLY_ROLLBACK", "needs-recovery"),
    ("READONLYERROR", "needs-recovery"),
)
