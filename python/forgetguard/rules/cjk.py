"""Chinese, Japanese and Korean runs: no spaces, so words of the tables are cut out and the rest becomes bigrams."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from forgetguard.rules.lexicon import rows
from forgetguard.rules.text import HIRAGANA, char_class


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a run: `kind` user, cjk or negation; `start` and `end` count characters of the run."""

    kind: str
    text: str = field(repr=False)
    start: int
    end: int
    role: str = "content"
    relation: str = ""


@lru_cache(maxsize=4)
def _words(language: str) -> dict[str, tuple[str, str, str]]:
    """What the tables say of a word: kind, role, relation. Earlier tables win."""
    table: dict[str, tuple[str, str, str]] = {}
    for name, entry in (
        ("user", ("user", "stop", "")),
        ("negation", ("negation", "stop", "")),
        ("relations", ("cjk", "content", "relation")),
        ("cjk", ("cjk", "stop", "")),
        ("soft", ("cjk", "soft", "")),
    ):
        for row in rows(name):
            if row[0] == language:
                table.setdefault(row[1], (entry[0], entry[1], row[2] if entry[2] else ""))
    for lang, synonyms in rows("synonyms"):
        if lang == language:
            for word in synonyms.split(" "):
                table.setdefault(word, ("cjk", "content", ""))
    return table


@lru_cache(maxsize=4)
def _longest(language: str) -> int:
    return max((len(word) for word in _words(language)), default=0)


def cut(run: str, language: str) -> list[Piece]:
    """The pieces of a run, in order: words of the tables, and overlapping bigrams of what lies between."""
    out: list[Piece] = []
    start = i = 0
    while i < len(run):
        word = _word_at(run, i, language)
        if word is None:
            i += 1
            continue
        out.extend(_bigrams(run, start, i, language))
        kind, role, kin = word[1]
        text = "user" if kind == "user" else word[0]
        out.append(Piece(kind, text, i, i + len(word[0]), role, kin))
        i += len(word[0])
        start = i
    out.extend(_bigrams(run, start, len(run), language))
    return out


def _word_at(run: str, i: int, language: str) -> tuple[str, tuple[str, str, str]] | None:
    """The longest word of the tables at `i`. In Korean a user word opens its run, an ending closes it."""
    table = _words(language)
    for size in range(min(_longest(language), len(run) - i), 0, -1):
        word = run[i : i + size]
        found = table.get(word)
        if found is None:
            continue
        if language == "ko" and not _fits_korean(run, i, size, found, table):
            continue
        return word, found
    return None


def _fits_korean(
    run: str, i: int, size: int, found: tuple[str, str, str], table: dict[str, tuple[str, str, str]]
) -> bool:
    """An ending closes its run; other words open it, and a pronoun of one syllable only with an ending behind it."""
    if size == len(run):
        return True
    if found[:2] == ("cjk", "stop"):
        return i > 0 and i + size == len(run)
    ending = table.get(run[size:], ("", "", ""))[:2] == ("cjk", "stop")
    return i == 0 and (size > 1 or found[0] != "user" or ending)


def _bigrams(run: str, start: int, end: int, language: str) -> list[Piece]:
    if end - start == 1:
        return [_piece(run, start, end, language)]
    return [_piece(run, i, i + 2, language) for i in range(start, end - 1)]


def _piece(run: str, start: int, end: int, language: str) -> Piece:
    """A bigram of Hiragana alone is grammar in Japanese: it never decides."""
    text = run[start:end]
    soft = language == "ja" and all(char_class(c) == HIRAGANA for c in text)
    return Piece("cjk", text, start, end, "soft" if soft else "content")
