"""What mem0 keeps in its SQLite file beside the vector store: the history of every memory, and the last raw turns.

`Memory.delete` writes the deleted text into the history. Neither table is read by a search; the raw turns are shown to
the model with every `add`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from forgetguard.adapters.residues import Kept, Place, by_file
from forgetguard.adapters.tables import Table, rows
from forgetguard.errors import StoreUnreadable

FILE = "history.db"
WAIT_SECONDS = 5.0


def _find(table: Table, path: Path) -> Iterator[Kept]:
    """`path`: mem0's directory (`~/.mem0`, or `MEM0_DIR`), or the file named by `history_db_path`."""
    file = path / FILE if path.is_dir() else path
    for key, texts in rows(file, table):
        yield from (Kept(file, key, text) for text in dict.fromkeys(texts) if isinstance(text, str) and text)


def _erase(table: Table, _: Path, chosen: Sequence[Kept]) -> int:
    """Rows by id, overwritten with zeros. mem0 may be running: it holds no lock between its own writes."""
    return sum(_erased(table.name, file, {one.key for one in some}) for file, some in by_file(chosen).items())


def _erased(table: str, file: Path, keys: set[str]) -> int:
    try:
        with closing(sqlite3.connect(file, timeout=WAIT_SECONDS)) as database, database:
            database.execute("PRAGMA secure_delete = ON")
            removed = database.executemany(f"DELETE FROM {table} WHERE id = ?", [(key,) for key in sorted(keys)])
            return removed.rowcount
    except sqlite3.DatabaseError:
        raise StoreUnreadable("a database of the host could not be written") from None


def _place(keeps: str, name: str, *columns: str) -> Place:
    table = Table(name, "id", columns)
    return Place(name, keeps, partial(_find, table), partial(_erase, table))


PLACES: tuple[Place, ...] = (
    _place("the old and new text of every memory, deleted ones too", "history", "old_memory", "new_memory"),
    _place("the last ten raw turns of each scope, replayed to the model", "messages", "content"),
)
