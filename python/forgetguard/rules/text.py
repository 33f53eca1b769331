"""Text to folded text: one door and one fold.

`clean` is the only door: it replaces lone surrogates and bounds the length, so both implementations see the same text.
`fold` maps every code point through `fold.tsv` (compatibility forms, case, diacritics) and keeps where it came from.

No regular expressions and no `str` predicates: their character classes differ between Python and Rust.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from forgetguard.rules.lexicon import rows

MAX_TEXT = 1_048_576
"""Longest text that is read, in code points; what lies beyond is not looked at."""

UPPER, LETTER, DIGIT, SPACE, OTHER, CONTROL, EMOJI = "U", "l", "d", "s", "p", "c", "e"
HAN, HIRAGANA, KATAKANA, HANGUL = "h", "i", "k", "g"
CJK = HAN + HIRAGANA + KATAKANA + HANGUL
_CLASS_LETTER = {
    "upper": UPPER,
    "letter": LETTER,
    "digit": DIGIT,
    "space": SPACE,
    "other": OTHER,
    "control": CONTROL,
    "emoji": EMOJI,
    "han": HAN,
    "hiragana": HIRAGANA,
    "katakana": KATAKANA,
    "hangul": HANGUL,
}

VOICED, SEMIVOICED = "\u3099", "\u309a"
_VOICED_PAIRS = "かがきぎくぐけげこごさざしじすずせぜそぞただちぢつづてでとどはばひびふぶへべほぼうゔ"
_SEMIVOICED_PAIRS = "はぱひぴふぷへぺほぽ"
_KATAKANA_SHIFT = 0x60


def clean(text: str) -> str:
    """`text` as both implementations see it: at most `MAX_TEXT` code points, lone surrogates as U+FFFD."""
    text = text[:MAX_TEXT]
    return text if text.isascii() else "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded characters, the class of each, and the index in the cleaned text that each came from."""

    chars: str
    classes: str
    at: tuple[int, ...]


@lru_cache(maxsize=1)
def _fold_table() -> dict[str, str]:
    table: dict[str, str] = {}
    for codes, folded in rows("fold"):
        first, _, last = codes.partition("-")
        target = "".join(chr(int(c, 16)) for c in folded.split())
        table.update((chr(code), target) for code in range(int(first, 16), int(last or first, 16) + 1))
    return table


@lru_cache(maxsize=1)
def _class_table() -> tuple[tuple[int, ...], tuple[int, ...], tuple[str, ...]]:
    ranges = sorted((int(first, 16), int(last, 16), _CLASS_LETTER[name]) for first, last, name in rows("classes"))
    return tuple(r[0] for r in ranges), tuple(r[1] for r in ranges), tuple(r[2] for r in ranges)


@lru_cache(maxsize=8192)
def char_class(char: str) -> str:
    """The class letter of a code point, from `classes.tsv`; unlisted ones are `other`."""
    firsts, lasts, names = _class_table()
    low, high = 0, len(firsts)
    code = ord(char)
    while low < high:
        middle = (low + high) // 2
        if firsts[middle] <= code:
            low = middle + 1
        else:
            high = middle
    return names[low - 1] if low and code <= lasts[low - 1] else OTHER


@lru_cache(maxsize=1)
def _kana() -> dict[str, str]:
    pairs: dict[str, str] = {}
    for mark, letters in ((VOICED, _VOICED_PAIRS), (SEMIVOICED, _SEMIVOICED_PAIRS)):
        for plain, marked in zip(letters[::2], letters[1::2], strict=True):
            pairs[plain + mark] = marked
            pairs[chr(ord(plain) + _KATAKANA_SHIFT) + mark] = chr(ord(marked) + _KATAKANA_SHIFT)
    return pairs


def _compose(last: str, char: str) -> str | None:
    """The composed character, if `char` is a kana mark or a Hangul jamo that completes `last`."""
    if char in (VOICED, SEMIVOICED):
        return _kana().get(last + char)
    if "\u1161" <= char <= "\u1175" and "\u1100" <= last <= "\u1112":
        return chr(0xAC00 + ((ord(last) - 0x1100) * 21 + ord(char) - 0x1161) * 28)
    if "\u11a8" <= char <= "\u11c2" and "\uac00" <= last <= "\ud7a3" and (ord(last) - 0xAC00) % 28 == 0:
        return chr(ord(last) + ord(char) - 0x11A7)
    return None


@lru_cache(maxsize=8192)
def _fold_char(char: str) -> tuple[str, str]:
    """Folded characters of one code point, and the class letter of each."""
    if char in (VOICED, SEMIVOICED):
        return "", ""
    folded = _fold_table().get(char, char)
    upper = char_class(char) == UPPER
    classes = "".join(UPPER if upper and (_k := char_class(c)) in (LETTER, UPPER) else char_class(c) for c in folded)
    return folded, classes.replace(UPPER, UPPER if upper else LETTER)


def fold(text: str) -> Folded:
    """The folded form of a cleaned text."""
    chars: list[str] = []
    classes: list[str] = []
    at: list[int] = []
    for index, char in enumerate(text):
        if chars and char >= "\u1161" and (composed := _compose(chars[-1], _unmarked(char))) is not None:
            chars[-1] = composed
            classes[-1] = char_class(composed)
            continue
        folded, kinds = _fold_char(_unmarked(char))
        for c, k in zip(folded, kinds, strict=True):
            chars.append(c)
            classes.append(k)
            at.append(index)
    return Folded("".join(chars), "".join(classes), tuple(at))


def _unmarked(char: str) -> str:
    """The half-width voicing marks are the combining ones in another width."""
    return {"\uff9e": VOICED, "\uff9f": SEMIVOICED}.get(char, char)


def fold_text(text: str) -> str:
    """The folded characters alone."""
    return fold(clean(text)).chars
