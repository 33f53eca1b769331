"""Imports from other services: flat facts and conversations, in batches on one chain and one by one on the other."""

from __future__ import annotations

import json

import pytest

from forgetguard.adapters import totalreclaw
from forgetguard.adapters.totalreclaw import NOT_SAVED

FACT = "User is vegetarian"
BEES = "User keeps bees in the garden"
MEMORIES = json.dumps({"memories": [{"id": "1", "memory": FACT}, {"id": "2", "memory": BEES}]})
CHAINS = pytest.mark.parametrize("chain_id", [100, 84532], ids=["batched", "one-by-one"])


def engine(user, **given):
    from totalreclaw.imports.engine import ImportEngine

    return ImportEngine(user.state.get_client(), enable_smart_import=False, **given)


def imported(user, source: str, content: str, **given):
    from totalreclaw.agent.loop_runner import run_sync

    return run_sync(engine(user, **given).process_batch(source, content=content))


def conversation(name: str, *texts: str) -> dict:
    """A conversation of a ChatGPT export: its messages, one under the other."""
    nodes = {"root": {"id": "root", "parent": None, "children": ["0"], "message": None}}
    for at, text in enumerate(texts):
        role = "assistant" if at % 2 else "user"
        message = {
            "author": {"role": role},
            "content": {"content_type": "text", "parts": [text]},
            "create_time": 1e9 + at,
        }
        parent = str(at - 1) if at else "root"
        nodes[str(at)] = {"id": str(at), "parent": parent, "children": [str(at + 1)], "message": message}
    nodes[str(len(texts) - 1)]["children"] = []
    return {
        "conversation_id": name,
        "title": name,
        "create_time": 1e9,
        "mapping": nodes,
        "current_node": str(len(texts) - 1),
    }


@CHAINS
class TestFlatFacts:
    @pytest.fixture(autouse=True)
    def on(self, chain, chain_id):
        chain.chain_id = chain_id

    def test_without_the_guard_it_comes_back(self, diogo):
        assert imported(diogo, "mem0", MEMORIES).facts_stored == 2
        assert set(diogo.stored) == {FACT, BEES}

    def test_with_the_guard_it_does_not(self, diogo, guard, installed):
        guard.forget(FACT)
        result = imported(diogo, "mem0", MEMORIES)
        assert (result.success, result.facts_stored, result.dups_skipped, result.errors) == (True, 1, 1, [])
        assert set(diogo.stored) == {BEES}

    def test_nothing_left_is_a_success(self, diogo, guard, installed, chain):
        guard.forget(FACT)
        result = imported(diogo, "mem0", json.dumps([{"id": "1", "memory": FACT}]))
        assert result.success and not chain.facts

    def test_an_unavailable_ledger_defers_and_says_so(self, diogo, guard, installed, chain, ledger_away):
        ledger_away()
        result = imported(diogo, "mem0", MEMORIES)
        assert (result.success, result.facts_stored, result.errors) == (False, 0, [NOT_SAVED])
        assert not chain.facts
        ledger_away()
        assert guard.status().ledger == "ok"
        assert imported(diogo, "mem0", MEMORIES).facts_stored == 2


class TestConversations:
    """The engine extracts and summarises; what it is done with it does not read again."""

    @pytest.fixture(autouse=True)
    def on_gnosis(self, chain):
        chain.chain_id = 100

    @pytest.fixture
    def bring(self, diogo):
        content = json.dumps(
            [
                conversation("food", "I eat no meat.", "Noted.", "As I am vegetarian.", "Sure."),
                conversation("garden", "My bees are well.", "Good.", "They made honey.", "Lovely."),
            ]
        )

        async def extract(messages, timestamp, **_):
            told = [BEES] if "bees" in str(messages) else [FACT]
            return [{"text": text, "type": "preference", "importance": 8} for text in told]

        async def summarise(prompt):
            about = "Bees and honey" if "bees" in prompt else "Dinner plans"
            outcomes = ["User is vegetarian", f"Talked of {about}"]
            return json.dumps({"title": about, "summary": "User is vegetarian.", "key_outcomes": outcomes})

        return lambda: imported(diogo, "chatgpt", content, llm_extract=extract, llm_completion=summarise)

    def test_without_the_guard_it_comes_back(self, diogo, bring):
        bring()
        assert {FACT, BEES} <= set(diogo.stored)

    def test_facts_are_dropped_and_crystals_scrubbed(self, diogo, guard, installed, bring):
        guard.forget(FACT)
        result = bring()
        assert result.success and BEES in diogo.stored and FACT not in diogo.stored
        for text in diogo.stored:
            assert "vegetarian" not in json.dumps(diogo.claim(text))
        crystals = [text for text in diogo.stored if "subtype" in diogo.claim(text)["metadata"]]
        assert crystals

    def test_a_dropped_conversation_is_done_with_and_a_deferred_one_is_not(
        self, diogo, guard, installed, bring, ledger_away
    ):
        from totalreclaw.imports.state import load_imported_conversations

        guard.forget(FACT)
        ledger_away()
        assert NOT_SAVED in bring().errors
        assert load_imported_conversations("chatgpt") == set()
        ledger_away()
        assert guard.status().ledger == "ok"
        bring()
        assert load_imported_conversations("chatgpt") == {"food", "garden"}


def test_a_vault_that_cannot_be_found_stores_nothing(diogo, chain):
    with totalreclaw.install({}.__getitem__):
        result = imported(diogo, "mem0", MEMORIES)
    assert result.errors == [NOT_SAVED] and not chain.facts
