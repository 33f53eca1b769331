"""Receipts: chained, signed, pinned; no content and no guessable hash in them, nor in journal or plan after clean."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from forgetguard.cli import main
from forgetguard.cli import receipts as commands
from forgetguard.errors import InvalidInput, NothingMatched, PurgeFailed
from forgetguard.keys import Key
from forgetguard.purge import Home, Operator, Order, Selection, make_plan, operator, receipts, write_plan
from forgetguard.purge.journal import viewed
from forgetguard.purge.receipts import Head, Receipt, all_receipts, check, pinned
from purge.world import CANARY, MIXED, World, holds

CODES = Order(operator="dpo-7", basis="gdpr.art17", request_id="REQ-2026/11")


@pytest.fixture
def purged(world: World) -> World:
    world.purge("alice", order=CODES)
    world.purge("bob", order=CODES)
    world.purge("carol", order=CODES)
    return world


def test_a_key_that_another_purge_made_meanwhile_is_used_and_not_claimed(tmp_path: Path, monkeypatch) -> None:
    home, write = Home(tmp_path / "purge"), operator.write_key_file
    theirs = Key.generate()

    def late(path: Path, key: Key) -> Path:
        write(path, theirs)
        return write(path, key)

    monkeypatch.setattr(operator, "write_key_file", late)
    assert not home.make_key()
    assert home.operator().public_key == Operator(theirs).public_key


@pytest.mark.parametrize("command", ["verify", "export"])
def test_a_purge_between_two_looks_is_no_cut(world: World, monkeypatch, capsys, command: str) -> None:
    world.purge("alice", order=CODES)
    monkeypatch.setenv("FORGETGUARD_PURGE_HOME", str(world.home.directory))
    pinned, done = receipts.pinned, []

    def meanwhile() -> None:
        if not done:
            done.append(True)
            world.purge("bob", order=CODES)

    def late_head(path: Path) -> Head | None:
        found = pinned(path)
        meanwhile()
        return found

    @contextmanager
    def late_view(home: Home) -> Iterator[sqlite3.Connection | None]:
        with viewed(home) as connection:
            yield connection
        meanwhile()

    monkeypatch.setattr(receipts, "pinned", late_head)
    monkeypatch.setattr(commands, "viewed", late_view)
    assert main(["receipts", command]) == 0
    said = json.loads(capsys.readouterr().out)
    count = len(said["receipts"]) if command == "export" else said["receipts"]
    assert (said["head"].split(":")[0], count) == ("1", 2)


def chain(world: World) -> list[Receipt]:
    with viewed(world.home) as connection:
        return list(all_receipts(connection))


def problems(world: World, head: Head | None = None) -> list[dict[str, object]]:
    return check(chain(world), world.home.operator().public_key, head or pinned(world.home.head))


def test_what_a_receipt_says(purged: World) -> None:
    body = chain(purged)[0].as_json()
    assert (body["n"], body["operator"], body["basis"], body["requestId"]) == (1, "dpo-7", "gdpr.art17", "REQ-2026/11")
    assert (body["result"], body["sessions"], body["entries"], body["late"]) == ("clean", 1, 3, 0)
    assert body["found"] == {"memories": {"rows": 2, "sideRows": 4}, "notes": {"entries": 1}}
    assert body["erased"] == {
        "memories": {"memories": 2, "tags": 2, "vectors": 2},
        "notes": {"files": 1, "passages": 1},
    }
    assert [one["name"] for one in body["surfaces"]] == ["memories", "notes"]  # type: ignore[attr-defined]
    assert problems(purged) == []


def test_the_canary_its_hashes_and_its_words_are_nowhere(world: World, tmp_path: Path) -> None:
    operator = world.home.operator(create=True)
    write_plan(
        tmp_path / "purge" / "plan.json", make_plan(world.host(), Selection(sessions=("alice",)), operator), operator
    )
    world.purge("alice", order=CODES)
    words = [word for word in (*CANARY.split(), *MIXED.split()) if len(word) > 4 and word != "Alice"]  # a session id
    hashes = [
        algorithm(text.encode()).hexdigest()[:12]
        for text in (CANARY, MIXED, f"User: {CANARY}", CANARY.lower(), "m-alice", "alice", "agent:main:alice")
        for algorithm in (hashlib.sha1, hashlib.sha256, hashlib.md5, hashlib.blake2b)
    ]
    assert holds(world.home.directory, CANARY, *words, *hashes, "m-alice", "daily.md") == []
    (tmp_path / "purge" / "plan.json").unlink()
    assert holds(world.home.directory, "alice") == []


@pytest.mark.parametrize("field", ["operator", "result", "entries", "createdAt", "subjects", "previous"])
def test_a_changed_field_is_found(purged: World, field: str) -> None:
    connection = sqlite3.connect(purged.home.journal)
    body = json.loads(connection.execute("SELECT body FROM receipts WHERE n=2").fetchone()[0])
    body[field] = "changed"
    connection.execute("UPDATE receipts SET body=? WHERE n=2", (json.dumps(body, sort_keys=True).encode(),))
    connection.commit()
    connection.close()
    assert {"n": 2, "code": "signature"} in problems(purged)
    assert {"n": 3, "code": "chain"} in problems(purged)


def test_a_cut_tail_and_a_removed_receipt_are_found(purged: World) -> None:
    connection = sqlite3.connect(purged.home.journal)
    connection.execute("DELETE FROM receipts WHERE n=3")
    connection.commit()
    assert problems(purged) == [{"n": 3, "code": "cut"}]
    connection.execute("DELETE FROM receipts WHERE n=1")
    connection.commit()
    connection.close()
    assert {"n": 2, "code": "missing"} in problems(purged)


def test_a_chain_that_was_signed_anew_is_found_by_the_pinned_head_alone(purged: World) -> None:
    operator = purged.home.operator()
    connection = sqlite3.connect(purged.home.journal)
    previous = ""
    for n, content in connection.execute("SELECT n, body FROM receipts ORDER BY n").fetchall():
        body = json.loads(content) | {"previous": previous, "operator": "somebody-else"}
        signed = json.dumps(body, sort_keys=True).encode()
        connection.execute("UPDATE receipts SET body=?, signature=? WHERE n=?", (signed, operator.sign(signed), n))
        previous = hashlib.sha256(signed).hexdigest()
    connection.commit()
    connection.close()
    assert check(chain(purged), operator.public_key, None) == []
    assert problems(purged) == [{"n": 3, "code": "rewritten"}]


def test_another_key_is_found(purged: World) -> None:
    found = check(chain(purged), Operator(Key.generate()).public_key, pinned(purged.home.head))
    assert {one["code"] for one in found} == {"signature"}


def test_a_damaged_head_is_told(purged: World) -> None:
    purged.home.head.write_text("{}")
    assert {"n": 0, "code": "head-damaged"} in problems(purged)


def test_a_cut_chain_is_found_however_many_purges_follow(world: World) -> None:
    """The pinned head must not move on over receipts that do not hold it."""
    for number in range(7):
        world.add(f"k{number}", f"Dana parked the vermilion bicycle in yard number {number}", f"s{number}")
    for number in range(3):
        world.purge(f"s{number}")
    before = pinned(world.home.head)
    connection = sqlite3.connect(world.home.journal)
    with connection:
        connection.execute("DELETE FROM receipts WHERE n > 1")
    connection.close()
    for number in range(3, 7):
        report = world.purge(f"s{number}").as_json()
        assert (report["result"], report["exitCode"]) == ("failed", 1)
        assert report["failures"] == [{"step": "receipt", "code": "receipts-altered"}]
        assert world.purge(f"s{number}").as_json()["result"] == "nothing-to-do"
        assert pinned(world.home.head) == before
        assert problems(world)


@pytest.mark.parametrize("body", [b"garbage", b"[]", b"{}", b'{"subjects": 3}', b'{"subjects": []}'])
def test_a_body_that_is_no_receipt_is_told(purged: World, body: bytes) -> None:
    connection = sqlite3.connect(purged.home.journal)
    with connection:
        connection.execute("UPDATE receipts SET body=? WHERE n=2", (body,))
    assert {"n": 2, "code": "signature"} in problems(purged)
    with pytest.raises(PurgeFailed) as caught:
        receipts.find(connection, purged.home.operator(), "alice")
    assert caught.value.code == "receipts-altered"
    connection.close()


def test_one_subject_is_disclosed_and_no_other(purged: World) -> None:
    operator = purged.home.operator()
    with viewed(purged.home) as connection:
        assert connection is not None
        opened = receipts.disclose(connection, operator, 1, "alice")
        key = bytes.fromhex(str(opened["opening"]))
        assert receipts.reference(key, "session", "alice") == opened["ref"]
        named = [one["ref"] for one in chain(purged)[0].as_json()["subjects"]]  # type: ignore[attr-defined]
        assert opened["ref"] in named
        assert [receipts.reference(key, "session", one) in named for one in ("bob", "main")] == [False, False]
        with pytest.raises(NothingMatched):
            receipts.disclose(connection, operator, 1, "bob")
        assert [one["n"] for one in receipts.find(connection, operator, "carol")] == [3]
        assert receipts.find(connection, operator, "Carol") == []


def test_the_same_subject_has_another_reference_in_each_receipt(world: World) -> None:
    world.purge("alice")
    world.add("m-again", "Alice was imported again from an old backup of the phone", "alice")
    world.purge("alice")
    first, second = ({one["ref"] for one in receipt.as_json()["subjects"]} for receipt in chain(world))  # type: ignore[attr-defined]
    assert not first & second
    assert [two.as_json()["previous"] for _, two in pairwise(chain(world))] == [chain(world)[0].hash]


@pytest.mark.parametrize("text", ["free text", "a@b", "x" * 65, "ünicode", "new\nline", "-flag"])
def test_codes_are_codes(text: str) -> None:
    with pytest.raises(InvalidInput):
        receipts.codes(operator=text)


@pytest.mark.parametrize("words", ["Alice's old phone", "a\nb", "", "x" * 65])
def test_names_that_stand_in_receipts_are_codes(world: World, words: str) -> None:
    from dataclasses import replace

    with pytest.raises(InvalidInput):
        replace(world.host(), not_covered=(words,))
    with pytest.raises(InvalidInput):
        replace(world.host(), surfaces=(replace(world.table(), name=words),))


def test_a_run_that_was_not_clean_has_a_receipt_too_and_another_when_it_is(world: World) -> None:
    backup = world.database.with_name("memory.db.bak")
    backup.write_text(CANARY)
    world.purge("alice")
    world.purge("alice")
    assert [one.as_json()["result"] for one in chain(world)] == ["residue"]
    backup.unlink()
    world.purge("alice")
    assert [one.as_json()["result"] for one in chain(world)] == ["residue", "clean"]
    assert problems(world) == []


def test_heads_are_written_and_read() -> None:
    head = Head(3, "ab" * 32)
    assert Head.parse(str(head)) == head
    for text in ("", "3", "x:ab", "3:AB", f"-1:{'ab' * 32}"):
        with pytest.raises(InvalidInput):
            Head.parse(text)
