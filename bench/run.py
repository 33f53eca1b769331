#!/usr/bin/env python3
"""Run the benchmarks, one after the other, each on the implementations that it concerns.

    python bench/run.py             all of them
    python bench/run.py check       only these

A debug build of the native core is refused: its times would say nothing.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent
# Name: its arguments, and whether the rules are in it (then it runs once on each implementation).
BENCHES = {
    "check": ((), True),
    "hook": ((), True),
    "ledger": (("--quick",), False),
    "purge": ((), False),
    "speed": ((), False),
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the benchmarks.")
    parser.add_argument("names", nargs="*", choices=[[], *BENCHES], metavar="NAME", help=", ".join(BENCHES))
    names = parser.parse_args().names or list(BENCHES)
    backends = [backend for backend in ("native", "python") if usable(backend)]
    failed = [name for name in names if not run(name, backends)]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def usable(backend: str) -> bool:
    """Whether this implementation is installed. Raises SystemExit for a debug build."""
    if backend == "python":
        return True
    code = "from forgetguard.rules import _native; print(int(_native.DEBUG_BUILD))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode:
        print("note: the native core is not built here; Python alone is measured", file=sys.stderr)
        return False
    if done.stdout.strip() == "1":
        raise SystemExit("error: the native core is a debug build; build it with `make native`")
    return True


def run(name: str, backends: list[str]) -> bool:
    """Run one benchmark on every implementation that it concerns; whether all went well."""
    arguments, has_rules = BENCHES[name]
    chosen = backends if has_rules else backends[:1]
    return sum(_run(name, arguments, backend) for backend in chosen) == len(chosen)


def _run(name: str, arguments: tuple[str, ...], backend: str) -> bool:
    print(f"== {name}, rules: {backend}", flush=True)
    done = subprocess.run(
        [sys.executable, str(BENCH / f"{name}.py"), *arguments],
        env={**os.environ, "FORGETGUARD_BACKEND": backend},
        check=False,
    )
    print(flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
