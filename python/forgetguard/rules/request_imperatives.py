"""Requests that the text itself makes: a verb in the imperative, opened by nothing or by words of request."""

from __future__ import annotations

from forgetguard.rules.request_places import BOUNDARY, FILLER, PRO_DROP, ROMANCE, Place, any_of, bits
from forgetguard.rules.request_tags import BIT, Tag
from forgetguard.rules.request_targets import MEMORY, NAMED, POINTED, keeps_doing, target_of

SINGLE_VERBS = 4
"""Most words of a text that asks to erase "that" and names nothing else."""


def is_imperative(place: Place, kind: str) -> bool:
    polite, begin = _opening(place)
    if begin < 0 or not _is_imperative_shape(place, kind, polite):
        return False
    tags = place.tags
    if begin > 0 and not (polite or _speaks(tags) or place.next_is(BIT["deictic"])):
        return False
    if place.language in ROMANCE and not polite and any_of(tags[begin:], BIT["habit"]):
        return False  # "olvida" is also "forgets"
    if kind == "forget":
        return not _is_title(tags[begin:]) and not (place.next_is(BIT["to"]) and place.language == "en")
    if place.core.has(BIT["remember"]):
        ceases = any_of(tags[begin : place.at], BIT["cease"])
        return polite or ceases or not place.next_is(bits("question", "whether"))
    if kind == "not-keep" and keeps_doing(place):
        return False
    return target_of(place) >= _imperative_target(place, kind)


def _imperative_target(place: Place, kind: str) -> int:
    if place.core.has(BIT["expel"]):
        return MEMORY
    alone = all(tag.has(BIT["deictic"] | FILLER) for tag in place.after())
    return POINTED if kind == "not-keep" or (alone and len(place.tags) <= SINGLE_VERBS) else NAMED


def _opening(place: Place) -> tuple[bool, int]:
    """Whether words of request open the clause, and where it begins; -1 where something else stands before the verb."""
    polite, i = False, place.at
    while i > 0:
        tag = place.tags[i - 1]
        if tag.has(BIT["opener"]):
            polite = True
        elif tag.has(BOUNDARY):
            break
        elif tag.has(BIT["reflexive"]) and i < place.at:
            return False, -1  # "no se puede": nobody is asked
        elif not (tag.has(bits("adv", "neg", "cease", "time", "lead"))):
            return False, -1
        i -= 1
    return polite, i


def _is_imperative_shape(place: Place, kind: str, polite: bool) -> bool:
    if kind == "not-keep" and place.language in PRO_DROP and not place.is_shape("SI"):
        return polite or place.next_is(BIT["deictic"])  # "no guarda" is "does not keep"
    if place.is_shape("M"):
        return True
    if kind == "not-keep" and place.is_shape("SIG") and place.at > 0:
        return True
    if polite and place.is_shape("ISG"):
        return True
    return kind == "erase" and place.language != "en" and place.is_shape("I")


def _speaks(tags: list[Tag]) -> bool:
    """Whether someone speaks for themselves, rather than of "the user"."""
    if any_of(tags, BIT["user"]):
        return False
    return any_of(tags, bits("first", "your", "opener", "mine"))


def _is_title(tags: list[Tag]) -> bool:
    """ "Forget Paris": every word has its capital, as in the title of a work."""
    words = [tag for tag in tags if not tag.has(bits("comma", "quote"))]
    return len(words) > 1 and all(tag.capital for tag in words)
