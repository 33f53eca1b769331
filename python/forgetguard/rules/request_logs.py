"""What the assistant did or shall do about a memory, and logs of what was erased."""

from __future__ import annotations

from forgetguard.rules.request_places import (
    KEEP,
    Place,
    any_of,
    bits,
    clause_before,
    has_agent,
    is_how,
    is_negated,
    is_plain_passive,
    is_shall_be,
    subject_of,
)
from forgetguard.rules.request_tags import BIT
from forgetguard.rules.request_targets import MEMORY, NAMED, POINTED, target_of

DOER_WITHIN = 3
"""Words after "by" among which the one who did it stands."""


def is_said_of_assistant(place: Place, kind: str) -> bool:
    tags = place.tags
    promised = place.frame >= 0 and place.asking.has(BIT["agree"])
    promised = promised and subject_of(tags, place.frame, place.language) == "agent"
    if not promised and not _is_agents_own(place):
        return _is_first_person_log(place, kind)
    before = place.before()
    if any_of(before, BIT["habit"]) or is_how(place) or (place.next_is(BIT["to"]) and place.language == "en"):
        return False
    settled = promised or any_of(before, bits("modal", "be")) or any_of(before, BIT["have"])
    evidence = any_of(tags, BIT["evidence"])
    if place.core.has(bits("forget", "remember")):
        if settled and (promised or place.is_shape("TIMGS")):
            return True
        return evidence or (kind == "not-keep" and any_of(before, BIT["cease"]))
    needed = MEMORY if place.core.has(BIT["expel"]) else NAMED
    return (settled or evidence or (place.is_shape("PT") and kind == "erase")) and target_of(place) >= needed


def _is_agents_own(place: Place) -> bool:
    """Whether the assistant is the subject of the verb. A German verb may stand far from it, behind a modal."""
    if place.frame >= place.start:
        return False
    if place.language == "de":
        before = clause_before(place.tags, place.at)
        for i, tag in enumerate(before):
            if tag.has(BIT["modal"]) or tag.has(BIT["have"]):
                return has_agent(before[:i]) and not any_of(before[:i], bits("user", "third"))
    return subject_of(place.tags, place.at, place.language) == "agent"


def _is_first_person_log(place: Place, kind: str) -> bool:
    """ "I have forgotten your address", "I will no longer remember that you …": the assistant speaks."""
    before, behind = place.before(), place.tags[place.at :]
    if not any_of(before, BIT["first"]):
        return False
    if kind == "not-keep":
        # "I can't remember your name" says nothing of a memory that is given up.
        is_memory = place.core.has(BIT["remember"]) or (place.core.has(KEEP) and target_of(place) >= NAMED)
        return is_memory and any_of(place.tags, bits("cease", "evidence")) and any_of(behind, bits("your", "you"))
    if not place.is_shape("PT"):
        return False
    yours = any_of(behind, BIT["your"])
    target = target_of(place)
    if any_of(place.tags, BIT["evidence"]) and target >= POINTED:
        return True
    if place.core.has(BIT["forget"]):
        return yours and any_of(before, BIT["have"])
    return target == MEMORY or (yours and target >= NAMED)


def is_logged(place: Place) -> bool:
    """A memory as what was erased: "Memory entry about Lisbon removed", "the record has been erased as requested"."""
    if not place.is_shape("TP") or is_how(place):
        return False
    negated = is_negated(place, clause_before(place.tags, place.at))
    if place.core.has(KEEP):
        noted = any_of(place.tags, BIT["evidence"]) and is_plain_passive(place)
        told = is_shall_be(place) or noted
        return negated and told and _is_subject_memory(place, place.core.has(BIT["remember"]))
    if negated or _is_by_other(place):
        return False
    evidence, target = any_of(place.tags, BIT["evidence"]), target_of(place)
    if place.core.has(BIT["forget"]):
        if is_shall_be(place) and _is_subject_memory(place, True):
            return True
        noted = place.at <= 1 and any_of(place.tags[:1], BIT["quote"])
        return is_plain_passive(place) and (evidence or target == MEMORY or noted)
    if not is_plain_passive(place):
        subject = subject_of(place.tags, place.at, place.language)
        return target == MEMORY and subject in ("user", "none", "agent")
    if target == MEMORY:
        return not any_of(place.tags[: place.at], BIT["obj3"])
    if place.core.has(BIT["expel"]):
        return False
    if evidence:
        return target >= NAMED or not any_of(place.tags, bits("content", "other"))
    return target == NAMED and is_shall_be(place) and any_of(place.tags[: place.at], BIT["info"])


def _is_by_other(place: Place) -> bool:
    """ "was deleted by a ransomware attack"."""
    after = place.after()
    for i, tag in enumerate(after):
        if tag.has(BIT["by"]) and not tag.has(BIT["from"]):
            for doer in after[i + 1 : i + 1 + DOER_WITHIN]:
                if doer.has(bits("user", "agent", "we", "askn", "evidence", "poss")):
                    return False
                if doer.has(bits("content", "third", "other")):
                    return True
    return False


def _is_subject_memory(place: Place, pointed: bool) -> bool:
    """Whether what shall be forgotten or not kept, before its verb, is "this", or something personal."""
    before = place.clause()
    if any_of(before, bits("other", "content", "third")):
        return False
    return any_of(before, bits("personal", "info", "memory", "allabout", "said")) or (
        pointed and any_of(before, BIT["deictic"])
    )
