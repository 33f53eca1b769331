"""Killed at any point, out of space, in the way of others: the next run finishes and the final state is the same."""

from __future__ import annotations

import errno
import json
import random
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from forgetguard.errors import Forgotten, PurgeFailed
from forgetguard.provenance import ProvenanceStore
from forgetguard.provenance.schema import open_private
from forgetguard.purge import Host, Order, Selection, apply, make_plan
from forgetguard.purge.surfaces import Surface, file_tools, folder_lock, sqlite_scan, sqlite_tools
from forgetguard.values import Origin
from purge.crashing import check_told, start
from purge.world import CANARY, MIXED, World, holds

CHILD = """
from forgetguard.provenance import ProvenanceStore
from purge.crashing import carry_out
from purge.world import World

def purge(root, order):
    world = World(root, ProvenanceStore(root / "main.provenance.sqlite", "main"))
    return world.purge("alice", order=order).as_json()

carry_out(purge)
"""


def child(world: World, mode: str = "run", number: int = 0) -> subprocess.Popen[bytes]:
    return start(CHILD, world.root, mode, number)


def state(world: World) -> dict[str, object]:
    """What a purge leaves: rows, lineage, tombstones, notes."""
    return {
        "rows": world.rows("SELECT * FROM memories ORDER BY id"),
        "vectors": world.rows("SELECT * FROM vectors ORDER BY 1"),
        "index": world.rows("SELECT rowid FROM memories_fts WHERE memories_fts MATCH 'Coimbra'"),
        "origins": world.store.entries_of(["alice", "bob", "carol"]),
        "tombstones": [one.session_id for one in world.store.tombstones()],
        "notes": {str(path): path.read_bytes() for path in sorted(world.notes.rglob("*")) if path.is_file()},
    }


EXPECTED_ORIGINS = {"m-bob", "n-bob"}


def check_finished(world: World, report: dict[str, Any]) -> None:
    assert report["result"] in ("clean", "nothing-to-do"), json.dumps(report, indent=1)
    after = state(world)
    assert [row[0] for row in after["rows"]] == ["m-bob", "m-orphan"]  # type: ignore[attr-defined]
    assert after["origins"] == EXPECTED_ORIGINS
    assert after["tombstones"] == ["alice"]
    assert holds(world.root, CANARY, MIXED, "quixotic", "velodrome") == []


@pytest.mark.parametrize("number", range(1, 22))
def test_killed_after_any_journal_event(world: World, number: int) -> None:
    done = child(world, "kill", number)
    done.communicate(timeout=60)
    if done.returncode == 0:
        assert number > 19
        return
    assert done.returncode == -signal.SIGKILL
    report = world.purge("alice").as_json()
    check_finished(world, report)
    if number > 2 and report["result"] == "clean":
        # The journal had begun: the report tells of everything, also of what went before the kill.
        assert report["attempt"] == 2
        assert {one["attempt"] for one in report["steps"]} == {1, 2}  # type: ignore[attr-defined]
        assert report["entryKeys"] == ["m-alice", "m-mixed", "n-alice"]
        assert report["artifacts"] == {"memories": {"rows": 2, "sideRows": 4}, "notes": {"entries": 1}}
        assert report["late"] == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_killed_at_random_points(world: World, seed: int) -> None:
    wait = random.Random(seed).uniform(0.1, 0.6)
    done = child(world)
    time.sleep(wait)
    done.kill()
    done.communicate(timeout=60)
    check_finished(world, world.purge("alice").as_json())


@pytest.mark.parametrize("limit", [1, 4_096, 20_000, 33_000, 40_000, 60_000, 80_000, 100_000])
def test_out_of_space(world: World, limit: int) -> None:
    check_told(child(world, "limit", limit), lambda report: report)
    check_finished(world, world.purge("alice").as_json())


@pytest.mark.parametrize("pages", range(1, 40, 2))
def test_a_journal_that_cannot_grow(world: World, monkeypatch: pytest.MonkeyPatch, pages: int) -> None:
    """At whatever write it happens: a report or an error of ours, nothing lost, and the next run finishes."""
    from forgetguard.purge import journal

    def small(path: Path) -> sqlite3.Connection:
        connection = open_private(path)
        connection.execute(f"PRAGMA max_page_count={pages}")
        return connection

    with monkeypatch.context() as patch:
        patch.setattr(journal, "open_private", small)
        try:
            report = world.purge("alice").as_json()
        except PurgeFailed as error:
            assert error.code == "journal-no-space"
        else:
            assert report["result"] in ("failed", "clean"), json.dumps(report)
            codes = {one["code"] for one in report["failures"]}  # type: ignore[attr-defined]
            assert codes <= {"journal-no-space"}
    check_finished(world, world.purge("alice").as_json())


@pytest.mark.parametrize("kind", ["needles", "total", "entries", "artefacts", "head", "planned"])
def test_a_journal_that_lost_records_is_not_believed(world: World, kind: str) -> None:
    (world.root / "memory.db.bak").write_text(CANARY)
    assert world.purge("alice").as_json()["result"] == "residue"
    connection = sqlite3.connect(world.home.journal)
    with connection:
        assert connection.execute("DELETE FROM secrets WHERE kind=?", (kind,)).rowcount
    connection.close()
    with pytest.raises(PurgeFailed) as caught:
        world.purge("alice")
    assert caught.value.code == "journal-unreadable"


@pytest.mark.parametrize("statement", ["UPDATE runs SET codes='no'", "UPDATE steps SET counts='no'"])
def test_an_altered_journal_is_told(world: World, statement: str) -> None:
    (world.root / "memory.db.bak").write_text(CANARY)
    world.purge("alice")
    connection = sqlite3.connect(world.home.journal)
    with connection:
        connection.execute(statement)
    connection.close()
    with pytest.raises(PurgeFailed) as caught:
        world.purge("alice")
    assert caught.value.code == "journal-unreadable"


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EPERM, errno.EROFS])
def test_a_file_that_cannot_be_replaced(world: World, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def broken(path: Path, content: bytes, prehash: bytes) -> None:
        raise OSError(number, "broken")

    with monkeypatch.context() as patch:
        patch.setattr(file_tools, "replace", broken)
        report = world.purge("alice").as_json()
    assert (report["result"], report["exitCode"]) == ("failed", 1)
    assert report["failures"] == [{"step": "erase:notes", "code": errno.errorcode[number].lower()}]
    statuses = {one["name"]: one["status"] for one in report["steps"]}  # type: ignore[attr-defined]
    assert (statuses["erase:memories"], statuses["erase:notes"]) == ("done", "failed")
    assert "origins" not in statuses
    assert report["verification"]["status"] == "residue"  # type: ignore[index]
    assert world.store.entries_of(["alice"]) == {"m-alice", "m-mixed", "n-alice"}
    check_finished(world, world.purge("alice").as_json())


def test_an_immutable_file(world: World) -> None:
    path = world.notes / "daily.md"
    if subprocess.run(["chattr", "+i", path], capture_output=True, check=False).returncode:
        pytest.skip("this file system has no immutable flag, or it takes root to set it")
    try:
        report = world.purge("alice").as_json()
    finally:
        subprocess.run(["chattr", "-i", path], check=True)
    assert report["result"] == "failed"
    check_finished(world, world.purge("alice").as_json())


def test_a_writer_in_the_way(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_tools, "WAIT_SECONDS", 0.1)
    monkeypatch.setattr(sqlite_scan, "CHECKING_WAIT_SECONDS", 0.1)
    writer = world.connect()
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("INSERT INTO memories VALUES ('m-w', 'something that a writer is busy with', NULL)")
    report = world.purge("alice").as_json()
    assert report["result"] == "failed"
    assert report["failures"] == [{"step": "erase:memories", "code": "sqlite-busy"}]
    writer.execute("COMMIT")
    writer.close()
    again = world.purge("alice").as_json()
    assert again["result"] == "clean"
    assert ("m-w",) in world.rows("SELECT id FROM memories")


def test_work_that_commits_while_the_purge_waits_is_purged_and_named(world: World) -> None:
    """A publisher that recorded lineage before the tombstone and commits after it: found by its lineage."""
    publisher = world.connect()
    publisher.execute("BEGIN IMMEDIATE")
    world.store.publish("alice", {"m-racing": [Origin("main", "alice")]})
    publisher.execute("INSERT INTO memories VALUES ('m-racing', 'Alice hid the amber compass in the greenhouse', NULL)")
    host = world.host()
    plan = make_plan(host, Selection(sessions=("alice",)))
    done: list[dict[str, Any]] = []
    purge = threading.Thread(target=lambda: done.append(apply(host, plan, world.home).as_json()))
    purge.start()
    while not world.store.is_buried("alice"):
        time.sleep(0.01)
    time.sleep(0.3)
    publisher.execute("COMMIT")
    publisher.close()
    purge.join(60)
    assert done[0]["result"] == "clean"
    assert "m-racing" in done[0]["entryKeys"]
    assert [one["entryKey"] for one in done[0]["late"]] == ["m-racing"]
    assert holds(world.root, "amber compass") == []


def test_notes_that_are_published_under_the_folders_lock_are_purged_or_refused(world: World) -> None:
    written: list[str] = []

    def publish() -> None:
        store = ProvenanceStore(world.store.path, "main")
        while True:
            key = f"p{len(written)}"
            with folder_lock(world.notes):
                try:
                    store.publish("alice", {key: [Origin("main", "alice")]})
                except Forgotten:
                    return
                with (world.notes / "published.md").open("a") as stream:
                    stream.write(f"<!-- forgetguard:{key} -->\n- Alice counted {key} crimson teapots in the attic\n")
            written.append(key)

    publisher = threading.Thread(target=publish)
    publisher.start()
    while len(written) < 5:
        time.sleep(0.01)
    report = world.purge("alice").as_json()
    publisher.join(60)
    assert report["result"] == "clean", json.dumps(report)
    assert set(written) <= set(report["entryKeys"])  # type: ignore[call-overload]
    assert holds(world.root, "crimson teapots") == []


def test_two_purges_at_once(world: World) -> None:
    children = [child(world) for _ in range(2)]
    outputs = [one.communicate(timeout=120) for one in children]
    assert all(output for output, _ in outputs), outputs
    reports = [json.loads(output) for output, _ in outputs]
    assert sorted(one["result"] for one in reports) == ["clean", "nothing-to-do"]
    check_finished(world, world.purge("alice").as_json())


def test_two_homes_at_once(world: World, tmp_path: Path) -> None:
    from forgetguard.purge import Home

    reports: list[dict[str, Any]] = []

    def purge(name: str) -> None:
        host = world.host()
        plan = make_plan(host, Selection(sessions=("alice",)))
        reports.append(apply(host, plan, Home(tmp_path / name)).as_json())

    threads = [threading.Thread(target=purge, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert {one["result"] for one in reports} <= {"clean", "nothing-to-do"}, json.dumps(reports)
    check_finished(world, world.purge("alice").as_json())


class Evidence(Surface):
    """The text that other surfaces are found by: it must go last."""

    name = "evidence"

    def __init__(self, order: list[str]) -> None:
        self.order = order

    def declares(self) -> Any:
        from forgetguard.purge.surfaces import Declaration

        return Declaration("evidence", evidence=True)

    def find(self, targets: Any) -> Iterable[Any]:
        return iter(())

    def erase(self, targets: Any, work: Any) -> Any:
        from forgetguard.purge.surfaces import Erased

        self.order.append("evidence")
        return Erased()

    def residue(self, targets: Any) -> Iterable[Any]:
        return iter(())


def test_evidence_goes_last_and_only_when_the_rest_is_done(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    names: list[str] = []
    base = world.host()
    host = Host(base.id, base.lineage, (Evidence(order), *base.surfaces))
    plan = make_plan(host, Selection(sessions=("alice",)))
    with monkeypatch.context() as patch:
        patch.setattr(file_tools, "replace", lambda *_: (_ for _ in ()).throw(OSError(errno.EIO, "broken")))
        assert apply(host, plan, world.home).as_json()["result"] == "failed"
    assert order == []
    told = Order(observe=lambda name, status: names.append(name) if status == "started" else None)
    assert apply(host, plan, world.home, told).as_json()["result"] == "clean"
    assert order == ["evidence"]
    assert names.index("erase:notes") < names.index("erase:evidence") < names.index("origins")


def test_the_journal_keeps_nothing_readable_after_clean_and_only_sealed_text_before(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(file_tools, "replace", lambda *_: (_ for _ in ()).throw(OSError(errno.EIO, "broken")))
        world.purge("alice")
    assert holds(world.home.directory, "quixotic", "m-alice", "daily.md", "velodrome") == []
    connection = sqlite3.connect(world.home.journal)
    assert connection.execute("SELECT count(*) FROM secrets").fetchone()[0] > 3
    connection.close()
    world.purge("alice")
    connection = sqlite3.connect(world.home.journal)
    assert connection.execute("SELECT count(*) FROM secrets").fetchone() == (0,)
    connection.close()
    assert holds(world.home.directory, "quixotic", "m-alice", "daily.md", "alice") == []
