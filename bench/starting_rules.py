"""The published design that the rules of forgetguard build past, as a baseline: four kinds of match.

    exact      the normalised texts are equal
    subset     the candidate adds no content word                                   cosine 0.70 or more
    superset   the candidate keeps every content word of the forgotten text         cosine 0.80 or more
    anchor     the candidate holds 2 or more, and at least half, of the forgotten
               text's capitalised or numeric words                                  cosine 0.80 or more

and a request to forget told by its first words. Without a cosine the words alone decide.
"""

from __future__ import annotations

import re
import unicodedata

LINES = {"exact": None, "subset": 0.70, "superset": 0.80, "anchor": 0.80}

_STOP_WORDS = """
a an the and or but if of at by for with about to from in on into as is are was were be been being am do does did have
has had having will would shall should can could may might must not no nor so than too very it its this that these those
i me my mine you your yours he him his she her hers we us our ours they them their theirs who whom which what when where
why how there here all any some such only own same just also then now user users user's s t
status outdated preference
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
REQUEST = re.compile(
    r"^(please |can you |could you |user (asked|wants|requested|would like)( the assistant)?( to)? )*"
    r"(forget|delete|erase|remove)\b(?! to\b)"
)
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def kind_of_match(forgotten: str, candidate: str, cosine: float | None) -> str | None:
    """The first kind that holds, or None: store."""
    if _normal(forgotten) == _normal(candidate):
        return "exact"
    old, new = _content(forgotten), _content(candidate)
    anchors = _anchors(forgotten)
    shared = anchors & {word.lower() for word in WORD.findall(candidate)}
    holds = {
        "subset": bool(new) and new <= old,
        "superset": bool(old) and old <= new,
        "anchor": len(shared) >= 2 and 2 * len(shared) >= len(anchors),
    }
    for kind, applies in holds.items():
        line = LINES[kind]
        if applies and (cosine is None or line is None or cosine >= line):
            return kind
    return None


def is_forget_request(text: str) -> bool:
    return bool(REQUEST.match(_normal(text)))


def _normal(text: str) -> str:
    return " ".join(WORD.findall(unicodedata.normalize("NFKC", text).lower()))


def _content(text: str) -> frozenset[str]:
    words = (word.removesuffix("'s").removesuffix("’s") for word in _normal(text).split())
    return frozenset(word for word in words if word not in STOP_WORDS)


def _anchors(text: str) -> frozenset[str]:
    """Capitalised or numeric words, save the one that only opens the sentence as a function word."""
    return frozenset(
        word.lower()
        for word in WORD.findall(text)
        if (word[0].isupper() or any(character.isdigit() for character in word)) and word.lower() not in STOP_WORDS
    )
