"""Does a candidate put a forgotten fact back? `decide` answers for one fact; it is pure and total.

The order of the questions, their codes and their lines stand in `rules.tsv`; each code is one predicate, here or in
`vetoes`. A candidate of several clauses is asked whole first, then clause by clause.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from forgetguard.rules.alignment import Alignment, align
from forgetguard.rules.lexicon import rows
from forgetguard.rules.readings import Reading
from forgetguard.rules.tokens import Parsed, Token
from forgetguard.rules.vetoes import VETOES, substitution

ANCHOR_WORDS = 3
"""Least content words of a fact that an anchor may match; a surer match needs `SURE_WORDS`."""
SURE_WORDS = 4
ANCHOR_SIMILARITY = 0.72
ANCHOR_SHARE = 0.35
"""Least share of either text's content weight that an anchor has in common."""
FOREIGN_SHARE = 0.5
"""The same where a text is not in English."""
WORDS_SHARE = 0.6
"""The same where there is no embedding."""
NOTE_SHARE = 0.3333
"""Least share of a fact's content weight that a request to forget or a deletion note names (RULES section 2.10)."""
CLAUSE_SHARE = 0.3333
"""Least share of a fact's content weight that a clause says again if it says no more than that."""
RARE = 8
ID_KINDS = ("email", "phone", "url", "id")
LONG_NUMBER = 9
"""Least digits of a bare number that is a code and no amount."""
LONG_ID = 6
"""Least characters of a code that belongs to one thing only ("v2" does not)."""
ID_COMPANIONS = 2
"""Most content words beside its codes that a fact about a code has."""
BEFORE_VETOES = ("exact", "note", "id", "ceased")
"""Codes of `rules.tsv` that are asked before the vetoes; each is a kind, a line or a reason of its own."""
AFTER_VETOES = (
    "subset",
    "superset",
    "unlike-hold",
    "clause",
    "substitution",
    "anchor-drop",
    "anchor-hold",
    "anchor-foreign",
)


@dataclass(frozen=True, slots=True)
class Decision:
    """`action`: drop, hold or store. `code`: the kind that matched, or the veto or absence that let it through.

    For a clause that matched, `code` is `clause` and `why` what the clause is; else both are the same.
    `coverage`: the larger share of content weight that the two texts have in common, 0 to 1, rounded to 1e-4.
    """

    action: str
    code: str
    coverage: float = 0.0
    why: str = ""

    def __post_init__(self) -> None:
        if not self.why:
            object.__setattr__(self, "why", self.code)


@lru_cache(maxsize=1)
def lines() -> dict[str, float]:
    """The least similarity of each kind that has one."""
    return {code: float(model) for _, code, model, *_ in rows("rules") if model != "-"}


@lru_cache(maxsize=1)
def lines_of_words() -> dict[str, float]:
    """The least coverage of each kind that has a line of its own where there is no embedding."""
    return {code: float(words) for _, code, _, words, *_ in rows("rules") if words != "-"}


def judge(
    candidate: Sequence[Reading], fact: Parsed, similarity: float | None, *, past: str = "drop", wordnet: bool = True
) -> Decision:
    """`decide` for the whole candidate and, if that stores, for each of its clauses; the first that drops, else holds.

    A text that may be in more than one language is read in the fact's, if that is one of them.
    """
    wholes = [reading for reading in candidate if not reading.clause]
    own = next((reading for reading in wholes if reading.parsed.language == fact.language), wholes[0])
    if wholes[0].request and (share := _note_share(own, fact, wordnet)) >= NOTE_SHARE:
        return Decision("drop", "note", share)
    whole = decide(own.parsed, fact, similarity, past=past, wordnet=wordnet)
    if whole.action == "drop":
        return whole
    held = whole if whole.action == "hold" else None
    for reading in candidate[len(wholes) :]:
        part = decide(reading.parsed, fact, _for_clause(similarity), past=past, wordnet=wordnet, clause=True)
        named = Decision(part.action, "clause", part.coverage, part.code)
        if part.action == "drop":
            return named
        if part.action == "hold" and held is None:
            held = named
    return held or whole


def _note_share(reading: Reading, fact: Parsed, wordnet: bool) -> float:
    """The share of a fact's content weight that a request to forget names."""
    return round(align(reading.parsed, fact, wordnet=wordnet).coverage()[0], 4)


def _for_clause(similarity: float | None) -> float | None:
    """The embedding is of the whole text: below the line of clauses it says so, above it says nothing of one clause."""
    return similarity if similarity is not None and similarity < lines()["clause"] else None


def decide(
    candidate: Parsed,
    fact: Parsed,
    similarity: float | None,
    *,
    past: str = "drop",
    wordnet: bool = True,
    clause: bool = False,
) -> Decision:
    """Whether `candidate` restates `fact`. `similarity`: on MiniLM's scale, or None where there is no embedding.

    `clause`: the candidate is one clause of a longer text; a single shared word is then not enough for a subset.
    """
    if candidate.exact and candidate.exact == fact.exact:
        return Decision("drop", "exact", 1.0)
    alignment = align(candidate, fact, wordnet=wordnet)
    coverage = round(max(alignment.coverage()), 4)
    if not alignment.kept:
        return Decision("store", "unrelated", 0.0)
    if _is_about_id(alignment):
        return Decision("drop", "id", coverage)
    if _ceased(alignment, past):
        return Decision("store", "ceased", coverage)
    for code, holds in VETOES.items():
        if holds(alignment):
            return Decision("store", code, coverage)
    return _kind(alignment, similarity, coverage, clause)


def _kind(alignment: Alignment, similarity: float | None, coverage: float, clause: bool) -> Decision:
    line = lines()
    if not alignment.added and not alignment.dropped and _is_subset(alignment, clause):
        return Decision("drop", "subset", coverage)
    if _is_subset(alignment, clause):
        return _by_similarity("subset", similarity, line["subset"], coverage)
    if _is_superset(alignment):
        return _by_similarity("superset", similarity, line["superset"], coverage)
    if substitution(alignment):
        return Decision("store", "substitution", coverage)
    if len(alignment.fact) < ANCHOR_WORDS:
        return Decision("store", "different", coverage)
    return _anchor(alignment, similarity, coverage)


def _by_similarity(code: str, similarity: float | None, line: float, coverage: float) -> Decision:
    if similarity is None or similarity >= line:
        return Decision("drop", code, coverage)
    return Decision("hold" if similarity >= lines()["unlike-hold"] else "store", code, coverage)


def _anchor(alignment: Alignment, similarity: float | None, coverage: float) -> Decision:
    """Enough in common for the two to be one claim in other words."""
    smaller = min(alignment.coverage())
    if not any(is_claim(t) for t in alignment.kept):
        return Decision("store", "different", coverage)
    if similarity is None:
        likely = smaller >= WORDS_SHARE and coverage >= lines_of_words()["anchor-hold"]
        return Decision("hold" if likely else "store", "anchor" if likely else "different", coverage)
    score = similarity + 0.5 * coverage
    line, share = ("anchor-hold", ANCHOR_SHARE) if _is_english(alignment) else ("anchor-foreign", FOREIGN_SHARE)
    if similarity < ANCHOR_SIMILARITY or smaller < share or score < lines()[line]:
        return Decision("store", "different", coverage)
    sure = _is_english(alignment) and len(alignment.fact) >= SURE_WORDS and score >= lines()["anchor-drop"]
    return Decision("drop" if sure else "hold", "anchor", coverage)


def is_claim(token: Token) -> bool:
    """A word that says something of somebody: no name, relation or quantity."""
    return token.kind in ("word", "cjk", "id", "email", "url", "phone") and not token.relation


def _is_english(alignment: Alignment) -> bool:
    return alignment.whole_fact.language == alignment.whole_candidate.language == "en"


def _ceased(alignment: Alignment, past: str) -> bool:
    """It was so once: a restatement if nothing new is said, unless the owner wants the past kept; or it was, and is."""
    if alignment.whole_fact.ceased:
        return not alignment.whole_candidate.ceased and not any(t.negated for t in alignment.candidate)
    if not alignment.whole_candidate.ceased:
        return False
    return past == "keep" or bool(alignment.added)


def _is_about_id(alignment: Alignment) -> bool:
    """The texts share a code, and the fact says little beside it."""
    shared = [t for t in alignment.kept if _is_code(t)]
    return bool(shared) and len(alignment.fact) - len(shared) <= ID_COMPANIONS


def _is_code(token: Token) -> bool:
    if token.kind == "number":
        return len(token.key) >= LONG_NUMBER
    return token.kind in ID_KINDS and len(token.key) >= LONG_ID


def _is_subset(alignment: Alignment, clause: bool) -> bool:
    if alignment.added:
        return False
    kept = [t for t in alignment.kept if t.kind != "name"]
    if clause and not any(not t.relation for t in kept):
        return False
    if clause and alignment.coverage()[0] < CLAUSE_SHARE:
        return False
    if len(alignment.kept) >= 2:
        return True
    return not alignment.dropped or (not clause and any(t.kind != "word" or t.rarity >= RARE for t in kept))


def _is_superset(alignment: Alignment) -> bool:
    return not alignment.dropped and any(t.kind != "name" for t in alignment.fact)
