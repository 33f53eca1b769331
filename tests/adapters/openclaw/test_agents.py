"""Every agent of a state directory: values that one of them knows, one that fails, a workspace that they share."""

from __future__ import annotations

import json
import os
import shutil
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pytest

from adapters.openclaw.conftest import Recorded
from adapters.openclaw.recording import ALICE, BOB
from forgetguard.adapters.openclaw import agents, forget_all
from forgetguard.errors import NothingMatched
from forgetguard.purge import Selection
from purge.world import picture


def add(recorded: Recorded, name: str = "second", *, without: str = "") -> None:
    """Another agent with the same sessions (but for one of them), in the same workspace."""
    shutil.copytree(recorded.root / "agents/main", recorded.root / f"agents/{name}")
    path = recorded.root / f"agents/{name}/agent/openclaw-agent.sqlite"

    def write(sql: str, *bindings: object) -> None:
        recorded.rows(path, sql, *bindings)

    write("UPDATE memory_entry_origins SET agent_id=?", name)
    for table in ("session_windows", "session_nodes"):
        write(f"UPDATE {table} SET session_key=replace(session_key, 'agent:main:', 'agent:{name}:')")
    for table in ("memory_index_chunks", "memory_index_sources"):
        write(f"UPDATE {table} SET path=replace(path, 'sessions/main/', 'sessions/{name}/')")
    if without:
        write("DELETE FROM session_windows WHERE session_id=?", without)
        write("DELETE FROM memory_entry_origins WHERE session_id=?", without)


def move_out(recorded: Recorded, name: str = "second") -> None:
    """A workspace of the agent's own."""
    config = recorded.root / "openclaw.json"
    given = json.loads(config.read_text())
    given["agents"]["list"] = [{"id": name, "workspace": str(recorded.base / "elsewhere")}]
    config.write_text(json.dumps(given))


def tombstones(recorded: Recorded, name: str) -> set[str]:
    path = recorded.root / f"agents/{name}/agent/openclaw-agent.sqlite"
    return {row[0] for row in recorded.rows(path, "SELECT session_id FROM memory_session_tombstones")}


def purge(recorded: Recorded, *sessions: str, pool: Executor | None = None, **more: Any) -> Any:
    if pool is None:
        with ThreadPoolExecutor(2) as pool:
            return purge(recorded, *sessions, pool=pool, **more)
    home = None if more.get("dry_run") else recorded.home
    return forget_all(recorded.state, Selection(sessions=sessions), home, **{"dry_run": False, **more}, executor=pool)


def test_every_agent_in_one_report(recorded: Recorded) -> None:
    add(recorded)
    code, body, _ = recorded.forget("--all-agents", "--session", ALICE, "--dry-run", "--json")
    assert code == 0
    assert [one["agentId"] for one in body["agents"]] == ["main", "second"]
    assert [one["sessionIds"] for one in body["agents"]] == [[ALICE], [ALICE]]
    with ProcessPoolExecutor(2) as pool:
        done = purge(recorded, ALICE, pool=pool)
    assert done.exit_code == 0, json.dumps(done.body, indent=1)
    assert tombstones(recorded, "main") == tombstones(recorded, "second") == {ALICE}
    before = picture(recorded.root)
    assert purge(recorded, ALICE).exit_code == 0
    assert picture(recorded.root) == before, "a repeat changes nothing"


def test_what_one_agent_knows_is_known(recorded: Recorded) -> None:
    add(recorded, without=BOB)
    done = purge(recorded, BOB, strict=True)
    assert done.exit_code == 0, json.dumps(done.body, indent=1)
    assert [one["forgetguard"]["result"] for one in done.body["agents"]] == ["clean", "nothing-to-do"]
    assert (tombstones(recorded, "main"), tombstones(recorded, "second")) == ({BOB}, set())


def test_values_that_different_agents_know(recorded: Recorded) -> None:
    add(recorded)
    keys = ("agent:main:alice", "agent:second:bob")
    done = purge(recorded, *keys, strict=True)
    assert done.exit_code == 0, json.dumps(done.body, indent=1)
    assert (tombstones(recorded, "main"), tombstones(recorded, "second")) == ({ALICE}, {BOB})


def test_what_no_agent_knows(recorded: Recorded) -> None:
    add(recorded)
    before = picture(recorded.root)
    with pytest.raises(NothingMatched):
        purge(recorded, ALICE, "typo", strict=True)
    assert picture(recorded.root) == before
    assert recorded.forget("--all-agents", "--session", "typo", "--strict", "--yes", "--json")[0] == 5
    assert picture(recorded.root) == before
    assert purge(recorded, ALICE, "typo").exit_code == 5
    assert tombstones(recorded, "main") == {ALICE, "typo"}


def test_an_agent_that_fails_keeps_no_other_from_reporting(recorded: Recorded) -> None:
    add(recorded)
    move_out(recorded)
    (recorded.root / "agents/second/agent/openclaw-agent.sqlite").write_bytes(b"x" * 9000)
    done = purge(recorded, ALICE)
    assert done.exit_code == 1
    first, second = done.body["agents"]
    assert first["forgetguard"]["result"] == "clean"
    assert second["forgetguard"] == {
        "error": {**second["forgetguard"]["error"], "code": "not-a-database"},
        "exitCode": 1,
    }
    code, body, errors = recorded.forget("--all-agents", "--session", ALICE, "--yes")
    assert code == 1 and body is None and "Traceback" not in errors


def broken(task: agents.Task) -> Any:
    if task.agent == "second":
        os._exit(9)
    return agents.Outcome({"agentId": task.agent, "forgetguard": {}})


def test_an_agent_whose_process_is_killed(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    add(recorded)
    monkeypatch.setattr(agents, "run_task", broken)
    with ProcessPoolExecutor(1) as pool:
        done = purge(recorded, ALICE, pool=pool)
    assert done.exit_code == 1
    assert done.body["agents"][1]["forgetguard"]["error"]["code"] == "brokenprocesspool"


def test_a_configuration_that_cannot_be_read(recorded: Recorded) -> None:
    add(recorded)
    (recorded.root / "openclaw.json").write_text("{")
    code, body, errors = recorded.forget("--all-agents", "--session", ALICE, "--yes", "--json")
    assert code == 2 and "Traceback" not in errors
    assert [one["forgetguard"]["error"]["code"] for one in body["agents"]] == ["host-config"] * 2


def test_a_state_directory_without_agents(recorded: Recorded) -> None:
    shutil.rmtree(recorded.root / "agents")
    assert recorded.forget("--all-agents", "--session", ALICE, "--yes", "--json")[0] == 5


def test_the_index_of_another_agent_of_the_workspace(recorded: Recorded) -> None:
    """It holds the same files: what goes from them may not be found by the other agent."""
    add(recorded, without=ALICE)
    path = recorded.root / "agents/second/agent/openclaw-agent.sqlite"
    chunks = "SELECT id FROM memory_index_chunks WHERE source='{}' ORDER BY 1"
    transcripts = recorded.rows(path, chunks.format("sessions"))
    broken = recorded.rows(path, "PRAGMA foreign_key_check")
    counts = [one.body["artifacts"] for one in (recorded.preview(ALICE),)]
    done = recorded.purge(ALICE)
    assert done.exit_code == 0, json.dumps(done.body["forgetguard"], indent=1)
    assert counts == [done.body["artifacts"]]
    assert done.body["artifacts"]["indexChunks"] == 19, "the host's own count is of one agent"  # type: ignore[index]
    assert done.body["forgetguard"]["beyond"]["sharedWorkspaceIndexChunks"] == 18, "but for her transcript"  # type: ignore[index]
    assert recorded.rows(path, chunks.format("memory")) == recorded.agent(chunks.format("memory"))
    assert recorded.rows(path, chunks.format("sessions")) == transcripts
    assert recorded.rows(path, "PRAGMA foreign_key_check") == broken, "no reference more than `add` broke"
    before = picture(recorded.root)
    assert recorded.purge(ALICE).body["forgetguard"]["result"] == "nothing-to-do"  # type: ignore[index]
    assert picture(recorded.root) == before


def test_an_agent_of_the_workspace_with_another_version(recorded: Recorded) -> None:
    add(recorded)
    recorded.rows(recorded.root / "agents/second/agent/openclaw-agent.sqlite", "PRAGMA user_version=24")
    before = picture(recorded.root)
    assert recorded.forget("--session", ALICE, "--agent", "main", "--yes", "--json")[0] == 4
    assert picture(recorded.root) == before


def test_agents_of_other_workspaces_are_left_alone(recorded: Recorded) -> None:
    add(recorded)
    move_out(recorded)
    path = recorded.root / "agents/second/agent/openclaw-agent.sqlite"
    before = path.read_bytes()
    assert recorded.purge(ALICE).exit_code == 0
    assert path.read_bytes() == before
