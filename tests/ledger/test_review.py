"""The ring of dropped and held candidates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from forgetguard.errors import InvalidInput, UnknownEntry
from forgetguard.keys import Key
from forgetguard.ledger import Fact, Ledger, ReviewItem
from forgetguard.values import Action, Candidate, Origin, OriginClass, Vector

ENTRY = "ab" * 16


def item(text: str, action: str = "drop") -> ReviewItem:
    return ReviewItem(action, Candidate(text), ENTRY, "exact")


def texts(ledger: Ledger) -> list[str]:
    return [one.text for one in ledger.review.list()]


def test_an_item_comes_back_whole(path: Path, key: Key, ledger: Ledger) -> None:
    origin = Origin("agent", "session", "key", OriginClass.SYSTEM, 12.5)
    candidate = Candidate("Olá \udc80", Action.UPDATE, origin, Vector.quantise([1.0, -0.5], "mini"), "memory-7")
    added = ledger.review.add(ReviewItem("hold", candidate, ENTRY, "anchor", at=1700000000.25))
    assert added is not None
    ledger.close()
    with Ledger.open(path, key) as again:
        found = again.review.get(added.id)
        assert (found.action, found.entry_id, found.reason, found.at) == ("hold", ENTRY, "anchor", 1700000000.25)
        assert found.candidate == Candidate("Olá \ufffd", Action.UPDATE, origin, candidate.vector, "memory-7")
        again.review.remove(added.id)
        with pytest.raises(UnknownEntry):
            again.review.get(added.id)
        with pytest.raises(UnknownEntry):
            again.review.remove(added.id)


def test_a_held_item_is_never_pushed_out(path: Path, key: Key) -> None:
    with Ledger.open(path, key, create=True, review_size=3) as ledger:
        for text, action in (("h1", "hold"), ("d1", "drop"), ("d2", "drop"), ("d3", "drop")):
            assert ledger.review.add(item(text, action)) is not None
        assert texts(ledger) == ["h1", "d2", "d3"]
        ledger.review.add(item("h2", "hold"))
        ledger.review.add(item("h3", "hold"))
        assert texts(ledger) == ["h1", "h2", "h3"]
        assert ledger.review.add(item("d4")) is None
        assert ledger.review.add(item("h4", "hold")) is None
        assert texts(ledger) == ["h1", "h2", "h3"]
        assert ledger.review.unrecorded == 2
        status = ledger.status()
        assert (status.held, status.dropped, status.unrecorded) == (3, 0, 2)
        assert status.oldest_held is not None


def test_size_nought_keeps_nothing(path: Path, key: Key) -> None:
    with Ledger.open(path, key, create=True, review_size=0) as ledger:
        assert ledger.review.add(item("one")) is None
        assert ledger.review.list() == ()


def test_a_smaller_ring_shrinks_at_the_next_item(path: Path, key: Key, ledger: Ledger) -> None:
    for number in range(5):
        ledger.review.add(item(str(number)))
    ledger.close()
    with Ledger.open(path, key, review_size=2) as again:
        again.review.add(item("5"))
        assert texts(again) == ["4", "5"]


def test_counts_show_the_entry_that_catches_too_much(ledger: Ledger) -> None:
    for entry in ("01", "02", "02"):
        ledger.review.add(ReviewItem("drop", Candidate("x"), entry * 16))
    assert list(ledger.review.counts().items()) == [("02" * 16, 2), ("01" * 16, 1)]


def test_an_item_is_dropped_or_held(ledger: Ledger) -> None:
    with pytest.raises(InvalidInput):
        ledger.review.add(item("x", "keep"))


def test_items_are_sealed_in_their_place(ledger: Ledger, raw: Callable[..., list[tuple[object, ...]]]) -> None:
    ledger.forget([Fact("one")])
    for text in ("first", "second", "third"):
        ledger.review.add(item(text))
    sealed = [row[0] for row in raw("SELECT sealed FROM review ORDER BY seq")]
    raw("UPDATE review SET sealed = ? WHERE seq = 1", sealed[1])
    assert texts(ledger) == ["second", "third"]
    assert ledger.status().problems == {"review-unreadable": 1}
    assert ledger.verify().problems == {"review-unreadable": 1}
    assert "second" not in repr(ledger.review.list())
