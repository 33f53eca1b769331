"""The search index in the agent's database: chunks, full text, vectors, sources, cached embeddings; standing intents.

A chunk goes when it is of a selected session, of a file that the purge changes, of an internal session (as the host's
own forget does it), or when it holds a needle and no file keeps that text. All rows go in one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from forgetguard.adapters.openclaw import database
from forgetguard.adapters.openclaw.compacting import compact
from forgetguard.adapters.openclaw.corpus import needle_text, sharing
from forgetguard.adapters.openclaw.keys import session_of_path, without_role
from forgetguard.adapters.openclaw.layout import Agent
from forgetguard.adapters.openclaw.notes import Workspace
from forgetguard.provenance.schema import Connection, batches, changed, has_table, marks, writing
from forgetguard.purge.needles import Needles, fold
from forgetguard.purge.surfaces import sqlite_scan as scan
from forgetguard.purge.surfaces import sqlite_tools as tools
from forgetguard.purge.surfaces.protocol import Artefact, Declaration, Erased, Finding, Standing, Surface, Targets, Work

CHUNKS, SOURCES, CACHE = "memory_index_chunks", "memory_index_sources", "memory_embedding_cache"
FTS, PATHS = "memory_index_chunks_fts", "memory_index_paths_fts"
ORIGINS = "memory_entry_origins"
INTENTS = "standing_intents"
DERIVED = ("memory_index_", "memory_embedding_cache", "memory_entry_origins", INTENTS)
T = TypeVar("T")
_AT_ONCE = 400  # texts folded together: one pass finds nothing in most of them
_SEPARATOR = "\n\x1f\n"
_NO_MEMORY = ("cron", "heartbeat")


@dataclass
class Doomed:
    """What goes: rows by id, and what is counted of them."""

    chunks: dict[str, tuple[int, str, str | None]] = field(default_factory=dict)  # id -> rowid, kind, text to look for
    hashes: set[str] = field(default_factory=set)
    sources: dict[int, str] = field(default_factory=dict)
    fts: list[int] = field(default_factory=list)
    vectors: list[str] = field(default_factory=list)
    cached: list[str] = field(default_factory=list)
    intents: dict[str, str] = field(default_factory=dict)

    def artefacts(self) -> Iterator[Artefact]:
        for name, (_, kind, text) in self.chunks.items():
            yield Artefact(kind, CHUNKS, name, text)
        yield from (Artefact("indexSources", SOURCES, path) for path in self.sources.values())
        yield from (Artefact("ftsRows", FTS, str(row)) for row in self.fts)
        yield from (Artefact("vectorRows", database.VECTORS, name) for name in self.vectors)
        yield from (Artefact("embeddingCacheRows", CACHE, name) for name in self.cached)
        yield from (Artefact("standingIntents", INTENTS, name, text) for name, text in self.intents.items())


@dataclass(frozen=True)
class IndexSurface(Surface):
    """The index of one agent. `mate`: another agent of the workspace, whose index has the same files.

    Of a mate's index only chunks of those files go, and they are counted apart.
    """

    workspace: Workspace
    name: str = "index"
    mate: Agent | None = None

    @property
    def agent(self) -> Agent:
        return self.mate or self.workspace.agent

    def declares(self) -> Declaration:
        covers = tuple(f"table:{one}" for one in (CHUNKS, FTS, database.VECTORS, SOURCES, PATHS, CACHE, INTENTS))
        method = ("delete", "fts-optimize", "vacuum", "wal-checkpoint")
        keeps = ("table:transcript_events", "table:session_transcript_fts", "table:session_transcript_archives")
        return Declaration(
            "openclaw.index", (*covers, "wal", "free-pages"), keeps, ("disk-blocks", "snapshots"), method, by_text=True
        )

    # -- what goes

    def _doomed(self, connection: Connection, targets: Targets) -> Doomed:
        found = Doomed()
        if not targets.sessions or not has_table(connection, CHUNKS):
            return found
        for row, kind, text in self._chunks(connection, targets):
            found.chunks[row[1]] = (row[0], kind, text)
            found.hashes.add(row[4])
        agent = self.workspace.agent.name
        for number, path in (
            ()
            if self.mate
            else connection.execute(f"SELECT id, path FROM {SOURCES} WHERE source='sessions' ORDER BY id")
        ):
            if session_of_path(path, agent) in targets.sessions:
                found.sources[number] = path
        found.fts = _present(connection, f"{FTS}_docsize", "id", [row for row, _, _ in found.chunks.values()])
        found.vectors = _present(connection, f"{database.VECTORS}_rowids", "id", list(found.chunks))
        if found.chunks or (self.mate is None and self._is_evident(targets)):
            found.cached = _cached(connection, found)
        if self.mate is None and has_table(connection, INTENTS):
            for name, session, text in connection.execute(f"SELECT id, source_session_id, description FROM {INTENTS}"):
                if session in targets.sessions:
                    found.intents[name] = text
        return found

    def _is_evident(self, targets: Targets) -> bool:
        """Whether these sessions left anything: a typo must not cost the cache a row."""
        return bool(targets.entry_keys or self.workspace.corpus.said(targets.sessions))

    def _chunks(
        self, connection: Connection, targets: Targets
    ) -> Iterator[tuple[tuple[int, str, str, str, str], str, str | None]]:
        changes, agent = self.workspace.changes(targets), self.workspace.agent.name
        internal = _internal(connection)
        listed = "SELECT chunk_rowid, id, path, source, hash FROM memory_index_chunks ORDER BY chunk_rowid"
        mine: list[tuple[int, str, str, str, str]] = []
        rest: list[tuple[int, str, str, str, str]] = []
        for row in connection.execute(listed):
            _, name, path, source, _ = row
            if source == "sessions" and session_of_path(path, agent) in targets.sessions:
                mine.append(row)
            elif source == "sessions" and name in internal and self.mate is None:
                yield row, "indexChunks", None
            elif source != "sessions" and path in changes:
                yield row, "indexChunks" if changes[path] else "otherChunks", None
            elif source != "sessions":
                rest.append(row)
        for row, text in _with_texts(connection, mine):
            yield row, "indexChunks", _said(text)
        yield from self._stale(connection, rest, targets)

    def _stale(
        self, connection: Connection, rest: list[tuple[int, str, str, str, str]], targets: Targets
    ) -> Iterator[tuple[tuple[int, str, str, str, str], str, str | None]]:
        """Chunks of an older state of a file: they hold a needle, and the file does not keep that text."""
        if not targets.needles:
            return
        keeps = self.workspace.keeps(targets)
        for row, _ in _holding(connection, [row for row in rest if row[2] not in keeps], targets.needles):
            yield row, "otherChunks", None

    def find(self, targets: Targets) -> Iterator[Artefact | Finding]:
        with database.reading(self.agent.database) as connection:
            yield from self._artefacts(self._doomed(connection, targets))

    def _artefacts(self, found: Doomed) -> Iterator[Artefact]:
        """The host counts one agent's index alone."""
        for one in found.artefacts():
            yield (
                one if self.mate is None else replace(one, kind=f"sharedWorkspace{one.kind[:1].upper()}{one.kind[1:]}")
            )

    # -- erasing

    def erase(self, targets: Targets, work: Work) -> Erased:
        with database.erasing(self.agent.database) as connection:
            with writing(connection):
                found = self._doomed(connection, targets)
                work.saw(self._artefacts(found))
                counts = _delete(connection, found)
                if counts.get(CHUNKS) or counts.get(SOURCES):
                    for name in (FTS, PATHS):
                        if has_table(connection, name):
                            list(connection.execute(f"INSERT INTO {name}({name}) VALUES('optimize')"))
            idle = not any(counts.values()) and not work.resumed
            return Erased(counts, () if idle else compact(connection, self.name))

    # -- looking again

    def residue(self, targets: Targets) -> Iterator[Finding]:
        path = self.agent.database
        with database.reading(path) as connection:
            left = self._doomed(connection, targets)
            if left.chunks or left.sources or left.intents:
                yield Finding(Standing.RESIDUE, f"table:{CHUNKS}", "session", len(left.chunks) + len(left.sources))
            kept = self._kept(connection, targets.needles)
            if kept:
                yield Finding(Standing.RETAINED, f"table:{CHUNKS}", "of-kept-files", len(kept))
            needles = targets.needles.without(kept)
            retained = [name for name in tools.tables(connection) if not name.startswith(DERIVED)]
            virtual = [one.name for one in tools.text_indexes(connection) if not one.name.startswith(DERIVED)]
            yield from scan.scan_bytes(connection, path, needles, [*retained, *virtual])
        yield from self._integrity(targets)

    def _kept(self, connection: Connection, needles: Needles) -> set[int]:
        """The numbers of the needles that chunks which stay hold: their files keep the text."""
        if not needles or not has_table(connection, CHUNKS):
            return set()
        rows = list(connection.execute(f"SELECT chunk_rowid, id, path, source, hash FROM {CHUNKS}"))
        return {number for _, hits in _holding(connection, rows, needles) for number in hits}

    def _integrity(self, targets: Targets) -> Iterator[Finding]:
        """What an index of full text does not have in its rows, it does not answer for: its own check says so."""
        if not targets.needles:
            return
        with database.erasing(self.agent.database, scan.CHECKING_WAIT_SECONDS) as connection:
            for index in tools.text_indexes(connection):
                doubt = scan.integrity(connection, index) if index.name in (FTS, PATHS) else None
                if doubt is not None:
                    yield doubt

    def holding(self, targets: Targets) -> Iterator[tuple[str, str]]:
        agent = self.workspace.agent
        with database.reading(self.agent.database) as connection:
            if not has_table(connection, CHUNKS):
                return
            rows = [
                row
                for row in connection.execute(
                    f"SELECT chunk_rowid, id, path, source, hash FROM {CHUNKS} WHERE source='sessions'"
                )
                if session_of_path(row[2], agent.name) not in targets.sessions
            ]
            hits = {number for _, found in _holding(connection, rows, targets.needles) for number in found}
            yield from sharing(CHUNKS, targets.needles, hits)


def _said(text: str) -> str | None:
    lines = (without_role(line) for line in text.splitlines())
    return "\n".join(line for line in lines if needle_text(line)) or None


def _internal(connection: Connection) -> frozenset[str]:
    """Chunks of transcripts that are the agent's own business; they should never have been indexed."""
    if not has_table(connection, "memory_index_chunk_provenance"):
        return frozenset()
    sql = "SELECT chunk_id FROM memory_index_chunk_provenance WHERE origin_class='system' OR session_kind IN (?,?)"
    return frozenset(str(row[0]) for row in connection.execute(sql, _NO_MEMORY))


def _with_texts(
    connection: Connection, rows: Sequence[tuple[int, str, str, str, str]]
) -> Iterator[tuple[tuple[int, str, str, str, str], str]]:
    by_number = {row[0]: row for row in rows}
    for batch in batches(sorted(by_number), _AT_ONCE):
        sql = f"SELECT chunk_rowid, text FROM {CHUNKS} WHERE chunk_rowid IN ({marks(batch)}) ORDER BY 1"
        for number, text in connection.execute(sql, batch):
            yield by_number[number], str(text)


def _holding(
    connection: Connection, rows: Sequence[tuple[int, str, str, str, str]], needles: Needles
) -> Iterator[tuple[tuple[int, str, str, str, str], set[int]]]:
    """The rows whose text holds a needle, and which."""
    if not needles:
        return
    for batch in batches(_with_texts(connection, rows), _AT_ONCE):
        if needles.hits_folded(fold(_SEPARATOR.join(text for _, text in batch))):
            for row, text in batch:
                hits = needles.hits(text)
                if hits:
                    yield row, hits


def _present(connection: Connection, table: str, column: str, values: Sequence[T]) -> list[T]:
    if not has_table(connection, table):
        return []
    sql = f"SELECT {column} FROM {table} WHERE {column} IN"
    return [row[0] for batch in batches(values) for row in connection.execute(f"{sql} ({marks(batch)})", batch)]


def _cached(connection: Connection, found: Doomed) -> list[str]:
    """Cached embeddings of text that goes, and of text that no chunk holds any more: nobody can say what it was."""
    if not has_table(connection, CACHE):
        return []
    stay = {str(row[1]) for row in connection.execute(f"SELECT id, hash FROM {CHUNKS}") if row[0] not in found.chunks}
    return [str(row[0]) for row in connection.execute(f"SELECT hash FROM {CACHE} ORDER BY 1") if row[0] not in stay]


def _delete(connection: Connection, found: Doomed) -> dict[str, int]:
    def by(table: str, column: str, values: Iterable[object]) -> int:
        return _each(connection, values, lambda batch: f"DELETE FROM {table} WHERE {column} IN ({marks(batch)})")

    counts = {
        database.VECTORS: _one_by_one(connection, f"DELETE FROM {database.VECTORS} WHERE id=?", found.vectors),
        CHUNKS: by(CHUNKS, "id", found.chunks),
        SOURCES: by(SOURCES, "id", found.sources),
        CACHE: by(CACHE, "hash", sorted(set(found.cached))),
        INTENTS: by(INTENTS, "id", found.intents),
    }
    left = _present(connection, f"{FTS}_docsize", "id", [row for row, _, _ in found.chunks.values()])
    counts[FTS] = by(FTS, "rowid", left)  # where no trigger of the host did it
    return {table: count for table, count in counts.items() if count}


def _each(connection: Connection, values: Iterable[object], sql: Callable[[Sequence[object]], str]) -> int:
    count = 0
    for batch in batches(values):
        list(connection.execute(sql(batch), batch))
        count += changed(connection)
    return count


def _one_by_one(connection: Connection, sql: str, values: Iterable[object]) -> int:
    """vec0 takes a key at a time; a list would make it read every vector."""
    count = 0
    for value in values:
        list(connection.execute(sql, (value,)))
        count += 1
    return count
