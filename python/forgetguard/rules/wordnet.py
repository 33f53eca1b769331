"""What WordNet says of English words: how rare each is, and which senses it has."""

from __future__ import annotations

from functools import lru_cache

from forgetguard.rules.lexicon import rows
from forgetguard.rules.stems import stem

UNKNOWN_RARITY = 15
"""The rarity of a word that does not stand in `rarity.tsv`."""


@lru_cache(maxsize=1)
def _rarity() -> dict[str, int]:
    return {word: int(value) for word, value in rows("rarity")}


@lru_cache(maxsize=1)
def _stem_rarity() -> dict[str, int]:
    """The rarity of a stem is that of its most frequent word."""
    table: dict[str, int] = {}
    for word, value in _rarity().items():
        key = stem(word, "en")
        table[key] = min(value, table.get(key, UNKNOWN_RARITY))
    return table


def rarity(form: str, key: str) -> int:
    """0 (most frequent) to 15 (rarest or unknown), from `rarity.tsv`."""
    found = _rarity().get(form)
    return found if found is not None else _stem_rarity().get(key, UNKNOWN_RARITY)


@lru_cache(maxsize=1)
def _senses() -> dict[str, frozenset[str]]:
    return {lemma: frozenset(senses.split(" ")) for lemma, senses in rows("senses")}


@lru_cache(maxsize=1)
def _stem_senses() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for lemma, senses in _senses().items():
        key = stem(lemma, "en")
        table[key] = table.get(key, frozenset()) | senses
    return table


def senses_of(form: str, key: str) -> frozenset[str]:
    """The senses of a word, by its form or else by its stem."""
    return _senses().get(form) or _stem_senses().get(key, frozenset())


def is_word(form: str) -> bool:
    """Whether `form` is one of the words whose rarity is listed."""
    return form in _rarity()


def is_known(form: str) -> bool:
    """Whether `form` is a word, or the stem of one."""
    return form in _rarity() or form in _stem_rarity() or form in _senses() or form in _stem_senses()
