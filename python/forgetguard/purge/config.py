"""A host from its description in TOML, for the command line.

[purge]
agent = "main"
provenance = "main.provenance.sqlite"      relative paths count from the file

[[purge.surface]]
kind = "sqlite"
name = "memories"
path = "memory.db"
table = "memories"
side = [["vectors", "memory_id"]]

[[purge.surface]]
kind = "markdown"
name = "notes"
root = "notes"
generated = ["summaries/*"]
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from forgetguard.errors import InvalidInput, StoreUnreadable
from forgetguard.provenance import ProvenanceStore
from forgetguard.purge.host import Host
from forgetguard.purge.surfaces.registry import make

_KEYS = frozenset({"agent", "provenance", "surface", "not_covered"})


def read_host(path: Path) -> Host:
    """The host that a TOML file describes. Raises InvalidInput; opens nothing of the host."""
    try:
        table = tomllib.loads(path.read_bytes().decode("utf-8")).get("purge", {})
    except FileNotFoundError:
        raise InvalidInput(
            "there is no description of what to purge", advice="Give one with --host; docs/purge.md shows it."
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        raise InvalidInput("the description of what to purge cannot be read as TOML") from None
    return host_of(path.resolve().parent, table)


def recorded(host: Host) -> Host:
    """The host, once its provenance store is there. Raises StoreUnreadable: a misspelt path is no empty store."""
    store = host.lineage
    if isinstance(store, ProvenanceStore) and not store.path.exists():
        raise StoreUnreadable(
            "the provenance store that was named is missing",
            code="missing",
            advice="Check `provenance` in the description of the host; the agent makes the file at its first record.",
        )
    return host


def host_of(base: Path, table: Mapping[str, object]) -> Host:
    """The host of a `[purge]` table; relative paths count from `base`. Raises InvalidInput."""
    agent, provenance, surfaces = (table.get(key) for key in ("agent", "provenance", "surface"))
    if not isinstance(agent, str) or not isinstance(provenance, str) or not agent or not provenance:
        raise InvalidInput("[purge] needs an agent and the path of its provenance store")
    if not isinstance(surfaces, list) or not surfaces or not all(isinstance(one, dict) for one in surfaces):
        raise InvalidInput("[purge] needs at least one [[purge.surface]]")
    if set(table) - _KEYS:
        raise InvalidInput("[purge] has an unknown setting")
    not_covered = table.get("not_covered", [])
    if not isinstance(not_covered, list) or not all(isinstance(one, str) for one in not_covered):
        raise InvalidInput("not_covered is a list of codes")
    store = ProvenanceStore(base / provenance, agent)
    made = tuple(make(base, one) for one in surfaces)
    return Host(f"{agent}\0{store.path}", store, made, not_covered=tuple(not_covered))
