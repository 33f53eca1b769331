"""The table `log`: positions, associated data, reading and appending. The tables hold nothing else in clear."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from forgetguard.ledger.header import COLUMNS, DEVICE_BYTES, Cell, Secrets
from forgetguard.ledger.records import Record, decode, encode
from forgetguard.ledger.sealing import seal, unsealer

RID_BYTES: Final = 16
MAX_N: Final = 2**62

_HEADER_SQL: Final = f"SELECT {', '.join(COLUMNS)} FROM header"
_INSERT: Final = "INSERT INTO log (device, n, rid, sealed) VALUES (?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class Position:
    """Where a record stands: the device that wrote it, its number there (from 1, without gaps), its random id."""

    device: bytes
    n: int
    rid: bytes

    def is_sane(self) -> bool:
        """Whether lengths and number are those that this format writes."""
        return len(self.device) == DEVICE_BYTES and len(self.rid) == RID_BYTES and 0 < self.n < MAX_N


@dataclass(frozen=True, slots=True)
class Tally:
    """What the positions of one device amount to."""

    head: int
    missing: int
    doubled: int


def read_header(connection: sqlite3.Connection) -> tuple[Cell, ...] | None:
    """The only row of `header`, or None where there is none."""
    row: tuple[Cell, ...] | None = connection.execute(_HEADER_SQL).fetchone()
    return row


def write_header(connection: sqlite3.Connection, row: tuple[Cell, ...]) -> None:
    """Put the header's row in place of the one that stands there. Raises sqlite3.Error."""
    names = ", ".join(COLUMNS)
    marks = ", ".join("?" * len(COLUMNS))
    connection.execute(f"INSERT OR REPLACE INTO header (one, {names}) VALUES (1, {marks})", row)


def associated(context: bytes, device: bytes, n: int, rid: bytes) -> bytes:
    """The associated data of a record: it opens at this position of this vault and epoch, and nowhere else."""
    return context + device + n.to_bytes(8, "little") + rid


def read(
    connection: sqlite3.Connection, keys: Secrets, after: int = 0
) -> Iterator[tuple[int, bytes, int, Record | None]]:
    """(seq, device, n, record) of the rows behind `after`; None for one that does not open. One thread at a time."""
    open_one: Callable[[bytes, bytes], bytes | None] = unsealer(keys.key("record"))
    context = keys.context()
    rows = connection.execute("SELECT seq, device, n, rid, sealed FROM log WHERE seq > ? ORDER BY seq", (after,))
    for seq, device, n, rid, sealed in rows:
        body = open_one(sealed, context + device + n.to_bytes(8, "little") + rid) if 0 < n < MAX_N else None
        yield seq, device, n, None if body is None else decode(body)


def append(connection: sqlite3.Connection, keys: Secrets, device: bytes, records: Sequence[Record]) -> int:
    """Seal the records as the next ones of this device; the device's new head. Inside a write transaction."""
    n = head(connection, device)
    key, context = keys.key("record"), keys.context()
    for record in records:
        n += 1
        rid = secrets.token_bytes(RID_BYTES)
        sealed = seal(key, encode(record), associated(context, device, n, rid))
        connection.execute(_INSERT, (device, n, rid, sealed))
    return n


def insert(connection: sqlite3.Connection, at: Position, sealed: bytes) -> None:
    """Put one sealed record at its position. Raises sqlite3.IntegrityError where one stands there already."""
    connection.execute(_INSERT, (at.device, at.n, at.rid, sealed))


def head(connection: sqlite3.Connection, device: bytes) -> int:
    """The highest n of a device, 0 where it has none."""
    n: int = connection.execute("SELECT coalesce(max(n), 0) FROM log WHERE device = ?", (device,)).fetchone()[0]
    return n


def tallies(connection: sqlite3.Connection) -> dict[bytes, Tally]:
    """Per device: head, missing positions, positions that are taken twice. Reads the index alone."""
    rows = connection.execute("SELECT device, max(n), count(DISTINCT n), count(*) FROM log GROUP BY device")
    return {device: Tally(top, top - distinct, count - distinct) for device, top, distinct, count in rows}


def tally(connection: sqlite3.Connection, device: bytes) -> Tally:
    """The positions of one device."""
    return tallies(connection).get(device, Tally(0, 0, 0))


def count(connection: sqlite3.Connection) -> int:
    """The number of records."""
    number: int = connection.execute("SELECT count(*) FROM log").fetchone()[0]
    return number
