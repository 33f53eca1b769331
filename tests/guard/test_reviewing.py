"""The owner's review queue, and the status."""

from __future__ import annotations

import pytest

from forgetguard.errors import UnknownEntry
from forgetguard.guard import Decision, Verdict
from forgetguard.hooks import Hooks
from forgetguard.values import Action, Candidate, Origin

FACT = "User is vegetarian"


@pytest.fixture
def filled(guard):
    guard.forget(FACT)
    Hooks(guard).extraction([Candidate(FACT, Action.UPDATE, Origin("a", "s"), None, "m1"), "User likes tea"])
    return guard


def test_the_queue_holds_the_candidate_and_its_entry(filled):
    (item,) = filled.review()
    entry = filled.forgotten()[0]
    assert (item.action, item.reason, item.entry_id, item.text) == ("drop", "exact", entry.id, FACT)
    assert item.candidate == Candidate(FACT, Action.UPDATE, Origin("a", "s"), None, "m1")
    assert filled.review_counts() == {entry.id: 1}
    assert (filled.status().dropped, filled.status().held) == (1, 0)


def test_restore_hands_it_back_and_takes_it_off(filled):
    (item,) = filled.review()
    assert filled.restore(item).text == FACT
    assert filled.review() == ()
    with pytest.raises(UnknownEntry):
        filled.restore(item.id)
    assert not filled.check(FACT).kept


def test_an_item_that_cannot_be_stored_stays(filled):
    (item,) = filled.review()

    def store(candidate):
        raise OSError

    with pytest.raises(OSError):
        filled.restore(item, store=store)
    assert len(filled.review()) == 1


def test_a_failure_to_record_is_counted_and_never_raised(guard):
    verdict = Verdict(Decision.DROP, "exact")
    assert guard.record(Candidate(FACT), verdict)
    guard.close()
    assert not guard.record(Candidate(FACT), verdict)
    assert guard.status().unrecorded == 1


def test_a_queue_of_no_size_keeps_nothing_and_says_so(open_guard):
    guard = open_guard(review_size=0)
    guard.forget(FACT)
    done = Hooks(guard).extraction([FACT])
    assert (done.decisions[0].action, done.decisions[0].recorded) == (Decision.DROP, False)
    assert guard.review() == ()
    assert guard.status().unrecorded == 1


def test_the_status_counts_and_shows_no_text(filled):
    status = filled.status()
    assert (status.ledger, status.degraded, status.entries, status.pending) == ("ok", False, 1, 0)
    assert status.backend in ("native", "python")
    assert (status.model, status.calibrated) == ("", False)
    assert "vegetarian" not in repr(status)
