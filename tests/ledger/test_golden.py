"""Ledgers of format 1 as they were written once: each opens, or is refused, as its list says."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from forgetguard.errors import LedgerUnavailable
from forgetguard.keys import Key, KeySource, Passphrase
from forgetguard.ledger import Ledger, log, transfer
from forgetguard.ledger.header import COLUMNS

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures" / "ledger-v1"
LISTED = json.loads((FIXTURES / "cases.json").read_text(encoding="utf-8"))
CASES: list[dict[str, Any]] = LISTED["cases"]
KEY = Key.from_bytes(bytes(range(32)))


def unpack(name: str, folder: Path) -> Path:
    target = folder / "ledger.db"
    target.write_bytes(gzip.decompress((FIXTURES / f"{name}.db.gz").read_bytes()))
    return target


def key_of(case: dict[str, Any]) -> KeySource:
    return Key.from_text(case["key"]["raw"]) if "raw" in case["key"] else Passphrase(case["key"]["passphrase"])


def short(text: str) -> str:
    return text if len(text) <= 80 else f"{len(text)}:{hashlib.sha256(text.encode()).hexdigest()}"


def test_the_list_is_complete() -> None:
    assert (LISTED["schema"], LISTED["version"]) == ("forgetguard-ledger-fixtures", 1)
    assert LISTED["count"] == len(CASES)
    assert {case["id"] for case in CASES} == {file.name.removesuffix(".db.gz") for file in FIXTURES.glob("*.db.gz")}
    assert all(case["why"] for case in CASES)
    assert all(case["id"].startswith(("ok_", "fail_")) for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, Any], tmp_path: Path) -> None:
    path = unpack(case["id"], tmp_path)
    mark = None
    if case["mark"]:
        mark = tmp_path / "mark"
        mark.write_bytes(gzip.decompress((FIXTURES / f"{case['id']}.mark.gz").read_bytes()))
    if case["opens"] != "ok":
        with pytest.raises(LedgerUnavailable) as caught:
            Ledger.open(path, key_of(case), mark=mark)
        assert caught.value.code == case["opens"]
        return
    with Ledger.open(path, key_of(case), mark=mark) as ledger:
        # Before the first verification: opening puts right what it can (content of an erased entry becomes a hole).
        healed = {"erased-returned"} & case["problems"].keys()
        entries = ledger.entries()
        assert [short(entry.text) for entry in entries] == case["texts"]
        assert [short(entry.text) for entry in entries if entry.pending] == case["pending"]
        expected = {code: count for code, count in case["problems"].items() if code not in healed}
        assert ledger.verify().problems == {**expected, "mark-none": 1}
        for code in healed:
            assert ledger.status().problems[code] == case["problems"][code]


def test_an_ok_ledger_is_as_it_was_after_looking_at_it(tmp_path: Path) -> None:
    path = unpack("ok_every_kind", tmp_path)
    before = path.read_bytes()
    with Ledger.open(path, KEY, mark=None) as ledger:
        ledger.entries()
        ledger.pending()
        ledger.review.list()
        ledger.status()
        ledger.verify()
    assert path.read_bytes() == before


def boundaries(content: bytes) -> list[int]:
    """Page ends, their neighbours, and the ends of the fields in SQLite's own header."""
    pages = range(0, len(content), 4096)
    ends = {page + step for page in pages for step in (0, 1, 100, 2048, 4095)}
    return sorted(end for end in ends | {16, 18, 24, 28, 60, 68, 96} if end < len(content))


@pytest.mark.parametrize("name", ["ok_three", "ok_long_texts"])
def test_no_truncation_passes_for_a_smaller_ledger(name: str, tmp_path: Path) -> None:
    """A cut is an error, or is reported; unless nothing but the zeros of an empty page were cut, and all is there."""
    content = gzip.decompress((FIXTURES / f"{name}.db.gz").read_bytes())
    expected = next(case["texts"] for case in CASES if case["id"] == name)
    path = tmp_path / "ledger.db"
    refused = 0
    for length in boundaries(content):
        path.write_bytes(content[:length])
        try:
            with Ledger.open(path, KEY, create=True, mark=None) as ledger:
                if ledger.verify().problems == {"mark-none": 1}:
                    assert [short(entry.text) for entry in ledger.entries()] == expected
                    assert not content[length:].strip(b"\0")
        except LedgerUnavailable as error:
            assert error.code in ("emptied", "not-a-ledger", "damaged")
            refused += 1
        for side in tmp_path.glob("ledger.db-*"):
            side.unlink()
    assert refused > len(boundaries(content)) // 2


def test_no_flipped_byte_of_a_record_or_header_passes(tmp_path: Path) -> None:
    """Every byte of the stored cells, one at a time: an error or a reported problem, never another content."""
    content = gzip.decompress((FIXTURES / "ok_three.db.gz").read_bytes())
    path = tmp_path / "ledger.db"
    path.write_bytes(content)
    with Ledger.open(path, KEY, mark=None) as ledger:
        texts = [entry.text for entry in ledger.entries()]
        with ledger._core.snapshot() as reader:
            cells = [cell for row in reader.execute("SELECT device, rid, sealed FROM log") for cell in row]
            header = log.read_header(reader)
    assert header is not None
    cells += [cell for name, cell in zip(COLUMNS, header, strict=True) if isinstance(cell, bytes) and name != "magic"]
    places = sorted({content.index(cell) + step for cell in cells for step in range(0, len(cell), 7)})
    for place in places:
        changed = bytearray(content)
        changed[place] ^= 0x20
        path.write_bytes(changed)
        try:
            with Ledger.open(path, KEY, mark=None) as ledger:
                assert {entry.text for entry in ledger.entries()} < set(texts) or ledger.pending()
                assert ledger.verify().outcome == "wrong"
        except LedgerUnavailable as error:
            assert error.code in ("damaged", "wrong-key", "not-a-ledger")


def test_the_worked_example_of_the_documentation(tmp_path: Path) -> None:
    """docs/ledger-format.md is enough to write another reader: its code reads the golden file with no code of ours."""
    document = (ROOT / "docs" / "ledger-format.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", document, re.DOTALL)
    assert len(blocks) == 1
    assert "import forgetguard" not in blocks[0]
    assert "from forgetguard" not in blocks[0]
    names: dict[str, Any] = {"__name__": "worked_example"}
    exec(compile(blocks[0], "ledger-format.md", "exec"), names)
    for case in CASES:
        if not case["id"].startswith("ok_") or "raw" not in case["key"]:
            continue
        read = names["read_ledger"](unpack(case["id"], tmp_path), bytes.fromhex(case["key"]["raw"]))
        assert [short(text) for text, _ in read] == case["texts"]
        assert [short(text) for text, pending in read if pending] == case["pending"]
    assert transfer.MAGIC.decode() in document
