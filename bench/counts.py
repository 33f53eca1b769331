#!/usr/bin/env python3
"""How many instructions one check takes: the same on a busy machine as on an idle one, so a slow-down shows.

    python bench/counts.py [--sizes 500,100000] [--save]

Counted by valgrind's callgrind in a release build for the plain instruction set, without vectors; the mean over the
candidates of `speed.py`. With --save the counts go into `bench/results/instructions.json`. Needs cargo and valgrind.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sentences import Grammar

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "bench" / "results" / "instructions.json"
CANDIDATES = 100
COLLECTED = re.compile(r"Collected : (\d+)")


def main() -> int:
    parser = argparse.ArgumentParser(description="Count the instructions of a check.")
    parser.add_argument("--sizes", default="500,100000", metavar="N,…")
    parser.add_argument("--save", action="store_true", help=f"keep the counts in {KEPT.relative_to(ROOT)}")
    options = parser.parse_args()
    counts = {size: count(program(), int(size)) for size in options.sizes.split(",")}
    result = {"schema": "forgetguard-instructions", "version": 1, "check": counts, "compiler": compiler()}
    if options.save:
        KEPT.write_text(json.dumps(result, indent=2) + "\n", "utf-8")
    print(json.dumps(result))
    return 0


def program() -> Path:
    """The example, built for any processor of its kind and with names in it."""
    target = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")
    environment = {**os.environ, "RUSTFLAGS": "", "CARGO_PROFILE_RELEASE_DEBUG": "1", "CARGO_TARGET_DIR": str(target)}
    order = ["cargo", "build", "--quiet", "--release", "--locked", "-p", "forgetguard-core", "--example", "counted"]
    subprocess.run(order, cwd=ROOT, env=environment, check=True, stdout=sys.stderr)
    return target / "release" / "examples" / "counted"


def compiler() -> str:
    return subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.strip()


def count(example: Path, size: int) -> int:
    """Instructions of one check against so many facts."""
    facts = list(Grammar(1).sentences(size))
    with tempfile.TemporaryDirectory() as folder:
        paths = [
            _written(Path(folder, "facts"), facts),
            _written(Path(folder, "candidates"), list(Grammar(2).sentences(CANDIDATES, frozenset(facts)))),
        ]
        order = [
            "valgrind",
            "--tool=callgrind",
            f"--callgrind-out-file={folder}/out",
            "--toggle-collect=counted::counted*",
        ]
        done = subprocess.run([*order, str(example), *paths], capture_output=True, text=True, check=True)
    found = COLLECTED.search(done.stderr)
    if found is None:
        raise SystemExit("error: valgrind told no count")
    return int(found[1]) // CANDIDATES


def _written(path: Path, texts: Sequence[str]) -> str:
    path.write_text("\n".join(texts), "utf-8")
    return str(path)


if __name__ == "__main__":
    sys.exit(main())
