"""Killed at any point, out of space, rivals: run again, it finishes, with the host's real tables."""

from __future__ import annotations

import errno
import json
import random
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import apsw
import pytest

from adapters.openclaw.conftest import Recorded
from adapters.openclaw.recording import ALICE, unpack
from forgetguard.adapters.openclaw import plan_forget
from forgetguard.purge import apply
from forgetguard.purge.surfaces import file_tools
from purge.crashing import check_told, start

CHILD = """
from adapters.openclaw.conftest import Recorded
from adapters.openclaw.recording import ALICE
from purge.crashing import carry_out

carry_out(lambda root, order: Recorded(root, root.parent).purge(ALICE, order=order).body)
"""
EVENTS = 29  # journal events of a purge that nothing disturbs


def child(recorded: Recorded, mode: str = "run", number: int = 0) -> subprocess.Popen[bytes]:
    return start(CHILD, recorded.root, mode, number)


def left(recorded: Recorded) -> dict[str, Any]:
    """All that a purge may change, without times."""
    return {
        "chunks": recorded.agent("SELECT id FROM memory_index_chunks ORDER BY 1"),
        "vectors": recorded.agent("SELECT id FROM memory_index_chunks_vec ORDER BY 1"),
        "fts": recorded.agent("SELECT rowid FROM memory_index_chunks_fts ORDER BY 1"),
        "sources": recorded.agent("SELECT path FROM memory_index_sources ORDER BY 1"),
        "cache": recorded.agent("SELECT hash FROM memory_embedding_cache ORDER BY 1"),
        "origins": recorded.agent("SELECT entry_key, session_id FROM memory_entry_origins ORDER BY 1, 2"),
        "tombstones": recorded.agent("SELECT session_id FROM memory_session_tombstones"),
        "plugin": [
            (space, value.replace(str(recorded.root), ""))
            for space, value in recorded.shared(
                "SELECT namespace, value_json FROM plugin_state_entries WHERE namespace != 'short-term-locks'"
            )
            if "workspaceKey" not in value
        ],
        "count": recorded.shared("SELECT namespace, count(*) FROM plugin_state_entries GROUP BY 1 ORDER BY 1"),
        "files": {
            str(path.relative_to(recorded.root)): path.read_bytes()
            for path in sorted(recorded.workspace.rglob("*"))
            if path.is_file()
        },
        "locks": list((recorded.root / "locks").glob("*")),
    }


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    base = tmp_path_factory.mktemp("undisturbed")
    made = Recorded(unpack(base / "state"), base)
    assert made.purge(ALICE).exit_code == 0
    return left(made)


def check_finished(recorded: Recorded, undisturbed: dict[str, Any]) -> None:
    done = recorded.purge(ALICE)
    assert done.exit_code == 0, json.dumps(done.body, indent=1)
    assert left(recorded) == undisturbed
    assert recorded.agent("PRAGMA foreign_key_check") == []
    assert recorded.purge(ALICE).body["forgetguard"]["result"] == "nothing-to-do"  # type: ignore[index]


@pytest.mark.parametrize("number", range(1, EVENTS + 2))
def test_killed_after_any_journal_event(recorded: Recorded, undisturbed: dict[str, Any], number: int) -> None:
    done = child(recorded, "kill", number)
    _, errors = done.communicate(timeout=120)
    assert done.returncode in (0, -signal.SIGKILL), errors.decode()
    assert (done.returncode == 0) == (number > EVENTS)
    check_finished(recorded, undisturbed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_killed_at_random_points(recorded: Recorded, undisturbed: dict[str, Any], seed: int) -> None:
    done = child(recorded)
    time.sleep(random.Random(seed).uniform(0.3, 2.5))
    done.kill()
    done.communicate(timeout=60)
    check_finished(recorded, undisturbed)


@pytest.mark.parametrize("limit", [1, 60_000, 400_000, 1_100_000])
def test_out_of_space(recorded: Recorded, undisturbed: dict[str, Any], limit: int) -> None:
    check_told(child(recorded, "limit", limit), lambda body: body["forgetguard"])
    check_finished(recorded, undisturbed)


def test_a_file_that_cannot_be_replaced(
    recorded: Recorded, undisturbed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(path: Path, content: bytes, prehash: bytes) -> None:
        raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as patch:
        patch.setattr(file_tools, "replace", broken)
        done = recorded.purge(ALICE)
    assert done.exit_code == 1
    assert done.body["forgetguard"]["failures"] == [{"step": "erase:notes", "code": "eio"}]  # type: ignore[index]
    corpus = recorded.workspace / "memory/.dreams/session-corpus/2026-11-30.txt"
    assert ALICE in corpus.read_text(), "evidence is only erased when the rest is"
    assert recorded.agent("SELECT count(*) FROM memory_entry_origins WHERE session_id=?", ALICE) != [(0,)]
    check_finished(recorded, undisturbed)


def test_a_writer_of_the_host_that_commits_meanwhile(recorded: Recorded) -> None:
    """It had read the session before the tombstone, and commits while the purge waits for its lock: purged as late."""
    host = apsw.Connection(str(recorded.agent_database))
    host.execute("BEGIN IMMEDIATE")
    chunk = (
        "racing",
        f"sessions/main/{ALICE}.jsonl",
        "sessions",
        1,
        2,
        "h",
        "m",
        "The amber compass is in the shed",
        b"",
    )
    host.execute(
        "INSERT INTO memory_index_chunks(id, path, source, start_line, end_line, hash, model, text, embedding,"
        " updated_at) VALUES (?,?,?,?,?,?,?,?,?,0)",
        chunk,
    )
    made = plan_forget(recorded.state.agent(), recorded.selection(ALICE))
    reports: list[dict[str, Any]] = []
    purge = threading.Thread(target=lambda: reports.append(apply(made.hosted.host, made.plan, recorded.home).as_json()))
    purge.start()
    time.sleep(0.5)
    host.execute("COMMIT")
    host.close()
    purge.join(60)
    assert reports[0]["result"] == "clean", json.dumps(reports[0], indent=1)
    assert recorded.agent("SELECT count(*) FROM memory_index_chunks WHERE id='racing'") == [(0,)]
    assert ("memory_index_chunks", "indexChunks") in {(one["place"], one["kind"]) for one in reports[0]["late"]}


def test_two_purges_at_once(recorded: Recorded, undisturbed: dict[str, Any]) -> None:
    children = [child(recorded) for _ in range(2)]
    outputs = [one.communicate(timeout=120) for one in children]
    results = [json.loads(output)["forgetguard"]["result"] for output, errors in outputs if output]
    assert "clean" in results
    assert set(results) <= {"clean", "nothing-to-do", "refused"}
    check_finished(recorded, undisturbed)
