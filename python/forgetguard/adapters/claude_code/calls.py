"""Which texts a tool call of Claude Code would put into memory."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final

from forgetguard.adapters.fields import is_telling, told
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
    "add append apply capture change commit copy create edit import ingest insert learn log make memorize merge modify "
    "move new observe patch post push put record remember rename replace retain save set store sync update upsert "
    "write".split()
)
"""Verbs in the name of a tool. One that writes nothing is passed; one with neither kind is asked about."""

PATHS: Final = ("file_path", "path", "notebook_path", "new_path")
REPLACING: Final = (
    ("old_string", "new_string"),
    ("old_str", "new_str"),
    ("old_text", "new_text"),
    ("oldString", "newString"),
    ("oldText", "newText"),
)
WHOLE: Final = ("content", "file_text", "insert_text", "new_source")
OWN: Final = frozenset(("Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "str_replace_based_edit_tool"))
"""File tools of the host's own, whose fields are known. Of any other, every text is taken to be written."""
READING: Final = {"view": {"command", "path", "view_range"}, "delete": {"command", "path"}}
"""What the host's memory tools say in `command` where they write nothing, and the fields that come with it."""
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
        full = os.path.join(folder, os.path.expanduser(_local(path)))
        globs = (*MEMORY_FILES, *map(_anchored, self.memory_files))
        return any(fnmatchcase(_folded(one), glob) for one in _spellings(full) for glob in globs)

    def is_memory_tool(self, name: str) -> bool:
        """Whether the tool belongs to a memory and may write to it."""
        lowered = name.lower()
        if not any(fnmatchcase(lowered, glob.lower()) for glob in (*MEMORY_TOOLS, *self.memory_tools)):
            return False
        return _may_write(name)


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
    if options.is_memory_tool(name) and not _only_reads(given):
        return Asked(tuple(one for one in _spoken(given, named=True) if one.strip()))
    folder = call.get("cwd")
    folder = folder if isinstance(folder, str) else ""
    if name not in OWN:
        return Asked(tuple(_elsewhere(name, given, folder, options)))
    paths = [path for key in PATHS for path in _spoken(given.get(key))]
    if not any(options.names_memory(one, folder) for one in paths):
        return Asked()
    if name in ("Write", "Edit", "MultiEdit") and not _is_known(given):
        raise _unknown()
    texts = tuple(one for one in _written(given) if one.strip())
    return Asked(texts, document=name == DOCUMENT[0] and texts == (given.get(DOCUMENT[1]),))


def _elsewhere(name: str, given: Mapping[str, object], folder: str, options: Options) -> Iterator[str]:
    """What a tool that is not the host's own, such as a file server's, would write to a memory file.

    Nobody knows how it names its fields: a path in any of them counts, and then every other text does.
    """
    if not _may_write(name):
        return
    known = [one for key in PATHS for one in _spoken(given.get(key))]
    paths = {one for one in (*known, *filter(_is_path, _spoken(given))) if options.names_memory(one, folder)}
    if not paths:
        return
    if not isinstance(given.get("edits", []), list):
        raise _unknown()
    yield from (one for one in _spoken(given) if one.strip() and one not in paths)


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


def _is_known(given: Mapping[str, object]) -> bool:
    return any(key in given for key in (*WHOLE, "edits", *(new for _, new in REPLACING)))


def _may_write(name: str) -> bool:
    """Whether the verbs in a tool's name leave open that it writes."""
    verb = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.rpartition("__")[2])
    verbs = set(re.split(r"[^a-z0-9]+", verb.lower()))
    return bool(verbs & WRITING) or not verbs & HARMLESS


def _only_reads(given: Mapping[str, object]) -> bool:
    command = given.get("command")
    return isinstance(command, str) and command in READING and set(given) <= READING[command]


def _is_path(text: str) -> bool:
    """Whether a text may be a path: one line, and without spaces unless it begins like one."""
    return "\n" not in text and (" " not in text or re.match(r"[/~.]|[A-Za-z]:|file:", text) is not None)


def _local(path: str) -> str:
    if not path.startswith("file://"):
        return path
    from urllib.parse import unquote  # a tenth of the time of a call that writes no memory

    return unquote(path.removeprefix("file://"))


def _spoken(value: object, *, named: bool = False) -> Iterator[str]:
    """Every text in the input of a tool, each observation behind the entity that it is about.

    `named`: once more with the name of its field, which may be part of what it says.
    """
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _ofmapping(value, named)
    elif isinstance(value, Sequence):
        for one in value:
            yield from _spoken(one, named=named)


def _ofmapping(value: Mapping[str, object], named: bool) -> Iterator[str]:
    relation = [value.get(key) for key in ("from", "relationType", "to")]
    if all(isinstance(one, str) for one in relation):
        yield " ".join(map(str, relation)).replace("_", " ")
        return
    about = value.get("name", value.get("entityName"))
    for key, inner in value.items():
        if isinstance(about, str) and key in ("observations", "contents"):
            yield from (f"{about} {one}" for one in _spoken(inner))
        elif not any(key in pair for pair in REPLACING):
            yield from _spoken(inner, named=named)
            yield from _named(key, inner) if named else ()
    for old, new in REPLACING:
        if new in value:
            yield _new_lines(_text(value.get(old, "")), _text(value[new]))


def _named(key: str, inner: object) -> Iterator[str]:
    """A field's name with its value; the name alone where it is all that is said."""
    name = key.replace("_", " ")
    if isinstance(inner, str | int | float):
        yield told(name, inner)
    elif is_telling(name):
        yield name


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
