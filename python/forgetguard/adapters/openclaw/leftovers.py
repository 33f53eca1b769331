"""Copies that the host left behind: temporary files of its writers, half-built indexes, decompressed archives.

A temporary file goes when a needle or a selected key stands in it; a decompressed archive when its session is selected.
Bytes are read by the child process: one of the files may be a database.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from forgetguard.adapters.openclaw.layout import Agent
from forgetguard.adapters.openclaw.stored import mapping_of
from forgetguard.purge.rawscan import raw_form
from forgetguard.purge.surfaces.protocol import Artefact, Declaration, Erased, Finding, Standing, Surface, Targets, Work
from forgetguard.purge.surfaces.sqlite_scan import run_child

_TEMPORARY = re.compile(r"\.(?:promotion|forget)\.(?:.*\.)?tmp$|\.(?:md|txt)\..*tmp$", re.IGNORECASE)
_READ_CACHE = "session-archive-read-cache"
_FIRST_LINE_BYTES = 65536


@dataclass(frozen=True)
class Leftovers(Surface):
    """What lies around of one agent."""

    agent: Agent
    name: str = "leftovers"

    def declares(self) -> Declaration:
        covers = ("files:*.promotion.*.tmp", "files:*.forget.*.tmp", "files:<database>.tmp-*", f"files:{_READ_CACHE}")
        return Declaration("openclaw.leftovers", covers, (), ("disk-blocks",), ("unlink",), by_text=True)

    def _files(self, targets: Targets) -> Iterator[tuple[str, Path]]:
        for path in self._cached(targets):
            yield "readCaches", path
        candidates = list(self._temporary())
        if not candidates or not targets.sessions:
            return
        named = sorted(targets.sessions | targets.entry_keys)
        patterns = [*targets.needles.raw_patterns, *(raw_form(one.encode()) for one in named)]
        for answer in run_child(candidates, patterns):
            if answer["hits"] or answer.get("error"):
                yield "temporaryFiles", Path(str(answer["path"]))

    def _temporary(self) -> Iterator[Path]:
        base = self.agent.workspace.resolve()
        for folder in (base, base / "memory", base / "users"):
            if not folder.resolve().is_relative_to(base):
                continue  # nothing is removed through a link out of the workspace
            walked: Sequence[tuple[str, list[str], list[str]]] = (
                [(str(folder), [], os.listdir(folder))] if folder == base and base.is_dir() else list(os.walk(folder))
            )
            for where, _, names in walked:
                for name in sorted(names):
                    if _TEMPORARY.search(name) and _is_regular(Path(where, name)):
                        yield Path(where, name)
        database = self.agent.database
        for path in sorted(database.parent.glob(f"{database.name}.tmp-*")):
            if _is_regular(path):
                yield path

    def _cached(self, targets: Targets) -> Iterator[Path]:
        for folder in self.agent.state.temporary:
            for path in sorted((folder / _READ_CACHE).glob("*")):
                if _is_regular(path) and _session_in(path) in targets.sessions:
                    yield path

    def _place(self, path: Path) -> str:
        for base in (self.agent.workspace.resolve(), self.agent.database.parent, *self.agent.state.temporary):
            if path.is_relative_to(base):
                return path.relative_to(base).as_posix()
        return path.name

    def find(self, targets: Targets) -> Iterator[Artefact | Finding]:
        for kind, path in self._files(targets):
            yield Artefact(kind, self._place(path), path.name)

    def erase(self, targets: Targets, work: Work) -> Erased:
        found = list(self._files(targets))
        work.saw(Artefact(kind, self._place(path), path.name) for kind, path in found)
        for _, path in found:
            path.unlink(missing_ok=True)
        return Erased({"files": len(found)})

    def residue(self, targets: Targets) -> Iterator[Finding]:
        for _, path in self._files(targets):
            yield Finding(Standing.RESIDUE, self._place(path), "bytes")


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _session_in(path: Path) -> str | None:
    try:
        with path.open("rb") as stream:
            first = mapping_of(stream.readline(_FIRST_LINE_BYTES))
    except OSError:
        return None
    return str(first.get("id")) if first is not None and first.get("type") == "session" else None
