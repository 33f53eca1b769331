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
from forgetguard.rules.request_imperatives import is_imperative
from forgetguard.rules.request_logs import is_logged, is_said_of_assistant
from forgetguard.rules.request_places import (
    FILLER,
    KEEP,
    LOSE,
    Place,
    any_of,
    bits,
    clause_before,
    framed_kind,
    has_agent,
    is_how,
    kind_of,
    place_of,
    subject_of,
)
from forgetguard.rules.request_reports import is_asked, outer_code
from forgetguard.rules.request_tags import BIT, Tag, is_english, languages_of, sentences
from forgetguard.rules.request_targets import MEMORY, NAMED, is_updated, target_of
from forgetguard.rules.text import clean


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
    if kind and is_imperative(place, kind):
        return "imperative-" + kind
    kind = framed_kind(place)
    if kind and is_asked(place, kind):
        return "asked-" + kind
    if code := outer_code(place):
        return code
    if kind and is_said_of_assistant(place, kind):
        return "assistant-" + kind
    return "log-erased" if is_logged(place) else ""


# -- nouns and phrases -----------------------------------------------------------------------------------------------


def _noun_code(place: Place) -> str:
    """ "requested removal", "asked for the deletion of their address"."""
    tags = place.tags
    target = target_of(place)
    if place.frame >= 0:
        before = clause_before(tags, place.frame)
        if not place.asking.has(bits("ask", "askn", "want")) or is_how(place) or any_of(before, BIT["neg"]):
            return ""
        foreign = any_of(place.between(), bits("content", "other", "third")) and not has_agent(place.between())
        bare = not any_of(place.after(), bits("content", "other", "third")) and not place.asking.has(BIT["want"])
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
