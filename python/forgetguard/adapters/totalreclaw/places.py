"""What TotalReclaw keeps where its own delete does not reach. The host's directory is `~/.totalreclaw`.

What is not as the host writes it is one text, as it stands: it is looked at, and never cut.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from forgetguard.adapters.residues import Kept, Place, by_file, files
from forgetguard.adapters.texts import content, lines, parsed
from forgetguard.directories import write_whole

QUEUE: Final = ".pending_extract.jsonl"
LEFT_OVER: Final = ".pending_extract.*.tmp"
EXPORTS: Final = "exports/totalreclaw-export-*"
IMPORTS: Final = "import-state/*.json"
WHOLE: Final = "the whole"
"""The key of what is not as the host writes it. No id of a fact, so it is not erased by one."""


def _find_queued(pattern: str, root: Path) -> Iterator[Kept]:
    for path in files(root, pattern):
        for number, line in lines(path):
            messages = _listed(parsed(line), "messages")
            if messages is None:
                yield Kept(path, f"line {number}", line)
            for at, message in enumerate(messages or (), 1):
                yield Kept(path, f"line {number}, message {at}", _text(message, "content"))


def _find_exported(root: Path) -> Iterator[Kept]:
    for path in files(root, EXPORTS):
        text = content(path)
        facts = _listed(parsed(text), "facts")
        if facts is None:
            yield Kept(path, WHOLE, text)
        for fact in facts or ():
            yield Kept(path, _id(fact), _text(fact, "text"))


def _erase_exported(_: Path, kept: Sequence[Kept]) -> int:
    return sum(_without(path, {one.key for one in some}) for path, some in by_file(kept).items())


def _without(path: Path, ids: set[str]) -> int:
    """Take these facts out of an export; how many are gone. The export is for its owner alone, as the host makes it."""
    export = parsed(content(path))
    facts = _listed(export, "facts") or []
    left = [fact for fact in facts if _id(fact) not in ids]
    if len(left) == len(facts):
        return 0
    write_whole(path, json.dumps({**export, "facts": left, "count": len(left)}).encode())
    return len(facts) - len(left)


def _find_import_errors(root: Path) -> Iterator[Kept]:
    for path in files(root, IMPORTS):
        text = content(path)
        state = parsed(text)
        if isinstance(state, str):
            yield Kept(path, WHOLE, text)
        for at, error in enumerate(_listed(state, "errors") or (), 1):
            yield Kept(path, f"error {at}", str(error))


def _find_nothing(_: Path) -> Iterator[Kept]:
    return iter(())


def _listed(record: Any, name: str) -> list[Any] | None:
    """The list of this name in a record; None where there is none."""
    found = record.get(name) if isinstance(record, dict) else None
    return found if isinstance(found, list) else None


def _text(record: Any, name: str) -> str:
    """The text of this name in a record; the whole record where there is none."""
    found = record.get(name) if isinstance(record, dict) else None
    return found if isinstance(found, str) else json.dumps(record, ensure_ascii=False)


def _id(fact: Any) -> str:
    return str(fact.get("id")) if isinstance(fact, dict) else WHOLE


PLACES: Final[tuple[Place, ...]] = (
    Place(
        "pending-extraction",
        "messages that could not be extracted before a process ended, in clear; the next session extracts them",
        partial(_find_queued, QUEUE),
        instead="The host appends without a lock, so nothing is cut out. Start a session with the guard installed; "
        "it extracts them through the guard and empties the queue.",
    ),
    Place(
        "pending-left-over",
        "what a crash left of rewriting that queue; nothing reads it again",
        partial(_find_queued, LEFT_OVER),
        instead="Delete the file once no process of the host is running.",
    ),
    Place(
        "exports",
        "exports of the whole vault in clear, one file each; nothing reads them again",
        _find_exported,
        _erase_exported,
    ),
    Place(
        "import-errors",
        "messages about failed imports, which quote titles of conversations",
        _find_import_errors,
        instead="Delete the state file of an import that has ended; `imported-conversations-*.json` stays.",
    ),
    Place(
        "import-downloads",
        "downloaded archives of other services, `totalreclaw-import-*` in the system's directory for temporary files",
        _find_nothing,
        instead="Delete them when no import is to be resumed.",
        out_of_reach=True,
    ),
    Place(
        "logs",
        "the host's log lines quote beginnings of facts; where they go is the agent's own setting",
        _find_nothing,
        instead="Rotate the agent's logs, and keep the logger `totalreclaw` at ERROR.",
        out_of_reach=True,
    ),
    Place(
        "chain",
        "every version of every fact, enciphered, on a public chain and in its index; a delete only marks it inactive",
        _find_nothing,
        instead="It cannot be deleted: whoever has the recovery phrase can read it for as long as the chain exists.",
        out_of_reach=True,
    ),
)
