"""The bundled memory provider `holographic` behind the guard, loaded by Hermes from the installed directory."""

from __future__ import annotations

import inspect
import json
import sqlite3

import pytest
from agent.memory_provider import MemoryProvider

from forgetguard.adapters.hermes import Room, answers, guard_provider
from forgetguard.adapters.hermes.install import install
from hosts.scripted_model import call, said

FACT = "User prefers dark mode in every editor"
SAYS = "I prefer dark mode in every editor"
FORGET = f"I want you to forget that {SAYS}"
OTHER = "I prefer trains over planes"
HOLOGRAPHIC = {"hermes-memory-store": {"auto_extract": True}}
SCRIPT = {
    FORGET: call("memory", action="remove", target="user", old_text="dark mode"),
    SAYS: call("memory", action="add", target="user", content=FACT),
}


def unguarded(hermes, **sections):
    hermes.configure(guarded=False, memory={"provider": "holographic"}, plugins=HOLOGRAPHIC, **sections)


def guarded(hermes):
    entries = {"forgetguard": {"provider": "holographic"}}
    install(hermes.home)
    hermes.configure(
        memory={"provider": "forgetguard"}, plugins={"enabled": ["forgetguard"], "entries": entries, **HOLOGRAPHIC}
    )


def facts(hermes):
    with sqlite3.connect(hermes.home / "memory_store.db") as database:
        return [row[0] for row in database.execute("SELECT content FROM facts ORDER BY fact_id")]


def session(hermes, *said, script=SCRIPT):
    """One session to its end, where the provider extracts."""
    agent = hermes.agent(hermes.model(script), enabled_toolsets=["memory"])
    agent.shutdown_memory_provider(hermes.talk(agent, *said))
    return agent


def test_without_the_guard_the_forget_turn_itself_is_stored(hermes):
    unguarded(hermes)
    session(hermes, SAYS, FORGET)
    assert FORGET in facts(hermes)


def test_with_the_guard_neither_it_nor_the_fact_is(hermes):
    guarded(hermes)
    session(hermes, SAYS, FORGET, OTHER)
    session(hermes, f"By the way, {SAYS}.")
    assert [fact for fact in facts(hermes) if fact != FACT] == [OTHER]  # the mirror of what was saved before


def test_a_wish_to_forget_is_not_stored_where_nothing_was_there_to_remove(hermes):
    guarded(hermes)
    session(hermes, FORGET, OTHER, script={})
    assert facts(hermes) == [OTHER]


def test_remember_brings_it_back(hermes):
    from hermes_cli.plugins import get_plugin_command_handler

    guarded(hermes)
    hermes.guard().forget(FACT)
    session(hermes, SAYS)
    assert facts(hermes) == []
    get_plugin_command_handler("remember")(FACT)
    session(hermes, SAYS)
    assert facts(hermes) == [FACT, SAYS]  # mirrored, and extracted


def test_a_new_value_and_another_subject_still_store(hermes):
    guarded(hermes)
    hermes.guard().forget(FACT)
    said = ["I prefer light mode in every editor", "My sister said: I like dark mode, I use it"]
    session(hermes, *said, script={})
    assert facts(hermes) == said


def test_a_mirrored_write_is_no_remember(hermes):
    guarded(hermes)
    hermes.guard().forget(FACT)
    agent = session(hermes, "hello")
    agent._memory_manager.on_memory_write("add", "user", FACT)
    assert facts(hermes) == []
    assert len(hermes.guard().forgotten()) == 1


def test_what_is_recalled_is_scrubbed(hermes):
    guarded(hermes)
    session(hermes, SAYS, OTHER)
    hermes.guard().forget(FACT)
    model = hermes.model()
    agent = hermes.agent(model)
    hermes.talk(agent, "Which mode do I prefer in the editor, and which way to travel?")
    assert "trains over planes" in said(model.requests[-1])
    assert "dark mode" not in said(model.requests[-1])


def tool(agent, **arguments):
    return json.loads(agent._memory_manager.handle_tool_call("fact_store", arguments))


def test_its_own_tools(hermes):
    guarded(hermes)
    agent = hermes.agent(hermes.model())
    stored = tool(agent, action="add", content=FACT)
    assert tool(agent, action="list")["count"] == 1
    agent._memory_manager.on_turn_start(1, "please tidy up")
    assert tool(agent, action="remove", fact_id=stored["fact_id"]) == {"removed": True}
    assert hermes.guard().forgotten() == ()
    stored = tool(agent, action="add", content=FACT)
    agent._memory_manager.on_turn_start(2, FORGET)
    assert tool(agent, action="remove", fact_id=stored["fact_id"]) == {"removed": True}
    assert [entry.text for entry in hermes.guard().forgotten()] == [FACT]
    assert tool(agent, action="add", content=FACT) == {"success": False, "error": answers.RESTATED}
    assert tool(agent, action="add", content=OTHER)["status"] == "added"


def test_what_cannot_be_read_is_not_removed(hermes):
    guarded(hermes)
    agent = hermes.agent(hermes.model())
    agent._memory_manager.on_turn_start(1, FORGET)
    assert tool(agent, action="remove", fact_id=99) == {"success": False, "error": answers.NOT_REMOVED}
    assert hermes.guard().forgotten() == ()


class Newest(MemoryProvider):
    """A provider with methods that this package has never heard of."""

    name = "newest"
    extra = "more"

    def __init__(self):
        self.seen = []

    def is_available(self):
        return True

    def initialize(self, session_id, **kwargs):
        self.seen.append((session_id, kwargs))

    def get_tool_schemas(self):
        return [{"name": "newest"}]

    def sync_turn(self, user_content, assistant_content, *, session_id="", messages=None):
        self.seen.append((user_content, assistant_content, messages))

    def on_delegation(self, task, result, *, child_session_id="", **kwargs):
        self.seen.append((task, result, kwargs))

    def on_pre_compress(self, messages):
        return f"{len(messages)} messages. {SAYS}."


@pytest.fixture
def newest(hermes, guard):
    hermes.configure(guarded=False)
    guard.forget(FACT)
    inner = Newest()
    return guard_provider(inner, Room(guard)), inner


def test_everything_else_of_a_provider_passes(newest, hermes, monkeypatch):
    monkeypatch.setattr(MemoryProvider, "on_moon_phase", lambda self, phase: f"{phase}!", raising=False)
    _, inner = newest
    again = guard_provider(inner, Room(lambda scope: pytest.fail("not asked")))
    assert (again.name, again.extra, again.on_moon_phase("new")) == ("newest", "more", "new!")
    assert isinstance(again, MemoryProvider)
    assert again.get_tool_schemas() == [{"name": "newest"}]
    for name in ("sync_turn", "on_memory_write", "prefetch"):
        assert inspect.signature(getattr(again, name)) == inspect.signature(getattr(inner, name))


def test_a_provider_may_name_its_arguments_as_it_likes(newest, guard):
    class Other(Newest):
        def sync_turn(self, said, answered, **more):
            self.seen.append((said, answered, more))

        def on_memory_write(self, what, where, text):
            self.seen.append((what, where, text))

    inner = Other()
    provider = guard_provider(inner, Room(guard))
    provider.sync_turn(f"{SAYS}. It is late.", "Yes.", session_id="s", messages=[{"role": "user", "content": SAYS}])
    provider.on_memory_write("add", "user", FACT)
    provider.on_memory_write("remove", "user", FACT)
    (turn, removal) = inner.seen
    assert turn == (turn[0], "Yes.", {"session_id": "s", "messages": []})
    assert "It is late" in turn[0] and "dark mode" not in turn[0]
    assert removal == ("remove", "user", FACT)


def test_turns_reach_it_without_what_was_forgotten(newest):
    provider, inner = newest
    messages = [{"role": "user", "content": SAYS}, {"role": "assistant", "content": "It rains."}]
    provider.sync_turn(f"{SAYS}. It is late.", "It rains.", session_id="s", messages=messages)
    provider.sync_turn(SAYS, "")
    provider.on_delegation(SAYS, "It rains.", child_session_id="c", later="x")
    assert inner.seen[0][1:] == ("It rains.", messages[1:])
    assert "dark mode" not in inner.seen[0][0] and "It is late" in inner.seen[0][0]
    assert inner.seen[1:] == [("", "It rains.", {"later": "x"})]
    assert "dark mode" not in provider.on_pre_compress(messages)
    assert "1 messages" in provider.on_pre_compress(messages)
