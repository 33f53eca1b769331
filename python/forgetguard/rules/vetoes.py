"""Reasons to store: one predicate a code, in the order of `rules.tsv`. Any one that holds: another fact.

Each predicate reads an `Alignment` and answers one question. None knows of another.
"""

from __future__ import annotations

from collections.abc import Callable

from forgetguard.rules.alignment import Alignment, is_name, unmatched_units
from forgetguard.rules.frames import change, modal, quantifier
from forgetguard.rules.order import direction, role
from forgetguard.rules.subjects import subject
from forgetguard.rules.tokens import Token
from forgetguard.rules.words import particles

VALUE_KINDS = ("number", "date", "weekday", "time", "phone", "email", "url", "id")
ROMANCE = ("pt", "es", "fr")
SHORT_FACT = 3
"""Content words of a fact that is so short that a shared word may be a mere modifier elsewhere."""
SLOT_SIZE = 2


def value(alignment: Alignment) -> bool:
    """A number, date, time, code or unit stands in each text that the other lacks."""
    dropped = {t.kind for t in alignment.dropped}
    return any(t.kind in VALUE_KINDS and t.kind in dropped for t in alignment.added) or unmatched_units(alignment)


def name(alignment: Alignment) -> bool:
    """A name stands in each text that the other lacks."""
    return any(is_name(t) for t in alignment.dropped) and any(is_name(t) for t in alignment.added)


def polarity(alignment: Alignment) -> bool:
    """An aligned word is negated in one text only, or stands beside its opposite under the same negation."""
    for i, at in enumerate(alignment.forward):
        if at < 0:
            continue
        differs = alignment.fact[i].negated != alignment.candidate[at].negated
        if differs != alignment.opposite[i]:
            return True
    return False


def modifier(alignment: Alignment) -> bool:
    """A short fact's word has become a modifier of something else (a vegetarian recipe, a coffee shop)."""
    facts = [t for t in alignment.fact if not is_name(t)]
    if len(alignment.fact) > SHORT_FACT or not facts:
        return False
    parsed = alignment.whole_candidate
    added = {t.start for t in alignment.added}
    kept = {t.start for t, at in zip(alignment.candidate, alignment.backward, strict=True) if at >= 0}
    step = -1 if parsed.language in ROMANCE else 1
    places: dict[int, int] = {}
    for i, token in enumerate(parsed.tokens):
        places.setdefault(token.start, i)
    for token, at in zip(alignment.candidate, alignment.backward, strict=True):
        if at < 0 or token.kind not in ("word", "name") or token.possessive:
            continue
        i = places[token.start] + step
        if 0 <= i < len(parsed.tokens) and parsed.tokens[i].start in added and _is_head(parsed.tokens[i]):
            beyond = i + step
            if 0 <= beyond < len(parsed.tokens) and parsed.tokens[beyond].start in kept:
                continue
            return not _follows_in_fact(alignment, at, step)
    return False


def _is_head(token: Token) -> bool:
    """A noun that a modifier belongs to; "diet" or "person" add nothing to theirs."""
    return token.kind == "word" and token.form not in particles("light-noun")


def _follows_in_fact(alignment: Alignment, i: int, step: int) -> bool:
    """The fact's own word already modified something."""
    tokens = alignment.whole_fact.tokens
    at = next(j for j, t in enumerate(tokens) if t.start == alignment.fact[i].start) + step
    return 0 <= at < len(tokens) and tokens[at].role == "content" and tokens[at].kind == "word"


def substitution(alignment: Alignment) -> bool:
    """The two sequences are equal but for one or two words in one place: a new value in the same slot."""
    # An aligned token is the number of its partner, which no key is.
    fact = [f.key if at < 0 else at for f, at in zip(alignment.fact, alignment.forward, strict=True)]
    candidate = [
        c.key if at < 0 else j for j, (c, at) in enumerate(zip(alignment.candidate, alignment.backward, strict=True))
    ]
    head = 0
    while head < min(len(fact), len(candidate)) and fact[head] == candidate[head]:
        head += 1
    tail = 0
    while tail < min(len(fact), len(candidate)) - head and fact[-1 - tail] == candidate[-1 - tail]:
        tail += 1
    out, new = len(fact) - head - tail, len(candidate) - head - tail
    return head + tail > 0 and 0 < out <= SLOT_SIZE and 0 < new <= SLOT_SIZE


VETOES: dict[str, Callable[[Alignment], bool]] = {
    "value": value,
    "name": name,
    "polarity": polarity,
    "subject": subject,
    "role": role,
    "direction": direction,
    "quantifier": quantifier,
    "modal": modal,
    "change": change,
    "modifier": modifier,
}
