"""What a client sees of the protocol: the list of tools, closed schemas, errors, and a clean wire."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator
from mcp import MCPError

from forgetguard.adapters.mcp.arguments import checker
from forgetguard.adapters.mcp.schemas import record, series, text
from forgetguard.adapters.mcp.server import TOOLS
from forgetguard.cli import main
from forgetguard.errors import InvalidInput
from hosts.mcp.talking import HELLO, Server, Talk

# name: reads, destroys, does nothing more when repeated
HINTS = {
    "forget_preview": (True, False, True),
    "forget": (False, True, False),
    "remember": (False, True, True),
    "check": (True, False, True),
    "filter": (False, False, False),
    "scrub": (False, False, False),
    "forgotten": (True, False, True),
    "release": (False, True, False),
    "purge_preview": (True, False, True),
    "purge": (False, True, False),
    "verify": (False, False, True),
    "status": (True, False, True),
}
WORKING: dict[str, dict[str, Any]] = {
    "forget_preview": {"facts": ["User is vegetarian"]},
    "forget": {"facts": ["User is vegetarian"], "token": "x"},
    "remember": {"text": "a b", "user_asked": True},
    "check": {"text": "a b"},
    "filter": {"items": [{"text": "a b"}]},
    "scrub": {"text": "a b"},
    "forgotten": {},
    "release": {"ids": ["x"]},
    "purge_preview": {"sessions": ["x"]},
    "purge": {"sessions": ["x"], "token": "x"},
    "verify": {},
    "status": {},
}
SECRET = "quixotic-lighthouse"


def objects(schema: object) -> Iterator[dict[str, Any]]:
    """Every schema of an object with named members."""
    if isinstance(schema, dict):
        if "properties" in schema:
            yield schema
        for one in schema.values():
            yield from objects(one)
    elif isinstance(schema, list):
        for one in schema:
            yield from objects(one)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_tools_are_listed_with_hints_and_closed_schemas(bare: Server, mode: str):
    async def conversation(talk: Talk) -> None:
        assert talk.client.server_info.name == "forgetguard"
        assert "forget_preview" in (talk.client.instructions or "")
        tools = (await talk.client.list_tools()).tools
        assert [tool.name for tool in tools] == list(TOOLS)
        hints = {one.name: one.annotations for one in tools}
        assert {
            name: (one.read_only_hint, one.destructive_hint, one.idempotent_hint) for name, one in hints.items()
        } == HINTS
        assert not any(one.open_world_hint for one in hints.values())
        for tool in tools:
            assert tool.description
            for schema in (tool.input_schema, tool.output_schema):
                Draft202012Validator.check_schema(schema)
                assert schema["type"] == "object"
                assert all(one["additionalProperties"] is False for one in objects(schema))
        assert (await talk("status"))["ledger"] == "missing"

    bare.talk(conversation, mode)


def test_unknown_parameters_are_refused_by_every_tool(server: Server):
    async def conversation(talk: Talk) -> None:
        for name, given in WORKING.items():
            assert await talk.refused(name, **given, **{SECRET: 1}) == "unknown-parameter", name
        assert await talk.refused("filter", items=[{"text": "a", SECRET: 1}]) == "unknown-parameter"
        with pytest.raises(MCPError) as caught:
            await talk(SECRET)
        assert caught.value.data == {"code": "unknown-tool"}

    assert SECRET not in "".join(server.talk(conversation))
    assert SECRET not in server.errors


BAD = [
    ("check", {"text": 3}, "wrong-type"),
    ("check", {"text": None}, "wrong-type"),
    ("check", {"text": [[[["deep"]]]]}, "wrong-type"),
    ("check", {}, "missing-parameter"),
    ("check", {"text": ""}, "empty"),
    ("check", {"text": SECRET + "\0"}, "invalid-text"),
    ("check", {"text": SECRET * 100_000}, "too-long"),
    ("check", {"text": SECRET, "use": SECRET}, "not-a-choice"),
    ("filter", {"items": SECRET}, "wrong-type"),
    ("filter", {"items": [{"text": SECRET, "action": "add"}]}, "not-a-choice"),
    ("filter", {"items": [{"text": "a"}] * 1001}, "too-long"),
    ("filter", {"items": [{"text": "a"}], "session": SECRET}, "invalid-input"),
    ("remember", {"text": SECRET, "user_asked": "yes"}, "wrong-type"),
    ("remember", {"text": SECRET}, "missing-parameter"),
    ("forget_preview", {"facts": []}, "empty"),
    ("forget_preview", {"facts": SECRET}, "wrong-type"),
    ("forget_preview", {"facts": ["?!"]}, "invalid-text"),
    ("forget_preview", {"facts": [" "]}, "invalid-text"),
    ("forget", {"facts": [SECRET], "token": SECRET}, "token-unknown"),
    ("release", {"ids": []}, "empty"),
    ("release", {"ids": [SECRET]}, "unknown-entry"),
    ("release", {"ids": ["\x01"]}, "unknown-entry"),
    ("forgotten", {"limit": True}, "wrong-type"),
    ("forgotten", {"limit": 1.5}, "wrong-type"),
    ("forgotten", {"limit": 100_000}, "out-of-range"),
    ("forgotten", {"offset": -1}, "out-of-range"),
    ("purge_preview", {}, "invalid-input"),
    ("purge_preview", {"sessions": [""]}, "empty"),
]


def test_bad_arguments_have_a_code_and_are_never_quoted(server: Server):
    async def conversation(talk: Talk) -> None:
        for name, given, code in BAD:
            assert (name, await talk.refused(name, **given)) == (name, code), given
        assert (await talk("status"))["entries"] == 0

    assert SECRET not in "".join(server.talk(conversation))
    assert SECRET not in server.errors
    assert "Traceback" not in server.errors


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, "the parameter items is missing"),
        ({"items": [{"text": "a"}, {"id": SECRET}]}, "the parameter items.text is missing"),
        ({"items": [{"text": 3}]}, "the parameter items.text has another type"),
        ({"items": [{"text": "a", SECRET: 1}]}, "the parameter items is unknown, or holds a name that is"),
        ({"items": [], SECRET: 1}, "a parameter is unknown, or holds a name that is"),
    ],
)
def test_an_error_names_the_parameter(given: dict[str, object], named: str):
    check = checker(record(items=series(record("id", text=text(), id=text()))))
    with pytest.raises(InvalidInput) as caught:
        check(given)
    assert str(caught.value) == named


def test_a_whole_number_may_be_written_in_any_way_and_be_of_any_size(server: Server):
    server.forget("User is vegetarian")

    async def conversation(talk: Talk) -> None:
        assert len((await talk("forgotten", offset=0.0, limit=1.0))["entries"]) == 1
        assert (await talk("forgotten", offset=10**30))["entries"] == []

    server.talk(conversation)


def call(number: int, tool: str, arguments: str) -> str:
    """A request as a line, its arguments as they are given."""
    params = f'{{"name": "{tool}", "arguments": {arguments}}}'
    return f'{{"jsonrpc": "2.0", "id": {number}, "method": "tools/call", "params": {params}}}'


def test_the_wire_holds_the_protocol_alone_and_survives_anything(server: Server):
    lines = (
        call(1, "check", f'{{"text": "{SECRET} \\ud83d"}}'),
        call(2, "check", f'"{SECRET}"'),
        f"this is no JSON, but {SECRET}",
        f'{{"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": "{SECRET}"}}',
        f'{{"jsonrpc": "2.0", "id": 5, "method": "{SECRET.replace("quixotic", "mcp")}"}}',
        call(6, "check", '{"text": "' + "[" * 50_000 + '"}'),
        "[" * 100_000,
        call(8, "check", '{"text": "User is vegetarian"}'),
    )
    said, errors = server.wire(*lines)
    answers = {one.get("id"): one for one in said if one.get("id") is not None}
    assert answers[1]["result"]["structuredContent"]["error"]["code"] == "invalid-text"
    assert answers[2]["error"]["code"] == -32602
    assert answers[6]["result"]["structuredContent"]["action"] == "keep"
    assert answers[8]["result"]["structuredContent"]["action"] == "keep"
    assert [one["error"]["code"] for one in said if one.get("id") is None] == [-32700] * 3
    assert SECRET not in json.dumps(said) + errors
    assert "Traceback" not in errors


@pytest.mark.parametrize("leaving", ["closes the pipe", "interrupts"])
def test_a_client_that_leaves_without_a_word(server: Server, leaving: str):
    with subprocess.Popen(
        server.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=server.environment
    ) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdin.write((HELLO + "\n").encode())
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == "hello"
        if leaving == "interrupts":
            process.send_signal(signal.SIGINT)
        else:
            process.stdout.close()
            process.stdin.write(b'{"jsonrpc": "2.0", "id": 2, "method": "ping"}\n')
            process.stdin.close()
        assert process.wait(30) == (-signal.SIGINT if leaving == "interrupts" else 0)
        errors = process.stderr.read().decode()
    assert errors in ("", "warning forgetguard: the client has gone\n")


def test_many_calls_at_once(server: Server):
    async def conversation(talk: Talk) -> None:
        answers: dict[int, str] = {}

        async def ask(number: int) -> None:
            answers[number] = (await talk("filter", items=[{"text": f"User owns {number} boats"}]))["store"]

        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(ask, number)
        assert answers == {number: [0] for number in range(20)}

    server.talk(conversation)


def test_a_missing_package_is_told(home, monkeypatch, capfd):
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert main(["mcp"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert "pip install 'forgetguard[mcp]'" in err


def test_a_bad_configuration_stops_it_before_it_speaks(bare: Server):
    folder = bare.home / "config" / "forgetguard"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("ledger = 3")
    done = subprocess.run(bare.command, env=bare.environment, input="", capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the setting ledger" in done.stderr
