"""Is a text a request to forget, or a note that something was deleted?

Slots, not word sequences: a verb of forgetting, erasing or (under a negation) keeping; a memory or the assistant as its
target or agent; and a request, an imperative or a log form around it. The rules below are tried at each such verb, in
this order; the first that holds gives its code.

    imperative-forget, imperative-erase, imperative-not-keep    the text itself asks
    asked-forget, asked-erase, asked-not-keep                   it tells that the user asked
    assistant-forget, assistant-erase, assistant-not-keep       it tells what the assistant did or shall do
    log-erased                                                  something remembered was erased
    asked-removal, log-removal                                  the same as a noun ("requested removal")
    right-to-erasure, withdrew, retracted                       phrases that need no verb of their own

What is not one: a third person asks or is asked, the user forgets or erases something of their own, the verb is negated
("don't forget"), the question is how, or what is erased is no memory (an account, a photo, sugar).
"""

from __future__ import annotations

from dataclasses import dataclass

from forgetguard.rules.lexemes import scan
from forgetguard.rules.request_cjk import cjk_code
from forgetguard.rules.request_tags import BIT, Tag, languages_of, sentences
from forgetguard.rules.text import clean

NONE, POINTED, NAMED, MEMORY = range(4)
"""How surely what is erased is a memory: not; a bare "that"; a personal detail or an entry; memory itself."""


def _bits(*names: str) -> int:
    bits = 0
    for name in names:
        bits |= BIT[name]
    return bits


LOSE = _bits("forget", "erase", "expel")
KEEP = _bits("remember", "store")
FRAME = _bits("ask", "want", "say", "agree")
USER = _bits("user", "first")
PERSON = _bits("user", "first", "we", "agent", "pron3", "obj3", "third")
NEGATION = _bits("neg", "cease", "withdraw")
BOUNDARY = _bits("comma", "and", "quote")
FILLER = _bits("adv", "opener", "stop", "time", "be", "modal", "neg", "cease", "to")
"""Words that may stand between a subject and its verb."""
NOUN = _bits("content", "third", "personal", "other", "obj3")
"""What can be addressed, and is not the assistant."""
PRO_DROP = ("pt", "es")
ROMANCE = ("pt", "es", "fr")


@dataclass(frozen=True, slots=True)
class _Place:
    """A verb in its sentence. `frame`: index of the word that asks, or -1. `start`: first index of the verb's clause."""

    tags: list[Tag]
    at: int
    language: str
    frame: int
    start: int

    @property
    def core(self) -> Tag:
        return self.tags[self.at]

    def between(self) -> list[Tag]:
        """What stands between the word that asks (or the start of the clause) and the verb."""
        return self.tags[(self.frame + 1 if self.frame >= 0 else self.start) : self.at]

    def is_shape(self, letters: str) -> bool:
        return any(letter in self.core.shape for letter in letters)


def is_forget_request(text: str) -> bool:
    """Whether `text` asks to forget something, or notes that something was deleted."""
    return request_code(text) != ""


def request_code(text: str) -> str:
    """The code of the rule that takes `text` for a request or a note, or "" if none does."""
    lexemes = scan(clean(text))
    for language in languages_of(lexemes):
        for tags in sentences(lexemes, language):
            if code := _sentence_code(tags, language):
                return code
    return cjk_code(lexemes)


def _sentence_code(tags: list[Tag], language: str) -> str:
    if _any(tags, BIT["notforget"]):
        return ""
    for i, tag in enumerate(tags):
        code = ""
        if tag.has(LOSE | KEEP):
            code = _verb_code(_place(tags, i, language))
        if not code and tag.has(BIT["removal"]):
            code = _noun_code(_place(tags, i, language))
        if code:
            return code
    return _phrase_code(tags, language)


def _place(tags: list[Tag], at: int, language: str) -> _Place:
    frame = -1
    for j in range(at - 1, -1, -1):
        if tags[j].has(FRAME) or (
            tags[j].has(BIT["askn"]) and j + 1 < len(tags) and tags[j + 1].has(_bits("to", "thatc", "stop", "from"))
        ):
            frame = j
            break
    start = at
    while start > 0 and not tags[start - 1].has(BOUNDARY):
        start -= 1
    return _Place(tags, at, language, frame, start)


def _any(tags: list[Tag], slots: int) -> bool:
    return any(tag.has(slots) for tag in tags)


# -- one verb -------------------------------------------------------------------------------------------------------


def _verb_code(place: _Place) -> str:
    kind = _kind(place)
    if kind and _is_imperative(place, kind):
        return "imperative-" + kind
    kind = _framed_kind(place)
    if kind and _is_asked(place, kind):
        return "asked-" + kind
    if kind and _is_said_of_assistant(place, kind):
        return "assistant-" + kind
    if _is_logged(place):
        return "log-erased"
    return ""


def _negations(tags: list[Tag]) -> int:
    return sum(tag.has(NEGATION) for tag in tags)


def _without_second(tags: list[Tag], language: str) -> list[Tag]:
    """French negates twice: after "ne veut", a "plus" or "pas" is the same negation."""
    if language == "fr" and tags and tags[0].has(BIT["neg"]) and tags[0].form != "ne":
        return tags[1:]
    return tags


def _is_negated(place: _Place, tags: list[Tag]) -> bool:
    """Whether the verb itself is negated: before it in its clause, or after it where the language puts it there."""
    if _negations(tags):
        return True
    if place.language not in ("de", "fr"):
        return False
    for tag in place.tags[place.at + 1 :]:
        if tag.has(_bits("comma", "and", "thatc")):
            return False
        if tag.has(BIT["neg"]) and tag.form != "plus":
            return True
    return False


def _kind(place: _Place, *, frame_negated: bool = False, tags: list[Tag] | None = None) -> str:
    """forget, erase, or not-keep; "" where the verb says the opposite."""
    negated = _is_negated(place, place.tags[place.start : place.at] if tags is None else tags) != frame_negated
    if place.core.has(LOSE) and not negated:
        return "forget" if place.core.has(BIT["forget"]) else "erase"
    return "not-keep" if place.core.has(KEEP) and negated else ""


# -- the text itself asks ----------------------------------------------------------------------------------------------


def _is_imperative(place: _Place, kind: str) -> bool:
    opened, begin = _opening(place)
    if begin < 0:
        return False
    polite = opened and _any(place.tags[begin : place.at], BIT["opener"])
    if not _is_imperative_shape(place, kind, polite):
        return False
    tags = place.tags
    if begin > 0 and not (polite or _speaks(tags) or _next_is(place, BIT["deictic"])):
        return False
    if _any(tags[begin:], BIT["habit"]) and not polite and place.language in ROMANCE:
        return False
    if kind == "forget":
        return not _is_title(tags[begin:]) and not (_next_is(place, BIT["to"]) and place.language == "en")
    if place.core.has(BIT["remember"]):
        return not _next_is(place, _bits("question", "whether")) or polite
    if kind == "not-keep" and _keeps_doing(place):
        return False
    target = _target(place)
    if place.core.has(BIT["expel"]):
        return target == MEMORY
    return target >= (POINTED if kind == "not-keep" else NAMED)


def _opening(place: _Place) -> tuple[bool, int]:
    """Whether words of request open the clause, and where it begins; -1 where something else stands before the verb."""
    opened, i = False, place.at
    while i > 0:
        tag = place.tags[i - 1]
        if tag.has(BIT["opener"]):
            opened = True
        elif tag.has(BOUNDARY):
            break
        elif not (
            tag.has(_bits("adv", "neg", "cease", "time"))
            or tag.form in ("do", "to", "se", "te", "ne", "dich", "dir", "das")
        ):
            return False, -1
        i -= 1
    return opened, i


def _is_imperative_shape(place: _Place, kind: str, polite: bool) -> bool:
    if place.is_shape("M"):
        return True
    if kind == "not-keep" and place.is_shape("SIG"):
        return True
    if polite and place.is_shape("ISG"):
        return True
    return kind == "erase" and place.language != "en" and place.is_shape("I")


def _speaks(tags: list[Tag]) -> bool:
    """Whether someone speaks for themselves, rather than of "the user"."""
    first = _any(tags, _bits("first", "your", "opener")) or any(
        t.form in ("my", "me", "meu", "minha", "mi", "mis", "mon", "ma", "mes") for t in tags
    )
    return (first and not any(t.has(BIT["user"]) for t in tags)) or any(t.form.startswith("mein") for t in tags)


def _next_is(place: _Place, slots: int) -> bool:
    return place.at + 1 < len(place.tags) and place.tags[place.at + 1].has(slots)


def _is_title(tags: list[Tag]) -> bool:
    """ "Forget Paris": every word has its capital, as in the title of a work."""
    words = [tag for tag in tags if not tag.has(_bits("comma", "quote"))]
    return len(words) > 1 and all(tag.capital for tag in words)


def _keeps_doing(place: _Place) -> bool:
    """ "keep asking", "keep it short": no memory in it."""
    if not place.core.form.startswith("ke") or place.at + 1 >= len(place.tags):
        return False
    return place.tags[place.at + 1].form.endswith("ing")


# -- the user asked ------------------------------------------------------------------------------------------------------


def _framed_kind(place: _Place) -> str:
    """As `_kind`, with a negated wish counted in: "does not want the assistant to remember"."""
    if place.frame < 0:
        return _kind(place)
    frame = place.tags[place.frame]
    before = _clause_before(place.tags, place.frame)
    if not frame.has(BIT["want"]):
        return "" if _negations(before) and not frame.has(BIT["agree"]) else _kind(place, tags=place.between())
    negated = _negations(before) > 0
    between = _without_second(place.between(), place.language) if negated else place.between()
    return _kind(place, frame_negated=negated, tags=between)


def _clause_before(tags: list[Tag], at: int) -> list[Tag]:
    start = at
    while start > 0 and not tags[start - 1].has(BOUNDARY):
        start -= 1
    return tags[start:at]


def _is_asked(place: _Place, kind: str) -> bool:
    if place.frame < 0 or _is_how(place):
        return False
    frame, between = place.tags[place.frame], place.between()
    agent = _has_agent(between)
    subject = _subject(place.tags, place.frame, place.language)
    if subject == "third" and not agent:
        return False
    if frame.has(BIT["agree"]) and not frame.has(_bits("ask", "want", "say")):
        return False
    if _is_asked_of_user(place, subject):
        return False
    target = _target(place)
    if _is_passive(place):
        return _is_asked_passive(place, kind, target)
    if not _is_active_shape(place, agent) or _is_own_act(place, agent):
        return False
    if not agent and _addresses_other(place):
        return False
    return _is_enough(place, kind, target, agent)


def _is_how(place: _Place) -> bool:
    """ "asked how to delete …"; "asked whether you can forget" is a request, "whether you forget" none."""
    between = place.between()
    if _any(between, BIT["question"]):
        return True
    return _any(between, BIT["whether"]) and not _any(between, BIT["modal"])


def _has_agent(tags: list[Tag]) -> bool:
    return any(tag.has(_bits("agent", "we")) and not tag.possessive for tag in tags)


def _is_asked_of_user(place: _Place, subject: str) -> bool:
    """ "User was asked to forget": someone else asks, and the user shall forget."""
    tags, i = place.tags, place.frame
    if subject == "agent":
        return _addressed_user(place)
    if "T" not in tags[i].shape or subject not in ("user", "pronoun"):
        return _addressed_user(place)
    return i > 0 and tags[i - 1].has(BIT["be"])


def _addressed_user(place: _Place) -> bool:
    """Whether the user is the one who is asked: "the assistant asked the user to …"."""
    for tag in place.between():
        if tag.has(_bits("to", "thatc", "comma")):
            return False
        if tag.has(BIT["user"]) and not tag.possessive:
            return True
    return False


def _subject(tags: list[Tag], at: int, language: str) -> str:
    """Who does what the word at `at` says: user, agent, pronoun, none, third."""
    i = at - 1
    while i >= 0:
        tag = tags[i]
        if tag.has(BOUNDARY):
            return _head(tags[:i], language)
        if tags[at].has(BIT["askn"]) and i == at - 1 and tag.possessive:
            return "user" if tag.has(BIT["user"]) else "third"
        if tag.has(BIT["user"] | BIT["first"]):
            return "third" if _is_owner(tags, i, language) else "user"
        if tag.has(_bits("agent", "we")) and not tag.possessive:
            return "agent"
        if tag.has(_bits("askn", "removal", "evidence")):
            return "none"
        if tag.has(BIT["pron3"]):
            return "pronoun"
        if not (
            tag.has(FILLER | _bits("question", "poss", "your", "deictic", "habit", "withdraw", "right", "retract"))
            or tag.form in ("by",)
        ):
            return "third"
        i -= 1
    return "none"


def _is_owner(tags: list[Tag], i: int, language: str) -> bool:
    """Whether the user at `i` only owns the subject: "User's son", "o filho do utilizador"."""
    if tags[i].possessive:
        return True
    genitive = {"pt": ("do", "da"), "es": ("del", "de"), "fr": ("de", "du"), "de": ("des", "vom", "von")}.get(
        language, ("of",)
    )
    for k in (1, 2):
        if i >= k and tags[i - k].form in genitive:
            return not _any(tags[:i], _bits("askn", "removal", "evidence"))
    return False


def _head(tags: list[Tag], language: str) -> str:
    """The subject of a sentence whose later clause leaves it out."""
    for i, tag in enumerate(tags):
        if tag.has(BIT["user"] | BIT["first"]):
            return "third" if tag.possessive and i + 1 < len(tags) and tags[i + 1].has(BIT["third"]) else "user"
        if tag.has(BIT["agent"]) and not tag.possessive:
            return "agent"
        if tag.has(BIT["third"]) and not _any(tags[:i], BIT["content"]):
            return "third"
    return "none"


def _is_passive(place: _Place) -> bool:
    """ "to be deleted", "their address removed", "que se borre", "gelöscht wird"."""
    between = place.between()
    if place.language == "en":
        if not place.is_shape("T"):
            return False
        return (
            _any(between, BIT["be"])
            or any(t.form in ("have", "had", "having") for t in between)
            or _has_patient(between)
        )
    if place.is_shape("SI") and place.at > 0 and place.tags[place.at - 1].form == "se" and place.language in PRO_DROP:
        return True
    if not place.is_shape("T"):
        return False
    if place.language == "de":
        after = place.tags[place.at + 1 : place.at + 3]
        return (
            _any(after, BIT["be"])
            or any(t.form in ("haben", "sehen", "wissen") for t in after)
            or not place.is_shape("FI")
        )
    return _any(between[-3:], BIT["be"]) or not place.is_shape("SIM")


def _has_patient(tags: list[Tag]) -> bool:
    return _any(tags, _bits("content", "personal", "info", "memory", "deictic", "other", "allabout", "said", "neg"))


def _is_asked_passive(place: _Place, kind: str, target: int) -> bool:
    if _any(place.between(), BIT["and"]) and not _any(place.between(), _bits("be", "memory", "info")):
        return False
    if kind == "forget" or place.core.has(BIT["remember"]):
        return True
    if place.core.has(BIT["expel"]):
        return target == MEMORY
    frame = place.tags[place.frame]
    return target >= (POINTED if frame.has(_bits("ask", "askn")) or kind == "not-keep" else NAMED)


def _is_active_shape(place: _Place, agent: bool) -> bool:
    between, language = place.between(), place.language
    if language == "en":
        if place.is_shape("M"):
            return (
                _any(between, _bits("to", "modal"))
                or agent
                or _has_to(between)
                or _any(between, _bits("quote", "cease", "neg"))
            )
        if place.is_shape("G"):
            return _any(between, _bits("cease", "neg")) or agent or place.tags[place.frame].has(BIT["ask"])
        return place.is_shape("P") and agent and place.tags[place.frame].has(BIT["want"])
    if place.is_shape("IS"):
        return True
    return place.is_shape("FM") and agent


def _has_to(tags: list[Tag]) -> bool:
    return any(tag.form.endswith(" to") or tag.form == "to" for tag in tags)


def _is_own_act(place: _Place, agent: bool) -> bool:
    """Whether the user is the one who forgets or erases: "because they forget", "wants to forget the accident"."""
    i = place.at - 1
    while i > place.frame and place.tags[i].has(_bits("adv", "neg", "modal", "stop", "cease", "to")):
        i -= 1
    if i > place.frame and place.tags[i].has(_bits("pron3", "first", "user")) and not place.tags[i].possessive:
        return place.language != "de" or place.is_shape("F")
    if agent or place.tags[place.frame].has(_bits("ask", "askn", "say")):
        return False
    drops_subject = _any(place.between(), BIT["thatc"]) and place.is_shape("S")
    if place.tags[place.frame].has(BIT["want"]) and not drops_subject:
        if place.core.has(BIT["forget"]):
            return True
        return _target(place) < MEMORY
    return False


def _addresses_other(place: _Place) -> bool:
    """Whether someone other than the assistant is asked: a name, a relation, any noun before the verb."""
    for i, tag in enumerate(place.between()):
        if tag.has(BIT["comma"]) or (place.language == "de" and tag.has(_bits("thatc", "to"))):
            return False
        if (
            tag.has(NOUN)
            and not tag.has(_bits("adv", "time", "info", "memory"))
            and not _is_adverb(tag.form, place.language)
        ):
            before = place.between()[i - 1] if i else None
            if before is None or not before.has(_bits("inside", "with", "by")) or before.form in ("to", "a"):
                return True
    return False


def _is_adverb(form: str, language: str) -> bool:
    ending = {"en": "ly", "pt": "mente", "es": "mente", "fr": "ment"}.get(language, "")
    return ending != "" and form.endswith(ending) and len(form) > len(ending) + 2


def _is_enough(place: _Place, kind: str, target: int, agent: bool) -> bool:
    """Whether the verb, with what is erased or kept, is about memory."""
    frame = place.tags[place.frame]
    if kind == "not-keep" and _keeps_doing(place):
        return False
    if frame.has(BIT["say"]) and not frame.has(BIT["ask"]):
        if not (_any(place.between(), _bits("modal", "quote")) or _has_to(place.between())):
            return False
    if place.core.has(_bits("forget", "remember")):
        return True
    if place.core.has(BIT["expel"]):
        return target == MEMORY
    if kind == "not-keep":
        return target >= POINTED
    return target >= (POINTED if agent else NAMED)


# -- the assistant did or shall, and logs --------------------------------------------------------------------------------


def _is_said_of_assistant(place: _Place, kind: str) -> bool:
    tags, i = place.tags, place.at
    own = _subject(tags, i, place.language) if place.frame < place.start else ""
    framed = (
        place.frame >= 0
        and tags[place.frame].has(BIT["agree"])
        and _subject(tags, place.frame, place.language) == "agent"
    )
    if own != "agent" and not framed:
        return _is_first_person_log(place, kind)
    before = tags[place.start : i]
    if _any(before, BIT["habit"]) or _is_how(place) or (_next_is(place, BIT["to"]) and place.language == "en"):
        return False
    settled = framed or _any(before, _bits("modal", "be")) or any(t.form in ("has", "have", "had") for t in before)
    evidence = _any(tags, BIT["evidence"])
    target = _target(place)
    if place.core.has(_bits("forget", "remember")):
        return (
            (settled and (place.is_shape("TIMGS") or framed))
            or evidence
            or (kind == "not-keep" and _any(before, BIT["cease"]))
        )
    needed = MEMORY if place.core.has(BIT["expel"]) else NAMED
    return (settled or evidence or (place.is_shape("PT") and kind == "erase")) and target >= needed


def _is_first_person_log(place: _Place, kind: str) -> bool:
    """ "I have forgotten your address": the assistant speaks."""
    before = place.tags[place.start : place.at]
    if not _any(before, BIT["first"]) or not place.is_shape("PT") or kind == "not-keep":
        return False
    yours = _any(place.tags[place.at :], BIT["your"])
    if _any(place.tags, BIT["evidence"]) and _target(place) >= POINTED:
        return True
    if place.core.has(BIT["forget"]):
        return yours and any(t.form in ("have", "habe", "ai", "he") for t in before)
    return (yours and _target(place) >= NAMED) or _target(place) == MEMORY


def _is_logged(place: _Place) -> bool:
    """A memory as what was erased: "Memory entry about Lisbon removed", "the record has been erased as requested"."""
    core = place.core
    if not core.has(LOSE) or (not place.is_shape("TP") and not _is_shall_be(place)):
        return False
    if _is_negated(place, _clause_before(place.tags, place.at)) or _is_how(place):
        return False
    target, evidence = _target(place), _any(place.tags, BIT["evidence"])
    if core.has(BIT["forget"]):
        return _is_plain_passive(place) and (
            evidence or target == MEMORY or (place.at == 0 and _any(place.tags[:1], BIT["quote"]))
        )
    if not _is_plain_passive(place):
        subject = _subject(place.tags, place.at, place.language)
        return subject in ("user", "none", "agent") and target == MEMORY
    if target == MEMORY:
        return not _any(place.tags[: place.at], _bits("obj3"))
    if core.has(BIT["expel"]):
        return False
    if evidence:
        return target >= NAMED or not _any(place.tags, _bits("content", "other"))
    return target == NAMED and _is_shall_be(place) and _any(place.tags[: place.at], BIT["info"])


def _subject_phrase(place: _Place) -> list[Tag]:
    """What stands before the verb in its clause; a quotation in it is part of its subject."""
    start = place.at
    while start > 0 and not place.tags[start - 1].has(_bits("comma", "and")):
        start -= 1
    return place.tags[start : place.at]


def _is_shall_be(place: _Place) -> bool:
    """ "should be deleted", "needs to be removed"."""
    before = _clause_before(place.tags, place.at)
    return place.is_shape("T") and _any(before, BIT["modal"]) and _any(before, BIT["be"])


def _is_plain_passive(place: _Place) -> bool:
    """A participle with what was erased before it ("record erased"), or first in its sentence ("Deleted: …")."""
    if not place.is_shape("T"):
        return False
    before = _subject_phrase(place)
    if _any(before[-4:], BIT["be"]):
        return True
    if not any(t.has(~FILLER) for t in before):
        return True
    patient = _any(before, _bits("memory", "info", "personal", "allabout", "said", "right"))
    doer = any(t.has(PERSON) and not t.possessive and not t.has(BIT["personal"]) for t in before[-2:])
    after = place.tags[place.at + 1 : place.at + 2]
    return (
        patient
        and not doer
        and (
            not after
            or after[0].has(_bits("comma", "evidence", "with", "inside", "by", "adv", "from", "and", "be", "time"))
        )
    )


# -- nouns and phrases ---------------------------------------------------------------------------------------------------


def _noun_code(place: _Place) -> str:
    """ "requested removal", "asked for the deletion of their address"."""
    tags, i = place.tags, place.at
    target = _target(place)
    after = tags[i + 1 :]
    if place.frame >= 0:
        frame, between = tags[place.frame], place.between()
        subject = _subject(tags, place.frame, place.language)
        if (
            not frame.has(_bits("ask", "askn", "want"))
            or _is_how(place)
            or _negations(_clause_before(tags, place.frame))
        ):
            return ""
        foreign = _any(between, _bits("content", "other", "third")) and not _has_agent(between)
        bare = not _any(after, _bits("content", "other", "third"))
        if subject != "third" and not foreign and (target >= NAMED or (bare and not frame.has(BIT["want"]))):
            return "asked-removal"
    first = not any(t.has(~FILLER) for t in tags[:i])
    if (target == MEMORY and (first or _any(tags, BIT["evidence"]))) or (
        target >= NAMED and _any(tags, BIT["evidence"])
    ):
        return "log-removal"
    return ""


def _phrase_code(tags: list[Tag], language: str) -> str:
    for i, tag in enumerate(tags):
        if tag.has(BIT["right"]) and (_any(tags, BIT["exercise"]) or _any(tags, BIT["ask"])):
            doers = [j for j, t in enumerate(tags) if t.has(_bits("exercise", "ask"))]
            if _subject(tags, doers[0], language) != "third":
                return "right-to-erasure"
        if tag.has(BIT["withdraw"]) and _any(tags[i:], BIT["memory"]) and _subject(tags, i, language) != "third":
            return "withdrew"
        if tag.has(BIT["retract"]) and not _any(tags[max(0, i - 2) : i], _bits("neg")):
            if _subject(tags, i, language) != "third":
                return "retracted"
    return ""


# -- what is erased --------------------------------------------------------------------------------------------------------


def _target(place: _Place) -> int:
    """How surely what is erased, or not kept, is a memory."""
    tags, i = place.tags, place.at
    if _any(tags, BIT["memory"]) and not (i > 0 and tags[i - 1].has(BIT["memory"]) and place.is_shape("N")):
        return MEMORY
    near, container = _object(place)
    if container is not None:
        if _any(container, _bits("your", "agent")) or any(
            t.has(BIT["info"]) and t.form in ("records", "notes", "facts") for t in container
        ):
            return MEMORY
        if _any(container, _bits("allabout", "said")):
            return NAMED
        return NONE
    whole = tags[(place.frame + 1 if place.frame >= 0 else place.start) :]
    if _any(near, BIT["other"]):
        return NONE
    if _any(whole, _bits("said", "allabout")) or _is_fact_clause(place):
        return MEMORY if place.core.has(BIT["store"]) or not place.core.has(BIT["expel"]) else NAMED
    if _is_stored_thing(whole):
        return MEMORY
    if _is_named(near, place):
        return NAMED
    pointed = _any(near, BIT["deictic"]) and all(t.has(BIT["deictic"] | FILLER) for t in near)
    return POINTED if pointed else NONE


def _object(place: _Place) -> tuple[list[Tag], list[Tag] | None]:
    """The words that name what is erased, up to the first preposition; and what it is taken from, if that is said."""
    tags, i = place.tags, place.at
    after: list[Tag] = []
    container: list[Tag] | None = None
    stop = _bits("comma", "and", "thatc", "about", "inside", "with") & ~BIT["stop"]
    j = i + 1
    while j < len(tags) and not (tags[j].has(stop) and not tags[j].has(_bits("deictic", "personal", "other", "info"))):
        if tags[j].has(BIT["from"]) and (place.language == "en" or tags[j].form == "aus"):
            break
        after.append(tags[j])
        j += 1
    k = j
    while k < len(tags) and not tags[k].has(_bits("comma")):
        if tags[k].has(BIT["from"]) and (place.language == "en" or tags[k].form == "aus"):
            container = tags[k + 1 :]
            break
        k += 1
    passive = _is_before(place)
    return (place.tags[(place.frame + 1 if place.frame >= 0 else place.start) : i] if passive else after), container


def _is_before(place: _Place) -> bool:
    """Whether what is erased stands before the verb: a passive, or German."""
    if place.language == "de" and not place.is_shape("M"):
        return True
    if place.is_shape("T") and (place.language != "en" or _is_passive(place) or _is_plain_passive_en(place)):
        return not place.is_shape("M") or _any(place.between()[-3:], BIT["be"])
    return False


def _is_plain_passive_en(place: _Place) -> bool:
    return place.at + 1 >= len(place.tags) or not place.tags[place.at + 1].has(
        _bits("poss", "deictic", "stop", "personal", "info", "stored", "content")
    )


def _is_fact_clause(place: _Place) -> bool:
    """ "delete that I live in Lisbon": what is erased is told as a sentence."""
    tags, i = place.tags, place.at
    for j in range(i + 1, min(i + 4, len(tags) - 1)):
        if tags[j].has(BIT["thatc"]) and not (place.language == "de" and tags[j].form == "das"):
            return tags[j + 1].has(_bits("user", "first", "pron3", "poss")) or place.language in ROMANCE
        if tags[j].has(_bits("content", "other")):
            return False
    return False


def _is_stored_thing(tags: list[Tag]) -> bool:
    """ "the stored phone number", "saved information about …"."""
    for i, tag in enumerate(tags):
        if tag.has(BIT["stored"]):
            for other in tags[i + 1 : i + 4]:
                if other.has(BIT["other"]):
                    break
                if other.has(_bits("personal", "info", "allabout")):
                    return True
    return False


def _is_named(tags: list[Tag], place: _Place) -> bool:
    owned = (
        _any(tags, _bits("poss", "your"))
        or any(t.possessive for t in tags)
        or place.language != "en"
        or _has_agent(place.between())
    )
    if _any(tags, BIT["personal"]) and (owned or place.core.has(KEEP)):
        return True
    if not _any(tags, BIT["info"]):
        return False
    if place.core.has(KEEP) or _any(tags, BIT["deictic"]):
        return True
    if _any(place.tags, BIT["evidence"]) or _is_shall_be(place):
        return True
    for i, tag in enumerate(place.tags):
        if tag.has(BIT["info"]) and i + 1 < len(place.tags) and place.tags[i + 1].has(_bits("about", "thatc")):
            return place.tags[i + 1].form != "on" or place.language != "en" or _has_agent(place.between())
    return False
