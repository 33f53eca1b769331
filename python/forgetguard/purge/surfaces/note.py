"""One note of a folder: its marked memories, what of it goes, what is left, and what its owner wrote by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property

from forgetguard.purge.needles import Needles, decode, fold
from forgetguard.purge.surfaces import file_tools as files
from forgetguard.purge.surfaces.protocol import Artefact, Finding, Standing, Targets

_COMMENT = re.compile(rb"<!--.*?-->")


@dataclass(frozen=True)
class Note:
    """A file as it was read. Nothing of it shows in its `repr`."""

    file: files.FoundFile
    content: bytes = field(repr=False)
    marker: re.Pattern[bytes] = field(repr=False)
    generated: bool = False

    @cached_property
    def lines(self) -> list[bytes]:
        """The lines with their ends; none for UTF-16, which is not cut into byte lines."""
        return [] if self.content.startswith(files.WIDE_BOMS) else self.content.splitlines(keepends=True)

    @property
    def prehash(self) -> bytes:
        """What tells whether the file is still this one."""
        return files.digest(self.content)

    def marked(self) -> list[tuple[str, int, int]]:
        """(key, first line, line after the last) of every marked memory."""
        return list(files.marked(self.lines, self.marker)) if self.marker.search(self.content) else []

    def _blocks(self, targets: Targets) -> list[tuple[str, int, int]]:
        return [block for block in self.marked() if block[0] in targets.entry_keys]

    def _text(self, start: int, end: int) -> str:
        return decode(_COMMENT.sub(b"", b"".join(self.lines[start:end]).removeprefix(files.BOM)))

    def _holding(self, needles: Needles) -> set[int]:
        if not needles or not needles.hits_folded(fold(decode(self.content))):
            return set()
        return files.lines_holding(self.lines, needles)

    def _by_text(self, targets: Targets) -> set[int]:
        """The lines that go because of their text: only in generated files, and not those of another memory."""
        if not self.generated:
            return set()
        return self._holding(targets.needles) - _lines(self.marked())

    def selected(self, targets: Targets) -> set[int]:
        """The numbers of all lines that go."""
        return _lines(self._blocks(targets)) | self._by_text(targets)

    def found(self, targets: Targets) -> Iterator[Artefact | Finding]:
        """The memories and lines that go, and what is kept although it holds a needle."""
        blocks = self._blocks(targets)
        for key, start, end in blocks:
            yield Artefact("entries", self.file.place, key, self._text(start, end))
        by_text = self._by_text(targets) - _lines(blocks)
        for number in sorted(by_text):
            yield Artefact("lines", self.file.place, self.lines[number].hex())
        if (blocks or by_text) and self.file.linked:
            yield from self.linked_elsewhere()
        kept = self._by_hand(targets) - _lines(blocks)
        if kept:
            yield Finding(Standing.RETAINED, self.file.place, "hand-written", len(kept))

    def _by_hand(self, targets: Targets) -> set[int]:
        return set() if self.generated else self._holding(targets.needles) - _lines(self.marked())

    def linked_elsewhere(self) -> list[Finding]:
        """The finding for a file that has another name outside the workspace, which keeps the old content."""
        return [Finding(Standing.CANNOT_PROVE, self.file.place, "hard-link-elsewhere")] if self.file.linked else []

    def left(self, targets: Targets) -> Iterator[Finding]:
        """What a purge left here: keys, text where no person wrote it, and text that was kept as hand-written."""
        blocks = self._blocks(targets)
        if blocks:
            yield Finding(Standing.RESIDUE, self.file.place, "key", len(blocks))
        if self.content.startswith(files.WIDE_BOMS):
            if targets.needles.holds(decode(self.content)):
                yield Finding(Standing.RESIDUE, self.file.place, "text")
            return
        by_hand = self._by_hand(targets)
        if by_hand:
            yield Finding(Standing.RETAINED, self.file.place, "hand-written", len(by_hand))
        machine = self._holding(targets.needles) - by_hand
        if machine:
            yield Finding(Standing.RESIDUE, self.file.place, "text", len(machine))

    def holding(self, targets: Targets) -> Iterator[tuple[str, str]]:
        """(key, text) of the marked memories that are not selected and hold a needle."""
        held = self._holding(targets.needles)
        for key, start, end in self.marked() if held else ():
            if key not in targets.entry_keys and held & set(range(start, end)):
                yield key, self._text(start, end)


def _lines(blocks: Sequence[tuple[str, int, int]]) -> set[int]:
    return {number for _, start, end in blocks for number in range(start, end)}


def read_note(file: files.FoundFile, marker: re.Pattern[bytes], generated: Sequence[str]) -> Note:
    """The note as it stands now. Raises OSError."""
    return Note(file, file.path.read_bytes(), marker, any(fnmatchcase(file.place, glob) for glob in generated))
