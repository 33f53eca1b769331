#!/usr/bin/env python3
"""How long a host waits for `forgetguard hook claude-code`, with 500 forgotten facts and a key file.

    python bench/hook.py [--runs 15] [--json]

Each figure is one whole process, from its start to its end, as the host sees it: the quickest of the runs (the others
measure what else the machine was doing), the median, and the quickest one's time on a processor. An interpreter that
does nothing stands beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from sentences import Grammar

ROOT = Path(__file__).resolve().parent.parent
ENTRIES = 500
LIMIT_MS = 150
FACT = "User is vegetarian"
HOOK = ("-m", "forgetguard", "hook", "claude-code")
# Name: the file that is written, and its text.
CALLS = {
    "passed": ("CLAUDE.md", "# Notes\n\n- Use pnpm, not npm\n- The tests run with make\n"),
    "refused": ("CLAUDE.md", "# Notes\n\n- Use pnpm, not npm\n- The user is a vegetarian\n"),
    "not-memory": ("main.py", "print('hello')\n"),
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the hook of Claude Code.")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder), options.runs)
    print(json.dumps(result) if options.json else table(result))
    return 0


def measure(folder: Path, runs: int) -> dict[str, Any]:
    """The figures, in milliseconds, with a ledger and a key file of their own in `folder`."""
    environment = own_home(folder)
    subprocess.run([sys.executable, "-m", "forgetguard", "init"], env=environment, check=True, capture_output=True)
    facts = "\n".join([*Grammar(1).sentences(ENTRIES - 1), FACT])
    forget = [sys.executable, "-m", "forgetguard", "forget", "--lines"]
    subprocess.run(forget, env=environment, check=True, capture_output=True, text=True, input=facts)
    figures = {name: timed(HOOK, payload(*call), environment, runs) for name, call in CALLS.items()}
    figures["interpreter"] = timed(("-c", "pass"), "", environment, runs)
    return {
        "schema": "forgetguard-hook", "version": 1, "backend": backend(environment), "entries": ENTRIES,
        "python": sys.version.split()[0], "limit_ms": LIMIT_MS, "ms": figures,
    }  # fmt: skip


def own_home(folder: Path) -> dict[str, str]:
    """The environment of a user who has nothing yet."""
    kept = {n: v for n, v in os.environ.items() if not n.startswith("FORGETGUARD_") or n == "FORGETGUARD_BACKEND"}
    homes = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("DATA", "CONFIG", "STATE", "CACHE")}
    keyring = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}
    return {**kept, **homes, **keyring, "HOME": str(folder), "PYTHONPATH": str(ROOT / "python")}


def payload(name: str, content: str) -> str:
    given = {"file_path": f"/project/{name}", "content": content}
    return json.dumps({"hook_event_name": "PreToolUse", "cwd": "/project", "tool_name": "Write", "tool_input": given})


def timed(arguments: tuple[str, ...], given: str, environment: dict[str, str], runs: int) -> dict[str, float]:
    walls, processors = [], []
    command = [sys.executable, *arguments]
    for _ in range(runs):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(command, input=given, env=environment, capture_output=True, text=True)
        walls.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processors.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        if done.returncode:
            raise SystemExit("error: the hook failed; its times would say nothing")
    best = {"wall": min(walls), "median": statistics.median(walls), "processor": min(processors)}
    return {name: round(seconds * 1000, 1) for name, seconds in best.items()}


def backend(environment: dict[str, str]) -> str:
    code = "import forgetguard; print(forgetguard.BACKEND)"
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def table(result: dict[str, Any]) -> str:
    head = f"hook claude-code, {result['entries']} entries, backend {result['backend']}, Python {result['python']}"
    lines = [f"{head}; limit {result['limit_ms']} ms", f"{'call':12} {'wall':>8} {'median':>8} {'processor':>10}  ms"]
    for name, row in result["ms"].items():
        lines.append(f"{name:12} {row['wall']:8.1f} {row['median']:8.1f} {row['processor']:10.1f}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
