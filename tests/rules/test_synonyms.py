"""Words and phrases that say the same: what must align in each language, what must not, and the form of the tables."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from forgetguard.rules.alignment import align
from forgetguard.rules.cjk import cut
from forgetguard.rules.frames import change
from forgetguard.rules.lexemes import scan
from forgetguard.rules.lexicon import rows
from forgetguard.rules.matching import judge
from forgetguard.rules.meanings import groups
from forgetguard.rules.readings import readings
from forgetguard.rules.stems import stem
from forgetguard.rules.text import clean
from forgetguard.rules.tokens import _expand, _phrase_table, _without_hyphens, parse
from forgetguard.rules.words import CJK_LANGUAGES

CASES = json.loads(
    (Path(__file__).resolve().parents[2] / "fixtures" / "synonym-pairs-v1.json").read_text(encoding="utf-8")
)
LANGUAGES = ("en", "pt", "es", "fr", "de", *CJK_LANGUAGES)
LEAST = {"zh": 20, "ja": 20, "ko": 20}


def keys(text: str, language: str) -> set[str]:
    """What a word, or the phrases inside a text, stand for."""
    if language in CJK_LANGUAGES:
        return {piece.text for lexeme in scan(clean(text)) for piece in cut(lexeme.text, language)}
    words = [lexeme.text for lexeme in _without_hyphens(_expand(scan(clean(text)), language))]
    stems = [stem(word, language) for word in words]
    table = _phrase_table(language)
    found = (
        (len(phrase), word)
        for i, first in enumerate(stems)
        for phrase, word, _ in table.get(first, ())
        if tuple(stems[i : i + len(phrase)]) == phrase
    )
    return {max(found, default=(0, " ".join(stems)))[1]}


def aligned(a: str, b: str, language: str) -> bool:
    return any(
        x == y or groups(x, language) & groups(y, language) for x in keys(a, language) for y in keys(b, language)
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_says_the_same_aligns(language: str) -> None:
    pairs = CASES[language]["must_align"]
    assert len(pairs) >= LEAST.get(language, 60)
    assert not [pair for pair in pairs if not aligned(*pair, language)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_says_something_else_does_not_align(language: str) -> None:
    pairs = CASES[language]["must_not_align"]
    assert len(pairs) >= LEAST.get(language, 60)
    assert not [pair for pair in pairs if aligned(*pair, language)]


def test_no_group_or_phrase_stands_twice() -> None:
    assert not [row for row, count in Counter(rows("synonyms")).items() if count > 1]
    assert not [key for key, count in Counter(row[:2] for row in rows("phrases")).items() if count > 1]


def test_no_group_holds_opposites() -> None:
    grouped = [(lang, {stem(word, lang) for word in words.split(" ")}) for lang, words in rows("synonyms")]
    opposites = [(lang, stem(a, lang), stem(b, lang)) for lang, a, b in rows("antonyms")]
    assert not [
        (words, a, b)
        for lang, words in grouped
        for other, a, b in opposites
        if lang == other and a in words and b in words
    ]


def test_a_phrase_has_the_relation_of_its_word() -> None:
    tokens = parse("The user's family doctor's name is Ana").tokens
    doctor = next(token for token in tokens if token.form == "family doctor")
    assert (doctor.relation, doctor.possessive) == ("care", True)
    assert not any(token.relation for token in parse("User is expecting a baby").tokens)


@pytest.mark.parametrize(
    ("fact", "candidate"),
    [
        ("User's mother is a nurse", "User's mother-in-law is a nurse"),
        ("User's wife lives in Rome", "User's ex-wife lives in Rome"),
        ("User does not eat meat", "User's co-worker is vegetarian"),
        ("La mère de l'utilisateur est infirmière", "La belle-mère de l'utilisateur est infirmière"),
    ],
)
def test_a_relative_of_two_words_is_somebody_else(fact: str, candidate: str) -> None:
    assert judge(readings(candidate), parse(fact), 0.9).action == "store"


def test_a_phrase_leaves_an_ending_whole() -> None:
    assert parse("Al usuario ya no le gusta el fútbol").ceased
    assert not parse("Al usuario no le gusta el fútbol").ceased


def test_a_phrase_is_a_frame_by_its_word() -> None:
    assert change(align(parse("User handed in her notice at Acme"), parse("User is a nurse at Acme")))
