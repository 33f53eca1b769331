"""The benchmark of checks: sentences that are the same everywhere, a result with every figure, a table made from it."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture(autouse=True)
def bench(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))


def test_sentences_are_the_same_and_all_different() -> None:
    from sentences import Grammar

    found = list(Grammar(1).sentences(3000))
    assert found == list(Grammar(1).sentences(3000))
    assert len(set(found)) == 3000
    assert found[:100] != list(Grammar(2).sentences(100))
    assert not set(Grammar(1).sentences(100, frozenset(found))) & set(found)


def test_words_are_as_frequent_as_in_text() -> None:
    from collections import Counter

    from sentences import Grammar

    counts = Counter(word for text in Grammar(1).sentences(3000) for word in text.split())
    once = sum(count == 1 for count in counts.values())
    assert once > len(counts) / 3
    assert counts.most_common(1)[0][1] > 1000


def result() -> dict[str, Any]:
    kept: dict[str, Any] = json.loads((BENCH / "results" / "speed-native.json").read_text("utf-8"))
    return kept


def test_the_table_is_written_between_the_marks_and_nowhere_else(tmp_path: Path) -> None:
    from speed_table import END, START, save, write

    save(tmp_path, result())
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{START}\nold\n{END}\nafter\n", "utf-8")
    write(readme, tmp_path)
    text = readme.read_text("utf-8")
    assert text.startswith(f"before\n{START}\n") and text.endswith(f"\n{END}\nafter\n")
    assert "old" not in text and "| 100,000 |" in text
    readme.write_text("no marks", "utf-8")
    with pytest.raises(SystemExit):
        write(readme, tmp_path)


def test_the_kept_results_hold_every_figure() -> None:
    kept = result()
    sizes = set(kept["check_us"])
    assert {"500", "10000", "100000"} <= sizes
    for name in ("words_us", "lazy_us", "scan_us", "faiss_us", "floor_us", "ratios", "share_a_word"):
        assert set(kept[name]) == sizes
    assert {"ours_s", "embed_then_scan_s", "share_embedded"} <= set(kept["end_to_end"])
    counts = json.loads((BENCH / "results" / "instructions.json").read_text("utf-8"))["check"]
    assert set(counts) == {"500", "100000"}


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("faiss") is None, reason="faiss-cpu is not installed")
def test_one_json_object_comes_out() -> None:
    done = subprocess.run(
        [sys.executable, str(BENCH / "speed.py"), "--json", "--sizes", "200"],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert set(found["check_us"]) == set(found["scan_us"]) == {"200"}
