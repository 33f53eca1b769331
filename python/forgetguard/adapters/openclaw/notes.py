"""Memory files of a workspace: MEMORY.md, USER.md, daily notes, dreaming reports, DREAMS.md, hook notes.

`theirs` are the files that the host's own forget scans, with the rules that it has; what goes beyond either of them is
counted apart, so that the host's counts stay comparable.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from forgetguard.adapters.openclaw.blocks import blocks, note_sections
from forgetguard.adapters.openclaw.corpus import FOLDER as CORPUS
from forgetguard.adapters.openclaw.corpus import Corpus, needle_text, put, sharing, stamp
from forgetguard.adapters.openclaw.keys import claim_of
from forgetguard.adapters.openclaw.layout import Agent
from forgetguard.adapters.openclaw.scrub import Scrubbed, Wanted, is_old_history, scrub, split
from forgetguard.purge.needles import decode
from forgetguard.purge.rawscan import Finder
from forgetguard.purge.surfaces import file_tools as files
from forgetguard.purge.surfaces.protocol import Artefact, Declaration, Erased, Finding, Standing, Surface, Targets, Work
from forgetguard.purge.surfaces.sqlite_scan import run_child

SUFFIXES = (".md", ".markdown", ".txt")
ROOT_FILES = ("memory.md", "user.md", "dreams.md")
_THEIR_ROOT = ("MEMORY.md", "USER.md", "DREAMS.md", "dreams.md")
_THEIR_KINDS = ("memoryEntries", "memoryLines")
_ELSEWHERE = {"memoryEntries": "otherEntries", "memoryLines": "otherLines"}


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """`path` is what is read and replaced, `place` its name from the workspace, `theirs` whether the host scans it."""

    path: Path
    place: str
    theirs: bool
    linked: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """Of one file: (key, text) of marked entries, and (session, text) of hook notes."""

    entries: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    notes: tuple[tuple[str, str], ...] = field(default=(), repr=False)


def _facts(content: bytes) -> Facts:
    if b"openclaw-memory-promotion:" not in content and b"Session ID" not in content:
        return Facts()
    lines = split(content)

    def text(first: int, last: int) -> str:
        return decode(b"".join(lines[first:last]))

    return Facts(
        tuple((key, text(one.first, one.last)) for one in blocks(lines) for key in one.keys),
        tuple((session, text(first, last)) for first, last, session in note_sections(lines)),
    )


class Workspace:
    """The memory files, read once for as long as they stay the same. `held`: the memories that a legal hold keeps."""

    def __init__(self, agent: Agent, corpus: Corpus, held: Callable[[], frozenset[str]] = frozenset) -> None:
        self.agent = agent
        self.corpus = corpus
        self.held = held
        self.root = agent.workspace
        self._content: dict[Path, tuple[object, bytes]] = {}
        self._scrubbed: dict[tuple[Path, object, object], Scrubbed] = {}
        self._wanted: tuple[object, Wanted] | None = None
        self._snippets: tuple[Mapping[bytes, bool], Finder] | None = None
        self._facts: dict[Path, tuple[object, Facts]] = {}

    def walk(self) -> tuple[tuple[MemoryFile, ...], tuple[Finding, ...]]:
        """The files, by place, and what is in the way."""
        if not self.root.is_dir():
            return (), ()
        base = self.root.resolve()
        found: dict[Path, MemoryFile] = {}
        findings: list[Finding] = []
        for name in sorted(os.listdir(base)):
            if name.lower() in ROOT_FILES:
                self._root_file(base, name, found, findings)
        for folder in ("memory", "users", *self._extra(base)):
            self._folder(base, folder, found, findings)
        return tuple(sorted(found.values(), key=lambda one: one.place)), tuple(dict.fromkeys(findings))

    def _extra(self, base: Path) -> Iterator[str]:
        for path in self.agent.extra_paths:
            resolved = path.resolve()
            if resolved.is_relative_to(base) and resolved != base and resolved.exists():
                yield resolved.relative_to(base).as_posix()

    def _root_file(self, base: Path, name: str, found: dict[Path, MemoryFile], findings: list[Finding]) -> None:
        path = base / name
        target = path.resolve()
        if not target.is_relative_to(base):
            findings.append(Finding(Standing.REFUSED, name, "symlink-outside"))
        elif target.is_file():
            held = target.stat()
            found[target] = MemoryFile(target, name, name in _THEIR_ROOT, held.st_nlink > 1)

    def _folder(self, base: Path, folder: str, found: dict[Path, MemoryFile], findings: list[Finding]) -> None:
        top = base / folder
        if not top.exists():
            return
        if not top.resolve().is_relative_to(base):
            findings.append(Finding(Standing.REFUSED, folder, "symlink-outside"))
            return
        if top.is_file():
            found.setdefault(top, MemoryFile(top, folder, False))
            return
        listed, more = files.walk(top, SUFFIXES)
        findings += [Finding(one.standing, f"{folder}/{one.place}", one.code, one.count) for one in more]
        for one in listed:
            place = f"{folder}/{one.place}"
            if place.startswith(f"{CORPUS}/") or (folder == "users" and one.path.name.lower() != "user.md"):
                continue
            theirs = folder == "memory" and one.path.name.endswith(".md")
            found.setdefault(one.path, MemoryFile(one.path, place, theirs, one.linked))

    def content(self, file: MemoryFile) -> bytes:
        """What stands in the file."""
        now = stamp(file.path)
        known = self._content.get(file.path)
        if known is None or known[0] != now:
            known = self._content[file.path] = (now, file.path.read_bytes())
        return known[1]

    def wanted(self, targets: Targets) -> Wanted:
        """What to look for, with what the corpus says now."""
        said = self.corpus.said(targets.sessions)
        held = self.held()
        name = (targets.sessions, targets.entry_keys, id(targets.needles), id(said), held)
        if self._wanted is None or self._wanted[0] != name:
            if self._snippets is None or self._snippets[0] is not said:
                self._snippets = (said, Finder(tuple(said)))
            finder = self._snippets[1]
            made = Wanted(self.agent.name, targets.sessions, targets.entry_keys, said, targets.needles, finder, held)
            self._wanted = (name, made)
            self._scrubbed.clear()
        return self._wanted[1]

    def scrubbed(self, file: MemoryFile, wanted: Wanted) -> Scrubbed:
        """What goes from the file."""
        key = (file.path, stamp(file.path), id(wanted))
        if key not in self._scrubbed:
            self._scrubbed[key] = scrub(self.content(file), file.place, wanted)
        return self._scrubbed[key]

    def changes(self, targets: Targets) -> Mapping[str, bool]:
        """The places of the files that a purge would change, and whether the host's own forget would."""
        wanted = self.wanted(targets)
        made: dict[str, bool] = {}
        for file in self.walk()[0]:
            found = self.scrubbed(file, wanted)
            if found.cuts:
                made[file.place] = file.theirs and any(cut.kind in _THEIR_KINDS for cut in found.cuts)
        return made

    def keeps(self, targets: Targets) -> frozenset[str]:
        """The places of the files that keep such text, because a person wrote it."""
        wanted = self.wanted(targets)
        return frozenset(file.place for file in self.walk()[0] if self.scrubbed(file, wanted).kept)

    def facts(self, file: MemoryFile) -> Facts:
        """What the markers and headers of the file say."""
        now = stamp(file.path)
        known = self._facts.get(file.path)
        if known is None or known[0] != now:
            known = self._facts[file.path] = (now, _facts(self.content(file)))
        return known[1]

    def sweep(self) -> None:
        """Remove what a killed purge left half-written; never through a link out of the workspace."""
        base = self.root.resolve()
        for folder in (base / "memory", base / "users", *(base / place for place in self._extra(base))):
            if folder.is_dir() and folder.resolve().is_relative_to(base):
                files.sweep(folder)
        for path in base.iterdir() if base.is_dir() else ():
            if path.name.endswith(files.LEFTOVER) and stat.S_ISREG(path.lstat().st_mode):
                path.unlink()

    def refusals(self) -> tuple[str, ...]:
        """What the host says of files whose old history nobody can trace."""
        return tuple(
            f"Cannot trace historical consolidation highlights in {file.place}; review them manually."
            for file in self.walk()[0]
            if file.theirs and is_old_history(self.content(file))
        )


@dataclass(frozen=True)
class NotesSurface(Surface):
    """`curated`: place of a note to the sessions on record as its writers; such a note is kept and reported."""

    workspace: Workspace
    curated: Mapping[str, frozenset[str]] = field(default_factory=dict)
    name: str = "notes"

    def declares(self) -> Declaration:
        covers = ("files:MEMORY.md", "files:USER.md", "files:DREAMS.md", "files:memory/**", "files:users/*/USER.md")
        not_covered = ("disk-blocks", *(("extra-paths-outside",) if self._outside() else ()))
        return Declaration(
            "openclaw.notes", covers, ("hand-written", "curated-write"), not_covered, ("replace",), by_text=True
        )

    def _outside(self) -> bool:
        base = self.workspace.root.resolve()
        return any(not path.resolve().is_relative_to(base) for path in self.workspace.agent.extra_paths)

    def find(self, targets: Targets) -> Iterator[Artefact | Finding]:
        found, findings = self.workspace.walk()
        yield from findings
        wanted = self.workspace.wanted(targets)
        for file in found:
            made = self.workspace.scrubbed(file, wanted)
            yield from self._artefacts(file, made)
            yield from self._kept(file, made, targets)
            if made.cuts and file.linked:
                yield Finding(Standing.CANNOT_PROVE, file.place, "hard-link-elsewhere")

    def _artefacts(self, file: MemoryFile, made: Scrubbed) -> Iterator[Artefact]:
        if not made.cuts:
            return
        theirs = file.theirs and any(cut.kind in _THEIR_KINDS for cut in made.cuts)
        yield Artefact("memoryFiles" if theirs else "otherFiles", file.place, file.place)
        for cut, text in made.texts():
            kind = cut.kind if file.theirs else _ELSEWHERE.get(cut.kind, cut.kind)
            name = cut.key or hashlib.sha256(b"".join(made.lines[cut.first : cut.last])).hexdigest()
            said = "\n".join(line for line in text.splitlines() if needle_text(line))
            yield Artefact(kind, file.place, name, said or None)

    def _kept(self, file: MemoryFile, made: Scrubbed, targets: Targets) -> Iterator[Finding]:
        by_session = bool(self.curated.get(file.place, frozenset()) & targets.sessions)
        for code, count in sorted(made.kept.items()):
            yield Finding(Standing.RETAINED, file.place, "curated-write" if by_session else code, count)

    def erase(self, targets: Targets, work: Work) -> Erased:
        changed: list[Path] = []
        findings: list[Finding] = []
        passages = 0
        if work.resumed:
            self.workspace.sweep()
        wanted = self.workspace.wanted(targets)
        for file in self.workspace.walk()[0]:
            made = self.workspace.scrubbed(file, wanted)
            if not made.cuts:
                continue
            prehash = files.digest(self.workspace.content(file))
            work.saw(self._artefacts(file, made))
            work.touching(file.place, prehash)
            left = made.content()
            if any(cut.kind == "hookNotes" for cut in made.cuts) and not left.strip():
                put(file.path, left, prehash)
            else:
                files.replace(file.path, left, prehash)
            changed.append(file.path)
            passages += len(made.cuts)
            if file.linked:
                findings.append(Finding(Standing.CANNOT_PROVE, file.place, "hard-link-elsewhere"))
        files.settle(changed)
        return Erased({"files": len(changed), "passages": passages}, tuple(findings))

    def residue(self, targets: Targets) -> Iterator[Finding]:
        found, findings = self.workspace.walk()
        yield from (one for one in findings if one.standing is Standing.CANNOT_PROVE)
        wanted = self.workspace.wanted(targets)
        for file in found:
            content = self.workspace.content(file)
            if content.startswith(files.WIDE_BOMS):
                if targets.needles.holds(decode(content)):
                    yield Finding(Standing.RESIDUE, file.place, "wide-text")
                continue
            made = self.workspace.scrubbed(file, wanted)
            if made.cuts:
                yield Finding(Standing.RESIDUE, file.place, "text", len(made.cuts))
            yield from self._kept(file, made, targets)
        yield from self._outside_of(findings, targets)

    def _outside_of(self, findings: tuple[Finding, ...], targets: Targets) -> Iterator[Finding]:
        """What links that lead out of the workspace lead to is looked at, and never written."""
        base = self.workspace.root.resolve()
        places: dict[Path, str] = {}
        for one in findings:
            if one.code == "symlink-outside":
                target = (base / one.place).resolve()
                places |= dict.fromkeys(_below(target), one.place)
        answers = (
            list(run_child(list(places), targets.needles.raw_patterns, skip_databases=True)) if targets.needles else []
        )
        for place in dict.fromkeys(places.values()):
            told = [answer for answer in answers if places[Path(str(answer["path"]))] == place]
            if any(answer["hits"] for answer in told):
                yield Finding(Standing.RESIDUE, place, "symlink-outside")
            elif any(answer.get("error") for answer in told):
                yield Finding(Standing.CANNOT_PROVE, place, "unreadable")

    def keys(self) -> Iterator[str]:
        for file in self.workspace.walk()[0]:
            if file.theirs:
                yield from sorted({key for key, _ in self.workspace.facts(file).entries})

    def holding(self, targets: Targets) -> Iterator[tuple[str, str]]:
        for file in self.workspace.walk()[0]:
            facts = self.workspace.facts(file)
            for key, text in facts.entries:
                if key not in targets.entry_keys and targets.needles.holds(text):
                    yield key, claim_of(text)
            for session, text in facts.notes:
                if session not in targets.sessions:
                    yield from sharing(file.place, targets.needles, targets.needles.hits(text))


def _below(target: Path) -> Iterator[Path]:
    """The file that a link leads to, or the notes in the folder that it leads to."""
    if target.is_file():
        yield target
    elif target.is_dir():
        yield from (one.path for one in files.walk(target, (*SUFFIXES, ".tmp"))[0])
