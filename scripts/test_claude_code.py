"""Let the released Claude Code write its memory, offline, with and without the hook.

    python scripts/test_claude_code.py [--install DIR]

Installs it from the npm registry into DIR, by default target/claude-code, once. Where npm or the registry cannot be
reached, or there is no build for this machine, the test is skipped with the reason and exit code 0. The program gets a
home of its own and a scripted model on the loopback interface; it is started with no other address to talk to.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from npm import Skipped, install

ROOT = Path(__file__).resolve().parents[1]
PACKAGE, VERSION = "@anthropic-ai/claude-code", "2.1.332"
TEST_SECONDS = 900


def main() -> int:
    parser = argparse.ArgumentParser(description="Test the hook in the released Claude Code.")
    parser.add_argument("--install", type=Path, default=ROOT / "target/claude-code", metavar="DIR")
    place = parser.parse_args().install / VERSION
    try:
        program = installed(place.absolute())
    except Skipped as reason:
        print(f"note: the hook was not tested in Claude Code: {reason}", file=sys.stderr)
        return 0
    print(f"Claude Code {VERSION}", flush=True)
    command = [sys.executable, "-m", "pytest", "-q", str(ROOT / "tests/hosts/claude_code")]
    environment = {**os.environ, "FORGETGUARD_CLAUDE_CODE": str(program)}
    return subprocess.run(command, cwd=ROOT, env=environment, timeout=TEST_SECONDS).returncode


def installed(place: Path) -> Path:
    """The program, installed if it is not there. Raises Skipped."""
    if not (found := _programs(place)):
        install(place, f"{PACKAGE}@{VERSION}")
        found = _programs(place)
    if not found:
        raise Skipped("it has no build for this machine")
    return found[0]


def _programs(place: Path) -> list[Path]:
    """The program lies in the package of its platform; npm installs no other one."""
    return sorted(path for path in place.glob(f"node_modules/{PACKAGE}-*/claude*") if os.access(path, os.X_OK))


if __name__ == "__main__":
    sys.exit(main())
