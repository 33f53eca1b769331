"""scrub and scrub_tree: a text without the clauses that restate something."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forgetguard.errors import InvalidInput


@pytest.fixture
def vegetarian(guard):
    guard.forget("User is vegetarian")
    return guard


def test_a_sentence_goes_and_the_rest_stays(vegetarian):
    text = "We talked about dinner. The user is vegetarian. They will cook on Friday."
    done = vegetarian.scrub(text)
    assert "vegetarian" not in done.text
    assert "We talked about dinner." in done.text
    assert "cook on Friday" in done.text
    assert (done.empty, len(done.removed)) == (False, 1)
    cut = done.removed[0]
    assert cut.entry.text == "User is vegetarian"
    assert (
        "vegetarian" in "We talked about dinner. The user is vegetarian. They will cook on Friday."[cut.start : cut.end]
    )


def test_nothing_left_is_said(vegetarian):
    done = vegetarian.scrub("The user is vegetarian.")
    assert done.empty
    assert not done.text.strip()


def test_a_text_that_restates_nothing_stays_byte_for_byte(vegetarian):
    text = "  # Summary\r\n\r\n- one\n-  two\t\n\nÜnïcödé 由紀 🗝️  "
    assert vegetarian.scrub(text).text == text


def test_a_structure_keeps_its_shape(vegetarian):
    tree = {
        "title": "Dinner", "count": 3, "open": None,
        "notes": ["User is vegetarian", "User likes tea", ("User is vegetarian.", "ok")],
        "fact": "User is vegetarian",
    }  # fmt: skip
    done = vegetarian.scrub_tree(tree)
    assert done.value == {
        "title": "Dinner", "count": 3, "open": None, "notes": ["User likes tea", ("ok",)], "fact": "",
    }  # fmt: skip
    assert (done.removed, done.empty) == (3, False)
    assert tree["fact"] == "User is vegetarian"


def test_a_structure_without_anything_left_is_empty(vegetarian):
    assert vegetarian.scrub_tree(["User is vegetarian"]).empty
    assert vegetarian.scrub_tree("User is vegetarian").value == ""
    assert not vegetarian.scrub_tree({"a": "tea"}).empty


TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(TREES)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_where_nothing_is_restated_nothing_changes(vegetarian, tree):
    done = vegetarian.scrub_tree(tree)
    assert (done.value, done.removed) == (tree, 0)


def test_circles_and_depth_are_refused(vegetarian):
    circle: list[object] = []
    circle.append(circle)
    deep: list[object] = []
    for _ in range(1000):
        deep = [deep]
    for tree in (circle, deep):
        with pytest.raises(InvalidInput):
            vegetarian.scrub_tree(tree)
    shared = ["User likes tea"]
    assert vegetarian.scrub_tree([shared, shared]).value == [shared, shared]
