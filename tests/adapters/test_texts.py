"""Texts in a host's files: none is passed over, whatever the file holds."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from forgetguard.adapters.texts import in_json, in_json_lines, in_lines, texts

within = partial(texts, within=True)


def found(find, root: Path) -> list[tuple[str, str]]:
    return [(one.key, one.text) for one in find(root)]


def test_a_line_that_was_cut_off_is_a_text_itself(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text('{"said": ["one", {"more": "two"}]}\n\n{"said": "thr')
    expected = [("line 1, said[0]", "one"), ("line 1, said[1].more", "two"), ("line 3", '{"said": "thr')]
    assert found(in_json_lines("*.jsonl", read=texts), tmp_path) == expected


def test_a_separator_within_a_text_ends_no_line(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text('{"said": "one\u2028two"}\n', "utf-8")
    assert found(in_json_lines("*.jsonl", read=texts), tmp_path) == [("line 1, said", "one\u2028two")]


def test_json_within_a_text_is_looked_into_where_that_is_wanted(tmp_path: Path):
    (tmp_path / "a.json").write_text('{"arguments": "{\\"content\\": \\"one\\"}"}')
    assert found(in_json("*.json", read=texts), tmp_path) == [("arguments", '{"content": "one"}')]
    assert found(in_json("*.json", read=within), tmp_path) == [("arguments.content", "one")]


def test_fields_without_words_are_passed_over():
    assert list(texts({"id": "x", "inner": {"id": "y", "said": "one"}}, wordless={"id"})) == [("inner.said", "one")]


def test_bytes_that_are_no_text_hide_nothing(tmp_path: Path):
    (tmp_path / "a.md").write_bytes(b"one \xff\n \ntwo\n")
    assert found(in_lines("*.md"), tmp_path) == [("line 1", "one \N{REPLACEMENT CHARACTER}"), ("line 3", "two")]
