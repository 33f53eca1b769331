"""Another embedding for an entry: recorded once, read by everyone, gone with the entry, and the text untouched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from forgetguard.errors import InvalidVector, LedgerUnavailable, UnknownEntry
from forgetguard.keys import Key
from forgetguard.ledger import Fact, Ledger
from forgetguard.values import Vector

OLD = Vector(b"\x01\x02\x03", 0.5, "old")
NEW = Vector(b"\x04\x05\x06\x07", 0.25, "new")
FACT = "User is vegetarian"

Opened = Callable[..., Ledger]


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    def open_one(name: str = "ledger.db") -> Ledger:
        path = tmp_path / name
        return Ledger.open(path, Key.from_bytes(bytes(range(32))), create=True, mark=path.with_suffix(".mark"))

    return open_one


def test_the_new_vector_takes_the_place_of_the_old_one(opened):
    with opened() as ledger:
        one, two = ledger.forget([Fact(FACT, OLD), Fact("User likes tea")])
        before = ledger.version
        assert ledger.embed({one: NEW, two: NEW}) == 2
        assert [(entry.text, entry.vector) for entry in ledger.entries()] == [(FACT, NEW), ("User likes tea", NEW)]
        delta = ledger.entries_since(before)
        assert set(delta.removed) == {one, two} == {entry.id for entry in delta.added}
        assert ledger.verify().problems == {}
    with opened() as ledger:
        assert {entry.vector for entry in ledger.entries()} == {NEW}


def test_the_same_vector_is_not_recorded_twice(opened):
    with opened() as ledger:
        (one,) = ledger.forget([Fact(FACT, OLD)])
        assert (ledger.embed({one: NEW}), ledger.embed({one: NEW}), ledger.embed({})) == (1, 0, 0)
        assert ledger.status().records == 3


def test_going_back_to_the_first_model_is_a_change_like_any_other(opened):
    with opened() as ledger:
        (one,) = ledger.forget([Fact(FACT, OLD)])
        for vector in (NEW, OLD, NEW, OLD):
            assert ledger.embed({one: vector}) == 1
            assert ledger.entry(one).vector == vector
    with opened() as ledger:
        assert ledger.entry(one).vector == OLD


def test_a_pending_entry_stays_pending(opened):
    with opened() as ledger:
        (one,) = ledger.intend([Fact(FACT)])
        ledger.embed({one: NEW})
        assert ledger.entry(one).pending and ledger.entry(one).vector == NEW
        ledger.commit([one])
        assert not ledger.entry(one).pending and ledger.entry(one).vector == NEW


def test_an_entry_that_ended_meanwhile_is_left_alone(opened):
    with opened() as ledger:
        one, two = ledger.forget([Fact(FACT), Fact("User likes tea")])
        ledger.release([one])
        assert ledger.embed({one: NEW, two: NEW}) == 1
        assert [entry.id for entry in ledger.entries()] == [two]


@pytest.mark.parametrize("when", ["before", "after"])
def test_erasing_destroys_every_embedding(opened, tmp_path, when):
    with opened() as ledger:
        (one,) = ledger.forget([Fact(FACT, OLD)])
        ledger.embed({one: NEW})
        if when == "before":
            ledger.release([one])
        assert ledger.erase([one]) == "done"
        assert ledger.entries() == () and ledger.verify().problems == {}
        assert ledger.embed({one: NEW}) == 0
    with opened() as ledger:
        assert ledger.status().problems == {}


def test_an_erased_entry_takes_embeddings_from_a_merge_with_it(opened, tmp_path):
    segment = tmp_path / "segment"
    with opened() as ledger:
        (one,) = ledger.forget([Fact(FACT, OLD)])
        ledger.embed({one: NEW})
        ledger.export(segment)
        ledger.erase([one])
        ledger.merge(segment)
        assert ledger.entries() == () and ledger.verify().problems == {}


def test_a_merge_brings_the_embedding_too(opened, tmp_path):
    segment = tmp_path / "segment"
    with opened() as ledger:
        (one,) = ledger.forget([Fact(FACT, OLD)])
        ledger.embed({one: NEW})
        ledger.export(segment)
    other = tmp_path / "other.db"
    key = Key.from_bytes(bytes(range(32)))
    with Ledger.restore(segment, other, key, accept_loss=True, mark=tmp_path / "other.mark") as copy:
        assert copy.entry(one).vector == NEW
        copy.rekey(key, new_root=True)
        assert copy.entry(one).vector == NEW and copy.verify().problems == {}


def test_nothing_is_written_of_what_cannot_be_recorded(opened):
    with opened() as ledger:
        one, two = ledger.forget([Fact(FACT), Fact("User likes tea")])
        with pytest.raises(InvalidVector):
            ledger.embed({one: NEW, two: Vector(b"", 1.0, "new")})
        with pytest.raises(UnknownEntry):
            ledger.embed({"nonsense": NEW})
        assert [entry.vector for entry in ledger.entries()] == [None, None]
    with pytest.raises(LedgerUnavailable):
        ledger.embed({one: NEW})


def test_neither_text_nor_vector_stands_in_clear(opened, tmp_path):
    vector = Vector(bytes(range(1, 120)), 0.5, "a-model-of-some-name")
    with opened() as ledger:
        (one,) = ledger.forget([Fact(FACT)])
        ledger.embed({one: vector})
    raw = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    assert not any(found in raw for found in (vector.values, b"a-model-of-some-name", FACT.encode()))
