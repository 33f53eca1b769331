"""mem0's own Memory: what comes back without the guard, and does not with it."""

from __future__ import annotations

import contextlib

import pytest
from mem0 import Memory

from forgetguard.adapters.mem0 import NOT_UPDATED, GuardedMemory, Scope, guard_memory
from forgetguard.errors import InvalidInput, LedgerUnavailable, Refused, TextUnreadable
from forgetguard.guard import ForgetGuard
from hosts.scripted_model import said

FACT = "User is vegetarian"
TURN = "Book a table for two; nothing with meat for me."
UNRELATED = "What is the weather in Porto?"
DIOGO = {"user_id": "diogo"}


@pytest.fixture
def memory(config):
    with Memory.from_config(config) as one:
        yield one


@pytest.fixture
def guarded(memory, guard) -> GuardedMemory:
    return guard_memory(memory, vault=guard)


def texts(memory, **scope) -> list[str]:
    return sorted(one["memory"] for one in memory.get_all(filters=scope or DIOGO)["results"])


def stored(memory) -> list[str]:
    """What lies in the vector store, whatever a read shows."""
    return sorted(row.payload["data"] for row in memory.vector_store.list()[0])


def the_id(memory) -> str:
    (only,) = memory.get_all(filters=DIOGO)["results"]
    return only["id"]


def test_unguarded_a_turn_that_restates_and_an_unrelated_one_bring_it_back(memory):
    for turn in (TURN, UNRELATED):
        memory.add(TURN, **DIOGO)
        memory.delete_all(**DIOGO)
        assert texts(memory) == []
        memory.add(turn, **DIOGO)
        assert texts(memory) == [FACT]
        memory.reset()


def test_guarded_neither_does_and_remember_brings_it_back(memory, guarded, model):
    memory.add(TURN, **DIOGO)
    assert texts(memory) == [FACT]
    assert len(guarded.forget(the_id(memory))) == 1
    assert memory.add(TURN, **DIOGO) == {"results": [], "not_saved": 1}
    assert memory.add(UNRELATED, **DIOGO)["results"] == []
    assert stored(memory) == []

    guarded.remember(FACT, **DIOGO)
    assert texts(memory) == [FACT]
    memory.add("That was green tea, and nothing with meat.", **DIOGO)
    assert texts(memory) == [FACT, "User likes green tea"]


def test_the_turn_that_asks_to_forget_is_neither_stored_nor_replayed(memory, guarded, model):
    memory.add("I am vegetarian, so nothing with meat. Where can I park?", **DIOGO)
    guarded.forget(the_id(memory))
    memory.add("Please forget that I am vegetarian.", **DIOGO)
    memory.add("As I said, I am vegetarian. Which trains go to Braga?", **DIOGO)
    memory.add(UNRELATED, **DIOGO)
    replayed = said(model.requests[-1], "user")
    assert "Where can I park?" in replayed, "kept before, shortened when it is replayed"
    assert "Which trains go to Braga?" in replayed
    assert "vegetarian" not in replayed
    assert stored(memory) == []
    kept = [text for (text,) in memory.db.part.connection.execute("SELECT content FROM messages ORDER BY rowid")]
    assert "vegetarian" in kept[0]
    assert not any("vegetarian" in text for text in kept[1:]), "shortened when it is kept"


def test_a_new_value_and_another_subject_are_stored(memory, guarded, guard):
    guard.forget(FACT)
    memory.add("I am vegan now, and no meat for my sister.", **DIOGO)
    assert texts(memory) == ["User is vegan", "User's sister is vegetarian"]


def test_one_users_vault_does_not_touch_anothers(memory, guard, tmp_path, key):
    asked = []
    with ForgetGuard.open(tmp_path / "ines" / "ledger.sqlite", key=key, create=True, strict=True) as other:

        def vault(scope: Scope) -> ForgetGuard:
            asked.append(scope)
            return guard if scope.user_id == "diogo" else other

        guard_memory(memory, vault=vault)
        guard.forget(FACT)
        memory.add(TURN, **DIOGO)
        memory.add(TURN, user_id=" ines ", agent_id="a")
        assert texts(memory) == []
        assert texts(memory, user_id="ines") == [FACT]
    assert set(asked) == {Scope("diogo"), Scope("ines", "a")}


def test_stored_raw_it_is_left_out(memory, guarded, guard):
    guard.forget(FACT)
    turns = [{"role": "user", "content": text} for text in ("I am vegetarian", "I like green tea")]
    answer = memory.add(turns, infer=False, **DIOGO)
    assert [one["memory"] for one in answer["results"]] == ["I like green tea"]
    assert answer["not_saved"] == 1
    assert memory.add("I am vegetarian", infer=False, **DIOGO) == {"results": [], "not_saved": 1}
    assert texts(memory) == ["I like green tea"]
    assert [item.text for item in guard.review()] == ["I am vegetarian", "I am vegetarian"]
    assert memory.db.part.connection.execute("SELECT count(*) FROM history").fetchone() == (1,)


def test_a_message_of_parts_is_left_out_like_any_other(memory, guarded, guard):
    guard.forget(FACT)
    parts = [{"type": "text", "text": "I am"}, {"type": "text", "text": "vegetarian"}]
    turns = [{"role": "user", "content": parts}, {"role": "user", "content": "I like green tea"}]
    answer = memory.add(turns, infer=False, **DIOGO)
    assert [one["memory"] for one in answer["results"]] == ["I like green tea"]
    assert answer["not_saved"] == 1


@pytest.mark.parametrize("name", ["text", "data"])
def test_an_update_that_restates_leaves_what_is_there(memory, guarded, guard, name):
    guard.forget(FACT)
    memory.add("I like green tea", infer=False, **DIOGO)
    key = the_id(memory)
    assert memory.update(key, **{name: "User is vegetarian and likes green tea"}) == {"message": NOT_UPDATED}
    assert texts(memory) == ["I like green tea"]
    assert [one["event"] for one in memory.history(key)] == ["ADD"]
    assert guard.review()[0].candidate.target == key
    memory.update(key, "I like black tea")
    assert texts(memory) == ["I like black tea"]


def test_a_write_by_no_known_way_is_stopped_at_the_store(memory, guarded, guard):
    memory.add("I like green tea", infer=False, **DIOGO)
    guard.forget(["I like green tea", FACT])
    with pytest.raises(Refused):
        memory._create_memory(FACT, {}, dict(DIOGO))
    (row,) = memory.vector_store.list()[0]
    assert memory.update(row.id, metadata={"seen": True}) == {"message": NOT_UPDATED}
    assert memory.history(row.id)[-1]["event"] == "ADD"


def test_of_a_procedural_memory_the_clause_is_cut(memory, guarded, guard):
    guard.forget(FACT)
    memory.add(TURN, agent_id="a", memory_type="procedural_memory")
    (text,) = texts(memory, agent_id="a")
    assert "booked a table" in text
    assert "vegetarian" not in text


def test_reads_do_not_show_it_and_deletes_find_it(memory, guarded, guard):
    memory.add(TURN, **DIOGO)
    memory.add("I like green tea", infer=False, **DIOGO)
    found = memory.search("who is vegetarian", filters=DIOGO)["results"]
    assert FACT in [one["memory"] for one in found]
    guard.forget(FACT)
    (gone,) = [one["id"] for one in found if one["memory"] == FACT]
    assert [one["memory"] for one in memory.search("who is vegetarian", filters=DIOGO)["results"]] != [FACT]
    assert memory.get(gone) is None
    assert texts(memory) == ["I like green tea"]
    memory.delete(gone)
    assert stored(memory) == ["I like green tea"]


def test_what_mem0_finds_for_its_model_is_not_shown_to_it(memory, guarded, guard, model):
    memory.add(FACT, infer=False, **DIOGO)
    guard.forget(FACT)
    memory.add("Is it vegetarian?", **DIOGO)
    assert FACT not in said(model.requests[-1], "user")


def test_housekeeping_deletes_record_nothing(memory, guarded, guard):
    memory.add(TURN, **DIOGO)
    memory.delete(the_id(memory))
    memory.add(TURN, **DIOGO)
    memory.delete_all(**DIOGO)
    assert guard.forgotten() == ()
    memory.add(TURN, **DIOGO)
    assert texts(memory) == [FACT]


def test_without_the_ledger_nothing_is_stored_reads_go_on_and_nothing_is_lost(memory, guarded, path):
    memory.add("I like green tea", infer=False, **DIOGO)
    away = path.with_suffix(".away")
    path.rename(away)
    answer = memory.add(TURN, **DIOGO)
    assert answer["results"] == []
    assert answer["not_saved"] >= 1
    assert texts(memory) == ["I like green tea"]
    assert memory.search("green tea", filters=DIOGO)["results"]
    assert memory.update(the_id(memory), "I like black tea") == {"message": NOT_UPDATED}
    with pytest.raises(LedgerUnavailable):
        guarded.forget(the_id(memory))
    assert texts(memory) == ["I like green tea"]
    guarded.remember("User has a dog", **DIOGO)
    assert len(texts(memory)) == 2
    away.rename(path)
    memory.add(UNRELATED, **DIOGO)
    assert FACT in texts(memory)


def test_forgetting_takes_the_entities_along_in_a_fresh_process(memory, guarded):
    memory.add("User flies to Lisbon with Maria", infer=False, **DIOGO)
    key = the_id(memory)
    memory._upsert_entity("Maria", "PERSON", key, DIOGO)
    entities = memory.entity_store
    memory._entity_store = None
    guarded.forget(key)
    assert entities.list()[0] == []


def test_it_is_guarded_after_a_reset_too(memory, guarded, guard):
    guard.forget(FACT)
    memory.reset()
    memory.add(TURN, **DIOGO)
    memory.add("I am vegetarian. Which trains go to Braga?", **DIOGO)
    memory.add(FACT, infer=False, **DIOGO)
    assert stored(memory) == []
    kept = memory.db.part.connection.execute("SELECT content FROM messages").fetchall()
    assert kept == [(TURN,), ("Which trains go to Braga?",)]


def test_what_cannot_be_guarded_is_refused(memory, guarded, guard):
    for other in (memory, object()):
        with pytest.raises(InvalidInput):
            guard_memory(other, vault=guard)
    with pytest.raises(TextUnreadable):
        guarded.forget("00000000-0000-0000-0000-000000000000")


@pytest.mark.parametrize(
    "answer", ["", "no json", "[]", '{"memory": 3}', '{"memory": ["text"]}', '```json\n{"memory": []}\n```']
)
def test_odd_answers_of_the_model_are_mem0s_business(memory, guarded, guard, model, answer):
    guard.forget(FACT)
    model.script = lambda request: answer
    with contextlib.suppress(AttributeError, TypeError):
        memory.add(TURN, **DIOGO)
    assert stored(memory) == []


def test_an_answer_in_a_code_block_is_read(memory, guarded, guard, model):
    guard.forget(FACT)
    model.script = lambda request: (
        f'Here it is:\n```json\n{{"memory": [{{"text": "{FACT}"}}, {{"text": "User likes tea"}}]}}\n```'
    )
    memory.add(TURN, **DIOGO)
    assert texts(memory) == ["User likes tea"]
