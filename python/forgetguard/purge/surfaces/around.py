"""What lies around the notes of a folder: files of other kinds, leftovers, links that lead outside."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from forgetguard.purge.needles import Needles
from forgetguard.purge.surfaces.file_tools import walk
from forgetguard.purge.surfaces.protocol import Finding, Standing
from forgetguard.purge.surfaces.sqlite_scan import run_child


def scan_around(root: Path, suffixes: Sequence[str], needles: Needles) -> Iterator[Finding]:
    """A finding a file that is no note and holds a needle in its raw bytes, and for what a link outside leads to.

    The bytes are read by the child process: one of the files may be a database that this process has open. Databases
    themselves are left to a surface of their own.
    """
    if not needles:
        return
    base = root.resolve()
    others = {str(path): path.relative_to(base).as_posix() for path in _others(base, suffixes)}
    outside = {
        str((base / one.place).resolve()): one.place for one in walk(root, suffixes)[1] if _leads_to_file(base, one)
    }
    for answer in run_child([Path(path) for path in (*others, *outside)], needles.raw_patterns, skip_databases=True):
        path = str(answer["path"])
        place = others.get(path) or outside[path]
        code = "bytes" if path in others else "symlink-outside"
        if answer.get("error"):
            yield Finding(Standing.CANNOT_PROVE, place, "unreadable")
        elif answer["hits"]:
            yield Finding(Standing.RESIDUE, place, code)


def _leads_to_file(base: Path, finding: Finding) -> bool:
    return finding.code == "symlink-outside" and (base / finding.place).is_file()


def _others(base: Path, suffixes: Sequence[str]) -> Iterator[Path]:
    for folder, _, names in os.walk(base):
        for name in sorted(names):
            path = Path(folder, name)
            with suppress(FileNotFoundError):  # the host removed it meanwhile
                if not name.lower().endswith(tuple(suffixes)) and stat.S_ISREG(path.lstat().st_mode):
                    yield path
