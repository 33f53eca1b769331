"""Hermes: what is pure of the adapter, without the host. The rest is in tests/hosts/hermes."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest

from forgetguard.adapters.hermes import answers, guard_provider, plugin, tools, view
from forgetguard.adapters.hermes.memory_files import entries, remove
from forgetguard.adapters.hermes.reading import Memo, Reader
from forgetguard.adapters.hermes.room import Room
from forgetguard.adapters.hermes.turns import MOST, Turns, spoken
from forgetguard.errors import MissingExtra

FACT = "User prefers dark mode"


def read(text):
    """Reads like the guard: takes the fact out."""
    return text.replace(FACT, "#")


@pytest.mark.parametrize(
    ("tool", "arguments", "texts"),
    [
        ("memory", {"action": "add", "content": FACT}, (FACT,)),
        ("memory", {"action": "replace", "old_text": "x", "content": FACT}, (FACT,)),
        ("memory", {"action": "remove", "old_text": FACT}, ()),
        ("memory", {"action": "add", "content": None}, ()),
        ("memory", {"operations": [{"action": "add", "content": "a"}, {"action": "remove"}, None, 3]}, ("a",)),
        ("memory", {"operations": "add"}, ()),
        ("fact_store", {"action": "add", "content": FACT, "tags": "x"}, (FACT,)),
        ("fact_store", {"action": "search", "query": FACT}, ()),
        ("honcho_profile", {"card": [FACT, "b"]}, (FACT, "b")),
        ("honcho_profile", {"card": {"theme": FACT}}, (FACT,)),
        ("mem0_add", {"messages": [{"content": FACT}]}, (FACT,)),
        ("fact_store", {"action": "add", "content": {"text": (FACT,)}}, (FACT,)),
        ("write_file", {"path": "/h/memories/USER.md", "content": FACT}, (FACT,)),
        ("write_file", {"path": "/h/README.md", "content": FACT}, ()),
        ("patch", {"path": "MEMORY.md", "old_string": "x", "new_string": FACT}, (FACT,)),
        ("patch", {"mode": "patch", "patch": f"*** Update File: /h/memories/USER.md\n-{FACT}\n+b\n"}, ("b",)),
        ("patch", {"mode": "patch", "patch": f"*** Update File: a.py\n+{FACT}\n"}, ()),
        ("session_search", {"query": FACT}, ()),
        ("terminal", {"command": FACT}, ()),
    ],
)
def test_what_a_call_would_store(tool, arguments, texts):
    assert tools.written(tool, arguments) == texts


BOTH = f"{FACT} in every editor. User lives in Lisbon."


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        ({"action": "remove", "old_text": "dark"}, (BOTH,)),
        ({"action": "remove", "old_text": "User"}, ()),  # several: Hermes refuses
        ({"action": "remove", "old_text": "chess"}, ()),
        ({"action": "remove"}, ()),
        ({"action": "add", "content": "dark"}, ()),
        (
            {"operations": [{"action": "remove", "old_text": "dark"}, {"action": "add", "content": "Lives in Lisbon"}]},
            (f"{FACT} in every editor.",),
        ),
        ({"operations": [{"action": "remove", "old_text": "dark"}, {"action": "add", "content": BOTH}]}, ()),
    ],
)
def test_what_a_call_would_remove_for_good(arguments, texts):
    assert tools.removed(arguments, lambda target: [BOTH, "User likes trains"]) == texts


def conversation(*messages):
    return {"model": "m", "messages": list(messages)}


SYSTEM = {"role": "system", "content": f"You are Hermes.\n{FACT}"}
NOW = {"role": "user", "content": f"Forget: {FACT}"}


def test_the_running_turn_passes_and_what_came_before_is_read():
    called = {"id": "1", "type": "function", "function": {"name": "memory", "arguments": json.dumps({"content": FACT})}}
    sent = conversation(
        SYSTEM,
        {"role": "user", "content": FACT},
        {"role": "assistant", "content": None, "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "1", "content": json.dumps({"entries": [FACT]})},
        NOW,
        {"role": "assistant", "content": FACT},
    )
    got = view.request(sent, read)["messages"]
    assert got[0]["content"] == "You are Hermes.\n#"
    assert got[1]["content"] == "#"
    assert json.loads(got[2]["tool_calls"][0]["function"]["arguments"]) == {"content": "#"}
    assert got[2]["tool_calls"][0]["id"] == "1"
    assert json.loads(got[3]["content"]) == {"entries": ["#"]}
    assert got[4:] == sent["messages"][4:]
    assert sent["messages"][1]["content"] == FACT


def test_nothing_to_read_changes_nothing():
    assert view.request(conversation({"role": "system", "content": "hi"}, NOW), read) is None
    assert view.request({"model": "m"}, read) is None


def test_other_forms_of_the_same():
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": FACT}]}
    used = {"role": "assistant", "content": [{"type": "tool_use", "id": FACT, "input": {"content": FACT}}]}
    before = {"role": "user", "content": [{"type": "text", "text": FACT}]}
    now = {"role": "user", "content": [{"type": "text", "text": FACT}, {"type": "image", "source": {"data": FACT}}]}
    got = view.request({"system": [{"type": "text", "text": FACT}], **conversation(before, used, now, result)}, read)
    assert got["system"] == [{"type": "text", "text": "#"}]
    assert got["messages"][0]["content"] == [{"type": "text", "text": "#"}]
    assert got["messages"][1]["content"] == [{"type": "tool_use", "id": FACT, "input": {"content": "#"}}]
    assert got["messages"][2:] == [now, result]

    items = [{"role": "user", "content": [{"type": "input_text", "text": FACT}]}, {"type": "reasoning", "summary": []}]
    output = {"type": "function_call_output", "call_id": "1", "output": FACT}
    got = view.request({"instructions": FACT, "input": [*items, output, NOW]}, read)
    assert got["instructions"] == "#"
    assert got["input"][0]["content"][0]["text"] == "#"
    assert got["input"][2]["output"] == "#"
    assert got["input"][3] == NOW


def test_pictures_and_signed_reasoning_are_not_looked_at():
    parts = [
        {"type": "image_url", "image_url": {"url": FACT}},
        {"type": "thinking", "thinking": FACT, "signature": "s"},
    ]
    assert view.message({"role": "user", "content": parts}, pytest.fail) == {"role": "user", "content": parts}


def test_a_result_stays_json():
    assert json.loads(view.result(json.dumps({"hits": [{"content": FACT}], "n": 1}), read)) == {
        "hits": [{"content": "#"}],
        "n": 1,
    }
    assert view.result("[not json " + FACT, read) == "[not json #"
    assert view.result(None, read) is None
    spaced = '{ "n": 1 }'
    assert view.result(spaced, read) == spaced


def test_a_result_that_is_nested_too_deeply_is_read_as_a_text():
    deep = "[" * 900 + f'"{FACT}"' + "]" * 900
    assert view.result(deep, read) == deep.replace(FACT, "#")


def test_a_call_that_cannot_be_read_is_blocked():
    content: object = FACT
    for _ in range(5000):
        content = [content]
    given = {"action": "add", "content": content}
    blocked = plugin.before_tool(Room(lambda _: None), tool_name="memory", args=given)  # type: ignore[arg-type, return-value]
    assert blocked == {"action": "block", "message": answers.FAILED}


def test_a_text_is_read_once_as_long_as_nothing_is_forgotten_or_released(guard, monkeypatch):
    asked = []
    scrub = type(guard).scrub
    monkeypatch.setattr(type(guard), "scrub", lambda self, text, **kw: asked.append(text) or scrub(self, text, **kw))
    memo = Memo()
    texts = [FACT, "It rains."]

    def reads():
        return [*map(Reader(lambda: guard, memo), texts)]

    assert reads() == reads() == texts
    assert asked == texts
    guard.forget(FACT)
    assert reads() == reads() == [answers.WITHHELD, "It rains."]
    assert asked == texts * 2
    guard.remember(FACT)
    assert reads() == texts
    guard.close()
    assert reads() == texts


def test_turns_are_told_apart_and_do_not_pile_up():
    turns = Turns()
    turns.begin("s", "1", [{"type": "text", "text": "Forget that I like tea"}, {"type": "image"}], None)
    turns.begin("s", "2", "hello", None)
    assert turns.get("s", "1").is_forget_request and not turns.get("s", "2").is_forget_request
    for n in range(MOST):
        turns.begin("t", str(n), "hello", None)
    assert turns.get("s", "1") is None
    assert turns.get("t", "0") is not None
    assert spoken(None) == ""


def test_entries_are_taken_out_and_other_bytes_stay(tmp_path):
    path = tmp_path / "USER.md"
    path.write_bytes("User likes tea \r\n§\n  a\n§\n\n§\nnaïve § b\n".encode())
    assert entries(path.read_bytes().decode()) == ("User likes tea", "a", "naïve § b")
    before = path.read_bytes()
    assert remove(path, {"absent"}) == 0
    assert path.read_bytes() == before
    assert remove(path, {"naïve § b"}) == 1
    assert path.read_bytes() == before.removesuffix("\n§\nnaïve § b\n".encode())


@pytest.mark.skipif(find_spec("hermes_constants") is not None, reason="Hermes is installed")
def test_without_hermes_it_says_how_to_install_it():
    with pytest.raises(MissingExtra) as told:
        guard_provider(object(), None)
    assert "forgetguard[hermes]" in told.value.advice
