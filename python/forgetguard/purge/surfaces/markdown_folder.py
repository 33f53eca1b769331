"""A folder of Markdown notes in which every memory stands behind a marker: an example of a surface."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from forgetguard.purge.surfaces import file_tools as files
from forgetguard.purge.surfaces.around import scan_around
from forgetguard.purge.surfaces.note import Note, read_notes
from forgetguard.purge.surfaces.protocol import Artefact, Declaration, Erased, Finding, Standing, Surface, Targets, Work


@dataclass(frozen=True)
class MarkdownFolder(Surface):
    """Notes under `root`: memories behind `marker` (its group is the entry key) go by key, with their indented lines.

    In files that match `generated` (globs) lines that hold a needle go too; elsewhere they are kept as hand-written.
    """

    name: str
    root: Path
    marker: str = r"<!--\s*forgetguard:(\S{1,1024}?)\s*-->"
    generated: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = (".md", ".markdown", ".txt")

    def declares(self) -> Declaration:
        covers = ("marked", *(f"generated:{glob}" for glob in self.generated))
        return Declaration("markdown", covers, ("hand-written",), ("disk-blocks",), ("replace",), by_text=True)

    def _notes(self, targets: Targets) -> Iterator[Note]:
        return read_notes(files.walk(self.root, self.suffixes)[0], self.marker, self.generated, targets)

    def find(self, targets: Targets) -> Iterator[Artefact | Finding]:
        yield from files.in_the_way(self.root, self.suffixes)
        for note in self._notes(targets):
            yield from note.found()

    def erase(self, targets: Targets, work: Work) -> Erased:
        with files.folder_lock(self.root):
            files.sweep(self.root)
            done = [(note.file, len(note.selected())) for note in self._notes(targets) if note.erase(work)]
            files.settle(file.path for file, _ in done)
        counts = {"files": len(done), "passages": sum(passages for _, passages in done)}
        return Erased(counts, tuple(files.linked_elsewhere(file for file, _ in done)))

    def residue(self, targets: Targets) -> Iterator[Finding]:
        yield from (one for one in files.in_the_way(self.root, self.suffixes) if one.standing is Standing.CANNOT_PROVE)
        yield from (finding for note in self._notes(targets) for finding in note.left())
        yield from scan_around(self.root, self.suffixes, targets.needles)

    def holding(self, targets: Targets) -> Iterator[tuple[str, str]]:
        return (found for note in self._notes(targets) for found in note.holding())

    def keys(self) -> Iterator[str]:
        return (key for note in self._notes(Targets()) for key in note.keys())  # noqa: SIM118 - a note is no dict
