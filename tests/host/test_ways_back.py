"""The known ways back, on a small memory host: each leaks with the guard off and does not with it on."""

from __future__ import annotations

import pytest

from forgetguard.demo.host import Host
from forgetguard.hooks import Hooks
from forgetguard.values import Action, Candidate

SAID = "I'm vegetarian."
FACT = "User is vegetarian"
NOTE = "User previously identified as vegetarian and asked for that record to be removed"
OTHER = "User's colleague Rui cooks on Friday"


@pytest.fixture(params=[False, True], ids=["off", "on"])
def on(request):
    return request.param


@pytest.fixture
def host(on, guard):
    """A host that knew the fact and was asked to forget it."""
    host = Host(Hooks(guard) if on else None)
    host.transcript += [SAID, "User's colleague Rui cooks on Friday."]
    host.write([Candidate(FACT), Candidate(OTHER)])
    if on:
        name = host.find("vegetarian")
        with guard.forgetting(ids=[name], fetch=host.facts.get):
            del host.facts[name]
    else:
        del host.facts[host.find("vegetarian")]
    assert not host.holds("vegetarian")
    return host


def the_turn_read_again(host):
    host.extract([SAID])


def the_note(host):
    host.write([Candidate(NOTE)])


def an_update(host):
    target = host.find("Rui")
    host.write([Candidate(f"{OTHER}; the user is vegetarian", Action.UPDATE, target=target)])
    assert "Rui cooks on Friday" in host.facts[target]


def a_mirrored_write(host):
    host.mirror({"profile": "The user is a vegetarian."})


def a_summary(host):
    host.summarise()


WAYS = [the_turn_read_again, the_note, an_update, a_mirrored_write, a_summary]


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def way(request):
    return request.param


def test_at_the_turn(host, on, way):
    way(host)
    assert host.holds("vegetarian") is not on


def test_before_compaction(host, on):
    host.compact()
    assert host.holds("vegetarian") is not on


def test_at_the_end_of_the_session(host, on):
    host.end_session()
    assert host.holds("vegetarian") is not on
    assert "Rui cooks on Friday" in host.summaries[-1]


@pytest.mark.parametrize("text", [FACT, NOTE, "I'm vegetarian"])
def test_from_the_retry_queue(host, on, text):
    host.write_failed([Candidate(text)])
    host.retry_all()
    assert host.holds("vegetarian") is not on


def test_what_was_deferred_is_decided_when_it_is_retried(open_guard, path, tmp_path, monkeypatch):
    import os

    from forgetguard.guard import vault

    monkeypatch.setattr(vault, "RETRY_SECONDS", 0.0)
    guard = open_guard()
    guard.forget(FACT)
    host = Host(Hooks(guard))
    os.rename(path.parent, tmp_path / "away")
    host.write([Candidate(FACT), Candidate(OTHER)])
    assert (host.facts, len(host.retry)) == ({}, 2)
    os.rename(tmp_path / "away", path.parent)
    host.retry_all()
    assert list(host.facts.values()) == [OTHER]
    assert host.retry == []


def test_an_explicit_remember_brings_it_back(host, on, guard):
    host.end_session()
    host.remember(FACT)
    assert FACT in host.facts.values()
    host.facts.clear()
    host.write([Candidate(FACT)])
    assert host.holds("vegetarian")
    host.summarise()
    assert "vegetarian" in host.summaries[-1]


@pytest.mark.parametrize(
    "text",
    [
        "User is vegan",
        "User's sister is vegetarian",
        "User is not vegetarian",
        "User tends to forget appointments",
        "User wants to delete their Facebook account",
        "User likes the vegetarian restaurant in Porto",
    ],
)
def test_what_still_stores(host, text):
    host.write([Candidate(text)])
    assert text in host.facts.values()
    target = host.find("Rui")
    host.write([Candidate(text, Action.UPDATE, target=target)])
    assert host.facts[target] == text


def test_housekeeping_records_nothing(host, on, guard):
    before = guard.forgotten()
    target = host.find("Rui")
    host.write([Candidate("User's colleague Rui cooks on Monday", Action.UPDATE, target=target)])
    host.mirror({target: "User's colleague Rui cooks on Sunday"})
    host.write([Candidate("", Action.DELETE, target=target)])
    assert guard.forgotten() == before
    host.write([Candidate(OTHER)])
    assert host.holds("Rui")
