"""Two ordinary hosts that share one lineage: a SQLite table with full-text search, and a folder of notes."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from forgetguard.provenance import ProvenanceStore
from forgetguard.purge import Home, Host, Order, Report, Selection, apply, make_plan
from forgetguard.purge.surfaces import MarkdownFolder, SqliteTable
from forgetguard.values import Origin, OriginClass

CANARY = "The harbour master keeps the quixotic lighthouse key under the blue mat"
OTHER = "Bob prefers the window seat on every train to Coimbra"
MIXED = "Alice and Bob agreed to meet at the velodrome on Thursday evening"
GENERIC = "Understood, I will keep that in mind"

TABLES = """
CREATE TABLE memories(id TEXT PRIMARY KEY, text TEXT NOT NULL, meta TEXT) STRICT;
CREATE TABLE vectors(memory_id TEXT NOT NULL, vec BLOB);
CREATE TABLE tags(memory TEXT REFERENCES memories(id), tag TEXT);
CREATE VIRTUAL TABLE memories_fts USING fts5(text, content='memories', content_rowid='rowid');
CREATE TRIGGER m_ai AFTER INSERT ON memories BEGIN
  INSERT INTO memories_fts(rowid, text) VALUES (new.rowid, new.text); END;
CREATE TRIGGER m_ad AFTER DELETE ON memories BEGIN
  INSERT INTO memories_fts(memories_fts, rowid, text) VALUES ('delete', old.rowid, old.text); END;
"""

NOTE = f"""# Notes

<!-- forgetguard:n-alice -->
- {CANARY}
  - confidence: 0.6
<!-- forgetguard:n-bob -->
- {OTHER}

A line that a person wrote.
"""

DESCRIPTION = """
[purge]
agent = "main"
provenance = "main.provenance.sqlite"

[[purge.surface]]
kind = "sqlite"
name = "memories"
path = "memory.db"
table = "memories"
side = [["vectors", "memory_id"]]

[[purge.surface]]
kind = "markdown"
name = "notes"
root = "notes"
generated = ["summaries/*"]
"""


@dataclass
class World:
    """Everything a purge test needs, below one directory."""

    root: Path
    store: ProvenanceStore

    @property
    def database(self) -> Path:
        return self.root / "memory.db"

    @property
    def notes(self) -> Path:
        return self.root / "notes"

    @property
    def home(self) -> Home:
        return Home(self.root / "purge")

    def connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.database, isolation_level=None)
        connection.execute("PRAGMA journal_mode=WAL")
        return connection

    def table(self, **settings: object) -> SqliteTable:
        given = {"side": (("vectors", "memory_id"),), **settings}
        return SqliteTable("memories", self.database, "memories", **given)  # type: ignore[arg-type]

    def folder(self) -> MarkdownFolder:
        return MarkdownFolder("notes", self.notes, generated=("summaries/*",))

    def host(self, read_only: bool = False) -> Host:
        store = ProvenanceStore(self.store.path, "main", read_only=read_only)
        return Host(f"main:{self.root}", store, (self.table(), self.folder()))

    def purge(self, *sessions: str, order: Order | None = None, **selectors: object) -> Report:
        selection = Selection(sessions=sessions, **selectors)  # type: ignore[arg-type]
        host = self.host()
        return apply(host, make_plan(host, selection), self.home, order)

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        connection = self.connect()
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    def add(self, key: str, text: str, *sessions: str) -> None:
        """A memory of these sessions: lineage first, then the row."""
        if sessions:
            self.store.record(key, [Origin("main", one, f"agent:main:{one}", OriginClass.OWNER) for one in sessions])
        connection = self.connect()
        connection.execute("INSERT INTO memories VALUES (?,?,NULL)", (key, text))
        connection.execute("INSERT INTO vectors VALUES (?, x'0102')", (key,))
        connection.execute("INSERT INTO tags VALUES (?, 'tag')", (key,))
        connection.close()


PICTURE = """
import hashlib, os, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        path = os.path.join(folder, name)
        found = os.lstat(path)
        with open(path, "rb") as stream:
            print(path, hashlib.sha256(stream.read()).hexdigest(), found.st_mtime_ns, found.st_ino)
"""


def picture(root: Path) -> list[str]:
    """Every file with hash and time, read by a child: a handle of our own would drop locks that SQLite holds here."""
    done = subprocess.run([sys.executable, "-c", PICTURE, str(root)], capture_output=True, check=True, timeout=60)
    return sorted(done.stdout.decode().splitlines())


def holds(root: Path, *words: str) -> list[str]:
    """The files below `root` in whose bytes one of the words stands, in any case."""
    found = []
    for folder, _, names in os.walk(root):
        for name in names:
            content = Path(folder, name).read_bytes().lower()
            if any(word.lower().encode() in content for word in words):
                found.append(os.path.join(folder, name))
    return sorted(found)
