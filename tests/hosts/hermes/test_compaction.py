"""Summaries of the real compressor."""

from __future__ import annotations

import pytest

from hosts.scripted_model import ScriptedModel

FACT = "User prefers dark mode in every editor"
SUMMARY = f"## Goal\nThe user plans a trip to Lisbon.\n\n## Preferences\n- {FACT}.\n- Trains, no planes.\n"


def script(request):
    return SUMMARY if "summar" in str(request["messages"]).lower() else "Done."


@pytest.fixture
def model():
    with ScriptedModel(script) as made:
        yield made


def conversation():
    turns = [("user", f"Question {n}. " + "word " * 3000) for n in range(14)]
    return [message for turn in turns for message in ({"role": "user", "content": turn[1]}, answer())]


def answer():
    return {"role": "assistant", "content": "An answer. " + "word " * 3000}


def compacted(hermes, model):
    """The real agent's compaction of a long conversation; the messages after it, as one text."""
    agent = hermes.agent(model)
    messages, _ = agent._compress_context(conversation(), "", approx_tokens=120_000, force=True)
    return agent, "\n".join(str(one["content"]) for one in messages)


def engine(hermes, name, guarded=True):
    hermes.configure(
        guarded=guarded,
        context={"engine": name},
        compression={"threshold": 0.5, "protect_first_n": 1, "protect_last_n": 2, "target_ratio": 0.1},
    )


def test_without_the_engine_the_summary_says_it(hermes, model):
    engine(hermes, "compressor", guarded=False)
    _, text = compacted(hermes, model)
    assert FACT in text


def test_with_it_the_summary_does_not(hermes, model):
    engine(hermes, "forgetguard")
    hermes.guard().forget(FACT)
    agent, text = compacted(hermes, model)
    assert "trip to Lisbon" in text and "Trains, no planes" in text
    assert "dark mode" not in text
    assert "dark mode" not in (agent.context_compressor._previous_summary or "")
    assert agent.context_compressor.name == "forgetguard"


def test_after_a_release_it_does_again(hermes, model):
    engine(hermes, "forgetguard")
    hermes.guard().forget(FACT)
    hermes.guard().remember(FACT)
    assert FACT in compacted(hermes, model)[1]


def test_while_the_ledger_is_unavailable_the_summary_is_left_out(hermes, model):
    engine(hermes, "forgetguard")
    hermes.guard().close()
    _, text = compacted(hermes, model)
    assert "Lisbon" not in text and "dark mode" not in text
    assert "could not be checked" in text


def test_its_settings_are_the_compressors_own(hermes, model):
    engine(hermes, "forgetguard")
    ours = hermes.agent(model).context_compressor
    engine(hermes, "compressor")
    theirs = hermes.agent(model).context_compressor
    for name in ("threshold_tokens", "protect_first_n", "protect_last_n", "tail_token_budget", "context_length"):
        assert getattr(ours, name) == getattr(theirs, name), name
