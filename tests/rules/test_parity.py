"""The two implementations beside each other: on any text the same tokens, decisions, requests, clauses and index."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetguard.rules import _python
from forgetguard.rules.lexicon import TABLES, rows
from forgetguard.rules.text import clean
from implementations import NATIVE

pytestmark = pytest.mark.skipif(NATIVE is None, reason="no native core here")

CASES = Path(__file__).resolve().parents[2] / "fixtures/cases"
NO_WORDS = ("classes", "fold", "rarity", "rules", "senses")
WORDS = sorted({cell for name in TABLES if name not in NO_WORDS for row in rows(name) for cell in row if cell})
GLUE = (" ", " ", " ", "", "-", "'", "'s ", ". ", ", ", ": ", "; ", "\n", "\n- ", " — ", "/", "(", ")", '"', "。", "、")
NUMBERS = ("5", "12", "1,200", "1.5", "2026", "05/03", "2026-03-05", "10:30", "15h30", "+351 912 345 678", "€", "AB-12")


def _field(name, *fields):
    lines = (CASES / name).read_text(encoding="utf-8").splitlines()
    return [row[field] for row in map(json.loads, lines) for field in fields if isinstance(row.get(field), str)]


PAIRS = [
    (row["candidate"], row["forgotten"])
    for row in map(json.loads, (CASES / "pairs-dev.jsonl").read_text(encoding="utf-8").splitlines())
]
REAL = [
    *_field("pairs-dev.jsonl", "candidate", "forgotten"),
    *_field("requests-dev.jsonl", "text"),
    *_field("field-dev.jsonl", "candidate", "forgotten", "text"),
]
SAID = sorted({word for text in REAL for word in text.split()})

words = st.one_of(st.sampled_from(WORDS), st.sampled_from(SAID), st.sampled_from(NUMBERS)).flatmap(
    lambda word: st.sampled_from([word, word, word.capitalize(), word.upper()])
)
sentences = st.lists(st.tuples(words, st.sampled_from(GLUE)), min_size=1, max_size=12).map(
    lambda parts: "".join(word + glue for word, glue in parts)
)
folding = st.sampled_from([chr(int(row[0].split("-")[0], 16)) for row in rows("fold")])
unicode = st.text(st.one_of(st.characters(), folding), max_size=40)


real = st.sampled_from(REAL)


@st.composite
def mutated(draw, texts=real):
    """A real sentence with some words put in, left out, replaced or turned round."""
    said = draw(texts).split(" ")
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(said) - 1)) if said else 0
        new = draw(st.lists(words, max_size=1))
        said[at : at + draw(st.integers(0, 1))] = new
    return " ".join(said)


texts = st.one_of(mutated(), sentences, unicode).map(clean)
aliases = st.sampled_from([(), (), ("Diogo",), ("Ana Maria", "x")])
similarities = st.one_of(st.none(), st.floats(-1, 1), st.sampled_from([0.3, 0.4, 0.6, 0.72, 0.78, 1.0]))
pairs = st.one_of(
    st.sampled_from(PAIRS).flatmap(lambda pair: st.tuples(mutated(st.just(pair[0])), mutated(st.just(pair[1])))),
    st.tuples(texts, texts),
).map(lambda pair: (clean(pair[0]), clean(pair[1])))


@given(texts, aliases)
def test_tokens(text, names):
    assert NATIVE.tokens(text, names) == _python.tokens(text, names)
    assert NATIVE.fold_text(text) == _python.fold_text(text)


@pytest.mark.parametrize("beside", ["", "é"])
def test_every_character_of_ascii(beside):
    """Printable ASCII is folded by a way of its own, a text with anything else by the table."""
    for char in map(chr, range(128)):
        text = f"a{char}b{beside}"
        assert NATIVE.fold_text(text) == _python.fold_text(text)
        assert NATIVE.tokens(text, ()) == _python.tokens(text, ())


def test_every_phrase_with_a_word_of_it_as_an_alias():
    for _, words, _ in rows("phrases"):
        for alias in {*words.split(" ")[1:]}:
            assert NATIVE.tokens(words, (alias,)) == _python.tokens(words, (alias,))


@given(st.text(st.characters(), max_size=20))
def test_a_text_that_nobody_cleaned(text):
    assert NATIVE.tokens(text, ()) == _python.tokens(clean(text), ())


@given(pairs, similarities, aliases, st.sampled_from(["drop", "keep"]), st.booleans())
def test_decisions(pair, similarity, names, past, wordnet):
    candidate, fact = pair
    assert NATIVE.judge(candidate, fact, similarity, names, past, wordnet) == _python.judge(
        candidate, fact, similarity, names, past, wordnet
    )
    assert NATIVE.vetoes(candidate, fact, names, wordnet) == _python.vetoes(candidate, fact, names, wordnet)


@given(st.one_of(texts, st.lists(mutated(), min_size=1, max_size=3).map(" ".join).map(clean)))
def test_requests(text):
    assert NATIVE.request_code(text) == _python.request_code(text)
    assert NATIVE.note_words(text) == _python.note_words(text)


def _plain(found):
    clauses = [tuple((c.start, c.end, c.text, c.inherits) for c in s.clauses) for s in found]
    return [(s.start, s.end, s.line, own) for s, own in zip(found, clauses, strict=True)]


documents = st.lists(st.tuples(mutated(), st.sampled_from(GLUE)), min_size=1, max_size=4).map(
    lambda parts: clean("".join(text + glue for text, glue in parts))
)


@given(st.one_of(documents, texts), aliases, st.data())
def test_clauses(text, names, data):
    plan = _plain(_python.sentences(text, names))
    assert _plain(NATIVE.sentences(text, names)) == plan
    assert NATIVE.has_narrative(text) == _python.has_narrative(text)
    places = [(at, n) for at, (*_, own) in enumerate(plan) for n in (None, *range(len(own)))]
    removed = data.draw(st.lists(st.sampled_from(places), unique=True)) if places else []
    assert NATIVE.cuts(text, names, removed) == _python.cuts(text, names, removed)


@given(st.lists(mutated().map(clean), min_size=1, max_size=20), pairs, aliases, st.booleans(), st.data())
def test_index(facts, pair, names, wordnet, data):
    vectors = st.one_of(st.none(), st.binary(min_size=4, max_size=4))
    cores = [module.Index(names, "drop", wordnet) for module in (_python, NATIVE)]
    for fact in (*facts, pair[1]):
        values = data.draw(vectors)
        assert len({core.add(fact, values, "model") for core in cores}) == 1
    for core in cores:
        core.remove(0)
    text, values, scale = pair[0], data.draw(vectors), data.draw(st.sampled_from([None, (0.2, 0.3)]))
    python, native = (core.match(text, values, "model", scale) for core in cores)
    assert native == (python and tuple(python))
    assert len({core.needs_embedding(text, "model") for core in cores}) == 1
    asked = (text, values, "m"), (pair[1], values, "m"), scale, names, "drop", wordnet
    assert NATIVE.explain(*asked) == _python.explain(*asked)


def test_the_same_names_on_both():
    assert set(_python.__all__) == {name for name in dir(NATIVE) if not name.startswith("_")} - {"DEBUG_BUILD"}
