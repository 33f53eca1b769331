"""What a request erases, or wants not kept: a memory, something the user told, or a thing of the world."""

from __future__ import annotations

from forgetguard.rules.request_places import (
    FILLER,
    KEEP,
    ROMANCE,
    Place,
    any_of,
    bits,
    has_agent,
    is_passive,
    is_shall_be,
)
from forgetguard.rules.request_tags import BIT, Tag

NONE, POINTED, NAMED, MEMORY = range(4)
"""How surely it is a memory: not; a bare "that"; a personal detail or an entry; memory itself."""
OBJECT_ENDS = bits("comma", "and", "thatc", "about", "inside", "with")
NOUNS = bits("deictic", "personal", "other", "info")
SPOKEN_OF = bits("comma", "thatc", "about")
OWNED = bits("poss", "your", "mine", "first", "deictic", "stop")
"""Words that make of "passwords" those of somebody, or some that were spoken of."""
REMEMBERED = bits("memory", "said", "info", "allabout", "thatc")
BESIDE_THAT = FILLER | bits("deictic", "agent", "thatc", "comma")
"""What may stand beside a bare "that" as what is erased."""
OBJECT_BEGINS = bits("poss", "your", "deictic", "stop", "personal", "info", "stored", "allabout", "said", "content")
FACT_SUBJECT = bits("user", "first", "pron3", "poss")
NAMED_WITHIN = 3
"""Words between a word like "stored" or "on" and the thing that it speaks of."""


def target_of(place: Place) -> int:
    """How surely what is erased, or not kept, is a memory: NONE, POINTED, NAMED or MEMORY."""
    if any(tag.has(BIT["memory"]) for i, tag in enumerate(place.tags) if i != place.at):
        return MEMORY
    near, container = _object(place)
    if container is not None:
        return _container(container, near)
    whole = place.tags[place.begin() :]
    if any_of(near, BIT["other"]):
        return NONE
    if any_of(whole, BIT["said"]) or _is_fact_clause(place):
        return MEMORY
    if _is_outside(place):
        return NONE
    if any_of(whole, BIT["allabout"]):
        return NAMED if place.core.has(BIT["expel"]) else MEMORY
    if _is_stored_thing(whole):
        return MEMORY
    if _is_named(near, place):
        return NAMED
    pointed = any_of(near, BIT["deictic"]) and all(t.has(BESIDE_THAT) for t in near)
    return POINTED if pointed else NONE


def _container(tags: list[Tag], near: list[Tag]) -> int:
    """What something is taken from: the assistant's notes are memory, a letter or a phone is not."""
    if any_of(tags, BIT["other"]):
        return NONE
    if any(t.form in ("records", "notes", "facts") for t in tags):
        return MEMORY
    if any_of(tags, bits("your", "agent")):
        return NAMED if any_of(tags, BIT["content"]) else MEMORY
    if any_of(tags, bits("allabout", "said")):
        return NAMED
    return NAMED if any_of(tags, BIT["info"]) and any_of(tags, BIT["poss"]) and not any_of(near, BIT["other"]) else NONE


def _object(place: Place) -> tuple[list[Tag], list[Tag] | None]:
    """The words that name what is erased, up to the first preposition; and what it is taken from, if that is said."""
    tags = place.tags
    end = place.at + 1
    if place.is_shape("N") and place.next_is(bits("about", "from")):
        end += 1  # "deletion of their address"
    while end < len(tags) and not (tags[end].has(OBJECT_ENDS) and not tags[end].has(NOUNS)):
        if _takes_from(place, end):
            break
        end += 1
    container: list[Tag] | None = None
    k = end
    while k < len(tags) and not tags[k].has(BIT["comma"]) and container is None:
        if _takes_from(place, k):
            container = _until_boundary(tags, k + 1)
        k += 1
    near = tags[place.begin() : place.at] if _is_object_before(place) else tags[place.at + 1 : end]
    return near, container


def _until_boundary(tags: list[Tag], start: int) -> list[Tag]:
    end = start
    while end < len(tags) and not tags[end].has(bits("comma", "and", "with", "thatc")):
        end += 1
    return tags[start:end]


def _takes_from(place: Place, i: int) -> bool:
    """Whether a preposition of taking away stands at `i`. Romance "de" is a genitive as often, so it does not count."""
    return place.tags[i].has(BIT["from"]) and (place.language == "en" or place.tags[i].form == "aus")


def _is_object_before(place: Place) -> bool:
    """Whether what is erased stands before the verb: a passive, or German."""
    if place.language == "de":
        return not place.is_shape("M") or is_passive(place)
    if not place.is_shape("T"):
        return False
    if place.language == "en":
        return is_passive(place) or not place.next_is(OBJECT_BEGINS)
    return not place.is_shape("M") or any_of(place.between()[-3:], BIT["be"])


def _is_outside(place: Place) -> bool:
    """ "in the repo", "on my laptop": where it would be kept, or stands, is no memory."""
    tags = place.tags
    for i in range(place.begin() if place.language == "de" else place.at + 1, len(tags)):
        if tags[i].has(BIT["inside"]):
            container = _until_boundary(tags, i + 1)
            if any_of(container, BIT["other"]):
                spoken_of = tags[i].has(BIT["about"]) and any_of(tags[place.at + 1 : i], BIT["info"])
                return not spoken_of and not any_of(container, bits("your", "agent"))
        elif tags[i].has(SPOKEN_OF):
            return False
    return False


def is_updated(place: Place) -> bool:
    """ "forget the deadline, it moved to May": a thing of the world has a new value, and nothing is to be unlearnt."""
    after = place.after()
    for i, tag in enumerate(after):
        if tag.has(BIT["update"]):
            thing = after[:i]
            told = any(t.has(REMEMBERED) and t.form != "das" for t in thing)
            if told or not any_of(thing, bits("other", "content")):
                return False
            return any_of(thing, BIT["other"]) or not any_of(thing, bits("personal", "poss", "your", "mine", "user"))
    return False


def keeps_doing(place: Place) -> bool:
    """ "keep asking": no memory in it."""
    follows = place.tags[place.at + 1 : place.at + 2]
    return place.core.form.startswith("ke") and bool(follows) and follows[0].form.endswith("ing")


def _is_fact_clause(place: Place) -> bool:
    """ "delete that I live in Lisbon": what is erased is told as a sentence."""
    tags = place.tags
    for j in range(place.at + 1, min(place.at + 1 + NAMED_WITHIN, len(tags) - 1)):
        if tags[j].has(BIT["thatc"]) and not (place.language == "de" and tags[j].form == "das"):
            return tags[j + 1].has(FACT_SUBJECT) or place.language in ROMANCE
        if tags[j].has(bits("content", "other")):
            return False
    return False


def _is_stored_thing(tags: list[Tag]) -> bool:
    """ "the stored phone number", "saved information about …"."""
    for i, tag in enumerate(tags):
        if tag.has(BIT["stored"]):
            for other in tags[i + 1 : i + 1 + NAMED_WITHIN]:
                if other.has(BIT["other"]):
                    break
                if other.has(bits("personal", "info", "allabout")):
                    return True
    return False


def _is_named(tags: list[Tag], place: Place) -> bool:
    if place.core.has(BIT["store"]) and place.core.form != "keep" and _is_mine(tags, place):
        return True
    personal = any_of(tags, BIT["personal"]) and not _is_anyones(tags, place)
    if personal and (place.core.has(KEEP) or _is_owned(tags, place)):
        return True
    if not any_of(tags, BIT["info"]):
        return False
    if place.core.has(KEEP) or any_of(place.tags, BIT["evidence"]):
        return True
    if is_shall_be(place) and any_of(place.tags, bits("stored", "user", "poss")):
        return True
    return _speaks_of_something(place)


def _is_mine(tags: list[Tag], place: Place) -> bool:
    """ "do not log my sleep": spoken to the assistant, of whatever is the speaker's."""
    return place.frame < 0 and any_of(tags[:2], BIT["mine"])


def _is_anyones(tags: list[Tag], place: Place) -> bool:
    """ "never log passwords": nobody's in particular, so a rule of how to work."""
    if not place.core.has(BIT["store"]) or has_agent(place.between()) or any_of(tags, OWNED):
        return False
    return all(t.has(BIT["credential"]) for t in tags if t.has(BIT["personal"]) or t.possessive)


def _is_owned(tags: list[Tag], place: Place) -> bool:
    """Whether a personal detail is somebody's. Languages with articles for possessives need no word for it."""
    if place.language != "en" or has_agent(place.between()):
        return True
    return any_of(tags, bits("poss", "your")) or any(t.possessive for t in tags)


def _speaks_of_something(place: Place) -> bool:
    """ "the note about my ex", but not "the note on the fridge"."""
    tags = place.tags
    for i in range(len(tags) - 1):
        if tags[i].has(BIT["info"]) and tags[i + 1].has(bits("about", "thatc")):
            if tags[i + 1].form != "on" or place.language != "en" or has_agent(place.between()):
                return True
            return any_of(tags[i + 2 : i + 2 + NAMED_WITHIN], BIT["personal"])
    return False
