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

ROOT = Path(__file__).resolve().parents[1]
PACKAGE, VERSION = "@anthropic-ai/claude-code", "2.1.332"
INSTALL_SECONDS, TEST_SECONDS = 900, 900


class Skipped(Exception):
    """The test cannot run here; its text says why."""


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
        place.mkdir(parents=True, exist_ok=True)
        flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", "--prefix", str(place)]
        order = ["npm", "install", *flags, f"{PACKAGE}@{VERSION}"]
        try:
            subprocess.run(order, check=True, capture_output=True, timeout=INSTALL_SECONDS)
        except FileNotFoundError:
            raise Skipped("npm is not installed") from None
        except subprocess.TimeoutExpired:
            raise Skipped("the npm registry did not answer in time") from None
        except subprocess.CalledProcessError as error:
            reason = error.stderr.decode("utf-8", "replace").strip().splitlines()
            raise Skipped(f"npm could not install it: {reason[0] if reason else 'no reason given'}") from None
        found = _programs(place)
    if not found:
        raise Skipped("it has no build for this machine")
    return found[0]


def _programs(place: Path) -> list[Path]:
    """The program lies in the package of its platform; npm installs no other one."""
    return sorted(path for path in place.glob(f"node_modules/{PACKAGE}-*/claude*") if os.access(path, os.X_OK))


if __name__ == "__main__":
    sys.exit(main())
