"""The ledger of one vault: what was forgotten, durable and sealed.

Guarantees (each has a test that fails when it is broken)
1. What was acknowledged is on disk: every write is synced before the call returns, or it raises and changed nothing.
2. Missing, replaced, wrong key, damaged, rolled back, emptied: each raises `LedgerUnavailable` with its own code, on opening
   and at every later call. None is ever taken for an empty ledger, and none is repaired in silence.
3. Records are sealed one by one for their position in their vault: none can be read, made, altered, moved or replayed without
   the key; a removed one leaves a gap; a cut tail shows against the mark.
4. One record that does not open leaves the others readable and is counted in `status()`.
5. A call sees what any process acknowledged before it.

Not guaranteed: anything against a process that holds the key; the hiding of sizes, counts and times of writes; copies of old
files, and an older copy put back together with its mark.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Final, Self

from forgetguard.errors import InvalidInput, LedgerFull, LedgerUnavailable, UnknownEntry
from forgetguard.keys import KeySource
from forgetguard.ledger import log, mark, place
from forgetguard.ledger.creation import create_vault
from forgetguard.ledger.database import Connections, translating
from forgetguard.ledger.fold import Delta, State
from forgetguard.ledger.header import Cell, Header, Secrets
from forgetguard.ledger.mark import DEFAULT, MarkFile
from forgetguard.ledger.records import Fact, Kind, Record, clean_text, id_bytes
from forgetguard.values import Entry, Origin

DEFAULT_REVIEW_SIZE: Final = 200
DEFAULT_WAIT: Final = 5.0

Path = str | os.PathLike[str]


class Ledger:
    """An open ledger. Safe to share between threads; usable on both sides of a fork; a context manager."""

    def __init__(
        self, path: str, key: KeySource, marks: MarkFile | None, *, wait: float, max_entries: int | None
    ) -> None:
        self.path = path
        self.max_entries = max_entries
        self.mark_state = "none"
        self._key = key
        self._marks = marks
        self._watch = place.Watch(path)
        self._connections = Connections(path, wait, self._watch.same_file)
        self._closed = False
        self._state = State()
        self._generation = 0
        self._data_version = -1
        self._header_row: tuple[object, ...] | None = None
        self._header: Header
        self._keys: Secrets
        self._device = mark.new_device()
        self._own_head: tuple[bytes, int] = (self._device, 0)  # acknowledged here, though perhaps not read back yet

    @classmethod
    def open(
        cls,
        path: Path,
        key: KeySource,
        *,
        create: bool = False,
        mark: Path | mark._Default | None = DEFAULT,
        max_entries: int | None = None,
        review_size: int = DEFAULT_REVIEW_SIZE,
        wait: float = DEFAULT_WAIT,
        allow_filesystem: bool = False,
    ) -> Self:
        """Open the ledger at `path`; with `create`, make one where neither a file nor a mark tells of an earlier one.

        `mark`: by default a file in the user's state directory; a path of the host's; or None, which gives up noticing an
        older copy. `wait`: seconds to wait for other processes. Raises LedgerUnavailable, InvalidKey.
        """
        name = os.path.abspath(os.fspath(path))
        if not allow_filesystem and place.unsupported(name):
            raise LedgerUnavailable.because("unsupported-filesystem")
        marks = None if mark is None else MarkFile(name, None if mark is DEFAULT else mark)  # type: ignore[arg-type]
        created = False
        if not place.exists(name):
            if (
                not create
                or (marks is not None and marks.exists_here())
                or any(map(place.exists, place.side_files(name)))
            ):
                raise LedgerUnavailable.because("missing")
            created = create_vault(name, key)
        place.check_file(name)
        place.tighten(name)
        ledger = cls(name, key, marks, wait=wait, max_entries=max_entries)
        try:
            ledger._load(created)
        except BaseException:
            ledger.close()
            raise
        return ledger

    # -- reading ---------------------------------------------------------------------------------------------------

    def entries(self) -> tuple[Entry, ...]:
        """The active entries in ledger order; the same tuple as before where nothing changed. Raises LedgerUnavailable."""
        with self._connections.read_lock:
            return self._refresh().entries()

    @property
    def version(self) -> int:
        """A number that moves exactly when `entries()` changed. Raises LedgerUnavailable."""
        with self._connections.read_lock:
            return self._refresh().version

    def changes(self) -> tuple[int, tuple[Entry, ...]]:
        """`version` and `entries()` of one moment."""
        with self._connections.read_lock:
            state = self._refresh()
            return state.version, state.entries()

    def entries_since(self, version: int) -> Delta:
        """What changed since `version`, for an index that is kept up to date. Raises LedgerUnavailable."""
        with self._connections.read_lock:
            return self._refresh().since(version)

    def pending(self) -> tuple[Entry, ...]:
        """The entries whose *commit* or *abort* never came. They count as forgotten until their owner decides."""
        with self._connections.read_lock:
            return self._refresh().pending()

    def entry(self, entry: str) -> Entry:
        """The active entry of this id. Raises UnknownEntry."""
        raw = self._ids((entry,))[0]
        with self._connections.read_lock:
            found = self._refresh().get(raw)
        if found is None:
            raise UnknownEntry("no forgotten fact has this id")
        return found

    # -- writing ---------------------------------------------------------------------------------------------------

    def intend(self, facts: Sequence[Fact], reason: str = "user", origin: Origin | None = None) -> tuple[str, ...]:
        """Write down, durably and in one transaction, what is about to be deleted; the new entries' ids.

        They are active from now on, and pending until `commit` or `abort`. Raises InvalidText, InvalidVector, LedgerFull,
        LedgerUnavailable; then nothing was written.
        """
        return self._record(facts, reason, origin, committed=False)

    def forget(self, facts: Sequence[Fact], reason: str = "user", origin: Origin | None = None) -> tuple[str, ...]:
        """`intend` and `commit` in one transaction, for facts that no host has to delete."""
        return self._record(facts, reason, origin, committed=True)

    def commit(self, ids: Sequence[str]) -> None:
        """The host has deleted: the entries are no longer pending. Raises UnknownEntry, LedgerUnavailable."""
        self._settle(Kind.COMMIT, ids)

    def abort(self, ids: Sequence[str]) -> None:
        """The host did not delete: the pending entries end. Raises UnknownEntry, InvalidInput for a committed one."""
        self._settle(Kind.ABORT, ids)

    def release(self, ids: Sequence[str], dry_run: bool = False) -> tuple[str, ...]:
        """End the protection of these entries, all in one transaction; the ids that were active.

        With `dry_run` nothing is written. Raises UnknownEntry, LedgerUnavailable; then nothing was released.
        """
        raw = self._ids(ids)
        if dry_run:
            with self._connections.read_lock:
                return _hex(_active(self._refresh(), raw))
        with self._writing() as (state, append):
            chosen = _active(state, raw)
            if chosen:
                append([Record(Kind.RELEASE, time.time(), ids=chosen)])
        return _hex(chosen)

    # -- life ------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the file. Every later call raises LedgerUnavailable (`closed`)."""
        with self._connections.write_lock, self._connections.read_lock:
            self._closed = True
            self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Ledger {'closed' if self._closed else 'open'}, {self._state.active_count()} entries>"

    @property
    def vault(self) -> str:
        """The random id of the vault, as hex."""
        return self._keys.vault.hex()

    # -- inside ----------------------------------------------------------------------------------------------------

    def _record(self, facts: Sequence[Fact], reason: str, origin: Origin | None, *, committed: bool) -> tuple[str, ...]:
        now = time.time()
        records = [
            Record(Kind.FORGET, now, os.urandom(16), clean_text(fact.text), fact.vector, reason, fact.origin or origin)
            for fact in facts
        ]
        ids = tuple(record.entry for record in records)
        if not records:
            return ()
        with self._writing() as (state, append):
            if self.max_entries is not None and state.active_count() + len(records) > self.max_entries:
                raise LedgerFull("the ledger holds as many entries as it may; nothing was written")
            append([*records, Record(Kind.COMMIT, now, ids=ids)] if committed else records)
        return _hex(ids)

    def _settle(self, kind: Kind, ids: Sequence[str]) -> None:
        raw = self._ids(ids)
        with self._writing() as (state, append):
            _active(state, raw)
            chosen = tuple(one for one in raw if state.is_pending(one))
            if kind is Kind.ABORT and any(state.get(one) is not None and not state.is_pending(one) for one in raw):
                raise InvalidInput("an entry is committed already", code="not-pending", advice="Release it instead.")
            if chosen:
                append([Record(kind, time.time(), ids=chosen)])

    def _ids(self, ids: Sequence[str]) -> tuple[bytes, ...]:
        raw = id_bytes((ids,) if isinstance(ids, str) else ids)
        if raw is None:
            raise UnknownEntry("no forgotten fact has this id")
        return tuple(dict.fromkeys(raw))

    @contextmanager
    def _writing(self) -> Iterator[tuple[State, Callable[[Sequence[Record]], None]]]:
        """A write transaction on the newest state. What is appended stands, synced, when the block is left."""
        self._check_open()
        heads: dict[bytes, int] = {}

        def acknowledge() -> None:
            self._watch.check()
            for device, n in heads.items():
                self._own_head = (device, n)
                self._advance_mark(heads)

        with self._connections.writing(acknowledge) as connection:
            with self._connections.read_lock:
                state = self._refresh()

            def append(records: Sequence[Record]) -> None:
                heads[self._device] = log.append(connection, self._keys, self._device, records)

            yield state, append

    def _advance_mark(self, heads: dict[bytes, int]) -> None:
        if self._marks is None:
            return
        try:
            mark.advance(self._marks.path(self._keys.vault), self._keys, self._device, heads)
        except OSError:
            # Behind the file is a normal state of the mark: the record itself is durable.
            self._state.problems["mark-unwritten"] += 1

    def _check_open(self) -> None:
        if self._closed:
            raise LedgerUnavailable.because("closed")

    def _refresh(self) -> State:
        """The state, caught up with the file. Under the read lock. The path "nothing changed" costs microseconds."""
        if self._closed:
            raise LedgerUnavailable.because("closed")
        connections = self._connections
        connections.ensure_process()
        touched = self._watch.check(sides=connections.is_open)
        with translating():
            reader = connections.reader()
            if touched or connections.generation != self._generation:
                self._catch_up(touched)
            elif reader.execute("PRAGMA data_version").fetchone()[0] != self._data_version:
                self._catch_up(False)
        return self._state

    def _catch_up(self, touched: bool) -> None:
        connections = self._connections
        if touched:
            connections.renew_reader()
        reader = connections.reader()
        reader.execute("BEGIN")
        try:
            row = log.read_header(reader)
            version = reader.execute("PRAGMA data_version").fetchone()[0]
            if row != self._header_row:
                self._take_header(row)
            self._check_heads(touched)
            self._read_new()
        finally:
            reader.execute("COMMIT")
        if touched or connections.generation != self._generation:
            self._watch.settle()
            self._watch.seen()
        self._generation = connections.generation
        self._data_version = version

    def _take_header(self, row: tuple[Cell, ...] | None) -> None:
        """Read the header that stands there now; after a re-keying with a new root, everything else anew."""
        if row is None:
            raise LedgerUnavailable.because("emptied")
        header = Header.from_row(row)
        first = self._header_row is None
        if not first and header.vault != self._header.vault:
            raise LedgerUnavailable.because("replaced")
        if not first and header.epoch < self._header.epoch:
            raise LedgerUnavailable.because("rolled-back")
        keys = header.unlock(self._key)
        if first or keys.epoch != self._keys.epoch:
            self._state = State(0 if first else self._state.version + 1)
        self._header, self._keys, self._header_row = header, keys, row

    def _check_heads(self, touched: bool) -> None:
        """What was seen once must still be there. The count is asked only where something touched the file."""
        state, reader = self._state, self._connections.reader()
        for device, n in (*state.heads.items(), self._own_head):
            if log.head(reader, device) < n:
                raise LedgerUnavailable.because("rolled-back" if log.count(reader) else "emptied")
        if touched and log.count(reader) < state.rows:
            state.problems["records-missing"] = state.rows - log.count(reader)

    def _read_new(self) -> None:
        state, reader = self._state, self._connections.reader()
        whole = state.last_seq == 0
        records, heads, problems = [], state.heads, state.problems
        for seq, device, n, record in log.read(reader, self._keys, state.last_seq):
            state.last_seq = seq
            state.rows += 1
            head = heads.get(device, 0)
            if n > head:
                heads[device] = n
                if n > head + 1 and not whole:
                    problems["gap"] += n - head - 1
            elif not whole and record is not None and record.kind is not Kind.HOLE:
                problems["forked"] += 1
            if record is None:
                problems["record-unreadable"] += 1
            else:
                records.append(record)
        if whole:
            for tally in log.tallies(reader).values():
                problems["gap"] += tally.missing
                problems["forked"] += tally.doubled
        state.apply(records)

    def _load(self, created: bool) -> None:
        """The first reading, and the comparison with the mark."""
        with self._connections.read_lock:
            try:
                self._refresh()
            except LedgerUnavailable as error:
                # A mark proves that a ledger was here: what cannot be recognised now was damaged.
                if error.code == "not-a-ledger" and self._marks is not None and self._marks.exists_here():
                    raise LedgerUnavailable.because("damaged") from None
                raise
            if self._marks is not None:
                self._compare_mark(self._marks, created)

    def _compare_mark(self, marks: MarkFile, created: bool) -> None:
        keys, state = self._keys, self._state
        if marks.is_of_another(keys.vault):
            raise LedgerUnavailable.because("replaced")
        path = marks.path(keys.vault)
        found = mark.load(path, keys)
        elsewhere = marks.elsewhere(keys) if found is None else []
        for one in (found, *elsewhere):
            if one is not None and one.is_ahead_of(keys.epoch, state.heads):
                raise LedgerUnavailable.because("rolled-back" if state.rows else "emptied")
        own = found.device if found is not None else None
        forked = own is not None and log.tallies(self._connections.reader()).get(own, log.Tally(0, 0, 0)).doubled > 0
        if found is not None and not forked:
            self._device, self.mark_state = found.device, "kept"
            return
        self.mark_state = "created" if created else "forked" if forked else "moved" if elsewhere else "new"
        if not created and not forked and marks.exists_here():
            self.mark_state = "damaged"
        try:
            anew = self.mark_state in ("forked", "damaged")
            self._device = mark.start(path, keys, state.heads, anew=anew).device
        except OSError:
            self.mark_state = "unwritable"


def _active(state: State, ids: Sequence[bytes]) -> tuple[bytes, ...]:
    """Those of the ids that are active. Raises UnknownEntry where one was never forgotten here."""
    if not all(map(state.knows, ids)):
        raise UnknownEntry("no forgotten fact has this id")
    return tuple(one for one in ids if state.get(one) is not None)


def _hex(ids: Sequence[bytes]) -> tuple[str, ...]:
    return tuple(one.hex() for one in ids)
