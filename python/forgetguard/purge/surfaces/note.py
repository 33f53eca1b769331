"""One note of a folder: its marked memories, what of it goes, what is left, and what its owner wrote by hand."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import accumulate

from forgetguard.purge.needles import decode
from forgetguard.purge.surfaces import file_tools as files
from forgetguard.purge.surfaces.protocol import Artefact, Finding, Standing, Targets, Work

_COMMENT = re.compile(rb"<!--.*?-->")


@dataclass(frozen=True)
class Note:
    """A file as it was read, seen with a purge in mind. Nothing of it shows in its `repr`."""

    file: files.FoundFile
    original: bytes = field(repr=False)
    marker: re.Pattern[bytes] = field(repr=False)
    targets: Targets = field(repr=False)
    generated: bool = False

    @property
    def prehash(self) -> bytes:
        """What tells whether the file is still this one."""
        return files.digest(self.original)

    @cached_property
    def damaged(self) -> bool:
        """UTF-16 that cannot be written back as it was: its text is looked for, and nothing in it is touched."""
        return files.as_utf8(self.original) is None

    @cached_property
    def content(self) -> bytes:
        """What stands in the file, as UTF-8."""
        return files.as_utf8(self.original) or b""

    @cached_property
    def _starts(self) -> list[int]:
        """Where each line begins, and the end."""
        mark = files.line_end(self.content)
        return list(accumulate((len(line) + 1 for line in self.content.split(mark)), initial=0))

    def _line(self, number: int) -> bytes:
        return self.content[self._starts[number] : self._starts[number + 1]]

    def keys(self) -> Iterator[str]:
        """The keys of all marked memories."""
        return (match.group(1).decode("utf-8", "replace") for match in self.marker.finditer(self.content))

    @cached_property
    def _blocks(self) -> list[tuple[str, int, int]]:
        """The selected memories."""
        return list(files.marked(self.content, self.marker, self.targets.entry_keys))

    def _text(self, start: int, end: int) -> str:
        return decode(_COMMENT.sub(b"", self.content[start:end].removeprefix(files.BOM)))

    @cached_property
    def _holding(self) -> set[int]:
        """The numbers of the lines that hold a needle; none when only selected memories do, which is quick to tell."""
        needles = self.targets.needles
        if not needles or not needles.holds(self._rest()):
            return set()
        lines = [self._line(number) for number in range(len(self._starts) - 1)]
        return files.lines_holding(lines, needles)

    def _rest(self) -> str:
        """The text without the selected memories."""
        spans = [block[1:] for block in self._blocks]
        return decode(files.without(self.content, spans) if spans else self.content)

    def _in_blocks(self, blocks: Iterable[tuple[str, int, int]]) -> set[int]:
        """The numbers of the lines of these memories."""
        return {
            number
            for _, start, end in blocks
            for number in range(bisect_right(self._starts, start) - 1, bisect_left(self._starts, end))
        }

    @cached_property
    def _unmarked(self) -> set[int]:
        """The lines that hold a needle and belong to no marked memory."""
        held = self._holding
        return held - self._in_blocks(files.marked(self.content, self.marker)) if held else held

    def selected(self) -> list[files.Span]:
        """The bytes that go: selected memories, and in generated files the lines that hold a needle."""
        by_text = self._unmarked if self.generated else ()
        lines = [(self._starts[number], self._starts[number + 1]) for number in by_text]
        return [(start, end) for _, start, end in self._blocks] + lines

    def found(self) -> Iterator[Artefact | Finding]:
        """The memories and lines that go, and what is kept although it holds a needle."""
        if self.damaged:
            yield Finding(Standing.CANNOT_PROVE, self.file.place, "damaged-utf-16", retry=True)
        for key, start, end in self._blocks:
            yield Artefact("entries", self.file.place, key, self._text(start, end))
        for number in sorted(self._unmarked) if self.generated else ():
            yield Artefact("lines", self.file.place, self._line(number).hex())
        if self.selected():
            yield from files.linked_elsewhere([self.file])
        if self._unmarked and not self.generated:
            yield Finding(Standing.RETAINED, self.file.place, "hand-written", len(self._unmarked))

    def erase(self, work: Work) -> bool:
        """Replace the file by one without what goes; whether there was anything. Raises OSError, Refused."""
        gone = self.selected()
        if gone:
            work.saw(item for item in self.found() if isinstance(item, Artefact))
            work.touching(self.file.place, self.prehash)
            rest = files.as_it_was(files.without(self.content, gone), self.original)
            files.replace(self.file.path, rest, self.prehash)
        return bool(gone)

    def left(self) -> Iterator[Finding]:
        """What a purge left here: keys, text where no person wrote it, and text that was kept as hand-written."""
        left_keys = sum(key in self.targets.entry_keys for key in self.keys())
        if left_keys:
            yield Finding(Standing.RESIDUE, self.file.place, "key", left_keys)
        if self.damaged:
            held_here = self.targets.needles.holds(decode(self.original))
            standing, code = (Standing.RESIDUE, "text") if held_here else (Standing.CANNOT_PROVE, "damaged-utf-16")
            yield Finding(standing, self.file.place, code)
            return
        held = self._holding
        by_hand = set() if self.generated else self._unmarked
        if by_hand:
            yield Finding(Standing.RETAINED, self.file.place, "hand-written", len(by_hand))
        if held - by_hand:
            yield Finding(Standing.RESIDUE, self.file.place, "text", len(held - by_hand))

    def holding(self) -> Iterator[tuple[str, str]]:
        """(key, text) of the marked memories that are not selected and hold a needle."""
        held = self._holding
        for block in files.marked(self.content, self.marker) if held else ():
            key, start, end = block
            if key not in self.targets.entry_keys and held & self._in_blocks([block]):
                yield key, self._text(start, end)


def read_notes(
    found: Iterable[files.FoundFile], marker: str, generated: Sequence[str], targets: Targets
) -> Iterator[Note]:
    """The notes as they stand now, without those that went meanwhile. Raises OSError."""
    pattern = re.compile(marker.encode())
    for file in found:
        written = any(fnmatchcase(file.place, glob) for glob in generated)
        try:
            content = file.path.read_bytes()
        except FileNotFoundError:
            continue
        yield Note(file, content, pattern, targets, written)
