"""The program: `forgetguard`, or `python -m forgetguard`."""

from __future__ import annotations

import gc
import os
import sys


def main() -> int:
    """Run the command line, or what has to be quicker than it; the exit code."""
    if sys.argv[1:3] == ["hook", "claude-code"]:
        _hook(sys.argv[3:])
    from forgetguard.cli import main as command_line

    return command_line()


def _hook(arguments: list[str]) -> None:
    """Answer one tool call and end the process; returns where the command line has to look at the arguments.

    A host waits for this at every call. So nothing is collected while it runs, and once the answer is out and the
    ledger closed, nothing is taken apart: together that is a tenth of the time.
    """
    gc.disable()
    try:
        from forgetguard.adapters.claude_code.process import invocation, run

        invoked = invocation(arguments)
    except BaseException:  # noqa: BLE001 - an installation that is broken must not let the call through
        sys.stderr.write("forgetguard cannot run, so this call was blocked. Install it again.\n")
        sys.exit(2)
    if invoked is not None:
        os._exit(run(invoked))
    gc.enable()


if __name__ == "__main__":
    sys.exit(main())
