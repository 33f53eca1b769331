"""The same with AsyncMemory."""

from __future__ import annotations

import asyncio

import pytest
from mem0 import AsyncMemory

from forgetguard.adapters.mem0 import NOT_UPDATED, AsyncGuardedMemory, guard_memory

FACT = "User is vegetarian"
TURN = "Book a table for two; nothing with meat for me."
DIOGO = {"user_id": "diogo"}


@pytest.fixture
def memory(config):
    one = AsyncMemory.from_config(config)
    yield one
    one.close()
    one.vector_store.client.close()


async def texts(memory) -> list[str]:
    return sorted(one["memory"] for one in (await memory.get_all(filters=DIOGO))["results"])


def test_unguarded_it_comes_back(memory):
    async def run():
        await memory.add(TURN, **DIOGO)
        await memory.delete_all(**DIOGO)
        await memory.add("What is the weather in Porto?", **DIOGO)
        return await texts(memory)

    assert asyncio.run(run()) == [FACT]


def test_guarded_it_does_not_and_remember_brings_it_back(memory, guard):
    guarded = guard_memory(memory, vault=guard)
    assert isinstance(guarded, AsyncGuardedMemory)

    async def run():
        await memory.add(TURN, **DIOGO)
        (one,) = (await memory.get_all(filters=DIOGO))["results"]
        assert len(await guarded.forget(one["id"])) == 1
        assert await memory.get(one["id"]) is None
        for turn in (TURN, "What is the weather in Porto?"):
            assert (await memory.add(turn, **DIOGO))["results"] == []
        assert (await memory.add(FACT, infer=False, **DIOGO))["results"] == []
        await memory.add("I like green tea", infer=False, **DIOGO)
        assert await texts(memory) == ["I like green tea"]

        (one,) = (await memory.get_all(filters=DIOGO))["results"]
        assert await memory.update(one["id"], FACT) == {"message": NOT_UPDATED}
        await memory.update(one["id"], "I like black tea")
        assert [one["memory"] for one in (await memory.search("tea", filters=DIOGO))["results"]] == ["I like black tea"]

        await guarded.remember(FACT, **DIOGO)
        return await texts(memory)

    assert asyncio.run(run()) == ["I like black tea", FACT]


def test_it_is_guarded_after_a_reset_too(memory, guard):
    guard_memory(memory, vault=guard)
    guard.forget(FACT)

    async def run():
        await memory.reset()
        await memory.add(TURN, **DIOGO)
        return await texts(memory)

    assert asyncio.run(run()) == []


def test_two_users_at_once_have_each_their_own_vault(memory, guard, tmp_path, key):
    from forgetguard.guard import ForgetGuard

    guard.forget(FACT)
    with ForgetGuard.open(tmp_path / "ines" / "ledger.sqlite", key=key, create=True, strict=True) as other:
        guard_memory(memory, vault=lambda scope: guard if scope.user_id == "diogo" else other)

        async def run():
            await asyncio.gather(memory.add(TURN, **DIOGO), memory.add(TURN, user_id="ines"))
            return await texts(memory), (await memory.get_all(filters={"user_id": "ines"}))["results"]

        ours, theirs = asyncio.run(run())
    assert ours == []
    assert [one["memory"] for one in theirs] == [FACT]
