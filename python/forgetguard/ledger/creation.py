"""Making a new ledger: complete under another name first, then given its name in one step that never overwrites.

So a kill leaves either no ledger or a whole one, and of two processes that initialise at once one wins and both use it.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path

from forgetguard.directories import sync_directory
from forgetguard.errors import LedgerUnavailable
from forgetguard.keys import KeySource
from forgetguard.ledger import log, mark, place
from forgetguard.ledger.database import connect, create_tables, translating
from forgetguard.ledger.header import Header
from forgetguard.ledger.mark import MarkFile


def create_vault(path: str, key: KeySource, marks: MarkFile | None) -> bool:
    """Make an empty ledger with its mark; False where another process was faster. Raises LedgerUnavailable."""
    header, keys = Header.create(key)
    with mark.awaited(marks, keys) as begin_mark:
        made = build(path, header, lambda _connection: None)
        if made:
            begin_mark()
    return made


def build(path: str, header: Header, fill: Callable[..., None]) -> bool:
    """Make a ledger with this header, filled by `fill(connection)` inside the first transaction."""
    target = Path(path)
    place.prepare_directory(target.parent)
    temporary = str(target.parent / f".{target.name}.{secrets.token_hex(8)}.new")
    place.create_private(temporary)
    try:
        with translating():
            connection = connect(temporary, 5.0)
            try:
                create_tables(connection)
                connection.execute("BEGIN IMMEDIATE")
                log.write_header(connection, header.to_row())
                fill(connection)
                connection.execute("COMMIT")
                connection.execute("PRAGMA journal_mode=WAL").fetchone()
            finally:
                connection.close()
        return _take_name(temporary, path)
    finally:
        for leftover in (temporary, *place.side_files(temporary), temporary + "-journal"):
            Path(leftover).unlink(missing_ok=True)


def _take_name(temporary: str, path: str) -> bool:
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError:
        # No hard links here (FAT, some mounts): copying to an exclusively created name never overwrites either.
        try:
            place.create_private(path)
        except FileExistsError:
            return False
        try:
            shutil.copyfile(temporary, path)
        except OSError:
            Path(path).unlink(missing_ok=True)
            raise LedgerUnavailable.because("io") from None
    sync_directory(Path(path).parent)
    return True
