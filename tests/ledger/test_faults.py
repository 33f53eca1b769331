"""Full and failing disks: an error, and the old state whole. And the sync that stands before every acknowledgement."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from forgetguard.errors import LedgerFull, LedgerUnavailable
from forgetguard.keys import Key
from forgetguard.ledger import Fact, Ledger

HERE = Path(__file__).parent
WORKERS = HERE / "workers.py"

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD, /proc and strace are Linux's")


def worker(work: str, *arguments: object, prefix: tuple[str, ...] = (), **environment: str) -> list[list[str]]:
    """Run a worker to its end; the words of its lines."""
    done = subprocess.run(
        [*prefix, sys.executable, str(WORKERS), work, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(HERE.parents[1] / "python"), **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return [line.split() for line in done.stdout.splitlines()]


def test_a_full_database(path: Path, key: Key, ledger: Ledger) -> None:
    ids = ledger.forget([Fact("before")])
    writer = ledger._core.connections.writer()
    pages = writer.execute("PRAGMA page_count").fetchone()[0]
    writer.execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(LedgerFull) as caught:
        ledger.forget([Fact("x" * 100_000)])
    assert caught.value.code == "disk-full"
    assert "space" in caught.value.advice
    assert [entry.id for entry in ledger.entries()] == list(ids)
    with Ledger.open(path, key) as other:
        assert [entry.id for entry in other.entries()] == list(ids)
        assert other.verify().outcome == "ok"
    writer.execute("PRAGMA max_page_count=1000000")
    ledger.forget([Fact("after")])
    assert [entry.text for entry in ledger.entries()] == ["before", "after"]


def test_a_half_written_batch_is_not_there(ledger: Ledger) -> None:
    writer = ledger._core.connections.writer()
    pages = writer.execute("PRAGMA page_count").fetchone()[0]
    writer.execute(f"PRAGMA max_page_count={pages + 5}")
    with pytest.raises(LedgerFull):
        ledger.forget([Fact(f"fact {number}") for number in range(500)])
    assert ledger.entries() == ()
    assert ledger.verify().outcome == "ok"


def test_erasing_without_a_copy_is_pending(path: Path, key: Key, ledger: Ledger) -> None:
    """VACUUM fails (for want of space; here it is forbidden): protection has ended, and the rest is done later."""
    ids = ledger.forget([Fact(f"fact {number}") for number in range(200)])
    sqlite_attach = 24  # what VACUUM does first, and nothing else here
    ledger._core.connections.writer().set_authorizer(lambda action, *_: int(action == sqlite_attach))
    assert ledger.erase(ids[:1]) == "pending"
    assert len(ledger.entries()) == 199
    ledger.close()
    with Ledger.open(path, key) as again:
        assert not again.status().erase_waits
        assert len(again.entries()) == 199


@linux_only
def test_a_file_that_may_not_grow(path: Path, key: Key, ledger: Ledger) -> None:
    ledger.forget([Fact("before")])
    ledger.close()
    lines = worker("forget_under_file_limit", path, 300_000)
    assert lines[0][0] == "refused"
    assert lines[0][1] in ("io", "disk-full")
    assert lines[1] == ["entries", "1"]
    assert lines[2][0] == "forgot"
    assert lines[3] == ["entries", "2"]
    with Ledger.open(path, key) as again:
        assert again.entries()[0].text == "before"
        assert again.verify().outcome == "ok"


@pytest.fixture(scope="session")
def failing_disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The preload shim, compiled by the test."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler to build the preload shim with")
    target = tmp_path_factory.mktemp("shim") / "failing_disk.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", str(target), str(HERE / "failing_disk.c"), "-ldl"],
        check=True,
        timeout=60,
    )
    return target


@linux_only
@pytest.mark.parametrize("call", ["sync", "write"])
def test_a_failing_disk(path: Path, key: Key, ledger: Ledger, failing_disk: Path, tmp_path: Path, call: str) -> None:
    ledger.forget([Fact("before")])
    ledger.close()
    lines = worker(
        "forget_with_trigger",
        path,
        tmp_path / "trigger",
        LD_PRELOAD=str(failing_disk),
        FG_CALL=call,
        FG_TRIGGER=str(tmp_path / "trigger"),
    )
    assert lines[0] == ["refused", "io"]
    assert lines[1] == ["entries", "1"]
    assert lines[2][0] == "forgot"
    assert lines[3] == ["entries", "2"]
    with Ledger.open(path, key) as again:
        assert len(again.entries()) == 2
        assert again.verify().outcome == "ok"


@linux_only
def test_a_disk_that_cannot_be_read(path: Path, ledger: Ledger, failing_disk: Path, tmp_path: Path) -> None:
    ledger.forget([Fact("x" * 200_000)])
    ledger.close()
    trigger = tmp_path / "trigger"
    trigger.touch()
    script = (
        "import sys\nfrom forgetguard.errors import LedgerUnavailable\nfrom forgetguard.ledger import Ledger\n"
        "from forgetguard.keys import Key\ntry:\n    Ledger.open(sys.argv[1], Key.from_bytes(bytes(range(32))))\n"
        "except LedgerUnavailable as error:\n    print(error.code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        env={
            **os.environ,
            "PYTHONPATH": str(HERE.parents[1] / "python"),
            "LD_PRELOAD": str(failing_disk),
            "FG_CALL": "read",
            "FG_TRIGGER": str(trigger),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "io\n"


@linux_only
def test_the_sync_stands_before_the_acknowledgement(path: Path, ledger: Ledger, tmp_path: Path) -> None:
    tracer = shutil.which("strace")
    if tracer is None:
        pytest.skip("strace is not installed")
    ledger.forget([Fact("before")])
    ledger.close()
    trace = tmp_path / "trace"
    calls = "trace=fsync,fdatasync,write,pwrite64"
    try:
        lines = worker("forget_once", path, prefix=(tracer, "-f", "-y", "-o", str(trace), "-e", calls))
    except subprocess.CalledProcessError as error:
        if "ptrace" in error.stderr or "PTRACE" in error.stderr:
            pytest.skip("this system does not allow tracing")
        raise
    assert lines[0][0] == "forgot"
    seen = trace.read_text(errors="replace").splitlines()
    written = [at for at, line in enumerate(seen) if "pwrite64" in line and "ledger.db-wal" in line]
    synced = [at for at, line in enumerate(seen) if re.search(r"f(data)?sync\(\d+<[^>]*ledger\.db-wal>\)\s+= 0", line)]
    said = [at for at, line in enumerate(seen) if re.search(r"write\(1<.*forgot", line)]
    assert written
    assert said
    assert any(written[-1] < at < said[0] for at in synced)


def test_an_error_after_the_commit_is_not_an_acknowledgement(path: Path, ledger: Ledger) -> None:
    """The file is unlinked between the check before and the check after: the caller must not delete."""
    ledger.forget([Fact("before")])
    with pytest.raises(LedgerUnavailable) as caught, ledger._core.writing():
        path.unlink()
    assert caught.value.code == "missing"
