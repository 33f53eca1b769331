"""What Hermes keeps of what was said, under one profile's home, where removing a memory does not reach.

Cleared is only what Hermes itself no longer needs, or takes a lock for; transcripts are its own to delete.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from forgetguard.adapters.hermes import memory_files
from forgetguard.adapters.residues import Kept, Place, by_file, files
from forgetguard.adapters.tables import Table, rows
from forgetguard.adapters.texts import content, in_json, in_json_lines, lines, texts

PENDING: Final = "pending/memory/*.json"
DUMPS: Final = "sessions/request_dump_*.json"
SNAPSHOTS: Final = "sessions/session_*.json"
TRAJECTORIES: Final = ("trajectory_samples.jsonl", "failed_trajectories.jsonl")


# A message's name begins with its session, for that is what Hermes deletes by.
MESSAGES: Final = Table(
    "messages",
    "session_id || ', message ' || id",
    ("content", "tool_calls", "reasoning", "reasoning_content", "api_content"),
)
SESSIONS: Final = Table("sessions", "id", ("title", "system_prompt"))
FACTS: Final = Table("facts", "fact_id", ("content",))
RESPONSES: Final = Table("responses", "response_id", ("data",))

_texts = partial(texts, within=True)
_in_json = partial(in_json, read=_texts)
_in_json_lines = partial(in_json_lines, read=_texts)

SAID = re.compile(r"""conversation turn: session=(\S+) .* msg=(['"])(.*)\2$""")


def _find_entries(pattern: str, home: Path) -> Iterator[Kept]:
    for path in files(home, pattern):
        entries = memory_files.entries(content(path))
        yield from (Kept(path, f"entry {at}", entry) for at, entry in enumerate(entries, 1))


def _erase_entries(_: Path, chosen: Sequence[Kept]) -> int:
    return sum(memory_files.remove(path, {one.text for one in some}) for path, some in by_file(chosen).items())


def _erase_files(_: Path, chosen: Sequence[Kept]) -> int:
    """Remove the files whole; how many of the chosen are gone."""
    for path in by_file(chosen):
        path.unlink(missing_ok=True)
    return len(chosen)


def _find_rows(file: str, *tables: Table) -> Callable[[Path], Iterator[Kept]]:
    """Every text in tables of a database."""

    def find(home: Path) -> Iterator[Kept]:
        for key, values in rows(home / file, *tables):
            yield from (Kept(home / file, key, text) for value in values for _, text in _texts(value))

    return find


def _find_logged(home: Path) -> Iterator[Kept]:
    for path in files(home, "logs/*.log", "logs/*.log.*"):
        for number, line in lines(path):
            if found := SAID.search(line):
                yield Kept(path, f"line {number}", found[3].removesuffix("..."))


PLACES: Final[tuple[Place, ...]] = (
    Place(
        "memory",
        "entries of MEMORY.md and USER.md, in every system prompt of the profile",
        partial(_find_entries, "memories/*.md"),
        _erase_entries,
    ),
    Place(
        "memory-backups",
        "copies of these files that Hermes made before it refused to write over an editor's changes",
        partial(_find_entries, "memories/*.md.bak.*"),
        instead="Take over what is missing in the memory file, then delete the copy.",
    ),
    Place(
        "pending",
        "writes that wait for /memory approve, which stores them without asking any plugin",
        _in_json(PENDING),
        _erase_files,
    ),
    Place(
        "holographic",
        "facts of the bundled provider `holographic`; it keeps its copy when the built-in memory removes an entry",
        _find_rows("memory_store.db", FACTS),
        instead="Have the agent call fact_store(action='remove', fact_id=KEY): its vectors are then built anew.",
    ),
    Place(
        "sessions",
        "messages, titles and system prompts of every session, which `session_search` finds",
        _find_rows("state.db", MESSAGES, SESSIONS),
        instead="`hermes sessions delete SESSION` or `hermes sessions prune`; what is found meanwhile is scrubbed.",
    ),
    Place(
        "responses",
        "conversations of the API server",
        _find_rows("response_store.db", RESPONSES),
        instead="Stop the gateway and delete the file; clients then begin new conversations.",
    ),
    Place(
        "request-dumps",
        "whole requests that failed, kept for debugging; nothing reads them again",
        _in_json(DUMPS),
        _erase_files,
    ),
    Place(
        "session-files",
        "sessions as JSON, beside the database, where that is switched on or an older Hermes wrote them",
        _in_json(SNAPSHOTS),
        instead="Delete the file of the session.",
    ),
    Place(
        "trajectories",
        "conversations saved for training, in the directory in which Hermes was started; looked for in its home only",
        _in_json_lines(*TRAJECTORIES),
        instead="Delete the lines, or the file.",
    ),
    Place(
        "logs",
        "the first 80 characters of every message of the user",
        _find_logged,
        instead="Delete the log files once Hermes is stopped.",
    ),
)
