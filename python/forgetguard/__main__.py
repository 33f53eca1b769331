"""The program: `forgetguard`, or `python -m forgetguard`."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line, or what has to be quicker than it; the exit code."""
    if sys.argv[1:3] == ["hook", "claude-code"]:
        import gc

        # The process ends before there is anything to collect; looking for it costs a tenth of the time.
        gc.disable()
        from forgetguard.adapters.claude_code.process import invocation, run

        invoked = invocation(sys.argv[3:])
        if invoked is not None:
            return run(invoked)
    from forgetguard.cli import main as command_line

    return command_line()


if __name__ == "__main__":
    sys.exit(main())
