"""purge_preview, purge, verify: on the host that `forgetguard purge` knows, in two steps."""

from __future__ import annotations

import json

import pytest

from forgetguard.provenance import Participant, Session
from hosts.mcp.talking import Server, Talk
from purge.world import CANARY, DESCRIPTION, MIXED, OTHER, World, holds, picture

ALICE = {"sessions": ["alice"]}


@pytest.fixture
def purging(server: Server, world: World) -> Server:
    """A server over the world's two surfaces."""
    (world.root / "host.toml").write_text(DESCRIPTION)
    server.options = ("--host", str(world.root / "host.toml"), "--home", str(world.home.directory))
    return server


def looked_at(world: World) -> list[str]:
    """Every file of the host's, with hash and time."""
    names = ("memory.db", "main.provenance.sqlite", "notes", "purge")
    return [line for line in picture(world.root) if any(f"/{name}" in line for name in names)]


def test_a_preview_changes_nothing_and_equals_the_purge(purging: Server, world: World):
    async def conversation(talk: Talk) -> None:
        before = looked_at(world)
        preview = await talk("purge_preview", **ALICE)
        assert looked_at(world) == before
        assert preview["sessions"] == [{"id": "alice", "key": "agent:main:alice", "source": "live"}]
        assert preview["entries"] == ["m-alice", "m-mixed", "n-alice"]
        assert (preview["entries_total"], preview["mixed"], preview["untargetable"]) == (3, 1, 1)
        assert preview["artefacts"]["notes"] == {"entries": 1}

        done = await talk("purge", **ALICE, token=preview["token"], operator="dpo-7", basis="gdpr.art17")
        assert (done["result"], done["exit_code"], done["late"], done["failures"]) == ("clean", 0, 0, [])
        same = preview.keys() - {"token", "expires_at"}
        assert {name: done[name] for name in same} == {name: preview[name] for name in same}
        assert done["verification"]["status"] == "clean"
        assert done["receipt"]["n"] == 1
        assert holds(world.root, "quixotic") == []

        again = await talk("purge_preview", **ALICE)
        assert again["entries"] == []
        assert (await talk("purge", **ALICE, token=again["token"]))["result"] == "nothing-to-do"
        looked = await talk("verify", **ALICE)
        assert (looked["clean"], looked["runs"][0]["result"]) == (False, "cannot-prove")
        assert await talk.refused("verify") == "nothing-matched"

    heard = "".join(purging.talk(conversation))
    assert not any(text in heard for text in (CANARY, OTHER, MIXED, str(world.root)))
    assert str(world.root) not in purging.errors
    exported = purging.cli("receipts", "export", "--home", str(world.home.directory))
    assert json.loads(json.loads(exported)["receipts"][0]["body"])["operator"] == "dpo-7"


def test_a_token_is_good_for_its_selection_as_it_was(purging: Server, world: World):
    async def conversation(talk: Talk) -> None:
        before = looked_at(world)
        assert await talk.refused("purge", **ALICE) == "missing-parameter"
        preview = await talk("purge_preview", **ALICE)
        assert await talk.refused("purge", sessions=["bob"], token=preview["token"]) == "token-other"
        preview = await talk("purge_preview", **ALICE)
        wider = {"sessions": ["alice", "bob"]}
        assert await talk.refused("purge", **wider, token=preview["token"]) == "token-other"
        assert looked_at(world) == before

        preview = await talk("purge_preview", **ALICE)
        world.add("m-late", "Alice moved her boat to the old harbour of Viana", "alice")
        assert await talk.refused("purge", **ALICE, token=preview["token"]) == "token-stale"
        preview = await talk("purge_preview", participants=["alice@example.com"])
        world.store.record_session(Session("dave", "k", "main", participants=(Participant("alice@example.com"),)))
        world.store.close()
        given = {"participants": ["alice@example.com"], "token": preview["token"]}
        assert await talk.refused("purge", **given) == "token-stale"
        assert CANARY.split()[3] in str(world.rows("SELECT text FROM memories"))

    purging.talk(conversation)


def test_refusals_have_their_codes(purging: Server, world: World):
    world.store.hold(["alice"], "court.7")
    world.store.close()

    async def conversation(talk: Talk) -> None:
        assert await talk.refused("purge_preview", sessions=["nobody"]) == "nothing-matched"
        assert await talk.refused("purge_preview", sessions=["a"], channels=["telegram"]) == "mixed-selectors"
        assert await talk.refused("purge_preview", since="yesterday", channels=["telegram"]) == "invalid-input"
        assert await talk.refused("purge_preview", chat_types=["crowd"]) == "not-a-choice"
        preview = await talk("purge_preview", **ALICE)
        assert {"kind": "session", "id": "alice", "reason": "court.7"} in preview["refused"]
        assert await talk.refused("purge", **ALICE, token=preview["token"]) == "legal-hold"
        assert await talk.refused("purge", **ALICE, token="x", operator="the officer") == "invalid-input"

    purging.talk(conversation)


def test_a_purged_session_is_not_stored_again(purging: Server):
    async def conversation(talk: Talk) -> None:
        items = [{"text": CANARY}]
        assert (await talk("filter", items=items, session="alice"))["store"] == [0]
        preview = await talk("purge_preview", **ALICE)
        await talk("purge", **ALICE, token=preview["token"])
        refused = await talk("filter", items=items, session="alice")
        assert (refused["store"], refused["refused"], refused["decisions"]) == ([], "forgotten", [])
        assert refused["note"].startswith("Not saved")
        assert (await talk("filter", items=items, session="bob"))["store"] == [0]

    purging.talk(conversation)


def test_without_a_description_there_is_nothing_to_purge(server: Server):
    async def conversation(talk: Talk) -> None:
        assert (await talk("status"))["purge"] == "not-described"
        for tool, given in (("purge_preview", ALICE), ("purge", {**ALICE, "token": "x"}), ("verify", {})):
            assert await talk.refused(tool, **given) == "invalid-input"

    server.talk(conversation)
