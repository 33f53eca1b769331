"""Where a ledger may lie, and what is no ledger."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from forgetguard.errors import LedgerUnavailable
from forgetguard.keys import Key
from forgetguard.ledger import Fact, Ledger, place

MOUNTINFO = """\
22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
40 22 0:35 / /net rw,relatime - nfs4 server:/export rw
41 22 0:36 / /win\\040share rw,relatime - cifs //server/share rw
42 22 0:37 / /remote rw,relatime - fuse.sshfs user@host:/ rw
43 42 8:2 / /remote/local rw,relatime - ext4 /dev/sdb1 rw
44 22 0:38 / /container rw,relatime - fuse.fuse-overlayfs fuse-overlayfs rw
"""


@pytest.fixture
def mounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mountinfo").write_text(MOUNTINFO)
    monkeypatch.setattr(place, "MOUNTS", str(tmp_path / "mountinfo"))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/home/user/ledger.db", False),
        ("/net/home/ledger.db", True),
        ("/network/ledger.db", False),
        ("/win share/ledger.db", True),
        ("/remote/ledger.db", True),
        ("/remote/local/ledger.db", False),
        ("/container/ledger.db", False),
        ("/home/user/Dropbox/agents/ledger.db", True),
        ("/home/user/OneDrive - Contoso/ledger.db", True),
        ("/Users/u/Library/Mobile Documents/x/ledger.db", True),
        ("/home/user/dropbox", False),
    ],
)
def test_where_locks_cannot_be_trusted(mounts: None, path: str, expected: bool) -> None:
    assert place.unsupported(path) is expected


def test_a_synced_folder_is_refused_unless_it_is_allowed(tmp_path: Path, key: Key) -> None:
    path = tmp_path / "Nextcloud" / "ledger.db"
    with pytest.raises(LedgerUnavailable) as caught:
        Ledger.open(path, key, create=True)
    assert caught.value.code == "unsupported-filesystem"
    assert not path.parent.exists()
    Ledger.open(path, key, create=True, allow_filesystem=True).close()


def test_a_marked_folder_is_refused(tmp_path: Path, key: Key) -> None:
    (tmp_path / "synced" / ".stfolder").mkdir(parents=True)
    with pytest.raises(LedgerUnavailable) as caught:
        Ledger.open(tmp_path / "synced" / "deep" / "ledger.db", key, create=True)
    assert caught.value.code == "unsupported-filesystem"


def test_rights_of_others_are_taken_away(path: Path, key: Key, ledger: Ledger) -> None:
    ledger.close()
    path.chmod(0o644)
    Ledger.open(path, key).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.skipif(not hasattr(os, "fork"), reason="rights of files are POSIX's")
def test_an_unreadable_ledger(path: Path, key: Key, ledger: Ledger) -> None:
    ledger.forget([Fact("one")])
    ledger.close()
    path.chmod(0)
    child = os.fork()
    if child == 0:
        answer = 1
        try:
            if os.geteuid() == 0:
                os.setuid(65534)  # root may read everything
            Ledger.open(path, key)
        except LedgerUnavailable as error:
            answer = 0 if error.code == "unreadable" else 2
        finally:
            os._exit(answer)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_a_folder_that_cannot_be_made(tmp_path: Path, key: Key) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(LedgerUnavailable) as caught:
        Ledger.open(tmp_path / "file" / "ledger.db", key, create=True)
    assert caught.value.code == "unreadable"


def test_odd_names(tmp_path: Path, key: Key) -> None:
    for name in ("with space", "per%20cent", "que?ry=1", "ha#sh", "umlaut-ä", "sur\udcffrogate", "a'b\"c;"):
        path = tmp_path / name / "ledger.db"
        with Ledger.open(path, key, create=True) as ledger:
            ledger.forget([Fact("one")])
        with Ledger.open(path, key) as again:
            assert len(again.entries()) == 1
        assert sorted(os.listdir(tmp_path / name)) == ["ledger.db"]


def test_a_symbolic_link_that_is_turned(tmp_path: Path, key: Key) -> None:
    first, second, link = tmp_path / "first", tmp_path / "second", tmp_path / "link"
    Ledger.open(first, key, create=True).close()
    Ledger.open(second, key, create=True).close()
    link.symlink_to(first)
    with Ledger.open(link, key) as ledger:
        ledger.forget([Fact("one")])
        link.unlink()
        link.symlink_to(second)
        with pytest.raises(LedgerUnavailable) as caught:
            ledger.forget([Fact("two")])
        assert caught.value.code == "replaced"


SETTINGS = {
    "journal_mode": "wal",
    "synchronous": 2,
    "fullfsync": 1,
    "checkpoint_fullfsync": 1,
    "secure_delete": 1,
    "trusted_schema": 0,
    "temp_store": 2,
    "cell_size_check": 1,
}


def test_every_connection_has_its_settings(ledger: Ledger) -> None:
    connections = ledger._core.connections
    for connection in (connections.reader(), connections.writer()):
        assert {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in SETTINGS} == SETTINGS
        assert connection.execute("PRAGMA mmap_size").fetchone() in ((0,), None)
        assert connection.isolation_level is None
