"""The SQLite example: every shape of full-text index, foreign keys, rowids, WAL, freed pages, encodings."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from forgetguard.errors import StoreUnreadable
from forgetguard.purge.needles import Needles
from forgetguard.purge.surfaces import Artefact, Finding, SqliteTable, Standing, Targets, sqlite_tools
from forgetguard.purge.surfaces.sqlite_tools import renumbered, tables, text_indexes
from forgetguard.values import Origin
from purge.world import CANARY, OTHER, World, holds


class Quiet:
    """Work that nobody listens to."""

    resumed = False

    def __init__(self) -> None:
        self.seen: list[Artefact] = []

    def saw(self, artefacts: Iterable[Artefact]) -> None:
        self.seen += artefacts

    def touching(self, place: str, prehash: bytes) -> None:
        pass

    def progress(self, done: int, total: int) -> None:
        pass


def database(path: Path, *statements: str) -> Path:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA secure_delete=OFF")  # some builds overwrite by default
    for statement in statements:
        connection.execute(statement)
    connection.close()
    return path


def targets(*keys: str) -> Targets:
    return Targets(frozenset({"alice"}), frozenset(), frozenset(keys), Needles.of([CANARY]))


def places(findings: Iterable[Finding]) -> set[tuple[str, str, str]]:
    return {(one.standing.value, one.place, one.code) for one in findings}


BASE = "CREATE TABLE m(id TEXT PRIMARY KEY, text TEXT)"
ROWS = (f"INSERT INTO m VALUES ('a', '{CANARY}')", f"INSERT INTO m VALUES ('b', '{OTHER}')")
INDEXES = {
    "external, no triggers": (
        (BASE, "CREATE VIRTUAL TABLE f USING fts5(text, content='m')"),
        ("INSERT INTO f(f) VALUES('rebuild')",),
        {},
    ),
    "own text": (
        (BASE, "CREATE VIRTUAL TABLE f USING fts5(text)"),
        ("INSERT INTO f(rowid, text) SELECT rowid, text FROM m",),
        {"fts": ("f",)},
    ),
    "no text": (
        (BASE, "CREATE VIRTUAL TABLE f USING fts5(text, content='')"),
        ("INSERT INTO f(rowid, text) SELECT rowid, text FROM m",),
        {"fts": ("f",)},
    ),
    "fts4": (
        (BASE, "CREATE VIRTUAL TABLE f USING fts4(text)"),
        ("INSERT INTO f(rowid, text) SELECT rowid, text FROM m",),
        {"fts": ("f",)},
    ),
    "trigram": (
        (BASE, "CREATE VIRTUAL TABLE f USING fts5(text, content=m, tokenize='trigram')"),
        ("INSERT INTO f(f) VALUES('rebuild')",),
        {},
    ),
    "rows without stable numbers": (
        ("CREATE TABLE m(id TEXT, text TEXT)", "CREATE VIRTUAL TABLE f USING fts5(text, content='m')"),
        ("INSERT INTO f(f) VALUES('rebuild')",),
        {},
    ),
}


@pytest.mark.parametrize("name", INDEXES)
@pytest.mark.parametrize("wal", [True, False])
def test_full_text_indexes(tmp_path: Path, name: str, wal: bool) -> None:
    schema, fill, settings = INDEXES[name]
    mode = ("PRAGMA journal_mode=WAL",) if wal else ()
    path = database(tmp_path / "m.db", *mode, *schema, *ROWS, *fill)
    surface = SqliteTable("m", path, "m", **settings)  # type: ignore[arg-type]
    assert surface.erase(targets("a"), Quiet()).findings == ()
    assert list(surface.residue(targets("a"))) == []
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM f WHERE f MATCH 'quixotic'").fetchone() == (0,)
    found = connection.execute("SELECT rowid FROM f WHERE f MATCH 'Coimbra'").fetchall()
    assert found == connection.execute("SELECT rowid FROM m").fetchall()
    connection.close()
    assert holds(tmp_path, "quixotic", "lighthouse") == []


def test_a_table_that_is_its_own_index(tmp_path: Path) -> None:
    path = database(
        tmp_path / "m.db",
        "CREATE VIRTUAL TABLE m USING fts5(id UNINDEXED, text)",
        *(row.replace("INTO m", "INTO m(id, text)") for row in ROWS),
    )
    surface = SqliteTable("m", path, "m")
    assert next(item for item in surface.find(targets("a")) if isinstance(item, Artefact)).text == CANARY
    assert surface.erase(targets("a"), Quiet()).counts == {"m": 1}
    assert list(surface.residue(targets("a"))) == []
    assert holds(tmp_path, "quixotic") == []


def test_foreign_keys_are_followed_although_the_host_never_turned_them_on(tmp_path: Path) -> None:
    path = database(
        tmp_path / "m.db",
        BASE,
        "CREATE TABLE child(n INTEGER PRIMARY KEY, m TEXT REFERENCES m(id), note TEXT)",
        "CREATE TABLE grandchild(child INTEGER REFERENCES child(n) ON DELETE CASCADE, note TEXT)",
        *ROWS,
        f"INSERT INTO child VALUES (1, 'a', '{CANARY}'), (2, 'b', 'kept'), (3, 'gone-already', '{CANARY}')",
        f"INSERT INTO grandchild VALUES (1, '{CANARY}'), (2, 'kept')",
    )
    surface = SqliteTable("m", path, "m")
    assert surface.erase(targets("a", "gone-already"), Quiet()).counts == {"child": 2, "m": 1}
    assert list(surface.residue(targets("a"))) == []
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert connection.execute("SELECT note FROM grandchild").fetchall() == [("kept",)]
    connection.close()


def test_integer_keys(tmp_path: Path) -> None:
    path = database(
        tmp_path / "m.db",
        "CREATE TABLE m(id INTEGER PRIMARY KEY, text TEXT)",
        f"INSERT INTO m VALUES (1, '{CANARY}'), (11, '{OTHER}')",
    )
    surface = SqliteTable("m", path, "m")
    assert surface.erase(targets("1"), Quiet()).counts == {"m": 1}
    assert list(surface.keys()) == ["11"]


@pytest.mark.parametrize("encoding", ["UTF-16le", "UTF-16be"])
def test_wide_databases(tmp_path: Path, encoding: str) -> None:
    path = database(tmp_path / "m.db", f"PRAGMA encoding='{encoding}'", BASE, *ROWS)
    surface = SqliteTable("m", path, "m")
    database(path, "DELETE FROM m WHERE id='a'")
    assert ("residue", "free-pages", "bytes") in places(surface.residue(targets("a"))) or (
        "residue",
        "pages:m",
        "bytes",
    ) in places(surface.residue(targets("a")))
    quiet = Quiet()
    quiet.resumed = True
    surface.erase(targets("a"), quiet)
    assert list(surface.residue(targets("a"))) == []


def test_long_text_that_fills_overflow_pages(tmp_path: Path) -> None:
    long = " ".join(f"{CANARY} number {number}." for number in range(500))
    path = database(tmp_path / "m.db", BASE, f"INSERT INTO m VALUES ('a', '{long}')", "DELETE FROM m")
    wanted = Targets(frozenset(), frozenset(), frozenset({"a"}), Needles.of([long]))
    surface = SqliteTable("m", path, "m")
    assert {one.place for one in surface.residue(wanted)} >= {"free-pages"}
    quiet = Quiet()
    quiet.resumed = True
    surface.erase(wanted, quiet)
    assert list(surface.residue(wanted)) == []


def test_a_reader_in_the_way_is_told_and_gone_the_next_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_tools, "COMPACTING_WAIT_SECONDS", 0.1)
    path = database(tmp_path / "m.db", "PRAGMA journal_mode=WAL", BASE, *ROWS)
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM m").fetchall()
    surface = SqliteTable("m", path, "m")
    findings = surface.erase(targets("a"), Quiet()).findings
    assert [(one.standing, one.code, one.retry) for one in findings] == [(Standing.CANNOT_PROVE, "wal-busy", True)]
    assert ("residue", "database", "bytes") in places(surface.residue(targets("a"))) or any(
        place.startswith("pages:") or place == "free-pages" for _, place, _ in places(surface.residue(targets("a")))
    )
    reader.close()
    quiet = Quiet()
    quiet.resumed = True
    assert surface.erase(targets("a"), quiet).findings == ()
    assert list(surface.residue(targets("a"))) == []


def test_retained_tables_are_told_apart_and_named(tmp_path: Path) -> None:
    path = database(
        tmp_path / "m.db",
        BASE,
        "CREATE TABLE transcript(line TEXT)",
        "CREATE VIRTUAL TABLE transcript_fts USING fts5(line, content='transcript')",
        *ROWS,
        f"INSERT INTO transcript VALUES ('User: {CANARY}')",
        "INSERT INTO transcript_fts(transcript_fts) VALUES('rebuild')",
    )
    surface = SqliteTable("m", path, "m", retained=("transcript",))
    surface.erase(targets("a"), Quiet())
    found = places(surface.residue(targets("a")))
    assert found == {
        ("retained", "table:transcript", "text"),
        ("retained", "pages:transcript", "bytes"),
    }


def test_vacuum_would_change_these_rowids(tmp_path: Path) -> None:
    path = database(
        tmp_path / "m.db",
        "CREATE TABLE loose(x)",
        "CREATE TABLE keyed(x INTEGER PRIMARY KEY)",
        "CREATE TABLE indexed(x UNIQUE)",
        "CREATE TABLE whole(x PRIMARY KEY) WITHOUT ROWID",
        *(f"INSERT INTO {table} VALUES (1), (2), (3)" for table in ("loose", "keyed", "indexed", "whole")),
        *(f"DELETE FROM {table} WHERE x=2" for table in ("loose", "keyed", "indexed", "whole")),
    )
    connection = sqlite3.connect(path, isolation_level=None)
    assert renumbered(connection) == ("loose",)
    connection.execute("VACUUM")
    assert connection.execute("SELECT rowid FROM loose").fetchall() == [(1,), (2,)]
    assert connection.execute("SELECT x FROM keyed").fetchall() == [(1,), (3,)]
    connection.close()


def test_what_there_is(world: World) -> None:
    connection = world.connect()
    assert [(one.name, one.version, one.content) for one in text_indexes(connection)] == [
        ("memories_fts", 5, "memories")
    ]
    assert "memories_fts" not in tables(connection)
    assert "memories_fts_data" in tables(connection)
    connection.close()


def test_a_trigger_of_the_host_that_stands_in_the_way_fails_whole(tmp_path: Path) -> None:
    path = database(
        tmp_path / "m.db",
        BASE,
        *ROWS,
        "CREATE TRIGGER no BEFORE DELETE ON m BEGIN SELECT raise(ABORT, 'no'); END",
    )
    with pytest.raises(sqlite3.IntegrityError):
        SqliteTable("m", path, "m").erase(targets("a"), Quiet())
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM m").fetchone() == (2,)
    connection.close()


@pytest.mark.parametrize(
    "settings",
    [{"text": ("txet",)}, {"key": "di"}, {"side": (("vectors", "memry"),)}],
)
def test_a_misspelt_name_is_an_error_and_not_an_empty_column(world: World, settings: dict[str, Any]) -> None:
    """In double quotes SQLite would take it for a text: nothing would be found, and the purge be called clean."""
    with pytest.raises(StoreUnreadable) as caught:
        list(world.table(**settings).find(targets("m-alice")))
    assert caught.value.code == "no-such-column"


def test_a_link_to_the_database_leads_to_its_log_too(world: World) -> None:
    real = world.root / "real"
    real.mkdir()
    world.database.rename(real / "m.db")
    world.database.symlink_to(real / "m.db")
    host = sqlite3.connect(real / "m.db", isolation_level=None)
    host.execute("PRAGMA wal_autocheckpoint=0")
    host.execute("INSERT INTO memories VALUES ('m-wal', 'Alice hid the vermilion compass in the attic', NULL)")
    world.store.record("m-wal", Origin("main", "alice"))
    world.store.close()
    report = world.purge("alice").as_json()
    assert report["result"] == "clean"
    assert "m-wal" in report["entryKeys"]  # type: ignore[operator]
    host.close()
    assert holds(world.root, "vermilion") == []


def test_copies_beside_what_a_link_leads_to_are_found(world: World) -> None:
    real = world.root / "real"
    real.mkdir()
    world.database.rename(real / "m.db")
    world.database.symlink_to(real / "m.db")
    (real / "m.db.bak").write_text(CANARY)
    found = places(world.table().residue(Targets(needles=Needles.of([CANARY]))))
    assert ("residue", "backup:m.db.bak", "bytes") in found
