"""Where a text's sentences, list items and clauses begin and end, and how a text reads without some of them.

Guarantees: spans do not overlap and stand in order, and `cuts` names nothing but the removed spans, the space around
them, and the marks that joined them. Time is linear in the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from forgetguard.rules.lexicon import rows
from forgetguard.rules.text import CJK, DIGIT, LETTER, SPACE, UPPER, char_class, fold_text
from forgetguard.rules.tokens import Parsed, Token, parse
from forgetguard.rules.words import particles

ENDS = ".!?…"
CJK_ENDS = "。！？｡"
CLOSERS = "\"'”’»)]}」』*_"
COMMAS = ",;，；、､—–"
BULLETS = "-*+•·–—‣◦"
LINE_ENDS = "\n\r"
CLAUSE_WORDS = 2
"""Least content words of a clause of its own; one is enough behind a subject or a form of be."""
AMOUNTS = ("number", "unit", "date", "weekday", "time")
ONE_LETTER = {"e": ("pt",), "o": ("es",), "y": ("es",)}
"""The languages of conjunctions of one letter."""
CLAUSE_REACH = 16
"""Tokens from its start within which a clause has said something; a limit, so that the time stays linear."""
VERB_WITHIN = 3
"""Words among which the verb of a clause stands."""
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
    parsed = parse(text[start:end], aliases)
    tokens = parsed.tokens
    pieces: list[tuple[int, int]] = []
    joints = _joints(text[start:end], parsed)
    first = 0
    listing = False
    for i, following in zip(joints, [*joints, len(tokens)][1:], strict=True):
        right = _words(text[start:end], tokens[i:following], parsed.language)
        if (
            _is_clause(tokens[first : min(i, first + CLAUSE_REACH)])
            and _is_clause(right)
            and not (listing and not _says_who(right))
        ):
            pieces.append((first, i))
            first, listing = i, False
        else:
            listing = tokens[i].kind == "mark"
    pieces.append((first, len(tokens)))
    if len(pieces) == 1:
        return (Clause(start, end, text[start:end]),)
    out: list[Clause] = []
    owner: int | None = None
    subject = predicate = ""
    for n, (i, j) in enumerate(pieces):
        words = _words(text[start:end], tokens[i:j], parsed.language) if n else tokens[i:j]
        own = _opens_with_subject(words)
        begin = start + words[0].start
        stop = _trim_joint(text, begin, start + tokens[j].start if j < len(tokens) else end)
        if own or owner is None:
            owner, subject, predicate = n, _subject(text[begin:stop]), ""
            out.append(Clause(begin, stop, text[begin:stop]))
            continue
        if parsed.language == "en" and not _opens_with_verb(text[start:end], words):
            predicate = predicate or _with_verb(text[out[owner].start : out[owner].end], subject)
            out.append(Clause(begin, stop, predicate + text[begin:stop], owner))
        else:
            out.append(Clause(begin, stop, subject + text[begin:stop], owner))
    return tuple(out)


def _opens_with_verb(sentence: str, tokens: Sequence[Token]) -> bool:
    """Whether an English piece opens with a verb: "works in finance", but not "strong coffee"."""
    for token in tokens[:VERB_WITHIN]:
        if token.kind == "negation" or _is_verb(sentence, token):
            return True
        if token.role == "content":
            return False
    return False


def _is_verb(sentence: str, token: Token) -> bool:
    """Whether an English word has the form of a verb; some plurals have it too."""
    if token.kind != "word":
        return False
    form, key = token.form, token.key
    if form in particles("be") or form.endswith("ed") or (form.endswith("s") and not form.endswith("ss")):
        return True
    if any(_is_space(char) for char in sentence[token.start : token.end]):
        return True  # a listed phrase ("moved to") stands under the word that it means
    return token.role != "stop" and not form.startswith(key[: len(key) - 1])


def _with_verb(clause: str, subject: str) -> str:
    """The subject of a clause with its verb, for a piece that has neither ("User likes" for "strong coffee")."""
    for token in [t for t in parse(clause).tokens if t.start >= len(subject)][:VERB_WITHIN]:
        if _is_verb(clause, token):
            return clause[: token.end] + " "
    return subject


def _trim_joint(text: str, start: int, end: int) -> int:
    """The end of a clause without the space, commas and full stops behind it."""
    while end > start and (_is_space(text[end - 1]) or text[end - 1] in COMMAS + ENDS + CJK_ENDS):
        end -= 1
    return end


def _joints(sentence: str, parsed: Parsed) -> list[int]:
    """Where a clause may begin: at a comma, semicolon or dash, or at a conjunction with no comma before it.

    None begins in quotes or brackets, between numbers, or behind "between".
    """
    tokens = parsed.tokens
    out: list[int] = []
    depth = 0
    quoted = paired = False
    for i, token in enumerate(tokens):
        if token.kind == "mark":
            quoted ^= token.form == '"'
            depth += (token.form in "([{«") - (token.form in ")]}»" and depth > 0)
            if (token.form in COMMAS or _is_dash(sentence, token)) and not quoted and not depth:
                paired = False
                if not _is_between_amounts(tokens, i):
                    out.append(i)
        elif token.form in particles("pair"):
            paired = True
        elif i and _is_conjunction(sentence, token, parsed.language):
            between = paired or _is_between_amounts(tokens, i)
            if not (quoted or depth or between or (out and out[-1] == i - 1)):
                out.append(i)
            paired = False
    return out


def _is_between_amounts(tokens: Sequence[Token], i: int) -> bool:
    return 0 < i < len(tokens) - 1 and tokens[i - 1].kind in AMOUNTS and tokens[i + 1].kind in AMOUNTS


def _is_conjunction(sentence: str, token: Token, language: str) -> bool:
    """A conjunction of one letter is one in its own language only, and without an accent ("e" joins, "é" does not)."""
    if token.form not in particles("conjunction"):
        return False
    if len(token.form) > 1:
        return True
    return language in ONE_LETTER.get(token.form, ()) and sentence[token.start].isascii()


def _is_dash(sentence: str, token: Token) -> bool:
    """A long dash with a space on both sides."""
    if sentence[token.start] not in "–—" or token.start == 0 or token.end >= len(sentence):
        return False
    return _is_space(sentence[token.start - 1]) and _is_space(sentence[token.end])


def _words(sentence: str, tokens: Sequence[Token], language: str) -> Sequence[Token]:
    """The tokens behind the comma and the conjunction that open a piece."""
    i = 0
    while i < len(tokens) - 1 and (tokens[i].kind == "mark" or _is_conjunction(sentence, tokens[i], language)):
        i += 1
    return tokens[i:]


def _is_clause(tokens: Sequence[Token]) -> bool:
    """Whether a piece says something of its own: two content words, or one behind a subject or a form of be."""
    if not tokens or _opens_with_preposition(tokens):
        return False
    words = [t for t in tokens if t.role == "content" and t.kind not in ("mark", "negation", "user") and _is_word(t)]
    others = [t for t in words if t.kind != "name"]
    if not others and not (words and any(t.form in particles("be") for t in tokens)):
        return False
    return len(words) >= CLAUSE_WORDS or _opens_with_subject(tokens) or tokens[0].form in particles("be")


def _opens_with_preposition(tokens: Sequence[Token]) -> bool:
    """Whether a piece begins as an adverbial does ("In the planning meeting, …"): it claims nothing by itself."""
    first = next((t for t in tokens if t.kind != "mark"), tokens[0])
    return first.kind == "word" and first.form in particles("preposition")


def _is_word(token: Token) -> bool:
    """Whether a token is more than a lone letter ("e.g.")."""
    return len(token.form) > 1 or token.kind != "word"


def _says_who(tokens: Sequence[Token]) -> bool:
    """Whether a piece behind a list ("apples, pears and …") is a clause: it names the user, or has a form of be."""
    return tokens[0].kind == "user" or any(t.form in particles("be") for t in tokens)


def _opens_with_subject(tokens: Sequence[Token]) -> bool:
    """Whether the first words name somebody or something: the user, a name, a relation, a pronoun, or an article."""
    first = tokens[0]
    if first.kind in ("user", "name") or first.relation or first.person:
        return True
    return first.form in particles("determiner")


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
            heading = text[_skip_space(text, line, sentence.start)] == "#"
        last = sentence.start
        yield sentence, heading


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
    for start, _body, end, item in _blocks(text):
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
    while i < len(text) and _is_space(text[i]) and text[i] not in LINE_ENDS:
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
