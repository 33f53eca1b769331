"""The place of a ledger in the file system: its modes, its identity while open, and whether SQLite's locks hold there.

Nothing here opens the database file. Closing any handle on it would drop SQLite's locks in this process (measured: an
acknowledged insert was lost), so everything is asked with `stat`.
"""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path
from typing import Final

from forgetguard.errors import LedgerUnavailable

MOUNTS: Final = "/proc/self/mountinfo"
NETWORK_TYPES: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afs", "ceph", "glusterfs", "fuseblk", "fuse"}
)
# The root of rootless containers: FUSE in name, a local disk below it.
LOCAL_FUSE: Final = frozenset({"fuse.fuse-overlayfs"})
SYNCED_FOLDERS: Final = frozenset(
    {
        "dropbox", "onedrive", "google drive", "googledrive", "my drive", "icloud drive", "iclouddrive",
        "mobile documents",
        "cloudstorage", "nextcloud", "owncloud", "pclouddrive", "mega", "megasync", "syncthing", "box sync", "seafile",
    }
)  # fmt: skip
SYNC_MARKERS: Final = (".stfolder", ".dropbox", ".sync_journal.db", ".owncloudsync.log")
# A folder's time is as coarse as the kernel's tick; only when it is older than this is "unchanged" believed.
SETTLED_NS: Final = 1_000_000_000

Identity = tuple[int, int]


class Watch:
    """Compares, by `stat`, the files at the path with those that were opened."""

    __slots__ = ("_directory", "_directory_seen", "_main", "_seen", "_side", "_sides", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        real = os.path.realpath(path)
        self._sides = (real + "-wal", real + "-shm")
        self._directory = os.path.dirname(real)
        self._directory_seen = -1
        status = _stat(path)
        self._main: Identity = (status.st_dev, status.st_ino)
        self._seen = (status.st_size, status.st_mtime_ns)
        self._side: tuple[Identity, ...] | None = None

    def settle(self) -> None:
        """Remember the side files, once SQLite has made them. They keep their inodes as long as the ledger is open."""
        side = []
        for name in self._sides:
            status = _stat(name, absent="replaced")
            side.append((status.st_dev, status.st_ino))
        self._side = tuple(side)
        self._directory_seen = -1

    def is_unchanged(self) -> bool:
        """Whether the main file is as it was last `seen`, and its folder as it was at the last `check`.

        A side file cannot come, go or be replaced without its folder changing. Two calls of `stat` where `check` makes
        four: each costs 2 µs, and a warm check should cost little more than SQLite's own 3. False where in doubt.
        """
        try:
            status = os.stat(self.path)
            return (
                (status.st_size, status.st_mtime_ns) == self._seen
                and (status.st_dev, status.st_ino) == self._main
                and os.stat(self._directory).st_mtime_ns == self._directory_seen
            )
        except OSError:
            return False

    def check(self, *, sides: bool = True) -> bool:
        """Whether the main file was touched since the last `seen`. The side files count only while a connection stands.

        Raises LedgerUnavailable: missing, replaced (also for the side files), emptied, unreadable.
        """
        status = _stat(self.path)
        if (status.st_dev, status.st_ino) != self._main:
            raise LedgerUnavailable.because("replaced")
        size = status.st_size
        if size == 0:
            raise LedgerUnavailable.because("emptied")
        if sides and self._side is not None:
            changed = _stat(self._directory).st_mtime_ns
            self._check_sides(self._side)
            self._directory_seen = changed if time.time_ns() - changed > SETTLED_NS else -1
        return (size, status.st_mtime_ns) != self._seen

    def _check_sides(self, identities: tuple[Identity, ...]) -> None:
        for name, identity in zip(self._sides, identities, strict=True):
            status = _stat(name, absent="replaced")
            if (status.st_dev, status.st_ino) != identity:
                raise LedgerUnavailable.because("replaced")

    def same_file(self) -> None:
        """Raises LedgerUnavailable (replaced, missing) where the path names another file than the opened one."""
        status = _stat(self.path)
        if (status.st_dev, status.st_ino) != self._main:
            raise LedgerUnavailable.because("replaced")

    def seen(self) -> None:
        """Take the size and time of the main file as known."""
        status = _stat(self.path)
        self._seen = (status.st_size, status.st_mtime_ns)


def exists(path: str) -> bool:
    """Whether something stands at the path. Raises LedgerUnavailable (unreadable) where that cannot be told."""
    try:
        os.lstat(path)
    except FileNotFoundError:
        return False
    except OSError:
        raise LedgerUnavailable.because("unreadable") from None
    return True


def check_file(path: str) -> None:
    """Raises LedgerUnavailable for what cannot be a ledger: not-a-ledger, missing, emptied, unreadable."""
    status = _stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise LedgerUnavailable.because("not-a-ledger")
    if status.st_size == 0:
        raise LedgerUnavailable.because("emptied")


def prepare_directory(path: Path) -> None:
    """Make the folder of a new ledger, 0700. An existing one keeps its mode: it may hold other things."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise LedgerUnavailable.because("not-a-ledger") from None
    except OSError:
        raise LedgerUnavailable.because("unreadable") from None


def create_private(path: str) -> None:
    """An empty file, 0600, that did not exist before. Raises FileExistsError, LedgerUnavailable (unreadable)."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise
    except OSError:
        raise LedgerUnavailable.because("unreadable") from None


def tighten(path: str) -> None:
    """Take the rights of group and others from the ledger and its side files, where they have any."""
    if os.name != "posix":
        return
    for name in (path, *side_files(path)):
        try:
            mode = stat.S_IMODE(os.stat(name).st_mode)
            if mode & 0o077:
                os.chmod(name, mode & 0o700)
        except OSError:
            continue


def side_files(path: str) -> tuple[str, str]:
    """The paths of the -wal and -shm files."""
    real = os.path.realpath(path)
    return real + "-wal", real + "-shm"


def set_aside(path: str) -> bool:
    """Rename what stands at the path, side files included, to `<name>.lost-<time>`; whether there was anything.

    A -wal file left beside a new database would be read into it.
    """
    found = False
    stamp = f".lost-{time.time_ns()}"
    for name, suffix in zip((os.path.realpath(path), *side_files(path)), ("", "-wal", "-shm"), strict=True):
        try:
            os.rename(name, os.path.realpath(path) + stamp + suffix)
            found = True
        except FileNotFoundError:
            continue
        except OSError:
            raise LedgerUnavailable.because("unreadable") from None
    return found


def unsupported(path: str) -> bool:
    """Whether the file system or folder is one where SQLite's locks or a file's identity cannot be relied on."""
    real = Path(os.path.realpath(path))
    if any(part.casefold() in SYNCED_FOLDERS or part.startswith("OneDrive - ") for part in real.parts[:-1]):
        return True
    if any(os.path.exists(folder / marker) for folder in list(real.parents)[:-1] for marker in SYNC_MARKERS):
        return True
    kind = _file_system(str(real))
    return (kind in NETWORK_TYPES or kind.startswith("fuse.")) and kind not in LOCAL_FUSE


def _file_system(path: str) -> str:
    """The type of the file system that holds `path`; empty where the system does not tell (not Linux)."""
    best, kind = "", ""
    try:
        with open(MOUNTS, encoding="utf-8", errors="surrogateescape") as lines:
            for line in lines:
                left, _, right = line.partition(" - ")
                point = left.split(" ")[4].replace("\\040", " ")
                inside = path == point or path.startswith(point.rstrip("/") + "/")
                if inside and len(point) >= len(best):
                    best, kind = point, right.split(" ")[0]
    except (OSError, IndexError):
        return ""
    return kind


def _stat(path: str, absent: str = "missing") -> os.stat_result:
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        raise LedgerUnavailable.because(absent) from None
    except OSError:
        raise LedgerUnavailable.because("unreadable") from None
