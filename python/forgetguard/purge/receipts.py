"""Receipts: what was purged, when, by whom and on what basis, and what looking again found. No content, no guessable
hash.

1. Each receipt is signed (Ed25519) and holds the hash of the one before it.
2. Selectors and subjects stand as references: BLAKE2b of the value under a random key of its own, kept sealed.
   `disclose` hands out the key of one subject, so that an auditor can check that one and learns nothing of the others.
3. The newest receipt's number and hash are pinned in a file of their own: a cut tail and a chain that was signed anew
   show.

Not guaranteed: who can rewrite the receipts and the pinned head, and has the key, is found out only by a head that was
published elsewhere (`forgetguard receipts head`).
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b, sha256
from pathlib import Path

from forgetguard.directories import write_whole
from forgetguard.errors import InvalidInput, NothingMatched, PurgeFailed
from forgetguard.purge.operator import Operator, signature_is_good

SCHEMA = "forgetguard.purge.receipt"
VERSION = 1
_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}")


@dataclass(frozen=True, slots=True)
class Receipt:
    """One receipt as it was signed: `body` is its exact JSON."""

    n: int
    body: bytes = field(repr=False)
    signature: bytes = field(repr=False)

    @property
    def hash(self) -> str:
        return sha256(self.body).hexdigest()

    def as_json(self) -> dict[str, object]:
        """The content, with hash and signature."""
        return {**_content(self.body), "hash": self.hash, "signature": self.signature.hex()}


def _content(body: bytes) -> dict[str, object]:
    """What a body says; nothing where it was damaged."""
    try:
        read = json.loads(body)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


@dataclass(frozen=True, slots=True)
class Head:
    """The newest receipt: `3:abcd...` as text."""

    n: int
    hash: str

    @classmethod
    def parse(cls, text: str) -> Head:
        """Raises InvalidInput."""
        number, _, value = text.strip().partition(":")
        if not re.fullmatch(r"[0-9]{1,18}", number) or not re.fullmatch(r"[0-9a-f]{64}", value):
            raise InvalidInput("a head is a number, a colon and 64 hex digits")
        return cls(int(number), value)

    def __str__(self) -> str:
        return f"{self.n}:{self.hash}"


def codes(operator: str = "", basis: str = "", request_id: str = "") -> dict[str, str]:
    """Operator, basis and request id as they stand in a receipt.

    Codes only: free text could hold content. InvalidInput.
    """
    given = {"operator": operator, "basis": basis, "requestId": request_id}
    if any(value and not is_code(value) for value in given.values()):
        raise InvalidInput(
            "operator, basis, request id and reason are codes: letters, digits and . _ : / - , 64 at most"
        )
    return given


def is_code(text: str) -> bool:
    """Whether a text may stand in a receipt."""
    return _CODE.fullmatch(text) is not None


def reference(key: bytes, kind: str, value: str) -> str:
    """What stands in a receipt for a subject; an auditor who was given the key computes it again."""
    return blake2b(f"{kind}\0{value}".encode(), key=key, digest_size=32).hexdigest()


def append(
    connection: sqlite3.Connection,
    operator: Operator,
    run: str,
    content: Mapping[str, object],
    subjects: Iterable[tuple[str, str]],
) -> Receipt:
    """Sign and add one receipt; call inside the transaction that journals it."""
    row = connection.execute("SELECT n, body FROM receipts ORDER BY n DESC LIMIT 1").fetchone()
    previous = "" if row is None else sha256(row[1]).hexdigest()
    n = 1 if row is None else row[0] + 1
    listed = list(dict.fromkeys(subjects))
    keys = [os.urandom(32) for _ in listed]
    references = [
        {"kind": kind, "ref": reference(key, kind, value)} for (kind, value), key in zip(listed, keys, strict=True)
    ]
    head = {
        "schema": SCHEMA,
        "version": VERSION,
        "n": n,
        "id": uuid.uuid4().hex,
        "createdAt": int(time.time()),
        "run": run,
    }
    body = json.dumps(head | dict(content) | {"subjects": references, "previous": previous}, sort_keys=True).encode()
    receipt = Receipt(n, body, operator.sign(body))
    openings = operator.seal(f"openings/{n}", json.dumps([key.hex() for key in keys]).encode())
    connection.execute(
        "INSERT INTO receipts VALUES (?,?,?,?,?,?)", (n, head["id"], run, body, receipt.signature, openings)
    )
    return receipt


def all_receipts(connection: sqlite3.Connection | None) -> Iterator[Receipt]:
    """Every receipt, oldest first."""
    if connection is not None:
        for row in connection.execute("SELECT n, body, signature FROM receipts ORDER BY n"):
            yield Receipt(*row)


def newest(connection: sqlite3.Connection | None, run: str | None = None) -> Receipt | None:
    """The newest receipt, of this run if one is named."""
    if connection is None:
        return None
    row = connection.execute(
        "SELECT n, body, signature FROM receipts WHERE ?1 IS NULL OR run=?1 ORDER BY n DESC LIMIT 1", (run,)
    ).fetchone()
    return None if row is None else Receipt(*row)


def check(receipts: Sequence[Receipt], public_key: bytes, head: Head | None) -> list[dict[str, object]]:
    """What is wrong with a chain: nothing, when the list is empty."""
    problems: list[dict[str, object]] = []
    previous = ""
    for expected, receipt in enumerate(receipts, 1):
        body = receipt.as_json()
        for code, wrong in (
            ("signature", not signature_is_good(public_key, receipt.body, receipt.signature)),
            ("missing", receipt.n != expected or body.get("n") != receipt.n),
            ("chain", body.get("previous") != previous),
        ):
            if wrong:
                problems.append({"n": receipt.n, "code": code})
        previous = receipt.hash
    return problems + ([] if head is None else _against(head, receipts))


def _against(head: Head, receipts: Sequence[Receipt]) -> list[dict[str, object]]:
    if head.n < 1:
        return [{"n": 0, "code": "head-damaged"}]
    known = {receipt.n: receipt.hash for receipt in receipts}
    if head.n > max(known, default=0):
        return [{"n": head.n, "code": "cut"}]
    return [] if known.get(head.n) == head.hash else [{"n": head.n, "code": "rewritten"}]


def disclose(connection: sqlite3.Connection, operator: Operator, n: int, subject: str) -> dict[str, object]:
    """The opening of one subject in one receipt. Raises NothingMatched when the receipt does not name it."""
    for found in _named(connection, operator, subject, n):
        return found
    raise NothingMatched(
        "this receipt does not name that subject", advice="`forgetguard receipts find` says which receipts do."
    )


def find(connection: sqlite3.Connection, operator: Operator, subject: str) -> list[dict[str, object]]:
    """Every receipt that names the subject, with its opening."""
    return list(_named(connection, operator, subject))


def _named(
    connection: sqlite3.Connection, operator: Operator, subject: str, n: int | None = None
) -> Iterator[dict[str, object]]:
    rows = connection.execute("SELECT n, body, openings FROM receipts WHERE ?1 IS NULL OR n=?1 ORDER BY n", (n,))
    for number, body, openings in rows:
        read = _content(body)
        subjects, id_ = read.get("subjects"), read.get("id")
        keys = json.loads(operator.unseal(f"openings/{number}", openings))
        if not isinstance(subjects, list) or len(subjects) != len(keys):
            raise PurgeFailed(
                "a receipt was altered", code="receipts-altered", advice="Run `forgetguard receipts verify`."
            )
        for named, key in zip(subjects, keys, strict=True):
            if reference(bytes.fromhex(key), str(named["kind"]), subject) == named["ref"]:
                yield {"n": number, "id": id_, "kind": named["kind"], "ref": named["ref"], "opening": key}


def pin(path: Path, connection: sqlite3.Connection, receipt: Receipt) -> bool:
    """Write the newest receipt's number and hash beside the key; never backwards.

    False, and the pinned head stays as it is, when the receipts do not hold what it names: they were cut or written
    anew, and a new head would hide that.
    """
    known = pinned(path)
    if known is not None and _against(known, list(all_receipts(connection))):
        return False
    if known is None or known.n < receipt.n:
        write_whole(path, json.dumps({"n": receipt.n, "hash": receipt.hash}).encode())
    return True


def pinned(path: Path) -> Head | None:
    """The pinned head, or None when there is none."""
    try:
        read = json.loads(path.read_bytes())
        return Head(int(read["n"]), str(read["hash"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        return Head(0, "")
