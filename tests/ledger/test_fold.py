"""Records and their fold: every record comes back as it was, and order never matters."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetguard.errors import InvalidInput
from forgetguard.ledger.fold import State
from forgetguard.ledger.records import BUCKET, Kind, Record, clean_text, decode, encode, is_canonical
from forgetguard.values import Entry, Origin, OriginClass, Vector

IDS = st.integers(0, 5).map(lambda number: bytes([number]) * 16)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
TIMES = st.floats(0, 4e9)
ORIGINS = st.none() | st.builds(Origin, NAMES, NAMES, NAMES, st.sampled_from(OriginClass), TIMES)
VECTORS = st.none() | st.builds(Vector, st.binary(min_size=1, max_size=500), st.floats(1e-6, 1.0), NAMES)
FORGETS = st.builds(
    Record,
    st.just(Kind.FORGET),
    TIMES,
    IDS,
    st.text(st.characters(exclude_categories=["Cs"]), max_size=600),
    VECTORS,
    st.sampled_from(["user", "owner", ""]),
    ORIGINS,
)
NAMING = st.builds(
    lambda kind, time, ids: Record(kind, time, ids=tuple(ids)),
    st.sampled_from([Kind.COMMIT, Kind.ABORT, Kind.RELEASE, Kind.ERASE]),
    TIMES,
    st.lists(IDS, unique=True, max_size=4),
)
HOLES = st.builds(
    lambda ids, replaced: Record(Kind.HOLE, 0.0, ids=tuple(ids), replaced=replaced if ids else 0),
    st.lists(IDS, unique=True, max_size=3),
    st.sampled_from([Kind.COMMIT, Kind.ABORT, Kind.RELEASE]).map(int),
)

VECTORED = st.builds(
    lambda time, entry, vector, revision: Record(Kind.VECTOR, time, entry, vector=vector, revision=revision),
    TIMES,
    IDS,
    st.builds(Vector, st.binary(min_size=1, max_size=500), st.floats(1e-6, 1.0), NAMES),
    st.integers(1, 3),
)


@given(FORGETS | NAMING | HOLES | VECTORED)
def test_a_record_comes_back_as_it_was(record: Record) -> None:
    body = encode(record)
    assert len(body) % BUCKET == 0
    found = decode(body)
    assert found == record
    assert found is not None
    assert is_canonical(found, body)


@given(st.binary(max_size=600))
def test_any_bytes_are_a_record_or_none(body: bytes) -> None:
    found = decode(body)
    assert found is None or isinstance(found, Record)


@given(FORGETS | NAMING | VECTORED, st.data())
def test_a_cut_or_changed_body_never_raises(record: Record, data: st.DataObject) -> None:
    body = bytearray(encode(record))
    body[data.draw(st.integers(0, len(body) - 1))] ^= data.draw(st.integers(1, 255))
    for damaged in (bytes(body), bytes(body[: data.draw(st.integers(0, len(body)))])):
        found = decode(damaged)
        assert found is None or isinstance(found, Record)


@given(st.text())
def test_clean_text_can_be_stored(text: str) -> None:
    if text.strip():
        cleaned = clean_text(text)
        assert clean_text(cleaned) == cleaned
        cleaned.encode("utf-8")


def shown(entries: Iterable[Entry]) -> dict[str, tuple[bool, Vector | None]]:
    return {entry.id: (entry.pending, entry.vector) for entry in entries}


def view(state: State) -> dict[str, tuple[bool, Vector | None]]:
    return shown(state.entries())


@given(
    st.lists(FORGETS, unique_by=lambda record: record.entry, max_size=6),
    st.lists(NAMING | VECTORED, max_size=8),
    st.data(),
)
def test_order_and_batches_do_not_matter(forgets: list[Record], others: list[Record], data: st.DataObject) -> None:
    straight = State()
    straight.apply([*forgets, *others])
    mixed = data.draw(st.permutations([*forgets, *others]))
    shuffled = State()
    at = 0
    while at < len(mixed):
        step = data.draw(st.integers(1, 4))
        shuffled.apply(mixed[at : at + step])
        at += step
    assert view(shuffled) == view(straight)


@given(st.lists(FORGETS | NAMING | VECTORED, max_size=12), st.data())
def test_a_follower_of_the_deltas_sees_the_entries(records: list[Record], data: st.DataObject) -> None:
    state = State()
    known: dict[str, tuple[bool, Vector | None]] = {}
    version = state.version
    for record in records:
        if record.kind is Kind.FORGET and state.get(record.entry) is not None:
            continue
        before = view(state)
        moved = state.version
        state.apply([record])
        assert (state.version != moved) is (view(state) != before)
        if data.draw(st.booleans()):
            delta = state.since(version)
            if delta.whole:
                known.clear()
            for one in delta.removed:
                del known[one]
            known.update(shown(delta.added))
            version = delta.version
            assert known == view(state)


@pytest.mark.parametrize(
    "record",
    [
        Record(Kind.FORGET, 0.0, b"i" * 16, "x", Vector(b"", 1.0)),
        Record(Kind.VECTOR, 0.0, b"i" * 16, revision=1),
        Record(Kind.VECTOR, 0.0, b"i" * 16, vector=Vector(b"x", 1.0), revision=2**64),
        Record(Kind.FORGET, 0.0, b"i" * 16, "x", Vector(b"x", math.nan)),
        Record(Kind.FORGET, 0.0, b"i" * 16, "x", Vector(b"x" * 70_000, 1.0)),
        Record(Kind.FORGET, 0.0, b"i" * 16, "x", reason="r" * 65),
        Record(Kind.FORGET, 0.0, b"i" * 16, "x", origin=Origin("a" * 5000)),
        Record(Kind.FORGET, 0.0, b"i" * 16, "x", origin=Origin(None)),
        Record(Kind.FORGET, 0.0, b"i" * 16, "x", origin=Origin(origin_class="nobody")),
        Record(Kind.FORGET, 0.0, b"i" * 16, "x", origin=Origin(observed_at="today")),
    ],
)
def test_what_does_not_fit_is_refused(record: Record) -> None:
    with pytest.raises(InvalidInput):
        encode(record)
