"""What Claude Code keeps in its directory (`~/.claude`, or `CLAUDE_CONFIG_DIR`), in clear, beside the memory it writes.

Nothing here is removed by the program: sessions can be resumed from these files, and a running one holds them open.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from forgetguard.adapters.residues import Kept, Place, files
from forgetguard.errors import StoreUnreadable

# Fields of a transcript that hold no words: ids, dates, names of the program's own.
WORDLESS: Final = frozenset(
    "agentId cwd entrypoint gitBranch id leafUuid media_type messageId model parentUuid permissionMode promptId "
    "requestId role sessionId signature slug sourceToolAssistantUUID status stop_reason timestamp tool_use_id type "
    "userType uuid version".split()
)


def _lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """Every line with words in it, and its number. Raises StoreUnreadable."""
    try:
        with path.open(encoding="utf-8", errors="replace", newline=None) as stream:
            yield from ((number, line.strip()) for number, line in enumerate(stream, 1) if line.strip())
    except OSError:
        raise StoreUnreadable("a file of the host could not be read") from None


def _lines(*patterns: str, linked: bool = False) -> Callable[[Path], Iterator[Kept]]:
    """Files of text: an item a line. `linked`: the host reads them through links, so they are looked at there."""

    def find(root: Path) -> Iterator[Kept]:
        for path in files(root, *patterns, linked=linked):
            yield from (Kept(path, f"line {number}", line) for number, line in _lines_of(path))

    return find


def _json_lines(*patterns: str) -> Callable[[Path], Iterator[Kept]]:
    """Files of JSON lines: an item a text. A line that is none, as of a session that was cut off, is an item itself."""

    def find(root: Path) -> Iterator[Kept]:
        for path in files(root, *patterns):
            for number, line in _lines_of(path):
                for where, text in _texts(_parsed(line), ""):
                    yield Kept(path, f"line {number}{where and ', '}{where}", text)

    return find


def _json_files(*patterns: str) -> Callable[[Path], Iterator[Kept]]:
    """Files of one JSON value: an item a text."""

    def find(root: Path) -> Iterator[Kept]:
        for path in files(root, *patterns):
            content = "\n".join(line for _, line in _lines_of(path))
            yield from (Kept(path, where, text) for where, text in _texts(_parsed(content), ""))

    return find


def _find_state(root: Path) -> Iterator[Kept]:
    """`.claude.json` lies in the directory, or beside it where it is the default one."""
    yield from _json_files(".claude.json", ".claude.json.backup*", "backups/.claude.json*")(root)
    if root.name == ".claude":
        yield from _json_files(".claude.json", ".claude.json.backup*")(root.parent)


def _texts(value: object, where: str) -> Iterator[tuple[str, str]]:
    """Every text of a JSON value, with its place in it."""
    if isinstance(value, str):
        if value.strip():
            yield where, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name not in WORDLESS:
                yield from _texts(inner, f"{where}.{name}".lstrip("."))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from _texts(inner, f"{where}[{at}]")


def _parsed(line: str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return line


DELETE_SESSION: Final = "Delete the session's files, or let `cleanupPeriodDays` do it (30 days by default)."

PLACES: Final[tuple[Place, ...]] = (
    Place(
        "memory",
        "CLAUDE.md, rules, the notes of auto memory and of agents; loaded into sessions to come",
        _lines("CLAUDE.md", "rules/**/*.md", "projects/*/memory/**/*.md", "agent-memory/**/*.md", linked=True),
        instead="Have Claude take the lines out, which the hook passes, or edit the file.",
    ),
    Place(
        "transcripts",
        "every message and tool result of every session and its agents; resumed and searched from here",
        _json_lines("projects/**/*.jsonl"),
        instead=DELETE_SESSION,
    ),
    Place(
        "session-files",
        "long tool results and summaries beside the transcripts",
        _lines("projects/*/*/tool-results/*", "projects/*/*/session-memory/*"),
        instead=DELETE_SESSION,
    ),
    Place(
        "prompt-history",
        "everything typed at the prompt, and what was pasted there",
        _json_lines("history.jsonl"),
        instead="Delete the lines, or the file, while no session runs.",
    ),
    Place("pasted", "long pastes, by a hash", _lines("paste-cache/*"), instead=DELETE_SESSION),
    Place(
        "file-history",
        "earlier versions of the files that Claude edited, memory files too, to rewind to",
        _lines("file-history/**/*"),
        instead=DELETE_SESSION,
    ),
    Place(
        "tasks",
        "to-do lists of sessions",
        _json_files("todos/*.json", "tasks/**/*.json"),
        instead=DELETE_SESSION,
    ),
    Place("plans", "plans that were made in plan mode", _lines("plans/**/*.md"), instead="Delete the plan."),
    Place(
        "debug-logs",
        "logs of sessions with --debug",
        _lines("debug/*"),
        instead="Delete them; nothing reads them again.",
    ),
    Place(
        "client-state",
        "`.claude.json` and its backups: settings of the program, in older versions also what was typed",
        _find_state,
        instead="Delete the history in it while no session runs.",
    ),
)
