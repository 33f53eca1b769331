"""check, filter, still_current, sweep: what may be stored, decided without writing anything."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

from forgetguard.errors import InvalidInput, InvalidText, InvalidVector
from forgetguard.guard import Decision
from forgetguard.ledger import Fact
from forgetguard.rules import MAX_TEXT
from forgetguard.values import Action, Candidate, Vector


def test_a_restatement_is_dropped_and_anything_else_is_kept(guard):
    entry = guard.forget("User is vegetarian").ids[0]
    verdict = guard.check("The user is a vegetarian.")
    assert (verdict.action, verdict.entry.id) == (Decision.DROP, entry)
    assert not verdict.kept
    for text in ("User is a vegan", "User's sister is vegetarian", "User is not vegetarian", "User likes tea"):
        assert guard.check(text).kept, text


def test_an_empty_ledger_keeps_everything_but_notes(guard):
    assert guard.check("User is vegetarian").kept
    note = guard.check("User asked the assistant to forget their address")
    assert (note.action, note.reason) == (Decision.DROP, "note")
    assert guard.check("User tends to forget appointments").kept


def test_delete_and_noop_always_pass(guard):
    guard.forget("User is vegetarian")
    for action in (Action.DELETE, Action.NOOP):
        verdict = guard.check(Candidate("User is vegetarian", action))
        assert (verdict.action, verdict.reason) == (Decision.KEEP, "passes")
    for action in (Action.ADD, Action.UPDATE):
        assert guard.check(Candidate("User is vegetarian", action)).action is Decision.DROP


def test_aliases_are_names_of_the_user(open_guard):
    guard = open_guard(aliases=["Diogo"])
    guard.forget("User is vegetarian")
    assert guard.check("Diogo is vegetarian").action is Decision.DROP
    assert open_guard().check("Diogo is vegetarian").kept


def test_a_text_longer_than_the_rules_read_is_never_stored_unread(guard):
    guard.forget("User is vegetarian")
    text = "pad " * (MAX_TEXT // 4) + "User is vegetarian."
    verdict = guard.check(text)
    assert (verdict.action, verdict.reason) == (Decision.HOLD, "too-long")
    assert guard.scrub(text).empty
    assert guard.check("pad " * 100 + "User is vegetarian.").action is Decision.DROP


@pytest.mark.parametrize("text", ["?", "...", "\u200b", "¿", "x" * (MAX_TEXT + 1)])
def test_a_fact_that_nothing_could_match_is_refused(guard, text):
    with pytest.raises(InvalidText):
        guard.forget(text)
    assert guard.forgotten() == ()


def test_the_past_can_be_kept(open_guard):
    open_guard().forget("User is vegetarian")
    assert not open_guard().check("User is no longer vegetarian").kept
    assert open_guard(past="keep").check("User is no longer vegetarian").kept


@dataclass
class Row:
    body: str


@pytest.mark.parametrize(
    ("selector", "make"),
    [
        (None, str),
        (None, Candidate),
        ("body", lambda text: {"body": text}),
        ("body", Row),
        (lambda item: item[1], lambda text: (0, text)),
    ],
)
def test_filter_keeps_order_and_items(guard, selector, make):
    guard.forget("User is vegetarian")
    items = [make(text) for text in ("User likes tea", "User is vegetarian", "User lives in Porto")]
    done = guard.filter(items, text=selector)
    assert done.kept == (items[0], items[2])
    assert done.dropped == (items[1],)
    assert [one.action.value for one in done.verdicts] == ["keep", "drop", "keep"]
    assert done.held == done.deferred == ()


def test_filter_of_nothing_and_of_much(guard):
    guard.forget("User is vegetarian")
    assert guard.filter([]).verdicts == ()
    assert len(guard.filter(f"User owns {n} books" for n in range(1000)).kept) == 1000


@pytest.mark.parametrize("item", [{"other": "x"}, 5, None, Row("x")])
def test_an_item_without_its_text_is_an_error(guard, item):
    with pytest.raises(InvalidText):
        guard.filter([item], text="text")


@pytest.mark.parametrize("text", ["", " ", "\n\t", "!!!", "\x00\x01", "\ud800", "the of and", "😀", "a" * 100_001])
def test_odd_texts_have_an_answer(guard, text):
    guard.forget("User is vegetarian")
    assert guard.check(text).kept


def test_entries_without_content_words_match_themselves_alone(guard):
    guard.forget("it is so")
    assert guard.check("It is so.").action is Decision.DROP
    assert guard.check("User is vegetarian").kept


def test_lone_surrogates_match_what_the_ledger_made_of_them(guard):
    guard.forget("User's badge is \ud800 teal")
    assert guard.check("User's badge is \ud800 teal").action is Decision.DROP


@pytest.mark.parametrize("text", [None, 5, b"User", ["User"]])
def test_what_is_no_text_is_refused(guard, text):
    with pytest.raises(InvalidText):
        guard.check(text)
    with pytest.raises(InvalidText):
        guard.scrub(text)


@pytest.mark.parametrize("numbers", [[], [math.nan], [math.inf, 1.0], [0.0, 0.0], "abc", [None], b"123"])
def test_bad_vectors_are_refused(guard, numbers):
    with pytest.raises(InvalidVector):
        guard.check("User is vegetarian", vector=numbers)
    with pytest.raises(InvalidVector):
        guard.forget("User is vegetarian", vector=numbers)
    assert guard.forgotten() == ()


def test_vectors_of_another_model_or_length_are_never_compared(guard):
    guard.forget(Fact("User is vegetarian", Vector.quantise([1.0, 0.0], "one")))
    same = guard.check("The user is a strict vegetarian", vector=Vector.quantise([1.0, 0.0], "one"))
    far = guard.check("The user is a strict vegetarian", vector=Vector.quantise([0.0, 1.0], "one"))
    other = guard.check("The user is a strict vegetarian", vector=Vector.quantise([0.0, 1.0], "two"))
    longer = guard.check("The user is a strict vegetarian", vector=Vector.quantise([0.0, 1.0, 0.0], "one"))
    assert same.similarity == 1.0
    assert far.kept
    assert other.similarity is None
    assert longer.similarity is None


def test_an_unknown_use_or_setting_is_an_error(guard, open_guard):
    with pytest.raises(InvalidInput):
        guard.check("x", use="print")
    for options in ({"on_hold": "no"}, {"on_defer": "x"}, {"hold_unrecorded": "x"}, {"past": "x"}, {"aliases": "Ann"}):
        with pytest.raises(InvalidInput):
            open_guard(**options)


def test_a_verdict_ends_when_something_that_matters_was_forgotten(guard):
    kept = guard.check("User lives in Porto")
    guard.forget("User is vegetarian")
    assert guard.still_current(kept)
    guard.forget("User lives in Porto")
    assert not guard.still_current(kept)


def test_a_drop_ends_when_its_entry_was_released(guard):
    entry = guard.forget("User is vegetarian").ids[0]
    dropped = guard.check("User is vegetarian")
    assert guard.still_current(dropped)
    guard.release(entry)
    assert not guard.still_current(dropped)


def test_verdicts_of_another_opening_are_asked_anew(guard, open_guard):
    guard.forget("User is vegetarian")
    kept = guard.check("User lives in Porto")
    assert open_guard().still_current(kept)
    guard.forget("User lives in Porto")
    assert not open_guard().still_current(kept)


def test_sweep_finds_what_is_stored_already(guard):
    guard.forget("User is vegetarian")
    rows = [{"fact": "User likes tea"}, {"fact": "user is vegetarian"}]
    found = guard.sweep(rows, text="fact")
    assert [(one.index, one.item, one.verdict.action.value) for one in found] == [(1, rows[1], "drop")]
    assert rows[1]["fact"] == "user is vegetarian"


def test_forget_can_sweep_at_once(guard):
    done = guard.forget("User is vegetarian", among=["User likes tea", "The user is a vegetarian"])
    assert [one.index for one in done.found] == [1]


def test_deciding_writes_nothing(guard, path):
    guard.forget("User is vegetarian")
    before = path.read_bytes(), guard.status().dropped
    guard.check("User is vegetarian")
    guard.filter(["User is vegetarian"])
    guard.scrub("User is vegetarian. User likes tea.")
    guard.sweep(["User is vegetarian"])
    guard.remember("User is vegetarian", dry_run=True)
    assert (path.read_bytes(), guard.status().dropped) == before
