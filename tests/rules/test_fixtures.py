"""What both implementations answer to: how texts are read (`text-v1.json`), and what restates (`matching-v1.json`)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forgetguard.rules.lexicon import rows
from forgetguard.rules.text import clean
from forgetguard.rules.version import RULES_VERSION
from implementations import IMPLEMENTATIONS

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
TEXT = json.loads((FIXTURES / "text-v1.json").read_text(encoding="utf-8"))
MATCHING = json.loads((FIXTURES / "matching-v1.json").read_text(encoding="utf-8"))
KIND, KEY, FORM, START, END, ROLE, RELATION, RARITY, CLAUSE, FLAGS = range(10)
ASKED = {"id", "why", "text", "aliases", "only"}
"""Fields of a text's case that say what is asked; each of the others is one expectation."""


@pytest.mark.parametrize("data", [TEXT, MATCHING], ids=["text", "matching"])
def test_a_fixture_says_what_it_holds(data):
    assert data["count"] == len(data["cases"])
    assert len({case["id"] for case in data["cases"]}) == data["count"]
    assert all(case["why"] for case in data["cases"])
    assert data["rules_version"] == RULES_VERSION


def _tokens(rules, text, aliases=()):
    language, exact, ceased, found = rules.tokens(clean(text), tuple(aliases))
    return language, exact, ceased, [token for token in found if token[KIND] != "mark"]


def _flagged(tokens, flag):
    return [t[FORM] for t in tokens if flag in t[FLAGS] and (flag != "negated" or t[ROLE] == "content")]


def _keys(tokens):
    return [t[KEY] for t in tokens if t[ROLE] == "content"]


def _answers(rules, case):
    """What an implementation says where a case expects something."""
    language, exact, ceased, tokens = _tokens(rules, case["text"], case.get("aliases", ()))
    forms = {t[FORM]: t for t in tokens}
    return {
        "folded": lambda _: rules.fold_text(case["text"]),
        "language": lambda _: language,
        "ceased": lambda _: ceased,
        "same": lambda other: other if _tokens(rules, other)[1] == exact else None,
        "differs": lambda other: other if _tokens(rules, other)[1] != exact else None,
        "same_keys": lambda other: other if _keys(_tokens(rules, other)[3]) == _keys(tokens) else None,
        "tokens": lambda _: [[t[KIND], t[KEY]] for t in tokens if t[KIND] in case.get("only", [t[KIND]])],
        "negated": lambda _: _flagged(tokens, "negated"),
        "possessive": lambda _: _flagged(tokens, "possessive"),
        "roles": lambda expected: {form: forms[form][ROLE] for form in expected},
        "spans": lambda expected: {form: [forms[form][START], forms[form][END]] for form in expected},
    }


@pytest.mark.parametrize("rules", IMPLEMENTATIONS)
@pytest.mark.parametrize("case", TEXT["cases"], ids=lambda case: case["id"])
def test_text(rules, case):
    expectations = {name: value for name, value in case.items() if name not in ASKED}
    answers = _answers(rules, case)
    assert expectations
    assert {name: answers[name](value) for name, value in expectations.items()} == expectations


@pytest.mark.parametrize("rules", IMPLEMENTATIONS)
@pytest.mark.parametrize("case", MATCHING["cases"], ids=lambda case: case["id"])
def test_matching(rules, case):
    action, code, why, coverage = _judge(rules, case, case["similarity"])
    assert (action, code) == (case["action"], case["code"])
    assert why
    assert 0 <= coverage <= 1


def _judge(rules, case, similarity):
    aliases, past = tuple(case.get("aliases", ())), case.get("past", "drop")
    return rules.judge(clean(case["candidate"]), clean(case["fact"]), similarity, aliases, past, True)


@pytest.mark.parametrize("rules", IMPLEMENTATIONS)
@pytest.mark.parametrize("case", MATCHING["cases"], ids=lambda case: case["id"])
def test_how_far_a_case_is_from_a_line(rules, case):
    if case["similarity"] is None:
        return
    answer = _judge(rules, case, case["similarity"])[:2]
    if case["id"].endswith(("-line", "-least")):
        assert _judge(rules, case, case["similarity"] - 1e-9)[:2] != answer
    else:
        for moved in (-1e-3, 1e-3):
            assert _judge(rules, case, case["similarity"] + moved)[:2] == answer


@pytest.mark.parametrize("rules", IMPLEMENTATIONS)
def test_every_code_of_the_table_has_its_predicate_and_every_predicate_its_code(rules):
    assert rules.codes() == [row[1] for row in rows("rules")]


def test_matching_covers_every_code_that_a_pair_can_be_answered():
    lines = {"unlike-hold", "anchor-drop", "anchor-hold", "anchor-foreign"}
    codes = {row[1] for row in rows("rules")} - lines | {"anchor", "different", "unrelated"}
    assert {case["code"] for case in MATCHING["cases"]} == codes
