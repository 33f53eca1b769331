"""The hooks: what a host may carry out, what its owner finds again, and which sessions are read at all."""

from __future__ import annotations

import asyncio
from math import sqrt

import pytest

from forgetguard.errors import Forgotten, InvalidInput, StoreUnreadable
from forgetguard.guard import HOLD_UNRECORDED, Decision
from forgetguard.hooks import Hooks
from forgetguard.ledger import Fact
from forgetguard.provenance import Policy, ProvenanceStore, Session
from forgetguard.values import Action, Candidate, Origin, OriginClass, Vector

FACT = "User is vegetarian"
LONG = "Inês proposed PgBouncer for connection pooling in the March planning meeting"
RETOLD = "At the March planning meeting Inês argued that PgBouncer handles pooling better than the built in proxy"
NEAR = Vector.quantise([1.0, 0.0], "m")


@pytest.fixture
def hooks(guard):
    guard.forget(FACT)
    return Hooks(guard)


def held(guard):
    """A candidate that is held, not dropped: some words shared, at the middling similarity that the rules hold at."""
    guard.forget(Fact(LONG, NEAR))
    for cosine in (number / 100 for number in range(78, 100)):
        candidate = Candidate(RETOLD, vector=Vector.quantise([cosine, sqrt(1 - cosine**2)], "m"))
        if guard.check(candidate).action is Decision.HOLD:
            return candidate
    raise AssertionError("nothing is held")


def test_a_restated_add_and_a_note_are_dropped_and_recorded(hooks):
    note = "User previously identified as vegetarian and asked for that record to be removed"
    done = hooks.extraction([FACT, note, "User likes tea"])
    assert [one.text for one in done.store] == ["User likes tea"]
    assert [one.text for one in done.dropped] == [FACT, note]
    assert [one.recorded for one in done.decisions] == [True, True, False]
    assert [item.text for item in hooks.guard.review()] == [FACT, note]
    assert done.held == done.deferred == ()
    assert done.refused is None


def test_a_dropped_update_is_not_carried_out_and_its_target_is_kept(hooks):
    update = Candidate("User is vegetarian and likes tea", Action.UPDATE, target="m1")
    delete = Candidate(FACT, Action.DELETE, target="m2")
    done = hooks.extraction([update, delete, Candidate("", Action.NOOP)])
    assert [one.action for one in done.store] == [Action.DELETE, Action.NOOP]
    assert hooks.guard.review()[0].candidate.target == "m1"


def test_only_forget_records(hooks):
    before = hooks.guard.forgotten()
    hooks.extraction(
        [Candidate("User likes tea", Action.UPDATE, target="m"), Candidate("x", Action.DELETE, target="m")]
    )
    hooks.remember("User likes tea", explicit=False)
    hooks.remember("User likes tea", explicit=True)
    hooks.debrief("User likes tea.")
    assert hooks.guard.forgotten() == before


def test_a_held_candidate_waits_for_its_owner(open_guard):
    guard = open_guard()
    candidate = held(guard)
    done = Hooks(guard).extraction([candidate])
    assert (done.store, done.held) == ((), (candidate,))
    (item,) = guard.review()
    assert (item.action, item.candidate) == ("hold", candidate)
    assert guard.status().held == 1


@pytest.mark.parametrize(
    ("setting", "action"),
    [
        ("keep", Decision.KEEP),
        ("drop", Decision.DROP),
        (lambda candidate, verdict: "keep" if verdict.reason == "anchor" else "drop", Decision.KEEP),
        (lambda candidate, verdict: 1 / 0, Decision.HOLD),
        (lambda candidate, verdict: "no such thing", Decision.HOLD),
    ],
)
def test_the_setting_decides_on_what_is_held(open_guard, setting, action):
    guard = open_guard(on_hold=setting)
    candidate = held(guard)
    done = Hooks(guard).extraction([candidate])
    assert done.decisions[0].action is action
    assert len(guard.review()) == (0 if action is Decision.KEEP else 1)


@pytest.mark.parametrize(("setting", "action"), [("keep", Decision.KEEP), ("drop", Decision.DROP)])
def test_what_cannot_be_kept_for_review(open_guard, setting, action):
    guard = open_guard(review_size=0, hold_unrecorded=setting)
    decided = Hooks(guard).extraction([held(guard)]).decisions[0]
    assert (decided.action, decided.reason, decided.recorded) == (action, HOLD_UNRECORDED, False)


def test_a_debrief_loses_the_clause_and_keeps_the_rest(hooks):
    done = hooks.debrief("- The user is vegetarian.\n- They cook on Friday.")
    assert [one.start for one in done.cuts] == [2]
    assert "vegetarian" not in done.text
    assert "They cook on Friday." in done.text
    assert (done.removed, done.empty) == (1, False)
    assert "vegetarian" in hooks.guard.review()[0].text


def test_a_debrief_without_narrative_is_nothing_to_store(hooks):
    done = hooks.debrief("- The user is vegetarian.")
    assert (done.text, done.empty, done.removed) == (None, True, 1)
    assert hooks.debrief({"notes": [FACT]}).empty
    tree = hooks.debrief({"notes": [FACT, "User likes tea"]})
    assert (tree.value, tree.removed) == ({"notes": ["User likes tea"]}, 1)


def test_only_an_explicit_remember_releases(hooks):
    mirrored = hooks.remember(FACT, explicit=False)
    assert (mirrored.store, mirrored.release) == (False, "never")
    assert len(hooks.guard.forgotten()) == 1
    explicit = hooks.remember(FACT, explicit=True)
    assert (explicit.store, explicit.release, len(explicit.entries)) == (True, "done", 1)
    assert hooks.remember(FACT, explicit=False).store


def test_an_unavailable_ledger_defers_writes_and_withholds_summaries(hooks):
    hooks.guard.close()
    done = hooks.extraction([FACT, Candidate("x", Action.DELETE)])
    assert ([one.text for one in done.deferred], len(done.store)) == ([FACT], 1)
    debrief = hooks.debrief("User likes tea.")
    assert (debrief.text, debrief.reason, debrief.degraded) == (None, "closed", True)
    assert not hooks.remember(FACT, explicit=False).store
    assert hooks.remember(FACT, explicit=True).release == "pending"


@pytest.fixture
def store(tmp_path):
    return ProvenanceStore(tmp_path / "origins.sqlite", "main", policy=Policy(channels=frozenset({"mail"})))


ALICE = Session("s1", "agent:main:alice", "main")
MAIL = Session("s2", "agent:main:mail", "main", channel="mail")


def test_an_excluded_or_forgotten_session_is_not_read(hooks, store):
    guarded = Hooks(hooks.guard, sessions=store)
    assert [one.text for one in guarded.extraction(["User likes tea"], session=ALICE).store] == ["User likes tea"]
    assert guarded.extraction(["User likes tea"], session=MAIL).refused == "channel:mail"
    assert guarded.extraction(["User likes tea"], session=MAIL, purpose="backfill").refused is None
    store.bury(["s1"])
    refused = guarded.extraction([FACT, Candidate("x", Action.DELETE)], session=ALICE)
    assert (refused.refused, refused.decisions, refused.store) == ("forgotten", (), ())
    assert guarded.debrief("User likes tea.", session=ALICE).reason == "forgotten"
    assert not guarded.remember("User likes tea", explicit=False, session=ALICE).store
    assert guarded.remember("User likes tea", explicit=True, session=ALICE).store
    assert hooks.guard.review() == ()


def test_publishing_asks_again_and_records_the_lineage(hooks, store):
    guarded = Hooks(hooks.guard, sessions=store)
    origin = Origin("main", "s1", "agent:main:alice", OriginClass.OWNER, 1.0)
    assert guarded.extraction(["User likes tea"], session=ALICE).store
    guarded.publish(ALICE, {"m1": [origin]})
    assert store.entries_of(["s1"]) == {"m1"}
    assert guarded.extraction(["User likes tea"], session=ALICE).store
    store.bury(["s1"])
    with pytest.raises(Forgotten):
        guarded.publish(ALICE, {"m2": [origin]})
    assert store.entries_of(["s1"]) == {"m1"}


def test_a_session_needs_a_store(hooks):
    with pytest.raises(InvalidInput):
        hooks.extraction([FACT], session=ALICE)
    with pytest.raises(InvalidInput):
        hooks.publish(ALICE, {})


def test_a_store_that_cannot_be_read_blocks(hooks):
    class Broken:
        def admit(self, session, purpose):
            raise StoreUnreadable("the store cannot be read")

    done = Hooks(hooks.guard, sessions=Broken()).extraction(["User likes tea"], session=ALICE)
    assert (done.refused, done.store) == ("unreadable", ())


def test_the_twins(hooks):
    async def play():
        done = await hooks.aextraction([FACT])
        debrief = await hooks.adebrief(FACT)
        return done.dropped, debrief.empty, (await hooks.aremember(FACT, explicit=True)).release

    dropped, empty, release = asyncio.run(play())
    assert (len(dropped), empty, release) == (1, True, "done")


@pytest.mark.parametrize("given", [FACT, FACT.encode(), Candidate(FACT), None, 5])
def test_a_single_text_is_no_series_of_letters(hooks, given):
    with pytest.raises(InvalidInput):
        hooks.extraction(given)
    with pytest.raises(InvalidInput):
        hooks.guard.filter(given)
    with pytest.raises(InvalidInput):
        hooks.guard.sweep(given)


@pytest.mark.parametrize(
    "fields",
    [
        {"action": "add"},
        {"action": None},
        {"target": 5},
        {"origin": "s1"},
        {"vector": [1.0]},
        {"vector": Vector("ab", 1.0)},
        {"vector": Vector(b"ab", float("nan"))},
        {"vector": Vector(b"", 1.0)},
        {"vector": Vector(b"ab", 1.0, 5)},
    ],
)
def test_a_candidate_with_a_field_of_another_kind_is_refused_when_it_is_made(fields):
    with pytest.raises(InvalidInput):
        Candidate(FACT, **fields)


@pytest.mark.parametrize("origin", [Origin(observed_at=None), Origin(origin_class="user"), Origin(1, 2, 3)])
def test_what_the_queue_cannot_hold_is_dropped_all_the_same_and_counted(hooks, origin):
    done = hooks.extraction([Candidate(FACT, origin=origin), "User likes tea"])
    assert [one.text for one in done.store] == ["User likes tea"]
    assert not done.decisions[0].recorded
    assert hooks.guard.status().unrecorded == 1
