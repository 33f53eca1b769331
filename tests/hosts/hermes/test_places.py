"""What the real Hermes leaves of a fact, and what may be cleared of it."""

from __future__ import annotations

import hashlib
import json
import stat

import pytest

from forgetguard.adapters.hermes import PLACES
from forgetguard.adapters.hermes.install import install
from hosts.scripted_model import call

FACT = "User prefers dark mode in every editor"
SAYS = "I prefer dark mode in every editor"
OTHER = "User likes trains"
BY_NAME = {place.name: place for place in PLACES}


@pytest.fixture
def used(hermes, caplog):
    """A home in which a fact was said, saved, mirrored, left to be approved, and in the next session's prompt."""
    caplog.set_level("INFO")
    script = {
        SAYS: call("memory", action="add", target="user", content=FACT),
        "trains": call("memory", action="add", target="user", content=OTHER),
    }
    install(hermes.home)
    entries = {"forgetguard": {"provider": "holographic"}}
    memory = {"provider": "forgetguard"}
    hermes.configure(memory=memory, plugins={"entries": entries})
    model = hermes.model(script)
    agent = hermes.agent(model)
    hermes.talk(agent, SAYS, "trains")
    agent.shutdown_memory_provider([])
    hermes.configure(memory={**memory, "write_approval": True}, plugins={"entries": entries})
    hermes.talk(hermes.agent(model, platform="telegram"), SAYS)
    (hermes.home / "sessions").mkdir(exist_ok=True)
    dump = {"request": {"messages": [{"role": "user", "content": SAYS}]}}
    (hermes.home / "sessions" / "request_dump_1.json").write_text(json.dumps(dump))
    (hermes.home / "logs").mkdir(exist_ok=True)
    (hermes.home / "logs" / "agent.log.1").write_text(caplog.text)
    line = json.dumps({"conversations": [{"from": "human", "value": SAYS}]})
    (hermes.home / "trajectory_samples.jsonl").write_text(line + "\n")
    hermes.close()
    return hermes


def found(home, name):
    return [kept for kept in BY_NAME[name].find(home) if "dark mode" in kept.text]


def digests(home):
    return {path: hashlib.sha256(path.read_bytes()).digest() for path in home.rglob("*") if path.is_file()}


def test_every_place_is_found_and_looking_changes_nothing(used):
    before = digests(used.home)
    counts = {place.name: len(found(used.home, place.name)) for place in PLACES}
    by_hermes = {"memory", "pending", "holographic", "sessions"}
    assert {name for name, count in counts.items() if count} == by_hermes | {"request-dumps", "trajectories", "logs"}
    assert digests(used.home) == before


def test_nothing_is_found_where_hermes_never_was(tmp_path):
    assert [kept for place in PLACES for kept in place.find(tmp_path / "nowhere")] == []


def test_a_session_is_named_so_that_hermes_can_delete_it(used):
    from hermes_state import SessionDB

    names = {kept.key.partition(",")[0] for kept in found(used.home, "sessions")}
    database = SessionDB(used.home / "state.db")
    assert all(database.get_session(name) for name in names)


@pytest.mark.parametrize("name", ["memory", "pending", "request-dumps"])
def test_what_may_be_cleared_is_gone_and_nothing_else(used, name):
    memory = used.home / "memories" / "USER.md"
    memory.chmod(0o640)
    before = digests(used.home)
    chosen = found(used.home, name)
    assert BY_NAME[name].erase(used.home, chosen) == len(chosen) > 0
    assert found(used.home, name) == []
    changed = {path.name for path, digest in before.items() if digests(used.home).get(path) != digest}
    assert changed == {kept.path.name for kept in chosen}
    assert used.memory() == ([OTHER] if name == "memory" else [FACT, OTHER])
    assert stat.S_IMODE(memory.stat().st_mode) == 0o640
    assert BY_NAME[name].erase(used.home, chosen if name == "memory" else []) == 0


def test_hermes_reads_what_is_left(used):
    from tools.memory_tool import load_on_disk_store

    BY_NAME["memory"].erase(used.home, found(used.home, "memory"))
    store = load_on_disk_store()
    assert store.add("user", "User plays chess")["success"] is True
    assert used.memory() == [OTHER, "User plays chess"]


def test_each_place_can_be_cleared_or_says_what_to_do():
    assert all((place.erase is None) == bool(place.instead) for place in PLACES)
