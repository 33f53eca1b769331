#!/usr/bin/env python3
"""Evaluate on every set of written cases, beside the starting rules, and keep the README's table true.

    python bench/report.py [--model DIR] [--cases DIR] [--backend native|python] [--readme FILE]

A set is `pairs-NAME.jsonl` with `requests-NAME.jsonl` and `field-NAME.jsonl` where they exist. With --readme and a
model, the table between the marks `<!-- eval:start -->` and `<!-- eval:end -->` is written anew.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import evaluate

START, END = "<!-- eval:start -->", "<!-- eval:end -->"
# Moving every similarity by this much should change next to nothing.
SHIFT = 0.02
Column = tuple[str, dict[str, Any]]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Evaluate on all written cases, beside the starting rules.")
    parser.add_argument("--model", type=Path, metavar="DIR", help="an embedding model")
    parser.add_argument("--cases", type=Path, metavar="DIR", default=evaluate.BENCH.parent / "fixtures" / "cases")
    parser.add_argument("--backend", choices=("native", "python"), help="the implementation of the rules")
    parser.add_argument("--readme", type=Path, metavar="FILE", help="write the table into this file, between its marks")
    options = parser.parse_args(arguments)
    evaluate.prepare(options.backend)
    from cases import BadCases

    from forgetguard.errors import ForgetGuardError

    try:
        text = "\n".join(line for name in sets(options.cases) for line in section(options, name))
    except BadCases as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except ForgetGuardError as error:
        print(f"error: {error}. {error.advice}", file=sys.stderr)
        return 2
    print(text)
    if options.readme is None:
        return 0
    if options.model is None:
        print("note: no model was given, so the table in the README stays as it is.", file=sys.stderr)
        return 0
    return write_between_marks(options.readme, text)


def sets(directory: Path) -> list[str]:
    """The names of the sets, dev first: what the rules were tuned on stands apart from what they were checked on."""
    names = [path.stem.removeprefix("pairs-") for path in directory.glob("pairs-*.jsonl")]
    return sorted(names, key=lambda name: (name != "dev", name))


def section(options: argparse.Namespace, name: str) -> list[str]:
    """One set: a title and its table."""
    columns = []
    for rules, title in (("starting", "starting rules"), ("full", "forgetguard")):
        if options.model:
            columns.append((f"{title}, model", run(options, name, rules, model=True)))
        columns.append((f"{title}, words", run(options, name, rules)))
    lines = [f"**`{name}`** ({sizes(columns[0][1])}; rules {columns[-1][1]['rules_version']})", ""]
    lines += markdown(columns)
    if options.model:
        flips, of = count_flips(options, name)
        lines += ["", f"Moving every similarity by ±{SHIFT} changes {flips} of {of} decisions."]
    return [*lines, ""]


def run(options: argparse.Namespace, name: str, rules: str, *, model: bool = False) -> dict[str, Any]:
    return evaluate.evaluate(_arguments(options, name, rules, model=model))[0]


def _arguments(options: argparse.Namespace, name: str, rules: str, *, model: bool) -> argparse.Namespace:
    words = ["--rules", rules]
    for kind in ("pairs", "requests", "field"):
        path = options.cases / f"{kind}-{name}.jsonl"
        words += [f"--{kind}", str(path)] if path.exists() else []
    return evaluate.parse([*words, "--model", str(options.model)] if model else words)


def count_flips(options: argparse.Namespace, name: str) -> tuple[int, int]:
    """Decisions (drop, hold, store) that differ when all similarities move up, or all down; of how many."""
    from answers import FullRules, answer_pairs, open_model
    from cases import read_pairs

    pairs, model = read_pairs(options.cases / f"pairs-{name}.jsonl"), open_model(options.model)
    runs = []
    for distance in (-SHIFT, 0.0, SHIFT):
        moved = model.shifted(distance)
        runs.append([answer.action for answer in answer_pairs(FullRules(moved.calibration), pairs, moved)])
    return sum(low != here or high != here for low, here, high in zip(*runs, strict=True)), len(pairs)


def sizes(result: dict[str, Any]) -> str:
    requests, field = result["requests"], result["field"]
    parts = [f"{result['pairs']['n']} pairs"]
    parts += [f"{requests['n']} utterances"] if requests else []
    parts += [f"{field['of_block'] + field['of_keep']} field cases"] if field else []
    return ", ".join(parts)


def markdown(columns: Sequence[Column]) -> list[str]:
    """The table: a row a figure, a column a run."""
    results = [result for _, result in columns]
    rows: list[list[str]] = []

    def row(title: str, cells: Sequence[str]) -> None:
        rows.append([title, *cells])

    row("precision / recall", [_two(r["pairs"]) for r in results])
    row("the same without contested pairs", [_two(r["pairs"]["uncontested"]) for r in results])
    row("dropped (wrongly)", [_action(r["pairs"], "dropped") for r in results])
    row("held (wrongly)", [_action(r["pairs"], "held") for r in results])
    for phenomenon in ("other_subject", "negation", "role_swap", "other_value"):
        if any(phenomenon in r["pairs"]["by_phenomenon"] for r in results):
            row(f"{phenomenon.replace('_', ' ')}: right", [_right(r["pairs"], phenomenon) for r in results])
    if all(r["requests"] for r in results):
        row("requests: precision / recall", [_two(r["requests"]) for r in results])
        row("requests: F1", [f"{r['requests']['f1']:.2f}" for r in results])
    if all(r["field"] for r in results):
        row("field: blocked", [f"{r['field']['blocked']} of {r['field']['of_block']}" for r in results])
        row("field: kept", [f"{r['field']['kept']} of {r['field']['of_keep']}" for r in results])
        row("field requests: F1", [f"{r['field']['requests']['f1']:.2f}" for r in results])
    head = ["", *(title for title, _ in columns)]
    return ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows)]


def _two(figures: dict[str, Any]) -> str:
    return f"{figures['precision']:.2f} / {figures['recall']:.2f}"


def _action(pairs: dict[str, Any], action: str) -> str:
    return f"{pairs[action]} ({pairs[f'{action}_wrongly']})"


def _right(pairs: dict[str, Any], phenomenon: str) -> str:
    group = pairs["by_phenomenon"][phenomenon]
    return f"{group['right']} of {group['n']}"


def write_between_marks(readme: Path, text: str) -> int:
    content = readme.read_text("utf-8")
    before, start, rest = content.partition(START)
    _, end, after = rest.partition(END)
    if not (start and end):
        print(f"error: {readme.name} has no {START} … {END}", file=sys.stderr)
        return 2
    readme.write_text(f"{before}{START}\n{text.rstrip()}\n{END}{after}", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
