"""Forgetting: written down before the host deletes, and nothing deleted that could not be written down."""

from __future__ import annotations

import asyncio

import pytest

from forgetguard.errors import InvalidInput, InvalidText, LedgerFull, TextUnreadable, UnknownEntry
from forgetguard.guard import Decision
from forgetguard.ledger import Fact
from forgetguard.values import Candidate, Origin, Vector

FACT = "User is vegetarian"


def states(guard):
    return [(entry.text, entry.pending) for entry in guard.forgotten()]


def test_a_text_is_recorded_and_committed(guard):
    done = guard.forget(FACT, reason="tool", origin=Origin("agent", "s1"))
    (entry,) = guard.forgotten()
    assert done.ids == (entry.id,)
    assert (entry.text, entry.pending, entry.reason, entry.origin.session_id) == (FACT, False, "tool", "s1")


def test_several_texts_in_several_forms(guard):
    vector = Vector.quantise([1.0, 2.0], "m")
    done = guard.forget([FACT, Candidate("User likes tea"), Fact("User owns a boat", vector)])
    assert [entry.text for entry in guard.forgotten()] == [FACT, "User likes tea", "User owns a boat"]
    assert len(done.ids) == 3
    assert guard.forgotten()[2].vector == vector


def test_forgetting_the_same_twice_leaves_one_entry(guard):
    first, second = guard.forget(FACT), guard.forget([FACT, "User likes tea"])
    assert second.ids[0] == first.ids[0]
    assert len(guard.forgotten()) == 2
    with_vector = guard.forget(FACT, vector=[1.0, 0.5])
    assert with_vector.ids != first.ids


def test_ids_are_fetched_before_anything_is_deleted(guard):
    memory = {"a": FACT, "b": ("User likes tea", Vector.quantise([1.0], "m"))}
    order = []

    def fetch(name):
        order.append(f"read {name}")
        return memory[name]

    done = guard.forget(ids=["a", "b"], fetch=fetch, delete=lambda: order.append("delete"))
    assert order == ["read a", "read b", "delete"]
    assert states(guard) == [(FACT, False), ("User likes tea", False)]
    assert guard.forgotten()[1].vector is not None
    assert len(done.ids) == 2


@pytest.mark.parametrize(
    "answer", [None, "", "  ", 5, RuntimeError("User is vegetarian"), KeyError("x"), (FACT, ["x"])]
)
def test_an_unreadable_text_stops_everything(guard, answer):
    deleted = []

    def fetch(name):
        if name == "bad" and isinstance(answer, Exception):
            raise answer
        return answer if name == "bad" else "User likes tea"

    with pytest.raises(TextUnreadable) as caught:
        guard.forget(ids=["good", "bad"], fetch=fetch, delete=lambda: deleted.append(1))
    assert (deleted, guard.forgotten()) == ([], ())
    assert caught.value.__cause__ is None
    assert "vegetarian" not in str(caught.value)


def test_the_block_sees_a_pending_entry_that_counts_already(guard):
    with guard.forgetting(FACT) as forgetting:
        assert states(guard) == [(FACT, True)]
        assert guard.pending()[0].id == forgetting.ids[0]
        assert guard.check(FACT).action is Decision.DROP
        assert forgetting.state == "intended"
    assert forgetting.state == "committed"
    assert states(guard) == [(FACT, False)]


def test_an_exception_calls_it_off(guard):
    with pytest.raises(OSError, match="disk"), guard.forgetting(FACT) as forgetting:
        raise OSError("disk")
    assert forgetting.state == "aborted"
    assert guard.forgotten() == ()
    with pytest.raises(ValueError, match="no"):
        guard.forget(FACT, delete=lambda: int("no"))
    assert guard.forgotten() == ()


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_being_stopped_leaves_it_pending(guard, stop):
    with pytest.raises(stop), guard.forgetting(FACT) as forgetting:
        raise stop
    assert forgetting.state == "pending"
    assert states(guard) == [(FACT, True)]
    assert not guard.check(FACT).kept


def test_the_owner_settles_what_is_pending(guard):
    for fact in (FACT, "User likes tea"):
        with pytest.raises(KeyboardInterrupt), guard.forgetting(fact):
            raise KeyboardInterrupt
    first, second = guard.pending()
    guard.settle([first.id], deleted=True)
    guard.settle([second.id], deleted=False)
    assert states(guard) == [(FACT, False)]
    with pytest.raises(UnknownEntry):
        guard.settle(["0" * 32], deleted=True)


def test_calling_off_never_ends_an_older_entry(guard):
    guard.forget(FACT)
    with pytest.raises(OSError), guard.forgetting([FACT, "User likes tea"]):
        raise OSError
    assert states(guard) == [(FACT, False)]


def test_a_full_ledger_stops_the_deletion(open_guard):
    guard = open_guard(max_entries=1)
    guard.forget(FACT)
    deleted = []
    with pytest.raises(LedgerFull):
        guard.forget("User likes tea", delete=lambda: deleted.append(1))
    assert deleted == []
    guard.release(guard.forgotten())
    guard.forget("User likes tea")


@pytest.mark.parametrize("text", ["", "  \n", None, 5, [""], [FACT, None], ["x", ""]])
def test_what_is_no_fact_is_refused(guard, text):
    with pytest.raises(InvalidInput):
        guard.forget(text)
    assert guard.forgotten() == ()


def test_the_arguments_go_together(guard):
    for arguments in ({}, {"ids": ["a"]}, {"fetch": str}, {"text": "x", "ids": ["a"], "fetch": str}):
        with pytest.raises(InvalidInput):
            guard.forget(**arguments)
    with pytest.raises(InvalidInput):
        guard.forget(ids="abc", fetch=str)
    with pytest.raises(InvalidText):
        guard.forget(5)
    with pytest.raises(InvalidInput):
        guard.forget(["a b", "c d"], vector=[1.0])


def test_a_megabyte_is_a_fact_too(guard):
    text = "User wrote " + ("lengthy" * 500 + " ") * 299
    guard.forget(text)
    assert guard.forgotten()[0].text == text


def test_the_async_block(guard):
    async def play():
        async with guard.forgetting(FACT) as forgetting:
            assert guard.pending()
        with pytest.raises(OSError):
            async with guard.forgetting("User likes tea"):
                raise OSError
        return forgetting.state

    assert asyncio.run(play()) == "committed"
    assert states(guard) == [(FACT, False)]


def test_a_cancelled_block_stays_pending(guard):
    async def play():
        async with guard.forgetting(FACT):
            await asyncio.sleep(60)

    async def cancel():
        task = asyncio.create_task(play())
        while not guard.pending():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert states(guard) == [(FACT, True)]


def test_every_public_method_has_its_twin(guard):
    own = {name for name in vars(type(guard)) if not name.startswith("_")}
    exempt = {"open", "forgetting", "record", "with_ledger"}
    missing = {name for name in own - exempt if f"a{name}" not in own and not (name[0] == "a" and name[1:] in own)}
    assert missing == set()

    async def play():
        await guard.aforget(FACT)
        return await guard.acheck(FACT), await guard.aremember(FACT), await guard.astatus()

    verdict, remembered, status = asyncio.run(play())
    assert (verdict.action, remembered.release, status.entries) == (Decision.DROP, "done", 0)


def test_what_would_be_found_is_told_before_and_nothing_is_written(guard):
    stored = [{"text": "User likes tea"}, {"text": "The user is a vegetarian"}, {"text": "User owns a red boat"}]
    found = guard.would_find([FACT, "User owns a boat"], stored, among_text="text")
    assert [(one.index, one.item, one.verdict.entry.id) for one in found] == [(1, stored[1], "0"), (2, stored[2], "1")]
    assert guard.forgotten() == ()
    assert [one.index for one in guard.forget([FACT, "User owns a boat"], among=stored, among_text="text").found] == [
        1,
        2,
    ]
    with pytest.raises(InvalidText):
        guard.would_find("?!", stored, among_text="text")
