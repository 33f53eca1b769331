"""A text as lines, and as the list items and paragraphs that they make."""

from __future__ import annotations

from functools import lru_cache

from forgetguard.rules.text import DIGIT, SPACE, char_class

BULLETS = "-*+•·–—‣◦"
LINE_ENDS = "\n\r"
NUMBER_DIGITS = 3
"""Most digits before the full stop or bracket of a numbered item."""


@lru_cache(maxsize=1024)
def is_space(char: str) -> bool:
    return char_class(char) == SPACE


def skip_space(text: str, i: int, end: int) -> int:
    while i < end and is_space(text[i]):
        i += 1
    return i


def _lines(text: str) -> list[tuple[int, int]]:
    """Start and end of each line, without its line end."""
    out: list[tuple[int, int]] = []
    start = 0
    for i, char in enumerate(text):
        if char in LINE_ENDS:
            if not (char == "\n" and i and text[i - 1] == "\r"):
                out.append((start, i))
            start = i + 1
    out.append((start, len(text)))
    return out


def _marker(text: str, start: int, end: int) -> tuple[int, bool]:
    """Where the words of a line begin, behind indentation and markers, and whether a marker makes it an item."""
    i, item = skip_space(text, start, end), False
    while i < end and text[i] in ">#|":
        item = True
        i = skip_space(text, i + 1, end)
    if i < end and text[i] in BULLETS and (i + 1 == end or is_space(text[i + 1])):
        i, item = skip_space(text, i + 1, end), True
    else:
        j = i
        while j < end and j - i < NUMBER_DIGITS and char_class(text[j]) == DIGIT:
            j += 1
        if j > i and j + 1 < end and text[j] in ".)" and is_space(text[j + 1]):
            i, item = skip_space(text, j + 1, end), True
    if text[i : i + 3] in ("[ ]", "[x]", "[X]"):
        i = skip_space(text, i + 3, end)
    return i, item


def blocks(text: str) -> list[tuple[int, int, int, bool]]:
    """Start, start of words, end and whether it is an item, of each item with its indented lines and each paragraph."""
    out: list[tuple[int, int, int, bool]] = []
    for start, end in _lines(text):
        body, item = _marker(text, start, end)
        if body == end:
            if out:
                out.append((end, end, end, False))
            continue
        indented = body > start and is_space(text[start])
        follows = bool(out) and out[-1][1] < out[-1][2]
        if not item and follows and (indented or not out[-1][3]):
            first, words, _, was_item = out[-1]
            out[-1] = (first, words, end, was_item)
        else:
            out.append((start, body, end, item))
    return [block for block in out if block[1] < block[2]]
