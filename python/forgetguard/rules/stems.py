"""The key under which forms of one word meet."""

from __future__ import annotations

from functools import lru_cache

from forgetguard.rules.lexicon import rows

STEM_PASSES = 2


@lru_cache(maxsize=1)
def _irregular() -> dict[tuple[str, str], str]:
    return {(lang, form): lemma for lang, form, lemma in rows("irregular")}


@lru_cache(maxsize=1)
def _suffixes() -> dict[str, tuple[tuple[str, str, int, bool], ...]]:
    table: dict[str, list[tuple[str, str, int, bool]]] = {}
    for lang, suffix, replacement, least, again in rows("suffix"):
        table.setdefault(lang, []).append((suffix, replacement, int(least), again == "1"))
    return {lang: tuple(sorted(found, key=lambda r: (-len(r[0]), r[0]))) for lang, found in table.items()}


@lru_cache(maxsize=16384)
def stem(form: str, language: str) -> str:
    """The key under which forms of one word meet: the irregular table first, then suffixes, longest first.

    A form that the irregular table gives as its own lemma is left alone.
    """
    irregular = _irregular()
    form = irregular.get((language, form), form)
    if irregular.get((language, form)) == form:
        return form
    for _ in range(STEM_PASSES):
        form, again = _without_suffix(form, language)
        if not again:
            break
    return form


def _without_suffix(form: str, language: str) -> tuple[str, bool]:
    """`form` less its longest listed suffix, and whether another may follow."""
    for suffix, replacement, least, again in _suffixes().get(language, ()):
        if len(form) - len(suffix) >= least and form.endswith(suffix):
            return form[: len(form) - len(suffix)] + replacement, again
    return form, False


def is_irregular(form: str, language: str) -> bool:
    """Whether the table of irregular forms knows a word of this language."""
    return (language, form) in _irregular()
