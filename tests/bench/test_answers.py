"""What the evaluation hands to the rules, and what it makes of their answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from embedder import tiny
from forgetguard import rules
from forgetguard.embedder import OnnxEmbedder, calibrate
from forgetguard.values import Entry, Vector

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Rules that hold whatever shares its last word, and note what they were asked."""
    monkeypatch.syspath_prepend(BENCH)
    calls: list[dict[str, Any]] = []

    def match_forgotten(text: str, embedding: Vector | None, entries: Sequence[Entry], **options: Any) -> Any:
        calls.append({"text": text, "embedding": embedding, "entries": tuple(entries), **options})
        same = text.split()[-1] == entries[0].text.split()[-1]
        return SimpleNamespace(action="hold", kind="anchor", why="anchor-hold") if same else None

    monkeypatch.setattr(rules, "match_forgotten", match_forgotten, raising=False)
    monkeypatch.setattr(rules, "is_forget_request", lambda text: "forget" in text, raising=False)
    return calls


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    pairs = [
        {"forgotten": "user likes tea", "candidate": "Ana likes tea", "should_drop": True, "user_aliases": ["Ana"]},
        {"forgotten": "user likes tea", "candidate": "user is in porto", "should_drop": False},
    ]
    requests = [{"text": "forget it", "is_request": True}]
    (tmp_path / "pairs-new.jsonl").write_text("\n".join(map(json.dumps, pairs)))
    (tmp_path / "requests-new.jsonl").write_text("\n".join(map(json.dumps, requests)))
    return tmp_path


def test_words_alone(asked: list[dict[str, Any]], cases: Path) -> None:
    import evaluate

    options = evaluate.parse(["--pairs", str(cases / "pairs-new.jsonl"), "--no-wordnet"])
    result, wrong = evaluate.evaluate(options)
    assert (result["pairs"]["held"], result["pairs"]["dropped"], wrong) == (1, 0, [])
    first = asked[0]
    assert (first["text"], first["entries"][0].text) == ("Ana likes tea", "user likes tea")
    assert (first["aliases"], first["wordnet"], first["calibration"]) == (("Ana",), False, None)
    assert (first["embedding"], first["entries"][0].vector) == (None, None)


def test_with_a_model(asked: list[dict[str, Any]], cases: Path, tmp_path: Path) -> None:
    import evaluate

    directory = tiny.write_model(tmp_path / "model")
    embedder = OnnxEmbedder(directory)
    options = evaluate.parse(["--pairs", str(cases / "pairs-new.jsonl"), "--model", str(directory)])
    result, _ = evaluate.evaluate(options)
    assert result["model"] == embedder.model_id
    assert [asked[0]["embedding"], asked[0]["entries"][0].vector] == embedder(["Ana likes tea", "user likes tea"])
    calibration = asked[0]["calibration"]
    assert calibration == calibrate(embedder)

    evaluate.evaluate(
        evaluate.parse([*("--pairs", str(cases / "pairs-new.jsonl"), "--model", str(directory)), *("--shift", "0.02")])
    )
    assert asked[-1]["calibration"].similarity(0.5) == pytest.approx(calibration.similarity(0.5) + 0.02, abs=1e-4)


def test_the_report_writes_the_table(
    asked: list[dict[str, Any]], cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import report

    readme = tmp_path / "README.md"
    readme.write_text("<!-- eval:start --><!-- eval:end -->")
    model = tiny.write_model(tmp_path / "model")
    assert report.main(["--cases", str(cases), "--readme", str(readme)]) == 0
    assert readme.read_text() == "<!-- eval:start --><!-- eval:end -->"
    assert report.main(["--cases", str(cases), "--readme", str(readme), "--model", str(model)]) == 0
    table = readme.read_text()
    assert "**`new`** (2 pairs, 1 utterances; rules " in table
    assert "| precision / recall |" in table
    assert "changes 0 of 2 decisions" in table
    assert table.splitlines()[1] in capsys.readouterr().out


def test_unrelated_facts_are_listed(asked: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    import unrelated

    result = unrelated.ask(["a likes tea", "b hates tea", "c would forget"], None)
    assert (result["facts"], result["pairs"], result["drops"]) == (3, 6, [])
    assert [(row["forgotten"], row["candidate"]) for row in result["holds"]] == [
        ("a likes tea", "b hates tea"),
        ("b hates tea", "a likes tea"),
    ]
    assert result["flagged"] == ["c would forget"]
    assert "  hold anchor anchor-hold: 'a likes tea' / 'b hates tea'" in unrelated.report("list", result)
