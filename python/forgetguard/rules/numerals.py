"""Numbers, units and weekdays inside Chinese, Japanese and Korean runs, cut out so that `quantities` can read them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from forgetguard.rules.lexemes import Lexeme
from forgetguard.rules.lexicon import rows
from forgetguard.rules.words import CJK_LANGUAGES

DATE_SIGNS = "年月日号년월일"
MYRIAD = 10_000
LONGEST_NUMERAL = 16
"""Most characters of one numeral, so that its value is a number of ordinary size."""


@lru_cache(maxsize=1)
def _digits() -> dict[str, int]:
    """Numeral characters with their values; 10, 100 and 1000 multiply what stands before, larger ones the whole."""
    return {word: int(value) for lang, word, value, _ in rows("numbers") if lang in ("zh", "ja") and len(word) == 1}


@lru_cache(maxsize=4)
def _measures(language: str) -> tuple[str, ...]:
    """Units and currencies that may follow a number, longest first."""
    forms = {form for lang, form, _, _ in rows("units") if lang == language}
    forms |= {form for form, _ in rows("currencies") if form[0] > "\u2fff"}
    return tuple(sorted(forms, key=lambda form: (-len(form), form)))


@lru_cache(maxsize=4)
def _weekdays(language: str) -> tuple[str, ...]:
    found = {form for lang, form, kind, _, _ in rows("calendar") if lang == language and kind == "weekday"}
    return tuple(sorted(found, key=lambda form: (-len(form), form)))


def cut_numerals(lexemes: list[Lexeme], language: str) -> list[Lexeme]:
    """The lexemes with every numeral, unit behind a number, and weekday of a CJK run on its own."""
    if language not in CJK_LANGUAGES:
        return lexemes
    out: list[Lexeme] = []
    for lexeme in lexemes:
        after_number = bool(out) and out[-1].kind == "number" and lexeme.joined
        out.extend(_cut(lexeme, language, after_number) if lexeme.kind == "cjk" else (lexeme,))
    return out


def _cut(lexeme: Lexeme, language: str, after_number: bool) -> Iterable[Lexeme]:
    """The pieces of one run, in order. A date sign stays with the run: `quantities` reads dates whole."""
    run, start, i = lexeme.text, 0, 0
    if after_number and run[0] not in DATE_SIGNS:
        unit = _prefix(run, 0, _measures(language))
        if unit:
            yield _piece(lexeme, "word", unit, 0, len(unit))
            start = i = len(unit)
    while i < len(run):
        kind, text, end = _special(run, i, language)
        if not kind:
            i += 1
            continue
        if start < i:
            yield _piece(lexeme, "cjk", run[start:i], start, i)
        yield _piece(lexeme, kind, text, i, end)
        start = i = end
        unit = _prefix(run, i, _measures(language)) if kind == "number" and run[i : i + 1] not in DATE_SIGNS else ""
        if unit:
            yield _piece(lexeme, "word", unit, i, i + len(unit))
            start = i = i + len(unit)
    if start < len(run):
        yield _piece(lexeme, "cjk", run[start:], start, len(run))


def _special(run: str, i: int, language: str) -> tuple[str, str, int]:
    """Kind, text and end of the weekday or numeral at `i`; ("", "", i) if there is none."""
    day = _prefix(run, i, _weekdays(language))
    if day:
        return "word", day, i + len(day)
    end = i
    while end < min(len(run), i + LONGEST_NUMERAL) and run[end] in _digits():
        end += 1
    if end == i or (end - i == 1 and not _prefix(run, end, _measures(language))):
        return "", "", i
    return "number", str(_value(run[i:end])), end


def _value(numeral: str) -> int:
    total, section, digit = 0, 0, 0
    for char in numeral:
        value = _digits()[char]
        if value < 10:
            digit = value if value or not digit else digit * 10
        elif value < MYRIAD:
            section, digit = section + (digit or 1) * value, 0
        else:
            total, section, digit = total + (section + digit or 1) * value, 0, 0
    return total + section + digit


def _prefix(run: str, i: int, forms: tuple[str, ...]) -> str:
    return next((form for form in forms if run.startswith(form, i)), "")


def _piece(lexeme: Lexeme, kind: str, text: str, start: int, end: int) -> Lexeme:
    piece = lexeme.cut(start, end)
    at = piece.at if kind == "cjk" else ()
    return replace(piece, kind=kind, text=text, joined=lexeme.joined or start > 0, at=at)
