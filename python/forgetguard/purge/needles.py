"""The text that was purged, in the forms in which it is looked for again.

A needle is one line of a purged memory without its bullet and role prefix; a long line is cut into pieces, so that a
truncated or wrapped quote is found too. Two forms exist:

    folded   NFKD, case folded, combining marks dropped, everything but letters and digits one blank: for text
    raw      the bytes as they may stand in a file, NFC and NFD, as written and in either case, also as JSON escapes
             and in Latin-1; UTF-16 is turned into UTF-8 before it is searched

Needles are content: they are held in memory and sealed in the journal, and never printed.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from weakref import WeakValueDictionary

from forgetguard.provenance.readonly import lenient
from forgetguard.purge.rawscan import Finder, raw_form

SHORTEST = 8  # bytes in folded form; anything shorter stands in unrelated text by chance
LONGEST = 96  # bytes of a piece: long enough to be particular, short enough to survive truncation and page ends

_ROLE = re.compile(r"^\W*(?:user|assistant|system|human|ai|tool|candidate|note)\s*:\s*", re.IGNORECASE)
_BOMS = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"\xef\xbb\xbf", "utf-8-sig"))


@cache
def _marks() -> dict[int, None]:
    return {code: None for code in range(0x300, 0x20000) if unicodedata.category(chr(code)) == "Mn"}


_OTHER = re.compile(r"[\W_]+")


def fold(text: str) -> bytes:
    """The text as needles are compared with it: words of letters and digits, one blank between them."""
    if text.isascii():
        return raw_form(text.encode("ascii"))
    plain = unicodedata.normalize("NFKD", text).casefold()
    plain = unicodedata.normalize("NFKD", plain).translate(_marks())
    return _OTHER.sub(" ", plain).strip().encode("utf-8", "replace")


def decode(content: bytes) -> str:
    """The text of a file: by its byte order mark, else UTF-8 in which stray bytes are read as Latin-1."""
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return content.decode(encoding, "replace")
    return lenient(content)


def lines_of(text: str) -> Iterator[str]:
    """The lines that are looked for: without bullets, quotes and role prefixes."""
    for line in text.splitlines():
        yield _ROLE.sub("", line).strip()


def pieces(folded: bytes) -> Iterator[bytes]:
    """The line in pieces of at most LONGEST bytes, all about as long, cut between words where it has any.

    A short last piece would be something that anybody may have written.
    """
    while len(folded) > LONGEST:
        size = len(folded) // -(-len(folded) // LONGEST) + 1
        cut = folded.rfind(b" ", size // 2, size + 1)
        if cut < 0:
            cut = size
            while cut > size // 2 and folded[cut] & 0xC0 == 0x80:  # not inside a character
                cut -= 1
        yield folded[:cut]
        folded = folded[cut:].lstrip(b" ")
    if len(folded) >= SHORTEST:
        yield folded


@dataclass(frozen=True, slots=True)
class Needle:
    """One piece of purged text in its folded and raw forms."""

    folded: bytes = field(repr=False)
    raw: tuple[bytes, ...] = field(repr=False)

    def seal_form(self) -> list[str]:
        """For the sealed journal alone."""
        return [part.hex() for part in (self.folded, *self.raw)]

    @classmethod
    def from_seal_form(cls, parts: list[str]) -> Needle:
        folded, *raw = (bytes.fromhex(part) for part in parts)
        return cls(folded, tuple(raw))


def needles_of(text: str) -> tuple[tuple[Needle, ...], int]:
    """The needles of a memory's text, and how many of its lines are too short to be looked for."""
    found: list[Needle] = []
    short = 0
    for line in lines_of(text):
        needles, is_short = _of_line(line)
        found += needles
        short += is_short
    return tuple(found), short


def _of_line(line: str) -> tuple[list[Needle], bool]:
    """The needles of one line, and whether it is too short to have any."""
    folded = fold(line)
    if not folded:
        return [], False
    cut = tuple(pieces(folded))
    # The raw form of plain ASCII is its folded form, and JSON writes nothing that would change it.
    raw = (cut,) if line.isascii() and line.isprintable() else _raw_forms(line)
    return [Needle(piece, forms) for piece, forms in zip(cut, _shared_out(raw, len(cut)), strict=True)], not cut


def _shared_out(forms: Iterable[tuple[bytes, ...]], count: int) -> list[tuple[bytes, ...]]:
    """The pieces of every form, each with the needle of its part of the line.

    A needle that others hold as well is not looked for, and must not take the raw form of the rest of its line along.
    """
    parts: list[dict[bytes, None]] = [{} for _ in range(count)]
    for form in forms if count else ():
        for number, piece in enumerate(form):
            parts[number * count // len(form)][piece] = None
    return [tuple(part) for part in parts]


def _raw_forms(line: str) -> tuple[tuple[bytes, ...], ...]:
    """The line in pieces, in every form in which its bytes may stand somewhere."""
    forms: dict[tuple[bytes, ...], None] = {}
    cases = (line, line.lower(), line.upper()) if not line.isascii() else (line,)
    for case in cases:
        for form in {unicodedata.normalize("NFC", case), unicodedata.normalize("NFD", case), case}:
            for encoded in (form.encode("utf-8", "replace"), json.dumps(form)[1:-1].encode(), *_latin1(form)):
                forms[tuple(pieces(raw_form(encoded)))] = None
    return tuple(forms)


def _latin1(form: str) -> tuple[bytes, ...]:
    try:
        return () if form.isascii() else (form.encode("latin-1"),)
    except UnicodeEncodeError:
        return ()


class Needles:
    """All that is looked for, as one automaton a form, built when it is first asked."""

    def __init__(self, needles: Iterable[Needle] = (), short: int = 0) -> None:
        unique: dict[bytes, Needle] = {}
        for needle in needles:
            known = unique.get(needle.folded)
            if known is None:
                unique[needle.folded] = needle
            elif known.raw != needle.raw:  # each form once: a sentence may come a hundred thousand times
                unique[needle.folded] = Needle(needle.folded, tuple(dict.fromkeys((*known.raw, *needle.raw))))
        self.items = tuple(unique.values())
        self.short = short
        self._whole: tuple[Needles, dict[int, int]] | None = None  # of which these are a part, and which ones

    @classmethod
    def of(cls, texts: Iterable[str]) -> Needles:
        """The needles of these memories."""
        found: list[Needle] = []
        short = 0
        seen: set[str] = set()  # a sentence stands in the corpus, in a chunk, in a note
        for text in texts:
            for line in lines_of(text):
                if line not in seen:
                    needles, is_short = _of_line(line)
                    found += needles
                    short += is_short
                    if not is_short:
                        seen.add(line)
        return cls(found, short)

    def __repr__(self) -> str:
        return f"<{len(self.items)} needles>"

    def __bool__(self) -> bool:
        return bool(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def hits(self, text: str) -> set[int]:
        """The numbers of the needles that the text holds, word for word."""
        return self.hits_folded(fold(text)) if self.items else set()

    def hits_folded(self, folded: bytes) -> set[int]:
        """`hits` for text that is folded already."""
        if self._whole is not None:
            whole, places = self._whole
            return {places[number] for number in whole.hits_folded(folded) if number in places}
        return self._folded.find(b" " + folded + b" ")

    def holds(self, text: str) -> bool:
        """Whether the text holds any needle."""
        return bool(self.hits(text))

    def hits_raw(self, content: bytes) -> set[int]:
        """The numbers of the needles whose raw form stands in the bytes."""
        return {self._raw_owner[number] for number in self._raw.find(raw_form(content))}

    @property
    def raw_patterns(self) -> tuple[bytes, ...]:
        """What the child process looks for."""
        return tuple(raw for raw, _ in self._raw_pairs)

    def without(self, numbers: Iterable[int]) -> Needles:
        """The needles but for those numbers. What finds these finds them too: nothing is built again."""
        left_out = set(numbers)
        if not left_out:
            return self
        rest = Needles(short=self.short)
        stay = [number for number in range(len(self.items)) if number not in left_out]
        rest.items = tuple(self.items[number] for number in stay)
        rest._whole = (self, {number: place for place, number in enumerate(stay)})
        return rest

    def plus(self, other: Needles) -> Needles:
        """Both sets as one."""
        return Needles((*self.items, *other.items), self.short + other.short)

    @cached_property
    def _folded(self) -> Finder:
        return _finder(tuple(_bounded(item.folded) for item in self.items))

    @cached_property
    def _raw_pairs(self) -> list[tuple[bytes, int]]:
        return list({raw: (raw, number) for number, item in enumerate(self.items) for raw in item.raw}.values())

    @cached_property
    def _raw(self) -> Finder:
        return Finder([raw for raw, _ in self._raw_pairs])

    @cached_property
    def _raw_owner(self) -> list[int]:
        return [number for _, number in self._raw_pairs]


# A plan, its purge and the verification look for the same text: what finds it is built once while any of them lives.
_finders: WeakValueDictionary[tuple[bytes, ...], Finder] = WeakValueDictionary()


def _finder(patterns: tuple[bytes, ...]) -> Finder:
    found = _finders.get(patterns)
    if found is None:
        found = _finders[patterns] = Finder(patterns)
    return found


def _bounded(folded: bytes) -> bytes:
    """Whole words only, so that `alice` is not found in `xalice`; scripts without blanks are found inside a run."""
    text = folded.decode("utf-8", "replace")
    before = b" " if _spaced(text[0]) else b""
    after = b" " if _spaced(text[-1]) else b""
    return before + folded + after


def _spaced(character: str) -> bool:
    """Whether the script of the letter parts words with blanks: not Thai to Myanmar, Khmer, CJK and its neighbours."""
    code = ord(character)
    return code < 0x0E00 or 0x10A0 <= code < 0x1780 or 0x1800 <= code < 0x2E80
