"""A candidate as it is judged: whole, and clause by clause, each clause with the subject that it takes over."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from forgetguard.rules.lexemes import scan
from forgetguard.rules.requests import request_code
from forgetguard.rules.sentences import sentences
from forgetguard.rules.tokens import Parsed, is_alias, parse
from forgetguard.rules.words import vote

SHORT_TEXT = 80
"""Most code points of a text that is read in more than one language."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a candidate: the whole text, or one clause of it (`start` and `end` in code points).

    `request`: the whole text is a request to forget, or a note that something was deleted.
    """

    parsed: Parsed = field(repr=False)
    start: int
    end: int
    clause: bool = False
    request: bool = False


@lru_cache(maxsize=1024)
def readings(text: str, aliases: tuple[str, ...] = ()) -> tuple[Reading, ...]:
    """The whole of `text` first, in every language that it may be in, then its clauses if it has more than one."""
    parsed = parse(text, aliases)
    whole = Reading(parsed, 0, len(text), request=bool(request_code(_addressed(text, parsed))))
    others = [Reading(parse(text, aliases, language), 0, len(text)) for language in _other_languages(text)]
    clauses = [clause for sentence in sentences(text, aliases) for clause in sentence.clauses]
    if len(clauses) < 2:
        return (whole, *others)
    return (whole, *others, *(Reading(parse(c.text, aliases), c.start, c.end, clause=True) for c in clauses))


def _other_languages(text: str) -> tuple[str, ...]:
    """Further languages that a few words may be in; none for a longer text."""
    return vote(scan(text))[1:] if len(text) <= SHORT_TEXT else ()


def _addressed(text: str, parsed: Parsed) -> str:
    """The text with every alias of the user replaced by the word that requests know."""
    out: list[str] = []
    last = 0
    for token in parsed.tokens:
        # A word of the user in a script without spaces stands in the tables of requests as it is.
        if is_alias(token, parsed.language):
            out.extend((text[last : token.start], "User" + "'s" * token.possessive))
            last = token.end
    return "".join((*out, text[last:])) if out else text
