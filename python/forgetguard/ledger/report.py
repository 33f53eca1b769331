"""What can be said about a ledger without saying what is in it: its status, and whether all of it verifies."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from forgetguard.errors import LedgerUnavailable
from forgetguard.ledger import log, mark
from forgetguard.ledger.core import Core
from forgetguard.ledger.database import erasing_waits, open_checked, translating
from forgetguard.ledger.header import FORMAT, Header, Secrets
from forgetguard.ledger.records import Kind, decode, is_canonical
from forgetguard.ledger.review import DROP, HOLD, ReviewRing
from forgetguard.ledger.sealing import unseal

OK: Final = "ok"
WRONG: Final = "wrong"
UNKNOWN: Final = "unknown"

# What keeps a verification from being able to tell, as against what is wrong.
CANNOT_TELL: Final = frozenset(
    {"mark-none", "mark-new", "mark-moved", "mark-unwritable", "mark-lost", "locked", "unreadable", "io", "wrong-key"}
    | {"newer-format", "unsupported-filesystem", "unsupported-sqlite", "not-a-ledger"}
)


@dataclass(frozen=True, slots=True)
class LedgerStatus:
    """Counts, codes and ages (seconds); no text, no ids but the vault's random one."""

    vault: str
    format: int
    epoch: int
    key: str
    active: int
    pending: int
    oldest_pending: float | None
    past_age: int
    records: int
    devices: int
    dropped: int
    held: int
    oldest_held: float | None
    unrecorded: int
    mark: str
    erase_waits: bool
    rekey_unfinished: bool
    max_entries: int | None
    problems: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verification:
    """`outcome` is ok, wrong or unknown; `problems` says how often each code was met."""

    outcome: str
    problems: Mapping[str, int]
    records: int = 0

    @property
    def exit_code(self) -> int:
        """0 ok, 1 wrong, 3 cannot tell."""
        return {OK: 0, WRONG: 1}.get(self.outcome, 3)

    @classmethod
    def of(cls, problems: Mapping[str, int], records: int = 0) -> Verification:
        """The outcome that these problems amount to."""
        met = {code: count for code, count in problems.items() if count}
        outcome = OK if not met else UNKNOWN if set(met) <= CANNOT_TELL else WRONG
        return cls(outcome, dict(sorted(met.items())), records)


def status(core: Core, review: ReviewRing, max_entries: int | None, max_age: float | None) -> LedgerStatus:
    """The status at this moment. Raises LedgerUnavailable."""
    now = time.time()
    items = review.list()
    held = [item for item in items if item.action == HOLD]
    with core.snapshot() as reader:
        state, header = core.state, core.header
        pending = state.pending()
        problems = {code: count for code, count in sorted(state.problems.items()) if count}
        unreadable = reader.execute("SELECT count(*) FROM review").fetchone()[0] - len(items)
        if unreadable > 0:
            problems["review-unreadable"] = unreadable
        old = 0 if max_age is None else sum(now - entry.forgotten_at > max_age for entry in state.entries())
        return LedgerStatus(
            vault=header.vault.hex(),
            format=FORMAT,
            epoch=header.epoch,
            key=header.wrap.kdf,
            active=state.active_count(),
            pending=len(pending),
            oldest_pending=max((now - entry.forgotten_at for entry in pending), default=None),
            past_age=old,
            records=state.rows,
            devices=len(state.heads),
            dropped=sum(item.action == DROP for item in items),
            held=len(held),
            oldest_held=max((now - item.at for item in held), default=None),
            unrecorded=review.unrecorded,
            mark=core.mark_state,
            erase_waits=erasing_waits(reader),
            rekey_unfinished=header.next_wrap is not None,
            max_entries=max_entries,
            problems=problems,
        )


def verify(core: Core, review: ReviewRing) -> Verification:
    """Read everything again by a connection of its own: pages, header, records, contiguity, forks, review, mark."""
    problems: Counter[str] = Counter()
    records = 0
    try:
        with core.connections.read_lock:
            core.refresh()
        # Before the file: what another process writes meanwhile must not look as if the mark were ahead.
        marked = mark.load(core.marks.path(core.keys.vault), core.keys) if core.marks is not None else None
        with translating():
            connection = open_checked(core.path, core.connections.wait)
            try:
                connection.execute("BEGIN")
                if connection.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
                    problems["pages"] += 1
                row = log.read_header(connection)
                if row is None:
                    raise LedgerUnavailable.because("emptied")
                header = Header.from_row(row)
                keys = core.keys if header.epoch == core.keys.epoch else core.unlock(header)
                header.verify(keys)
                records = _verify_records(connection, keys, problems)
                tallies = log.tallies(connection)
            finally:
                connection.close()
        problems["gap"] += sum(tally.missing for tally in tallies.values())
        problems["forked"] += sum(tally.doubled for tally in tallies.values())
        problems["review-unreadable"] += review.unreadable()
        problems += _verify_mark(core, marked, {device: tally.head for device, tally in tallies.items()})
    except LedgerUnavailable as error:
        problems[error.code] += 1
    return Verification.of(problems, records)


def failed(error: LedgerUnavailable) -> Verification:
    """The verification of a ledger that does not even open."""
    return Verification.of({error.code: 1})


def _verify_records(connection: sqlite3.Connection, keys: Secrets, problems: Counter[str]) -> int:
    key, context = keys.key("record"), keys.context()
    erased: set[bytes] = set()
    forgotten: set[bytes] = set()
    count = 0
    for device, n, rid, sealed in connection.execute("SELECT device, n, rid, sealed FROM log ORDER BY seq"):
        count += 1
        at = log.Position(device, n, rid)
        body = unseal(key, sealed, log.associated(context, device, n, rid)) if at.is_sane() else None
        record = None if body is None else decode(body)
        if record is None or body is None:
            problems["record-unreadable"] += 1
            continue
        if not is_canonical(record, body):
            problems["record-irregular"] += 1
        if record.kind is Kind.ERASE:
            erased.update(record.ids)
        elif record.kind in (Kind.FORGET, Kind.VECTOR):
            forgotten.add(record.entry)
    problems["erased-returned"] += len(erased & forgotten)
    return count


def _verify_mark(core: Core, found: mark.Mark | None, heads: Mapping[bytes, int]) -> Counter[str]:
    if core.marks is None:
        return Counter({"mark-none": 1})
    if core.mark_state in ("new", "moved", "unwritable", "damaged"):
        return Counter({f"mark-{core.mark_state}": 1})
    if found is None:
        return Counter({"mark-lost": 1})
    return Counter({"rolled-back": 1} if found.is_ahead_of(core.keys.epoch, heads) else {})
