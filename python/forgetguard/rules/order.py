"""Who does what to whom, and what stands before what."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from forgetguard.rules.alignment import Alignment, is_name
from forgetguard.rules.lexicon import rows
from forgetguard.rules.meanings import are_converse
from forgetguard.rules.stems import stem
from forgetguard.rules.tokens import Parsed, Token
from forgetguard.rules.voice import is_passive
from forgetguard.rules.words import CJK_LANGUAGES, particles


@lru_cache(maxsize=1)
def _asymmetric() -> frozenset[tuple[str, str]]:
    return frozenset((lang, stem(verb, lang)) for lang, verb in rows("asymmetric"))


def role(alignment: Alignment) -> bool:
    """Who does what to whom is turned round, or one verb stands for its converse with nobody exchanged."""
    people = _shared_participants(alignment)
    converse = _is_converse(alignment)
    passive = is_passive(alignment.whole_fact) != is_passive(alignment.whole_candidate)
    if len(people) < 2:
        return converse and not passive
    (fact_one, candidate_one), (fact_two, candidate_two) = people[0], people[1]
    if not converse and not _is_asymmetric(alignment, fact_one, fact_two):
        return False
    turned = (candidate_one.start > candidate_two.start) != _possessor_first(candidate_one, candidate_two)
    if passive and not _keeps_verb(alignment):
        return False
    return turned != (passive != (converse and not _is_of_nouns(alignment)))


def _keeps_verb(alignment: Alignment) -> bool:
    """Whether every aligned asymmetric verb is the same word in both: only then does the voice tell who acts."""
    language = alignment.whole_fact.language
    pairs = [(f, alignment.candidate[at]) for f, at in zip(alignment.fact, alignment.forward, strict=True) if at >= 0]
    verbs = [(f, c) for f, c in pairs if (language, f.key) in _asymmetric()]
    return bool(verbs) and all(f.key == c.key for f, c in verbs)


def _is_converse(alignment: Alignment) -> bool:
    """Whether a verb of the fact is aligned with its converse (lend with borrow)."""
    language = alignment.whole_fact.language
    return any(
        at >= 0 and are_converse(f.key, alignment.candidate[at].key, language)
        for f, at in zip(alignment.fact, alignment.forward, strict=True)
    )


def _is_of_nouns(alignment: Alignment) -> bool:
    """Whether the converse words are relations, one of them the user's ("my landlord is X", "I am a tenant of X")."""
    language = alignment.whole_fact.language
    return any(
        at >= 0
        and bool(f.relation)
        and are_converse(f.key, alignment.candidate[at].key, language)
        and _is_users(alignment.whole_fact, f) != _is_users(alignment.whole_candidate, alignment.candidate[at])
        for f, at in zip(alignment.fact, alignment.forward, strict=True)
    )


def _is_users(parsed: Parsed, relation: Token) -> bool:
    """Whether the user possesses a relation: a user right before it, with its possessive."""
    before = next((t for t in reversed(parsed.tokens) if t.start < relation.start and t.kind != "mark"), None)
    return before is not None and before.kind == "user"


def _is_asymmetric(alignment: Alignment, one: Token, two: Token) -> bool:
    """Whether the two cannot be exchanged: a listed verb, any that stands between them, or a comparison ("than")."""
    language = alignment.whole_fact.language
    between = (t for t in alignment.whole_fact.tokens if one.start < t.start < two.start)
    if language in CJK_LANGUAGES or any(t.form in particles("comparison") for t in between):
        return True
    verbs = [t for t in alignment.fact if t.kind == "word" and not is_name(t)]
    if any((language, t.key) in _asymmetric() for t in verbs):
        return True
    return _is_somebody(one) == _is_somebody(two) and any(_is_between(t, one, two) for t in verbs)


def _possessor_first(one: Token, two: Token) -> bool:
    """The one that comes first possesses the office of the other ("Pedro's manager is Ana")."""
    first, second = (one, two) if one.start < two.start else (two, one)
    return first.possessive and not second.possessive


def _is_between(verb: Token, one: Token, two: Token) -> bool:
    """Subject, verb, object with nothing between them."""
    return one.end + 1 == verb.start and verb.end + 1 == two.start


def _shared_participants(alignment: Alignment) -> list[tuple[Token, Token]]:
    """The user, relations and names that both texts hold and in the order of the fact.

    A possessor is no participant of its own ("the user's landlord" is one).
    """
    found = [
        (f, alignment.candidate[at])
        for f, at in zip(alignment.fact, alignment.forward, strict=True)
        if at >= 0 and ((is_name(f) and _takes_part(alignment.whole_fact, f)) or (f.relation and f.relation != "pet"))
    ]
    fact_user = _first_user(alignment.whole_fact)
    candidate_user = _first_user(alignment.whole_candidate)
    if fact_user is not None and candidate_user is not None:
        found.append((fact_user, candidate_user))
    return sorted(found, key=lambda pair: pair[0].start)


def _takes_part(parsed: Parsed, token: Token) -> bool:
    """A person, or a name that stands where persons do: first, or behind a word like to, from and by."""
    if token.person:
        return True
    before = [t for t in parsed.tokens if t.start < token.start and t.kind != "mark"]
    while before and is_name(before[-1]):
        before.pop()
    if not before or before[-1].role == "content":
        return True
    return before[-1].form in particles("party") or before[-1].form in particles("complement")


def _is_somebody(token: Token) -> bool:
    return token.kind == "user" or token.person or bool(token.relation)


def _first_user(parsed: Parsed) -> Token | None:
    """The first mention of the user that possesses no relation."""
    tokens = parsed.tokens
    related = any(t.relation and t.relation != "pet" for t in tokens)
    return next((t for i, t in enumerate(tokens) if t.kind == "user" and not (related and _possesses(tokens, i))), None)


def _possesses(tokens: Sequence[Token], i: int) -> bool:
    """A possessive form or pronoun, or in CJK a user right before a relation or the particle of possession."""
    user, following = tokens[i], tokens[i + 1] if i + 1 < len(tokens) else None
    if user.possessive or user.form in particles("possessive"):
        return True
    return (
        following is not None
        and following.kind == "cjk"
        and (bool(following.relation) or following.form in particles("genitive"))
    )


@lru_cache(maxsize=1)
def _directions() -> dict[tuple[str, str], str]:
    return {(lang, form): name for lang, form, name in rows("direction")}


def direction(alignment: Alignment) -> bool:
    """What stands before and after, over and under, from and to, is exchanged."""
    fact, candidate = alignment.whole_fact, alignment.whole_candidate
    if fact.language != candidate.language:
        return False
    # A converse verb exchanges from and to itself: "lent to" is "borrowed from".
    return (_ends_exchanged(alignment) and not _is_converse(alignment)) or _sides_exchanged(alignment)


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
    moves = {
        (fact_sides[f.start], candidate_sides[alignment.candidate[at].start])
        for f, at in zip(alignment.fact, alignment.forward, strict=True)
        if at >= 0
    }
    if fact_class == candidate_class:
        return {(1, 2), (2, 1)} <= moves
    return {(1, 1), (2, 2)} <= moves and not {(1, 2), (2, 1)} <= moves
