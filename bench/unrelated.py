#!/usr/bin/env python3
"""Facts that have nothing to do with each other must not be taken for one another.

    python bench/unrelated.py [--model DIR] [--corpus STATE] [--backend native|python] [--json]

Every fact of fixtures/everyday-facts-v1.json is asked against every other, in both directions. --corpus adds the
distinct facts of an OpenClaw state, a directory or a .tgz: what users said, as its session corpus holds it.
Every drop and hold is listed, and every plain fact that is taken for a request to forget.
Exit status 1 if anything is dropped or flagged, or more than 5 pairs of a list are held.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tarfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from evaluate import BENCH, prepare

FACTS = BENCH.parent / "fixtures" / "everyday-facts-v1.json"
MOST_HELD = 5
CORPUS_FILE = re.compile(r"(^|/)session-corpus/[^/]+\.(txt|md)$")
CORPUS_LINE = re.compile(r"^\[[^\]]*#L\d+\] User: (.+)$")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Ask every fact of one person against every other.")
    parser.add_argument("--model", type=Path, metavar="DIR", help="an embedding model; without it, words alone")
    parser.add_argument("--corpus", type=Path, metavar="STATE", help="an OpenClaw state: a directory or a .tgz")
    parser.add_argument("--backend", choices=("native", "python"), help="the implementation of the rules")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    options = parser.parse_args(arguments)
    prepare(options.backend)
    lists = {"everyday": everyday_facts()}
    if options.corpus:
        lists["corpus"] = corpus_facts(options.corpus)
    results = {name: ask(facts, options.model) for name, facts in lists.items()}
    if options.json:
        print(json.dumps(results, ensure_ascii=False, indent=2))
    else:
        print("\n".join(line for name, result in results.items() for line in report(name, result)))
    good = all(not (r["drops"] or r["flagged"]) and len(r["holds"]) <= MOST_HELD for r in results.values())
    return 0 if good else 1


def everyday_facts() -> list[str]:
    return [fact["text"] for fact in json.loads(FACTS.read_text("utf-8"))["facts"]]


def corpus_facts(state: Path) -> list[str]:
    """What users said in the state's session corpus, each text once."""
    lines = (line for text in _corpus_texts(state) for line in text.splitlines())
    return list(dict.fromkeys(match[1] for match in map(CORPUS_LINE.match, lines) if match))


def _corpus_texts(state: Path) -> Iterable[str]:
    if state.is_dir():
        for path in sorted(state.rglob("*")):
            if CORPUS_FILE.search(path.as_posix()):
                yield path.read_text("utf-8")
        return
    with tarfile.open(state) as archive:
        for member in archive:
            content = archive.extractfile(member) if CORPUS_FILE.search(member.name) else None
            if content is not None:
                yield content.read().decode("utf-8")


def ask(facts: Sequence[str], directory: Path | None) -> dict[str, Any]:
    """All ordered pairs of distinct facts: which are dropped or held, and which facts are flagged as requests."""
    from answers import FullRules, open_model
    from cases import Pair

    model = open_model(directory) if directory else None
    vectors = {fact: model.vector(fact) if model else None for fact in facts}
    rules = FullRules(model.calibration if model else None)
    found: dict[str, list[dict[str, str]]] = {"drop": [], "hold": []}
    for forgotten in facts:
        for candidate in facts:
            if forgotten != candidate:
                pair = Pair("", "en", "unrelated", forgotten, candidate, should_drop=False)
                answer = rules.decide(pair, vectors[forgotten], vectors[candidate])
                if answer.action is not None:
                    texts = {"forgotten": forgotten, "candidate": candidate}
                    found[answer.action].append({"kind": answer.kind, "why": answer.why, **texts})
    return {
        "facts": len(facts),
        "pairs": len(facts) * (len(facts) - 1),
        "model": model.embedder.model_id if model else None,
        "drops": found["drop"],
        "holds": found["hold"],
        "flagged": [fact for fact in facts if rules.is_request(fact)],
    }


def report(name: str, result: dict[str, Any]) -> list[str]:
    counts = f"{len(result['drops'])} dropped, {len(result['holds'])} held, {len(result['flagged'])} taken for requests"
    lines = [f"{name}: {result['facts']} facts, {result['pairs']} pairs: {counts}"]
    for action in ("drops", "holds"):
        lines += [
            f"  {action[:-1]} {row['kind']} {row['why']}: {row['forgotten']!r} / {row['candidate']!r}"
            for row in result[action]
        ]
    return lines + [f"  request: {fact!r}" for fact in result["flagged"]]


if __name__ == "__main__":
    sys.exit(main())
