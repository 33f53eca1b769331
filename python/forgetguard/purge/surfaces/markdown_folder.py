"""A folder of Markdown notes in which every memory stands behind a marker: an example of a surface."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from forgetguard.purge.surfaces import file_tools as files
from forgetguard.purge.surfaces.around import scan_around
from forgetguard.purge.surfaces.note import Note, read_note
from forgetguard.purge.surfaces.protocol import Artefact, Declaration, Erased, Finding, Surface, Targets, Work

MARKER = r"<!--\s*forgetguard:(\S+?)\s*-->"


@dataclass(frozen=True)
class MarkdownFolder(Surface):
    """Notes under `root`: memories behind `marker` (its group is the entry key) go by key, with their indented lines.

    In files that match `generated` (globs) lines that hold a needle go too; elsewhere they are kept as hand-written.
    """

    name: str
    root: Path
    marker: str = MARKER
    generated: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = (".md", ".markdown", ".txt")

    def declares(self) -> Declaration:
        covers = ("marked", *(f"generated:{glob}" for glob in self.generated))
        return Declaration("markdown", covers, ("hand-written",), ("disk-blocks",), ("replace",), by_text=True)

    def _notes(self, targets: Targets) -> Iterator[Note]:
        pattern = re.compile(self.marker.encode())
        for file in files.walk(self.root, self.suffixes)[0]:
            yield read_note(file, pattern, self.generated, targets)

    def find(self, targets: Targets) -> Iterator[Artefact | Finding]:
        yield from files.walk(self.root, self.suffixes)[1]
        for note in self._notes(targets):
            yield from note.found()

    def erase(self, targets: Targets, work: Work) -> Erased:
        changed: list[Path] = []
        findings: list[Finding] = []
        spans = 0
        with files.folder_lock(self.root):
            files.sweep(self.root)
            for note in self._notes(targets):
                gone = note.selected()
                if gone:
                    work.saw(item for item in note.found() if isinstance(item, Artefact))
                    work.touching(note.file.place, note.prehash)
                    files.replace(note.file.path, files.without(note.content, gone), note.prehash)
                    changed.append(note.file.path)
                    spans += len(gone)
                    findings += note.linked_elsewhere()
            files.settle(changed)
        return Erased({"files": len(changed), "passages": spans}, tuple(findings))

    def residue(self, targets: Targets) -> Iterator[Finding]:
        for note in self._notes(targets):
            yield from note.left()
        yield from scan_around(self.root, self.suffixes, targets.needles)

    def keys(self) -> Iterator[str]:
        for note in self._notes(Targets()):
            yield from note.keys()

    def holding(self, targets: Targets) -> Iterator[tuple[str, str]]:
        for note in self._notes(targets):
            yield from note.holding()
