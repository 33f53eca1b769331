"""The store in front of LangGraph's own stores: what passes, what does not, whose vault, and what reads show."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
from langchain_core.tools import StructuredTool
from langgraph.store.memory import InMemoryStore

import forgetguard
from forgetguard.adapters.langgraph import NOT_SAVED, GuardedStore, told
from forgetguard.adapters.langgraph.documents import facts, readings
from forgetguard.errors import LedgerUnavailable, TextUnreadable
from forgetguard.guard import ForgetGuard
from forgetguard.keys import Key
from hosts.scripted_model import embed

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(forgetguard.__file__).parents[1])}
FACT = "User is vegetarian"
DIOGO, INES = ("memories", "diogo"), ("memories", "ines")


def document(text: str) -> dict:
    return {"kind": "Memory", "content": {"content": text}}


def texts(items) -> list[str]:
    return sorted(item.value["content"]["content"] for item in items)


def sqlite_store(**options):
    from langgraph.store.sqlite import SqliteStore

    store = SqliteStore(sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None), **options)
    store.setup()
    return store


# `make test` has LangGraph itself; its other packages are in the environment of `make test-hosts`, which wants them.
WHOLE = os.environ.get("FORGETGUARD_REQUIRE_HOST") == "langgraph" or find_spec("langgraph.store.sqlite") is not None


@pytest.fixture(params=[InMemoryStore, *([sqlite_store] if WHOLE else [])], ids=lambda made: made.__name__)
def inner(request):
    return request.param()


@pytest.fixture
def store(inner, guard):
    return GuardedStore(inner, vault=guard)


def test_without_the_guard_it_comes_back_with_it_not_and_remember_brings_it_back(inner, store):
    inner.put(DIOGO, "m1", document(FACT))
    inner.delete(DIOGO, "m1")
    inner.put(DIOGO, "m2", document("The user is a vegetarian"))
    assert texts(inner.search(DIOGO)) == ["The user is a vegetarian"]

    assert len(store.forget(DIOGO, "m2")) == 1
    assert inner.search(DIOGO) == []
    store.put(DIOGO, "m3", document(FACT))
    store.put(DIOGO, "m4", document("User is vegetarian and lives in Porto"))
    assert inner.search(DIOGO) == []

    store.remember(DIOGO, "m5", document(FACT))
    assert texts(store.search(DIOGO)) == [FACT]
    store.put(DIOGO, "m6", document("The user is a vegetarian"))
    assert len(store.search(DIOGO)) == 2


def test_a_new_value_and_another_subject_are_stored(store, guard):
    guard.forget(FACT)
    kept = ["User is vegan", "User's sister is vegetarian", "User is not vegetarian"]
    for number, text in enumerate(kept):
        store.put(DIOGO, str(number), document(text))
    assert texts(store.search(DIOGO)) == sorted(kept)


def test_one_users_vault_does_not_touch_anothers(inner, guard, tmp_path, key):
    with ForgetGuard.open(tmp_path / "ines" / "ledger.sqlite", key=key, create=True, strict=True) as other:
        store = GuardedStore(inner, vault=lambda namespace: guard if namespace[1] == "diogo" else other)
        guard.forget(FACT)
        store.put(DIOGO, "m", document(FACT))
        store.put(INES, "m", document(FACT))
        assert [item.namespace for item in store.search(("memories",))] == [INES]
        inner.put(DIOGO, "m", document(FACT))
        assert [item.namespace for item in store.search(("memories",))] == [INES]
        assert store.list_namespaces() == [DIOGO, INES]


def test_a_dropped_put_leaves_what_is_there(store, guard):
    store.put(DIOGO, "m", document("User likes tea"))
    guard.forget(FACT)
    store.put(DIOGO, "m", document("User likes tea and is vegetarian"))
    assert texts([store.get(DIOGO, "m")]) == ["User likes tea"]
    assert [item.candidate.target for item in guard.review()] == ["m"]


def test_a_delete_passes_and_records_nothing(store, guard):
    guard.forget(FACT)
    store.inner.put(DIOGO, "m", document(FACT))
    store.delete(DIOGO, "m")
    assert store.inner.get(DIOGO, "m") is None
    assert len(guard.forgotten()) == 1


def test_reads_do_not_show_what_was_forgotten(store, guard):
    store.put(DIOGO, "m", document(FACT))
    store.put(DIOGO, "n", document("User likes tea"))
    guard.forget(FACT)
    assert store.get(DIOGO, "m") is None
    assert texts(store.search(DIOGO)) == ["User likes tea"]


def test_without_the_ledger_nothing_is_stored_and_reads_show_all(store, guard, path):
    store.put(DIOGO, "m", document(FACT))
    assert not store.degraded(DIOGO)
    path.rename(path.with_suffix(".away"))
    assert store.degraded(DIOGO)
    store.put(DIOGO, "n", document("User likes tea"))
    assert texts(store.search(DIOGO)) == [FACT]
    with pytest.raises(LedgerUnavailable):
        store.forget(DIOGO, "m")
    assert store.get(DIOGO, "m") is not None
    store.remember(DIOGO, "n", document("User likes tea"))
    assert len(store.search(DIOGO)) == 2


def test_awaited_it_is_the_same(guard):
    async def run():
        store = GuardedStore(InMemoryStore(), vault=guard)
        await store.aput(DIOGO, "m", document(FACT))
        await store.aforget(DIOGO, "m")
        await asyncio.gather(*(store.aput(DIOGO, str(n), document(FACT)) for n in range(5)))
        assert await store.asearch(DIOGO) == []
        await store.aput(DIOGO, "n", document("User likes tea"))
        await store.aremember(DIOGO, "m", document(FACT))
        assert (await store.aget(DIOGO, "m")).value == document(FACT)
        await store.adelete(DIOGO, "m")
        assert texts(await store.asearch(DIOGO)) == ["User likes tea"]

    asyncio.run(run())


@pytest.mark.skipif(not WHOLE, reason="langgraph-checkpoint-sqlite is not installed")
def test_in_front_of_a_store_that_batches_by_itself(guard):
    async def run():
        from langgraph.store.sqlite.aio import AsyncSqliteStore

        async with AsyncSqliteStore.from_conn_string(":memory:") as inner:
            store = GuardedStore(inner, vault=guard)
            await store.setup()
            guard.forget(FACT)
            await asyncio.gather(
                *(store.aput(DIOGO, str(n), document(text)) for n, text in enumerate((FACT, "Likes tea")))
            )
            await store.aremember(DIOGO, "m", document("User has a dog"))
            assert texts(await store.asearch(DIOGO)) == ["Likes tea", "User has a dog"]
            await store.aforget(DIOGO, "m")
            assert texts(await asyncio.to_thread(store.search, DIOGO)) == ["Likes tea"]

    asyncio.run(run())


def test_a_batch_answers_in_its_order(store, guard):
    from langgraph.store.base import GetOp, PutOp

    guard.forget(FACT)
    store.put(DIOGO, "n", document("User likes tea"))
    puts = [PutOp(DIOGO, "a", document(FACT)), PutOp(DIOGO, "b", document("User has a dog"))]
    answers = store.batch([puts[0], GetOp(DIOGO, "n"), puts[1]])
    assert [answers[0], answers[2]] == [None, None]
    assert texts([answers[1]]) == ["User likes tea"]
    assert store.batch([puts[0]]) == [None]
    assert store.inner.get(DIOGO, "b") is not None


def test_index_and_lifetime_are_passed_on(guard):
    index = {"dims": 256, "embed": lambda batch: [embed(text) for text in batch], "fields": ["content.content"]}
    store = GuardedStore(InMemoryStore(index=index), vault=guard)
    store.put(DIOGO, "m", document("User likes green tea"))
    store.put(DIOGO, "n", document("User has a dog"))
    store.put(DIOGO, "o", document("User drinks green tea"), index=False)
    assert [item.key for item in store.search(DIOGO, query="green tea", limit=1)] == ["m"]
    with pytest.raises(NotImplementedError):
        store.put(DIOGO, "m", document("x"), ttl=1.0)


@pytest.mark.skipif(not WHOLE, reason="langgraph-checkpoint-sqlite is not installed")
def test_lifetimes_are_the_inner_stores(guard):
    inner = sqlite_store(ttl={"default_ttl": 7.0})
    store = GuardedStore(inner, vault=guard)
    store.put(DIOGO, "m", document("User likes tea"))
    store.put(DIOGO, "n", document("User has a dog"), ttl=3.0)
    store.remember(DIOGO, "o", document("User has a cat"))
    assert inner.conn.execute("SELECT key, ttl_minutes FROM store ORDER BY key").fetchall() == [
        ("m", 7.0),
        ("n", 3.0),
        ("o", 7.0),
    ]


def test_what_else_the_inner_store_offers_is_there(store):
    assert not hasattr(store, "_no_such_name")
    if hasattr(store.inner, "sweep_ttl"):
        assert store.sweep_ttl() == 0


def test_fields_are_read_with_their_names(store, guard):
    guard.forget(["User's favorite color is teal", "User lives in Lisbon"])
    triple = {"kind": "Triple", "content": {"subject": "user", "predicate": "lives_in", "object": "Lisbon"}}
    store.put(DIOGO, "a", triple)
    store.put(DIOGO, "b", {"name": "Diogo", "favorite_color": "teal"})
    store.put(DIOGO, "c", {"notes": ["likes tea", {"deep": ["User lives in Lisbon"]}]})
    store.put(
        DIOGO, "d", {"kind": "Triple", "content": {"subject": "user", "predicate": "lives_in", "object": "Porto"}}
    )
    store.put(DIOGO, "e", {"count": 3})
    assert sorted(item.key for item in store.inner.search(DIOGO)) == ["d", "e"]


def test_of_a_profile_only_what_restates_is_cut(inner, guard):
    store = GuardedStore(inner, vault=guard, profiles=lambda namespace: namespace[0] == "profile")
    profile = {"name": "Diogo", "city": "Porto", "notes": ["User is vegetarian", "User likes tea"]}
    store.put(("profile", "diogo"), "p", profile)
    guard.forget(FACT)
    scrubbed = {**profile, "notes": ["User likes tea"]}
    assert store.get(("profile", "diogo"), "p").value == scrubbed
    assert inner.get(("profile", "diogo"), "p").value == profile
    store.put(("profile", "diogo"), "p", {**profile, "city": "Braga"})
    assert inner.get(("profile", "diogo"), "p").value == {**scrubbed, "city": "Braga"}
    store.put(DIOGO, "p", profile)
    assert inner.get(DIOGO, "p") is None


@pytest.mark.parametrize(
    ("profile", "left"),
    [
        ({"diet": "vegetarian", "city": "Porto"}, {"diet": "", "city": "Porto"}),
        ({"vegetarian": True, "age": 40}, {"age": 40}),
        ({"vegetarian": False, "age": 40}, {"vegetarian": False, "age": 40}),
        ({"user_pin": 4711, "age": 40}, {"age": 40}),
        ({"lives_in": ["Lisbon", "Porto"]}, {"lives_in": ["Porto"]}),
        ({"about": {"user_favorite_color": "teal", "age": 40}}, {"about": {"user_favorite_color": "", "age": 40}}),
        ({"user_favorite_color": "red", "age": 40}, {"user_favorite_color": "red", "age": 40}),
    ],
)
def test_of_a_profile_only_a_field_that_restates_is_cut(inner, guard, profile, left):
    where = ("profile", "diogo")
    store = GuardedStore(inner, vault=guard, profiles=lambda namespace: namespace[0] == "profile")
    store.put(where, "before", profile)
    guard.forget([FACT, "User's favorite color is teal", "User's PIN is 4711", "User lives in Lisbon"])
    assert store.get(where, "before").value == left
    store.put(where, "after", profile)
    assert inner.get(where, "after").value == left
    assert bool(guard.review()) == (profile != left)


@dataclass
class Said:
    text: str


@pytest.mark.parametrize(
    "value",
    [
        {"content": {"User is vegetarian"}},
        {"content": ("User is vegetarian",)},
        {"content": b"User is vegetarian"},
        {"content": Said("User is vegetarian")},
        {"user_is_vegetarian": {"since": 2019}},
        {"facts": {"User is vegetarian": None}},
        {"user_is_vegetarian": None},
        {"vegetarian": True},
        {"user_diet": ["vegetarian"]},
    ],
)
def test_whatever_a_document_is_made_of_it_is_read(store, inner, guard, value):
    guard.forget(FACT)
    store.put(DIOGO, "m", value)
    assert inner.get(DIOGO, "m") is None


@pytest.mark.parametrize(
    "value",
    [
        {"vegetarian": False},
        {"vegetarian": None},
        {"diet": ""},
        {"diet": ["vegan"]},
        {"favorite_color": {"value": "red"}},
        {"favorite_color": None},
    ],
)
def test_another_value_of_a_field_is_stored(store, inner, guard, value):
    guard.forget([FACT, "User's favorite color is teal"])
    store.put(DIOGO, "m", value)
    assert inner.get(DIOGO, "m").value == value


def test_an_item_of_empty_texts_is_not_forgotten(store, guard):
    store.put(DIOGO, "m", {"note": " "})
    with pytest.raises(TextUnreadable):
        store.forget(DIOGO, "m")
    assert guard.forgotten() == ()


def test_forgetting_needs_an_item_with_text(store, guard):
    store.put(DIOGO, "m", {"seen": None})
    for key in ("m", "absent"):
        with pytest.raises(TextUnreadable):
            store.forget(DIOGO, key)
    assert store.get(DIOGO, "m") is not None
    assert guard.forgotten() == ()


def test_what_a_document_is_read_and_forgotten_as():
    assert facts(document("User is vegetarian")) == ("User is vegetarian",)
    assert facts({"type": "preference", "text": "User is vegetarian"}) == ("User is vegetarian",)
    assert facts({"type": "preference", "diet": "vegetarian"}) == ("type: preference, diet: vegetarian",)
    assert facts(document("Vegetarian")) == ("Vegetarian",)
    assert facts({"type": "好み", "text": "ベジタリアンです"}) == ("ベジタリアンです",)
    assert facts({"type": "préférence", "text": "Likes tea"}) == ("Likes tea",)
    read = ("x y", "z", "a: x y", "n: 3", "c: z", "a: x y, n: 3", "b c: z")
    assert readings({"a": "x y", "n": 3, "b": {"c": "z"}}) == read
    circle: dict = {"a": "x"}
    circle["self"] = circle
    assert "x" in readings(circle)


def test_a_tool_of_ones_own_says_it_too(store, guard):
    def note(text: str) -> str:
        """Save a note."""
        store.put(DIOGO, "m", document(text))
        return "saved"

    guard.forget(FACT)
    tool = told(StructuredTool.from_function(note))
    assert tool.invoke({"text": FACT}) == NOT_SAVED
    assert tool.invoke({"text": "User likes tea"}) == "saved"
    assert asyncio.run(tool.ainvoke({"text": FACT})) == NOT_SAVED


def test_without_the_package_the_error_says_what_to_install():
    code = """
import sys
sys.modules["langgraph"] = None
import forgetguard.adapters.langgraph as adapter
try:
    adapter.GuardedStore
except ImportError as error:
    print(error.advice)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
    assert (done.stdout, done.stderr) == ("pip install 'forgetguard[langgraph]'\n", "")


def test_another_key_cannot_open_it(inner, guard, path):
    locked = ForgetGuard.open(path, key=Key.from_bytes(bytes(32)))
    store = GuardedStore(inner, vault=locked)
    store.put(DIOGO, "m", document("User likes tea"))
    assert inner.search(DIOGO) == []
