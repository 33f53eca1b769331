"""The state of a ledger: the fold of its records.

Order never matters, so merging can never disagree: an entry is active once its *forget* was seen, unless any record
released, aborted or erased it; it is pending until any record commits it. Its embedding is that of the *vector* record
with the highest revision; of two with one revision the greater model id counts, and then the greater vector.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from forgetguard.ledger.records import Kind, Record
from forgetguard.values import Entry, Vector

Rank = tuple[int, str, float, bytes]
"""How an embedding is placed among several of one entry: revision, model, scale, values."""

JOURNAL_CHANGES: Final = 10_000  # changes kept for `since`; whoever is further behind reads everything


@dataclass(frozen=True, slots=True)
class Delta:
    """What changed in the active entries up to `version`.

    First drop the ids in `removed`, then add `added`; an entry that became committed is in both. Where `whole` is true,
    `added` is everything and whatever was known before is to be dropped.
    """

    version: int
    added: tuple[Entry, ...]
    removed: tuple[str, ...]
    whole: bool = False


class State:
    """What the records seen so far amount to. Not thread-safe: its owner holds a lock."""

    def __init__(self, version: int = 0) -> None:
        self.version = version
        self.heads: dict[bytes, int] = {}
        self.rows = 0
        self.last_seq = 0
        self.problems: Counter[str] = Counter()
        self.released: set[bytes] = set()
        self.aborted: set[bytes] = set()
        self.erased: set[bytes] = set()
        self._active: dict[bytes, Entry] = {}
        self._committed_early: set[bytes] = set()
        self._pending: set[bytes] = set()
        self._vectors: dict[bytes, tuple[Rank, Vector]] = {}
        self._journal: list[tuple[int, tuple[Entry, ...], tuple[str, ...]]] = []
        self._journal_start = version
        self._journal_size = 0
        self._listing: tuple[Entry, ...] | None = None

    def entries(self) -> tuple[Entry, ...]:
        """The active entries in ledger order; the same tuple until something changes."""
        if self._listing is None:
            self._listing = tuple(self._active.values())
        return self._listing

    def active_count(self) -> int:
        """How many entries are active."""
        return len(self._active)

    def get(self, entry: bytes) -> Entry | None:
        """The active entry of this id."""
        return self._active.get(entry)

    def pending(self) -> tuple[Entry, ...]:
        """The active entries that were not committed, in ledger order."""
        return tuple(self._active[one] for one in self._active if one in self._pending) if self._pending else ()

    def is_pending(self, entry: bytes) -> bool:
        """Whether this entry is active and was not committed."""
        return entry in self._pending

    def revision(self, entry: bytes) -> int:
        """How often the entry was embedded anew, as far as the records tell; 0 for the vector of its *forget*."""
        found = self._vectors.get(entry)
        return found[0][0] if found is not None else 0

    def knows(self, entry: bytes) -> bool:
        """Whether this id was ever forgotten here, and its content may be spoken of (erased ones are gone)."""
        return entry in self._active or entry in self.released or entry in self.aborted

    def since(self, version: int) -> Delta:
        """What changed after `version`."""
        if version == self.version:
            return Delta(version, (), ())
        if not self._journal_start <= version < self.version:
            return Delta(self.version, self.entries(), (), whole=True)
        added: dict[str, Entry] = {}
        removed: dict[str, None] = {}
        for at, more, fewer in self._journal:
            if at <= version:
                continue
            for one in fewer:
                if added.pop(one, None) is None:
                    removed[one] = None
            added.update((entry.id, entry) for entry in more)
        return Delta(self.version, tuple(added.values()), tuple(removed))

    def apply(self, records: Iterable[Record]) -> None:
        """Fold in records that were not seen before; `version` moves if the active entries changed."""
        forgets: dict[bytes, Record] = {}
        committed: list[bytes] = []
        ended: list[bytes] = []
        vectors: list[Record] = []
        erased = False
        for record in records:
            kind = record.kind
            if kind == Kind.FORGET:
                forgets[record.entry] = record
                continue
            if kind == Kind.VECTOR:
                vectors.append(record)
                continue
            if kind == Kind.HOLE:
                kind = Kind(record.replaced) if record.replaced else Kind.HOLE
            if kind == Kind.COMMIT:
                committed += record.ids
            elif kind == Kind.ABORT:
                self.aborted.update(record.ids)
                ended += record.ids
            elif kind == Kind.RELEASE:
                self.released.update(record.ids)
                ended += record.ids
            elif kind == Kind.ERASE:
                self.erased.update(record.ids)
                ended += record.ids
                erased = True
        changed = self._embed(vectors)
        self._settle(forgets, committed, ended, changed, erased)

    def _embed(self, records: Iterable[Record]) -> set[bytes]:
        """Keep the embedding with the highest rank of each entry; the entries that got another one."""
        changed: set[bytes] = set()
        for record in records:
            one, vector = record.entry, record.vector
            if one in self.erased:
                self.problems["erased-returned"] += 1
            elif vector is not None and one not in self.released and one not in self.aborted:
                rank = (record.revision, vector.model, vector.scale, vector.values)
                known = self._vectors.get(one)
                if known is None or rank > known[0]:
                    self._vectors[one] = (rank, vector)
                    changed.add(one)
        return changed

    def _settle(
        self,
        forgets: dict[bytes, Record],
        committed: list[bytes],
        ended: list[bytes],
        embedded: set[bytes],
        erased: bool,
    ) -> None:
        added: dict[bytes, Entry] = {}
        removed: dict[bytes, None] = {}
        active, pending, early = self._active, self._pending, self._committed_early
        early.update(committed)
        for one in ended:
            self._vectors.pop(one, None)
            embedded.discard(one)
            if active.pop(one, None) is not None:
                pending.discard(one)
                removed[one] = None
        for one, record in forgets.items():
            if one in self.erased:
                # At rest such a row is a hole; its content was put back, by a merge or by hand.
                self.problems["erased-returned"] += 1
                continue
            if one in active or one in self.released or one in self.aborted:
                continue
            is_pending = one not in early
            if is_pending:
                pending.add(one)
            vector = self._vectors[one][1] if one in self._vectors else record.vector
            entry = Entry(record.text, one.hex(), vector, record.time, is_pending, record.reason, record.origin)
            active[one] = added[one] = entry
        for one in embedded:
            known = active.get(one)
            if known is not None and known.vector != self._vectors[one][1]:
                active[one] = added[one] = replace(known, vector=self._vectors[one][1])
                removed[one] = None
        for one in committed:
            known = active.get(one)
            if known is None:
                continue
            early.discard(one)
            if one in pending:
                pending.discard(one)
                active[one] = added[one] = replace(known, pending=False)
                removed[one] = None
        if added or removed:
            self._note(tuple(added.values()), tuple(one.hex() for one in removed))
        if erased:
            # The journal holds entries with their text. Nothing of an erased one stays, here or on disk.
            self._journal.clear()
            self._journal_size = 0
            self._journal_start = self.version

    def _note(self, added: tuple[Entry, ...], removed: tuple[str, ...]) -> None:
        self.version += 1
        self._listing = None
        self._journal.append((self.version, added, removed))
        self._journal_size += len(added) + len(removed)
        while self._journal and self._journal_size > JOURNAL_CHANGES:
            start, more, fewer = self._journal.pop(0)
            self._journal_start = start
            self._journal_size -= len(more) + len(fewer)
