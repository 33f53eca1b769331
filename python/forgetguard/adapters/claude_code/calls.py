"""Which texts a tool call of Claude Code would put into memory."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final

from forgetguard.errors import InvalidInput

EVENT: Final = "PreToolUse"

MEMORY_FILES: Final = (
    "*/claude.md",
    "*/claude.local.md",
    "*/memory.md",
    "*/.claude/rules/*",
    "*/.claude/*/memory/*",
    "*/.claude/agent-memory*/*",
)
"""Globs over the whole path in lower case, because two of the host's systems do not tell case apart; `*` takes `/`."""

MEMORY_TOOLS: Final = ("memory", "mcp__*memor*", "mcp__*mem0*", "mcp__*remember*", "mcp__*knowledge*graph*")
"""Globs over a tool's name in lower case."""
HARMLESS: Final = frozenset(
    "clear count delete describe erase export fetch find forget get history list open query read recall remove search "
    "show view".split()
)
WRITING: Final = frozenset(
    "add append create edit import insert put remember save set store update upsert write".split()
)
"""Verbs in the name of a memory tool. One that writes nothing is passed; one with neither kind is asked about."""

PATHS: Final = ("file_path", "path", "notebook_path", "new_path")
REPLACING: Final = (("old_string", "new_string"), ("old_str", "new_str"), ("oldText", "newText"))
WHOLE: Final = ("content", "file_text", "insert_text", "new_source")
DOCUMENT: Final = ("Write", "content")
"""The one field whose text may be handed back without what restates: a whole file, in a tool of the host's own."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The texts that a call would put into memory. `document`: they are one whole file, which can be rewritten."""

    texts: tuple[str, ...] = field(default=(), repr=False)
    document: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """What counts as memory besides the defaults, and whether a file may be rewritten instead of refused.

    Globs: one without a slash is a file's name, a relative one the end of a path, `~` the user's home.
    `rewrite` is off by default: several versions of the host ran the call as it was (its issues 11282, 15897, 81340),
    whereas a refusal has always been obeyed.
    """

    memory_files: tuple[str, ...] = ()
    memory_tools: tuple[str, ...] = ()
    rewrite: bool = False

    def names_memory(self, path: str, folder: str) -> bool:
        """Whether the path, as given from `folder` or behind its links, is a memory file."""
        full = os.path.join(folder, os.path.expanduser(path))
        globs = (*MEMORY_FILES, *map(_anchored, self.memory_files))
        return any(fnmatchcase(_folded(one), glob) for one in _spellings(full) for glob in globs)

    def is_memory_tool(self, name: str) -> bool:
        """Whether the tool belongs to a memory and may write to it."""
        lowered = name.lower()
        if not any(fnmatchcase(lowered, glob.lower()) for glob in (*MEMORY_TOOLS, *self.memory_tools)):
            return False
        verbs = set(re.split(r"[^a-z0-9]+", lowered.rpartition("__")[2]))
        return bool(verbs & WRITING) or not verbs & HARMLESS


def asked_of(payload: object, options: Options) -> Asked:
    """The texts of this call that the ledger must be asked about; none where it writes no memory.

    Raises InvalidInput where the payload is not one of this hook's.
    """
    call = mapping(payload)
    if call.get("hook_event_name", EVENT) != EVENT:
        return Asked()
    name, given = call.get("tool_name"), mapping(call.get("tool_input"))
    if not isinstance(name, str):
        raise _unknown()
    if options.is_memory_tool(name) and not _is_removal(given):
        return Asked(tuple(one for one in _spoken(given) if one.strip()))
    folder = call.get("cwd")
    paths = [path for key in PATHS for path in _spoken(given.get(key))]
    if not any(options.names_memory(one, folder if isinstance(folder, str) else "") for one in paths):
        return Asked()
    texts = tuple(one for one in _written(given) if one.strip())
    return Asked(texts, document=name == DOCUMENT[0] and texts == (given.get(DOCUMENT[1]),))


def _written(given: Mapping[str, object]) -> Iterator[str]:
    """The new text in the input of a file tool. Raises InvalidInput where a text is none."""
    for key in WHOLE:
        if key in given:
            yield _text(given[key])
    for old, new in REPLACING:
        if new in given:
            yield _new_lines(_text(given.get(old, "")), _text(given[new]))
    edits = given.get("edits", ())
    if not isinstance(edits, Sequence) or isinstance(edits, str):
        raise _unknown()
    for edit in edits:
        yield from _written(mapping(edit))


def _new_lines(old: str, new: str) -> str:
    standing = set(old.splitlines())
    return "\n".join(line for line in new.splitlines() if line not in standing)


def _is_removal(given: Mapping[str, object]) -> bool:
    """The memory tool says in a field what it is to do."""
    return given.get("command") in ("view", "delete", "rename")


def _spoken(value: object) -> Iterator[str]:
    """Every text in the input of a memory tool, each observation behind the entity that it is about."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _ofmapping(value)
    elif isinstance(value, Sequence):
        for one in value:
            yield from _spoken(one)


def _ofmapping(value: Mapping[str, object]) -> Iterator[str]:
    relation = [value.get(key) for key in ("from", "relationType", "to")]
    if all(isinstance(one, str) for one in relation):
        yield " ".join(map(str, relation)).replace("_", " ")
        return
    about = value.get("name", value.get("entityName"))
    for key, inner in value.items():
        if isinstance(about, str) and key in ("observations", "contents"):
            yield from (f"{about} {one}" for one in _spoken(inner))
        elif not any(key in pair for pair in REPLACING):
            yield from _spoken(inner)
    for old, new in REPLACING:
        if new in value:
            yield _new_lines(_text(value.get(old, "")), _text(value[new]))


def _anchored(glob: str) -> str:
    glob = _folded(os.path.expanduser(glob))
    return glob if glob.startswith(("/", "*")) or glob[1:2] == ":" else f"*/{glob}"


def _spellings(path: str) -> tuple[str, str]:
    return os.path.normpath(path), os.path.realpath(path)


def _folded(path: str) -> str:
    return path.replace("\\", "/").lower()


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _unknown()
    return value


def mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise _unknown()
    return value


def _unknown() -> InvalidInput:
    return InvalidInput(
        "the payload is not one of a PreToolUse hook",
        code="unknown-payload",
        advice="Register the command under PreToolUse; `forgetguard hook claude-code --print-settings` shows how.",
    )
