"""Active or passive."""

from __future__ import annotations

from functools import lru_cache

from forgetguard.rules.lexicon import rows
from forgetguard.rules.tokens import Parsed, Token
from forgetguard.rules.words import particles

NO_PAST_ENDINGS = ("ing", "s", "er", "est")
"""Endings of irregular English forms that are no past."""


@lru_cache(maxsize=512)
def is_passive(parsed: Parsed) -> bool:
    """A form of *be* (or *werden*) and, behind a participle, the word that names the agent or the source."""
    tokens = parsed.tokens
    if parsed.language == "de":
        becoming = next((i for i, t in enumerate(tokens) if t.form in particles("werden")), len(tokens))
        return any(_looks_participle(t, "de") for t in tokens[becoming:])
    for i, token in enumerate(tokens):
        if token.form in particles("be") and i + 1 < len(tokens) and _looks_participle(tokens[i + 1], parsed.language):
            return True
    return False


@lru_cache(maxsize=1)
def _irregular_forms() -> frozenset[str]:
    return frozenset(
        form
        for lang, form, lemma in rows("irregular")
        if lang == "en" and lemma != form and not form.endswith(NO_PAST_ENDINGS)
    )


def is_past(token: Token) -> bool:
    """Whether an English word looks like a past form or a participle."""
    first = token.form.partition(" ")[0]
    return token.kind == "word" and token.role == "content" and (first.endswith("ed") or first in _irregular_forms())


def _looks_participle(token: Token, language: str) -> bool:
    if token.kind != "word" or token.role != "content":
        return False
    if language == "en":
        return is_past(token)
    if language == "de":
        return token.form.startswith("ge")
    return token.form.endswith(("ado", "ada", "ido", "ida", "ados", "adas", "idos", "idas", "e", "ee", "i", "u"))
