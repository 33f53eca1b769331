"""What Claude Code keeps in its directory (`~/.claude`, or `CLAUDE_CONFIG_DIR`), in clear, beside the memory it writes.

Nothing here is removed by the program: sessions can be resumed from these files, and a running one holds them open.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from forgetguard.adapters.residues import Kept, Place
from forgetguard.adapters.texts import in_json, in_json_lines, in_lines, texts

# Fields of a transcript that hold no words: ids, dates, names of the program's own.
WORDLESS: Final = frozenset(
    "agentId cwd entrypoint gitBranch id leafUuid media_type messageId model parentUuid permissionMode promptId "
    "requestId role sessionId signature slug sourceToolAssistantUUID status stop_reason timestamp tool_use_id type "
    "userType uuid version".split()
)

_in_json = partial(in_json, read=partial(texts, wordless=WORDLESS))
_in_json_lines = partial(in_json_lines, read=partial(texts, wordless=WORDLESS))


def _find_state(root: Path) -> Iterator[Kept]:
    """`.claude.json` lies in the directory, or beside it where it is the default one."""
    yield from _in_json(".claude.json", ".claude.json.backup*", "backups/.claude.json*")(root)
    if root.name == ".claude":
        yield from _in_json(".claude.json", ".claude.json.backup*")(root.parent)


DELETE_SESSION: Final = "Delete the session's files, or let `cleanupPeriodDays` do it (30 days by default)."

PLACES: Final[tuple[Place, ...]] = (
    Place(
        "memory",
        "CLAUDE.md, rules, the notes of auto memory and of agents; loaded into sessions to come",
        in_lines("CLAUDE.md", "rules/**/*.md", "projects/*/memory/**/*.md", "agent-memory/**/*.md", linked=True),
        instead="Have Claude take the lines out, which the hook passes, or edit the file.",
    ),
    Place(
        "transcripts",
        "every message and tool result of every session and its agents; resumed and searched from here",
        _in_json_lines("projects/**/*.jsonl"),
        instead=DELETE_SESSION,
    ),
    Place(
        "session-files",
        "long tool results and summaries beside the transcripts",
        in_lines("projects/*/*/tool-results/*", "projects/*/*/session-memory/*"),
        instead=DELETE_SESSION,
    ),
    Place(
        "prompt-history",
        "everything typed at the prompt, and what was pasted there",
        _in_json_lines("history.jsonl"),
        instead="Delete the lines, or the file, while no session runs.",
    ),
    Place("pasted", "long pastes, by a hash", in_lines("paste-cache/*"), instead=DELETE_SESSION),
    Place(
        "file-history",
        "earlier versions of the files that Claude edited, memory files too, to rewind to",
        in_lines("file-history/**/*"),
        instead=DELETE_SESSION,
    ),
    Place(
        "tasks",
        "to-do lists of sessions",
        _in_json("todos/*.json", "tasks/**/*.json"),
        instead=DELETE_SESSION,
    ),
    Place("plans", "plans that were made in plan mode", in_lines("plans/**/*.md"), instead="Delete the plan."),
    Place(
        "debug-logs",
        "logs of sessions with --debug",
        in_lines("debug/*"),
        instead="Delete them; nothing reads them again.",
    ),
    Place(
        "client-state",
        "`.claude.json` and its backups: settings of the program, in older versions also what was typed",
        _find_state,
        instead="Delete the history in it while no session runs.",
    ),
)
