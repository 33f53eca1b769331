"""A table of memories in a SQLite database, with its full-text indexes and side tables: an example of a surface."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from forgetguard.provenance.readonly import reading
from forgetguard.provenance.schema import writing
from forgetguard.purge.surfaces import sqlite_scan as scan
from forgetguard.purge.surfaces import sqlite_tools as tools
from forgetguard.purge.surfaces.protocol import Artefact, Declaration, Erased, Finding, Surface, Targets, Work


@dataclass(frozen=True)
class SqliteTable(Surface):
    """Rows of `table` are memories: `key` is their entry key, `text` the columns with their words.

    `side`: (table, column) of rows that go with a memory, such as vectors; foreign keys are found without being named.
    `fts`: indexes that keep their own text, or none. `retained`: tables that stay by design, such as live transcripts.
    """

    name: str
    path: Path
    table: str
    key: str = "id"
    text: tuple[str, ...] = ("text",)
    side: tuple[tuple[str, str], ...] = ()
    fts: tuple[str, ...] = ()
    retained: tuple[str, ...] = ()
    load: tools.Loader | None = None

    def declares(self) -> Declaration:
        covers = [f"table:{table}" for table in (self.table, *dict(self.side))]
        keeps = tuple(f"table:{table}" for table in self.retained)
        methods = ("delete", "fts-rebuild", "vacuum", "wal-checkpoint")
        return Declaration(
            "sqlite", (*covers, "fts", "wal", "free-pages"), keeps, ("disk-blocks", "snapshots"), methods
        )

    def _places(self, connection: sqlite3.Connection) -> tuple[tuple[str, str], ...]:
        return (
            *dict.fromkeys((*self.side, *tools.referring(connection, self.table, self.key))),
            (self.table, self.key),
        )

    def _found(self, connection: sqlite3.Connection, targets: Targets) -> Iterator[Artefact]:
        for table, column in reversed(self._places(connection)):
            words = self.text if table == self.table else ()
            for key, *parts in tools.rows_by_key(connection, table, column, words, targets.entry_keys):
                yield Artefact("rows" if words else "sideRows", table, str(key), tools.joined(parts))

    def find(self, targets: Targets) -> Iterator[Artefact | Finding]:
        with reading(self.path) as connection:
            yield from self._found(connection, targets)

    def erase(self, targets: Targets, work: Work) -> Erased:
        with closing(tools.open_for_erasing(self.path, self.load)) as connection:
            with writing(connection):
                work.saw(self._found(connection, targets))
                counts = tools.delete_memories(connection, self._places(connection), self.fts, targets.entry_keys)
            idle = not any(counts.values()) and not work.resumed
            return Erased(counts, () if idle else tools.compact(connection, self.name))

    def residue(self, targets: Targets) -> Iterator[Finding]:
        yield from scan.scan_database(self.path, targets, self.retained, self.load)

    def keys(self) -> Iterator[str]:
        with reading(self.path) as connection:
            yield from tools.column(connection, self.table, self.key)

    def holding(self, targets: Targets) -> Iterator[tuple[str, str]]:
        with reading(self.path) as connection:
            yield from scan.rows_holding(connection, self.table, self.key, self.text, targets)
