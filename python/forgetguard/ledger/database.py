"""The SQLite file: settings, schema, connections, transactions, and SQLite's errors in our words.

1. Every connection sets its settings and reads them back; one that does not take is an error.
2. The schema is compared, text by text, with ours before any table is read: no foreign trigger or view ever runs.
3. No connection crosses a fork: they are closed before it and opened anew by whoever needs one.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import quote_from_bytes

from forgetguard.errors import ForgetGuardError, LedgerFull, LedgerUnavailable
from forgetguard.ledger.header import check_format
from forgetguard.ledger.place import side_files

APPLICATION_ID: Final = 0x46474C47  # "FGLG"
MINIMUM_SQLITE: Final = (3, 37, 0)  # STRICT tables
ERASE_WAITS: Final = 1  # user_version while an erased entry's old bytes may still be in the file

SCHEMA: Final = {
    "header": (
        "CREATE TABLE header (one INTEGER PRIMARY KEY CHECK (one = 1), "
        "magic BLOB NOT NULL, format INTEGER NOT NULL, vault BLOB NOT NULL, epoch INTEGER NOT NULL, "
        "kdf TEXT NOT NULL, salt BLOB NOT NULL, passes INTEGER NOT NULL, memory_kib INTEGER NOT NULL, "
        "wrapped BLOB NOT NULL, next_kdf TEXT, next_salt BLOB, next_passes INTEGER, next_memory_kib INTEGER, "
        "next_wrapped BLOB, digest BLOB NOT NULL, mac BLOB NOT NULL) STRICT"
    ),
    "log": (
        "CREATE TABLE log (seq INTEGER PRIMARY KEY AUTOINCREMENT, device BLOB NOT NULL, n INTEGER NOT NULL, "
        "rid BLOB NOT NULL, sealed BLOB NOT NULL, UNIQUE (device, n, rid)) STRICT"
    ),
    "review": "CREATE TABLE review (seq INTEGER PRIMARY KEY AUTOINCREMENT, sealed BLOB NOT NULL) STRICT",
}
# What SQLite adds by itself for the UNIQUE constraint and for AUTOINCREMENT.
_EXPECTED: Final = frozenset(
    {("table", name, name, sql) for name, sql in SCHEMA.items()}
    | {
        ("index", "sqlite_autoindex_log_1", "log", None),
        ("table", "sqlite_sequence", "sqlite_sequence", "CREATE TABLE sqlite_sequence(name,seq)"),
    }
)
_SETTINGS: Final = (
    ("trusted_schema", "OFF", 0),
    ("cell_size_check", "ON", 1),
    ("mmap_size", "0", 0),
    ("temp_store", "MEMORY", 2),
    ("secure_delete", "ON", 1),
    ("synchronous", "FULL", 2),
    ("fullfsync", "ON", 1),
    ("checkpoint_fullfsync", "ON", 1),
)
# Neither SQLite's locks nor Python's are fair: whoever writes all the time would keep others out for seconds (measured:
# 5 s). So a transaction begins no sooner than `_GAP` seconds after the last one of its process, and whoever waits tries
# every `_TRY` seconds, which hits each such gap.
_GAP: Final = 0.001
_TRY: Final = 0.0005
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_CODES: Final = {
    sqlite3.SQLITE_BUSY: "locked",
    sqlite3.SQLITE_LOCKED: "locked",
    sqlite3.SQLITE_PROTOCOL: "locked",
    sqlite3.SQLITE_READONLY: "unreadable",
    sqlite3.SQLITE_PERM: "unreadable",
    sqlite3.SQLITE_AUTH: "unreadable",
    sqlite3.SQLITE_CANTOPEN: "unreadable",
    sqlite3.SQLITE_IOERR: "io",
    sqlite3.SQLITE_CORRUPT: "damaged",
    sqlite3.SQLITE_NOTADB: "damaged",
    sqlite3.SQLITE_SCHEMA: "damaged",
    sqlite3.SQLITE_ERROR: "damaged",
    sqlite3.SQLITE_CONSTRAINT: "damaged",
    sqlite3.SQLITE_MISMATCH: "damaged",
}


def translated(error: sqlite3.Error) -> ForgetGuardError:
    """SQLite's error as one of ours. Its text is dropped: it could quote a path or a value."""
    code = getattr(error, "sqlite_errorcode", None) or 0
    if code == sqlite3.SQLITE_READONLY_DBMOVED:
        return LedgerUnavailable.because("replaced")
    primary = code & 0xFF
    if primary == 0:
        # Raised by Python's module and not by SQLite: a cell of the wrong type or encoding, or a closed connection.
        return LedgerUnavailable.because("damaged")
    if primary == sqlite3.SQLITE_FULL:
        return LedgerFull(
            "the disk has no space for another record; nothing was written",
            code="disk-full",
            advice="Free disk space, then forget again. Nothing was deleted.",
        )
    return LedgerUnavailable.because(_CODES.get(primary, "io"))


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another connection holds a lock that this one waits for."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF in _BUSY


@contextmanager
def translating() -> Iterator[None]:
    """SQLite's errors leave this block as ours, without their text and without their chain."""
    try:
        yield
    except sqlite3.Error as error:
        raise translated(error) from None


def connect(path: str, wait: float) -> sqlite3.Connection:
    """A connection to an existing file with all settings, in autocommit mode. `wait` is in seconds.

    Raises sqlite3.Error, or LedgerUnavailable where a setting did not take.
    """
    if sqlite3.sqlite_version_info < MINIMUM_SQLITE:
        raise LedgerUnavailable.because("unsupported-sqlite")
    uri = "file:" + quote_from_bytes(os.fsencode(os.path.abspath(path)), safe=b"/") + "?mode=rw"
    connection = sqlite3.connect(uri, uri=True, timeout=wait, isolation_level=None, check_same_thread=False)
    try:
        for name, value, expected in _SETTINGS:
            connection.execute(f"PRAGMA {name}={value}").fetchall()
            if connection.execute(f"PRAGMA {name}").fetchone() not in ((expected,), None):
                raise LedgerUnavailable.because("unsupported-sqlite")
    except BaseException:
        connection.close()
        raise
    return connection


def open_checked(path: str, wait: float) -> sqlite3.Connection:
    """A connection whose schema is ours. Raises sqlite3.Error, LedgerUnavailable."""
    try:
        connection = connect(path, wait)
        try:
            check_schema(connection)
        except BaseException:
            connection.close()
            raise
    except sqlite3.DatabaseError as error:
        if (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF == sqlite3.SQLITE_NOTADB:
            raise LedgerUnavailable.because("not-a-ledger") from None
        raise
    return connection


def check_schema(connection: sqlite3.Connection) -> None:
    """Raises LedgerUnavailable: not-a-ledger, emptied, newer-format, damaged.

    And damaged where it is not in WAL mode.
    """
    found = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    identity = connection.execute("PRAGMA application_id").fetchone()[0]
    if identity != APPLICATION_ID:
        raise LedgerUnavailable.because("not-a-ledger" if found or identity else "emptied")
    if frozenset(found) != _EXPECTED or len(found) != len(_EXPECTED):
        _check_newer(connection, found)
        raise LedgerUnavailable.because("emptied" if not found else "damaged")
    mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
    if mode != "wal" and connection.execute("PRAGMA journal_mode=WAL").fetchone()[0] != "wal":
        raise LedgerUnavailable.because("unsupported-filesystem")


def _check_newer(connection: sqlite3.Connection, found: list[tuple[str, str, str, str | None]]) -> None:
    """A newer version may have other tables; its header still begins with magic and format in a plain table."""
    plain = any(
        row[0] == "table" and row[1] == "header" and (row[3] or "").startswith("CREATE TABLE ") for row in found
    )
    views = any(row[0] in ("view", "trigger") for row in found)
    if not plain or views:
        return
    try:
        row = connection.execute("SELECT magic, format FROM header").fetchone()
    except sqlite3.Error:
        return
    if row is not None:
        check_format(*row)


def await_erasing(connection: sqlite3.Connection) -> None:
    """Note in the file, inside a write transaction, that old bytes wait for VACUUM; `holes.finish` does that."""
    connection.execute(f"PRAGMA user_version={ERASE_WAITS}")


def erasing_waits(connection: sqlite3.Connection) -> bool:
    """Whether old bytes of something erased may still lie in free pages or in the WAL."""
    return bool(connection.execute("PRAGMA user_version").fetchone()[0] == ERASE_WAITS)


def create_tables(connection: sqlite3.Connection) -> None:
    """Turn an empty file into an empty ledger without header. Raises sqlite3.Error."""
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute("BEGIN IMMEDIATE")
    for sql in SCHEMA.values():
        connection.execute(sql)
    connection.execute("COMMIT")


def is_open_here(path: str | os.PathLike[str]) -> bool:
    """Whether the path is a ledger, or a side file of one, that this process has open."""
    status = os.stat(path)
    for one in list(_ALL):
        for name in (one.path, *side_files(one.path)):
            try:
                if os.path.samestat(status, os.stat(name)):
                    return True
            except OSError:
                continue
    return False


class Connections:
    """One reader and one writer on the same file, and the two locks that keep threads apart.

    Two, so that a thread that waits for the disk or for another process never holds up a check. Lock order: write,
    read.
    """

    def __init__(self, path: str, wait: float, verify: Callable[[], None]) -> None:
        """`verify` is called around every opening and raises where the path names another file than expected."""
        self.path = path
        self.wait = wait
        self._verify = verify
        self.write_lock = threading.RLock()
        self.read_lock = threading.RLock()
        self._ended = -_GAP
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None
        self._process = os.getpid()
        _ALL.add(self)

    def standing(self) -> sqlite3.Connection | None:
        """The reading connection where it stands and is this process's own."""
        return self._reader if self._process == os.getpid() else None

    @property
    def is_open(self) -> bool:
        """Whether the reading connection stands."""
        return self._reader is not None

    def reader(self) -> sqlite3.Connection:
        """The reading connection, opened anew after a fork or `renew`. Under the read lock."""
        if self._reader is None:
            self._reader = self._open()
            self._reader.execute("PRAGMA query_only=ON")
        return self._reader

    def writer(self) -> sqlite3.Connection:
        """The writing connection. Under the write lock."""
        if self._writer is None:
            self._writer = self._open()
            # `writing` waits by itself, with the thread lock free.
            self._writer.execute("PRAGMA busy_timeout=0")
        return self._writer

    def renew_reader(self) -> None:
        """Forget what the reader has cached of the file: it was touched, perhaps by something that is not SQLite."""
        old, self._reader = self._reader, None
        try:
            self.reader()
        finally:
            if old is not None:
                old.close()

    def ensure_process(self) -> None:
        """After a fork that Python did not see (one made in C): leave the inherited connections alone for ever."""
        if self._process != os.getpid():
            self.abandon()

    def abandon(self) -> None:
        """In a child: new locks, and no connection.

        The inherited ones are never closed: that would drop the parent's locks.
        """
        _INHERITED.extend(one for one in (self._reader, self._writer) if one is not None)
        self._reader = self._writer = None
        self.write_lock = threading.RLock()
        self.read_lock = threading.RLock()
        self._process = os.getpid()

    def close(self) -> None:
        """Close both. They open again when they are asked for."""
        for one in (self._writer, self._reader):
            if one is not None and self._process == os.getpid():
                one.close()
        self._reader = self._writer = None

    @contextmanager
    def writing(self, after_commit: Callable[[], None]) -> Iterator[sqlite3.Connection]:
        """A write transaction: BEGIN IMMEDIATE to COMMIT, or ROLLBACK when the block raises.

        `after_commit` runs before another thread of this process can write.

        Raises LedgerUnavailable (locked) after `wait` seconds. The thread lock is free between two tries, so neither a
        check nor a fork waits for another process's transaction.
        """
        self._begin()
        try:
            connection = self.writer()
            with translating():
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    _roll_back(connection)
                    raise
            after_commit()
        finally:
            self._ended = time.monotonic()
            self.write_lock.release()

    def _begin(self) -> None:
        deadline = time.monotonic() + self.wait
        while True:
            time.sleep(max(0.0, self._ended + _GAP - time.monotonic()))
            lock = self.write_lock
            lock.acquire()
            try:
                self.ensure_process()
                if lock is self.write_lock:
                    self.writer().execute("BEGIN IMMEDIATE")
                    return
            except sqlite3.Error as error:
                lock.release()
                if not is_busy(error) or time.monotonic() >= deadline:
                    raise translated(error) from None
            except BaseException:
                lock.release()
                raise
            else:
                lock.release()
                continue
            time.sleep(_TRY)

    def _open(self) -> sqlite3.Connection:
        self._verify()
        connection = open_checked(self.path, self.wait)
        try:
            self._verify()
        except BaseException:
            connection.close()
            raise
        return connection


def end_reading(connection: sqlite3.Connection) -> None:
    """End a read transaction, also where the disk or the file gave up in the middle."""
    _roll_back(connection)


def _roll_back(connection: sqlite3.Connection) -> None:
    try:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    except sqlite3.Error:
        # The transaction is gone already, or the disk is; the block's own error says so.
        return


# SQLite keeps its locks per process and finds "this process holds it already" in tables that a fork copies, so a child
# would trust locks that it does not hold. Closed connections leave nothing to copy.
_ALL: weakref.WeakSet[Connections] = weakref.WeakSet()
_INHERITED: list[sqlite3.Connection] = []
_FORKING = threading.local()
FORK_PATIENCE: Final = 10.0  # seconds to let another thread finish its transaction before a fork


def _before_fork() -> None:
    _FORKING.held = held = []
    for one in list(_ALL):
        writing = one.write_lock.acquire(timeout=FORK_PATIENCE)
        reading = one.read_lock.acquire(timeout=FORK_PATIENCE)
        held.append((one, writing, reading))
        if writing and reading and (one._writer is None or not one._writer.in_transaction):
            one.close()


def _after_fork_in_parent() -> None:
    for one, writing, reading in reversed(_FORKING.held):
        if reading:
            one.read_lock.release()
        if writing:
            one.write_lock.release()
    _FORKING.held = []


def _after_fork_in_child() -> None:
    for one in list(_ALL):
        one.abandon()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
