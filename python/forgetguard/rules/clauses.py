"""Where a text's sentences, list items and clauses begin and end, and how a text reads without some of them.

Guarantees: spans do not overlap and stand in order, and `cuts` names nothing but the removed spans, the space around
them, and the marks that joined them. Time is linear in the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from forgetguard.rules.lexicon import rows
from forgetguard.rules.text import CJK, DIGIT, LETTER, SPACE, UPPER, char_class, fold_text
from forgetguard.rules.tokens import Token, parse
from forgetguard.rules.words import particles

ENDS = ".!?…"
CJK_ENDS = "。！？｡"
CLOSERS = "\"'”’»)]}」』*_"
OPENERS = '"“«([{「『'
COMMAS = ",;，；、､—–"
BULLETS = "-*+•·–—‣◦"
LINE_ENDS = "\n\r"
CLAUSE_WORDS = 2
"""Least content words of a clause of its own; one is enough behind a subject or a form of be."""
LONGEST_ABBREVIATION = 8
NUMBER_DIGITS = 3
"""Most digits before the full stop or bracket of a numbered item."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause by its place in the text.

    `inherits`: position among its sentence's clauses of the one whose subject it takes over; None if it has its own.
    `text`: what it says, behind that subject.
    """

    start: int
    end: int
    text: str = field(repr=False)
    inherits: int | None = None


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
    for start, body, end, item in _blocks(text):
        found = _sentence_spans(text, body, end)
        for i, j in found:
            alone = start if item and len(found) == 1 else None
            out.append(Sentence(i, j, _clauses(text, i, j, aliases), alone))
    return out


# -- lines and blocks ------------------------------------------------------------------------------------------------


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
    i, item = _skip_space(text, start, end), False
    while i < end and text[i] in ">#|":
        item = True
        i = _skip_space(text, i + 1, end)
    if i < end and text[i] in BULLETS and (i + 1 == end or _is_space(text[i + 1])):
        i, item = _skip_space(text, i + 1, end), True
    else:
        j = i
        while j < end and j - i < NUMBER_DIGITS and char_class(text[j]) == DIGIT:
            j += 1
        if j > i and j + 1 < end and text[j] in ".)" and _is_space(text[j + 1]):
            i, item = _skip_space(text, j + 1, end), True
    if text[i : i + 3] in ("[ ]", "[x]", "[X]"):
        i = _skip_space(text, i + 3, end)
    return i, item


def _blocks(text: str) -> list[tuple[int, int, int, bool]]:
    """Start, start of words, end and whether it is an item, of each item with its indented lines and each paragraph."""
    out: list[tuple[int, int, int, bool]] = []
    for start, end in _lines(text):
        body, item = _marker(text, start, end)
        if body == end:
            if out:
                out.append((end, end, end, False))
            continue
        indented = body > start and _is_space(text[start])
        follows = bool(out) and out[-1][1] < out[-1][2]
        if not item and follows and (indented or not out[-1][3]):
            first, words, _, was_item = out[-1]
            out[-1] = (first, words, end, was_item)
        else:
            out.append((start, body, end, item))
    return [block for block in out if block[1] < block[2]]


def _skip_space(text: str, i: int, end: int) -> int:
    while i < end and _is_space(text[i]):
        i += 1
    return i


@lru_cache(maxsize=1024)
def _is_space(char: str) -> bool:
    return char_class(char) == SPACE


# -- sentences -------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _abbreviations() -> frozenset[str]:
    return particles("abbreviation")


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
            begin = i = _skip_space(text, i, end)
        else:
            i += 1
    if begin < end:
        out.append((begin, _trim(text, begin, end)))
    return [(i, j) for i, j in out if i < j]


def _trim(text: str, start: int, end: int) -> int:
    while end > start and _is_space(text[end - 1]):
        end -= 1
    return end


def _ends_sentence(text: str, begin: int, i: int, end: int) -> bool:
    """Whether the mark at `i` ends the sentence that began at `begin`."""
    after = i + 1
    while after < end and text[after] in CLOSERS + ENDS:
        after += 1
    if after < end and not _is_space(text[after]):
        return False
    if text[i] != ".":
        return True
    word = i
    while (word > begin and char_class(text[word - 1]) in (LETTER, UPPER, DIGIT)) or (
        word > begin and text[word - 1] == "."
    ):
        word -= 1
    before = fold_text(text[word:i])
    if before in _abbreviations() or (len(before) == 1 and char_class(text[word]) == UPPER):
        return False
    if before and all(char_class(c) == DIGIT for c in before) and len(before) <= NUMBER_DIGITS - 1:
        following = _next_word(text, after, end)
        return not (following in _months() or word == begin)
    return True


def _next_word(text: str, i: int, end: int) -> str:
    i = _skip_space(text, i, end)
    j = i
    while j < end and char_class(text[j]) in (LETTER, UPPER):
        j += 1
    tokens = parse(text[i:j]).tokens
    return tokens[0].form if tokens else ""


# -- clauses ---------------------------------------------------------------------------------------------------------


def _clauses(text: str, start: int, end: int, aliases: tuple[str, ...]) -> tuple[Clause, ...]:
    """The clauses of one sentence: cut at commas and conjunctions where both sides say something."""
    tokens = parse(text[start:end], aliases).tokens
    pieces: list[tuple[int, int]] = []
    joints = _joints(tokens)
    first = 0
    for i, following in zip(joints, [*joints, len(tokens)][1:], strict=True):
        if _is_clause(tokens[first:i]) and _is_clause(_words(tokens[i:following])):
            pieces.append((first, i))
            first = i
    pieces.append((first, len(tokens)))
    if len(pieces) == 1:
        return (Clause(start, end, text[start:end]),)
    out: list[Clause] = []
    owner: int | None = None
    subject = ""
    for n, (i, j) in enumerate(pieces):
        words = _words(tokens[i:j])
        own = _opens_with_subject(words)
        begin = start + words[0].start
        stop = _trim_joint(text, begin, start + tokens[j].start if j < len(tokens) else end)
        if own or owner is None:
            owner, subject = n, _subject(text[begin:stop])
            out.append(Clause(begin, stop, text[begin:stop]))
        else:
            out.append(Clause(begin, stop, subject + text[begin:stop], owner))
    return tuple(out)


def _trim_joint(text: str, start: int, end: int) -> int:
    """The end of a clause without the space, commas and full stops behind it."""
    while end > start and (_is_space(text[end - 1]) or text[end - 1] in COMMAS + ENDS + CJK_ENDS):
        end -= 1
    return end


def _joints(tokens: Sequence[Token]) -> list[int]:
    """Where a clause may begin: at a comma or semicolon, or at a conjunction with no comma before it; not in quotes."""
    out: list[int] = []
    depth = 0
    quoted = False
    for i, token in enumerate(tokens):
        if token.kind == "mark":
            quoted ^= token.form == '"'
            depth += (token.form in "([{«") - (token.form in ")]}»" and depth > 0)
            if token.form in COMMAS and not quoted and not depth:
                out.append(i)
        elif token.form in particles("conjunction") and i and not (quoted or depth or (out and out[-1] == i - 1)):
            out.append(i)
    return out


def _words(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens behind the comma and the conjunction that open a piece."""
    i = 0
    while i < len(tokens) - 1 and (tokens[i].kind == "mark" or tokens[i].form in particles("conjunction")):
        i += 1
    return tokens[i:]


def _is_clause(tokens: Sequence[Token]) -> bool:
    """Whether a piece says something of its own: two content words, or one behind a subject or a form of be."""
    if not tokens:
        return False
    words = [t for t in tokens if t.role == "content" and t.kind not in ("mark", "negation", "user")]
    others = [t for t in words if t.kind != "name"]
    if not others and not (words and any(t.form in particles("be") for t in tokens)):
        return False
    return len(words) >= CLAUSE_WORDS or _opens_with_subject(tokens) or tokens[0].form in particles("be")


def _opens_with_subject(tokens: Sequence[Token]) -> bool:
    """Whether the first words name somebody or something: the user, a name, a relation, a pronoun, or an article."""
    first = tokens[0]
    if first.kind in ("user", "name") or first.relation or first.person:
        return True
    return first.form in particles("determiner")


def has_narrative(text: str) -> bool:
    """Whether a text says anything beside its headings and list markers."""
    return any(
        not _is_heading(text, sentence)
        and any(t.role == "content" and t.kind != "mark" for t in parse(clause.text).tokens)
        for sentence in sentences(text)
        for clause in sentence.clauses
    )


def _is_heading(text: str, sentence: Sentence) -> bool:
    start = sentence.start
    while start and text[start - 1] not in LINE_ENDS:
        start -= 1
    return text[_skip_space(text, start, sentence.start)] == "#"


# -- cutting -----------------------------------------------------------------------------------------------------------


def cuts(text: str, aliases: tuple[str, ...], removed: Sequence[tuple[int, int | None]]) -> list[tuple[int, int, str]]:
    """What to cut so that `text` reads well without some clauses: start, end, and what to put there instead.

    `removed`: pairs of a sentence's position and a clause's in it, or None for all of it. The spans are in order and do
    not overlap.
    """
    plan = sentences(text, aliases)
    gone: dict[int, set[int | None]] = {}
    for at, clause in removed:
        gone.setdefault(at, set()).add(clause)
    spans: list[tuple[int, int, str]] = []
    for at in sorted(gone):
        sentence = plan[at]
        if None in gone[at] or len(gone[at]) == len(sentence.clauses):
            spans.append((*_whole(text, sentence), ""))
        else:
            spans.extend(_parts(text, sentence, sorted(n for n in gone[at] if n is not None)))
    return _disjoint(spans)


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
    while end < len(text) and _is_space(text[end]) and text[end] not in LINE_ENDS:
        end += 1
    starts_line = sentence.start == 0 or text[sentence.start - 1] in LINE_ENDS
    if end < len(text) and text[end] not in LINE_ENDS:
        return sentence.start, end
    if starts_line:
        return sentence.start, _line_end(text, end)
    start = sentence.start
    while start and _is_space(text[start - 1]) and text[start - 1] not in LINE_ENDS:
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
            out.append((start, end, _subject(text[clauses[heir].start : clauses[heir].end])))
        elif char_class(text[start]) == UPPER and char_class(text[end]) == LETTER:
            out.append((start, end + 1, _capital(text[end])))
        else:
            out.append((start, end, ""))
    out.extend((clauses[n - 1].end, clauses[n].end, "") for n in gone if n > leading)
    return out


def _capital(char: str) -> str:
    """The capital of a Latin, Greek or Cyrillic letter; in others Python and Rust follow different Unicode versions."""
    return char.upper() if char < "\u0180" or "\u0370" <= char < "\u0530" else char


def _subject(clause: str) -> str:
    """The words that name the subject of a clause, with a space behind, for the clause that took it over."""
    end = 0
    for token in parse(clause).tokens:
        if not (
            token.kind in ("user", "name")
            or token.relation
            or token.possessive
            or token.form in particles("determiner")
        ):
            break
        end = token.end
    space = "" if end and char_class(clause[end - 1]) in CJK else " "
    return clause[:end] + space if end else ""
