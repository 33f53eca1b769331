"""Requests to forget and deletion notes: the fixture, the written cases, and what must never be flagged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetguard.rules import _backend, requests
from forgetguard.rules.request_cjk import SLOTS as CJK_SLOTS
from forgetguard.rules.request_tags import SLOTS
from forgetguard.rules.requests import note_words
from growth import grows_linearly

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
DATA = json.loads((FIXTURES / "requests-v1.json").read_text(encoding="utf-8"))
CASES = DATA["cases"]
SLOT_BITS = 128
"""Bits of the word that holds a set of slots in the native core."""

SAMPLES = (
    *("please", "forget", "delete", "the", "memory", "about", "my", "address", "not", "user", "asked", "to", "don't"),
    *("store", "wants", "from", "notes", ",", ".", ":", '"', "apaga", "esquece", "utilizador", "pediu", "que", "não"),
    *(
        "guarde",
        "borra",
        "olvida",
        "oublié",
        "vergiss",
        "忘记",
        "删除",
        "记忆",
        "不要",
        "忘れて",
        "ください",
        "삭제해",
        "요청",
    ),
)


def _lines(name: str) -> list[dict[str, object]]:
    text = (FIXTURES / "cases" / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def test_the_fixture_is_whole():
    assert DATA["schema"] == "forgetguard/requests/1"
    assert DATA["count"] == len(CASES) == len({case["id"] for case in CASES})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_each_case_gives_its_code(case):
    assert _backend.request_code(case["text"]) == case["code"], case["why"]


def test_every_code_of_the_documentation_has_a_case_and_no_other_is_given():
    codes = {case["code"] for case in CASES} - {""}
    documented = {word.strip(",") for word in (requests.__doc__ or "").split() if word.strip(",") in codes}
    assert codes == documented


@pytest.mark.parametrize("name", ["requests-dev.jsonl", "requests-own.jsonl"])
def test_written_cases_come_out_right(name):
    rows = _lines(name)
    wrong = [row["id"] for row in rows if bool(_backend.request_code(str(row["text"]))) != row["is_request"]]
    assert len(wrong) <= len(rows) // 100, wrong


def test_nothing_is_flagged_among_plain_facts():
    facts = json.loads((FIXTURES / "everyday-facts-v1.json").read_text(encoding="utf-8"))["facts"]
    assert [fact["id"] for fact in facts if _backend.request_code(fact["text"])] == []


@pytest.mark.parametrize(
    "text",
    [
        "Please forget my phone number.",
        "  please   FORGET my phone number!! ",
        "Please, forget my phone number",
        "Ｐｌｅａｓｅ forget my phone number",
        "Please for\u200bget my phone number",
        "Hello.\r\nPlease forget my phone number\r\n",
    ],
)
def test_case_space_marks_and_lines_do_not_matter(text):
    assert _backend.request_code(text) == "imperative-forget"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Vegetarian status deleted", True),
        ("User wants the vegetarian note gone and erased", True),
        ("User asked to forget being vegetarian", True),
        ("User is vegetarian", False),
        ("User forgets their medication on weekends", False),
        ("Don't forget that User is vegetarian", False),
        ("用户删除了地址", True),
        ("ユーザーは住所を削除した", True),
        ("用户住在上海", False),
    ],
)
def test_note_words(text, expected):
    assert note_words(text) is expected


def test_slots_fit_in_one_word():
    assert len(SLOTS) <= SLOT_BITS
    assert len(CJK_SLOTS) <= SLOT_BITS


@given(st.lists(st.sampled_from(SAMPLES), max_size=30).map(" ".join) | st.text(max_size=80))
def test_every_text_has_an_answer(text):
    code = _backend.request_code(text)
    assert code == "" or code.split("-")[0] in {
        "imperative",
        "asked",
        "assistant",
        "log",
        "right",
        "withdrew",
        "retracted",
    }


@pytest.mark.parametrize("piece", ["forget ", "please don't forget not to delete ", "a,", "忘", "删除记忆", "l'", "-"])
def test_long_texts_take_linear_time(piece):
    assert grows_linearly(_backend.request_code, piece, 60_000)
