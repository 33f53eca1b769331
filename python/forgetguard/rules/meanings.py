"""What the tables of synonyms, converses and antonyms say of a word."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from forgetguard.rules.lexicon import rows
from forgetguard.rules.stems import stem


@lru_cache(maxsize=1)
def _groups() -> dict[tuple[str, str], frozenset[int]]:
    """The synonym groups of each stem, by language."""
    table: dict[tuple[str, str], set[int]] = {}
    for number, (lang, lemmas) in enumerate(rows("synonyms")):
        for lemma in lemmas.split(" "):
            table.setdefault((lang, stem(lemma, lang)), set()).add(number)
    return {key: frozenset(found) for key, found in table.items()}


@lru_cache(maxsize=1)
def _pairs() -> dict[str, dict[tuple[str, str], frozenset[int]]]:
    """The numbers of the antonym and converse pairs that each stem stands in, by language."""
    tables: dict[str, dict[tuple[str, str], set[int]]] = {"antonyms": {}, "converse": {}}
    for name, table in tables.items():
        for number, (lang, a, b) in enumerate(rows(name)):
            # The two ends of a pair get numbers of one pair with opposite signs; 0 has none, so count from 1.
            table.setdefault((lang, stem(a, lang)), set()).add(number + 1)
            table.setdefault((lang, stem(b, lang)), set()).add(-number - 1)
    return {name: {key: frozenset(found) for key, found in table.items()} for name, table in tables.items()}


def _paired(name: str, a: str, b: str, language: str) -> bool:
    """Whether `a` stands at one end of a pair of the table `name` and `b` at the other."""
    table = _pairs()[name]
    return any(-number in table.get((language, b), ()) for number in table.get((language, a), ()))


def groups(key: str, language: str) -> frozenset[int]:
    """The synonym groups that a stem stands in."""
    return _groups().get((language, key), frozenset())


def are_converse(a: str, b: str, language: str) -> bool:
    """Whether two verbs say the same with the roles exchanged (lend, borrow)."""
    return _paired("converse", a, b, language)


def are_opposite(a: str, b: str, language: str) -> bool:
    """Whether two words are antonyms, directly or through a synonym of one of them."""
    synonyms = _with_synonyms(b, language)
    return any(_paired("antonyms", x, y, language) for x in _with_synonyms(a, language) for y in synonyms)


def traits(key: str, language: str, end: int) -> Iterator[str]:
    """What two words share, one with `end` 1 and one with -1, that are synonyms, converses or opposites."""
    yield from (f"g{number}" for number in sorted(groups(key, language)))
    yield from (f"c{end * number}" for number in sorted(_pairs()["converse"].get((language, key), ())))
    for synonym in _with_synonyms(key, language):
        yield from (f"a{end * number}" for number in sorted(_pairs()["antonyms"].get((language, synonym), ())))


@lru_cache(maxsize=4096)
def _with_synonyms(key: str, language: str) -> tuple[str, ...]:
    found = groups(key, language)
    return (
        key,
        *sorted(k for (lang, k), numbers in _groups().items() if lang == language and numbers & found and k != key),
    )
