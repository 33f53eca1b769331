"""Memory files that a session wrote with its tools: reported, and left to their owner."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from forgetguard.adapters.openclaw import database
from forgetguard.adapters.openclaw.keys import locale_order
from forgetguard.adapters.openclaw.layout import Agent
from forgetguard.adapters.openclaw.plugin_state import recorded_writers
from forgetguard.adapters.openclaw.stored import mapping_of
from forgetguard.provenance.schema import Connection, batches, has_table, marks

_CALLS = frozenset({"toolCall", "tool_call", "tool_use"})
_TOOLS = frozenset({"write", "edit", "apply_patch"})
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.MULTILINE)
_MOST_BYTES = 256 * 1024 * 1024  # of one archive when decompressed


def curated_writes(agent: Agent, sessions: frozenset[str], keys: frozenset[str]) -> list[dict[str, object]]:
    """`[{relativePath, observedAt}]` of the memory files that these sessions wrote; the first observation of each."""
    if not sessions:
        return []
    found: dict[str, object] = {}
    with database.reading(agent.state.shared) as connection:
        for place, record in recorded_writers(connection, agent.workspace_keys).items():
            writer = str(record.get("sessionId") or "")
            if (writer in sessions if writer else str(record.get("sessionKey")) in keys) and _is_memory(place):
                found.setdefault(place, record.get("observedAt"))
    for record in _records(agent, sessions):
        for place in _written(agent.workspace, record):
            found.setdefault(place, _moment(record))
    return [
        {"relativePath": place, **({} if when is None else {"observedAt": when})}
        for place, when in sorted(found.items(), key=lambda item: locale_order(item[0]))
    ]


def _is_memory(place: str) -> bool:
    return place in ("MEMORY.md", "USER.md") or place.startswith("memory/")


def _records(agent: Agent, sessions: frozenset[str]) -> Iterator[dict[str, Any]]:
    """The assistant's messages in transcripts and archives of these sessions; with the directory that they ran in."""
    with database.reading(agent.database) as connection:
        for batch in batches(sorted(sessions)):
            sql = "SELECT session_id, event_json, event_zstd FROM transcript_events WHERE session_id IN"
            folders: dict[str, object] = {}
            for session, text, packed in connection.execute(f"{sql} ({marks(batch)}) ORDER BY session_id, seq", batch):
                yield from _read(text if text is not None else _unpacked(packed), folders, session)
            yield from _archived(connection, batch)


def _archived(connection: Connection, sessions: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    if not has_table(connection, "session_transcript_archives"):
        return
    sql = "SELECT session_id, encoding, archive_blob FROM session_transcript_archives WHERE session_id IN"
    for session, encoding, blob in connection.execute(f"{sql} ({marks(sessions)}) ORDER BY 1, created_at", sessions):
        folders: dict[str, object] = {}
        content = _unpacked(blob) if encoding == "zstd" else bytes(blob)
        for line in content.splitlines():
            yield from _read(line, folders, session)


def _unpacked(blob: bytes | None) -> bytes:
    """A decompressed record or archive, in memory alone. One that is damaged or absurdly large has nothing to tell."""
    import zstandard

    try:
        reader = zstandard.ZstdDecompressor().stream_reader(blob or b"")
        return bytes(reader.read(_MOST_BYTES))
    except zstandard.ZstdError:
        return b""


def _read(text: str | bytes, folders: dict[str, object], session: str) -> Iterator[dict[str, Any]]:
    if b"tool" not in (text.encode() if isinstance(text, str) else text) and session in folders:
        return
    record = mapping_of(text)
    if record is None:
        return
    if record.get("type") == "session":
        folders[session] = record.get("cwd")
    folders.setdefault(session, None)
    message = record.get("message")
    if isinstance(message, dict) and message.get("role") == "assistant" and isinstance(message.get("content"), list):
        yield {**record, "cwd": folders[session]}


def _written(workspace: Path, record: dict[str, Any]) -> Iterator[str]:
    base = Path(os.path.realpath(workspace))
    given = record.get("cwd")
    start = Path(given) if isinstance(given, str) and "\0" not in given else workspace
    for item in record["message"]["content"]:
        if not isinstance(item, dict) or item.get("type") not in _CALLS or item.get("name") not in _TOOLS:
            continue
        for name in _named(item):
            if "\0" in name:
                continue
            path = Path(os.path.realpath(start / os.path.expanduser(name)))
            if path.is_relative_to(base) and _is_memory(path.relative_to(base).as_posix()):
                yield path.relative_to(base).as_posix()


def _named(item: dict[str, Any]) -> Iterator[str]:
    given = item.get("arguments", item.get("input"))
    if isinstance(given, str):
        given = mapping_of(given) or {"input": given}
    if not isinstance(given, dict):
        return
    yield from (given[name] for name in ("path", "file_path", "filePath") if isinstance(given.get(name), str))
    for value in given.values():
        if isinstance(value, str) and "*** " in value:
            yield from _PATCHED.findall(value)
    changes = given.get("changes")
    if isinstance(changes, dict):
        yield from map(str, changes)
        changes = list(changes.values())
    for change in changes if isinstance(changes, list) else ():
        if isinstance(change, dict):
            kind = change.get("kind")
            moved = kind.get("move_path") if isinstance(kind, dict) else None
            yield from (one for one in (change.get("path"), moved) if isinstance(one, str))


def _moment(record: dict[str, Any]) -> int | None:
    """When the call was made, in milliseconds."""
    when = record["message"].get("timestamp")
    if isinstance(when, (int, float)) and math.isfinite(when):
        return int(when)
    try:
        return int(datetime.fromisoformat(str(record.get("timestamp")).replace("Z", "+00:00")).timestamp() * 1000)
    except ValueError:
        return None
