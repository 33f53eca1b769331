"""Whose vault it is, and what happens where the guard cannot answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forgetguard import ForgetGuard
from forgetguard.adapters.hermes import Room, Scope, answers, guard_provider, plugin
from forgetguard.adapters.hermes.scope import ledger_of
from hosts.scripted_model import call, calls, said

FACT = "User prefers dark mode in every editor"
SAYS = "I prefer dark mode in every editor"
FORGET = f"I want you to forget that {SAYS}"
SCRIPT = {
    FORGET: call("memory", action="remove", target="user", old_text="dark mode"),
    SAYS: call("memory", action="add", target="user", content=FACT),
    "trains": call("memory", action="add", target="user", content="User likes trains"),
    "the cache": call(
        "memory", action="add", target="user", content="User wants the cache deleted before a deployment"
    ),
    "search": call("session_search", query="dark mode"),
    "both": calls(
        ("memory", {"action": "add", "target": "user", "content": FACT}), ("session_search", {"query": "dark mode"})
    ),
}


def results(messages):
    return [m["content"] for m in messages if m["role"] == "tool"]


def errors(messages):
    return [json.loads(one).get("error") for one in results(messages)]


def test_one_profile_does_not_touch_another(hermes):
    first = hermes.home
    hermes.configure()
    hermes.talk(hermes.agent(hermes.model(SCRIPT)), SAYS, FORGET)
    hermes.use(first / "profiles" / "work")
    hermes.configure()
    hermes.talk(hermes.agent(hermes.model(SCRIPT)), SAYS)
    assert hermes.memory() == [FACT]
    assert hermes.guard().forgotten() == ()
    hermes.use(first)
    hermes.configure()
    hermes.talk(hermes.agent(hermes.model(SCRIPT)), SAYS)
    assert hermes.memory() == []


def test_one_user_of_a_gateway_does_not_touch_another(hermes):
    hermes.configure(plugins={"entries": {"forgetguard": {"vault": "user"}}})
    model = hermes.model(SCRIPT)
    ana, bo = (hermes.agent(model, platform="telegram", user_id=name) for name in ("ana", "bo"))
    hermes.talk(ana, SAYS, FORGET, SAYS)
    assert hermes.memory() == []
    hermes.talk(bo, SAYS)
    assert hermes.memory() == [FACT]
    assert [len(hermes.guard(name).forgotten()) for name in ("ana", "bo")] == [1, 0]


def test_what_a_user_types_is_about_their_own_vault(hermes, monkeypatch):
    from hermes_cli.plugins import get_plugin_command_handler

    hermes.configure(plugins={"entries": {"forgetguard": {"vault": "user"}}})
    monkeypatch.setenv("HERMES_SESSION_USER_ID", "ana")
    get_plugin_command_handler("forget")(SAYS)
    assert [len(hermes.guard(name).forgotten()) for name in ("ana", "bo")] == [1, 0]
    monkeypatch.setenv("HERMES_SESSION_USER_ID", "bo")
    get_plugin_command_handler("remember")(SAYS)
    assert [len(hermes.guard(name).forgotten()) for name in ("ana", "bo")] == [1, 0]


def test_by_default_all_who_write_to_a_profile_are_one(hermes):
    hermes.configure()
    model = hermes.model(SCRIPT)
    hermes.talk(hermes.agent(model, platform="telegram", user_id="ana"), SAYS, FORGET)
    hermes.talk(hermes.agent(model, platform="cli"), SAYS)
    assert hermes.memory() == []


def test_a_user_id_cannot_name_a_place_outside(tmp_path):
    assert ledger_of(tmp_path, "..").parent.parent == tmp_path / "forgetguard" / "users"
    assert ledger_of(tmp_path, "a/b").parent.parent == tmp_path / "forgetguard" / "users"


def test_while_the_ledger_is_unavailable_writes_are_blocked_and_reads_pass(hermes):
    hermes.configure()
    agent = hermes.agent(hermes.model(SCRIPT))
    hermes.talk(agent, SAYS, "trains")
    hermes.guard().close()
    messages = hermes.talk(agent, "trains", "search", FORGET)
    blocked, found, kept = (json.loads(one) for one in results(messages))
    assert blocked["error"] == answers.UNAVAILABLE
    assert found["success"] is True
    assert kept == {"success": False, "error": answers.NOT_REMOVED}
    assert hermes.memory() == [FACT, "User likes trains"]


@pytest.fixture
def failing(hermes, monkeypatch):
    """An installation whose guard fails in every way."""
    hermes.configure()

    def fail(*args, **kwargs):
        raise RuntimeError(FACT)

    for name in ("check", "filter", "scrub", "forgetting", "remember", "sweep"):
        monkeypatch.setattr(ForgetGuard, name, fail)
    return hermes


def test_a_guard_that_raises_blocks_writes_and_lets_reads_pass(failing, caplog):
    caplog.set_level("WARNING", "forgetguard")
    agent = failing.agent(failing.model(SCRIPT))
    assert errors(failing.talk(agent, SAYS, "search")) == [answers.FAILED, None]
    assert failing.memory() == []
    assert FACT not in "".join(record.getMessage() for record in caplog.records if record.name == "forgetguard")


def test_a_vault_that_cannot_be_opened_blocks_writes(hermes, monkeypatch):
    hermes.configure()
    monkeypatch.setenv("FORGETGUARD_KEY", "no key")
    assert errors(hermes.talk(hermes.agent(hermes.model(SCRIPT)), SAYS)) == [answers.FAILED]
    assert hermes.memory() == []


def test_a_guard_that_raises_stores_nothing_in_a_provider(failing):
    from plugins.memory import load_memory_provider

    provider = guard_provider(load_memory_provider("holographic"), plugin.shared_room(False))
    provider.initialize("s", hermes_home=str(failing.home))
    provider.on_memory_write("add", "user", FACT)
    with pytest.raises(RuntimeError):  # Hermes logs it, and goes on without the provider
        provider.on_session_end([{"role": "user", "content": SAYS}])
    refused = provider.handle_tool_call("fact_store", {"action": "add", "content": FACT})
    assert json.loads(refused) == {"success": False, "error": answers.FAILED}
    assert json.loads(provider.handle_tool_call("fact_store", {"action": "list"}))["count"] == 0


def test_several_calls_at_once_take_the_same_way(hermes):
    hermes.configure()
    agent = hermes.agent(hermes.model(SCRIPT))
    hermes.talk(agent, SAYS, FORGET)
    messages = hermes.talk(hermes.agent(hermes.model(SCRIPT)), "both")
    blocked, found = (json.loads(one) for one in results(messages))
    assert blocked["error"] == answers.RESTATED
    assert "dark mode in every editor" not in json.dumps(found)


def test_a_background_review_is_housekeeping(hermes):
    """It runs under the session of the user's turn, with a turn of its own."""
    room = plugin.shared_room(False)
    hermes.configure()
    hermes.talk(hermes.agent(hermes.model(SCRIPT)), SAYS)
    turns = {"session_id": "s", "tool_name": "memory"}
    plugin.turn_begins(room, session_id="s", turn_id="1", user_message=FORGET)
    plugin.turn_begins(room, session_id="s", turn_id="2", user_message="Review the conversation above.")
    removal = {"action": "remove", "target": "user", "old_text": "dark mode"}
    done = '{"success": true}'
    assert plugin.around_tool(room, args=removal, next_call=lambda args: done, turn_id="2", **turns) == done
    assert hermes.guard().forgotten() == ()
    assert plugin.around_tool(room, args=removal, next_call=lambda args: done, turn_id="1", **turns) == done
    assert len(hermes.guard().forgotten()) == 1


def test_what_the_tool_raises_comes_out_and_nothing_is_recorded(hermes):
    room = plugin.shared_room(False)
    hermes.configure()
    hermes.talk(hermes.agent(hermes.model(SCRIPT)), SAYS)
    plugin.turn_begins(room, session_id="s", turn_id="1", user_message=FORGET)

    def fail(args):
        raise OSError("disk")

    removal = {"action": "remove", "target": "user", "old_text": "dark mode"}
    with pytest.raises(OSError, match="disk"):
        plugin.around_tool(room, tool_name="memory", args=removal, next_call=fail, session_id="s", turn_id="1")
    assert hermes.guard().forgotten() == ()


def test_the_users_own_words_of_the_running_turn_pass(hermes):
    hermes.configure()
    hermes.guard().forget(FACT)
    model = hermes.model()
    hermes.talk(hermes.agent(model), SAYS, SAYS)
    assert said(model.requests[-1], "user").count(SAYS) == 1


def test_a_typed_forget_removes_and_protects(hermes):
    from hermes_cli.plugins import get_plugin_command_handler

    hermes.configure()
    agent = hermes.agent(hermes.model(SCRIPT))
    note = "User wants the cache deleted before a deployment"
    hermes.talk(agent, SAYS, "trains", note)
    forget = get_plugin_command_handler("forget")
    assert forget("").startswith("Usage")
    assert "Entries removed from memory: 1" in forget(SAYS)
    assert hermes.memory() == ["User likes trains", note]
    hermes.talk(agent, SAYS)
    assert hermes.memory() == ["User likes trains", note]
    hermes.guard().close()
    assert forget(SAYS).startswith("Nothing was forgotten")


def test_a_vault_of_ones_own(guard):
    """`vault` may be a guard, hooks, or a function of the scope."""
    guard.forget(FACT)
    asked = []

    def vault(scope):
        asked.append(scope)
        return guard

    assert Room(vault).refusal(lambda: Scope(Path("h"), "u"), [FACT]) == answers.RESTATED
    assert [(str(one.home), one.user) for one in asked] == [("h", "u")]
