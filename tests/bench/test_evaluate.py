"""The evaluation command: its JSON, what it does with a bad line, and how it counts. The starting rules answer here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
CASES = BENCH.parent / "fixtures" / "cases"

PAIRS = [
    {"id": 1, "forgotten": "User is vegetarian", "candidate": "user is vegetarian.", "should_drop": True, "more": [1]},
    {"id": 2, "forgotten": "User likes tea", "candidate": "User likes tea and cake", "should_drop": False},
    {"id": 3, "forgotten": "User likes tea", "candidate": "User enjoys it", "should_drop": True, "contested": True},
    {"id": 4, "forgotten": "User likes tea", "candidate": "User fears dogs", "should_drop": False, "lang": "en"},
]
REQUESTS = [
    {"text": "Forget my phone number", "is_request": True},
    {"text": "User tends to forget appointments", "is_request": False},
]
FIELD = [
    {"id": "F1", "kind": "match", "forgotten": "a b", "candidate": "a b", "expect": "block"},
    {"id": "F2", "kind": "match", "forgotten": "likes tea", "candidate": "likes tea and cake", "expect": "keep"},
    {"id": "F3", "kind": "request", "text": "forget my email", "expect": "request"},
    {"id": "F4", "kind": "request", "text": "it was removed as asked", "expect": "note"},
    {"id": "F5", "kind": "request", "text": "The forgetting curve", "expect": "neither"},
    {"id": "F6", "kind": "select", "selector": {"x": 1}, "rows": [], "expect": "refuse"},
]


def write(path: Path, rows: Sequence[object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    environment.pop("FORGETGUARD_BACKEND", None)
    command = [sys.executable, str(BENCH / script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)


def evaluate(*arguments: object) -> dict[str, Any]:
    done = run("evaluate.py", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_the_json_object(tmp_path: Path) -> None:
    result = evaluate(
        *("--pairs", write(tmp_path / "p", PAIRS)),
        *("--requests", write(tmp_path / "r", REQUESTS)),
        *("--field", write(tmp_path / "f", FIELD)),
        *("--rules", "starting", "--backend", "python"),
    )
    assert (result["backend"], result["model"]) == ("python", None)
    assert {"rules_version", "wordnet"} <= result.keys()
    pairs = result["pairs"]
    assert {key: pairs[key] for key in ("n", "precision", "recall", "f1")} == {
        "n": 4,
        "precision": 0.5,
        "recall": 0.5,
        "f1": 0.5,
    }
    assert (pairs["dropped"], pairs["held"], pairs["dropped_wrongly"]) == (2, 0, 1)
    assert pairs["uncontested"] == {"n": 3, "precision": 0.5, "recall": 1.0, "f1": 0.6667}
    assert pairs["wrong"] == ["2", "3"]
    assert {name: group["n"] for name, group in pairs["by_language"].items()} == {"?": 3, "en": 1}
    assert pairs["by_phenomenon"]["?"]["right"] == 2
    assert result["requests"] | {"wrong": []} == {"n": 2, "precision": 1.0, "recall": 1.0, "f1": 1.0, "wrong": []}
    field = result["field"]
    assert {key: field[key] for key in ("blocked", "of_block", "kept", "of_keep", "failed")} == {
        "blocked": 1,
        "of_block": 1,
        "kept": 0,
        "of_keep": 1,
        "failed": ["F2"],
    }
    assert field["requests"]["wrong"] == ["F4"]


def test_a_part_that_was_not_asked_for_is_null(tmp_path: Path) -> None:
    result = evaluate("--requests", write(tmp_path / "r", REQUESTS), "--rules", "starting")
    assert (result["pairs"], result["field"], result["requests"]["n"]) == (None, None, 2)


@pytest.mark.parametrize(
    ("option", "line", "reason"),
    [
        ("--pairs", b"{", "not a JSON object"),
        ("--pairs", b"[]", "not a JSON object"),
        ("--pairs", b"\xff\xfe", "not a JSON object"),
        ("--pairs", b"[" * 100_000, "not a JSON object"),
        ("--pairs", b'{"forgotten": "a", "should_drop": true}', "`candidate` is missing"),
        ("--pairs", b'{"forgotten": "a", "candidate": 5, "should_drop": true}', "`candidate` is not a str"),
        ("--pairs", b'{"forgotten": "a", "candidate": "b", "should_drop": 1}', "`should_drop` is not a bool"),
        ("--pairs", b'{"forgotten": "a", "candidate": "b", "should_drop": true, "user_aliases": [1]}', "list of str"),
        ("--requests", b'{"text": "a"}', "`is_request` is missing"),
        ("--field", b'{"kind": "match", "forgotten": "a", "candidate": "b", "expect": "stop"}', "block, keep"),
        ("--field", b'{"kind": "riddle"}', "none of match, request, select"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, option: str, line: bytes, reason: str) -> None:
    good = {"--pairs": PAIRS, "--requests": REQUESTS, "--field": FIELD}[option]
    path = write(tmp_path / "cases.jsonl", good[:1])
    path.write_bytes(path.read_bytes() + b"\n" + line + b"\n")
    done = run("evaluate.py", option, path, "--rules", "starting", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {path}:3: ")
    assert reason in done.stderr


def test_what_is_not_there(tmp_path: Path) -> None:
    done = run("evaluate.py", "--pairs", tmp_path / "absent", "--json")
    assert done.returncode == 2
    assert "absent: No such file" in done.stderr
    done = run("evaluate.py", "--pairs", write(tmp_path / "p", PAIRS), "--model", tmp_path / "absent", "--json")
    assert done.returncode == 2
    assert "model.onnx" in done.stderr


def test_the_table_and_the_wrong_answers(tmp_path: Path) -> None:
    path = write(tmp_path / "p", PAIRS)
    done = run("evaluate.py", "--pairs", path, "--rules", "starting", "--wrong")
    assert done.returncode == 0
    assert "precision 0.500" in done.stdout
    assert "'User enjoys it'" in done.stdout
    assert done.stderr == ""


def test_the_baseline_keeps_its_known_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCH)
    from starting_rules import kind_of_match

    proposal = "Inês proposed PgBouncer for connection pooling"
    retold = "The assistant noted that Inês had suggested PgBouncer so that connections are pooled"
    assert kind_of_match("User is vegetarian", "User's vegetarian status is outdated", 0.739) == "subset"
    assert kind_of_match("User is vegetarian", "User's vegetarian status is outdated", 0.69) is None
    assert kind_of_match(proposal, retold, 0.905) == "anchor"
    assert kind_of_match(proposal, retold, 0.79) is None
    assert kind_of_match("User lives in Lisbon", "User lives in Porto", 0.90) is None
    assert kind_of_match("User is vegetarian", "User's sister is vegetarian", 0.884) == "superset"


def test_the_cases_in_the_tree_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCH)
    from cases import read_field, read_pairs, read_requests

    assert len(read_pairs(CASES / "pairs-dev.jsonl")) == 378
    assert len(read_requests(CASES / "requests-dev.jsonl")) == 97
    matches, utterances = read_field(CASES / "field-dev.jsonl")
    assert (sum(pair.should_drop for pair in matches), len(matches), len(utterances)) == (10, 21, 15)
    assert [pair.aliases for pair in read_pairs(CASES / "pairs-dev.jsonl") if pair.aliases] == [("Diogo",)]


def test_the_readme_is_rewritten_between_its_marks_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(BENCH)
    import report

    readme = tmp_path / "README.md"
    readme.write_text("before\n<!-- eval:start -->\nold\n<!-- eval:end -->\nafter\n")
    assert report.write_between_marks(readme, "new\n\n") == 0
    assert readme.read_text() == "before\n<!-- eval:start -->\nnew\n<!-- eval:end -->\nafter\n"
    readme.write_text("no marks")
    assert report.write_between_marks(readme, "new") == 2
    assert readme.read_text() == "no marks"
    assert "has no <!-- eval:start -->" in capsys.readouterr().err
