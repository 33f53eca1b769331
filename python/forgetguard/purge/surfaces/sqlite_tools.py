"""What a SQLite surface is built from: opening, deleting by key, full-text indexes, compacting.

Works with any connection in autocommit mode whose `execute` takes SQL and bindings (sqlite3 with
`isolation_level=None`,
apsw). A host whose file needs apsw opens it with apsw alone: two SQLite libraries on one file in one process break its
locks.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from forgetguard.errors import StoreUnreadable
from forgetguard.provenance.readonly import lenient
from forgetguard.provenance.readonly import reading as reading
from forgetguard.provenance.schema import Connection as Connection
from forgetguard.provenance.schema import batches, changed, marks, why
from forgetguard.provenance.schema import writing as writing
from forgetguard.purge.surfaces.protocol import Declaration, Finding, Standing

Loader = Callable[[sqlite3.Connection], None]
WAIT_SECONDS = 30.0
COMPACTING_WAIT_SECONDS = 5.0  # a reader that stays longer is reported, and the next run tries again
_FTS = re.compile(r"create\s+virtual\s+table\b.*?\busing\s+fts([345])\b", re.IGNORECASE | re.DOTALL)
_CONTENT = re.compile(r"\bcontent\s*=\s*(?:'([^']*)'|\"([^\"]*)\"|([\w$]+))?", re.IGNORECASE)


def quoted(name: str) -> str:
    """An SQL identifier, in backticks: SQLite reads a misspelt name in double quotes as a text, and finds nothing."""
    return "`" + name.replace("`", "``") + "`"


def open_for_erasing(path: Path, load: Loader | None = None, wait: float | None = None) -> sqlite3.Connection:
    """A connection that deletes for good: foreign keys on, freed bytes overwritten, nothing temporary on disk.

    The host's own connections may have all of that off; it counts per connection. `wait`: seconds for a busy host.
    Raises StoreUnreadable.
    """
    patience = WAIT_SECONDS if wait is None else wait
    try:
        connection = sqlite3.connect(
            f"file:{quote(str(path))}?mode=rw",
            uri=True,
            isolation_level=None,
            timeout=patience,
            check_same_thread=False,
        )
        connection.text_factory = lenient
        if load is not None:
            load(connection)
        prepare(connection)
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.DatabaseError:
        raise StoreUnreadable("a database of the host cannot be opened for writing") from None
    return connection


def prepare(connection: Connection) -> None:
    """The settings of `open_for_erasing`, for a connection that was opened otherwise."""
    for pragma in ("temp_store=MEMORY", "foreign_keys=ON", "secure_delete=ON", "cell_size_check=ON"):
        list(connection.execute(f"PRAGMA {pragma}"))


def rows_by_key(
    connection: Connection, table: str, key: str, columns: Iterable[str], keys: Iterable[str]
) -> Iterator[tuple[Any, ...]]:
    """(key, columns...) of the rows with these keys, in batches."""
    wanted = ", ".join(map(quoted, (key, *columns)))
    for batch in batches(sorted(keys)):
        sql = f"SELECT {wanted} FROM {quoted(table)} WHERE {quoted(key)} IN ({marks(batch)}) ORDER BY 1"
        yield from connection.execute(sql, batch)


def joined(parts: Iterable[object]) -> str | None:
    """The words of a row, a line a column; None when there are none."""
    return "\n".join(str(part) for part in parts if part is not None) or None


def delete_by_key(connection: Connection, table: str, key: str, keys: Iterable[str]) -> int:
    """Delete the rows with these keys; how many. Call inside a transaction."""
    count = 0
    for batch in batches(sorted(keys)):
        list(connection.execute(f"DELETE FROM {quoted(table)} WHERE {quoted(key)} IN ({marks(batch)})", batch))
        count += changed(connection)
    return count


def referring(connection: Connection, table: str, key: str) -> tuple[tuple[str, str], ...]:
    """(table, column) of every foreign key on `table`.`key`: rows there would be orphans, or stop the deletion."""
    found = []
    primary = [row[1] for row in connection.execute(f"PRAGMA table_info({quoted(table)})") if row[5] == 1]
    for name in tables(connection):
        for row in connection.execute(f"PRAGMA foreign_key_list({quoted(name)})"):
            if row[2].lower() == table.lower() and (row[4] or (primary or [None])[0]) == key:
                found.append((name, str(row[3])))
    return tuple(sorted(set(found)))


def places(
    connection: Connection, table: str, key: str, side: Iterable[tuple[str, str]] = ()
) -> tuple[tuple[str, str], ...]:
    """(table, column) of everything that goes with a memory: its own table first, then named and referring ones."""
    return tuple(dict.fromkeys(((table, key), *side, *referring(connection, table, key))))


def declaration(covered: Iterable[str], retained: Iterable[str]) -> Declaration:
    """What a SQLite surface over these tables can and cannot do."""
    covers = (*(f"table:{table}" for table in covered), "fts", "wal", "free-pages")
    methods = ("delete", "fts-rebuild", "vacuum", "wal-checkpoint")
    keeps = tuple(f"table:{table}" for table in retained)
    return Declaration("sqlite", covers, keeps, ("disk-blocks", "snapshots"), methods)


@contextmanager
def erasing(path: Path, load: Loader | None = None) -> Iterator[sqlite3.Connection]:
    """`open_for_erasing`, closed at the end."""
    with closing(open_for_erasing(path, load)) as connection:
        yield connection


def tables(connection: Connection) -> tuple[str, ...]:
    """The ordinary tables, the shadow tables of virtual ones among them, by name."""
    rows = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND rootpage > 0"
    )
    return tuple(sorted(str(row[0]) for row in rows))


@dataclass(frozen=True, slots=True)
class TextIndex:
    """A full-text index: `content` is the table it reads from, "" when it keeps no text, None when it keeps its own."""

    name: str
    version: int
    content: str | None


def text_indexes(connection: Connection) -> tuple[TextIndex, ...]:
    """Every FTS3, FTS4 and FTS5 table, by name."""
    found = []
    for name, sql in connection.execute("SELECT name, sql FROM sqlite_schema WHERE type='table' AND sql IS NOT NULL"):
        match = _FTS.search(str(sql))
        if match:
            content = _CONTENT.search(str(sql))
            source = None if content is None else next((part for part in content.groups() if part is not None), "")
            found.append(TextIndex(str(name), int(match.group(1)), source))
    return tuple(sorted(found, key=lambda index: index.name))


def refresh(connection: Connection, index: TextIndex) -> None:
    """Make an index forget what its table no longer holds: rebuilt from the table where it can be, then one segment.

    Without that, deleted words stay in older segments until some later merge.
    """
    name = quoted(index.name)
    if index.content != "":
        list(connection.execute(f"INSERT INTO {name}({name}) VALUES('rebuild')"))
    list(connection.execute(f"INSERT INTO {name}({name}) VALUES('optimize')"))


def delete_memories(
    connection: Connection, found: Sequence[tuple[str, str]], own_indexes: Iterable[str], keys: Collection[str]
) -> dict[str, int]:
    """Delete the memories from every (table, column), the first of which is the table of memories itself; rows a table.

    `own_indexes` are full-text indexes that keep their own text or none, and so go by the rowids of that table.
    """
    table, key = found[0]
    indexes = {index.name: index for index in text_indexes(connection)}
    for name in own_indexes:
        if name in indexes and indexes[name].content == "":
            forget_contentless(connection, indexes[name], table, key, keys)
        elif name != table:
            _delete_by_rowid(connection, name, table, key, keys)
    counts = {place: delete_by_key(connection, place, column, keys) for place, column in reversed(found)}
    for index in indexes.values() if any(counts.values()) else ():
        if index.name in {*own_indexes, table} or index.content in counts:
            refresh(connection, index)
    return counts


def _delete_by_rowid(connection: Connection, index: str, table: str, key: str, keys: Iterable[str]) -> None:
    for batch in batches(sorted(keys)):
        rows = f"SELECT rowid FROM {quoted(table)} WHERE {quoted(key)} IN ({marks(batch)})"
        list(connection.execute(f"DELETE FROM {quoted(index)} WHERE rowid IN ({rows})", batch))


def forget_contentless(connection: Connection, index: TextIndex, table: str, key: str, keys: Iterable[str]) -> None:
    """Take rows out of an index that keeps no text, from the rows themselves, while they are still there.

    Only where no trigger of the host does it: taking a row out twice damages such an index.
    """
    triggers = connection.execute(
        "SELECT sql FROM sqlite_schema WHERE type='trigger' AND lower(tbl_name)=lower(?)", (table,)
    )
    if any(index.name.lower() in str(row[0]).lower() for row in triggers):
        return
    name = quoted(index.name)
    columns = [str(row[1]) for row in connection.execute(f"PRAGMA table_info({name})")]
    listed = ", ".join(map(quoted, columns))
    for batch in batches(sorted(keys)):
        list(
            connection.execute(
                f"INSERT INTO {name}({name}, rowid, {listed}) SELECT 'delete', rowid, {listed} FROM {quoted(table)}"
                f" WHERE {quoted(key)} IN ({marks(batch)})",
                batch,
            )
        )


def renumbered(connection: Connection) -> tuple[str, ...]:
    """Tables whose rowids VACUUM would change (measured): no INTEGER PRIMARY KEY, no index, and gaps in the numbers."""
    found = []
    for name in tables(connection):
        if _has_stable_rowids(connection, name):
            continue
        row = next(iter(connection.execute(f"SELECT count(*), max(rowid), min(rowid) FROM {quoted(name)}")))
        if row[0] and (row[1] != row[0] or row[2] != 1):
            found.append(name)
    return tuple(found)


def _has_stable_rowids(connection: Connection, table: str) -> bool:
    if list(connection.execute(f"PRAGMA index_list({quoted(table)})")):
        return True  # an index, the one of WITHOUT ROWID among them
    keys = [row for row in connection.execute(f"PRAGMA table_info({quoted(table)})") if row[5]]
    return len(keys) == 1 and str(keys[0][2]).upper() == "INTEGER"


def compact(connection: Connection, place: str) -> tuple[Finding, ...]:
    """Leave no freed page and no WAL behind: VACUUM, then a checkpoint whose busy column is read.

    What stood in the way (a reader, no space, other tables that count on rowids) is a finding: then the bytes cannot be
    proved gone.
    """
    list(connection.execute(f"PRAGMA busy_timeout={int(COMPACTING_WAIT_SECONDS * 1000)}"))
    moved = renumbered(connection)
    indexes = text_indexes(connection)
    others = {name for (name,) in connection.execute(_OTHER_VIRTUAL) if name not in {index.name for index in indexes}}
    if moved and others:
        return (*checkpoint(connection, place), Finding(Standing.CANNOT_PROVE, place, "rowids-would-change"))
    try:
        list(connection.execute("VACUUM"))
        for index in indexes:
            if index.content in moved:
                refresh(connection, index)
    except Exception as error:
        if not is_sqlite_error(error):
            raise
        return (*checkpoint(connection, place), _later(place, why(error, "vacuum-failed")))
    return checkpoint(connection, place)


_OTHER_VIRTUAL = "SELECT name FROM sqlite_schema WHERE type='table' AND sql LIKE 'create virtual table%'"


def checkpoint(connection: Connection, place: str) -> tuple[Finding, ...]:
    """Empty the WAL into the database; a busy one is a finding, since it still holds what was deleted."""
    try:
        row = next(iter(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")), (0, 0, 0))
    except Exception as error:
        if not is_sqlite_error(error):
            raise
        return (_later(place, why(error, "vacuum-failed")),)
    return (_later(place, "wal-busy"),) if row[0] else ()


def _later(place: str, code: str) -> Finding:
    return Finding(Standing.CANNOT_PROVE, place, code, retry=True)


def is_sqlite_error(error: Exception) -> bool:
    """Whether sqlite3 or apsw raised it."""
    return isinstance(error, sqlite3.Error) or type(error).__module__.split(".")[0] == "apsw"
