"""What a host keeps beside its memories, where its own delete does not reach: histories, queues, logs, caches.

Each adapter names its places; `forgetguard doctor --host NAME PATH` counts what lies there and how much of it restates
something forgotten. A place is cleared only where that is safe, and only of what restates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path


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
