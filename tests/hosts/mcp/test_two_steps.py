"""forget and release: nothing happens without the token of just that preview."""

from __future__ import annotations

from dataclasses import replace as changed

import anyio
import pytest

from forgetguard.adapters.mcp.tokens import MOST_WAITING, Tokens
from forgetguard.errors import Refused
from hosts.mcp.talking import Server, Talk, forget

FACT, OTHER = "User is vegetarian", "User owns a red boat"


def code_of(tokens: Tokens, *given: object) -> str:
    with pytest.raises(Refused) as caught:
        tokens.redeem(*given)  # type: ignore[arg-type]
    assert caught.value.advice
    return caught.value.code


def test_a_token_is_good_once_for_one_set(clock):
    tokens = Tokens(60, clock=clock)
    good = tokens.issue("forget", ["a"], [1])
    tokens.redeem(good.value, "forget", ["a"], [1])
    assert code_of(tokens, good.value, "forget", ["a"], [1]) == "token-unknown"
    assert code_of(tokens, "", "forget", ["a"], [1]) == "token-unknown"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (("release", ["a"], [1]), "token-other"),
        (("forget", ["a", "b"], [1]), "token-other"),
        (("forget", ["a"], [2]), "token-stale"),
    ],
)
def test_a_wrong_use_is_refused_and_uses_it_up(clock, given, code):
    tokens = Tokens(60, clock=clock)
    value = tokens.issue("forget", ["a"], [1]).value
    assert code_of(tokens, value, *given) == code
    assert code_of(tokens, value, "forget", ["a"], [1]) == "token-unknown"


def test_a_token_ends(clock):
    tokens = Tokens(60, clock=clock)
    first, second = (tokens.issue("forget", [], []).value for _ in range(2))
    clock(59.9)
    tokens.redeem(first, "forget", [], [])
    clock(0.1)
    assert code_of(tokens, second, "forget", [], []) == "token-expired"


def test_tokens_of_another_server_and_old_ones_are_unknown():
    assert code_of(Tokens(), Tokens().issue("forget", [], []).value, "forget", [], []) == "token-unknown"
    tokens = Tokens()
    values = [tokens.issue("forget", [], []).value for _ in range(MOST_WAITING + 1)]
    assert code_of(tokens, values[0], "forget", [], []) == "token-unknown"
    tokens.redeem(values[1], "forget", [], [])


def test_forget_takes_what_was_previewed_and_nothing_else(server: Server):
    async def conversation(talk: Talk) -> None:
        stored = [{"id": "7", "text": "The user is a vegetarian"}, {"id": "8", "text": "User likes tea"}]
        preview = await talk("forget_preview", facts=[FACT, OTHER], stored=stored)
        assert preview["facts"] == [{"position": 0, "covered_by": None}, {"position": 1, "covered_by": None}]
        assert preview["stored"] == [{"id": "7", "action": "drop", "reason": "subset", "fact": 0}]
        assert (await talk("forgotten"))["total"] == 0

        assert await talk.refused("forget", facts=[FACT], stored=stored, token=preview["token"]) == "token-other"
        assert (
            await talk.refused("forget", facts=[FACT, OTHER], stored=stored, token=preview["token"]) == "token-unknown"
        )
        assert await talk.refused("forget", facts=[FACT, OTHER]) == "missing-parameter"
        assert (await talk("forgotten"))["total"] == 0

        done = await forget(talk, FACT, OTHER, stored=stored)
        assert done["stored"] == preview["stored"]
        listed = await talk("forgotten")
        assert [one["id"] for one in listed["entries"]] == done["entries"]
        assert all(not one["pending"] and one["forgotten_at"].endswith("Z") for one in listed["entries"])
        again = await talk("forget_preview", facts=[FACT])
        assert again["facts"] == [{"position": 0, "covered_by": done["entries"][0]}]
        assert (await talk("forget", facts=[FACT], token=again["token"]))["entries"] == done["entries"][:1]

    server.talk(conversation)


def test_of_two_at_once_one_wins(server: Server):
    async def conversation(talk: Talk) -> None:
        token = (await talk("forget_preview", facts=[FACT]))["token"]
        said: list[str] = []

        async def use() -> None:
            result = await talk.client.call_tool("forget", {"facts": [FACT], "token": token})
            said.append(result.structured_content["error"]["code"] if result.is_error else "done")

        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(use)
        assert sorted(said) == ["done", *["token-unknown"] * 7]
        assert (await talk("forgotten"))["total"] == 1

    server.talk(conversation)


def test_a_token_is_stale_once_the_set_has_changed(server: Server):
    async def conversation(talk: Talk) -> None:
        preview = await talk("forget_preview", facts=[FACT])
        server.forget(FACT)
        assert await talk.refused("forget", facts=[FACT], token=preview["token"]) == "token-stale"

        (entry,) = (await talk("forgotten"))["entries"]
        preview = await talk("release", ids=[entry["id"]])
        with server.guard() as guard:
            guard.release(entry["id"])
        assert await talk.refused("release", ids=[entry["id"]], token=preview["token"]) == "token-stale"

    server.talk(conversation)


def test_release_takes_two_calls(server: Server):
    async def conversation(talk: Talk) -> None:
        first, second = (await forget(talk, FACT, OTHER))["entries"]
        preview = await talk("release", ids=[first])
        assert (preview["would_release"], preview["released"]) == ([first], [])
        assert (await talk("forgotten"))["total"] == 2
        assert await talk.refused("release", ids=[second], token=preview["token"]) == "token-other"
        preview = await talk("release", ids=[first])
        assert await talk("release", ids=[first], token=preview["token"]) == {
            "released": [first], "would_release": [], "token": None, "expires_at": None,
        }  # fmt: skip
        assert (await talk("forgotten"))["entries"][0]["id"] == second
        assert (await talk("check", text=FACT))["action"] == "keep"
        assert await talk.refused("release", ids=["nobody"]) == "unknown-entry"
        assert await talk.refused("forget", facts=[FACT], token=preview["token"]) == "token-unknown"

    server.talk(conversation)


def test_a_token_ends_in_the_server_too(server: Server):
    async def conversation(talk: Talk) -> None:
        preview = await talk("forget_preview", facts=[FACT])
        await anyio.sleep(0.3)
        assert await talk.refused("forget", facts=[FACT], token=preview["token"]) == "token-expired"
        assert (await talk("forgotten"))["total"] == 0

    changed(server, options=("--confirm-within", "0.2")).talk(conversation)


def test_pages_of_what_is_forgotten(server: Server):
    facts = ["User owns a red boat", "User likes green tea", "User lives in Porto"]

    async def conversation(talk: Talk) -> None:
        ids = (await forget(talk, *facts))["entries"]
        page = await talk("forgotten", limit=2)
        assert ([one["id"] for one in page["entries"]], page["more"], page["total"]) == (ids[:2], True, 3)
        page = await talk("forgotten", offset=2, limit=2)
        assert ([one["id"] for one in page["entries"]], page["more"]) == (ids[2:], False)

    server.talk(conversation)
