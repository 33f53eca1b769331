"""LangMem on the guarded store: its memory manager extracts, its tool is called, and the model is a script."""

from __future__ import annotations

import asyncio
import os

import pytest

if os.environ.get("FORGETGUARD_REQUIRE_HOST") != "langgraph":
    pytest.importorskip("langmem")

from langchain_core.messages import AIMessage
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.store.memory import InMemoryStore
from langmem import create_manage_memory_tool, create_memory_store_manager, create_search_memory_tool

from forgetguard.adapters.langgraph import NOT_SAVED, GuardedStore, told
from hosts.scripted_model import ScriptedModel, call, said

FACT = "User is vegetarian"
TURN = {"messages": [{"role": "user", "content": "Book a table; nothing with meat, as I am vegetarian."}]}
OTHER = {"messages": [{"role": "user", "content": "My sister is vegetarian, and I like tea."}]}
DIOGO = ("memories", "diogo")
CONFIG = {"configurable": {"langgraph_user_id": "diogo"}}


def extractor(request: dict) -> dict | str:
    """What a model extracts from the two turns. An answer without a call ends the extraction."""
    heard = said(request)
    if "My sister" in heard:
        return call("Memory", content="User's sister is vegetarian")
    return call("Memory", content=FACT) if "nothing with meat" in heard else "Nothing."


@pytest.fixture
def chat():
    with ScriptedModel(extractor) as model:
        yield ChatOpenAI(model="scripted", base_url=model.base_url, api_key="none", max_retries=0, timeout=20)


def manager(chat, store):
    return create_memory_store_manager(chat, namespace=("memories", "{langgraph_user_id}"), store=store)


def contents(store) -> list[str]:
    return sorted(item.value["content"]["content"] for item in store.search(DIOGO))


def test_the_manager_brings_it_back_unguarded_and_not_guarded(chat, guard):
    inner = InMemoryStore()
    manager(chat, inner).invoke(TURN, config=CONFIG)
    assert contents(inner) == [FACT]
    for item in inner.search(DIOGO):
        inner.delete(DIOGO, item.key)
    manager(chat, inner).invoke(TURN, config=CONFIG)
    assert contents(inner) == [FACT], "the extraction must bring it back, or this proves nothing"

    store = GuardedStore(inner, vault=guard)
    (item,) = store.search(DIOGO)
    store.forget(DIOGO, item.key)
    manager(chat, store).invoke(TURN, config=CONFIG)
    assert contents(inner) == []
    manager(chat, store).invoke(OTHER, config=CONFIG)
    assert contents(inner) == ["User's sister is vegetarian"]

    store.remember(DIOGO, "m", {"kind": "Memory", "content": {"content": FACT}})
    assert contents(store) == ["User is vegetarian", "User's sister is vegetarian"]


def test_the_manager_awaited(chat, guard):
    guard.forget(FACT)
    store = GuardedStore(InMemoryStore(), vault=guard)

    async def run():
        await manager(chat, store).ainvoke(TURN, config=CONFIG)
        await manager(chat, store).ainvoke(OTHER, config=CONFIG)

    asyncio.run(run())
    assert contents(store) == ["User's sister is vegetarian"]


def graph(store):
    tool = told(create_manage_memory_tool(namespace=("memories", "{langgraph_user_id}")))
    builder = StateGraph(MessagesState)
    builder.add_node(
        "tools", ToolNode([tool, create_search_memory_tool(namespace=("memories", "{langgraph_user_id}"))])
    )
    builder.add_edge(START, "tools").add_edge("tools", END)
    return builder.compile(store=store)


def turn(name: str, **arguments: object) -> dict:
    message = call(name, **arguments)
    return {
        "messages": [
            AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": message["tool_calls"][0]["id"]}])
        ]
    }


def answer(state: dict) -> str:
    return state["messages"][-1].content


def test_the_tool_says_that_it_did_not_save(guard):
    inner = InMemoryStore()
    assert answer(graph(inner).invoke(turn("manage_memory", content=FACT), CONFIG)).startswith("created memory")
    store = GuardedStore(inner, vault=guard)
    store.forget(DIOGO, store.search(DIOGO)[0].key)
    guarded = graph(store)
    assert answer(guarded.invoke(turn("manage_memory", content=FACT), CONFIG)) == NOT_SAVED
    assert answer(asyncio.run(guarded.ainvoke(turn("manage_memory", content=FACT), CONFIG))) == NOT_SAVED
    assert inner.search(DIOGO) == []
    assert answer(guarded.invoke(turn("manage_memory", content="User likes tea"), CONFIG)).startswith("created memory")


def test_an_update_by_the_tool_leaves_what_is_there(guard):
    guard.forget(FACT)
    store = GuardedStore(InMemoryStore(), vault=guard)
    guarded = graph(store)
    guarded.invoke(turn("manage_memory", content="User likes tea"), CONFIG)
    key = store.search(DIOGO)[0].key
    update = turn("manage_memory", action="update", id=key, content="User likes tea and is vegetarian")
    assert answer(guarded.invoke(update, CONFIG)) == NOT_SAVED
    assert store.get(DIOGO, key).value == {"content": "User likes tea"}
    guarded.invoke(turn("manage_memory", action="delete", id=key), CONFIG)
    assert store.get(DIOGO, key) is None
    assert len(guard.forgotten()) == 1


def test_the_search_tool_does_not_show_it(guard):
    inner = InMemoryStore()
    inner.put(DIOGO, "m", {"content": FACT})
    guard.forget(FACT)
    found = answer(graph(GuardedStore(inner, vault=guard)).invoke(turn("search_memory", query="diet"), CONFIG))
    assert found == "[]"
