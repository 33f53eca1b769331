#!/usr/bin/env python3
"""What one check costs: a sentence against 500 forgotten facts, without a vector; and what importing costs.

    python bench/check.py [--json]

The implementation is the one that FORGETGUARD_BACKEND chooses; it is named in the output. The facts are those of the
fixtures, the sentences the candidates of the written cases. Medians.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from forgetguard.guard import ForgetGuard
from forgetguard.keys import Key
from forgetguard.rules import BACKEND, is_forget_request

ENTRIES = 500
LIMIT_US = {"native": 200.0}  # what a check may take, where a line is drawn
IMPORT_LIMIT_MS = 60.0
UNRELATED = "Glaciers were compared with enzymes"
FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"


def forgotten() -> list[str]:
    """500 different facts: those of one person's life, then the texts of the written cases."""
    everyday = json.loads((FIXTURES / "everyday-facts-v1.json").read_text("utf-8"))["facts"]
    texts = [fact["text"] for fact in everyday]
    texts += [case[part] for part in ("forgotten", "candidate") for case in cases()]
    chosen = list(dict.fromkeys(texts))[:ENTRIES]
    if len(chosen) < ENTRIES:
        raise SystemExit("error: the fixtures hold fewer facts than are to be forgotten")
    return chosen


def cases() -> list[dict[str, str]]:
    """The written cases: a forgotten fact and a candidate each, in several languages."""
    lines = (FIXTURES / "cases" / "pairs-dev.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def median_us(action: Callable[[str], object], texts: Sequence[str], rounds: int = 3) -> float:
    """The median duration of one call over the texts, in microseconds, after one warm round."""
    times = []
    for text in texts:
        action(text)
    for _ in range(rounds):
        for text in texts:
            start = time.perf_counter_ns()
            action(text)
            times.append(time.perf_counter_ns() - start)
    return statistics.median(times) / 1e3


def import_ms(repeats: int = 7) -> float:
    """The quickest `import forgetguard` of several, in milliseconds: the others measure what else the machine did."""
    code = "import time; start = time.perf_counter(); import forgetguard; print(time.perf_counter() - start)"
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(repeats)
    ]
    return min(float(run.stdout) for run in runs) * 1e3


def measure() -> dict[str, object]:
    """All figures."""
    texts = [case["candidate"] for case in cases()]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ledger.sqlite")
        with ForgetGuard.open(path, key=Key.generate(), create=True, strict=True, mark=Path(folder, "mark")) as guard:
            guard.forget(forgotten())
            result: dict[str, object] = {
                "backend": BACKEND,
                "entries": ENTRIES,
                "check_us": median_us(guard.check, texts),
                "check_without_a_shared_word_us": median_us(guard.check, [UNRELATED] * 100),
                "is_forget_request_us": median_us(is_forget_request, texts),
                "filter_100_us": median_us(lambda _: guard.filter(texts[:100]), ["once", "more"]),
            }
    return {**result, "import_ms": import_ms(), "python": platform.python_version(), "machine": platform.machine()}


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure one check against 500 facts.")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    as_json = parser.parse_args().json
    if BACKEND == "native":
        from forgetguard.rules import _native

        if _native.DEBUG_BUILD:
            print("error: the native core is a debug build; build it with `make native`", file=sys.stderr)
            return 1
    result = measure()
    if as_json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"  {name:32}{value:12.1f}" if isinstance(value, float) else f"  {name:32}{value:>12}")
    return over(result)


def over(result: dict[str, object]) -> int:
    """1 where a figure is over its limit."""
    limits = {"check_us": LIMIT_US.get(str(result["backend"]), float("inf")), "import_ms": IMPORT_LIMIT_MS}
    missed = [name for name, limit in limits.items() if float(str(result[name])) > limit]
    for name in missed:
        print(f"over its limit of {limits[name]:g}: {name}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
