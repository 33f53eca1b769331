"""Erasing: every record about an entry becomes a hole, and its old bytes are destroyed.

1. A hole stands at the position of the record that it replaces, so nothing is missing and nothing can be put back: an
   erased id stays erased, whatever arrives later.
2. A record that names other entries too keeps them: the hole says what it said about those.
3. "done" means that VACUUM ran and the WAL was truncated. While another process reads an older state, SQLite cannot do
   that: "pending", which is written into the file and tried again at the next opening.

Not guaranteed: copies of the file that were made before, and what a file system or a disk keeps of overwritten blocks.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection
from typing import Final

from forgetguard.errors import UnknownEntry
from forgetguard.ledger import log, review
from forgetguard.ledger.core import Core
from forgetguard.ledger.database import await_erasing, erasing_waits
from forgetguard.ledger.header import Secrets
from forgetguard.ledger.records import Kind, Record, encode
from forgetguard.ledger.sealing import seal

DONE: Final = "done"
PENDING: Final = "pending"
PATIENCE_MS: Final = 250  # how long to wait for readers before saying "pending"


def erase(core: Core, ids: Collection[bytes]) -> str:
    """Destroy these entries; `done` or `pending`. Raises UnknownEntry, LedgerUnavailable; then nothing was erased."""
    with core.writing() as transaction:
        state = transaction.state
        if not all(state.knows(one) or one in state.erased for one in ids):
            raise UnknownEntry("no forgotten fact has this id")
        fresh = tuple(one for one in ids if one not in state.erased)
        if fresh:
            dig(transaction.connection, core.keys, frozenset(fresh))
            transaction.append([Record(Kind.ERASE, time.time(), ids=fresh)])
            review.remove_of(transaction.connection, core.keys, {one.hex() for one in fresh})
            await_erasing(transaction.connection)
    return finish(core)


def dig(connection: sqlite3.Connection, keys: Secrets, ids: frozenset[bytes]) -> int:
    """Turn every record about these ids into a hole, inside a write transaction; how many there were."""
    found = []
    for seq, device, n, record in log.read(connection, keys):
        if record is not None and _is_about(record, ids):
            found.append((seq, device, n, record))
    for seq, device, n, record in found:
        (rid,) = connection.execute("SELECT rid FROM log WHERE seq = ?", (seq,)).fetchone()
        connection.execute("DELETE FROM log WHERE seq = ?", (seq,))
        at = log.Position(device, n, rid)
        log.insert(connection, at, hole(keys, at, record, ids))
    return len(found)


def hole(keys: Secrets, at: log.Position, record: Record, ids: frozenset[bytes]) -> bytes:
    """The sealed hole for a record, without what it says about `ids`."""
    kind = record.replaced if record.kind is Kind.HOLE else int(record.kind)
    kept = tuple(one for one in record.ids if one not in ids)
    body = encode(Record(Kind.HOLE, 0.0, ids=kept, replaced=kind if kept else 0))
    return seal(keys.key("record"), body, log.associated(keys.context(), at.device, at.n, at.rid))


def finish(core: Core) -> str:
    """Destroy what erasing left behind in free pages and in the WAL, if anything waits for that.

    `done` or `pending`.
    """
    with core.connections.write_lock:
        try:
            writer = core.connections.writer()
            if not erasing_waits(writer):
                return DONE
            writer.execute(f"PRAGMA busy_timeout={PATIENCE_MS}")
            try:
                writer.execute("VACUUM")
                busy = writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
                if busy:
                    return PENDING
                writer.execute("PRAGMA user_version=0")
            finally:
                writer.execute("PRAGMA busy_timeout=0")
        except sqlite3.Error:
            # Locked, or no space for the copy that VACUUM makes. The mark in the file stays; so does the answer.
            return PENDING
    return DONE


def heal(core: Core) -> None:
    """After opening: finish an erasing that waits, and turn content of erased ids that came back into holes again."""
    if core.state.problems["erased-returned"]:
        with core.writing() as transaction:
            dig(transaction.connection, core.keys, frozenset(transaction.state.erased))
            await_erasing(transaction.connection)
    elif not _waits(core):
        return
    finish(core)


def _waits(core: Core) -> bool:
    with core.snapshot() as reader:
        return erasing_waits(reader)


def _is_about(record: Record, ids: frozenset[bytes]) -> bool:
    if record.kind in (Kind.FORGET, Kind.VECTOR):
        return record.entry in ids
    return record.kind is not Kind.ERASE and not ids.isdisjoint(record.ids)
