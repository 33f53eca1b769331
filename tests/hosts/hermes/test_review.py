"""The background review: Hermes' own automatic extraction, which reads the conversation after a turn."""

from __future__ import annotations

import json
import threading

import pytest

from forgetguard.adapters.hermes import answers
from hosts.scripted_model import ScriptedModel, call, said

FACT = "User prefers dark mode in every editor"
SAYS = "I prefer dark mode in every editor"
FORGET = f"I want you to forget that {SAYS}"
TRAINS = "User likes trains"
REVIEW = "Review the conversation above"


def reviewer(request):
    """Saves whatever it finds in the conversation that it is shown."""
    last = request["messages"][-1]
    if last["role"] != "user":
        return "Done."
    if REVIEW in last["content"]:
        found = [fact for word, fact in (("dark mode", FACT), ("trains", TRAINS)) if word in said(request)]
        adds = [{"action": "add", "content": fact} for fact in found]
        return call("memory", target="user", operations=adds) if adds else "Nothing to save."
    if FORGET in last["content"]:
        return call("memory", action="remove", target="user", old_text="dark mode")
    return "I see."


def stubborn(request):
    """Saves it without having been shown it."""
    last = request["messages"][-1]
    review = last["role"] == "user" and REVIEW in last["content"]
    return call("memory", action="add", target="user", content=FACT) if review else reviewer(request)


@pytest.fixture
def reviewed(hermes):
    """Talks to an agent that reviews after every turn, until the reviews are through; the requests of the model."""

    def talk(script, *said, guarded=True):
        hermes.configure(guarded=guarded, memory={"nudge_interval": 1})
        with ScriptedModel(script) as model:
            agent = hermes.agent(model)
            history = []
            for one in said:
                history = agent.run_conversation(one, conversation_history=history)["messages"]
                for thread in threading.enumerate():
                    if thread.name == "bg-review":
                        thread.join(60)
            return model.requests

    return talk


def test_without_the_guard_it_is_saved_again_after_the_very_turn(hermes, reviewed):
    reviewed(reviewer, SAYS, FORGET, guarded=False)
    assert hermes.memory() == [FACT]


def test_with_the_guard_it_neither_sees_it_nor_saves_it(hermes, reviewed):
    requests = reviewed(reviewer, SAYS, FORGET, "I like trains")
    assert hermes.memory() == [TRAINS]
    assert "dark mode" not in said(requests[-1])


def test_one_that_saves_it_all_the_same_is_refused(hermes, reviewed):
    requests = reviewed(stubborn, SAYS, FORGET)
    assert hermes.memory() == []
    results = [one["content"] for one in requests[-1]["messages"] if one["role"] == "tool"]
    assert json.loads(results[-1])["error"] == answers.RESTATED


def test_after_remember_it_saves_it_again(hermes, reviewed):
    reviewed(stubborn, SAYS, FORGET)
    hermes.guard().remember(FACT)
    reviewed(stubborn, "hello")
    assert hermes.memory() == [FACT]
