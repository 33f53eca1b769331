"""Words: which language, and what the lists say of each."""

from __future__ import annotations

from functools import lru_cache

from forgetguard.rules import wordnet
from forgetguard.rules.lexemes import Lexeme
from forgetguard.rules.lexicon import rows
from forgetguard.rules.stems import is_irregular, stem

LANGUAGES = ("en", "pt", "es", "fr", "de")
"""Languages that the vote chooses between; the first wins a tie."""
VOTING_TABLES = ("user", "contractions", "relations", "soft", "numbers", "calendar", "units")
"""Tables whose words vote beside the stop words and negations, with half their weight."""
STOP_VOTES = 2
CJK_LANGUAGES = ("zh", "ja", "ko")


@lru_cache(maxsize=1)
def _votes() -> dict[str, tuple[tuple[str, int], ...]]:
    """The languages that each listed word votes for, and with what weight."""
    votes: dict[str, dict[str, int]] = {}
    for lang, word, weight in rows("stop"):
        if weight == "1" and lang in LANGUAGES:
            votes.setdefault(word, {})[lang] = STOP_VOTES
    for lang, word, _ in rows("negation"):
        if lang in LANGUAGES:
            votes.setdefault(word, {})[lang] = STOP_VOTES
    for name in VOTING_TABLES:
        for lang, word, *_ in rows(name):
            if lang in LANGUAGES:
                votes.setdefault(word, {}).setdefault(lang, 1)
    return {word: tuple(found.items()) for word, found in votes.items()}


def vote(lexemes: list[Lexeme]) -> tuple[str, ...]:
    """The languages that a text may be in, the likeliest first; for CJK the one of its script.

    Listed words vote; among languages with equally many votes the text's inflected words put one first.
    """
    cjk = "".join(lexeme.text for lexeme in lexemes if lexeme.kind == "cjk")
    words = [lexeme.text for lexeme in lexemes if lexeme.kind == "word"]
    if cjk and 2 * len(cjk) > len(words):
        if any("\uac00" <= c <= "\ud7a3" for c in cjk):
            return ("ko",)
        return ("ja",) if any("\u3041" <= c <= "\u30ff" for c in cjk) else ("zh",)
    counts = dict.fromkeys(LANGUAGES, 0)
    votes = _votes()
    for word in words:
        for part in word.split("'") if "'" in word else (word,):
            for lang, weight in votes.get(part, ()):
                counts[lang] += weight
    most = max(counts.values())
    # A single listed word that is no stop word proves nothing ("chose" is French, and English).
    leading = [lang for lang in LANGUAGES if counts[lang] == most or most < STOP_VOTES]
    if len(leading) == 1:
        return (leading[0],)
    return tuple(sorted(leading, key=lambda lang: -counts[lang] - sum(_is_word_of(word, lang) for word in words)))


def _is_word_of(word: str, language: str) -> bool:
    """Whether the tables of ordinary words and of irregular forms know a word of this language."""
    return is_irregular(word, language) or (language == "en" and wordnet.is_word(word))


@lru_cache(maxsize=1)
def _members() -> dict[str, frozenset[tuple[str, str]]]:
    return {name: frozenset((row[0], row[1]) for row in rows(name)) for name in ("stop", "soft", "user")}


def is_listed(table: str, form: str, language: str) -> bool:
    """Whether `form` stands in the word list `table` for this language."""
    return (language, form) in _members()[table]


@lru_cache(maxsize=32)
def particles(name: str) -> frozenset[str]:
    """The function words of one class of `particles.tsv`."""
    return frozenset(form for group, form in rows("particles") if group == name)


@lru_cache(maxsize=1)
def _relations() -> dict[tuple[str, str], str]:
    return {(lang, form): name for lang, form, name in rows("relations")}


def relation(form: str, language: str) -> str:
    """The class of a relation word (kin, partner, work, pet …), or "" if it is none."""
    return _relations().get((language, form), "")


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    return frozenset(name for (name,) in rows("names"))


def is_given_name(form: str) -> bool:
    """Whether `form` is a common first name of a person."""
    return form in _names()


@lru_cache(maxsize=1)
def _listed() -> frozenset[str]:
    """English words of the tables; WordNet's stand in tables of their own."""
    tables = ("irregular", "relations", "negation", "units", "numbers")
    return frozenset(form for name in tables for lang, form, *_ in rows(name) if lang == "en")


def _is_ordinary(form: str) -> bool:
    return form in _listed() or wordnet.is_known(form)


def is_known(form: str, language: str) -> bool:
    """Whether an English word is an ordinary one, so that a capital at the start of a sentence makes no name of it."""
    if is_given_name(form):
        return False
    return language != "en" or _is_ordinary(form) or _is_ordinary(stem(form, "en"))
