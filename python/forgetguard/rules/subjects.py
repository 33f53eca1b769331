"""Who is spoken of: another person, a new relation, or a subject that is gone."""

from __future__ import annotations

from collections.abc import Sequence

from forgetguard.rules.alignment import Alignment, is_name
from forgetguard.rules.tokens import Parsed, Token
from forgetguard.rules.voice import is_passive
from forgetguard.rules.words import particles

SKIPPED_BEFORE = 3


def subject(alignment: Alignment) -> bool:
    """Somebody else is spoken of: a new relation, a new name as subject, or the fact's own subject is gone."""
    if any(t.relation for t in alignment.dropped) and any(t.relation for t in alignment.added):
        return True
    return (
        _new_relation(alignment)
        or _new_name(alignment)
        or _lost_subject(alignment)
        or _new_possession(alignment)
        or _newly_is(alignment)
    )


def _new_relation(alignment: Alignment) -> bool:
    """A relation that the fact lacks, but beside the subject, as what the subject is, or as the agent of a passive."""
    if is_passive(alignment.whole_fact) and not is_passive(alignment.whole_candidate):
        return False
    tokens = alignment.whole_candidate.tokens
    claim, told = _first_claim(alignment), _told(alignment)
    added = {t.start for t in alignment.added if t.relation and t.start >= told}
    return any(
        t.start in added
        and not (_is_oblique(tokens, i) or _is_predicate(tokens, i))
        and (t.start < claim or t.kind == "cjk" or _is_somebodys(tokens, i))
        for i, t in enumerate(tokens)
    )


def _is_somebodys(tokens: Sequence[Token], i: int) -> bool:
    """Whether a relation is a certain person: somebody's, or behind a definite article or the word for an agent."""
    near = tokens[max(0, i - SKIPPED_BEFORE) : i + 1 + SKIPPED_BEFORE]
    if any(t.kind == "user" or t.possessive or t.form in particles("somebodys") for t in near):
        return True
    return any(t.form in particles("agent") for t in tokens[max(0, i - SKIPPED_BEFORE) : i])


def _is_predicate(tokens: Sequence[Token], i: int) -> bool:
    """Whether a form of *be* stands before a word, with at most an article between ("is a pupil")."""
    before = (i if i >= 0 else len(tokens) + i) - 1
    if before >= 0 and tokens[before].form in particles("article"):
        before -= 1
    return before >= 0 and tokens[before].form in particles("be")


def _new_possession(alignment: Alignment) -> bool:
    """The fact is about the user, the candidate about something of the user's that the fact lacks."""
    fact = next((t for t in alignment.whole_fact.tokens if t.kind == "user"), None)
    tokens = alignment.whole_candidate.tokens
    at = next((i for i, t in enumerate(tokens) if t.kind == "user"), -1)
    if fact is None or fact.possessive or at < 0 or not tokens[at].possessive:
        return False
    added = {t.start for t in alignment.added if t.kind == "word"}
    head = at + 1
    if head == len(tokens) or tokens[head].start not in added:
        return False
    while head + 1 < len(tokens) and tokens[head + 1].start in added:
        head += 1
    return tokens[head].start < _last_claim(alignment)


def _last_claim(alignment: Alignment) -> int:
    return max((t.start for t, at in zip(alignment.candidate, alignment.backward, strict=True) if at >= 0), default=-1)


def _newly_is(alignment: Alignment) -> bool:
    """The user is said to be what the fact has them deal with ("is a lawyer" beside "meets the lawyer")."""
    tokens = alignment.whole_candidate.tokens
    starts = {
        alignment.candidate[at].start: f
        for f, at in zip(alignment.fact, alignment.forward, strict=True)
        if at >= 0 and f.relation in ("work", "care")
    }
    facts = alignment.whole_fact.tokens
    for i, token in enumerate(tokens):
        f = starts.get(token.start)
        if f is None or not _is_predicate(_without_modifiers(tokens, i), -1):
            continue
        at = next(j for j, t in enumerate(facts) if t.start == f.start)
        before = _without_modifiers(facts, at)
        return not (_is_predicate(before, -1) or any(t.form in particles("role") for t in before[-3:]))
    return False


def _without_modifiers(tokens: Sequence[Token], i: int) -> Sequence[Token]:
    """The tokens before a noun and the content words that modify it, with the noun behind them."""
    before = i
    while before and tokens[before - 1].role == "content" and tokens[before - 1].kind in ("word", "name"):
        before -= 1
    return (*tokens[:before], tokens[i])


def _is_oblique(tokens: Sequence[Token], i: int) -> bool:
    """Whether `with`, `and` or the like stands before the noun phrase that token `i` heads."""
    for j in range(i - 1, max(-1, i - 2 - SKIPPED_BEFORE), -1):
        if tokens[j].form in particles("oblique"):
            return True
        if tokens[j].kind in ("mark", "negation"):
            return False
    return False


def _first_claim(alignment: Alignment) -> int:
    """Where the candidate's first aligned word that names nobody starts."""
    starts = [
        t.start
        for t, at in zip(alignment.candidate, alignment.backward, strict=True)
        if at >= 0 and not is_name(t) and not t.relation
    ]
    return min(starts, default=0)


def _told(alignment: Alignment) -> int:
    """Where what is told of the user begins, as who tells it is not spoken of ("Ana noted that the user …"); or 0."""
    tokens = alignment.whole_candidate.tokens
    claim = _first_claim(alignment)
    for i, token in enumerate(tokens):
        if token.start >= claim:
            break
        if token.form in particles("complement") and any(t.kind == "user" for t in tokens[i + 1 : i + 3]):
            return token.start
    return 0


def _new_name(alignment: Alignment) -> bool:
    """A name that the fact lacks stands before the claim and behind no preposition, or as the agent of a passive."""
    if is_passive(alignment.whole_fact) != is_passive(alignment.whole_candidate):
        return False
    tokens = alignment.whole_candidate.tokens
    claim, told = _first_claim(alignment), _told(alignment)
    added = {t.start for t in alignment.added if is_name(t) and t.start >= told}
    for i, token in enumerate(tokens):
        if token.start in added and ((_is_bare(tokens, i) and token.start < claim) or _is_agent(tokens, i)):
            return True
    return _cjk_other_subject(alignment)


def _is_bare(tokens: Sequence[Token], i: int) -> bool:
    """No preposition or other function word stands directly before the name (articles of other names do not occur)."""
    while i and is_name(tokens[i - 1]):
        i -= 1
    return (
        i == 0
        or tokens[i - 1].role != "stop"
        or tokens[i - 1].kind == "mark"
        or tokens[i - 1].form in particles("complement")
    )


def _is_agent(tokens: Sequence[Token], i: int) -> bool:
    while i and is_name(tokens[i - 1]):
        i -= 1
    return i > 0 and tokens[i - 1].form in particles("agent")


def _cjk_other_subject(alignment: Alignment) -> bool:
    """The fact speaks of the user; the candidate does not, and begins with something else."""
    tokens = alignment.whole_candidate.tokens
    if not any(t.kind == "cjk" for t in tokens) or any(t.kind == "user" for t in tokens):
        return False
    if not any(t.kind == "user" for t in alignment.whole_fact.tokens):
        return False
    return bool(alignment.candidate) and alignment.backward[0] < 0


def subject_of(parsed: Parsed) -> list[Token]:
    """The participants that open a text, up to its first claim: the user, names, relations."""
    out: list[Token] = []
    for i, token in enumerate(parsed.tokens):
        if token.kind == "mark":
            continue
        if token.kind == "user" or token.relation or (is_name(token) and _is_bare(parsed.tokens, i)):
            out.append(token)
        elif token.role == "content" and not is_name(token):
            break
    return out


def _lost_subject(alignment: Alignment) -> bool:
    """The fact is about a relation or a named person; the candidate leaves them out and has a subject of its own."""
    opening = [t for t in subject_of(alignment.whole_fact) if t.kind != "user"]
    if not opening:
        return False
    kept = {t.start for t in alignment.kept}
    if any(t.start in kept for t in opening):
        return False
    return bool(subject_of(alignment.whole_candidate))
