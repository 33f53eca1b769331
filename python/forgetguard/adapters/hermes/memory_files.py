"""MEMORY.md and USER.md as Hermes keeps them: entries between lines of `§`, replaced whole under a lock beside."""

from __future__ import annotations

from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path

from forgetguard.directories import write_whole

DELIMITER = "\n§\n"


def entries(text: str) -> tuple[str, ...]:
    """The entries of a file's text, as Hermes reads them: without the white space around, none empty."""
    return tuple(entry for part in text.split(DELIMITER) if (entry := part.strip()))


def remove(path: Path, chosen: Set[str]) -> int:
    """Take these entries out; how many are gone. All other bytes stay, and so does the file's mode.

    Raises OSError; the file is then as it was. A running agent reads the file again before it writes.
    """
    with _locked(path):
        text = path.read_bytes().decode("utf-8")
        parts = text.split(DELIMITER)
        left = [part for part in parts if part.strip() not in chosen]
        if len(left) < len(parts):
            write_whole(path, DELIMITER.join(left).encode("utf-8"), mode=path.stat().st_mode & 0o7777)
        return len(parts) - len(left)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hermes' own lock on the file."""
    with open(path.with_suffix(path.suffix + ".lock"), "a+", encoding="utf-8") as lock:
        try:
            import fcntl
        except ModuleNotFoundError:
            import msvcrt  # Windows: what Hermes does there

            lock.seek(0)
            msvcrt.locking(lock.fileno(), msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined,unused-ignore]
            try:
                yield
            finally:
                lock.seek(0)
                msvcrt.locking(lock.fileno(), msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield  # closing the file ends the lock
