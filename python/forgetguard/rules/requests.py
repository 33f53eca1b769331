"""Is a text a request to forget, or a note that something was deleted?

Slots, not word sequences: a verb of forgetting, erasing or (under a negation) keeping; a memory or the assistant as its
target or agent; and a request, an imperative or a log form around it. The rules are tried at each such verb, in this
order; the first that holds gives its code.

    imperative-forget, imperative-erase, imperative-not-keep    the text itself asks
    asked-forget, asked-erase, asked-not-keep                   it tells that the user asked
    assistant-forget, assistant-erase, assistant-not-keep       it tells what the assistant did or shall do
    log-erased                                                  something remembered was erased, or shall be
    asked-removal, log-removal                                  the same as a noun ("requested removal")
    right-to-erasure, withdrew, retracted                       phrases that need no verb of their own

What is not one: a third person asks or is asked, the user forgets or erases something of their own, the verb is negated
("don't forget"), the question is how, what is erased is no memory (an account, a photo, sugar), what is not kept
is kept out of something else (a repository, a log), or a thing of the world has a new value ("forget the deadline, it
moved").
"""

from __future__ import annotations

from forgetguard.rules.lexemes import scan
from forgetguard.rules.request_cjk import cjk_code, cjk_note_words
from forgetguard.rules.request_places import (
    BOUNDARY,
    FILLER,
    KEEP,
    LOSE,
    NOUN,
    PRO_DROP,
    ROMANCE,
    Place,
    any_of,
    bits,
    clause_before,
    framed_kind,
    has_agent,
    is_adverb,
    is_negated,
    is_passive,
    is_plain_passive,
    is_shall_be,
    kind_of,
    outer_place,
    place_of,
    subject_of,
)
from forgetguard.rules.request_tags import BIT, Tag, is_english, languages_of, sentences
from forgetguard.rules.request_targets import MEMORY, NAMED, POINTED, is_updated, target_of
from forgetguard.rules.text import clean

SINGLE_VERBS = 4
"""Most words of a text that asks to erase "that" and names nothing else."""
DOER_WITHIN = 3
"""Words after "by" among which the one who did it stands."""


def is_forget_request(text: str) -> bool:
    """Whether `text` asks to forget something, or notes that something was deleted."""
    return request_code(text) != ""


def request_code(text: str) -> str:
    """The code of the rule that takes `text` for a request or a note, or "" if none does."""
    text = clean(text)
    lexemes = scan(text)
    languages = languages_of(lexemes)
    for language in languages:
        for tags in sentences(text, lexemes, language):
            if "en" in languages and is_english(tags, language):
                continue
            if code := _sentence_code(tags, language):
                return code
    return cjk_code(lexemes)


def note_words(text: str) -> bool:
    """Whether `text` speaks of erasing, forgetting or not keeping at all: with much of a fact, it is a note about it.

    A negated verb, and a user who forgets something out of habit or by mistake, do not count.
    """
    text = clean(text)
    lexemes = scan(text)
    for language in languages_of(lexemes):
        for tags in sentences(text, lexemes, language):
            if any(_is_note_word(place_of(tags, i, language)) for i in range(len(tags))):
                return True
    return cjk_note_words(lexemes)


def _is_note_word(place: Place) -> bool:
    if place.core.has(BIT["removal"]):
        return True
    kind = framed_kind(place) if place.core.has(LOSE | KEEP) else ""
    if kind == "forget":
        return place.is_shape("MIST") and not any_of(place.tags, bits("habit", "notforget"))
    return (kind == "erase" and place.core.has(BIT["erase"])) or (
        kind == "not-keep" and place.core.has(BIT["remember"])
    )


def _sentence_code(tags: list[Tag], language: str) -> str:
    if any_of(tags, BIT["notforget"]):
        return ""
    for i, tag in enumerate(tags):
        code = ""
        if tag.has(LOSE | KEEP):
            code = _verb_code(place_of(tags, i, language))
        if not code and tag.has(BIT["removal"]):
            code = _noun_code(place_of(tags, i, language))
        if code:
            return code
    return _phrase_code(tags, language)


def _verb_code(place: Place) -> str:
    if place.core.has(BIT["forget"]) and is_updated(place):
        return ""
    kind = kind_of(place)
    if kind and _is_imperative(place, kind):
        return "imperative-" + kind
    kind = framed_kind(place)
    if kind and _is_asked(place, kind):
        return "asked-" + kind
    if code := _outer_code(place):
        return code
    if kind and _is_said_of_assistant(place, kind):
        return "assistant-" + kind
    return "log-erased" if _is_logged(place) else ""


# -- the text itself asks --------------------------------------------------------------------------------------------


def _is_imperative(place: Place, kind: str) -> bool:
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
    if kind == "not-keep" and _keeps_doing(place):
        return False
    return target_of(place) >= _imperative_target(place, kind)


def _imperative_target(place: Place, kind: str) -> int:
    if place.core.has(BIT["expel"]):
        return MEMORY
    alone = all(tag.has(BIT["deictic"] | FILLER) for tag in place.tags[place.at + 1 :])
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


def _keeps_doing(place: Place) -> bool:
    """ "keep asking": no memory in it."""
    follows = place.tags[place.at + 1 : place.at + 2]
    return place.core.form.startswith("ke") and bool(follows) and follows[0].form.endswith("ing")


# -- the user asked --------------------------------------------------------------------------------------------------


def _outer_code(place: Place) -> str:
    """ "wants the note that Inês proposed PgBouncer erased": a participle may hang on a word further out."""
    outer = outer_place(place)
    if outer.frame < 0 or not outer.is_shape("T") or not outer.asking.has(bits("ask", "want")):
        return ""
    kind = framed_kind(outer)
    return "asked-" + kind if kind and is_passive(outer) and _is_asked(outer, kind) else ""


def _is_asked(place: Place, kind: str) -> bool:
    if place.frame < 0 or _is_how(place):
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


def _is_how(place: Place) -> bool:
    """ "asked how to delete …"; "asked whether you can forget" is a request, "whether you forget" none."""
    between = place.between()
    if any_of(between, BIT["question"]):
        return True
    if place.frame >= 0 and place.asking.has(BIT["want"]):
        return False  # "would appreciate it if you forgot"
    return any_of(between, BIT["whether"]) and not any_of(between, BIT["modal"])


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
    if kind == "not-keep" and _keeps_doing(place):
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


# -- the assistant did or shall, and logs ----------------------------------------------------------------------------


def _is_said_of_assistant(place: Place, kind: str) -> bool:
    tags = place.tags
    promised = place.frame >= 0 and place.asking.has(BIT["agree"])
    promised = promised and subject_of(tags, place.frame, place.language) == "agent"
    if not promised and not _is_agents_own(place):
        return _is_first_person_log(place, kind)
    before = tags[place.start : place.at]
    if any_of(before, BIT["habit"]) or _is_how(place) or (place.next_is(BIT["to"]) and place.language == "en"):
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
    """ "I have forgotten your address": the assistant speaks."""
    before = place.tags[place.start : place.at]
    if kind == "not-keep" or not any_of(before, BIT["first"]) or not place.is_shape("PT"):
        return False
    yours = any_of(place.tags[place.at :], BIT["your"])
    target = target_of(place)
    if any_of(place.tags, BIT["evidence"]) and target >= POINTED:
        return True
    if place.core.has(BIT["forget"]):
        return yours and any_of(before, BIT["have"])
    return target == MEMORY or (yours and target >= NAMED)


def _is_logged(place: Place) -> bool:
    """A memory as what was erased: "Memory entry about Lisbon removed", "the record has been erased as requested"."""
    if not place.is_shape("TP") or _is_how(place):
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
    after = place.tags[place.at + 1 :]
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


# -- nouns and phrases -----------------------------------------------------------------------------------------------


def _noun_code(place: Place) -> str:
    """ "requested removal", "asked for the deletion of their address"."""
    tags = place.tags
    target = target_of(place)
    if place.frame >= 0:
        before = clause_before(tags, place.frame)
        if not place.asking.has(bits("ask", "askn", "want")) or _is_how(place) or any_of(before, BIT["neg"]):
            return ""
        foreign = any_of(place.between(), bits("content", "other", "third")) and not has_agent(place.between())
        bare = not any_of(tags[place.at + 1 :], bits("content", "other", "third")) and not place.asking.has(BIT["want"])
        if subject_of(tags, place.frame, place.language) != "third" and not foreign and (target >= NAMED or bare):
            return "asked-removal"
    evidence = any_of(tags, BIT["evidence"])
    first = not any(t.has(~FILLER) for t in tags[: place.at])
    return "log-removal" if (target == MEMORY and (first or evidence)) or (target >= NAMED and evidence) else ""


def _is_open_end(tags: list[Tag], i: int) -> bool:
    """ "scratch that", but not "scratch that meeting"."""
    plain = i + 1 >= len(tags) or not tags[i + 1].has(bits("content", "other", "info"))
    return plain or not tags[i].form.endswith(" that")


def _phrase_code(tags: list[Tag], language: str) -> str:
    for i, tag in enumerate(tags):
        if tag.has(BIT["right"]):
            doers = [j for j, other in enumerate(tags) if other.has(bits("exercise", "ask"))]
            users = i > 0 and tags[i - 1].possessive and tags[i - 1].has(BIT["user"])
            if doers and (users or subject_of(tags, doers[0], language) != "third"):
                return "right-to-erasure"
        if subject_of(tags, i, language) == "third":
            continue
        if tag.has(BIT["withdraw"]) and any_of(tags[i:], BIT["memory"]):
            return "withdrew"
        if tag.has(BIT["retract"]) and not any_of(tags[max(0, i - 2) : i], BIT["neg"]) and _is_open_end(tags, i):
            return "retracted"
    return ""
