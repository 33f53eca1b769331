"""Changing the key.

1. Re-keying wraps the same root under the new key beside the old wrap; only when the new one was read back and
   confirmed does the old one go. A kill in between leaves a ledger that opens with either.
2. Of two that re-key at once, the one whose wrap was replaced is told so: "done" is said of the key that opens.
3. With a new root every record is sealed anew in one transaction: before it the old key opens, after it the new one,
   and the bytes under the old root are destroyed as an erased entry's are.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable
from dataclasses import replace

from forgetguard.errors import LedgerUnavailable
from forgetguard.keys import KeySource
from forgetguard.ledger import holes, log, mark, review
from forgetguard.ledger.core import Core
from forgetguard.ledger.database import await_erasing, open_checked, translating
from forgetguard.ledger.header import MAX_EPOCH, ROOT_BYTES, Header, Secrets, Wrap, wrap_root
from forgetguard.ledger.sealing import seal, unseal

_BATCH = 500


def rekey(core: Core, key: KeySource, confirm: Callable[[], None] | None) -> str:
    """Wrap the root under another key. `confirm` runs while both keys open; if it raises, the old key stays alone."""
    with core.writing() as transaction:
        # A process that opened before an earlier re-keying still reads and writes; it must not undo that one.
        if not core.header.opens_with_first(core.key):
            raise LedgerUnavailable.because("wrong-key")
        wrap = wrap_root(core.keys, key)
        log.write_header(transaction.connection, core.header.with_next(core.keys, wrap).to_row())
    try:
        _read_back(core, key)
        if confirm is not None:
            confirm()
    except BaseException:
        with core.writing() as transaction:
            if core.header.next_wrap == wrap:
                log.write_header(transaction.connection, core.header.without_next(core.keys).to_row())
        raise
    done = promote(core, wrap)
    core.key = key
    return done


def promote(core: Core, wrap: Wrap) -> str:
    """Let this second wrap take the place of the first, and destroy the first one's bytes; `done` or `pending`.

    Raises LedgerUnavailable: wrong-key where another re-keying put its own wrap in the place of this one.
    """
    with core.writing() as transaction:
        header = core.header
        if wrap not in (header.wrap, header.next_wrap):
            raise LedgerUnavailable.because("wrong-key")
        if header.next_wrap == wrap:  # else whoever opened with the new key has done it
            log.write_header(transaction.connection, header.promoted(core.keys).to_row())
            await_erasing(transaction.connection)
    return holes.finish(core)


def new_root(core: Core, key: KeySource, confirm: Callable[[], None] | None) -> str:
    """Seal everything under a fresh root and this key, in one transaction; `done` or `pending` for the old bytes.

    Raises LedgerUnavailable; then the old key still opens. A record that does not open stays as it is, and is counted
    as before.
    """
    with core.writing() as transaction:
        old = transaction.keys
        if old.epoch >= MAX_EPOCH:
            raise LedgerUnavailable.because("newer-format")
        new = replace(old, root=secrets.token_bytes(ROOT_BYTES), epoch=old.epoch + 1)
        _reseal(transaction.connection, old, new)
        review.reseal(transaction.connection, old, new)
        log.write_header(transaction.connection, Header.of(new, key).to_row())
        await_erasing(transaction.connection)
        if confirm is not None:
            confirm()
        if core.marks is not None:
            # Before the commit, and into the other slot: whichever root a kill leaves behind finds its own mark.
            mark.bridge(core.marks.path(old.vault), old, new)
        core.next_key = key
    core.key, core.next_key = key, None
    with core.connections.read_lock:
        core.refresh()
    core.advance_mark(dict(core.state.heads))
    return holes.finish(core)


def _reseal(connection: sqlite3.Connection, old: Secrets, new: Secrets) -> None:
    from_key, to_key = old.key("record"), new.key("record")
    from_context, to_context = old.context(), new.context()
    seq = 0
    while rows := connection.execute(
        "SELECT seq, device, n, rid, sealed FROM log WHERE seq > ? ORDER BY seq LIMIT ?", (seq, _BATCH)
    ).fetchall():
        changed = []
        for seq, device, n, rid, sealed in rows:
            if not log.Position(device, n, rid).is_sane():
                continue
            body = unseal(from_key, sealed, log.associated(from_context, device, n, rid))
            if body is not None:
                changed.append((seal(to_key, body, log.associated(to_context, device, n, rid)), seq))
        connection.executemany("UPDATE log SET sealed = ? WHERE seq = ?", changed)


def _read_back(core: Core, key: KeySource) -> None:
    """Read the header through a connection of its own and open it with the new key alone."""
    with translating():
        connection = open_checked(core.path, core.connections.wait)
        try:
            row = log.read_header(connection)
        finally:
            connection.close()
    if row is None or Header.from_row(row).unlock(key).root != core.keys.root:
        raise LedgerUnavailable.because("io")
