"""The review ring: sealed candidates that were dropped or held, for their owner to look at and undo.

1. It is local: no export, no merge, and erased with the entry that it belongs to.
2. A dropped candidate never pushes out a held one: a held one is stored nowhere else. Where only held ones are left,
   the new one is refused, and the caller learns that it was not kept.
3. Each item is sealed for its place in this vault.
"""

from __future__ import annotations

import secrets
import sqlite3
import struct
import time
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from forgetguard.errors import InvalidInput, UnknownEntry
from forgetguard.ledger.core import Core
from forgetguard.ledger.header import Secrets
from forgetguard.ledger.records import ORIGIN_CLASSES, padded_size, without_lone_surrogates
from forgetguard.ledger.sealing import seal, unseal
from forgetguard.values import Action, Candidate, Origin, Vector

DROP: Final = "drop"
HOLD: Final = "hold"
_VERDICTS: Final = (DROP, HOLD)
_ACTIONS: Final = tuple(Action)

# verdict, action, flags, origin class | item id, at, observed at, scale | then 9 length-prefixed strings
_PREFIX: Final = struct.Struct("<BBBB16sddd")
_LENGTH: Final = struct.Struct("<I")
_HAS_ORIGIN: Final = 1
_HAS_VECTOR: Final = 2
_HAS_TARGET: Final = 4


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A candidate that was not stored: `action` is `drop` or `hold`, `entry_id` the forgotten entry that it restates.

    `reason` is the code of the rule, `at` the time in Unix seconds, `id` random; both are filled in when it is added.
    """

    action: str
    candidate: Candidate = field(repr=False)
    entry_id: str = ""
    reason: str = ""
    at: float = 0.0
    id: str = ""

    @property
    def text(self) -> str:
        """The candidate's text."""
        return self.candidate.text


class ReviewRing:
    """The items of one ledger, oldest first. `size` 0 keeps none."""

    def __init__(self, core: Core, size: int) -> None:
        if size < 0:
            raise InvalidInput("the size of the review queue is negative")
        self.size = size
        self.unrecorded = 0
        self._core = core

    def add(self, item: ReviewItem) -> ReviewItem | None:
        """Keep an item, durably; the item with its id and time, or None where it was not kept (no place, or size 0).

        Raises LedgerUnavailable, LedgerFull (no disk space). Everything that was not kept is counted in `unrecorded`.
        """
        filled = replace(item, id=secrets.token_hex(16), at=item.at or time.time())
        try:
            kept = self._add(filled)
        except BaseException:
            self.unrecorded += 1
            raise
        self.unrecorded += not kept
        return filled if kept else None

    def list(self) -> tuple[ReviewItem, ...]:
        """Every item that opens, oldest first. Raises LedgerUnavailable."""
        with self._core.snapshot() as reader:
            return tuple(item for _, item in _read(reader, self._core.keys) if item is not None)

    def get(self, item: str) -> ReviewItem:
        """The item of this id. Raises UnknownEntry."""
        for one in self.list():
            if one.id == item:
                return one
        raise UnknownEntry("no item in the review queue has this id")

    def remove(self, item: str) -> None:
        """Drop one item: it was handed back or looked at. Raises UnknownEntry, LedgerUnavailable."""
        with self._core.writing() as transaction:
            for seq, one in _read(transaction.connection, transaction.keys):
                if one is not None and one.id == item:
                    transaction.connection.execute("DELETE FROM review WHERE seq = ?", (seq,))
                    return
            raise UnknownEntry("no item in the review queue has this id")

    def counts(self) -> dict[str, int]:
        """Items per entry id, most first: an entry that catches too much stands at the top."""
        return dict(Counter(item.entry_id for item in self.list()).most_common())

    def unreadable(self) -> int:
        """How many items do not open."""
        with self._core.snapshot() as reader:
            return sum(item is None for _, item in _read(reader, self._core.keys))

    def _add(self, item: ReviewItem) -> bool:
        body = encode_item(item)
        if self.size == 0:
            return False
        with self._core.writing() as transaction:
            connection, keys = transaction.connection, transaction.keys
            surplus = connection.execute("SELECT count(*) FROM review").fetchone()[0] - self.size + 1
            if surplus > 0:
                spare = [seq for seq, one in _read(connection, keys) if one is None or one.action == DROP]
                if len(spare) < surplus:
                    return False
                connection.executemany("DELETE FROM review WHERE seq = ?", [(seq,) for seq in spare[:surplus]])
            seq = _next_seq(connection)
            sealed = seal(keys.key("review"), body, _associated(keys, seq))
            connection.execute("INSERT INTO review (seq, sealed) VALUES (?, ?)", (seq, sealed))
        return True


def remove_of(connection: sqlite3.Connection, keys: Secrets, entries: Collection[str]) -> None:
    """Delete the items that belong to these entries, inside a write transaction."""
    for seq, item in list(_read(connection, keys)):
        if item is not None and item.entry_id in entries:
            connection.execute("DELETE FROM review WHERE seq = ?", (seq,))


def reseal(connection: sqlite3.Connection, old: Secrets, new: Secrets) -> None:
    """Seal every item that opens under other secrets, inside a write transaction."""
    for seq, item in list(_read(connection, old)):
        if item is not None:
            sealed = seal(new.key("review"), encode_item(item), _associated(new, seq))
            connection.execute("UPDATE review SET sealed = ? WHERE seq = ?", (sealed, seq))


def _next_seq(connection: sqlite3.Connection) -> int:
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'review'").fetchone()
    return int(row[0]) + 1 if row is not None else 1


def _associated(keys: Secrets, seq: int) -> bytes:
    return keys.context() + b"review" + seq.to_bytes(8, "little")


def _read(connection: sqlite3.Connection, keys: Secrets) -> Iterator[tuple[int, ReviewItem | None]]:
    key = keys.key("review")
    for seq, sealed in connection.execute("SELECT seq, sealed FROM review ORDER BY seq").fetchall():
        body = unseal(key, sealed, _associated(keys, seq)) if seq >= 0 else None
        yield seq, None if body is None else decode_item(body)


def encode_item(item: ReviewItem) -> bytes:
    """The padded body of an item. Raises InvalidInput where a field does not fit the layout."""
    try:
        return _encode_item(item)
    except (struct.error, AttributeError, TypeError, ValueError, OverflowError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput("a field of a candidate cannot be kept for review") from None


def _encode_item(item: ReviewItem) -> bytes:
    if item.action not in _VERDICTS:
        raise InvalidInput("an item in the review queue is dropped or held")
    candidate = item.candidate
    origin, vector, target = candidate.origin or Origin(), candidate.vector, candidate.target
    flags = (
        (_HAS_ORIGIN if candidate.origin is not None else 0)
        | (_HAS_VECTOR if vector is not None else 0)
        | (_HAS_TARGET if target is not None else 0)
    )
    prefix = _PREFIX.pack(
        _VERDICTS.index(item.action),
        _ACTIONS.index(candidate.action),
        flags,
        ORIGIN_CLASSES.index(origin.origin_class),
        bytes.fromhex(item.id),
        item.at,
        origin.observed_at,
        vector.scale if vector is not None else 0.0,
    )
    names: tuple[str, ...] = (
        item.entry_id,
        item.reason,
        target or "",
        origin.agent_id,
        origin.session_id,
        origin.session_key,
    )
    names += (vector.model if vector is not None else "", item.text)
    pieces = [without_lone_surrogates(one).encode("utf-8") for one in names]
    pieces.append(vector.values if vector is not None else b"")
    body = prefix + b"".join(_LENGTH.pack(len(piece)) + piece for piece in pieces)
    return body.ljust(padded_size(len(body)), b"\0")


def decode_item(body: bytes) -> ReviewItem | None:
    """The item in a body, or None where it is not one that this format writes."""
    try:
        verdict, action, flags, origin_class, raw, at, observed_at, scale = _PREFIX.unpack_from(body)
        pieces, position = [], _PREFIX.size
        for _ in range(9):
            (length,) = _LENGTH.unpack_from(body, position)
            pieces.append(body[position + 4 : position + 4 + length])
            position += 4 + length
        if len(body) != padded_size(position):
            return None
        entry, reason, target, agent, session, key, model, text = (piece.decode("utf-8") for piece in pieces[:8])
        origin = Origin(agent, session, key, ORIGIN_CLASSES[origin_class], observed_at) if flags & _HAS_ORIGIN else None
        vector = Vector(pieces[8], scale, model) if flags & _HAS_VECTOR else None
        candidate = Candidate(text, _ACTIONS[action], origin, vector, target if flags & _HAS_TARGET else None)
        return ReviewItem(_VERDICTS[verdict], candidate, entry, reason, at, raw.hex())
    except (struct.error, ValueError, IndexError):
        return None
