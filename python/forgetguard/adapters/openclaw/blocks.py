"""How the host builds its memory files: marked entries, list items with their indented lines, phases, hook notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

MARKER = re.compile(rb"<!--\s*openclaw-memory-promotion:([^\n]*?)\s*-->")
_COMMENTS = re.compile(rb"<!--\s*openclaw-memory-(?:promotion|lineage):[^\n]*?-->")
_LINEAGE = re.compile(rb"^\s*<!--\s*openclaw-memory-lineage:[^\n]*?-->\s*$")
_INDENTED = re.compile(rb"^[ \t]+\S")
_HEADING = re.compile(rb"^\s*#{1,6}\s")
_PHASE = re.compile(rb"<!--\s*openclaw:dreaming:([\w-]+):(start|end)\s*-->")
_HISTORY = re.compile(rb"^##\s+Memory Consolidation History\b")
_SECTION = re.compile(rb"^#{1,2}\s")
_NOTE = re.compile(rb"^(?:\xef\xbb\xbf)?#\s+Session:")
_NOTE_ID = re.compile(rb"^\s*[-*]\s*\*{0,2}Session ID\*{0,2}:\*{0,2}\s*(\S+)")
_ITEM = re.compile(rb"^[ \t]*[-*+]\s")
_HEADER_LINES = 8  # of a hook note, blank ones counted
REPORTS = ("memory/dreaming/", "memory/.dreams/")


@dataclass(frozen=True, slots=True)
class Block:
    """A marked entry: its lines with every marker above it, and the keys of those markers."""

    first: int
    last: int  # the line after
    keys: tuple[str, ...] = field(repr=False)


def is_blank(line: bytes) -> bool:
    return not line.strip()


def indent(line: bytes) -> int:
    """How far the line is indented, in bytes."""
    return len(line) - len(line.lstrip(b" \t"))


def marker_keys(line: bytes) -> tuple[str, ...]:
    """The keys of all promotion markers on the line."""
    return tuple(found.decode("utf-8", "replace") for found in MARKER.findall(line)) if b"<!--" in line else ()


def blocks(lines: Sequence[bytes]) -> Iterator[Block]:
    """The marked entries. Several markers above one text are one entry; text may stand on the marker's own line.

    Blank lines between marker and text, and before indented lines that go on, belong to the entry.
    """
    number, before = 0, 0
    while number < len(lines):
        keys = marker_keys(lines[number])
        if not keys:
            number += 1
            continue
        first = number
        while first > before and _LINEAGE.match(lines[first - 1]):
            first -= 1
        number += 1
        if not _COMMENTS.sub(b"", lines[number - 1]).removeprefix(b"\xef\xbb\xbf").strip():
            keys, number = _entry(lines, number, keys)
        number = _continued(lines, number)
        yield Block(first, number, tuple(dict.fromkeys(keys)))
        before = number


def _entry(lines: Sequence[bytes], number: int, keys: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
    """More markers, then the text that they mark, if there is one."""
    end = number
    while number < len(lines):
        line = lines[number]
        more = marker_keys(line)
        if more and not _COMMENTS.sub(b"", line).strip():
            keys += more
            end = number + 1
        elif (
            more
            or _HEADING.match(line)
            or (not is_blank(line) and line.lstrip().startswith(b"<!--") and not _LINEAGE.match(line))
        ):
            return keys, end
        elif not is_blank(line) and not _LINEAGE.match(line):
            return keys, number + 1
        number += 1
    return keys, end


def _continued(lines: Sequence[bytes], number: int) -> int:
    while number < len(lines):
        line = lines[number]
        following = lines[number + 1] if is_blank(line) and number + 1 < len(lines) else line
        if not _INDENTED.match(following) or marker_keys(following):
            break
        number += 1 if following is line else 2
    return number


def item_span(lines: Sequence[bytes], number: int, block: Block | None) -> tuple[int, int]:
    """The entry around a line, else the list item: from its first line to the last one that is indented below it."""
    if block is not None:
        return block.first, block.last
    first = number
    while first > 0 and indent(lines[first]) > 0 and not is_blank(lines[first - 1]) and _INDENTED.match(lines[first]):
        first -= 1
    if not _ITEM.match(lines[first]):
        return number, number + 1
    depth, last = indent(lines[first]), first + 1
    while last < len(lines) and not is_blank(lines[last]) and indent(lines[last]) > depth:
        last += 1
    return first, max(last, number + 1)


def note_sections(lines: Sequence[bytes]) -> Iterator[tuple[int, int, str]]:
    """(first line, line after, session id) of every hook note: it ends where the next begins, or the file does."""
    heads: list[tuple[int, str]] = []
    for number, line in enumerate(lines):
        if _NOTE.match(line):
            for after in lines[number + 1 : number + 1 + _HEADER_LINES]:
                match = _NOTE_ID.match(after)
                if match:
                    heads.append((number, match.group(1).decode("utf-8", "replace").strip("*`")))
                    break
    ends = [*(number for number, _ in heads[1:]), len(lines)]
    for (number, session), end in zip(heads, ends, strict=False):
        yield number, end, session


def machine_lines(
    lines: Sequence[bytes], place: str, entries: Iterable[Block], sections: Iterable[tuple[int, int, str]]
) -> list[bool]:
    """Whether each line was written by the host."""
    if place.lower().startswith(REPORTS):
        return [True] * len(lines)
    machine = [False] * len(lines)
    for first, last in [*((one.first, one.last) for one in entries), *((one[0], one[1]) for one in sections)]:
        machine[first:last] = [True] * (last - first)
    for first, last in [*_phases(lines), *_history(lines)]:
        machine[first:last] = [True] * (last - first)
    return machine


def _phases(lines: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """A phase that is not closed ends with the next heading of its own level: what follows may be a person's."""
    begun: dict[bytes, int] = {}
    for number, line in enumerate(lines):
        for phase, edge in _PHASE.findall(line) if b"<!--" in line else ():
            if edge == b"start":
                begun[phase] = number
            elif phase in begun:
                yield begun.pop(phase), number + 1


def _history(lines: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    start: int | None = None
    for number, line in enumerate(lines):
        if start is not None and _SECTION.match(line):
            yield start, number
            start = None
        if _HISTORY.match(line):
            start = number
    if start is not None:
        yield start, len(lines)
