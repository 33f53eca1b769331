"""The built-in memory of the real agent: MEMORY.md and USER.md."""

from __future__ import annotations

import json

import pytest

from forgetguard.adapters.hermes import answers
from hosts.scripted_model import Message, call, said

FACT = "User prefers dark mode in every editor"
OTHER = "User lives in Lisbon"
SAYS = "I prefer dark mode in every editor"
FORGET = f"I want you to forget that {SAYS}"
SCRIPT = {
    FORGET: call("memory", action="remove", target="user", old_text="dark mode"),
    "clean up": call("memory", action="remove", target="user", old_text="dark mode"),
    SAYS: call("memory", action="add", target="user", content=FACT),
    "Lisbon": call("memory", action="add", target="user", content=OTHER),
    "light mode": call("memory", action="add", target="user", content="User prefers light mode in every editor"),
    "my sister": call("memory", action="add", target="user", content="User's sister prefers dark mode in every editor"),
    "batch": call(
        "memory",
        target="user",
        operations=[{"action": "add", "content": OTHER}, {"action": "add", "content": FACT}],
    ),
    "rewrite": call("memory", action="replace", target="user", old_text="Lisbon", content=f"{OTHER}. {FACT}"),
}


def results(messages: list[Message]) -> list[str]:
    return [m["content"] for m in messages if m["role"] == "tool"]


def forgotten(hermes) -> list[str]:
    return [entry.text for entry in hermes.guard().forgotten()]


def test_without_the_guard_it_comes_back(hermes):
    hermes.configure(guarded=False)
    hermes.talk(hermes.agent(hermes.model(SCRIPT)), SAYS, FORGET, SAYS)
    assert hermes.memory() == [FACT]


def test_with_the_guard_it_does_not_and_the_model_is_told(hermes):
    hermes.configure()
    messages = hermes.talk(hermes.agent(hermes.model(SCRIPT)), SAYS, FORGET, SAYS)
    assert hermes.memory() == []
    assert forgotten(hermes) == [FACT]
    assert hermes.guard().pending() == ()
    assert json.loads(results(messages)[-1])["error"] == answers.RESTATED


def test_remember_brings_it_back(hermes):
    from hermes_cli.plugins import get_plugin_command_handler

    hermes.configure()
    agent = hermes.agent(hermes.model(SCRIPT))
    hermes.talk(agent, SAYS, FORGET)
    assert get_plugin_command_handler("remember")(FACT) == "Remembered."
    assert hermes.memory() == [FACT]
    assert forgotten(hermes) == []
    hermes.talk(agent, "clean up", SAYS)
    assert hermes.memory() == [FACT]


def test_a_new_value_and_another_subject_still_store(hermes):
    hermes.configure()
    hermes.talk(hermes.agent(hermes.model(SCRIPT)), SAYS, FORGET, "light mode", "my sister", "Lisbon")
    assert len(hermes.memory()) == 3


def test_an_operation_of_a_batch_blocks_the_batch(hermes):
    hermes.configure()
    hermes.talk(hermes.agent(hermes.model(SCRIPT)), SAYS, FORGET, "batch")
    assert hermes.memory() == []


def test_a_replacement_that_restates_leaves_its_target(hermes):
    hermes.configure()
    hermes.talk(hermes.agent(hermes.model(SCRIPT)), SAYS, FORGET, "Lisbon", "rewrite")
    assert hermes.memory() == [OTHER]


def test_a_housekeeping_delete_records_nothing(hermes):
    hermes.configure()
    hermes.talk(hermes.agent(hermes.model(SCRIPT)), SAYS, "clean up", SAYS)
    assert forgotten(hermes) == []
    assert hermes.memory() == [FACT]


def test_what_the_same_call_saves_again_is_not_forgotten(hermes):
    rest = "User lives in Lisbon"
    batch = [{"action": "remove", "old_text": "dark mode"}, {"action": "add", "content": rest}]
    both = call("memory", action="add", target="user", content=f"{FACT}. {rest}")
    script = {**SCRIPT, FORGET: call("memory", target="user", operations=batch), "both": both}
    hermes.configure()
    hermes.talk(hermes.agent(hermes.model(script)), "both", FORGET, SAYS)
    assert hermes.memory() == [rest]
    assert forgotten(hermes) == [f"{FACT}."]


def test_a_removal_that_hermes_refuses_is_taken_back(hermes):
    hermes.configure()
    script = {**SCRIPT, FORGET: call("memory", action="remove", target="user", old_text="mode")}
    hermes.talk(hermes.agent(hermes.model(script)), SAYS, "light mode", FORGET)
    assert len(hermes.memory()) == 2
    assert forgotten(hermes) == []


def test_a_removal_that_waits_for_approval_is_protected_already(hermes):
    hermes.configure()
    agent = hermes.agent(hermes.model(SCRIPT), platform="telegram")
    hermes.talk(agent, SAYS)
    hermes.configure(memory={"write_approval": True})
    hermes.talk(agent, FORGET)
    assert hermes.memory() == [FACT]
    assert [entry.text for entry in hermes.guard().pending()] == [FACT]


def test_the_model_no_longer_sees_what_was_forgotten(hermes):
    hermes.configure()
    model = hermes.model(SCRIPT)
    hermes.talk(hermes.agent(model), SAYS)
    model.requests.clear()
    hermes.talk(hermes.agent(model), "hello")  # a new session, with the block of USER.md in its system prompt
    assert FACT in said(model.requests[-1], "system")
    again = hermes.agent(model)
    hermes.talk(again, FORGET, "hello")
    assert "dark mode" not in said(model.requests[-1])
    assert "You are Hermes" in said(model.requests[-1], "system")


def test_found_sessions_are_scrubbed(hermes):
    script = {"search": call("session_search", query="dark mode")}
    hermes.configure(guarded=False)
    model = hermes.model({**script, **SCRIPT})
    hermes.talk(hermes.agent(model), SAYS, "clean up")
    found = results(hermes.talk(hermes.agent(model), "search"))[-1]
    assert "dark mode in every editor" in found
    hermes.configure()
    hermes.guard().forget(FACT)
    scrubbed = results(hermes.talk(hermes.agent(model), "search"))[-1]
    assert "dark mode in every editor" not in scrubbed
    assert json.loads(scrubbed)["count"] >= 1


@pytest.mark.parametrize("name", ["MEMORY.md", "USER.md"])
def test_the_file_tools_do_not_go_around_it(hermes, name):
    from hermes_cli.plugins import resolve_pre_tool_block

    hermes.configure()
    hermes.guard().forget(FACT)
    path = str(hermes.home / "memories" / name)
    assert resolve_pre_tool_block("write_file", {"path": path, "content": FACT}) == answers.RESTATED
    assert resolve_pre_tool_block("write_file", {"path": "notes.txt", "content": FACT}) is None
