"""What a purge works on: where lineage and tombstones are, which surfaces there are, and the host's own locks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Protocol

from forgetguard.errors import InvalidInput
from forgetguard.provenance import Session
from forgetguard.purge.receipts import is_code
from forgetguard.purge.surfaces.protocol import Surface
from forgetguard.values import Origin, OriginClass


class Lineage(Protocol):
    """Where memories came from. `ProvenanceStore` is one; a host with tables of its own brings another.

    Everything but `bury` and `erase_origins` leaves no trace on disk.
    """

    @property
    def agent_id(self) -> str:
        """The agent whose memories these are."""

    def known_sessions(self) -> Iterable[Session]:
        """Every session on record, live and archived."""

    def session_origins(self) -> Iterable[tuple[str, str, OriginClass]]:
        """(session id, session key, class) of every session that some memory came from."""

    def entries_of(self, session_ids: Iterable[str]) -> frozenset[str]:
        """The memories with any origin in these sessions; exact ids."""

    def origins_of(self, entry_keys: Iterable[str]) -> Iterable[tuple[str, Origin]]:
        """(memory, origin), all origins of these memories."""

    def traced(self, entry_keys: Iterable[str]) -> frozenset[str]:
        """Those of the memories that have any origin."""

    def holds(self) -> Mapping[str, str]:
        """Session id to reason code of every legal hold."""

    def buried(self, session_ids: Iterable[str]) -> frozenset[str]:
        """Those of the sessions that have a tombstone."""

    def bury(self, session_ids: Iterable[str]) -> int:
        """Write missing tombstones and raise the revision, in one transaction; how many were missing.

        None: no write.
        """

    def erase_origins(self, entry_keys: Iterable[str]) -> int:
        """Delete all origins of these memories; how many rows."""


def _no_check() -> None:
    return None


@dataclass(frozen=True)
class Host:
    """`id` tells hosts apart in the journal (agent and workspace); it is only ever kept as a keyed digest.

    `exclusive` takes the host's own locks for as long as a purge selects and erases, or raises Refused. `check` runs
    before
    anything is written (versions, a live process of the host) and raises Refused. Tombstones are committed before the
    locks are taken. Surfaces are asked in order; those that declare `evidence` are erased last, origins after them.
    `not_covered`: codes of places that no surface here reaches, for report and receipt.
    """

    id: str
    lineage: Lineage
    surfaces: Sequence[Surface]
    exclusive: Callable[[], AbstractContextManager[object]] = field(default=nullcontext)
    check: Callable[[], None] = field(default=_no_check)
    not_covered: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = [surface.name for surface in self.surfaces]
        if len(set(names)) != len(names):
            raise InvalidInput("two surfaces have the same name")
        if not all(map(is_code, (*names, *self.not_covered))):
            raise InvalidInput("names of surfaces and places are codes: letters, digits and . _ : / - , 64 at most")

    def in_erasing_order(self) -> Iterator[Surface]:
        """Evidence last: a run that was cut short must still find everything."""
        yield from sorted(self.surfaces, key=lambda surface: surface.declares().evidence)
