#!/usr/bin/env python3
"""Count right and wrong answers of the rules over written cases.

    python bench/evaluate.py --pairs FILE --requests FILE --field FILE [--model DIR] [--no-wordnet]
                             [--backend native|python] [--rules starting] [--json]

With --json, one JSON object on stdout and the table on stderr; without, the table on stdout. Without --model the rules
decide on words alone. A line that is not a case is an error that names it (exit status 2).
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

BENCH = Path(__file__).resolve().parent


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    prepare(options.backend)
    from cases import BadCases

    from forgetguard.errors import ForgetGuardError

    try:
        result, wrong = evaluate(options)
    except BadCases as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except ForgetGuardError as error:
        print(f"error: {error}. {error.advice}", file=sys.stderr)
        return 2
    from tables import summary

    table = summary(result)
    if options.wrong:
        table += "\n".join(["", "Wrong answers", *wrong, ""])
    print(table, file=sys.stderr if options.json else sys.stdout)
    if options.json:
        print(json.dumps(result, ensure_ascii=False, indent=2))
    return 0


def prepare(backend: str | None) -> None:
    """Choose the implementation before anything of forgetguard is imported; find the package in this checkout."""
    if backend is not None:
        os.environ["FORGETGUARD_BACKEND"] = backend
    if str(BENCH) not in sys.path:
        sys.path.insert(0, str(BENCH))
    if importlib.util.find_spec("forgetguard") is None:
        sys.path.insert(1, str(BENCH.parent / "python"))


def evaluate(options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """The JSON object, and a line for every wrong answer. Raises BadCases and ForgetGuardError."""
    from answers import FullRules, Rules, StartingRules, answer_pairs, answer_requests, open_model
    from cases import read_field, read_pairs, read_requests
    from scoring import score_field, score_pairs, score_requests
    from tables import wrong_lines

    pairs = read_pairs(options.pairs) if options.pairs else None
    requests = read_requests(options.requests) if options.requests else None
    field = read_field(options.field) if options.field else None
    model = open_model(options.model) if options.model else None
    if model and options.shift:
        model = model.shifted(options.shift)
    rules: Rules = (
        StartingRules()
        if options.rules == "starting"
        else FullRules(model.calibration if model else None, options.wordnet)
    )
    result: dict[str, Any] = {"schema": "forgetguard-evaluation", "version": 1, **describe(rules.name, model, options)}
    wrong: list[str] = []
    result |= {"pairs": None, "requests": None, "field": None}
    if pairs is not None:
        answers = answer_pairs(rules, pairs, model)
        result["pairs"] = score_pairs(answers)
        wrong += wrong_lines(answers, [])
    if requests is not None:
        replies = answer_requests(rules, requests)
        result["requests"] = score_requests(replies)
        wrong += wrong_lines([], replies)
    if field is not None:
        answers, replies = answer_pairs(rules, field[0], model), answer_requests(rules, field[1])
        result["field"] = score_field(answers, replies)
        wrong += wrong_lines(answers, replies)
    return result, wrong


def describe(name: str, model: Any, options: argparse.Namespace) -> dict[str, Any]:
    """What was measured, so that no figure stands without its conditions."""
    from forgetguard.rules._backend import BACKEND, rules_version

    return {
        "rules": name,
        "rules_version": rules_version(),
        "backend": BACKEND,
        "model": model.embedder.model_id if model else None,
        "wordnet": options.wordnet,
        "shift": options.shift,
    }


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Count right and wrong answers of the rules over written cases.")
    parser.add_argument("--pairs", type=Path, metavar="FILE", help="pairs of a forgotten fact and a later text")
    parser.add_argument("--requests", type=Path, metavar="FILE", help="utterances: requests to forget, and others")
    parser.add_argument("--field", type=Path, metavar="FILE", help="cases from the field")
    parser.add_argument("--model", type=Path, metavar="DIR", help="an embedding model; without it, words alone")
    parser.add_argument("--no-wordnet", dest="wordnet", action="store_false", help="do not load the table of senses")
    parser.add_argument("--backend", choices=("native", "python"), help="the implementation of the rules")
    parser.add_argument(
        "--rules", choices=("full", "starting"), default="full", help="starting: the published baseline"
    )
    parser.add_argument("--shift", type=float, default=0.0, metavar="X", help="move every similarity by X")
    parser.add_argument("--wrong", action="store_true", help="list the wrong answers, with their texts")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout, the table on stderr")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
