"""Write fixtures/ledger-v1: ledgers of format 1 as this version writes them (ok_*), and what is not taken (fail_*).

    python scripts/build_ledger_fixtures.py

Each file is a gzipped SQLite database; `cases.json` says with which key it opens, why it is there and what is expected.
Every random byte comes from a counter and the clock stands still, so a second run writes the same bytes (with the same
SQLite). Run it again only for a new format: these files prove that later versions still read what this one wrote.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sqlite3
import struct
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from forgetguard.keys import Key, KeySource, Passphrase
from forgetguard.ledger import Fact, Ledger, ReviewItem, log, mark
from forgetguard.ledger.header import Header, Secrets
from forgetguard.ledger.records import BUCKET, PREFIX, Kind, Record, encode
from forgetguard.ledger.sealing import seal
from forgetguard.values import Action, Candidate, Origin, OriginClass, Vector

TARGET = Path(__file__).resolve().parents[1] / "fixtures" / "ledger-v1"
KEY = Key.from_bytes(bytes(range(32)))
NEW_KEY = Key.from_bytes(bytes(range(32, 64)))
WORDS = "correct horse battery staple"
NOW = 1_767_225_600.0  # 2026-01-01

VEGETARIAN = "User is vegetarian"
LISBON = "User lives in Lisbon"


@contextmanager
def reproducible(seed: str) -> Iterator[None]:
    """Random bytes from a counter, and a clock that stands still."""
    counter = 0

    def token_bytes(size: int = 32) -> bytes:
        nonlocal counter
        counter += 1
        return hashlib.shake_256(f"{seed} {counter}".encode()).digest(size)

    with (
        patch("secrets.token_bytes", token_bytes),
        patch("secrets.token_hex", lambda size=32: token_bytes(size).hex()),
        patch("os.urandom", token_bytes),
        patch("time.time", lambda: NOW),
        # The only thing that a mark seals is where the ledger lies: a temporary folder, another one at each run.
        patch("forgetguard.ledger.mark.seal", lambda key, _path, context: seal(key, b"/ledger.db", context)),
    ):
        yield


@dataclass
class Case:
    """One file: how it is made, with what it is opened, and what must come of it."""

    id: str
    why: str
    build: Callable[[Path], None]
    opens: str = "ok"  # or the code of LedgerUnavailable
    texts: list[str] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)
    problems: dict[str, int] = field(default_factory=dict)
    key: dict[str, str] = field(default_factory=lambda: {"raw": KEY.reveal().hex()})
    with_mark: bool = False


def ledger(path: Path, key: KeySource = KEY, **options: Any) -> Ledger:
    """A new ledger with its mark beside it."""
    return Ledger.open(path, key, create=True, mark=path.with_suffix(".mark"), allow_filesystem=True, **options)


def three(path: Path) -> None:
    """Three committed entries of one device, each with its own records."""
    with ledger(path) as made:
        for text in (VEGETARIAN, LISBON, "User has a brother named Rui"):
            made.commit(made.intend([Fact(text)]))


THREE = [VEGETARIAN, LISBON, "User has a brother named Rui"]


def sql(statement: str, *values: object) -> Callable[[Path], None]:
    """Run one statement on a ledger with three entries, as somebody without the key could."""

    def build(path: Path) -> None:
        three(path)
        edit(path, statement, *values)

    return build


def edit(path: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(statement, values)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    connection.close()


def query(path: Path, statement: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


def header_of(path: Path) -> tuple[Header, Secrets]:
    connection = sqlite3.connect(path)
    row = log.read_header(connection)
    connection.close()
    assert row is not None
    header = Header.from_row(row)
    return header, header.unlock(KEY)


def resigned(**changes: object) -> Callable[[Path], None]:
    """Change header fields and compute the SHA-256 anew, which needs no key."""

    def build(path: Path) -> None:
        three(path)
        for name, value in changes.items():
            edit(path, f"UPDATE header SET {name} = ?", value)
        connection = sqlite3.connect(path)
        row = log.read_header(connection)
        connection.close()
        assert row is not None
        cells = dict(zip(log.COLUMNS, row, strict=True))
        edit(path, "UPDATE header SET digest = ?", digest_of(cells))

    return build


def digest_of(cells: dict[str, Any]) -> bytes:
    """The digest as docs/ledger-format.md describes it, written out without the product's own code."""

    def join(*pieces: bytes) -> bytes:
        return b"".join(len(piece).to_bytes(4, "little") + piece for piece in pieces)

    fixed = cells["magic"] + struct.pack("<H", cells["format"]) + cells["vault"] + struct.pack("<I", cells["epoch"])
    wraps = []
    for prefix in ("", "next_"):
        if cells[prefix + "wrapped"] is None:
            continue
        numbers = struct.pack("<II", cells[prefix + "passes"] % 2**32, cells[prefix + "memory_kib"] % 2**32)
        wraps.append(join(cells[prefix + "kdf"].encode(), cells[prefix + "salt"], numbers, cells[prefix + "wrapped"]))
    return hashlib.sha256(join(fixed, *wraps)).digest()


def body(path: Path, make: Callable[[bytes], bytes]) -> None:
    """A fourth record whose body is made by hand, sealed with the right key for the right place."""
    three(path)
    _, keys = header_of(path)
    ((device, n),) = query(path, "SELECT device, max(n) FROM log")
    rid = b"r" * 16
    prefix = PREFIX.pack(1, 0, 2, 0, b"e" * 16, NOW, 0.0, 0, 0, 0, 0, 4, 0, 0.0)
    sealed = seal(keys.key("record"), make(prefix + b"text"), log.associated(keys.context(), device, n + 1, rid))
    edit(path, "INSERT INTO log (device, n, rid, sealed) VALUES (?, ?, ?, ?)", device, n + 1, rid, sealed)


def padded(raw: bytes) -> bytes:
    return raw.ljust(-(-len(raw) // BUCKET) * BUCKET, b"\0")


# -- what is fine ------------------------------------------------------------------------------------------------------


def every_kind(path: Path) -> None:
    origin = Origin("agent-1", "session-1", "agent:main:main", OriginClass.OWNER, NOW - 60)
    with ledger(path) as made:
        one, two, three_, four, five, _ = made.intend(
            [
                Fact(VEGETARIAN, Vector(bytes(range(200, 256)) * 6 + bytes(48), 0.0078125, "all-MiniLM-L6-v2")),
                Fact(LISBON, origin=origin),
                Fact("Inês proposed PgBouncer 🐘 — 接続プール"),
                Fact("aborted"),
                Fact("released"),
                Fact("still open"),
            ],
            reason="owner",
        )
        made.commit([one, two, three_, five])
        made.abort([four])
        made.release([five])


def embedded_anew(path: Path) -> None:
    with ledger(path) as made:
        one, two = made.forget([Fact(VEGETARIAN, Vector(bytes(range(1, 49)), 0.25, "old")), Fact(LISBON)])
        for scale in (0.5, 0.75):
            made.embed(
                {one: Vector(bytes(range(1, 97)), scale, "new"), two: Vector(bytes(range(96, 0, -1)), 1.0, "new")}
            )


def erased(path: Path) -> None:
    with ledger(path) as made:
        one, two, three_ = made.intend([Fact("erased"), Fact(VEGETARIAN), Fact("erased and released")])
        made.commit([one, two, three_])
        made.release([three_])
        made.erase([one, three_])


def reviewed(path: Path) -> None:
    with ledger(path) as made:
        (entry,) = made.forget([Fact(VEGETARIAN)])
        origin = Origin("agent-1", "session-1", "", OriginClass.AGENT, NOW)
        vector = Vector(bytes([1, 255, 127]), 0.5, "tiny")
        candidate = Candidate("User's vegetarian status is outdated", Action.UPDATE, origin, vector, "memory-7")
        made.review.add(ReviewItem("hold", candidate, entry, "anchor"))
        made.review.add(ReviewItem("drop", Candidate("User is a vegetarian"), entry, "subset"))


def two_devices(path: Path) -> None:
    three(path)
    path.with_suffix(".mark").unlink()
    with Ledger.open(path, KEY, mark=path.with_suffix(".mark"), allow_filesystem=True) as made:
        made.forget([Fact("from the second device")])


def passphrase(path: Path) -> None:
    with ledger(path, Passphrase(WORDS, passes=1, memory_kib=8192)) as made:
        made.forget([Fact(VEGETARIAN)])


def two_wraps(path: Path) -> None:
    three(path)
    header, keys = header_of(path)
    connection = sqlite3.connect(path, isolation_level=None)
    log.write_header(connection, header.with_next(keys, NEW_KEY).to_row())
    connection.close()


def second_root(path: Path) -> None:
    with ledger(path) as made:
        made.forget([Fact(VEGETARIAN)])
        made.review.add(ReviewItem("drop", Candidate("User is a vegetarian")))
        made.rekey(NEW_KEY, new_root=True)
        made.forget([Fact(LISBON)])


def long_text(path: Path) -> None:
    with ledger(path) as made:
        made.forget([Fact("x" * 190), Fact("y" * 191), Fact("z" * 192), Fact("long " * 20_000)])


NEW = {"raw": NEW_KEY.reveal().hex()}
OK = [
    Case("ok_empty", "a vault in which nothing was forgotten yet", lambda path: ledger(path).close()),
    Case("ok_three", "three entries of one device", three, texts=THREE),
    Case(
        "ok_every_kind", "forget, commit, abort, release; text, vector, origin, reason; one intent still open",
        every_kind,
        texts=[VEGETARIAN, LISBON, "Inês proposed PgBouncer 🐘 — 接続プール", "still open"], pending=["still open"],
    ),
    Case("ok_embedded_anew", "two entries with another embedding, one of them twice", embedded_anew,
         texts=[VEGETARIAN, LISBON]),
    Case("ok_erased", "holes, one of which keeps what its record said about another entry", erased, texts=[VEGETARIAN]),
    Case("ok_review", "a held and a dropped candidate in the review queue", reviewed, texts=[VEGETARIAN]),
    Case("ok_two_devices", "records of two devices", two_devices, texts=[*THREE, "from the second device"]),
    Case("ok_passphrase", "Argon2id, its salt and cost in the header", passphrase, texts=[VEGETARIAN],
         key={"passphrase": WORDS}),
    Case("ok_two_wraps_old_key", "an unfinished re-keying opens with the old key", two_wraps, texts=THREE),
    Case("ok_two_wraps_new_key", "an unfinished re-keying opens with the new key", two_wraps, texts=THREE, key=NEW),
    Case("ok_second_root", "a new root: every record sealed again in epoch 2", second_root, texts=[VEGETARIAN, LISBON],
         key=NEW),
    Case("ok_long_texts", "texts around the edge of a bucket, and one of 100 kB", long_text,
         texts=["x" * 190, "y" * 191, "z" * 192, "long " * 20_000]),
]  # fmt: skip


# -- what must not be taken --------------------------------------------------------------------------------------------


def swapped(path: Path) -> None:
    three(path)
    (first,), (second,) = query(path, "SELECT sealed FROM log WHERE seq IN (1, 3) ORDER BY seq")
    edit(path, "UPDATE log SET sealed = ? WHERE seq = 1", second)
    edit(path, "UPDATE log SET sealed = ? WHERE seq = 3", first)


def swapped_devices(path: Path) -> None:
    two_devices(path)
    edit(path, "UPDATE log SET device = (SELECT device FROM log WHERE seq = 7), n = 3 WHERE seq = 6")


def of_another_vault(path: Path) -> None:
    three(path)
    other = path.with_name("other.db")
    three(other)
    (row,) = query(other, "SELECT device, n, rid, sealed FROM log WHERE seq = 1")
    edit(path, "UPDATE log SET device = ?, n = ?, rid = ?, sealed = ? WHERE seq = 1", *row)


def replayed(path: Path) -> None:
    three(path)
    edit(path, "INSERT INTO log (device, n, rid, sealed) SELECT device, 7, rid, sealed FROM log WHERE seq = 1")


def duplicated(path: Path) -> None:
    three(path)
    edit(path, "INSERT INTO log (device, n, rid, sealed) SELECT device, n, zeroblob(16), sealed FROM log WHERE seq = 1")


def forked(path: Path) -> None:
    """Two records that both open at one position: the device was cloned."""
    three(path)
    _, keys = header_of(path)
    ((device, n),) = query(path, "SELECT device, n FROM log WHERE seq = 1")
    record = Record(Kind.FORGET, NOW, b"c" * 16, "from the clone")
    other = seal(keys.key("record"), encode(record), log.associated(keys.context(), device, n, b"s" * 16))
    edit(path, "INSERT INTO log (device, n, rid, sealed) VALUES (?, ?, ?, ?)", device, n, b"s" * 16, other)


def cut_tail(path: Path) -> None:
    three(path)
    edit(path, "DELETE FROM log WHERE seq > 4")


def hole_filled(path: Path) -> None:
    with ledger(path) as made:
        ids = made.forget([Fact("erased"), Fact(VEGETARIAN)])
    (row,) = query(path, "SELECT sealed, device, n, rid FROM log WHERE seq = 1")
    with Ledger.open(path, KEY, mark=path.with_suffix(".mark"), allow_filesystem=True) as made:
        made.erase(ids[:1])
    edit(path, "UPDATE log SET sealed = ? WHERE device = ? AND n = ? AND rid = ?", *row)


def older_epoch(path: Path) -> None:
    three(path)
    (old,) = query(path, "SELECT sealed FROM log WHERE seq = 1")
    with Ledger.open(path, KEY, mark=path.with_suffix(".mark"), allow_filesystem=True) as made:
        made.rekey(KEY, new_root=True)
    edit(path, "UPDATE log SET sealed = ? WHERE seq = 1", old[0])


def review_moved(path: Path) -> None:
    reviewed(path)
    edit(path, "UPDATE review SET seq = 9 WHERE seq = 1")


def schema(*statements: str) -> Callable[[Path], None]:
    def build(path: Path) -> None:
        three(path)
        for statement in statements:
            edit(path, statement)

    return build


def foreign(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE header (magic TEXT)")
    connection.commit()
    connection.close()


FLIP = "UPDATE header SET {0} = CAST(X'ff' || substr({0}, 2) AS BLOB)"
HEADER_FAILS = [
    Case("fail_header_magic", "another magic", sql("UPDATE header SET magic = X'4e4f544c45444752'"), "not-a-ledger"),
    Case("fail_header_format_0", "an impossible format", sql("UPDATE header SET format = 0"), "damaged"),
    Case("fail_newer_format", "a later format", sql("UPDATE header SET format = 2"), "newer-format"),
    Case("fail_newer_format_and_tables", "a later format with other tables",
         schema("UPDATE header SET format = 9", "ALTER TABLE log ADD COLUMN more BLOB"), "newer-format"),
    *(
        Case(f"fail_header_{name}", f"bytes of `{name}` hit by accident", sql(FLIP.format(name)), "damaged")
        for name in ("vault", "salt", "wrapped", "digest", "mac")
    ),
    *(
        Case(f"fail_header_{name}", f"`{name}` hit by accident", sql(f"UPDATE header SET {name} = {value}"), "damaged")
        for name, value in (
            ("epoch", 2), ("kdf", "'argon2id'"), ("passes", 1), ("memory_kib", 8192),
            ("next_kdf", "'raw'"), ("next_salt", "zeroblob(16)"), ("next_passes", 0), ("next_memory_kib", 0),
        )
    ),
    Case("fail_header_next_wrapped", "a second wrap by accident", sql("UPDATE header SET next_wrapped = zeroblob(72)"),
         "damaged"),
    Case("fail_header_vault_resigned", "another vault id, SHA-256 fitted", resigned(vault=b"v" * 16), "wrong-key"),
    Case("fail_header_epoch_resigned", "another epoch, SHA-256 fitted", resigned(epoch=7), "wrong-key"),
    Case("fail_header_epoch_0", "an impossible epoch, SHA-256 fitted", resigned(epoch=0), "damaged"),
    Case("fail_header_kdf_resigned", "another KDF, SHA-256 fitted",
         resigned(kdf="argon2id", passes=1, memory_kib=8192), "wrong-key"),
    Case("fail_header_kdf_unknown", "a KDF that nobody knows", resigned(kdf="md5"), "damaged"),
    Case("fail_header_salt_resigned", "another salt, SHA-256 fitted: only the MAC tells", resigned(salt=b"s" * 16),
         "damaged"),
    Case("fail_header_salt_short", "a short salt", resigned(salt=b"s"), "damaged"),
    Case("fail_header_wrapped_resigned", "another wrapped root, SHA-256 fitted", resigned(wrapped=b"w" * 72),
         "wrong-key"),
    Case("fail_header_wrapped_short", "a wrapped root that is cut", resigned(wrapped=b"w" * 71), "damaged"),
    Case("fail_header_next_resigned", "a second wrap planted without the key",
         resigned(next_kdf="raw", next_salt=b"s" * 16, next_passes=0, next_memory_kib=0, next_wrapped=b"w" * 72),
         "damaged"),
    Case("fail_header_hostile_memory", "a KDF that asks for two terabytes",
         resigned(kdf="argon2id", passes=1, memory_kib=2**31), "damaged", key={"passphrase": WORDS}),
    Case("fail_header_hostile_passes", "a KDF that never ends",
         resigned(kdf="argon2id", passes=2**32 - 1, memory_kib=8192), "damaged", key={"passphrase": WORDS}),
    Case("fail_header_cheap", "a KDF that costs nothing", resigned(kdf="argon2id", passes=1, memory_kib=8), "damaged",
         key={"passphrase": WORDS}),
    Case("fail_header_absent", "no header row", sql("DELETE FROM header"), "emptied"),
    Case("fail_wrong_key", "another key", three, "wrong-key", key=NEW),
    Case("fail_wrong_passphrase", "another passphrase", passphrase, "wrong-key", key={"passphrase": "correct"}),
]  # fmt: skip

LAST_TWO = THREE[1:]
RECORD_FAILS = [
    Case("fail_record_altered", "a byte of a record",
         sql("UPDATE log SET sealed = CAST(X'00' || substr(sealed, 2) AS BLOB) WHERE seq = 1"), texts=LAST_TWO,
         problems={"record-unreadable": 1}),
    Case("fail_record_short", "a record shorter than its nonce", sql("UPDATE log SET sealed = X'0011' WHERE seq = 1"),
         texts=LAST_TWO, problems={"record-unreadable": 1}),
    Case("fail_record_empty", "a record of no bytes", sql("UPDATE log SET sealed = X'' WHERE seq = 1"), texts=LAST_TWO,
         problems={"record-unreadable": 1}),
    Case("fail_record_rid", "another random id", sql("UPDATE log SET rid = zeroblob(16) WHERE seq = 1"), texts=LAST_TWO,
         problems={"record-unreadable": 1}),
    Case("fail_swapped_positions", "two records in each other's place", swapped, texts=[THREE[2]],
         problems={"record-unreadable": 2}),
    Case("fail_swapped_devices", "the last record claimed for another device", swapped_devices,
         texts=[*THREE, "from the second device"], pending=[THREE[2]], problems={"record-unreadable": 1}),
    Case("fail_swapped_vaults", "a record of another vault under the same key", of_another_vault, texts=LAST_TWO,
         problems={"record-unreadable": 1, "gap": 1}),
    Case("fail_replayed", "a record played again as the next one", replayed, texts=THREE,
         problems={"record-unreadable": 1}),
    Case("fail_replayed_epoch", "a record of the root before", older_epoch, texts=LAST_TWO,
         problems={"record-unreadable": 1}),
    Case("fail_removed", "a record taken out of the middle", sql("DELETE FROM log WHERE seq = 3"),
         texts=[THREE[0], THREE[2]], problems={"gap": 1}),
    Case("fail_removed_commit", "a commit taken out", sql("DELETE FROM log WHERE seq = 2"), texts=THREE,
         pending=[THREE[0]], problems={"gap": 1}),
    Case("fail_duplicated", "a record twice, under another random id", duplicated, texts=THREE,
         problems={"record-unreadable": 1, "forked": 1}),
    Case("fail_forked", "two records that open at one position", forked, texts=[*THREE, "from the clone"],
         pending=["from the clone"], problems={"forked": 1}),
    Case("fail_cut_tail", "the last records cut off; the mark knows better", cut_tail, "rolled-back", with_mark=True),
    Case("fail_emptied", "all records gone; the mark knows better", sql("DELETE FROM log"), "emptied", with_mark=True),
    Case("fail_hole_filled", "the content put back in place of its hole", hole_filled, texts=[VEGETARIAN],
         problems={"erased-returned": 1}),
    Case("fail_review_moved", "a review item in another place", review_moved, texts=[VEGETARIAN],
         problems={"review-unreadable": 1}),
    Case("fail_body_kind", "an unknown kind of record",
         lambda path: body(path, lambda raw: padded(b"\x63" + raw[1:])), texts=THREE,
         problems={"record-unreadable": 1}),
    Case("fail_body_flags", "unknown flags",
         lambda path: body(path, lambda raw: padded(raw[:1] + b"\xf0" + raw[2:])), texts=THREE,
         problems={"record-unreadable": 1}),
    Case("fail_body_length", "a length that reaches beyond the body",
         lambda path: body(path, lambda raw: padded(raw[:44] + b"\xff\xff\xff\x7f" + raw[48:])), texts=THREE,
         problems={"record-unreadable": 1}),
    Case("fail_body_unpadded", "a body that is not padded", lambda path: body(path, lambda raw: raw), texts=THREE,
         problems={"record-unreadable": 1}),
    Case("fail_body_empty", "a body of no bytes", lambda path: body(path, lambda _raw: b""), texts=THREE,
         problems={"record-unreadable": 1}),
    Case("fail_body_padding", "padding that hides something: opens, and is told",
         lambda path: body(path, lambda raw: padded(raw)[:-1] + b"!"), texts=[*THREE, "text"], pending=["text"],
         problems={"record-irregular": 1}),
    Case("fail_body_text", "a text that is not UTF-8",
         lambda path: body(path, lambda raw: padded(raw[:-4] + b"\xff\xfe\xfd\xfc")), texts=THREE,
         problems={"record-unreadable": 1}),
]  # fmt: skip

SCHEMA_FAILS = [
    Case("fail_schema_trigger", "a trigger that empties the log when somebody writes",
         schema("CREATE TRIGGER t AFTER INSERT ON log BEGIN DELETE FROM log; END"), "damaged"),
    Case("fail_schema_view", "a view in place of the log", schema("ALTER TABLE log RENAME TO kept",
         "CREATE VIEW log AS SELECT * FROM kept WHERE seq > 2"), "damaged"),
    Case("fail_schema_table", "one more table", schema("CREATE TABLE more (x)"), "damaged"),
    Case("fail_schema_index", "one more index", schema("CREATE INDEX more ON log (sealed)"), "damaged"),
    Case("fail_schema_column", "one more column", schema("ALTER TABLE review ADD COLUMN more BLOB"), "damaged"),
    Case("fail_schema_dropped", "the review table dropped", schema("DROP TABLE review"), "damaged"),
    Case("fail_schema_no_unique", "a log without its uniqueness", schema("DROP TABLE log",
         "CREATE TABLE log (seq INTEGER PRIMARY KEY, device BLOB, n INTEGER, rid BLOB, sealed BLOB)"), "damaged"),
    Case("fail_foreign", "a database of something else", foreign, "not-a-ledger"),
]  # fmt: skip

CASES = [*OK, *HEADER_FAILS, *RECORD_FAILS, *SCHEMA_FAILS]


def write(case: Case) -> dict[str, Any]:
    """Build one file and put it, gzipped, into the fixtures; its entry in the list."""
    with tempfile.TemporaryDirectory() as name, reproducible(case.id), patch.dict("os.environ", XDG_STATE_HOME=name):
        path = Path(name) / "ledger.db"
        case.build(path)
        edit(path, "PRAGMA application_id")
        (TARGET / f"{case.id}.db.gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
        if case.with_mark:
            content = path.with_suffix(".mark").read_bytes()
            assert len(content) <= 2 * mark.SLOT_BYTES
            (TARGET / f"{case.id}.mark.gz").write_bytes(gzip.compress(content, 9, mtime=0))
    return {
        "id": case.id,
        "why": case.why,
        "key": case.key,
        "mark": case.with_mark,
        "opens": case.opens,
        "texts": [short(text) for text in case.texts],
        "pending": [short(text) for text in case.pending],
        "problems": case.problems,
    }


def short(text: str) -> str:
    """A text as the list shows it: a long one by length and digest."""
    return text if len(text) <= 80 else f"{len(text)}:{hashlib.sha256(text.encode()).hexdigest()}"


def main() -> None:
    """Write all files and their list."""
    TARGET.mkdir(parents=True, exist_ok=True)
    for old in TARGET.glob("*.gz"):
        old.unlink()
    cases = [write(case) for case in CASES]
    listed = {
        "schema": "forgetguard-ledger-fixtures",
        "version": 1,
        "sqlite": sqlite3.sqlite_version,
        "count": len(cases),
        "cases": cases,
    }
    text = json.dumps(listed, ensure_ascii=False, indent=1)
    (TARGET / "cases.json").write_text(text + "\n", encoding="utf-8")
    print(f"{len(cases)} ledgers in {TARGET.name}")


if __name__ == "__main__":
    main()
