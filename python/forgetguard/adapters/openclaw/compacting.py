"""Leaving no freed page behind, also where the database is large."""

from __future__ import annotations

from forgetguard.provenance.schema import Connection, scalar
from forgetguard.purge.surfaces import sqlite_tools as tools
from forgetguard.purge.surfaces.protocol import Finding

IN_MEMORY_BYTES = 96 * 1024 * 1024


def compact(connection: Connection, place: str) -> tuple[Finding, ...]:
    """`sqlite_tools.compact`; the copy that VACUUM makes lies in memory only where it is small.

    What it copies is what stays: the rows that went are not among it, so a temporary file (which SQLite unlinks as soon
    as it has opened it) shows nothing that the database itself does not.
    """
    size = int(scalar(connection, "PRAGMA page_count") or 0) * int(scalar(connection, "PRAGMA page_size") or 0)
    if size > IN_MEMORY_BYTES:
        list(connection.execute("PRAGMA temp_store=FILE"))
    try:
        return tools.compact(connection, place)
    finally:
        list(connection.execute("PRAGMA temp_store=MEMORY"))
