"""Remember and release: what was forgotten can come back, if its owner says so."""

from __future__ import annotations

import pytest

from forgetguard.errors import UnknownEntry

FACT = "User is vegetarian"


def test_remember_releases_and_the_fact_stores_at_once(guard):
    entry = guard.forget(FACT).ids[0]
    done = guard.remember("The user is a vegetarian")
    assert (done.store, done.release, [one.id for one in done.entries]) == (True, "done", [entry])
    assert guard.check(FACT).kept
    assert guard.forgotten() == ()


def test_every_matching_entry_is_released_and_no_other(guard):
    guard.forget([FACT, "User's diet is vegetarian", "The user is a vegetarian", "User lives in Porto"])
    done = guard.remember(FACT)
    assert len(done.entries) >= 2
    assert guard.check(FACT).kept
    assert not guard.check("User lives in Porto").kept


def test_a_dry_run_changes_nothing(guard):
    guard.forget([FACT, "User lives in Porto"])
    done = guard.remember(FACT, dry_run=True)
    assert ([one.text for one in done.entries], done.dry_run) == ([FACT], True)
    assert len(guard.forgotten()) == 2
    assert guard.check(FACT).entry.text == FACT
    assert guard.release(guard.forgotten()[0], dry_run=True) == (guard.forgotten()[0].id,)
    assert len(guard.forgotten()) == 2


def test_nothing_to_release(guard):
    done = guard.remember(FACT)
    assert (done.store, done.release, done.entries) == (True, "none", ())


def test_a_released_entry_can_be_forgotten_again(guard):
    first = guard.forget(FACT).ids
    guard.remember(FACT)
    second = guard.forget(FACT).ids
    assert first != second
    assert not guard.check(FACT).kept
    guard.release(second)
    assert guard.check(FACT).kept


def test_an_unknown_id_releases_nothing(guard):
    entry = guard.forget(FACT).ids[0]
    for unknown in ("0" * 32, "not an id", ""):
        with pytest.raises(UnknownEntry):
            guard.release([entry, unknown])
    assert not guard.check(FACT).kept
    assert guard.release([entry]) == (entry,)
    assert guard.release([entry]) == ()


def test_another_guard_sees_it_at_its_next_check(open_guard):
    one, other = open_guard(), open_guard()
    one.forget(FACT)
    assert not other.check(FACT).kept
    other.remember(FACT)
    assert one.check(FACT).kept
