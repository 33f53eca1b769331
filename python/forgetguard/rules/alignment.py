"""What a candidate and a fact have in common: each word beside the word that says the same.

Words align by equal key or form, by initial, by a shared sense, or as opposites. Alignment is by membership, not one to
one: a word that a text repeats adds nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from forgetguard.rules.meanings import are_converse, are_opposite, groups, traits
from forgetguard.rules.quantities import dimensions
from forgetguard.rules.stems import stem
from forgetguard.rules.tokens import Parsed, Token
from forgetguard.rules.wordnet import senses_of
from forgetguard.rules.words import particles

MEANING_KINDS = ("word", "name", "cjk")
"""Kinds of tokens that may have a synonym or an opposite."""
NAME_WEIGHT = 15
SUFFIX_DIGITS = 7
"""Two phone numbers are one if one ends with the other and shares at least this many digits."""
LEAST_VARIANT = 4
"""Least letters of a name that may stand for one with an ending."""
CJK_SHARED = 0.6
"""Share of the bigrams of a CJK text that must stand in the other for its loose characters to count."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """The content tokens of both texts, and which of them say the same.

    `forward[i]`: index in `candidate` of what fact token i aligns with, or -1; `backward` the other way.
    `opposite[i]`: fact token i aligns with its antonym.
    """

    fact: tuple[Token, ...]
    candidate: tuple[Token, ...]
    forward: tuple[int, ...]
    backward: tuple[int, ...]
    opposite: tuple[bool, ...]
    whole_fact: Parsed = field(repr=False)
    whole_candidate: Parsed = field(repr=False)

    @property
    def dropped(self) -> list[Token]:
        """Content tokens of the fact that the candidate does not hold."""
        return [t for t, at in zip(self.fact, self.forward, strict=True) if at < 0]

    @property
    def added(self) -> list[Token]:
        """Content tokens of the candidate that the fact does not hold."""
        return [t for t, at in zip(self.candidate, self.backward, strict=True) if at < 0]

    @property
    def kept(self) -> list[Token]:
        """Content tokens of the fact that the candidate holds."""
        return [t for t, at in zip(self.fact, self.forward, strict=True) if at >= 0]

    def coverage(self) -> tuple[float, float]:
        """Share of the fact's weight that the candidate holds, and of the candidate's that the fact holds."""
        return (
            _share(self.fact, self.forward),
            _share(self.candidate, self.backward),
        )


def is_name(token: Token) -> bool:
    """A name, or a word that is a common first name ("petra" in lower case)."""
    return token.kind == "name" or (token.kind == "word" and token.person and not token.relation)


def weight(token: Token) -> int:
    """How much a token says: rarity of a word, the most for names, numbers and codes."""
    return 1 + (token.rarity if token.kind == "word" else NAME_WEIGHT)


def _share(tokens: Sequence[Token], aligned: Sequence[int]) -> float:
    total = sum(weight(t) for t in tokens)
    held = sum(weight(t) for t, at in zip(tokens, aligned, strict=True) if at >= 0)
    return held / total if total else 0.0


def content(parsed: Parsed, other: Parsed | None = None) -> tuple[Token, ...]:
    """The tokens that carry a claim, and the labels that are one in `other` ("Weight: 94 kg" beside "weighs 94 kg")."""
    claimed = {t.key for t in other.tokens if t.role == "content"} if other is not None else set()
    return tuple(
        t
        for t in parsed.tokens
        if (t.role == "content" or (t.role == "label" and t.key in claimed))
        and t.kind not in ("mark", "negation", "user")
    )


def align(candidate: Parsed, fact: Parsed, *, wordnet: bool = True) -> Alignment:
    """The content of `candidate` beside that of `fact`."""
    facts, candidates = content(fact, candidate), content(candidate, fact)
    same_language = candidate.language if candidate.language == fact.language else ""
    forward, opposite = [-1] * len(facts), [False] * len(facts)
    backward = [-1] * len(candidates)
    for i, f in enumerate(facts):
        for j, c in enumerate(candidates):
            if _same(f, c):
                forward[i] = j if forward[i] < 0 else forward[i]
                backward[j] = i if backward[j] < 0 else backward[j]
    _align_parts(facts, candidates, forward, backward)
    if same_language:
        _align_meanings(facts, candidates, forward, backward, opposite, same_language, wordnet)
    _align_characters(facts, candidates, forward, backward)
    return Alignment(facts, candidates, tuple(forward), tuple(backward), tuple(opposite), fact, candidate)


def _align_meanings(
    facts: Sequence[Token],
    candidates: Sequence[Token],
    forward: list[int],
    backward: list[int],
    opposite: list[bool],
    language: str,
    wordnet: bool,
) -> None:
    """Words that are left over, by shared sense or as antonyms."""
    for i, f in enumerate(facts):
        for j, c in enumerate(candidates):
            if forward[i] >= 0 or f.kind not in MEANING_KINDS:
                break
            if backward[j] >= 0 or c.kind not in MEANING_KINDS:
                continue
            if _related(f, c, language, wordnet):
                forward[i], backward[j] = j, i
            elif _are_opposite(f, c, language):
                forward[i], backward[j], opposite[i] = j, i, True


def _same(f: Token, c: Token) -> bool:
    if f.kind in ("word", "name") and c.kind in ("word", "name"):
        return (
            f.key == c.key or f.form == c.form or _initial(f, c) or _initial(c, f) or _variant(f, c) or _variant(c, f)
        )
    if f.kind == "date" and c.kind == "date":
        return dates_agree(f.key, c.key)
    if _is_digits(f) and _is_digits(c):
        return _numbers_agree(f.key, c.key)
    return f.kind == c.kind and f.key == c.key


def _initial(short: Token, full: Token) -> bool:
    return short.kind == full.kind == "name" and len(short.form) == 1 and full.form.startswith(short.form)


def _variant(short: Token, long: Token) -> bool:
    """A name and its plural, or a product with and without its kind ("Witnesses", "MongoDB")."""
    return short.kind == "name" and long.kind in ("name", "word") and short.form in name_variants(long.form)


@lru_cache(maxsize=4096)
def name_variants(form: str) -> tuple[str, ...]:
    """A name without each ending that it may have."""
    shorter = (form[: len(form) - len(e)] for e in sorted(particles("name-ending")) if form.endswith(e))
    return tuple(name for name in shorter if len(name) >= LEAST_VARIANT)


def _is_digits(token: Token) -> bool:
    return token.kind in ("phone", "number")


def _numbers_agree(a: str, b: str) -> bool:
    if a == b:
        return True
    a, b = a.lstrip("0"), b.lstrip("0")
    return min(len(a), len(b)) >= SUFFIX_DIGITS and (a.endswith(b) or b.endswith(a))


@lru_cache(maxsize=4096)
def dates_agree(a: str, b: str) -> bool:
    """Whether some reading of both dates agrees in every part that both give, and shares one."""
    return any(_parts_agree(x.split("-"), y.split("-")) for x in a.split("|") for y in b.split("|"))


def _parts_agree(a: list[str], b: list[str]) -> bool:
    both = [(x, y) for x, y in zip(a, b, strict=False) if x != "0" and y != "0"]
    return bool(both) and all(x == y for x, y in both)


# -- meanings ----------------------------------------------------------------------------------------------------------


def meanings(token: Token, language: str, wordnet: bool, end: int = 1) -> Iterable[str]:
    """What two words share, one with `end` 1 and one with -1, if they can align by meaning or as opposites."""
    yield from traits(_stem(token, language), language, end)
    if wordnet and language == "en" and token.kind == "word" and not _is_person(token):
        yield from (f"s{sense}" for sense in sorted(senses(token)))


def senses(token: Token) -> frozenset[str]:
    """The WordNet senses of an English word."""
    return senses_of(token.form, token.key)


def _related(f: Token, c: Token, language: str, wordnet: bool) -> bool:
    if groups(_stem(f, language), language) & groups(_stem(c, language), language):
        return True
    if are_converse(_stem(f, language), _stem(c, language), language):
        return True
    if not wordnet or language != "en" or _is_person(f) or _is_person(c) or "name" in (f.kind, c.kind):
        return False
    return bool(senses(f) & senses(c)) and not _are_opposite(f, c, language)


def _is_person(token: Token) -> bool:
    """Relation words of people and animals have no synonyms in WordNet that are safe; offices ("manager") do."""
    return token.relation not in ("", "work", "care")


def _are_opposite(f: Token, c: Token, language: str) -> bool:
    return are_opposite(_stem(f, language), _stem(c, language), language)


def _stem(token: Token, language: str) -> str:
    return stem(token.form, language) if token.kind == "name" else token.key


# -- scripts without spaces --------------------------------------------------------------------------------------------


def _align_parts(facts: Sequence[Token], candidates: Sequence[Token], forward: list[int], backward: list[int]) -> None:
    """A lone CJK character beside a longer piece that holds it, where neither is in the other text as it stands."""
    for i, f in enumerate(facts):
        for j, c in enumerate(candidates):
            free = forward[i] < 0 and backward[j] < 0 and f.kind == c.kind == "cjk"
            if free and min(len(f.key), len(c.key)) == 1 and (f.key in c.key or c.key in f.key):
                forward[i], backward[j] = j, i


def _align_characters(
    facts: Sequence[Token], candidates: Sequence[Token], forward: list[int], backward: list[int]
) -> None:
    """A CJK piece whose characters all stand in the other text aligns too, if most bigrams there are shared."""
    for left, right, aligned in ((facts, candidates, forward), (candidates, facts, backward)):
        pieces = [i for i, t in enumerate(left) if t.kind == "cjk"]
        shared = sum(aligned[i] >= 0 for i in pieces)
        if not pieces or shared < CJK_SHARED * len(pieces):
            continue
        characters = {c for t in right if t.kind == "cjk" for c in t.form}
        first = next((j for j, t in enumerate(right) if t.kind == "cjk"), -1)
        for i in pieces:
            if aligned[i] < 0 and all(c in characters for c in left[i].form):
                aligned[i] = first


def unmatched_units(alignment: Alignment) -> bool:
    """Whether both texts hold units of one dimension that the other does not."""
    table = dimensions()
    dropped = {table.get(t.key, t.key) for t in alignment.dropped if t.kind == "unit"}
    return any(t.kind == "unit" and table.get(t.key, t.key) in dropped for t in alignment.added)
