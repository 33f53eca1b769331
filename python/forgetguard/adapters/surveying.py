"""Looking through the places of a host: what lies there, what of it restates something forgotten, and removing that.

1. Looking changes no byte. Removing takes only what surely restates, and only where the place says that it is safe.
2. A place that could not be read, or a text that could not be judged, is told; it never counts as clean.
3. Without the ledger the items are counted and nothing is judged.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from forgetguard.adapters.residues import Kept, Place
from forgetguard.errors import ForgetGuardError
from forgetguard.guard import NOTE, Decision, Finding, ForgetGuard
from forgetguard.guard.verdicts import TOO_LONG

BATCH: Final = 500
UNREADABLE: Final = "unreadable"
UNREMOVED: Final = "unremoved"
"""Something in a place could not be removed, or not all of it."""

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Found:
    """What one place holds.

    `paths`: the files in which the items lie. `restating` items surely put a forgotten fact back, `likely` ones may;
    both are empty where nothing was judged. `unjudged`: texts that are too long to be read. `problem`: a code where the
    place could not be read to its end, or not be cleared; then the counts are what was seen until then.
    """

    place: Place
    items: int = 0
    paths: tuple[Path, ...] = ()
    restating: tuple[Kept, ...] = field(default=(), repr=False)
    likely: tuple[Kept, ...] = field(default=(), repr=False)
    unjudged: int = 0
    removed: int = 0
    problem: str = ""

    @property
    def is_residue(self) -> bool:
        """Whether something in it restates a forgotten fact, or may."""
        return bool(self.restating or self.likely)

    @property
    def is_certain(self) -> bool:
        """Whether all of it was read and judged."""
        return not self.problem and not self.unjudged


def survey(places: Iterable[Place], root: Path, guard: ForgetGuard | None) -> Iterator[Found]:
    """Look through each place under the host's directory. `guard`: None where its ledger cannot be asked.

    Raises LedgerUnavailable where the ledger went away meanwhile.
    """
    for place in places:
        yield _look(place, root, guard)


def clear(found: Found, root: Path, guard: ForgetGuard) -> Found:
    """Remove what surely restates from a place where that is safe, then look again. Raises LedgerUnavailable."""
    place = found.place
    if place.erase is None or not found.restating:
        return found
    removed, problem = 0, ""
    try:
        removed = place.erase(root, found.restating)
    except ForgetGuardError as error:
        problem = error.code
    except (OSError, sqlite3.Error):
        problem = UNREMOVED
    left = _look(place, root, guard)
    return Found(
        place, left.items, left.paths, left.restating, left.likely, left.unjudged, removed,
        problem or left.problem or (UNREMOVED if left.restating else ""),
    )  # fmt: skip


def exit_code(found: Sequence[Found], *, judged: bool) -> int:
    """1 where something restates a forgotten fact, 3 where that cannot be told of everything, else 0."""
    if any(one.is_residue or one.problem == UNREMOVED for one in found):
        return 1
    return 0 if judged and all(one.is_certain for one in found) else 3


def _look(place: Place, root: Path, guard: ForgetGuard | None) -> Found:
    items, unjudged = 0, 0
    paths: dict[Path, None] = {}
    restating: list[Kept] = []
    likely: list[Kept] = []
    reader = _Reader(place, root)
    for batch in _batches(reader, BATCH):
        items += len(batch)
        paths.update((one.path, None) for one in batch)
        for finding in guard.sweep(batch, text="text") if guard is not None else ():
            if finding.verdict.reason == TOO_LONG:
                unjudged += 1
            elif finding.verdict.action is Decision.HOLD:
                likely.append(finding.item)
            elif guard is None or _restates(guard, finding):
                restating.append(finding.item)
    return Found(place, items, tuple(paths), tuple(restating), tuple(likely), unjudged, 0, reader.problem)


def _restates(guard: ForgetGuard, finding: Finding[Kept]) -> bool:
    """A request to forget names what it is about, or something that was never forgotten here ("forget it")."""
    return finding.verdict.reason != NOTE or bool(guard.scrub(finding.item.text).removed)


class _Reader:
    """The items of a place, to its end or to where it could not be read; `problem` says so."""

    def __init__(self, place: Place, root: Path) -> None:
        self.problem = ""
        self._place = place
        self._root = root

    def __iter__(self) -> Iterator[Kept]:
        if self._place.out_of_reach:
            return
        try:
            yield from self._place.find(self._root)
        except ForgetGuardError as error:
            self.problem = error.code
        except Exception:  # noqa: BLE001 - a host's files may hold anything; the error's message may quote them
            self.problem = UNREADABLE


def _batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
