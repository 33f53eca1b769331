"""The frame around the claim: how much of it, whether it is real, whether it has changed."""

from __future__ import annotations

from functools import lru_cache

from forgetguard.rules.alignment import Alignment, is_name
from forgetguard.rules.lexicon import rows
from forgetguard.rules.stems import stem
from forgetguard.rules.tokens import Parsed, Token
from forgetguard.rules.voice import is_past


@lru_cache(maxsize=8)
def _frames(table: str, language: str) -> dict[str, tuple[tuple[tuple[str, ...], str], ...]]:
    """Frames of one or more words by the stem of their first word, longest first."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for row in rows(table):
        if row[0] == language:
            keys = tuple(stem(word, language) for word in row[1].split(" "))
            found.setdefault(keys[0], []).append((keys, row[2] if len(row) > 2 else table))
    return {first: tuple(sorted(group, key=lambda g: -len(g[0]))) for first, group in found.items()}


def _find_frames(parsed: Parsed, table: str) -> list[tuple[int, str]]:
    """Start and class of every frame of `table` in the text."""
    frames = _frames(table, parsed.language)
    keys = [_frame_key(t, parsed.language) if t.kind in ("word", "negation") else "" for t in parsed.tokens]
    out: list[tuple[int, str]] = []
    for i, key in enumerate(keys):
        for words, name_ in frames.get(key, ()) if key else ():
            if tuple(keys[i : i + len(words)]) == words:
                out.append((parsed.tokens[i].start, name_))
                break
    return out


def _frame_key(token: Token, language: str) -> str:
    """The stem of a word, or of the word that a phrase stands for."""
    return token.key if " " in token.form else stem(token.form, language)


def quantifier(alignment: Alignment) -> bool:
    """All in one text is some in the other."""
    fact = {name_ for _, name_ in _find_frames(alignment.whole_fact, "quantifiers")}
    candidate = {name_ for _, name_ in _find_frames(alignment.whole_candidate, "quantifiers")}
    return ("all" in fact and "some" in candidate and "all" not in candidate) or (
        "some" in fact and "all" in candidate and "some" not in candidate
    )


def modal(alignment: Alignment) -> bool:
    """The candidate only wishes, seeks or considers what the fact states, or states as done what the fact wishes."""
    if _find_frames(alignment.whole_fact, "modals"):
        return not _find_frames(alignment.whole_candidate, "modals") and _is_told_as_done(alignment)
    claims = [
        t.start for t, at in zip(alignment.candidate, alignment.backward, strict=True) if at >= 0 and not is_name(t)
    ]
    last = max(claims, default=-1)
    said = {t.form for t in alignment.whole_fact.tokens}
    ours = {t.start for t in alignment.whole_candidate.tokens if t.form in said} | set(claims)
    frames = [start for start, _ in _find_frames(alignment.whole_candidate, "modals") if start not in ours]
    return any(start < last or not claims for start in frames)


def _is_told_as_done(alignment: Alignment) -> bool:
    """An aligned English verb stands in the past in the candidate only."""
    if alignment.whole_candidate.language != "en":
        return False
    return any(
        at >= 0 and is_past(alignment.candidate[at]) and not is_past(f)
        for f, at in zip(alignment.fact, alignment.forward, strict=True)
    )


def change(alignment: Alignment) -> bool:
    """What the candidate adds is a change: a new state, not the old one."""
    if _find_frames(alignment.whole_fact, "change"):
        return False
    added = {t.start for t in alignment.added}
    return any(start in added for start, _ in _find_frames(alignment.whole_candidate, "change"))
