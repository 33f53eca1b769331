"""Looking for what a purge left in a SQLite database: rows, keys, full-text indexes, raw bytes, copies beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from forgetguard.errors import PurgeFailed, StoreUnreadable
from forgetguard.provenance.readonly import reading
from forgetguard.provenance.schema import Connection, batches, scalar, why
from forgetguard.purge import rawscan
from forgetguard.purge.needles import Needles, fold
from forgetguard.purge.surfaces.protocol import Finding, Standing, Targets
from forgetguard.purge.surfaces.sqlite_tools import (
    Loader,
    TextIndex,
    is_sqlite_error,
    joined,
    open_for_erasing,
    places,
    quoted,
    rows_by_key,
    tables,
    text_indexes,
)

CHECKING_WAIT_SECONDS = 5.0
_JOINED = 400  # values folded together: one pass finds nothing in most of them
_SEPARATOR = "\n\x1f\n"


def scan_database(
    path: Path,
    targets: Targets,
    retained: Collection[str] = (),
    load: Loader | None = None,
    memories: tuple[str, str, Iterable[tuple[str, str]]] | None = None,
) -> Iterator[Finding]:
    """Everything below for one database: rows and keys, what indexes answer, their integrity, raw bytes, copies.

    `memories`: the table of memories, the column of its keys, and the (table, column) of rows that go with them.
    """
    path = path.resolve()  # the WAL, and copies, lie beside the file that a link leads to
    with reading(path) as connection:
        asked = [index for index in text_indexes(connection) if not {index.name, index.content} & set(retained)]
        if memories is not None:
            yield from scan_keys(connection, places(connection, *memories), targets.entry_keys)
        yield from scan_rows(connection, targets.needles, targets.entry_keys, retained)
        yield from scan_bytes(connection, path, targets.needles, retained)
    doubts = _doubts(path, asked, load)
    yield from doubts.values()
    doubtful = [index for index in asked if index.name in doubts or not _can_be_checked(index)]
    if doubtful:
        with reading(path) as connection:
            yield from scan_indexes(connection, targets.needles, doubtful)


def _doubts(path: Path, indexes: Sequence[TextIndex], load: Loader | None) -> dict[str, Finding]:
    """What the integrity check found, by the name of the index; those that are sound are left out."""
    checked = [index for index in indexes if _can_be_checked(index)]
    if not checked:
        return {}
    try:
        with closing(open_for_erasing(path, load, CHECKING_WAIT_SECONDS)) as connection:
            found = {index.name: integrity(connection, index) for index in checked}
    except StoreUnreadable as error:  # it cannot be opened for writing: the indexes are asked instead
        found = {one.name: Finding(Standing.CANNOT_PROVE, f"fts:{one.name}", error.code) for one in checked}
    return {name: finding for name, finding in found.items() if finding is not None}


def rows_holding(path: Path, table: str, columns: Sequence[str], targets: Targets) -> Iterator[tuple[str, str]]:
    """(key, text) of the rows that are not selected and hold a needle; the first of the columns is the key."""
    with reading(path) as connection:
        rows = connection.execute(f"SELECT {', '.join(map(quoted, columns))} FROM {quoted(table)}")
        for batch in batches(rows, _JOINED):
            stay = [(str(row[0]), joined(row[1:]) or "") for row in batch if str(row[0]) not in targets.entry_keys]
            if targets.needles.hits_folded(fold(_SEPARATOR.join(text for _, text in stay))):
                yield from ((key, text) for key, text in stay if targets.needles.holds(text))


def column(path: Path, table: str, name: str) -> Iterator[str]:
    """The values of one column as text, streamed; NULL is left out."""
    with reading(path) as connection:
        for row in connection.execute(f"SELECT {quoted(name)} FROM {quoted(table)}"):
            if row[0] is not None:
                yield str(row[0])


def scan_rows(
    connection: Connection, needles: Needles, keys: Collection[str], retained: Collection[str]
) -> Iterator[Finding]:
    """A finding a table whose text holds a needle (`text`) or whose text is one of the keys (`key`).

    A key that is a mere number stands for other things elsewhere: `scan_keys` looks for it where keys stand.
    """
    keys = {key for key in keys if not key.isdecimal()}
    for table in tables(connection):
        texts, found_keys = 0, 0
        for values in batches(_values(connection, table), _JOINED):
            texts += _count(values, needles)
            found_keys += sum(1 for value in values if isinstance(value, str) and value in keys)
        standing = Standing.RETAINED if table in retained else Standing.RESIDUE
        if texts:
            yield Finding(standing, f"table:{table}", "text", texts)
        if found_keys:
            yield Finding(standing, f"table:{table}", "key", found_keys)


def scan_keys(connection: Connection, columns: Iterable[tuple[str, str]], keys: Collection[str]) -> Iterator[Finding]:
    """A finding a table that still has one of the keys that are mere numbers in its (table, column)."""
    numbers = sorted(key for key in keys if key.isdecimal())
    for table, name in columns if numbers else ():
        count = sum(1 for _ in rows_by_key(connection, table, name, (), numbers))
        if count:
            yield Finding(Standing.RESIDUE, f"table:{table}", "key", count)


def _values(connection: Connection, table: str) -> Iterator[str | bytes]:
    columns = [str(row[1]) for row in connection.execute(f"PRAGMA table_xinfo({quoted(table)})")]
    for row in connection.execute(f"SELECT {', '.join(map(quoted, columns))} FROM {quoted(table)}"):
        for value in row:
            if isinstance(value, (str, bytes)) and value:
                yield value


def _count(values: Sequence[str | bytes], needles: Needles) -> int:
    if not needles:
        return 0
    texts = [value for value in values if isinstance(value, str)]
    blobs = [value for value in values if isinstance(value, bytes)]
    count = 0
    if blobs and needles.hits_raw(_SEPARATOR.encode().join(blobs)):
        count = sum(1 for blob in blobs if needles.hits_raw(blob))
    if texts and needles.hits_folded(fold(_SEPARATOR.join(texts))):
        count += sum(1 for text in texts if needles.holds(text))
    return count


def integrity(connection: Connection, index: TextIndex) -> Finding | None:
    """None when an FTS5 index holds exactly the words of its table: it answers for nothing that the rows do not hold.

    Else `integrity` is residue: it holds other words; what cannot be told (a busy host, a tokenizer that is not there)
    cannot be proved. Needs a writable connection and takes the write lock for a moment; changes nothing.
    """
    name, place = quoted(index.name), f"fts:{index.name}"
    try:
        list(connection.execute("BEGIN IMMEDIATE"))
        try:
            list(connection.execute(f"INSERT INTO {name}({name}, rank) VALUES('integrity-check', 1)"))
        finally:
            list(connection.execute("ROLLBACK"))
    except Exception as error:
        if not is_sqlite_error(error):
            raise
        if why(error, "unreadable") == "damaged":
            return Finding(Standing.RESIDUE, place, "integrity")
        return Finding(Standing.CANNOT_PROVE, place, why(error, "unreadable"), retry=True)
    return None


def _can_be_checked(index: TextIndex) -> bool:
    return index.version == 5 and index.content != ""


def scan_indexes(connection: Connection, needles: Needles, indexes: Iterable[TextIndex]) -> Iterator[Finding]:
    """A finding a full-text index that still answers for a needle, whatever its table says (`match`)."""
    for index in indexes:
        phrases = (needle.folded.decode("utf-8", "replace") for needle in needles.items)
        try:
            count = sum(1 for phrase in phrases if _answers(connection, index, phrase))
        except Exception as error:
            if not is_sqlite_error(error):
                raise
            yield Finding(Standing.CANNOT_PROVE, f"fts:{index.name}", "cannot-be-asked")  # its tokenizer is not there
            continue
        if count:
            yield Finding(Standing.RESIDUE, f"fts:{index.name}", "match", count)


def _answers(connection: Connection, index: TextIndex, phrase: str) -> bool:
    name = quoted(index.name)
    sql = f"SELECT rowid FROM {name} WHERE {name} MATCH ? LIMIT 1"
    return all(any(True for _ in connection.execute(sql, (f'"{part}"',))) for part in (_rarest(phrase), phrase))


def _rarest(phrase: str) -> str:
    """The longest word: most phrases are answered by it alone, and one word costs a hundredth of a phrase."""
    return max(phrase.split(), key=len)


def scan_bytes(
    connection: Connection, path: Path, needles: Needles, retained: Collection[str], copies: bool = True
) -> Iterator[Finding]:
    """Findings in the raw bytes of the database, its WAL, shm and journal, and of copies beside it (`bytes`)."""
    if not needles:
        return
    sides = [path.with_name(path.name + end) for end in ("", "-wal", "-shm", "-journal")]
    beside = _beside(path, sides) if copies else []
    wide = str(scalar(connection, "PRAGMA encoding")).upper().startswith("UTF-16")
    for answer in run_child([*sides, *beside], needles.raw_patterns, wide=wide):
        found = Path(str(answer["path"]))
        pages = [int(hit[0]) for hit in _hits(answer)]
        if answer.get("error"):
            yield Finding(Standing.CANNOT_PROVE, _side(path, found), "unreadable")
        elif pages and found == path:
            yield from _owners(connection, pages, retained)
        elif pages:
            yield Finding(Standing.RESIDUE, _side(path, found), "bytes", len(set(pages)))


def _hits(answer: dict[str, object]) -> list[list[int]]:
    hits = answer["hits"]
    return hits if isinstance(hits, list) else []


def _beside(path: Path, sides: Collection[Path]) -> list[Path]:
    """Copies that somebody made of the database: files beside it that begin with its name, or its stem and a dot."""
    begins = (path.name, path.stem + ".")
    return [
        other
        for other in sorted(path.parent.iterdir())
        if other.name.startswith(begins) and other not in sides and other.is_file() and not _same(other, path)
    ]


def _same(one: Path, other: Path) -> bool:
    return os.path.samefile(one, other)


def _side(path: Path, found: Path) -> str:
    if found == path:
        return "database"
    end = found.name.removeprefix(path.name)
    return {"-wal": "wal", "-shm": "shm", "-journal": "journal"}.get(end, f"backup:{found.name}")


def _owners(connection: Connection, pages: Iterable[int], retained: Collection[str]) -> Iterator[Finding]:
    """Which table or index a page belongs to; none: it is free, and holds what was deleted."""
    wanted = set(pages)
    kept = _with_shadows(connection, retained)
    try:
        owners = dict(connection.execute("SELECT pageno, name FROM dbstat"))
    except Exception as error:
        if not is_sqlite_error(error):
            raise
        standing = Standing.CANNOT_PROVE if retained else Standing.RESIDUE
        yield Finding(standing, "pages", "bytes", len(wanted))  # this SQLite cannot tell whose pages they are
        return
    counts: dict[str, int] = {}
    for page in wanted:
        owner = owners.get(page)
        place = "free-pages" if owner is None else f"pages:{owner}"
        counts[place] = counts.get(place, 0) + 1
    for place, count in sorted(counts.items()):
        standing = Standing.RETAINED if place.removeprefix("pages:") in kept else Standing.RESIDUE
        yield Finding(standing, place, "bytes", count)


def _with_shadows(connection: Connection, retained: Collection[str]) -> set[str]:
    """The retained tables with their indexes and, for full-text indexes, their shadow tables."""
    kept = set(retained)
    for name, table in connection.execute("SELECT name, tbl_name FROM sqlite_schema WHERE type='index'"):
        if table in kept:
            kept.add(str(name))
    shadows = {index.name for index in text_indexes(connection) if index.name in kept or index.content in kept}
    kept.update(name for name in tables(connection) if any(name.startswith(f"{index}_") for index in shadows))
    return kept


def run_child(
    paths: Sequence[Path], patterns: Sequence[bytes], *, wide: bool = False, skip_databases: bool = False
) -> list[dict[str, object]]:
    """Scan raw bytes in a process that opens no SQLite. Raises PurgeFailed when that process fails."""
    request = {
        "paths": [str(path) for path in paths],
        "patterns": [item.hex() for item in patterns],
        "wide": wide,
        "skip_databases": skip_databases,
    }
    done = subprocess.run(
        [sys.executable, "-I", rawscan.__file__], input=json.dumps(request).encode(), capture_output=True, check=False
    )
    if done.returncode:
        raise PurgeFailed("the search through raw bytes ended with an error", code="scan-failed")
    return [json.loads(line) for line in done.stdout.splitlines()]
