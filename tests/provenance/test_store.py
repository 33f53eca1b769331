"""The store on disk: made on first use, tombstones at commit, reads without a trace, forks and threads."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from forgetguard.errors import Forgotten, StoreUnreadable, StoreUnwritable
from forgetguard.provenance import Participant, ProvenanceStore, Session, readonly, schema
from forgetguard.provenance.readonly import has_commit, reading
from forgetguard.provenance.schema import open_private
from forgetguard.values import Origin


def picture(directory: Path) -> dict[str, tuple[str, int]]:
    """Hash and time of every file, read by a child: a handle of our own would drop the locks that SQLite holds here."""
    code = "import hashlib,sys;[print(hashlib.sha256(open(p,'rb').read()).hexdigest()) for p in sys.argv[1:]]"
    paths = sorted(directory.iterdir())
    done = subprocess.run([sys.executable, "-c", code, *map(str, paths)], capture_output=True, check=True, timeout=60)
    hashes = done.stdout.decode().split()
    return {path.name: (digest, path.stat().st_mtime_ns) for path, digest in zip(paths, hashes, strict=True)}


@pytest.fixture
def store(tmp_path: Path) -> ProvenanceStore:
    return ProvenanceStore(tmp_path / "home" / "main.sqlite", "main")


def test_nothing_is_made_before_the_first_write(tmp_path: Path, store: ProvenanceStore) -> None:
    assert store.entries_of(["s"]) == frozenset()
    assert (store.tombstones(), store.holds(), store.known_sessions(), store.revision()) == ([], {}, [], 0)
    assert store.bury([]) == 0
    assert not store.unbury("s")
    assert list(tmp_path.iterdir()) == []


def test_files_are_for_the_owner_alone(store: ProvenanceStore) -> None:
    store.record("k", Origin(session_id="s"))
    assert store.path.parent.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in store.path.parent.iterdir()} == {0o600}


def test_sessions_and_participants(store: ProvenanceStore) -> None:
    people = (Participant("alice@example.com"), Participant("alice@example.com", "remote"))
    session = Session("s", "agent:main:s", "main", hook_source="gmail", created_at=5.0, participants=people)
    store.record_session(session)
    store.record_session(session)
    assert store.known_sessions() == [session]


def test_burying_twice_changes_nothing(store: ProvenanceStore) -> None:
    assert store.bury(["b", "a", "b"]) == 2
    before = store.revision()
    assert store.bury(["a", "b"]) == 0
    assert store.revision() == before
    assert [one.session_id for one in store.tombstones()] == ["a", "b"]


def test_a_typo_can_be_undone(store: ProvenanceStore) -> None:
    store.bury(["typo"])
    assert store.unbury("typo")
    assert not store.unbury("typo")
    assert store.admit(Session("typo")).allowed


def test_work_that_was_already_running_cannot_put_a_session_back(store: ProvenanceStore) -> None:
    assert store.admit(Session("s")).allowed
    forgetter = threading.Thread(target=lambda: ProvenanceStore(store.path, "main").bury(["s"]))
    forgetter.start()
    forgetter.join()
    with pytest.raises(Forgotten):
        store.publish("s", {"k": [Origin(session_id="s")]})
    assert store.entries_of(["s"]) == frozenset()
    store.publish("other", {"k": [Origin(session_id="other")]})
    assert store.entries_of(["other"]) == {"k"}


def test_lineage_of_a_forgotten_session_is_not_recorded_by_another(store: ProvenanceStore) -> None:
    store.bury(["s"])
    with pytest.raises(Forgotten):
        store.publish("other", {"k": [Origin(session_id="other"), Origin(session_id="s")]})
    assert store.entries_of(["s", "other"]) == frozenset()


def test_a_consolidation_that_was_running_cannot_put_a_session_back(store: ProvenanceStore) -> None:
    """Its parents, and their lineage, may be gone by now; what it read of them is not."""
    store.record("a", Origin(session_id="s"))
    begun = store.revision()
    store.consolidate("early", "merged", ["a"], begun=begun)
    store.bury(["s"])
    store.erase_origins(["a", "early"])
    with pytest.raises(Forgotten):
        store.consolidate("late", "merged", ["a"], begun=begun)
    assert store.consolidate("anew", "added", [], begun=store.revision()).rows == ()


def test_a_first_writer_waits_for_another_one(tmp_path: Path) -> None:
    """The switch to WAL on a new file: SQLite answers at once, and does not wait, where another one is just at it."""
    path = tmp_path / "x.sqlite"
    path.touch()
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    leaving = threading.Timer(0.3, other.execute, ("ROLLBACK",))
    leaving.start()
    open_private(path).close()
    leaving.join()
    other.close()


def test_tables_made_between_two_looks_are_no_strangers(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    connection = open_private(path)
    looks = 0

    def look(_statement: str) -> None:
        nonlocal looks
        looks += 1
        if looks == 2:
            schema.open_store(path).close()

    connection.set_trace_callback(look)
    assert schema.is_made(connection) in (False, True)
    connection.set_trace_callback(None)
    connection.close()


def test_a_wal_that_goes_between_two_looks_is_no_error(store: ProvenanceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its last user closes the database while it is being opened for reading."""
    store.bury(["s"])
    exists = Path.exists

    def look(path: Path) -> bool:
        found = exists(path)
        if path.name.endswith("-wal"):
            store.close()
        return found

    def late(path: Path) -> bool:
        store.close()
        return has_commit(path)

    monkeypatch.setattr(Path, "exists", look)
    with reading(store.path) as connection:
        assert schema.is_made(connection)
    monkeypatch.undo()
    monkeypatch.setattr(readonly, "has_commit", late)
    store.bury(["t"])
    assert readonly._after_a_crash(store.path) == readonly._ALONE


@pytest.mark.parametrize("pages", range(1, 30, 3))
def test_a_full_disk_is_a_typed_error_and_nothing_is_half_written(
    store: ProvenanceStore, monkeypatch: pytest.MonkeyPatch, pages: int
) -> None:
    def small(path: Path) -> sqlite3.Connection:
        connection = open_private(path)
        connection.execute(f"PRAGMA max_page_count={pages}")
        return connection

    monkeypatch.setattr(schema, "open_private", small)
    recorded: set[str] = set()
    with pytest.raises(StoreUnwritable) as caught:
        for number in range(4000):
            store.record(f"k{number}", Origin(session_id="s"))
            recorded.add(f"k{number}")
    assert caught.value.code == "no-space"
    store.close()
    monkeypatch.undo()
    assert store.entries_of(["s"]) == recorded
    store.record("again", Origin(session_id="s"))
    assert store.entries_of(["s"]) == {*recorded, "again"}


def test_a_place_where_no_file_can_be_made_is_a_typed_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "x.sqlite", tmp_path):
        with pytest.raises(StoreUnwritable):
            ProvenanceStore(path, "main").record("k", Origin(session_id="s"))


READER = """
import sys
from forgetguard.provenance import ProvenanceStore, Session
reader = ProvenanceStore(sys.argv[1], "main", read_only=True)
assert reader.entries_of(["s"]) == {"k"}
assert reader.admit(Session("s")).allowed
"""


@pytest.mark.parametrize("live", [True, False])
def test_reading_leaves_no_trace(store: ProvenanceStore, live: bool) -> None:
    # Another process reads, as `forgetguard purge plan` does while the host runs. (Within one process SQLite shares the
    # mapping of `-shm` between connections, so read marks of a reader show there.)
    store.record("k", Origin(session_id="s"))
    if not live:
        store.close()
    before = picture(store.path.parent)
    subprocess.run([sys.executable, "-c", READER, str(store.path)], check=True, timeout=60)
    assert picture(store.path.parent) == before
    assert ("main.sqlite-wal" in before) is live


def test_reading_a_rollback_database_leaves_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "host.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t(x)")
    connection.commit()
    before = picture(tmp_path)
    with reading(path) as reader:
        assert reader.execute("SELECT count(*) FROM t").fetchone() == (0,)
        with pytest.raises(sqlite3.OperationalError):
            reader.execute("INSERT INTO t VALUES (1)")
    assert picture(tmp_path) == before


def test_a_writer_under_an_unlocked_view_is_noticed(store: ProvenanceStore) -> None:
    store.record("k", Origin(session_id="s"))
    store.close()
    with pytest.raises(StoreUnreadable) as caught, reading(store.path):
        store.record("l", Origin(session_id="s"))
    assert caught.value.code == "busy"


@pytest.mark.parametrize("content", [b"", b"not a database at all, but long enough to be one" * 40])
def test_what_is_not_a_store_is_unreadable_and_not_empty(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.sqlite"
    path.write_bytes(content)
    if content:
        with pytest.raises(StoreUnreadable):
            ProvenanceStore(path, "main").tombstones()
        with pytest.raises(StoreUnreadable), reading(path):
            pass
    with pytest.raises(StoreUnreadable) as caught, reading(tmp_path / "absent.sqlite"):
        pass
    assert caught.value.code == "missing"


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs(x)")
    connection.close()
    store = ProvenanceStore(path, "main")
    with pytest.raises(StoreUnreadable):
        store.tombstones()
    with pytest.raises(StoreUnreadable) as caught:
        store.record("k", Origin(session_id="s"))
    assert caught.value.code == "not-ours"


def test_a_later_version_is_left_alone(store: ProvenanceStore) -> None:
    store.record("k", Origin(session_id="s"))
    store.close()
    connection = sqlite3.connect(store.path)
    connection.execute("PRAGMA user_version=99")
    connection.close()
    with pytest.raises(StoreUnreadable) as caught:
        store.record("k", Origin(session_id="t"))
    assert caught.value.code == "later-version"


def test_a_fork_opens_its_own_connection(store: ProvenanceStore) -> None:
    store.record("k", Origin(session_id="s"))
    child = os.fork()
    if child == 0:
        store.record("c", Origin(session_id="s"))
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert store.entries_of(["s"]) == {"k", "c"}


def test_threads_share_a_store(store: ProvenanceStore) -> None:
    threads = [threading.Thread(target=store.record, args=(f"k{n}", Origin(session_id="s"))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.entries_of(["s"])) == 8


def crashed(tmp_path: Path, name: str, *, committed: bool, shm: str) -> Path:
    """A database as a kill leaves it: `k` checkpointed, a new `-wal` begun, with a commit in it or without one."""
    live, left = tmp_path / "live", tmp_path / name
    live.mkdir()
    connection = sqlite3.connect(live / "x.sqlite", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE t(x)")
    connection.execute("INSERT INTO t VALUES ('k')")
    old = (live / "x.sqlite-shm").read_bytes()  # its salts are those of this `-wal`
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("INSERT INTO t VALUES ('new')")
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)" if not committed else "SELECT 1")
    shutil.copytree(live, left)
    connection.close()
    wal = left / "x.sqlite-wal"
    if not committed:  # a frame that is no commit yet: its size field is zero, its checksum stands for nothing
        content = bytearray(wal.read_bytes())
        content[36:40] = bytes(4)
        wal.write_bytes(content)
    if shm == "stale":
        (left / "x.sqlite-shm").write_bytes(old)
    elif shm == "missing":
        (left / "x.sqlite-shm").unlink()
    return left / "x.sqlite"


@pytest.mark.parametrize(
    ("committed", "shm"), [(True, "stale"), (True, "missing"), (True, "fitting"), (False, "stale"), (False, "missing")]
)
def test_what_a_kill_left_is_read_without_repairing_it(tmp_path: Path, committed: bool, shm: str) -> None:
    path = crashed(tmp_path, "left", committed=committed, shm=shm)
    assert has_commit(path.with_name("x.sqlite-wal")) is committed
    before = picture(path.parent)
    for _ in range(2):
        with reading(path) as connection:
            assert [row[0] for row in connection.execute("SELECT x FROM t")] == ["k", "new"]
    assert {name: found[0] for name, found in picture(path.parent).items()} == {
        name: found[0] for name, found in before.items()
    }


def test_a_header_of_a_log_is_no_content(tmp_path: Path) -> None:
    path = crashed(tmp_path, "left", committed=True, shm="stale")
    wal = path.with_name("x.sqlite-wal")
    wal.write_bytes(wal.read_bytes()[:32])
    assert not has_commit(wal)
    with reading(path) as connection:
        assert [row[0] for row in connection.execute("SELECT x FROM t")] == ["k"]
    assert wal.stat().st_size == 32
