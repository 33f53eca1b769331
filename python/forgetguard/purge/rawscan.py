"""Looking for byte patterns: in one pass over a text, and in the raw bytes of database files.

This module runs on its own as a child process (`python rawscan.py`, patterns and paths on standard input), so it
imports nothing of forgetguard and opens no SQLite: closing a plain handle on a database drops every lock that SQLite
holds on it in that process, which cost an acknowledged write when it was measured.

The raw form of bytes: ASCII letters in lower case, every other ASCII byte that is no digit a blank, runs of blanks one
blank, bytes above 127 as they are. A pattern in raw form is found whatever the case, spacing, wrapping or punctuation.
"""

from __future__ import annotations

import codecs
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

_TABLE = bytes((b + 32 if 65 <= b <= 90 else b) if b > 127 or chr(b).isalnum() else 32 for b in range(256))
CHUNK = 1 << 20
WORDS_OF_A_KEY = 3  # fewer let too many patterns through in text of few words
DEFAULT_PAGE = 4096
OVERFLOW_POINTER = 4  # an overflow page begins with the number of the next one
PIECE = 32  # bytes of a pattern that the automaton looks for
COMMON = 100  # patterns that may have a piece in common; else the whole pattern is looked for
SAMPLE = 4096  # bytes of a file that tell its encoding
MOST_HITS = 10_000  # a report of where text is left needs no more


def raw_form(content: bytes) -> bytes:
    """The bytes as patterns are compared with them."""
    return b" ".join(content.translate(_TABLE).split())


class Finder:
    """Many patterns in one pass: Aho-Corasick where `ahocorasick-rs` is installed, else the same answers, slower."""

    def __init__(self, patterns: Sequence[bytes]) -> None:
        self.patterns = tuple(patterns)
        self._pieces = _particular(self.patterns)
        self._automaton = _automaton(tuple(self._pieces))
        self._behind = tuple(self._pieces.values())
        # By how many words, then by these words: the patterns without an automaton.
        self._by_words: dict[int, dict[tuple[bytes, ...], list[int]]] = {}
        self._unspaced: list[int] = []
        if self._automaton is None:
            self._index()

    def _index(self) -> None:
        """By up to three inner words, which stand between blanks wherever the pattern does; those without any apart.

        Of all such words of a pattern those count that are rarest among the patterns: many may begin alike.
        """
        split = [tuple(pattern.split(b" ")[1:-1]) for pattern in self.patterns]
        common = Counter(word for words in split for word in words)
        for number, words in enumerate(split):
            if not words:
                self._unspaced.append(number)
                continue
            size = min(len(words), WORDS_OF_A_KEY)
            windows = [words[start : start + size] for start in range(len(words) - size + 1)]
            key = min(windows, key=lambda window: sum(common[word] for word in window))
            self._by_words.setdefault(size, {}).setdefault(key, []).append(number)

    def find(self, content: bytes) -> set[int]:
        """The numbers of the patterns that the content holds."""
        if self._automaton is not None:
            found: set[int] = set()
            for piece, start, _ in self._automaton.find_matches_as_indexes(content, overlapping=True):
                for number, offset in self._behind[piece]:
                    begin = start - offset
                    if number not in found and begin >= 0 and content.startswith(self.patterns[number], begin):
                        found.add(number)
            return found
        candidates = list(self._unspaced)
        words = content.split(b" ") if self._by_words else []
        for length, known in self._by_words.items():
            for key in known.keys() & set(zip(*(words[start:] for start in range(length)), strict=False)):
                candidates += known[key]
        return {number for number in candidates if self.patterns[number] in content}


def _particular(patterns: tuple[bytes, ...]) -> dict[bytes, list[tuple[int, int]]]:
    """A piece of every pattern that the automaton looks for: piece -> (pattern, where the piece begins in it).

    A hundred thousand whole patterns made an automaton that took 300 MB and four seconds to build; pieces take a
    quarter. The beginning, the middle or the end, whichever fewest patterns have in common.
    """
    pieces = [_pieces(pattern) for pattern in patterns]
    common = Counter(piece for given in pieces for piece, _ in given)
    found: dict[bytes, list[tuple[int, int]]] = {}
    for number, given in enumerate(pieces):
        piece, offset = min(given, key=lambda one: common[one[0]])
        if common[piece] > COMMON:
            piece, offset = patterns[number], 0
        found.setdefault(piece, []).append((number, offset))
    return found


def _pieces(pattern: bytes) -> list[tuple[bytes, int]]:
    last = max(0, len(pattern) - PIECE)
    return [(pattern[start : start + PIECE], start) for start in dict.fromkeys((0, last // 2, last))]


def _automaton(patterns: tuple[bytes, ...]):  # type: ignore[no-untyped-def]
    if not patterns:
        return None
    try:
        from ahocorasick_rs import BytesAhoCorasick
    except ModuleNotFoundError as error:
        if error.name != "ahocorasick_rs":
            raise
        return None
    return BytesAhoCorasick(list(patterns))


def scan_file(path: Path, finder: Finder, wide: bool = False) -> Iterator[tuple[int, int]]:
    """(page, pattern) of every page of a file that holds a pattern; pages count from 1, as SQLite's do.

    `wide`: the text is UTF-16, so its NUL bytes are left out. A pattern that runs over the end of one page into the
    next is found as well, also past an overflow page's pointer.
    """
    encoding = _utf16(path)
    if encoding is not None:
        yield from _scan_utf16(path, finder, encoding)
        return
    size = _page_size(path)
    longest = 2 * max((len(pattern) for pattern in finder.patterns), default=0)
    with path.open("rb") as stream:
        page, tail = 1, b""
        while chunk := stream.read(max(size, CHUNK // size * size)):
            if _form(tail + chunk, wide, finder) or _form(_seams(tail, chunk, size, longest), wide, finder):
                yield from _pages(chunk, tail, page, size, longest, finder, wide)
            page += len(chunk) // size
            tail = chunk[-longest:] if longest else b""


def _utf16(path: Path) -> str | None:
    """The encoding of a UTF-16 file: by its byte order mark, or by NUL in every second byte as Latin text has it."""
    with path.open("rb") as stream:
        head = stream.read(SAMPLE)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        nul, other = head[first::2], head[1 - first :: 2]
        if nul.count(0) * 10 >= len(nul) * 9 and nul and other.count(0) * 10 < len(other):
            return encoding
    return None


def _scan_utf16(path: Path, finder: Finder, encoding: str) -> Iterator[tuple[int, int]]:
    """`scan_file` for a text in UTF-16; its pages are chunks."""
    longest = 2 * max((len(pattern) for pattern in finder.patterns), default=0)
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    with path.open("rb") as stream:
        page, tail = 1, b""
        while chunk := stream.read(CHUNK):
            text = tail + decoder.decode(chunk).encode("utf-8", "replace")
            for pattern in sorted(_form(text, False, finder)):
                yield page, pattern
            page += 1
            tail = text[-longest:] if longest else b""


def _form(content: bytes, wide: bool, finder: Finder) -> set[int]:
    return finder.find(raw_form(content.replace(b"\0", b"") if wide else content))


def _seams(tail: bytes, chunk: bytes, size: int, longest: int) -> bytes:
    """The ends of pages joined to the beginnings of the next, without the pointer between them."""
    joined = [tail + chunk[OVERFLOW_POINTER : OVERFLOW_POINTER + longest]]
    for start in range(size, len(chunk), size):
        joined.append(chunk[max(0, start - longest) : start] + chunk[start + OVERFLOW_POINTER :][:longest])
    return b"\0|\0".join(joined)


def _pages(
    chunk: bytes, tail: bytes, first: int, size: int, longest: int, finder: Finder, wide: bool
) -> Iterator[tuple[int, int]]:
    for number, start in enumerate(range(0, len(chunk), size)):
        before = chunk[max(0, start - longest) : start] if start else tail
        page = chunk[start : start + size]
        within = _form(before + page, wide, finder) - _form(before, wide, finder)
        across = _form(before + page[OVERFLOW_POINTER : OVERFLOW_POINTER + longest], wide, finder)
        for pattern in sorted(within | (across - _form(before, wide, finder)) | _form(page, wide, finder)):
            yield first + number, pattern


def _page_size(path: Path) -> int:
    with path.open("rb") as stream:
        header = stream.read(18)
    if not header.startswith(b"SQLite format 3\0") or len(header) < 18:
        return DEFAULT_PAGE
    size = int.from_bytes(header[16:18], "big")
    return 65536 if size == 1 else max(512, size)


def scan(request: dict[str, object]) -> Iterable[dict[str, object]]:
    """One answer a file: its path, and the pages with their patterns, or an error code."""
    patterns = [bytes.fromhex(str(item)) for item in _items(request["patterns"])]
    finder = Finder(patterns)
    for path in map(str, _items(request["paths"])):
        hits: list[tuple[int, int]] = []
        try:
            if request.get("skip_databases") and _is_database(Path(path)):
                continue
            for hit in scan_file(Path(path), finder, bool(request.get("wide"))):
                hits.append(hit)
                if len(hits) >= MOST_HITS:
                    break
        except FileNotFoundError:
            continue
        except OSError as error:
            yield {"path": path, "error": f"errno-{error.errno}", "hits": hits}
            continue
        yield {"path": path, "hits": hits}


def _is_database(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(16) == b"SQLite format 3\0"


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def main() -> None:
    """Read a request (JSON) from standard input, write one answer a line. Patterns never stand in the arguments."""
    for answer in scan(json.load(sys.stdin)):
        sys.stdout.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
