"""Where a sentence's clauses begin and end, and whose subject each takes over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from forgetguard.rules.blocks import is_space
from forgetguard.rules.text import CJK, char_class
from forgetguard.rules.tokens import Parsed, Token, is_alias, parse
from forgetguard.rules.words import is_listed, particles

ENDS = ".!?…"
CJK_ENDS = "。！？｡"
COMMAS = ",;，；、､—–"
CLAUSE_WORDS = 2
"""Least content words of a clause of its own; one is enough behind a subject or a form of be."""
AMOUNTS = ("number", "unit", "date", "weekday", "time")
ONE_LETTER = {"e": ("pt",), "o": ("es",), "y": ("es",)}
"""The languages of conjunctions of one letter."""
CLAUSE_REACH = 16
"""Tokens from its start within which a clause has said something; a limit, so that the time stays linear."""
VERB_WITHIN = 3
"""Words among which the verb of a clause stands."""


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


def clauses(text: str, start: int, end: int, aliases: tuple[str, ...]) -> tuple[Clause, ...]:
    """The clauses of one sentence: cut at commas, conjunctions and subordinators where both sides say something."""
    parsed = parse(text[start:end], aliases)
    tokens = parsed.tokens
    pieces: list[tuple[int, int]] = []
    joints = _joints(text[start:end], parsed)
    first = 0
    listing = False
    opening = _connective(text[start:end], tokens, parsed.language)
    for i, following in zip(joints, [*joints, len(tokens)][1:], strict=True):
        right = _words(text[start:end], tokens[i:following], parsed.language)
        begin = first or opening
        if (
            _is_clause(tokens[begin : min(i, begin + CLAUSE_REACH)])
            and _is_clause(right)
            and not (listing and not _says_who(right))
        ):
            pieces.append((first, i))
            first, listing = i, False
        else:
            listing = tokens[i].kind == "mark" and not _is_relative(right)
    pieces.append((first, len(tokens)))
    if len(pieces) == 1:
        return (Clause(start, end, text[start:end]),)
    out: list[Clause] = []
    owner: _Owner | None = None
    for n, (i, j) in enumerate(pieces):
        words = _words(text[start:end], tokens[i:j], parsed.language) if n else tokens[i:j]
        own = _opens_with_subject(words) or (n > 0 and _is_connective(tokens[j - len(words) - 1]))
        if owner and owner.is_another and len(words) > 1 and words[0].form in particles("third"):
            own, words = False, words[1:]  # "she" is the one who was named last
        begin = start + words[0].start
        stop = _trim_joint(text, begin, start + tokens[j].start if j < len(tokens) else end)
        if own or owner is None:
            out.append(Clause(begin, stop, text[begin:stop]))
            if n or not opening:  # nothing is taken over from "Because she is ill, …"
                owner = _Owner.of(n, text[start:end], words, parsed.language)
        elif parsed.language == "en" and not _opens_with_verb(text[start:end], words):
            out.append(Clause(begin, stop, owner.predicate + text[begin:stop], owner.place))
        else:
            out.append(Clause(begin, stop, owner.subject + text[begin:stop], owner.place))
    return tuple(out)


def _joints(sentence: str, parsed: Parsed) -> list[int]:
    """Where a clause may begin: at a comma, semicolon or dash, or at a word that joins, with no comma before it.

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
        elif i and (
            _is_conjunction(sentence, token, parsed.language)
            or _connective(sentence, tokens[i : i + CLAUSE_REACH], parsed.language)
        ):
            between = paired or _is_between_amounts(tokens, i)
            opened = (out and out[-1] == i - 1) or _is_conjunction(sentence, tokens[i - 1], parsed.language)
            if not (quoted or depth or between or opened):
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
    return is_space(sentence[token.start - 1]) and is_space(sentence[token.end])


def _words(sentence: str, tokens: Sequence[Token], language: str) -> Sequence[Token]:
    """The tokens behind the comma, the conjunction and the connective that open a piece."""
    i = 0
    while i < len(tokens) - 1 and (tokens[i].kind == "mark" or _is_conjunction(sentence, tokens[i], language)):
        i += 1
    return tokens[i + _connective(sentence, tokens[i:], language) :]


def _is_connective(token: Token) -> bool:
    return any(token.form in particles(name) for name in ("consequence", "subordinator", "complement"))


def _connective(sentence: str, tokens: Sequence[Token], language: str) -> int:
    """How many tokens tell that what follows is a clause: one ("because"), two ("so that", "even though"), else none.

    A clause names who or what does something ("because she left", "since the shop closed"), which an adverbial
    ("since the summer") and a degree ("so tall") do not, or asks for something ("so try the soup").
    """
    if len(tokens) < 2:
        return 0
    first, second = tokens[0].form, tokens[1].form
    length = 2 if second in particles("complement") else 1
    if first in particles("premise") and (length == 2 or second in particles("subordinator")):
        length = 2
    elif not (first in particles("consequence") or first in particles("subordinator")):
        return 0
    behind = [*takewhile(lambda token: token.kind != "mark", tokens[length:CLAUSE_REACH])]
    if not behind:
        return 0
    asks = len(behind) > 1 and behind[0].role == "content" and behind[1].form in particles("determiner")
    is_clause = _acts(sentence, behind, language) or (asks and first in particles("consequence"))
    return length if is_clause else 0


def _acts(sentence: str, tokens: Sequence[Token], language: str) -> bool:
    """Whether a piece says that somebody or something does something: a person or a pronoun, or a thing and a verb."""
    if not _opens_with_subject(tokens):
        return False
    if tokens[0].form in particles("pronoun") or any(_is_somebody(token) for token in tokens[:2]):
        return True
    if language != "en":
        return len(tokens) > 2
    return any(token.form in particles("be") for token in tokens) or any(_is_verb(sentence, t) for t in tokens[2:])


def _trim_joint(text: str, start: int, end: int) -> int:
    """The end of a clause without the space, commas and full stops behind it."""
    while end > start and (is_space(text[end - 1]) or text[end - 1] in COMMAS + ENDS + CJK_ENDS):
        end -= 1
    return end


def _is_clause(tokens: Sequence[Token]) -> bool:
    """Whether a piece says something of its own: two content words, or one behind a subject or a form of be."""
    if not tokens or _opens_with_preposition(tokens) or _is_relative(tokens):
        return False
    words = [t for t in tokens if t.role == "content" and t.kind not in ("mark", "negation", "user") and _is_word(t)]
    others = [t for t in words if t.kind != "name"]
    if not others and not (words and any(t.form in particles("be") for t in tokens)):
        return False
    return len(words) >= CLAUSE_WORDS or _opens_with_subject(tokens) or tokens[0].form in particles("be")


def _is_relative(tokens: Sequence[Token]) -> bool:
    """Whether a piece only tells more of what it follows (", who lives in Porto, …")."""
    return bool(tokens) and tokens[0].form in particles("relative")


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


# -- what a clause takes over ----------------------------------------------------------------------------------------


def _opens_with_subject(tokens: Sequence[Token]) -> bool:
    """Whether the first words name somebody or something: the user, a name, a relation, a pronoun, or an article."""
    return _is_somebody(tokens[0]) or tokens[0].form in particles("determiner")


def _is_somebody(token: Token) -> bool:
    return token.kind in ("user", "name") or bool(token.relation) or token.person


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
    if any(is_space(char) for char in sentence[token.start : token.end]):
        return True  # a listed phrase ("moved to") stands under the word that it means
    return token.role != "stop" and not form.startswith(key[: len(key) - 1])


@dataclass(frozen=True, slots=True)
class _Owner:
    """A clause as those behind it take its subject over.

    `place`: its position among its sentence's clauses. `subject`: the words that name it, with a space behind.
    `predicate`: those with their verb, for a piece that has neither ("User likes" for "strong coffee").
    `is_another`: whether the subject names somebody, be it the user by an alias.
    """

    place: int
    subject: str
    predicate: str
    is_another: bool

    @classmethod
    def of(cls, place: int, sentence: str, tokens: Sequence[Token], language: str) -> _Owner:
        """The clause in this place, of these tokens of its sentence."""
        length = _length_of_subject(tokens, language)
        named, start = tokens[:length], tokens[0].start
        subject = sentence[start : named[-1].end] if named else ""
        if subject and char_class(subject[-1]) not in CJK:
            subject += " "
        behind = [token for token in tokens[length:] if token.kind != "mark"][:VERB_WITHIN]
        verb = next((token for token in behind if _is_verb(sentence, token)), None)
        predicate = sentence[start : verb.end] + " " if verb else subject
        another = any(
            token.kind == "name" or token.relation or token.person or is_alias(token, language) for token in named
        )
        return cls(place, subject, predicate, another)


def _length_of_subject(tokens: Sequence[Token], language: str) -> int:
    """How many tokens name the subject, the full stop behind "Dr" among them.

    In capitals everything is a name: then a function word ends it ("USER IS ALLERGIC"), or it is the first token alone.
    """
    length = 0
    for n, token in enumerate(tokens):
        if _names(token) and not (token.kind == "name" and is_listed("stop", token.form, language)):
            length = n + 1
        elif token.form != ".":
            return length
    return min(length, 1)


def _names(token: Token) -> bool:
    """Whether a token belongs to the words that name a subject."""
    return (
        token.kind in ("user", "name")
        or bool(token.relation)
        or token.possessive
        or token.form in particles("determiner")
    )
