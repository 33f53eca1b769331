"""What of a memory file goes, and what is kept although it says the same. Bytes in, lines out; nothing is written.

The host's own rules come first, then what they miss. A line is *machine-written* when the host's markers say so:
reports below `memory/dreaming/`, blocks between `openclaw:dreaming:…:start` and `:end`, entries below a promotion
marker, the consolidation history, hook notes. Everything else a person wrote.

    entries      below a marker with a selected key: marker, lineage line, text, its indented lines
    lines        hold a selected corpus snippet as it stands; by hand only if no session that stays said it too
    references   a heading or `Session ID:` that names a selected session, with what stands below it
    candidates   machine-written, whose claim and evidence make a selected key
    citations    list items that cite a selected session
    quotes       machine-written, hold a needle in any form; with the item and the marker that they belong to
    hook notes   whose header names a selected session
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from forgetguard.adapters.openclaw.blocks import (
    Block,
    blocks,
    indent,
    is_blank,
    item_span,
    machine_lines,
    note_sections,
)
from forgetguard.adapters.openclaw.keys import claim_keys, claim_of, session_of_file
from forgetguard.purge.needles import Needles, decode
from forgetguard.purge.rawscan import Finder
from forgetguard.purge.surfaces import file_tools as files

_HEADING = re.compile(rb"^\s*(#{1,6})\s")
_SESSION_ID = re.compile(rb"\bSession ID:\s*([^;\s]+)", re.IGNORECASE)
_EVIDENCE = re.compile(rb"evidence[:=]\s*(\S+?):(\d+)-(\d+)")
_ITEM = re.compile(rb"^\s*[-*+]\s")
_OLD_HISTORY = re.compile(rb"^## Memory Consolidation History\b.*?^  - `\+ ", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Wanted:
    """What a purge looks for in files. `said`: corpus snippets, and whether a session that stays said the same.

    `snippets` finds them by their number in `said`. `held` are keys of memories that a legal hold keeps.
    """

    agent: str
    sessions: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()
    said: Mapping[bytes, bool] = field(default_factory=dict, repr=False)
    needles: Needles = field(default_factory=Needles, repr=False)
    snippets: Finder = field(default_factory=lambda: Finder(()), repr=False)
    held: frozenset[str] = frozenset()

    @cached_property
    def shared(self) -> tuple[bool, ...]:
        return tuple(self.said.values())

    @cached_property
    def reference(self) -> re.Pattern[bytes]:
        agent = re.escape(self.agent.encode())
        return re.compile(rb"(?:^|[\s\[/:])(?:sessions/" + agent + rb"/|" + agent + rb":(?!sessions/))([^\s\]#;:/]+)")

    def names(self, line: bytes) -> bool:
        """Whether the line refers to a selected session."""
        found = [*self.reference.findall(line), *_SESSION_ID.findall(line)]
        return any(session_of_file(decode(one)) in self.sessions for one in found)


@dataclass(frozen=True, slots=True)
class Cut:
    """Lines that go together. `kind` is what the cut is counted as; `key` an entry key where it has one."""

    first: int
    last: int  # the line after
    kind: str
    key: str = field(default="", repr=False)


@dataclass(frozen=True)
class Scrubbed:
    """A file with what goes and what is kept by hand: (code, number of lines)."""

    lines: tuple[bytes, ...] = field(repr=False)
    cuts: tuple[Cut, ...] = ()
    kept: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def gone(self) -> frozenset[int]:
        return frozenset(number for cut in self.cuts for number in range(cut.first, cut.last))

    def content(self) -> bytes:
        """What stays, byte for byte."""
        rest = b"".join(line for number, line in enumerate(self.lines) if number not in self.gone)
        marked = bool(self.lines) and self.lines[0].startswith(files.BOM)
        return files.BOM + rest if marked and not rest.startswith(files.BOM) else rest

    def texts(self) -> Iterator[tuple[Cut, str]]:
        """What each cut said, without what the host wrapped around it."""
        for cut in self.cuts:
            said = [claim_of(decode(line)) for line in self.lines[cut.first : cut.last] if not _is_frame(line)]
            yield cut, "\n".join(text for text in said if text)


_FRAME = re.compile(
    rb"^\s*(?:[-*+]\s+(?:confidence|evidence|recalls|status|\*\*Session (?:Key|ID)\*\*|\*\*Source\*\*):"
    rb"|#{1,6}\s|<!--|\*[^*]+\*\s*$|---\s*$)"
)


def _is_frame(line: bytes) -> bool:
    return is_blank(line) or bool(_FRAME.match(line))


def split(content: bytes) -> tuple[bytes, ...]:
    """The lines with their endings. A carriage return alone ends lines only in files without a line feed."""
    mark = files.line_end(content)
    parts = content.split(mark)
    return tuple(part + mark for part in parts[:-1]) + ((parts[-1],) if parts[-1] else ())


def is_old_history(content: bytes) -> bool:
    """Whether the file has consolidation highlights from before they had markers: nobody can say whose they are."""
    return bool(_OLD_HISTORY.search(content))


def scrub(content: bytes, place: str, wanted: Wanted) -> Scrubbed:
    """What goes from a file and what is kept."""
    lines = split(content)
    if content.startswith(files.WIDE_BOMS) or not (wanted.sessions or wanted.keys or wanted.needles):
        return Scrubbed(lines)
    work = _Work(lines, place, wanted)
    work.run()
    return Scrubbed(lines, tuple(work.cuts), {code: len(found) for code, found in work.kept.items() if found})


class _Work:
    def __init__(self, lines: Sequence[bytes], place: str, wanted: Wanted) -> None:
        self.lines = lines
        self.wanted = wanted
        self.blocks = list(blocks(lines))
        self.owner: dict[int, Block] = {n: one for one in self.blocks for n in range(one.first, one.last)}
        self.sections = list(note_sections(lines))
        self.machine = machine_lines(lines, place, self.blocks, self.sections)
        self.cuts: list[Cut] = []
        self.gone: set[int] = set()
        self.kept: dict[str, set[int]] = {"shared-sentence": set(), "hand-written": set(), "legal-hold": set()}
        self.held = set(self.held_lines()) if wanted.held else set()

    def held_lines(self) -> Iterator[int]:
        """The lines of entries and candidates that a legal hold keeps, whatever else speaks against them."""
        for block in self.blocks:
            if not self.wanted.held.isdisjoint(block.keys):
                yield from range(block.first, block.last)
        for first, last, keys in self.candidate_items():
            if not self.wanted.held.isdisjoint(keys):
                yield from range(first, last)

    def cut(self, first: int, last: int, kind: str, key: str = "") -> None:
        """Take the lines out, but for those that are held."""
        self.kept["legal-hold"] |= self.held.intersection(range(first, last))
        self.gone.update(range(first, last))
        for begin, end in _runs(first, last, self.held):
            self.cuts.append(Cut(begin, end, kind, key))

    def run(self) -> None:
        self.entries()
        self.snippets()
        self.references()
        self.hook_notes()
        self.candidates()
        self.citations()
        self.quotes()

    def entries(self) -> None:
        for block in self.blocks:
            for key in block.keys:
                if key in self.wanted.keys:
                    self.cut(block.first, block.last, "memoryEntries", key)

    def snippets(self) -> None:
        if not self.wanted.said or not self.wanted.snippets.find(b"".join(self.lines)):
            return
        for number, line in enumerate(self.lines):
            hits = self.wanted.snippets.find(line) if number not in self.gone else set()
            if not hits:
                continue
            if self.machine[number]:
                self.cut_item(number, "memoryLines")
            elif all(self.wanted.shared[hit] for hit in hits):
                self.kept["shared-sentence"].add(number)
            else:
                self.cut(number, number + 1, "memoryLines")

    def cut_item(self, number: int, kind: str, key: str = "") -> None:
        """The line with the list item and the entry that it belongs to: neither may be left without its text."""
        block = self.owner.get(number)
        first, last = item_span(self.lines, number, block)
        self.cut(first, last, kind, key)

    def references(self) -> None:
        for number, line in enumerate(self.lines):
            heading = _HEADING.match(line)
            if number in self.gone or not (heading or b"Session ID:" in line) or not self.wanted.names(line):
                continue
            self.cut(number, self.end_of(number, heading), "memoryEntries")  # the host counts a section so

    def end_of(self, number: int, heading: re.Match[bytes] | None) -> int:
        level = len(heading.group(1)) if heading else 6
        is_item, depth = bool(_ITEM.match(self.lines[number])), indent(self.lines[number])
        for after in range(number + 1, len(self.lines)):
            line = self.lines[after]
            above = _HEADING.match(line)
            if above and len(above.group(1)) <= level:
                return after
            if heading is None and (
                b"Session ID:" in line or (is_item and not is_blank(line) and indent(line) <= depth)
            ):
                return after
        return len(self.lines)

    def hook_notes(self) -> None:
        for first, last, session in self.sections:
            if session in self.wanted.sessions and not self.gone.issuperset(range(first, last)):
                self.cut(first, last, "hookNotes")

    def candidates(self) -> None:
        for first, last, keys in self.candidate_items():
            found = keys & self.wanted.keys
            if found and first not in self.gone:
                self.cut(first, last, "candidates", min(found))

    def candidate_items(self) -> Iterator[tuple[int, int, set[str]]]:
        """(first line, line after, keys that the host may have given) of machine-written items with evidence."""
        for number, line in enumerate(self.lines):
            if not self.machine[number] or not _ITEM.match(line) or number in self.owner:
                continue
            first, last = item_span(self.lines, number, None)
            evidence = _EVIDENCE.search(b"".join(self.lines[first:last]))
            if first == number and evidence:
                path, start, end = decode(evidence.group(1)), int(evidence.group(2)), int(evidence.group(3))
                yield first, last, claim_keys(claim_of(decode(line)), path, start, end)

    def citations(self) -> None:
        for number, line in enumerate(self.lines):
            if number not in self.gone and _ITEM.match(line) and b"#L" in line and self.wanted.names(line):
                self.cut_item(number, "citations")

    def quotes(self) -> None:
        needles = self.wanted.needles
        if not needles or not needles.holds(decode(b"".join(self.rest()))):
            return
        blanked = [b"" if number in self.gone else line for number, line in enumerate(self.lines)]
        for number in sorted(files.lines_holding(blanked, needles)):
            if number in self.gone or is_blank(self.lines[number]):
                continue
            if self.machine[number]:
                self.cut_item(number, "quotes")
            else:
                self.kept["hand-written"].add(number)

    def rest(self) -> Iterable[bytes]:
        return (line for number, line in enumerate(self.lines) if number not in self.gone)


def _runs(first: int, last: int, held: set[int]) -> Iterator[tuple[int, int]]:
    """The stretches of the lines that are not held."""
    begin = first
    for number in sorted(held.intersection(range(first, last))):
        if begin < number:
            yield begin, number
        begin = number + 1
    if begin < last:
        yield begin, last
