"""Clauses and cuts: the fixture, and what holds for every text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetguard.rules import _backend
from growth import grows_linearly

DATA = json.loads((Path(__file__).resolve().parents[2] / "fixtures/clauses-v1.json").read_text(encoding="utf-8"))
CASES = DATA["cases"]

SAMPLES = (
    *(
        "User",
        "lives",
        "in",
        "Lisbon",
        ",",
        ";",
        ".",
        "!",
        "5",
        "6",
        "between",
        "e.g.",
        "Dr.",
        "S.",
        "“",
        "”",
        "(",
        ")",
    ),
    *(
        "—",
        "-",
        "*",
        "#",
        ">",
        "|",
        "1.",
        "and",
        "then",
        "Ana",
        "用户住在上海",
        "。",
        "、",
        "\n",
        "\r\n",
        "\n\n",
        "  ",
        "\t",
    ),
)


def _left(text: str, removed: Sequence[tuple[int, int | None]]) -> str:
    out, last = [], 0
    for start, end, instead in _backend.cuts(text, (), removed):
        out += [text[last:start], instead]
        last = end
    return "".join([*out, text[last:]])


def test_the_fixture_is_whole():
    assert DATA["schema"] == "forgetguard/clauses/1"
    assert DATA["count"] == len(CASES) == len({case["id"] for case in CASES})


@pytest.mark.parametrize("case", [c for c in CASES if "clauses" in c], ids=lambda case: case["id"])
def test_clauses(case):
    text = case["text"]
    found = [
        [text[c.start : c.end] for c in s.clauses] for s in _backend.sentences(text, tuple(case.get("aliases", ())))
    ]
    assert found == case["clauses"], case["why"]


@pytest.mark.parametrize("case", [c for c in CASES if "inherits" in c], ids=lambda case: case["id"])
def test_inherited_subjects(case):
    found = _backend.sentences(case["text"], tuple(case.get("aliases", ())))
    assert [[c.inherits for c in s.clauses] for s in found] == case["inherits"]


@pytest.mark.parametrize("case", [c for c in CASES if "remove" in c], ids=lambda case: case["id"])
def test_what_is_left(case):
    assert _left(case["text"], [(at, clause) for at, clause in case["remove"]]) == case["left"], case["why"]


TEXTS = st.lists(st.sampled_from(SAMPLES), max_size=40).map(" ".join) | st.text(max_size=60)


@given(TEXTS)
def test_clauses_stand_in_order_and_do_not_overlap(text):
    last = 0
    for sentence in _backend.sentences(text, ()):
        assert last <= sentence.start <= sentence.end <= len(text)
        last = sentence.start
        for clause in sentence.clauses:
            assert last <= clause.start < clause.end <= sentence.end
            assert clause.text.endswith(text[clause.start : clause.end])
            last = clause.end
        last = sentence.end


@given(TEXTS)
def test_nothing_removed_is_the_same_text(text):
    assert _left(text, []) == text


@pytest.mark.parametrize("clauses", [[0], [1], []])
def test_positions_that_do_not_exist_are_passed_over(clauses):
    text = "Ana lives in Porto and works in Braga."
    assert len(_backend.sentences(text, ())[0].clauses) == 2
    absent = [(0, 2), (0, 9), (1, 0), (5, None)]
    existing = [(0, clause) for clause in clauses]
    assert _left(text, absent + existing) == _left(text, existing)


@given(TEXTS)
def test_everything_removed_leaves_no_narrative(text):
    everything = [(at, None) for at in range(len(_backend.sentences(text, ())))]
    assert not _backend.has_narrative(_left(text, everything))


@given(TEXTS, st.data())
def test_a_removed_sentence_leaves_the_others_whole(text, data):
    plan = _backend.sentences(text, ())
    if not plan:
        return
    at = data.draw(st.integers(0, len(plan) - 1))
    left = _left(text, [(at, None)])
    for n, sentence in enumerate(plan):
        if n != at:
            assert text[sentence.start : sentence.end] in left


@pytest.mark.parametrize(
    "piece",
    ["a,b ", "l'", "because she ", "so the a ", "User lives in Lisbon, and ", "- a\n", "忘、", '("', "1. ", "…"],
)
def test_long_texts_take_linear_time(piece):
    def cut_all(text: str) -> None:
        plan = _backend.sentences(text, ())
        _backend.cuts(text, (), [(at, None) for at in range(len(plan))])

    assert grows_linearly(cut_all, piece, 40_000)
