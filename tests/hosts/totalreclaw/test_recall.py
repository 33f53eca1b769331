"""What the model is shown of a vault that still holds what is forgotten, under other ids and in summaries."""

from __future__ import annotations

import asyncio

import pytest

from forgetguard.adapters import totalreclaw
from hosts.scripted_model import said

FACT = "User is vegetarian"
SUMMARY = "User is vegetarian. The user planned a trip to Porto."
QUERY = "What does the user eat, and where does the user travel?"


@pytest.fixture
def vault(diogo, guard):
    """A vault that was written before the guard came; and the fact is forgotten."""
    from totalreclaw.agent.loop_runner import run_sync

    diogo.turn("I am vegetarian and keep bees.", FACT, "User keeps bees")
    run_sync(diogo.state.get_client().remember(SUMMARY, fact_type="summary"))
    guard.forget(FACT)


def tool(user) -> str:
    return str(user.tool("recall", query=QUERY)["memories"])


def prefetched(user) -> str:
    from totalreclaw.hermes.memory_provider import TotalReclawMemoryProvider

    return TotalReclawMemoryProvider(user.state).prefetch(QUERY)


def awaited(user) -> str:
    from totalreclaw.agent import auto_recall_async

    return asyncio.run(auto_recall_async(QUERY, user.state))


EVERY = pytest.mark.parametrize("look", [tool, prefetched, awaited])


@EVERY
def test_without_the_guard_it_is_shown(diogo, vault, look):
    assert "vegetarian" in look(diogo)


@EVERY
def test_with_the_guard_it_is_not_and_the_rest_is(diogo, vault, installed, look):
    shown = look(diogo)
    assert "vegetarian" not in shown and "bees" in shown and "Porto" in shown


@EVERY
def test_reads_pass_while_the_ledger_is_unavailable(diogo, vault, installed, ledger_away, look):
    ledger_away()
    assert "vegetarian" in look(diogo) and "bees" in look(diogo)


def test_reads_pass_where_there_is_no_vault(diogo, vault):
    with totalreclaw.install({}.__getitem__):
        assert "vegetarian" in tool(diogo)


def test_nothing_left_is_nothing_found(diogo, guard, installed):
    from totalreclaw.agent.loop_runner import run_sync

    run_sync(diogo.state.get_client().remember(FACT))
    guard.forget(FACT)
    assert diogo.tool("recall", query=QUERY) == {"count": 0, "memories": []}
    assert prefetched(diogo) == ""


def test_the_hosts_extraction_sees_it_and_can_delete_it(diogo, vault, installed, served, chain):
    target = diogo.stored[FACT]
    diogo.turn("I eat meat again.", {"text": FACT, "action": "DELETE", "existingFactId": target})
    assert f"[ID: {target}] {FACT}" in said(served.requests[-1])
    assert chain.deletes == [target]
