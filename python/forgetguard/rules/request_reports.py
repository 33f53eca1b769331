"""Requests that a text reports: someone asked, wanted or said that the assistant should forget."""

from __future__ import annotations

from forgetguard.rules.request_places import (
    NOUN,
    Place,
    any_of,
    bits,
    framed_kind,
    has_agent,
    is_adverb,
    is_how,
    is_passive,
    outer_place,
    subject_of,
)
from forgetguard.rules.request_tags import BIT, Tag
from forgetguard.rules.request_targets import MEMORY, NAMED, POINTED, keeps_doing, target_of


def outer_code(place: Place) -> str:
    """ "wants the note that Inês proposed PgBouncer erased": a participle may hang on a word further out."""
    outer = outer_place(place)
    if outer.frame < 0 or not outer.is_shape("T") or not outer.asking.has(bits("ask", "want")):
        return ""
    kind = framed_kind(outer)
    return "asked-" + kind if kind and is_passive(outer) and is_asked(outer, kind) else ""


def is_asked(place: Place, kind: str) -> bool:
    if place.frame < 0 or is_how(place):
        return False
    subject = subject_of(place.tags, place.frame, place.language)
    agent = has_agent(place.between()) or (subject == "user" and _is_me(place))
    if (subject == "third" and not agent) or not _may_ask(place, subject):
        return False
    if not place.asking.has(bits("ask", "want", "say", "withdraw", "askn")):
        return False
    if _is_asked_of_user(place, subject):
        return False
    if is_passive(place):
        return _is_asked_passive(place, kind)
    if not _is_active_shape(place, agent) or _is_own_act(place, agent):
        return False
    if _hands_on(place) if agent else _addresses_other(place):
        return False
    return _is_enough(place, kind, agent)


def _is_me(place: Place) -> bool:
    """ "The user asked me to …": the assistant speaks."""
    return any_of(place.tags[: place.frame], BIT["user"]) and any_of(place.between()[:1], BIT["mine"])


def _may_ask(place: Place, subject: str) -> bool:
    """The assistant does not ask; it is asked ("was told to forget", "you asked me to forget")."""
    between = place.between()
    if subject == "you":
        me = any_of(between, bits("first", "we")) or any_of(between[:1], BIT["mine"])
        return me and place.asking.has(BIT["ask"])
    return subject != "agent" or "T" in place.asking.shape or place.asking.has(BIT["agree"])


def _is_asked_of_user(place: Place, subject: str) -> bool:
    """ "User was asked to forget", "the assistant asked the user to forget": the user is the one who shall."""
    before = place.tags[place.frame - 1 : place.frame] if place.frame > 0 else []
    if "T" in place.asking.shape and subject in ("user", "pronoun") and any_of(before, BIT["be"]):
        return True
    for tag in place.between():
        if tag.has(bits("to", "thatc", "comma")):
            return False
        if tag.has(BIT["user"]) and not tag.possessive:
            return True
    return False


def _is_asked_passive(place: Place, kind: str) -> bool:
    between = place.between()
    if any_of(between, BIT["and"]) and not any_of(between, bits("be", "memory", "info")):
        return False
    if place.core.has(bits("forget", "remember")):
        return True
    target = target_of(place)
    if place.core.has(BIT["expel"]):
        return target == MEMORY
    return target >= (POINTED if place.asking.has(bits("ask", "askn")) or kind == "not-keep" else NAMED)


def _is_active_shape(place: Place, agent: bool) -> bool:
    between = place.between()
    if place.asking.has(BIT["withdraw"]):
        return place.is_shape("GINM")
    if place.language == "en":
        if place.is_shape("MI"):
            return agent or any_of(between, bits("to", "modal", "quote", "cease", "neg")) or _has_to(between)
        if place.is_shape("G"):
            return agent or any_of(between, bits("cease", "neg")) or place.asking.has(BIT["ask"])
        return place.is_shape("P") and agent and place.asking.has(BIT["want"])
    return place.is_shape("IS") or (place.is_shape("FM") and agent)


def _has_to(tags: list[Tag]) -> bool:
    return any(tag.form == "to" or tag.form.endswith(" to") for tag in tags)


def _is_own_act(place: Place, agent: bool) -> bool:
    """Whether the user is the one who forgets or erases: "because they forget", "wants to forget the accident"."""
    i = place.at - 1
    while i > place.frame and place.tags[i].has(bits("adv", "neg", "modal", "stop", "cease", "to")):
        i -= 1
    if i > place.frame and place.tags[i].has(bits("pron3", "first", "user")) and not place.tags[i].possessive:
        return place.language != "de" or place.is_shape("F")
    if agent or not place.asking.has(BIT["want"]):
        return False
    if any_of(place.between(), BIT["thatc"]) and place.is_shape("S"):
        return False  # "quer que esqueça": the assistant is left out
    return place.core.has(BIT["forget"]) or target_of(place) < MEMORY


def _hands_on(place: Place) -> bool:
    """ "asked the assistant to remind Rui to delete …": the assistant is asked, but someone else shall do it."""
    if place.language == "de":
        return False
    inside = False
    for tag in place.between():
        if tag.has(bits("agent", "we")):
            inside = False
        elif tag.has(bits("to", "thatc")):
            inside = True
        elif inside and tag.has(bits("content", "third", "obj3")) and not is_adverb(tag.form, place.language):
            return not tag.has(bits("adv", "time", "info", "memory", "opener"))
    return False


def _addresses_other(place: Place) -> bool:
    """Whether someone other than the assistant is asked: a name, a relation, any noun before the verb."""
    between = place.between()
    for i, tag in enumerate(between):
        if tag.has(BIT["comma"]) or (place.language == "de" and tag.has(bits("thatc", "to"))):
            return False
        if not tag.has(NOUN) or tag.has(bits("adv", "time", "info", "memory")) or is_adverb(tag.form, place.language):
            continue
        if i == 0 or not between[i - 1].has(bits("inside", "by")) or between[i - 1].has(bits("to", "opener")):
            return True
    return False


def _is_enough(place: Place, kind: str, agent: bool) -> bool:
    """Whether the verb, with what is erased or kept, is about memory."""
    if kind == "not-keep" and keeps_doing(place):
        return False
    if place.asking.has(BIT["say"]) and not place.asking.has(BIT["ask"]) and not _says_to(place):
        return False
    if place.core.has(BIT["forget"]):
        return True
    target = target_of(place)
    if place.asking.has(BIT["withdraw"]):
        return target >= NAMED
    if place.core.has(BIT["remember"]):
        return True
    if place.core.has(BIT["expel"]):
        return target == MEMORY
    return target >= (POINTED if agent or kind == "not-keep" else NAMED)


def _says_to(place: Place) -> bool:
    """ "said to forget", "said the assistant should forget", but not "said it was a night to forget"."""
    between = place.between()
    first = 0
    while first < len(between) and between[first].has(bits("adv", "neg")) and not _has_to(between[first : first + 1]):
        first += 1
    return any_of(between, bits("modal", "quote")) or _has_to(between[first : first + 1])
