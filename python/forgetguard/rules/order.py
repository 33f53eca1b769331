"""Who does what to whom, and what stands before what."""

from __future__ import annotations

from functools import lru_cache

from forgetguard.rules.alignment import Alignment, content, is_name
from forgetguard.rules.lexicon import rows
from forgetguard.rules.tokens import Parsed, Token
from forgetguard.rules.voice import is_passive
from forgetguard.rules.words import stem


@lru_cache(maxsize=1)
def _asymmetric() -> frozenset[tuple[str, str]]:
    return frozenset((lang, stem(verb, lang)) for lang, verb in rows("asymmetric"))


@lru_cache(maxsize=1)
def _converse() -> frozenset[tuple[str, str, str]]:
    pairs = [(lang, stem(a, lang), stem(b, lang)) for lang, a, b in rows("converse")]
    return frozenset(pairs) | frozenset((lang, b, a) for lang, a, b in pairs)


def role(alignment: Alignment) -> bool:
    """Who does what to whom is turned round."""
    language = alignment.whole_fact.language
    people = _shared_participants(alignment)
    if len(people) < 2:
        return False
    (fact_one, candidate_one), (fact_two, candidate_two) = people[0], people[1]
    verbs = [
        t
        for t in content(alignment.whole_fact)
        if t.kind == "word" and not is_name(t) and not (t.relation and t.person)
    ]
    verb = next((t for t in verbs if (language, t.key) in _asymmetric() or _is_between(t, fact_one, fact_two)), None)
    if verb is None:
        return False
    turned = (candidate_one.start > candidate_two.start) != (
        candidate_one.possessive != candidate_two.possessive and _possessor_first(candidate_one, candidate_two)
    )
    flipped = is_passive(alignment.whole_fact) != is_passive(alignment.whole_candidate)
    if any((language, verb.key, t.key) in _converse() for t in alignment.candidate):
        flipped = not flipped
    return turned != flipped


def _possessor_first(one: Token, two: Token) -> bool:
    """The one that comes first is a possessor ("Pedro's manager is Ana"): it is what something is done to."""
    first = one if one.start < two.start else two
    return first.possessive


def _is_between(verb: Token, one: Token, two: Token) -> bool:
    """Subject, verb, object with nothing between them."""
    return one.end + 1 == verb.start and verb.end + 1 == two.start


def _shared_participants(alignment: Alignment) -> list[tuple[Token, Token]]:
    """The user and the names that both texts hold, in the order of the fact."""
    found = [
        (f, alignment.candidate[at])
        for f, at in zip(alignment.fact, alignment.forward, strict=True)
        if at >= 0 and (is_name(f) or (f.relation and f.relation != "pet"))
    ]
    users = [
        next((t for t in p.tokens if t.kind == "user"), None) for p in (alignment.whole_fact, alignment.whole_candidate)
    ]
    if users[0] is not None and users[1] is not None:
        found.append((users[0], users[1]))
    return sorted(found, key=lambda pair: pair[0].start)


@lru_cache(maxsize=1)
def _directions() -> dict[tuple[str, str], str]:
    return {(lang, form): name for lang, form, name in rows("direction")}


def direction(alignment: Alignment) -> bool:
    """What stands before and after, over and under, from and to, is exchanged."""
    fact, candidate = alignment.whole_fact, alignment.whole_candidate
    if fact.language != candidate.language:
        return False
    return _ends_exchanged(alignment) or _sides_exchanged(alignment)


def _direction_before(parsed: Parsed, token: Token) -> str:
    """The class of the direction word directly before a token."""
    last = ""
    for t in parsed.tokens:
        if t.start >= token.start:
            break
        last = _directions().get((parsed.language, t.form), "" if t.role != "stop" or t.kind == "mark" else last)
    return last


def _ends_exchanged(alignment: Alignment) -> bool:
    for f, at in zip(alignment.fact, alignment.forward, strict=True):
        if at >= 0:
            ends = {
                _direction_before(alignment.whole_fact, f),
                _direction_before(alignment.whole_candidate, alignment.candidate[at]),
            }
            if ends == {"source", "goal"}:
                return True
    return False


def _side_word(parsed: Parsed) -> tuple[int, str]:
    for i, token in enumerate(parsed.tokens):
        found = _directions().get((parsed.language, token.form), "")
        if found in ("before", "after", "over") and token.kind != "name":
            return i, found
    return -1, ""


def _sides(parsed: Parsed, at: int) -> dict[int, int]:
    """For each token's start: 1 if it stands on the near side of the direction word, 2 if on the far side."""
    tokens = parsed.tokens
    fronted = not any(t.role == "content" for t in tokens[:at])
    comma = next((t.start for t in tokens[at:] if t.kind == "mark" and t.form == ","), None)
    if fronted and comma is not None:
        return {t.start: 2 if t.start < comma else 1 for t in tokens}
    return {t.start: 1 if t.start < tokens[at].start else 2 for t in tokens}


def _sides_exchanged(alignment: Alignment) -> bool:
    fact_at, fact_class = _side_word(alignment.whole_fact)
    candidate_at, candidate_class = _side_word(alignment.whole_candidate)
    if fact_at < 0 or candidate_at < 0:
        return False
    if (fact_class == "over") != (candidate_class == "over"):
        return False
    fact_sides, candidate_sides = _sides(alignment.whole_fact, fact_at), _sides(alignment.whole_candidate, candidate_at)
    swapped = kept = 0
    for f, at in zip(alignment.fact, alignment.forward, strict=True):
        if at >= 0 and f.start != alignment.whole_fact.tokens[fact_at].start:
            same = fact_sides[f.start] == candidate_sides[alignment.candidate[at].start]
            kept, swapped = kept + same, swapped + (not same)
    if swapped == kept:
        return False
    return (swapped > kept) == (fact_class == candidate_class)
