"""What a host keeps beside its memories, where its own delete does not reach: histories, queues, logs, caches.

Each adapter names its places; `forgetguard doctor --host NAME PATH` counts what lies there and how much of it restates
something forgotten. A place is cleared only where that is safe, and only of what restates.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from forgetguard.errors import StoreUnreadable


@dataclass(frozen=True, slots=True)
class Kept:
    """One text that lies in a place: `path` is the file that holds it, `key` names it there (a row id, a line)."""

    path: Path
    key: str
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Place:
    """One kind of place. `name`: a stable code. `keeps`: one line for the operator, what lies there and why.

    `find` reads what lies under the host's directory, and yields nothing where the place is not there; it opens
    read-only and changes no byte. `erase` removes some of it and answers with how many are gone; None where removing is
    not safe, and `instead` says what to do. `out_of_reach`: nothing can be found out about it from here, so `find` is
    not asked.
    """

    name: str
    keeps: str
    find: Callable[[Path], Iterator[Kept]]
    erase: Callable[[Path, Sequence[Kept]], int] | None = None
    instead: str = ""
    out_of_reach: bool = False


def by_file(chosen: Sequence[Kept]) -> dict[Path, list[Kept]]:
    """What was chosen to be removed, by the file that holds it."""
    found: dict[Path, list[Kept]] = {}
    for one in chosen:
        found.setdefault(one.path, []).append(one)
    return found


def files(root: Path, *patterns: str, linked: bool = False) -> list[Path]:
    """The plain files of these patterns under a host's directory, sorted. `linked`: also those behind a link.

    `**` stands for any folders, without links. None where the host never was. Raises StoreUnreadable where the root is
    a file or a folder cannot be listed: pathlib's own glob passes over such a one, and it would count as clean.
    """
    try:
        if not root.exists():
            return []
        if not root.is_dir():
            raise StoreUnreadable("the host's directory is a file")
        found = {path for pattern in patterns for path in _matching(root, pattern.split("/"))}
        return sorted(path for path in found if path.is_file() and (linked or not path.is_symlink()))
    except OSError:
        raise StoreUnreadable("a folder of the host could not be read") from None


def _matching(folder: Path, parts: Sequence[str]) -> Iterator[Path]:
    first, *rest = parts
    if first == "**":
        yield from _matching(folder, rest)
        for one in _listed(folder):
            if one.is_dir(follow_symlinks=False):
                yield from _matching(Path(one.path), parts)
        return
    wild = any(sign in first for sign in "*?[")
    names = [one.name for one in _listed(folder) if fnmatchcase(one.name, first)] if wild else [first]
    for path in (folder / name for name in names):
        if not rest:
            yield path
        elif path.is_dir():
            yield from _matching(path, rest)


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    """What is in a folder; nothing where it went away meanwhile."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:
        return []
