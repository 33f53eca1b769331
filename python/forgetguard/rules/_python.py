"""The Python twin behind the names and the plain data that `_native` has; `_native.pyi` says what each does.

`_backend` takes from one of the two what the package needs; the fixtures ask both for the rest.
"""

from __future__ import annotations

from forgetguard.rules import matching
from forgetguard.rules.alignment import align
from forgetguard.rules.clauses import Clause
from forgetguard.rules.cuts import cuts
from forgetguard.rules.index import Index, explain
from forgetguard.rules.readings import readings
from forgetguard.rules.requests import note_words, request_code
from forgetguard.rules.sentences import Sentence, has_narrative, sentences
from forgetguard.rules.text import fold_text
from forgetguard.rules.tokens import Token, parse
from forgetguard.rules.version import rules_version
from forgetguard.rules.vetoes import VETOES
from forgetguard.values import Vector

__all__ = [
    "Clause",
    "Index",
    "Sentence",
    "codes",
    "cuts",
    "explain",
    "fold_text",
    "has_narrative",
    "judge",
    "note_words",
    "quantise",
    "request_code",
    "rules_version",
    "sentences",
    "tokens",
    "vetoes",
]

_FLAGS = ("possessive", "person", "negated", "privative")
_Token = tuple[str, str, str, int, int, str, str, int, int, list[str]]


def tokens(text: str, aliases: tuple[str, ...]) -> tuple[str, str, bool, list[_Token]]:
    parsed = parse(text, aliases)
    return parsed.language, parsed.exact, parsed.ceased, [_plain(token) for token in parsed.tokens]


def _plain(token: Token) -> _Token:
    return (
        token.kind,
        token.key,
        token.form,
        token.start,
        token.end,
        token.role,
        token.relation,
        token.rarity,
        token.clause,
        [flag for flag in _FLAGS if getattr(token, flag)],
    )


def judge(
    candidate: str, fact: str, similarity: float | None, aliases: tuple[str, ...], past: str, wordnet: bool
) -> tuple[str, str, str, float]:
    decision = matching.judge(
        readings(candidate, aliases), parse(fact, aliases), similarity, past=past, wordnet=wordnet
    )
    return decision.action, decision.code, decision.why, decision.coverage


def quantise(numbers: object) -> tuple[bytes, float] | None:
    vector = Vector.quantise(numbers)
    return vector.values, vector.scale


def vetoes(candidate: str, fact: str, aliases: tuple[str, ...], wordnet: bool) -> list[str]:
    alignment = align(parse(candidate, aliases), parse(fact, aliases), wordnet=wordnet)
    return [code for code, holds in VETOES.items() if holds(alignment)]


def codes() -> list[str]:
    return [*matching.BEFORE_VETOES, *VETOES, *matching.AFTER_VETOES]
