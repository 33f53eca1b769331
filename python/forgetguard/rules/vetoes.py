"""Reasons to store: one predicate a code, in the order of `rules.tsv`. Any one that holds, and the candidate is another fact.

Each predicate reads an `Alignment` and answers one question. None knows of another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from forgetguard.rules.alignment import Alignment, content, unmatched_units
from forgetguard.rules.lexicon import rows
from forgetguard.rules.tokens import Parsed, Token
from forgetguard.rules.words import stem

VALUE_KINDS = ("number", "date", "weekday", "time", "phone", "email", "url", "id")
OBLIQUE = frozenset(
    "with and for near at on in beside alongside because plus e com para perto y con por cerca et avec pour pres und mit fur neben bei 和 跟 与 同 と 와 과 랑".split()
)
"""Words that put a further person beside the subject instead of in its place."""
SKIPPED_BEFORE = 3
BE_FORMS = frozenset(
    "be is are was were been being am foi foram sido fue fueron siendo sera ete etait fut wurde wurden worden wird werden".split()
)
AGENT_WORDS = frozenset("by por pelo pela pelos pelas par von vom durch".split())
ROMANCE = ("pt", "es", "fr")
SHORT_FACT = 3
"""Content words of a fact that is so short that a shared word may be a mere modifier elsewhere."""
SLOT_SIZE = 2
POSSESSIVES = frozenset(
    "my your mein meine meinem meinen meiner dein deine meu minha teu tua mi mis tu tus mon ma mes ton ta tes".split()
)


def value(alignment: Alignment) -> bool:
    """A number, date, time, code or unit stands in each text that the other lacks."""
    dropped = {t.kind for t in alignment.dropped}
    return any(t.kind in VALUE_KINDS and t.kind in dropped for t in alignment.added) or unmatched_units(alignment)


def name(alignment: Alignment) -> bool:
    """A name stands in each text that the other lacks."""
    return any(_is_name(t) for t in alignment.dropped) and any(_is_name(t) for t in alignment.added)


def polarity(alignment: Alignment) -> bool:
    """An aligned word is negated in one text only, or stands beside its opposite under the same negation."""
    for i, at in enumerate(alignment.forward):
        if at < 0:
            continue
        differs = alignment.fact[i].negated != alignment.candidate[at].negated
        if differs != alignment.opposite[i]:
            return True
    return False


def subject(alignment: Alignment) -> bool:
    """Somebody else is spoken of: a new relation, a new name as subject, or the fact's own subject is gone."""
    if any(t.relation for t in alignment.dropped) and any(t.relation for t in alignment.added):
        return True
    return _new_relation(alignment) or _new_name(alignment) or _lost_subject(alignment)


def _is_name(token: Token) -> bool:
    return token.kind == "name" or (token.kind == "word" and token.person and not token.relation)


def _new_relation(alignment: Alignment) -> bool:
    tokens = alignment.whole_candidate.tokens
    added = {t.start for t in alignment.added if t.relation}
    return any(t.start in added and not _is_oblique(tokens, i) for i, t in enumerate(tokens))


def _is_oblique(tokens: Sequence[Token], i: int) -> bool:
    """Whether `with`, `and` or the like stands before the noun phrase that token `i` heads."""
    for j in range(i - 1, max(-1, i - 2 - SKIPPED_BEFORE), -1):
        if tokens[j].form in OBLIQUE:
            return True
        if tokens[j].kind in ("mark", "negation"):
            return False
    return False


def _first_claim(alignment: Alignment) -> int:
    """Where the candidate's first aligned word that names nobody starts."""
    starts = [
        t.start
        for t, at in zip(alignment.candidate, alignment.backward, strict=True)
        if at >= 0 and not _is_name(t) and not t.relation
    ]
    return min(starts, default=0)


def _new_name(alignment: Alignment) -> bool:
    """A name that the fact lacks stands before the claim and behind no preposition, or as the agent of a passive."""
    if _is_passive(alignment.whole_fact) != _is_passive(alignment.whole_candidate):
        return False
    tokens = alignment.whole_candidate.tokens
    added = {t.start for t in alignment.added if _is_name(t)}
    claim = _first_claim(alignment)
    for i, token in enumerate(tokens):
        if token.start in added and (_is_bare(tokens, i) and token.start < claim or _is_agent(tokens, i)):
            return True
    return _cjk_other_subject(alignment)


def _is_bare(tokens: Sequence[Token], i: int) -> bool:
    """No preposition or other function word stands directly before the name (articles of other names do not occur)."""
    while i and _is_name(tokens[i - 1]):
        i -= 1
    return (
        i == 0
        or tokens[i - 1].role != "stop"
        or tokens[i - 1].kind == "mark"
        or tokens[i - 1].form in ("that", "que", "dass")
    )


def _is_agent(tokens: Sequence[Token], i: int) -> bool:
    while i and _is_name(tokens[i - 1]):
        i -= 1
    return i > 0 and tokens[i - 1].form in AGENT_WORDS


def _cjk_other_subject(alignment: Alignment) -> bool:
    """The fact speaks of the user; the candidate does not, and begins with something else."""
    tokens = alignment.whole_candidate.tokens
    if not any(t.kind == "cjk" for t in tokens) or any(t.kind == "user" for t in tokens):
        return False
    if not any(t.kind == "user" for t in alignment.whole_fact.tokens):
        return False
    return bool(alignment.candidate) and alignment.backward[0] < 0


def _subject_of(parsed: Parsed) -> list[Token]:
    """The participants that open a text, up to its first claim: the user, names, relations."""
    out: list[Token] = []
    for i, token in enumerate(parsed.tokens):
        if token.kind == "mark":
            continue
        if token.kind == "user" or token.relation or (_is_name(token) and _is_bare(parsed.tokens, i)):
            out.append(token)
        elif token.role == "content" and not _is_name(token):
            break
    return out


def _lost_subject(alignment: Alignment) -> bool:
    """The fact is about a relation or a named person whom the candidate leaves out, while it names a subject of its own."""
    opening = [t for t in _subject_of(alignment.whole_fact) if t.kind != "user"]
    if not opening:
        return False
    kept = {t.start for t in alignment.kept}
    if any(t.start in kept for t in opening):
        return False
    return bool(_subject_of(alignment.whole_candidate))


@lru_cache(maxsize=512)
def _is_passive(parsed: Parsed) -> bool:
    """A form of *be* (or *werden*) and, behind a participle, the word that names the agent or the source."""
    tokens = parsed.tokens
    for i, token in enumerate(tokens):
        if token.form in BE_FORMS and i + 1 < len(tokens) and _looks_participle(tokens[i + 1], parsed.language):
            return True
    return False


@lru_cache(maxsize=1)
def _irregular_forms() -> frozenset[str]:
    return frozenset(
        form for lang, form, _ in rows("irregular") if lang == "en" and form.endswith(("n", "t", "d", "ng"))
    )


def _looks_participle(token: Token, language: str) -> bool:
    if token.kind != "word" or token.role != "content":
        return False
    if language == "en":
        return token.form.endswith("ed") or token.form in _irregular_forms()
    if language == "de":
        return token.form.startswith("ge")
    return token.form.endswith(("ado", "ada", "ido", "ida", "ados", "adas", "idos", "idas", "e", "ee", "i", "u"))


# -- order ---------------------------------------------------------------------------------------------------------------


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
        if t.kind == "word" and not _is_name(t) and not (t.relation and t.person)
    ]
    verb = next((t for t in verbs if (language, t.key) in _asymmetric() or _is_between(t, fact_one, fact_two)), None)
    if verb is None:
        return False
    turned = (candidate_one.start > candidate_two.start) != (
        candidate_one.possessive != candidate_two.possessive and _possessor_first(candidate_one, candidate_two)
    )
    flipped = _is_passive(alignment.whole_fact) != _is_passive(alignment.whole_candidate)
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
        if at >= 0 and (_is_name(f) or (f.relation and f.relation != "pet"))
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


# -- the frame around the claim --------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def _frames(table: str, language: str) -> dict[str, tuple[tuple[tuple[str, ...], str], ...]]:
    """Frames of one or more words by the stem of their first word, longest first."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for row in rows(table):
        if row[0] == language:
            keys = tuple(stem(word, language) for word in row[1].split(" "))
            found.setdefault(keys[0], []).append((keys, row[2] if len(row) > 2 else table))
    return {first: tuple(sorted(group, key=lambda g: -len(g[0]))) for first, group in found.items()}


def _find_frames(parsed: Parsed, table: str) -> list[tuple[int, str]]:
    """Start and class of every frame of `table` in the text."""
    frames = _frames(table, parsed.language)
    keys = [stem(t.form, parsed.language) if t.kind in ("word", "negation") else "" for t in parsed.tokens]
    out: list[tuple[int, str]] = []
    for i, key in enumerate(keys):
        for words, name_ in frames.get(key, ()) if key else ():
            if tuple(keys[i : i + len(words)]) == words:
                out.append((parsed.tokens[i].start, name_))
                break
    return out


def quantifier(alignment: Alignment) -> bool:
    """All in one text is some in the other."""
    fact = {name_ for _, name_ in _find_frames(alignment.whole_fact, "quantifiers")}
    candidate = {name_ for _, name_ in _find_frames(alignment.whole_candidate, "quantifiers")}
    return ("all" in fact and "some" in candidate and "all" not in candidate) or (
        "some" in fact and "all" in candidate and "some" not in candidate
    )


def modal(alignment: Alignment) -> bool:
    """The candidate only wishes, seeks or considers what the fact states."""
    if _find_frames(alignment.whole_fact, "modals"):
        return False
    claims = [
        t.start for t, at in zip(alignment.candidate, alignment.backward, strict=True) if at >= 0 and not _is_name(t)
    ]
    last = max(claims, default=-1)
    return any(start < last or not claims for start, _ in _find_frames(alignment.whole_candidate, "modals"))


def change(alignment: Alignment) -> bool:
    """What the candidate adds is a change: a new state, not the old one."""
    if _find_frames(alignment.whole_fact, "change"):
        return False
    added = {t.start for t in alignment.added}
    return any(start in added for start, _ in _find_frames(alignment.whole_candidate, "change"))


def modifier(alignment: Alignment) -> bool:
    """A short fact's word has become a modifier of something else (a vegetarian recipe, a coffee shop)."""
    facts = [t for t in alignment.fact if not _is_name(t)]
    if len(alignment.fact) > SHORT_FACT or not facts:
        return False
    parsed = alignment.whole_candidate
    added = {t.start for t in alignment.added}
    kept = {t.start for t, at in zip(alignment.candidate, alignment.backward, strict=True) if at >= 0}
    step = -1 if parsed.language in ROMANCE else 1
    for token, at in zip(alignment.candidate, alignment.backward, strict=True):
        if at < 0 or token.kind not in ("word", "name") or token.possessive:
            continue
        i = next(i for i, t in enumerate(parsed.tokens) if t.start == token.start) + step
        if 0 <= i < len(parsed.tokens) and parsed.tokens[i].start in added and parsed.tokens[i].kind == "word":
            beyond = i + step
            if 0 <= beyond < len(parsed.tokens) and parsed.tokens[beyond].start in kept:
                continue
            return not _follows_in_fact(alignment, at, step)
    return False


def _follows_in_fact(alignment: Alignment, i: int, step: int) -> bool:
    """The fact's own word already modified something."""
    tokens = alignment.whole_fact.tokens
    at = next(j for j, t in enumerate(tokens) if t.start == alignment.fact[i].start) + step
    return 0 <= at < len(tokens) and tokens[at].role == "content" and tokens[at].kind == "word"


def substitution(alignment: Alignment) -> bool:
    """The two sequences are equal but for one or two words in one place: a new value in the same slot."""
    fact = [f.key if at < 0 else f"={at}" for f, at in zip(alignment.fact, alignment.forward, strict=True)]
    candidate = [
        c.key if at < 0 else f"={j}"
        for j, (c, at) in enumerate(zip(alignment.candidate, alignment.backward, strict=True))
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
