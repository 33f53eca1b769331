"""The facts that must not be taken for one another, and reading more of them from a session corpus."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
FACTS = BENCH.parent / "fixtures" / "everyday-facts-v1.json"


def test_the_everyday_facts() -> None:
    document = json.loads(FACTS.read_text("utf-8"))
    facts = document["facts"]
    assert document["schema"] == "forgetguard-everyday-facts"
    assert document["count"] == len(facts) == 200
    assert [fact["id"] for fact in facts] == list(range(1, 201))
    assert len({fact["text"] for fact in facts}) == 200
    assert len({fact["domain"] for fact in facts}) >= 10


def test_facts_of_a_session_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCH)
    from unrelated import corpus_facts

    corpus = tmp_path / "state" / "workspace" / "memory" / ".dreams" / "session-corpus" / "2026-11-30.txt"
    corpus.parent.mkdir(parents=True)
    said = ["User: I live in Setubal", "Assistant: Understood.", "User: My code is 9931", "User: I live in Setubal"]
    corpus.write_text("".join(f"[main/sessions/main/e8#L{n}] {line}\n" for n, line in enumerate(said)) + "stray\n")
    (corpus.parent.parent / "notes.txt").write_text("[x#L1] User: elsewhere\n")
    archive = tmp_path / "state.tgz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(tmp_path / "state", ".")
    wanted = ["I live in Setubal", "My code is 9931"]
    assert corpus_facts(tmp_path / "state") == corpus_facts(archive) == wanted
