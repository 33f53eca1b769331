"""A table of memories in a SQLite database, with its full-text indexes and side tables: an example of a surface."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from forgetguard.purge.surfaces import sqlite_scan as scan
from forgetguard.purge.surfaces import sqlite_tools as tools
from forgetguard.purge.surfaces.protocol import Artefact, Declaration, Erased, Finding, Surface, Targets, Work


@dataclass(frozen=True)
class SqliteTable(Surface):
    """Rows of `table` are memories: `key` is their entry key, `text` the columns with their words.

    `side`: (table, column) of rows that go with a memory, such as vectors; foreign keys need no naming. `fts`: indexes
    that keep their own text, or none. `retained`: tables that stay by design, such as live transcripts."""

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
        return tools.declaration((self.table, *dict(self.side)), self.retained)

    def _found(self, connection: tools.Connection, targets: Targets) -> Iterator[Artefact]:
        for table, column in tools.places(connection, self.table, self.key, self.side):
            words = self.text if table == self.table else ()
            for key, *parts in tools.rows_by_key(connection, table, column, words, targets.entry_keys):
                yield Artefact("rows" if words else "sideRows", table, str(key), tools.joined(parts))

    def find(self, targets: Targets) -> Iterator[Artefact | Finding]:
        with tools.reading(self.path) as connection:
            yield from self._found(connection, targets)

    def erase(self, targets: Targets, work: Work) -> Erased:
        with tools.erasing(self.path, self.load) as connection:
            with tools.writing(connection):
                work.saw(self._found(connection, targets))  # sealed in the journal before it is gone
                places = tools.places(connection, self.table, self.key, self.side)
                counts = tools.delete_memories(connection, places, self.fts, targets.entry_keys)
            return Erased(counts, tools.compact(connection, self.name) if any(counts.values()) or work.resumed else ())

    def residue(self, targets: Targets) -> Iterator[Finding]:
        return scan.scan_database(self.path, targets, self.retained, self.load, (self.table, self.key, self.side))

    def holding(self, targets: Targets) -> Iterator[tuple[str, str]]:
        return scan.rows_holding(self.path, self.table, (self.key, *self.text), targets)

    def keys(self) -> Iterator[str]:
        return scan.column(self.path, self.table, self.key)
