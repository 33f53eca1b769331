"""The ledger of one vault: what was forgotten, durable and sealed.

Guarantees (each has a test that fails when it is broken)
1. What was acknowledged is on disk: every write is synced before the call returns, or it raises and changed nothing.
2. Missing, replaced, wrong key, damaged, rolled back, emptied: each raises `LedgerUnavailable` with its own code, on
   opening and at every later call. None is ever taken for an empty ledger, and none is repaired in silence.
3. Records are sealed one by one for their position in their vault: none can be read, made, altered, moved or replayed
   without the key; a removed one leaves a gap; a cut tail shows against the mark.
4. One record that does not open leaves the others readable and is counted in `status()`.
5. A call sees what any process acknowledged before it.

Not guaranteed: anything against a process that holds the key; the hiding of sizes, counts and times of writes; copies
of old files, and an older copy put back together with its mark.
"""

from __future__ import annotations

import os
import pathlib
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from forgetguard.directories import alone_in
from forgetguard.errors import InvalidInput, LedgerFull, LedgerUnavailable, Refused, UnknownEntry
from forgetguard.keys import KeySource
from forgetguard.ledger import holes, place
from forgetguard.ledger.core import Core
from forgetguard.ledger.creation import create_vault
from forgetguard.ledger.fold import Delta, State
from forgetguard.ledger.mark import DEFAULT, DefaultMark, MarkFile
from forgetguard.ledger.records import Fact, Kind, Record, clean_text, id_bytes
from forgetguard.ledger.review import ReviewRing
from forgetguard.values import Entry, Origin, Vector

if TYPE_CHECKING:
    from forgetguard.ledger import report, transfer

# What few calls need is imported by those: a command hook opens a ledger once for every tool call of its host.

DEFAULT_REVIEW_SIZE: Final = 200
DEFAULT_WAIT: Final = 5.0

Path = str | os.PathLike[str]
Mark = Path | DefaultMark | None


class Ledger:
    """An open ledger. Safe to share between threads, usable on both sides of a fork, a context manager.

    Made by `open`, `restore` or `accept_loss`.
    """

    def __init__(
        self, core: Core, *, max_entries: int | None, max_age: float | None, review_size: int, created: bool = False
    ) -> None:
        self.created = created
        """Whether this very opening made the ledger."""
        self._core = core
        self._review = ReviewRing(core, review_size)
        self.max_entries = max_entries
        self.max_age = max_age

    @classmethod
    def open(
        cls,
        path: Path,
        key: KeySource,
        *,
        create: bool = False,
        mark: Mark = DEFAULT,
        max_entries: int | None = None,
        max_age: float | None = None,
        review_size: int = DEFAULT_REVIEW_SIZE,
        wait: float = DEFAULT_WAIT,
        allow_filesystem: bool = False,
    ) -> Self:
        """Open the ledger at `path`; with `create`, make one where neither a file nor a mark tells of an earlier one.

        `mark`: by default a file in the user's state directory; a path of the host's; or None, which gives up noticing
        an older copy. `max_entries` refuses a forget beyond it, `max_age` (seconds) only reports. `review_size`: most
        items in the review queue, 0 for none. `wait`: seconds to wait for other processes. `allow_filesystem`: also
        where SQLite's locks cannot be trusted. Raises LedgerUnavailable, InvalidKey.
        """
        name, marks = _place(path, mark, allow_filesystem)
        created = False
        if not place.exists(name):
            traces = any(map(place.exists, place.side_files(name))) or (marks is not None and marks.exists_here())
            # The traces may be those of a process that has made it meanwhile: they come after the file.
            if not create or (traces and not place.exists(name)):
                raise LedgerUnavailable.because("missing")
            if not traces:
                created = _made(name, key, marks)
        core = _opened(name, key, marks, wait, created=created)
        return cls(core, max_entries=max_entries, max_age=max_age, review_size=review_size, created=created)

    @classmethod
    def accept_loss(
        cls,
        path: Path,
        key: KeySource,
        *,
        mark: Mark = DEFAULT,
        wait: float = DEFAULT_WAIT,
        allow_filesystem: bool = False,
    ) -> Self:
        """Go on with what is there, or with nothing: the only way out of missing, replaced, rolled-back and emptied.

        What opens with the key is kept, under a new device id. What does not open at all is renamed (`.lost-<time>`),
        never deleted, and a new vault is made. Every other cause is raised again: a wrong key is not a loss.
        """
        name, marks = _place(path, mark, allow_filesystem)
        # Alone: what one process has just made anew must not be set aside by another one that saw the loss too.
        with alone_in(pathlib.Path(name).parent):
            try:
                core = _opened(name, key, marks, wait, accept=True)
            except LedgerUnavailable as error:
                lost = error.code in ("missing", "emptied", "damaged")
                if not lost and not (error.code == "not-a-ledger" and marks is not None and marks.exists_here()):
                    raise
                place.set_aside(name)
                if marks is not None:
                    marks.forget_place()
                create_vault(name, key, marks)
                core = _opened(name, key, marks, wait, created=True)
        return cls(core, max_entries=None, max_age=None, review_size=DEFAULT_REVIEW_SIZE)

    @classmethod
    def restore(
        cls,
        segment: Path,
        path: Path,
        key: KeySource,
        *,
        accept_loss: bool = False,
        mark: Mark = DEFAULT,
        wait: float = DEFAULT_WAIT,
        allow_filesystem: bool = False,
    ) -> Self:
        """Bring an export back to a path where no ledger stands. What was forgotten after the export is not in it.

        That is why it needs `accept_loss=True`, and a new device id is drawn. Raises Refused (`restore-needs-consent`,
        `ledger-exists`), InvalidInput (`no-export`, `not-an-export`), LedgerUnavailable.
        """
        if not accept_loss:
            raise Refused(
                "whatever was forgotten after the export comes back",
                code="restore-needs-consent",
                advice="If that is accepted, repeat with accept_loss=True (`--yes`).",
            )
        name, marks = _place(path, mark, allow_filesystem)
        from forgetguard.ledger import transfer

        transfer.restore(pathlib.Path(segment), name, key)
        core = _opened(name, key, marks, wait, accept=True)
        return cls(core, max_entries=None, max_age=None, review_size=DEFAULT_REVIEW_SIZE)

    @classmethod
    def inspect(
        cls,
        path: Path,
        key: KeySource,
        *,
        mark: Mark = DEFAULT,
        wait: float = DEFAULT_WAIT,
        allow_filesystem: bool = False,
    ) -> report.Verification:
        """`verify` for a ledger that is not open; one that does not open is an answer too, and not an error."""
        try:
            with cls.open(path, key, mark=mark, wait=wait, allow_filesystem=allow_filesystem) as ledger:
                return ledger.verify()
        except LedgerUnavailable as error:
            from forgetguard.ledger import report

            return report.failed(error)

    # -- reading ---------------------------------------------------------------------------------------------------

    def entries(self) -> tuple[Entry, ...]:
        """The active entries in ledger order; the same tuple until something changes. Raises LedgerUnavailable."""
        core = self._core
        with core.connections.read_lock:
            return core.refresh().entries()

    @property
    def version(self) -> int:
        """A number that moves exactly when `entries()` changed. Raises LedgerUnavailable."""
        core = self._core
        with core.connections.read_lock:
            return core.refresh().version

    def entries_since(self, version: int) -> Delta:
        """What changed since `version`, for an index that is kept up to date. Raises LedgerUnavailable."""
        with self._core.connections.read_lock:
            return self._core.refresh().since(version)

    def pending(self) -> tuple[Entry, ...]:
        """The entries whose *commit* or *abort* never came, oldest record first; their age is `now - forgotten_at`.

        They count as forgotten until their owner decides. Raises LedgerUnavailable.
        """
        with self._core.connections.read_lock:
            return self._core.refresh().pending()

    def entry(self, entry: str) -> Entry:
        """The active entry of this id. Raises UnknownEntry, LedgerUnavailable."""
        (raw,) = _raw_ids((entry,))
        with self._core.connections.read_lock:
            found = self._core.refresh().get(raw)
        if found is None:
            raise UnknownEntry("no forgotten fact has this id")
        return found

    @property
    def review(self) -> ReviewRing:
        """The candidates that were dropped or held."""
        return self._review

    def status(self) -> report.LedgerStatus:
        """Counts, codes and ages; no text. Raises LedgerUnavailable."""
        from forgetguard.ledger import report

        return report.status(self._core, self._review, self.max_entries, self.max_age)

    def verify(self) -> report.Verification:
        """Read everything again and say whether it holds: every record, contiguity, forks, review, mark."""
        from forgetguard.ledger import report

        return report.verify(self._core, self._review)

    # -- writing ---------------------------------------------------------------------------------------------------

    def intend(self, facts: Sequence[Fact], reason: str = "user", origin: Origin | None = None) -> tuple[str, ...]:
        """Write down, durably and in one transaction, what is about to be deleted; the new entries' ids.

        They are active from now on, and pending until `commit` or `abort`. Raises InvalidText, InvalidVector,
        LedgerFull, LedgerUnavailable; then nothing was written.
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
        raw = _raw_ids(ids)
        if dry_run:
            with self._core.connections.read_lock:
                return _hex(_active(self._core.refresh(), raw))
        with self._core.writing() as transaction:
            chosen = _active(transaction.state, raw)
            if chosen:
                transaction.append([Record(Kind.RELEASE, time.time(), ids=chosen)])
        return _hex(chosen)

    def embed(self, vectors: Mapping[str, Vector]) -> int:
        """Give active entries another embedding each, in one transaction; how many got one.

        The text stays, and the older vector counts no more. Entries that are no longer active, and those that have this
        very vector, are left alone. Raises InvalidVector, LedgerUnavailable; then nothing was written.
        """
        raw = dict(zip(_raw_ids(tuple(vectors)), vectors.values(), strict=True))
        with self._core.writing() as transaction:
            state, now = transaction.state, time.time()
            records = [
                Record(Kind.VECTOR, now, one, vector=vector, revision=state.revision(one) + 1)
                for one, vector in raw.items()
                if (entry := state.get(one)) is not None and entry.vector != vector
            ]
            if records:
                transaction.append(records)
        return len(records)

    def erase(self, ids: Sequence[str]) -> str:
        """End the protection of these entries and destroy every byte about them; `done`, or `pending` if others read.

        A pending one is finished at the next opening. Raises UnknownEntry, LedgerUnavailable.
        """
        return holes.erase(self._core, _raw_ids(ids))

    # -- the whole ledger ------------------------------------------------------------------------------------------

    def rekey(self, key: KeySource, new_root: bool = False, confirm: Callable[[], None] | None = None) -> str:
        """Change the key; with `new_root`, seal every record anew: old copies and the old key reach nothing new.

        `confirm` is called when the new key is known to work and the old one still does (store the new key there); if
        it raises, the old key stays. Keep the old key until this returns. `done`, or `pending` while another process
        keeps the old bytes alive. Raises LedgerUnavailable.
        """
        from forgetguard.ledger import rekeying

        return (rekeying.new_root if new_root else rekeying.rekey)(self._core, key, confirm)

    def export(self, path: Path) -> int:
        """Write one sealed segment, all but the review queue; the number of records. Raises LedgerUnavailable."""
        from forgetguard.ledger import transfer

        return transfer.export(self._core, pathlib.Path(path))

    def merge(self, segment: Path) -> transfer.Merged:
        """Take in what a segment of this vault holds. Raises InvalidInput, LedgerUnavailable; then nothing changed."""
        from forgetguard.ledger import transfer

        return transfer.merge(self._core, pathlib.Path(segment))

    # -- life ------------------------------------------------------------------------------------------------------

    @property
    def path(self) -> str:
        """Where the file is."""
        return self._core.path

    @property
    def vault(self) -> str:
        """The random id of the vault, as hex."""
        return self._core.keys.vault.hex()

    def close(self) -> None:
        """Close the file. Every later call raises LedgerUnavailable (`closed`)."""
        self._core.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Ledger {'closed' if self._core.closed else 'open'}, {self._core.state.active_count()} entries>"

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
        if committed:
            records.append(Record(Kind.COMMIT, now, ids=ids))
        with self._core.writing() as transaction:
            active = transaction.state.active_count()
            if self.max_entries is not None and active + len(ids) > self.max_entries:
                raise LedgerFull("the ledger holds as many entries as it may; nothing was written")
            transaction.append(records)
        return _hex(ids)

    def _settle(self, kind: Kind, ids: Sequence[str]) -> None:
        raw = _raw_ids(ids)
        with self._core.writing() as transaction:
            state = transaction.state
            active = _active(state, raw)
            chosen = tuple(one for one in active if state.is_pending(one))
            if kind is Kind.ABORT and len(chosen) < len(active):
                raise InvalidInput("an entry is committed already", code="not-pending", advice="Release it instead.")
            if chosen:
                transaction.append([Record(kind, time.time(), ids=chosen)])


def _place(path: Path, mark: Mark, allow_filesystem: bool) -> tuple[str, MarkFile | None]:
    name = os.path.abspath(os.fspath(path))
    if not allow_filesystem and place.unsupported(name):
        raise LedgerUnavailable.because("unsupported-filesystem")
    if mark is None:
        return name, None
    return name, MarkFile(name, None if isinstance(mark, DefaultMark) else mark)


def _made(name: str, key: KeySource, marks: MarkFile | None) -> bool:
    """Make the ledger, unless another process has; whether this one did."""
    directory = pathlib.Path(name).parent
    place.prepare_directory(directory)
    with alone_in(directory):
        return not place.exists(name) and create_vault(name, key, marks)


def _opened(
    name: str, key: KeySource, marks: MarkFile | None, wait: float, *, created: bool = False, accept: bool = False
) -> Core:
    place.check_file(name)
    place.tighten(name)
    core = Core(name, key, marks, wait)
    try:
        core.load(created=created, accept=accept)
        holes.heal(core)
        if (following := core.header.next_wrap) is not None and core.header.opens_with_next_alone(key):
            from forgetguard.ledger import rekeying

            rekeying.promote(core, following)
    except BaseException:
        core.close()
        raise
    return core


def _raw_ids(ids: Sequence[str]) -> tuple[bytes, ...]:
    raw = id_bytes((ids,) if isinstance(ids, str) else ids)
    if raw is None:
        raise UnknownEntry("no forgotten fact has this id")
    return tuple(dict.fromkeys(raw))


def _active(state: State, ids: Sequence[bytes]) -> tuple[bytes, ...]:
    """Those of the ids that are active. Raises UnknownEntry where one was never forgotten here."""
    if not all(map(state.knows, ids)):
        raise UnknownEntry("no forgotten fact has this id")
    return tuple(one for one in ids if state.get(one) is not None)


def _hex(ids: Sequence[bytes]) -> tuple[str, ...]:
    return tuple(one.hex() for one in ids)
