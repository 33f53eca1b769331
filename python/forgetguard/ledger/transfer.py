"""Export, restore and merge: one sealed segment that holds the header and every record.

1. The segment is sealed as a whole, so none of its records can be taken out or added without the key; its header
   carries the wrapped root, so the segment and the key are enough to bring the ledger back.
2. Merging is the union by position. Content at a position never replaces a hole, and an id erased on either side is
   erased on both. It is commutative, associative and idempotent, because the state is a fold in which order is nothing.
3. A restored ledger writes under a new device id: what was written after the export can be merged in later.
"""

from __future__ import annotations

import sqlite3
import stat
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from forgetguard.directories import alone_in, write_whole
from forgetguard.errors import InvalidInput, LedgerUnavailable, Refused
from forgetguard.keys import KeySource
from forgetguard.ledger import holes, log, place
from forgetguard.ledger.core import Core
from forgetguard.ledger.creation import build
from forgetguard.ledger.database import await_erasing, is_open_here
from forgetguard.ledger.header import Header, Secrets
from forgetguard.ledger.records import Kind, Record, decode
from forgetguard.ledger.sealing import seal, unseal

MAGIC: Final = b"FGSEGMT1"
_LENGTH: Final = struct.Struct("<I")
_ROW: Final = struct.Struct("<16sQ16sI")
_EXPORT: Final = "Name a file that `forgetguard ledger export` wrote."

Row = tuple[log.Position, bytes]


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge did: records `added`, records that became `holes`, records that did not open and were left out.

    `forked` is true where two records now stand at one position: the vault was copied and used on both sides.
    """

    added: int
    holes: int
    unreadable: int
    forked: bool


def export(core: Core, path: Path) -> int:
    """Write the segment, 0600, in one step; the number of records. Only an older export gives way to it.

    Raises Refused (`not-an-export`: the ledger, its key or something else stands there), LedgerUnavailable.
    """
    if not _is_free(path):
        raise Refused(
            "something that is no export stands where the export should go",
            code="not-an-export",
            advice="Name another path: an export replaces nothing but an older export.",
        )
    with core.snapshot() as reader:
        rows = reader.execute("SELECT device, n, rid, sealed FROM log ORDER BY seq").fetchall()
        header, keys = core.header, core.keys
    body = b"".join(_ROW.pack(device, n, rid, len(sealed)) + sealed for device, n, rid, sealed in rows)
    packed = header.without_next(keys).packed()
    content = MAGIC + _LENGTH.pack(len(packed)) + packed + seal(keys.key("segment"), body, _associated(keys, packed))
    _write(path, content)
    return len(rows)


def restore(segment: Path, path: str, key: KeySource) -> None:
    """Make the ledger of a segment at a path where none stands. Raises Refused, LedgerUnavailable."""
    header, content = _open_segment(segment)
    rows = list(_rows(content, header, header.unlock(key)))
    directory = Path(path).parent
    place.prepare_directory(directory)

    def fill(connection: sqlite3.Connection) -> None:
        for at, sealed in rows:
            log.insert(connection, at, sealed)

    # Alone: a ledger made between looking and setting aside would be set aside with what is left of the old one.
    with alone_in(directory):
        if not place.exists(path):
            place.set_aside(path)
            if build(path, header, fill):
                return
    raise Refused(
        "a file stands where the ledger should be restored",
        code="ledger-exists",
        advice="`forgetguard ledger merge` takes the export into a ledger that works; move another out of the way.",
    )


def merge(core: Core, segment: Path) -> Merged:
    """Take in every record of a segment of this vault, in one transaction.

    Raises InvalidInput (`other-vault`, `other-epoch`), LedgerUnavailable; then the ledger is as it was.
    """
    header, content = _open_segment(segment)
    with core.writing() as transaction:
        keys = transaction.keys
        if header.vault != keys.vault:
            raise InvalidInput("the export is of another vault", code="other-vault")
        if header.epoch != keys.epoch:
            raise InvalidInput(
                "the export was made under another root",
                code="other-epoch",
                advice="Only exports of this ledger from after its last `rekey --new-root` can be merged.",
            )
        connection = transaction.connection
        result = _union(connection, keys, _rows(content, header, keys), transaction.state.erased)
        if result.holes:
            await_erasing(connection)
        forked = log.tally(connection, core.device).doubled > 0
    with core.connections.write_lock, core.connections.read_lock:
        heads = dict(core.refresh().heads)
        if forked:
            core.draw_device("forked")
    core.advance_mark(heads)
    holes.finish(core)
    return result


def _union(connection: sqlite3.Connection, keys: Secrets, rows: Iterable[Row], known_erased: set[bytes]) -> Merged:
    added = dug = unreadable = 0
    erased = set(known_erased)
    for at, sealed in rows:
        record = _opened(keys, at, sealed)
        if record is None:
            unreadable += 1
            continue
        if record.kind is Kind.ERASE:
            erased.update(record.ids)
        ours = connection.execute(
            "SELECT seq, sealed FROM log WHERE device = ? AND n = ? AND rid = ?", (at.device, at.n, at.rid)
        ).fetchone()
        if ours is None:
            log.insert(connection, at, sealed)
            added += 1
        elif record.kind is Kind.HOLE and (combined := _combined(keys, at, _opened(keys, at, ours[1]), record)):
            connection.execute("DELETE FROM log WHERE seq = ?", (ours[0],))
            log.insert(connection, at, combined)
            dug += 1
    if erased:
        # Rows of an erased id arrived, or stood here before the erasing did.
        dug += holes.dig(connection, keys, frozenset(erased))
    doubled = any(tally.doubled for tally in log.tallies(connection).values())
    return Merged(added, dug, unreadable, doubled)


def _combined(keys: Secrets, at: log.Position, ours: Record | None, theirs: Record) -> bytes | None:
    """The hole that says what both sides still say, or None where ours says no more than theirs already."""
    if ours is None or ours.kind is not Kind.HOLE:
        gone = frozenset(ours.ids) - frozenset(theirs.ids) if ours is not None else frozenset()
        return holes.hole(keys, at, ours if ours is not None else theirs, gone)
    gone = frozenset(ours.ids) - frozenset(theirs.ids)
    return holes.hole(keys, at, ours, gone) if gone else None


def _opened(keys: Secrets, at: log.Position, sealed: bytes) -> Record | None:
    body = unseal(keys.key("record"), sealed, log.associated(keys.context(), at.device, at.n, at.rid))
    return None if body is None else decode(body)


def _open_segment(segment: Path) -> tuple[Header, bytes]:
    try:
        content = segment.read_bytes()
    except FileNotFoundError:
        raise InvalidInput("there is no export at this path", code="no-export", advice=_EXPORT) from None
    except IsADirectoryError:
        raise InvalidInput("this is not an export of a ledger", code="not-an-export", advice=_EXPORT) from None
    except OSError:
        raise InvalidInput(
            "the export cannot be read",
            code="export-unreadable",
            advice="Check the permissions of the file and its disk.",
        ) from None
    if content[: len(MAGIC)] != MAGIC or len(content) < len(MAGIC) + _LENGTH.size:
        raise InvalidInput("this is not an export of a ledger", code="not-an-export", advice=_EXPORT)
    (length,) = _LENGTH.unpack_from(content, len(MAGIC))
    start = len(MAGIC) + _LENGTH.size
    return Header.unpacked(content[start : start + length]), content[start:]


def _rows(content: bytes, header: Header, keys: Secrets) -> Iterator[Row]:
    """The rows of a segment. Raises LedgerUnavailable (damaged) before the first one where the seal does not hold."""
    packed = header.packed()
    body = unseal(keys.key("segment"), content[len(packed) :], _associated(keys, packed))
    if body is None:
        raise LedgerUnavailable.because("damaged")
    at = 0
    while at < len(body):
        device, n, rid, length = _ROW.unpack_from(body, at)
        at += _ROW.size
        yield log.Position(device, n, rid), body[at : at + length]
        at += length


def _associated(keys: Secrets, packed: bytes) -> bytes:
    return keys.context() + b"segment" + packed


def _is_free(path: Path) -> bool:
    """Whether nothing stands at the path, or an export. No handle is opened on a ledger that is open here."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode) or is_open_here(path):
            return False
        with path.open("rb") as stream:
            return stream.read(len(MAGIC)) == MAGIC
    except FileNotFoundError:
        return True
    except OSError:
        raise LedgerUnavailable.because("io") from None


def _write(path: Path, content: bytes) -> None:
    try:
        write_whole(path, content)
    except OSError:
        raise LedgerUnavailable.because("io") from None
