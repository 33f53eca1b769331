"""How a text reads without some of its sentences and clauses.

Guarantees: spans do not overlap and stand in order, and `cuts` names nothing but the removed spans, the space around
them, and the marks that joined them.
"""

from __future__ import annotations

from collections.abc import Sequence

from forgetguard.rules.blocks import LINE_ENDS, blocks, is_space
from forgetguard.rules.sentences import Sentence, sentences
from forgetguard.rules.text import LETTER, UPPER, char_class


def cuts(text: str, aliases: tuple[str, ...], removed: Sequence[tuple[int, int | None]]) -> list[tuple[int, int, str]]:
    """What to cut so that `text` reads well without some clauses: start, end, and what to put there instead.

    `removed`: pairs of a sentence's position and a clause's in it, or None for all of it; a position that does not
    exist is passed over. The spans are in order and do not overlap.
    """
    plan = sentences(text, aliases)
    gone: dict[int, set[int | None]] = {}
    for at, clause in removed:
        if at < len(plan) and (clause is None or clause < len(plan[at].clauses)):
            gone.setdefault(at, set()).add(clause)
    whole = {at for at, clauses in gone.items() if None in clauses or len(clauses) == len(plan[at].clauses)}
    spans, taken = _whole_blocks(text, plan, whole)
    for at in sorted(gone):
        sentence = plan[at]
        if at in taken:
            continue
        if None in gone[at] or len(gone[at]) == len(sentence.clauses):
            spans.append((*_whole(text, sentence), ""))
        else:
            spans.extend(_parts(text, sentence, sorted(n for n in gone[at] if n is not None)))
    return _disjoint(sorted(spans))


def _whole_blocks(text: str, plan: Sequence[Sentence], whole: set[int]) -> tuple[list[tuple[int, int, str]], set[int]]:
    """The lines of items and paragraphs whose sentences all go, and the positions of those sentences.

    A paragraph between blank lines takes one of them along.
    """
    spans: list[tuple[int, int, str]] = []
    taken: set[int] = set()
    at = 0
    for start, _body, end, item in blocks(text):
        first = at
        while at < len(plan) and plan[at].start < end:
            at += 1
        if at == first or any(n not in whole for n in range(first, at)):
            continue
        stop = _line_end(text, end)
        if not item and _is_blank_before(text, start) and _is_blank(text, stop):
            stop = _line_end(text, stop)
        spans.append((start, stop, ""))
        taken.update(range(first, at))
    return spans, taken


def _is_blank(text: str, i: int) -> bool:
    """Whether an empty line begins at `i`."""
    while i < len(text) and is_space(text[i]) and text[i] not in LINE_ENDS:
        i += 1
    return i < len(text) and text[i] in LINE_ENDS


def _is_blank_before(text: str, i: int) -> bool:
    """Whether the text begins at `i`, or an empty line ends there."""
    if i == 0:
        return True
    i -= 2 if text[i - 2 : i] == "\r\n" else 1
    return i == 0 or text[i - 1] in LINE_ENDS


def _disjoint(spans: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Neighbours may both claim the space between them: the first has it."""
    out: list[tuple[int, int, str]] = []
    last = 0
    for start, end, instead in spans:
        out.append((max(start, last), max(end, last), instead))
        last = max(end, last)
    return out


def _whole(text: str, sentence: Sentence) -> tuple[int, int]:
    """What goes with a sentence: an item takes its line, another the space behind it, or before it at the end."""
    if sentence.line is not None:
        return sentence.line, _line_end(text, sentence.end)
    end = sentence.end
    while end < len(text) and is_space(text[end]) and text[end] not in LINE_ENDS:
        end += 1
    starts_line = sentence.start == 0 or text[sentence.start - 1] in LINE_ENDS
    if end < len(text) and text[end] not in LINE_ENDS:
        return sentence.start, end
    if starts_line:
        return sentence.start, _line_end(text, end)
    start = sentence.start
    while start and is_space(text[start - 1]) and text[start - 1] not in LINE_ENDS:
        start -= 1
    return start, end


def _line_end(text: str, i: int) -> int:
    while i < len(text) and text[i] not in LINE_ENDS:
        i += 1
    if text[i : i + 2] == "\r\n":
        return i + 2
    return min(i + 1, len(text))


def _parts(text: str, sentence: Sentence, gone: Sequence[int]) -> list[tuple[int, int, str]]:
    """The spans of removed clauses with the marks that joined them, and what stands there instead."""
    clauses = sentence.clauses
    leading = 0
    while leading in gone:
        leading += 1
    out: list[tuple[int, int, str]] = []
    if leading:
        start, end = clauses[0].start, clauses[leading].start
        heir = clauses[leading].inherits
        if heir is not None and heir < leading:
            own = clauses[leading].end - clauses[leading].start
            out.append((start, end, clauses[leading].text[: len(clauses[leading].text) - own]))
        elif char_class(text[start]) == UPPER and char_class(text[end]) == LETTER:
            out.append((start, end + 1, _capital(text[end])))
        else:
            out.append((start, end, ""))
    out.extend((clauses[n - 1].end, clauses[n].end, "") for n in gone if n > leading)
    return out


def _capital(char: str) -> str:
    """The capital of a Latin, Greek or Cyrillic letter; in others Python and Rust follow different Unicode versions."""
    return char.upper() if char < "\u0180" or "\u0370" <= char < "\u0530" else char
