"""Where a text's sentences begin and end, each with its clauses.

A list item and a heading are sentences, too. Spans do not overlap and stand in order. Time is linear in the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from forgetguard.rules.blocks import LINE_ENDS, NUMBER_DIGITS, blocks, is_space, skip_space
from forgetguard.rules.clauses import CJK_ENDS, ENDS, Clause, clauses
from forgetguard.rules.lexicon import rows
from forgetguard.rules.text import DIGIT, LETTER, UPPER, char_class, fold_text
from forgetguard.rules.tokens import parse
from forgetguard.rules.words import particles

CLOSERS = "\"'”’»)]}」』*_"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence (or a list item, or a heading) by its place in the text, without the space around it, and its clauses.

    `line`: where the line or block begins that the sentence fills alone (a list item with its marker), else None.
    """

    start: int
    end: int
    clauses: tuple[Clause, ...]
    line: int | None = None


def sentences(text: str, aliases: tuple[str, ...] = ()) -> list[Sentence]:
    """The sentences of a cleaned text, in order. `start` and `end` count code points."""
    out: list[Sentence] = []
    for start, body, end, item in blocks(text):
        found = _sentence_spans(text, body, end)
        for i, j in found:
            alone = start if item and len(found) == 1 else None
            out.append(Sentence(i, j, clauses(text, i, j, aliases), alone))
    return out


def has_narrative(text: str) -> bool:
    """Whether a text says anything beside its headings and list markers."""
    return any(
        not heading and any(t.role == "content" and t.kind != "mark" for t in parse(clause.text).tokens)
        for sentence, heading in _with_headings(text)
        for clause in sentence.clauses
    )


def _with_headings(text: str) -> Iterator[tuple[Sentence, bool]]:
    """Each sentence, and whether it stands in a heading."""
    last, heading = 0, False
    for sentence in sentences(text):
        # A line is looked at once, however many sentences it has.
        line = max(text.rfind(end, last, sentence.start) for end in LINE_ENDS) + 1
        if line or not last:
            heading = text[skip_space(text, line, sentence.start)] == "#"
        last = sentence.start
        yield sentence, heading


# -- where one ends --------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _months() -> frozenset[str]:
    return frozenset(form for _, form, kind, _, _ in rows("calendar") if kind == "month")


def _sentence_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    begin = i = start
    while i < end:
        if text[i] in CJK_ENDS or (text[i] in ENDS and _ends_sentence(text, begin, i, end)):
            i += 1
            while i < end and (text[i] in CLOSERS or text[i] in ENDS + CJK_ENDS):
                i += 1
            out.append((begin, i))
            begin = i = skip_space(text, i, end)
        else:
            i += 1
    if begin < end:
        out.append((begin, _trim(text, begin, end)))
    return [(i, j) for i, j in out if i < j]


def _trim(text: str, start: int, end: int) -> int:
    while end > start and is_space(text[end - 1]):
        end -= 1
    return end


def _ends_sentence(text: str, begin: int, i: int, end: int) -> bool:
    """Whether the mark at `i` ends the sentence that began at `begin`."""
    after = i + 1
    while after < end and text[after] in CLOSERS + ENDS:
        after += 1
    if after < end and not is_space(text[after]):
        return False
    if text[i] != ".":
        return True
    word = i
    while (word > begin and char_class(text[word - 1]) in (LETTER, UPPER, DIGIT)) or (
        word > begin and text[word - 1] == "."
    ):
        word -= 1
    before = fold_text(text[word:i])
    if before in particles("abbreviation") or (len(before) == 1 and char_class(text[word]) == UPPER):
        return False
    if before and all(char_class(c) == DIGIT for c in before) and len(before) <= NUMBER_DIGITS - 1:
        following = _next_word(text, after, end)
        return not (following in _months() or word == begin)
    return True


def _next_word(text: str, i: int, end: int) -> str:
    i = skip_space(text, i, end)
    j = i
    while j < end and char_class(text[j]) in (LETTER, UPPER):
        j += 1
    tokens = parse(text[i:j]).tokens
    return tokens[0].form if tokens else ""
