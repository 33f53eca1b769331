"""The texts in a host's SQLite file, for its places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forgetguard.provenance.readonly import reading


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `key`: what its rows are named by, in SQL; the columns that hold texts, as far as the host has them."""

    name: str
    key: str
    columns: tuple[str, ...]


def rows(file: Path, *tables: Table) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The key of every row and the values of its columns; none where there is no such file or table.

    No byte changes. Raises StoreUnreadable, also where a table has none of its columns.
    """
    if not file.exists():
        return
    with reading(file) as database:
        for table in tables:
            there = {row[1] for row in database.execute(f"PRAGMA table_info({table.name})")}
            columns = [name for name in table.columns if name in there] or table.columns
            if there:
                for key, *values in database.execute(f"SELECT {table.key}, {', '.join(columns)} FROM {table.name}"):
                    yield str(key), tuple(values)
