"""The lineage of every memory: which sessions it came from, and how that survives consolidation.

1. Code writes origins, when a memory is written and before the memory itself: a crash in between leaves an origin
   without a memory (pruned later), never a memory without an origin.
2. A model names keys and actions, nothing else. What more its output claims is not read; a key that it was not
   shown is refused.
3. A consolidated memory has the union of what its parents came from, whatever the action is called.
4. A memory without origins stays usable; it is only reported as untargetable.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from forgetguard.errors import InvalidInput
from forgetguard.provenance.schema import Connection, batches, changed, marks
from forgetguard.values import Origin, OriginClass

_COLUMNS = "entry_key, agent_id, session_id, session_key, origin_class, observed_at"
_INSERT = f"INSERT INTO memory_entry_origins({_COLUMNS}) VALUES (?,?,?,?,?,?) ON CONFLICT DO NOTHING"
_DELETE = "DELETE FROM memory_entry_origins WHERE entry_key=? AND agent_id=? AND session_id=?"


class Consolidation(StrEnum):
    """What became of a memory: fresh, one with its parents, or in the place of its parents."""

    ADDED = "added"
    MERGED = "merged"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class Operation:
    """One consolidation, checked: `result` takes the origins of `parents`."""

    result: str
    action: Consolidation
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reservation:
    """The origin rows that were added; `release` takes exactly these back when the memory was not published."""

    rows: tuple[tuple[str, str, str], ...] = ()

    def release(self, connection: Connection) -> None:
        """Delete the added rows, and no row that was there before. Call inside a transaction."""
        for row in self.rows:
            connection.execute(_DELETE, row)


def record(connection: Connection, entry_key: str, origins: Iterable[Origin]) -> Reservation:
    """Write where a memory comes from, before the memory is written. Rows that are there already stay as they are."""
    added = []
    for origin in origins:
        row = (entry_key, origin.agent_id, origin.session_id)
        connection.execute(_INSERT, (*row, origin.session_key, origin.origin_class.value, origin.observed_at))
        if changed(connection):
            added.append(row)
    return Reservation(tuple(added))


def consolidate(
    connection: Connection, result: str, action: Consolidation | str, parents: Sequence[str] = ()
) -> Reservation:
    """Give `result` the union of its own origins and its parents', before it is published.

    `merged` and `superseded` have parents; `added` is fresh, and if it was made from others they count all the same.
    The parents' rows stay until `prune` finds that nothing refers to them. Raises InvalidInput.
    """
    operation = checked(result, action, parents)
    inherited = [origin for _, origin in origins_of(connection, operation.parents)]
    return record(connection, operation.result, inherited)


def checked(result: str, action: Consolidation | str, parents: Sequence[str] = ()) -> Operation:
    """The operation, if it can be one. Raises InvalidInput for an unknown action, or a merge of nothing."""
    try:
        known = Consolidation(action)
    except ValueError:
        raise InvalidInput("the action of a consolidation is added, merged or superseded") from None
    if not result or not isinstance(result, str):
        raise InvalidInput("a consolidation needs the key of its result")
    if known is not Consolidation.ADDED and not parents:
        raise InvalidInput("a merged or superseded memory has at least one parent")
    return Operation(result, known, tuple(dict.fromkeys(parents)))


def operations(output: object, shown: Collection[str]) -> tuple[Operation, ...]:
    """What a model's output may say: `[{"result", "action", "parents"}]`, parents among the keys that it was `shown`.

    Any other field (origins, sessions, classes) is not read. One wrong operation refuses the whole output: a lineage
    that is half true is worse than a consolidation that is tried again. Raises InvalidInput.
    """
    if not isinstance(output, Sequence) or isinstance(output, (str, bytes)):
        raise InvalidInput("the output of a consolidation is a list of operations")
    found = tuple(_operation(item, shown) for item in output)
    if len({operation.result for operation in found}) != len(found):
        raise InvalidInput("two operations have the same result")
    return found


def _operation(item: object, shown: Collection[str]) -> Operation:
    if not isinstance(item, Mapping):
        raise InvalidInput("an operation is an object with result, action and parents")
    result, action, parents = item.get("result"), item.get("action"), item.get("parents", ())
    if not isinstance(result, str) or not isinstance(action, str) or not isinstance(parents, (list, tuple)):
        raise InvalidInput("an operation is an object with result, action and parents")
    if not all(isinstance(key, str) and key in shown for key in parents):
        raise InvalidInput("an operation names a parent that was not shown")
    return checked(result, action, parents)


def origins_of(connection: Connection, entry_keys: Iterable[str]) -> Iterator[tuple[str, Origin]]:
    """The origins of these memories, of every agent."""
    for batch in batches(entry_keys):
        for row in connection.execute(
            f"""SELECT {_COLUMNS} FROM memory_entry_origins WHERE entry_key IN ({marks(batch)})
                ORDER BY entry_key, agent_id, session_id""",
            batch,
        ):
            yield str(row[0]), _origin(row)


def entries_of(connection: Connection, session_ids: Iterable[str]) -> Iterator[str]:
    """The memories with any origin in these sessions (exact ids); a memory of two sessions may come twice."""
    for batch in batches(session_ids):
        for row in connection.execute(
            f"SELECT DISTINCT entry_key FROM memory_entry_origins WHERE session_id IN ({marks(batch)})", batch
        ):
            yield str(row[0])


def traced(connection: Connection, entry_keys: Iterable[str]) -> frozenset[str]:
    """Those of the memories that have any origin; the others cannot be reached by a purge."""
    return frozenset(
        str(row[0])
        for batch in batches(entry_keys)
        for row in connection.execute(
            f"SELECT DISTINCT entry_key FROM memory_entry_origins WHERE entry_key IN ({marks(batch)})", batch
        )
    )


def session_origins(connection: Connection) -> Iterator[tuple[str, str, OriginClass]]:
    """Every session that some memory came from: (session id, session key, class), by session id."""
    for row in connection.execute(
        "SELECT DISTINCT session_id, session_key, origin_class FROM memory_entry_origins ORDER BY 1, 2, 3"
    ):
        yield str(row[0]), str(row[1]), OriginClass(row[2])


def erase_origins(connection: Connection, entry_keys: Iterable[str]) -> int:
    """Delete all origins of these memories; how many rows. Call inside a write transaction."""
    count = 0
    for batch in batches(entry_keys):
        connection.execute(f"DELETE FROM memory_entry_origins WHERE entry_key IN ({marks(batch)})", batch)
        count += changed(connection)
    return count


def prune(connection: Connection, live_keys: Collection[str]) -> int:
    """Delete the origins of memories that nothing refers to; how many rows. Call inside a write transaction."""
    live = frozenset(live_keys)
    known = [str(row[0]) for row in connection.execute("SELECT DISTINCT entry_key FROM memory_entry_origins")]
    return erase_origins(connection, (key for key in known if key not in live))


def _origin(row: Any) -> Origin:
    _, agent_id, session_id, session_key, origin_class, observed_at = row
    return Origin(agent_id, session_id, session_key, OriginClass(origin_class), observed_at)
