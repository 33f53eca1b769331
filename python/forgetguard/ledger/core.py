"""The open file behind a `Ledger`: catching up with it, writing to it, and comparing it with the mark.

Every other module of this room works through a `Core`; none opens the file by itself while a ledger is open.
"""

from __future__ import annotations

import gc
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

from forgetguard.errors import LedgerUnavailable
from forgetguard.keys import KeySource
from forgetguard.ledger import log, mark
from forgetguard.ledger.database import Connections, end_reading, translated, translating
from forgetguard.ledger.fold import State
from forgetguard.ledger.header import Cell, Header, Secrets
from forgetguard.ledger.mark import MarkFile
from forgetguard.ledger.place import Watch
from forgetguard.ledger.records import Kind, Record


@dataclass(slots=True)
class Transaction:
    """A write transaction on the newest state. What was appended stands, synced, once its block is left."""

    connection: sqlite3.Connection = field(repr=False)
    state: State = field(repr=False)
    keys: Secrets = field(repr=False)
    device: bytes
    head: int = 0

    def append(self, records: Sequence[Record]) -> None:
        """Seal the records as the next ones of this device."""
        self.head = log.append(self.connection, self.keys, self.device, records)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """No garbage collection meanwhile: while 100,000 entries come up it is a quarter of the time, and finds nothing."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Core:
    """The state of an open ledger file. `refresh` and everything that reads `state` happens under the read lock."""

    header: Header
    keys: Secrets

    def __init__(self, path: str, key: KeySource, marks: MarkFile | None, wait: float) -> None:
        self.path = path
        self.key = key
        self.next_key: KeySource | None = None  # set while a new root is being committed
        self.marks = marks
        self.mark_state = "none"
        self.device = mark.new_device()
        self.state = State()
        self.watch = Watch(path)
        self.connections = Connections(path, wait, self.watch.same_file)
        self.closed = False
        self._own_head: tuple[bytes, int] = (self.device, 0)  # acknowledged here, though perhaps not read back yet
        self._current: sqlite3.Connection | None = None  # the reader whose snapshot `state` is
        self._data_version = -1
        self._header_row: tuple[Cell, ...] | None = None

    def close(self) -> None:
        """Close the connections for good."""
        with self.connections.write_lock, self.connections.read_lock:
            self.closed = True
            self.connections.close()

    # -- reading ---------------------------------------------------------------------------------------------------

    def refresh(self) -> State:
        """The state, caught up with the file. Under the read lock. Where nothing changed it costs microseconds.

        Raises LedgerUnavailable. A failure leaves nothing half taken over: the next call tries again from where this
        one began.
        """
        connections = self.connections
        try:
            reader = connections.standing()
            if reader is not None and reader is self._current and self.watch.is_unchanged():
                if reader.execute("PRAGMA data_version").fetchone()[0] == self._data_version:
                    return self.state
                self._catch_up(False)
                return self.state
            if self.closed:
                raise LedgerUnavailable.because("closed")
            connections.ensure_process()
            touched = self.watch.check(sides=connections.is_open)
            reader = connections.reader()
            fresh = reader is not self._current
            if touched or fresh or reader.execute("PRAGMA data_version").fetchone()[0] != self._data_version:
                self._catch_up(touched)
        except sqlite3.Error as error:
            raise translated(error) from None
        return self.state

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """The reading connection inside one read transaction, for whoever reads more than the state."""
        with self.connections.read_lock, translating():
            reader = self._begin_snapshot()
            try:
                yield reader
            finally:
                end_reading(reader)

    def _begin_snapshot(self) -> sqlite3.Connection:
        """A read transaction that shows just what `state`, `header` and `keys` were read from."""
        while True:
            self.refresh()
            reader = self.connections.reader()
            reader.execute("BEGIN")
            log.read_header(reader)
            if reader.execute("PRAGMA data_version").fetchone()[0] == self._data_version:
                return reader
            end_reading(reader)

    # -- writing ---------------------------------------------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """A write transaction; COMMIT with sync when the block is left, ROLLBACK when it raises.

        The path is compared with the open file before the first change and again after the commit: an acknowledgement
        never stands for a record that went into an unlinked file. Raises LedgerUnavailable, LedgerFull.
        """
        if self.closed:
            raise LedgerUnavailable.because("closed")
        done: list[Transaction] = []

        def acknowledge() -> None:
            self.watch.check()
            for transaction in done:
                if transaction.head:
                    self._own_head = (transaction.device, transaction.head)
                    self.advance_mark({transaction.device: transaction.head})

        with self.connections.writing(acknowledge) as connection:
            with self.connections.read_lock:
                state = self.refresh()
            transaction = Transaction(connection, state, self.keys, self.device)
            yield transaction
            done.append(transaction)

    def advance_mark(self, heads: dict[bytes, int]) -> None:
        """Raise the mark. Failing is counted and nothing more: behind the file is a normal state of the mark."""
        if self.marks is None:
            return
        try:
            mark.advance(self.marks.path(self.keys.vault), self.keys, self.device, heads, self.marks.real)
        except OSError:
            self.state.problems["mark-unwritten"] += 1

    # -- catching up -----------------------------------------------------------------------------------------------

    def _catch_up(self, touched: bool) -> None:
        connections = self.connections
        if touched:
            connections.renew_reader()
        reader = connections.reader()
        reader.execute("BEGIN")
        try:
            row = log.read_header(reader)
            version = reader.execute("PRAGMA data_version").fetchone()[0]
            if row is None or row != self._header_row:
                self._take_header(row)
            self._check_heads(reader, touched)
            self._read_new(reader)
        finally:
            end_reading(reader)
        if touched or reader is not self._current:
            self.watch.settle()
            self.watch.seen()
        self._current = reader
        self._data_version = version

    def _take_header(self, row: tuple[Cell, ...] | None) -> None:
        """Take over the header that stands there now; after a re-keying with a new root, read everything anew."""
        if row is None:
            raise LedgerUnavailable.because("emptied")
        header = Header.from_row(row)
        first = self._header_row is None
        if not first and header.vault != self.header.vault:
            raise LedgerUnavailable.because("replaced")
        if not first and header.epoch < self.header.epoch:
            raise LedgerUnavailable.because("rolled-back")
        if first or header.epoch != self.header.epoch:
            keys = self.unlock(header)
            self.state = State(0 if first else self.state.version + 1)
        else:
            # Re-keyed, here or elsewhere: the root is the same, and stretching a passphrase again would take a second.
            header.verify(keys := self.keys)
        self.header, self.keys, self._header_row = header, keys, row

    def unlock(self, header: Header) -> Secrets:
        """The secrets of a header under the key of this opening, or under the one that is just replacing it."""
        try:
            return header.unlock(self.key)
        except LedgerUnavailable as error:
            if self.next_key is None or error.code != "wrong-key":
                raise
        return header.unlock(self.next_key)

    def _check_heads(self, reader: sqlite3.Connection, touched: bool) -> None:
        """What was seen once must still be there. The count is asked only where something touched the main file."""
        for device, n in (*self.state.heads.items(), self._own_head):
            if log.head(reader, device) < n:
                raise LedgerUnavailable.because("rolled-back" if log.count(reader) else "emptied")
        if touched:
            lost = self.state.rows - log.count(reader)
            if lost > 0:
                self.state.problems["gap"] = max(lost, self.state.problems["gap"])

    def _read_new(self, reader: sqlite3.Connection) -> None:
        state = self.state
        whole = state.last_seq == 0
        with _collector_paused() if whole else nullcontext():
            self._read_rows(reader, state, whole)

    def _read_rows(self, reader: sqlite3.Connection, state: State, whole: bool) -> None:
        last_seq, rows = state.last_seq, state.rows
        heads, problems = dict(state.heads), Counter(state.problems)
        records: list[Record] = []
        recount = whole
        for seq, device, n, record in log.read(reader, self.keys, state.last_seq):
            last_seq = seq
            head = heads.get(device, 0)
            rows += 1
            if n > head:
                heads[device] = n
                recount |= n > head + 1
            elif record is not None and record.kind is Kind.HOLE and not whole:
                rows -= 1  # it stands where another row stood
            else:
                recount = True
            if record is None:
                problems["record-unreadable"] += 1
            else:
                records.append(record)
        if recount:
            tallies = log.tallies(reader).values()
            problems["gap"] = sum(tally.missing for tally in tallies)
            problems["forked"] = sum(tally.doubled for tally in tallies)
        state.heads, state.problems, state.rows, state.last_seq = heads, problems, rows, last_seq
        state.apply(records)

    # -- the mark --------------------------------------------------------------------------------------------------

    def load(self, *, created: bool, accept: bool) -> None:
        """The first reading and the comparison with the mark; with `accept`, whatever the mark says is overruled."""
        with self.connections.read_lock:
            try:
                self.refresh()
            except LedgerUnavailable as error:
                # A mark proves that a ledger was here: what cannot be recognised now was damaged.
                if error.code == "not-a-ledger" and self.marks is not None and self.marks.exists_here():
                    raise LedgerUnavailable.because("damaged") from None
                raise
            if self.marks is not None:
                self._compare(self.marks, created, accept)

    def _compare(self, marks: MarkFile, created: bool, accept: bool) -> None:
        if accept:
            marks.forget_place()
            self.draw_device("accepted")
            return
        keys = self.keys
        if marks.is_of_another(keys.vault):
            raise LedgerUnavailable.because("replaced")
        found = mark.load(marks.path(keys.vault), keys)
        elsewhere = marks.elsewhere(keys) if found is None else []
        # Caught up after the mark was read: another process may have written, and raised the mark, in between.
        state = self.refresh()
        for one in (found, *elsewhere):
            if one is not None and one.is_ahead_of(keys.epoch, state.heads):
                raise LedgerUnavailable.because("rolled-back" if state.rows else "emptied")
        if found is None:
            self.draw_device("created" if created else "moved" if elsewhere else None, anew=False)
        elif self._is_forked(found.device):
            self.draw_device("forked")
        else:
            self.device, self.mark_state = found.device, "created" if created else "kept"

    def draw_device(self, reason: str | None, anew: bool = True) -> None:
        """A new device id with a new mark, so that no position is used twice.

        `reason` becomes the mark's state; None: what its file is found to be. Without `anew`, a mark that another
        process made in the meantime is shared.
        """
        self.device, self.mark_state = mark.new_device(), reason or "new"
        if self.marks is None:
            return
        path = self.marks.path(self.keys.vault)
        try:
            self.device, found = mark.start(path, self.keys, self.state.heads, self.marks.real, anew=anew)
        except OSError:
            self.mark_state = "unwritable"
        else:
            self.mark_state = reason or found

    def _is_forked(self, device: bytes) -> bool:
        with translating():
            return bool(self.state.problems["forked"]) and log.tally(self.connections.reader(), device).doubled > 0
