"""A verb of forgetting, erasing or keeping in its sentence: who acts, who asks, and whether it is negated."""

from __future__ import annotations

from dataclasses import dataclass, replace

from forgetguard.rules.request_tags import BIT, Tag

PRO_DROP = ("pt", "es")
ROMANCE = ("pt", "es", "fr")
ADVERB_ENDING = {"en": "ly", "pt": "mente", "es": "mente", "fr": "ment"}


def bits(*names: str) -> int:
    """The slots of these names, as bits."""
    out = 0
    for name in names:
        out |= BIT[name]
    return out


def any_of(tags: list[Tag], slots: int) -> bool:
    """Whether one of the tags fills one of the slots."""
    return any(tag.has(slots) for tag in tags)


LOSE = bits("forget", "erase", "expel")
KEEP = bits("remember", "store")
FRAME = bits("ask", "want", "say", "agree", "withdraw")
USER = bits("user", "first")
PERSON = bits("user", "first", "we", "agent", "pron3", "obj3", "third")
NEGATION = bits("neg", "cease")
BOUNDARY = bits("comma", "and", "quote")
FILLER = bits("adv", "opener", "stop", "time", "be", "have", "modal", "neg", "cease", "to", "lead", "reflexive")
"""Words that may stand between a subject and its verb."""
NOUN = bits("content", "third", "personal", "other", "obj3")
"""What can be addressed, and is not the assistant."""
NO_SUBJECT = FILLER | bits("question", "poss", "your", "deictic", "habit", "withdraw", "right", "retract", "by")
CLAUSE_MARKS = bits("comma", "and")


@dataclass(frozen=True, slots=True)
class Place:
    """A verb (or its noun) in its sentence.

    `frame`: index of the word that asks, or -1. `start`: index of the first word of the verb's clause.
    """

    tags: list[Tag]
    at: int
    language: str
    frame: int
    start: int

    @property
    def core(self) -> Tag:
        return self.tags[self.at]

    @property
    def asking(self) -> Tag:
        """The word that asks; only where there is one."""
        return self.tags[self.frame]

    def between(self) -> list[Tag]:
        """What stands between the word that asks (or the start of the clause) and the verb."""
        return self.tags[self.begin() : self.at]

    def begin(self) -> int:
        return self.frame + 1 if self.frame >= 0 else self.start

    def clause(self) -> list[Tag]:
        """What stands before the verb in its clause; a quotation in it is part of its subject."""
        return clause_before(self.tags, self.at, CLAUSE_MARKS)

    def before(self) -> list[Tag]:
        return self.tags[self.start : self.at]

    def after(self) -> list[Tag]:
        return self.tags[self.at + 1 :]

    def is_shape(self, letters: str) -> bool:
        return any(letter in self.core.shape for letter in letters)

    def next_is(self, slots: int) -> bool:
        return self.at + 1 < len(self.tags) and self.tags[self.at + 1].has(slots)


def place_of(tags: list[Tag], at: int, language: str) -> Place:
    """The place of the verb at `at`, with the nearest word that asks."""
    return Place(tags, at, language, _frame_before(tags, at), at - len(clause_before(tags, at)))


def outer_place(place: Place) -> Place:
    """The same verb under the next word that asks, further out; `frame` is -1 if there is none."""
    return replace(place, frame=_frame_before(place.tags, place.frame) if place.frame > 0 else -1)


def _frame_before(tags: list[Tag], at: int) -> int:
    frame = at - 1
    while frame >= 0 and not _asks(tags, frame):
        frame -= 1
    return frame


def _asks(tags: list[Tag], i: int) -> bool:
    if tags[i].has(FRAME):
        return True
    return tags[i].has(BIT["askn"]) and i + 1 < len(tags) and tags[i + 1].has(bits("to", "thatc", "stop", "from"))


def clause_before(tags: list[Tag], at: int, marks: int = BOUNDARY) -> list[Tag]:
    """The words before `at` in its clause."""
    start = at
    while start > 0 and not tags[start - 1].has(marks):
        start -= 1
    return tags[start:at]


def has_agent(tags: list[Tag]) -> bool:
    """Whether the assistant is named."""
    return any(tag.has(bits("agent", "we")) and not tag.possessive for tag in tags)


def is_adverb(form: str, language: str) -> bool:
    """Whether a word has the ending of an adverb."""
    ending = ADVERB_ENDING.get(language, "")
    return ending != "" and form.endswith(ending) and len(form) > len(ending) + 2


def is_how(place: Place) -> bool:
    """ "asked how to delete …"; "asked whether you can forget" is a request, "whether you forget" none."""
    between = place.between()
    if any_of(between, BIT["question"]):
        return True
    if place.frame >= 0 and place.asking.has(BIT["want"]):
        return False  # "would appreciate it if you forgot"
    return any_of(between, BIT["whether"]) and not any_of(between, BIT["modal"])


# -- negation --------------------------------------------------------------------------------------------------------


def kind_of(place: Place) -> str:
    """What the verb asks for by itself: forget, erase, not-keep, or "" where it says the opposite."""
    return _kind(place, is_negated(place, place.before()))


def framed_kind(place: Place) -> str:
    """The same under the word that asks, with a negated wish counted in ("does not want the assistant to remember")."""
    if place.frame < 0:
        return kind_of(place)
    before = any_of(clause_before(place.tags, place.frame), NEGATION)
    if place.asking.has(BIT["withdraw"]):
        return _kind(place, not is_negated(place, place.between()))
    if not place.asking.has(BIT["want"]):
        return "" if before and not place.asking.has(BIT["agree"]) else _kind(place, is_negated(place, place.between()))
    between = place.between()
    if before and place.language == "fr" and between and between[0].has(BIT["neg"]) and between[0].form != "ne":
        between = between[1:]  # "ne veut plus": one negation in two words
    return _kind(place, is_negated(place, between) != before)


def is_negated(place: Place, tags: list[Tag]) -> bool:
    """Whether the verb is negated: among `tags` before it, or behind it where the language puts it there."""
    if any_of(tags, NEGATION):
        return True
    if place.language not in ("de", "fr"):
        return False
    for tag in place.after():
        if tag.has(bits("comma", "and")) or (tag.has(BIT["thatc"]) and not tag.has(BIT["deictic"])):
            return False
        if tag.has(BIT["neg"]) and tag.form != "plus":
            return True
    return False


def _kind(place: Place, negated: bool) -> str:
    if place.core.has(LOSE) and not negated:
        return "forget" if place.core.has(BIT["forget"]) else "erase"
    return "not-keep" if place.core.has(KEEP) and negated else ""


# -- who acts --------------------------------------------------------------------------------------------------------


def subject_of(tags: list[Tag], at: int, language: str) -> str:
    """Who does what the word at `at` says: user, agent, you, pronoun, none (it is left out), third."""
    if tags[at].has(BIT["askn"]) and at > 0 and tags[at - 1].possessive:
        return "user" if tags[at - 1].has(BIT["user"]) else "third"
    i = at - 1
    while i >= 0:
        tag = tags[i]
        if tag.has(BOUNDARY):
            return _head(tags[:i])
        if tag.has(USER):
            return "third" if _is_owner(tags, i) else "user"
        if tag.has(BIT["agent"]) and not tag.possessive:
            return _agent(tag)
        if tag.has(bits("askn", "removal", "evidence")):
            return "none"
        if tag.has(BIT["pron3"]):
            return "pronoun"
        if not tag.has(NO_SUBJECT) and not is_adverb(tag.form, language):
            return "third"
        i -= 1
    return "none"


def _agent(tag: Tag) -> str:
    """The assistant; but a text that speaks to it ("you") tells nothing of it, and any machine is a "system"."""
    if tag.has(BIT["you"]):
        return "you"
    return "third" if tag.has(BIT["system"]) else "agent"


def _is_owner(tags: list[Tag], i: int) -> bool:
    """Whether the user at `i` only owns the subject: "User's son", "o filho do utilizador"."""
    if tags[i].possessive:
        return True
    for k in (1, 2):
        if i >= k and tags[i - k].has(BIT["genitive"]):
            return not any_of(tags[:i], bits("askn", "removal", "evidence"))
    return False


def _head(tags: list[Tag]) -> str:
    """The subject of a sentence whose later clause leaves it out."""
    for i, tag in enumerate(tags):
        if tag.has(USER):
            return "third" if tag.possessive and i + 1 < len(tags) and tags[i + 1].has(BIT["third"]) else "user"
        if tag.has(BIT["agent"]) and not tag.possessive:
            return _agent(tag)
        if tag.has(BIT["third"]) and not any_of(tags[:i], BIT["content"]):
            return "third"
    return "none"


# -- voice -----------------------------------------------------------------------------------------------------------


def is_passive(place: Place) -> bool:
    """Under a word that asks: "to be deleted", "their address removed", "que se borre", "gelöscht wird"."""
    between = place.between()
    if place.language == "en":
        if not place.is_shape("T"):
            return False
        if any_of(between, BIT["be"]) or _has_patient(between):
            return True
        return place.frame >= 0 and any_of(between, BIT["have"])
    if (
        place.language in PRO_DROP
        and place.is_shape("SI")
        and place.at > 0
        and place.tags[place.at - 1].has(BIT["reflexive"])
    ):
        return not (place.core.has(BIT["remember"]) and has_agent(between))  # "se lembre": the verb's own pronoun
    if not place.is_shape("T"):
        return False
    if place.language == "de":
        after = place.tags[place.at + 1 : place.at + 3]
        return any_of(after, BIT["be"]) or any(t.form in ("haben", "sehen") for t in after) or not place.is_shape("FI")
    return any_of(between[-3:], BIT["be"]) or not place.is_shape("SIM")


def _has_patient(tags: list[Tag]) -> bool:
    return any_of(tags, bits("content", "personal", "info", "memory", "deictic", "other", "allabout", "said", "neg"))


def is_shall_be(place: Place) -> bool:
    """ "should be deleted", "needs to be removed"; what will or can be deleted is no request."""
    before = [tag for tag in clause_before(place.tags, place.at) if not tag.has(BIT["possible"])]
    if not place.is_shape("T"):
        return False
    if place.language == "de":
        return (any_of(before, BIT["modal"]) and place.next_is(BIT["be"])) or place.next_is(BIT["modal"])
    return any_of(before, BIT["modal"]) and any_of(before, BIT["be"])


def is_plain_passive(place: Place) -> bool:
    """A participle with what was erased before it ("record erased"), or first in its sentence ("Deleted: …")."""
    if not place.is_shape("T"):
        return False
    before = place.clause()
    if any_of(before[-4:], BIT["be"]) or not any(t.has(~FILLER) for t in before):
        return True
    patient = any_of(before, bits("memory", "info", "personal", "allabout", "said", "right"))
    doer = any(t.has(PERSON) and not t.possessive and not t.has(BIT["personal"]) for t in before[-2:])
    ends = bits("comma", "evidence", "with", "inside", "by", "adv", "from", "and", "be", "time")
    return patient and not doer and (place.at + 1 >= len(place.tags) or place.next_is(ends))
