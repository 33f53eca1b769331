"""Living with the host: its locks, its gateway, its versions, its schema."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from adapters.openclaw.conftest import Recorded
from adapters.openclaw.recording import ALICE, BOB
from forgetguard.adapters.openclaw import locks
from forgetguard.adapters.openclaw.lineage import HostLineage
from forgetguard.adapters.openclaw.processes import is_alive, start_time
from forgetguard.errors import Refused
from purge.world import picture


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    """Another process that lives."""
    started = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield started
    started.kill()
    started.wait()


@pytest.fixture
def dead() -> int:
    """The id of a process that lives no more."""
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


def assert_refused(recorded: Recorded, code: str) -> None:
    """Refused with exit code 4 before anything was written, in the library and on the command line."""
    before = picture(recorded.root)
    with pytest.raises(Refused) as caught:
        recorded.purge(ALICE)
    assert caught.value.code == code
    told, body, _ = recorded.forget("--session", ALICE, "--yes", "--json")
    assert (told, body["forgetguard"]["code"], body["ok"]) == (4, code, False)
    assert picture(recorded.root) == before
    assert recorded.preview(ALICE).exit_code == 0, "looking is always allowed"


def write(recorded: Recorded, sql: str, *bindings: object) -> None:
    recorded.shared(sql, *bindings)


def lock_row(recorded: Recorded, owner: str, age: float, **more: object) -> None:
    key = next(iter(recorded.state.agent().workspace_keys))
    value = {"owner": owner, "acquiredAt": int((time.time() - age) * 1000), **more}
    write(recorded, "INSERT INTO plugin_state_entries VALUES ('memory-core', 'short-term-locks', ?, ?, 0, NULL)",
          key, json.dumps(value))  # fmt: skip


def lock_file(recorded: Recorded, content: str, end: str = ".lock") -> Path:
    target = recorded.state.agent().promotion_lock
    path = target.with_name(target.name + end)
    path.parent.mkdir(exist_ok=True)
    path.write_text(content)
    return path


def test_the_promotion_lock_of_a_live_process(recorded: Recorded, process: subprocess.Popen[bytes]) -> None:
    lock_file(recorded, json.dumps({"pid": process.pid, "createdAt": "2026-11-30T16:00:00.000Z"}))
    assert_refused(recorded, "host-busy")


def test_the_promotion_lock_under_its_bare_name(recorded: Recorded, process: subprocess.Popen[bytes]) -> None:
    lock_file(recorded, json.dumps({"pid": process.pid}), "")
    assert_refused(recorded, "host-busy")


def test_a_stale_promotion_lock_of_the_host_is_not_forced(recorded: Recorded, dead: int) -> None:
    lock_file(recorded, json.dumps({"pid": dead}))
    assert_refused(recorded, "host-busy")


def test_an_unreadable_promotion_lock(recorded: Recorded) -> None:
    lock_file(recorded, "?")
    assert_refused(recorded, "host-busy")


def test_what_a_killed_purge_left_is_taken_over(recorded: Recorded, dead: int) -> None:
    path = lock_file(recorded, json.dumps({"pid": dead, "owner": "forgetguard"}))
    lock_row(recorded, f"{dead}:forgetguard-0", 1)
    assert recorded.purge(ALICE).exit_code == 0
    assert not path.exists()
    assert recorded.shared("SELECT * FROM plugin_state_entries WHERE namespace='short-term-locks'") == []


def test_the_row_of_a_live_process(recorded: Recorded, process: subprocess.Popen[bytes]) -> None:
    lock_row(recorded, f"{process.pid}:a", 3600, ownerStartTime=start_time(process.pid))
    assert_refused(recorded, "host-busy")


def test_the_row_of_a_dead_process_counts_for_a_minute_as_with_the_host(recorded: Recorded, dead: int) -> None:
    lock_row(recorded, f"{dead}:a", 5)
    assert_refused(recorded, "host-busy")


@pytest.mark.parametrize("reused", [False, True])
def test_an_old_row_of_a_dead_process(
    recorded: Recorded, dead: int, process: subprocess.Popen[bytes], reused: bool
) -> None:
    if reused:  # another process has its id now
        lock_row(recorded, f"{process.pid}:a", 120, ownerStartTime=1)
    else:
        lock_row(recorded, f"{dead}:a", 120)
    assert recorded.purge(ALICE).exit_code == 0


def test_the_locks_are_held_while_it_works(recorded: Recorded) -> None:
    agent = recorded.state.agent()
    with locks.exclusive(agent):
        files = list(agent.promotion_lock.parent.glob("memory-promotion-*"))
        assert [path.name for path in files] == [agent.promotion_lock.name + ".lock"]
        payload = json.loads(files[0].read_text())
        assert (payload["pid"], payload["starttime"]) == (os.getpid(), start_time(os.getpid()))
        (row,) = recorded.shared(
            "SELECT entry_key, value_json FROM plugin_state_entries WHERE namespace='short-term-locks'"
        )
        value = json.loads(row[1])
        assert row[0] in agent.workspace_keys
        assert value["owner"].startswith(f"{os.getpid()}:") and value["ownerStartTime"] == start_time(os.getpid())
        with pytest.raises(Refused), locks.exclusive(agent, wait=0.1):
            pass
    assert list(agent.promotion_lock.parent.iterdir()) == []


def test_an_index_that_is_being_rebuilt(recorded: Recorded) -> None:
    path = recorded.agent_database.with_name(recorded.agent_database.name + ".reindex-lock.sqlite")
    rebuilding = apsw.Connection(str(path))
    rebuilding.execute("BEGIN EXCLUSIVE")
    with pytest.raises(Refused):
        recorded.purge(ALICE)
    assert recorded.agent("SELECT * FROM memory_session_tombstones") == []
    rebuilding.close()
    assert recorded.purge(ALICE).exit_code == 0


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO gateway_boot_lifecycle(boot_id, pid, started_at_ms) VALUES ('b', {pid}, 1796055502186)",
        "INSERT INTO agent_database_leases VALUES ('l', 'main', '/x', {pid}, NULL, 1796055502186)",
    ],
    ids=["boot record", "lease"],
)
def test_a_live_gateway_by_its_records(recorded: Recorded, process: subprocess.Popen[bytes], sql: str) -> None:
    write(recorded, sql.format(pid=process.pid))
    assert_refused(recorded, "host-running")
    process.kill()
    process.wait()
    assert recorded.purge(ALICE).exit_code == 0


def test_a_live_gateway_by_its_lock_file(recorded: Recorded, process: subprocess.Popen[bytes]) -> None:
    folder = recorded.root / "tmp" / "openclaw-0"
    folder.mkdir(parents=True)
    (folder / "gateway.state.lock").write_text(json.dumps({"pid": process.pid, "startTime": start_time(process.pid)}))
    assert_refused(recorded, "host-running")


def test_a_live_gateway_by_its_port(recorded: Recorded) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        config = recorded.root / "openclaw.json"
        config.write_text(config.read_text().replace("18791", str(server.getsockname()[1])))
        assert_refused(recorded, "host-running")


@pytest.mark.parametrize("which", ["agent_database", "shared_database"])
def test_an_unknown_version(recorded: Recorded, which: str) -> None:
    recorded.rows(getattr(recorded, which), "PRAGMA user_version=24")
    assert_refused(recorded, "unknown-version")
    code, facts, _ = recorded.command("doctor", "--state-dir", str(recorded.root), "--json")
    assert code == 1 and not facts["ready"]
    assert facts["testedVersions"] == {"agent": [23], "shared": [18]}


def schema(recorded: Recorded, path: Path) -> list[tuple[object, ...]]:
    return recorded.rows(path, "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2")


def test_the_hosts_schema_and_its_foreign_keys(recorded: Recorded) -> None:
    paths = (recorded.agent_database, recorded.shared_database)
    pragmas = ("user_version", "auto_vacuum", "page_size", "application_id", "journal_mode")
    before = [(schema(recorded, path), [recorded.rows(path, f"PRAGMA {one}") for one in pragmas]) for path in paths]
    recorded.purge("agent:main:alice")
    for path, (was, settings) in zip(paths, before, strict=True):
        assert schema(recorded, path) == was, "no table, trigger or index of ours"
        assert [recorded.rows(path, f"PRAGMA {one}") for one in pragmas] == settings
        assert recorded.rows(path, "PRAGMA foreign_key_check") == []
        assert recorded.rows(path, "PRAGMA integrity_check") == [("ok",)]
        assert not path.with_name(path.name + "-wal").exists()


def test_vectors_and_rows_that_stay_still_fit(recorded: Recorded) -> None:
    sql = "SELECT id, embedding FROM memory_index_chunks_vec ORDER BY id"
    before = dict(recorded.agent(sql))
    recorded.purge(ALICE)
    after = dict(recorded.agent(sql))
    chunks = {row[0] for row in recorded.agent("SELECT id FROM memory_index_chunks")}
    assert after.keys() == chunks and after.items() <= before.items()
    raw = recorded.agent_database.read_bytes()
    assert not any(vector in raw for name, vector in before.items() if name not in after), "nor are their bytes left"
    found = recorded.agent(
        "SELECT id FROM memory_index_chunks_fts WHERE memory_index_chunks_fts MATCH 'Oleander' ORDER BY 1"
    )
    assert {row[0] for row in found} <= chunks and found
    assert recorded.agent("SELECT count(*) FROM memory_index_chunk_provenance") == [(len(chunks),)]
    assert recorded.agent("SELECT count(*) FROM memory_index_chunk_recall_metadata") == [(len(chunks),)]


def test_older_state_without_the_lazy_tables(recorded: Recorded) -> None:
    for table in ("memory_session_tombstones", "memory_entry_origins"):
        recorded.agent(f"DROP TABLE {table}")
    assert recorded.preview(ALICE).body["entryKeys"] == []
    recorded.purge(ALICE)
    assert recorded.agent("SELECT session_id FROM memory_session_tombstones") == [(ALICE,)]
    assert recorded.agent("PRAGMA user_version") == [(23,)]


def test_a_preview_and_doctor_leave_no_trace(recorded: Recorded) -> None:
    before = picture(recorded.root)
    recorded.forget("--session", ALICE, "--dry-run", "--json")
    recorded.forget("--session", BOB, "--json")
    recorded.command("doctor", "--state-dir", str(recorded.root), "--json")
    assert picture(recorded.root) == before


def test_reading_beside_a_writer_of_the_host(recorded: Recorded) -> None:
    """A preview sees what the host has committed to its WAL, and changes none of its files."""
    writer = "import sys, apsw; c = apsw.Connection(sys.argv[1]); c.execute(sys.argv[2]); print(flush=True); input()"
    sql = f"INSERT INTO memory_session_tombstones VALUES ('{ALICE}', 'main', 'forgotten', 0)"
    host = subprocess.Popen([sys.executable, "-c", writer, str(recorded.agent_database), sql],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
    assert host.stdout is not None and host.stdout.readline()
    before = picture(recorded.root)
    assert recorded.preview(ALICE).exit_code == 0
    assert HostLineage(recorded.state.agent()).buried([ALICE]) == {ALICE}
    assert picture(recorded.root) == before
    host.communicate(b"\n", timeout=30)


def test_a_process_that_is_gone() -> None:
    assert is_alive(os.getpid()) and is_alive(os.getpid(), start_time(os.getpid()))
    assert not is_alive(os.getpid(), 1) and not is_alive(0)
