"""What goes to stderr while a server runs: our own templates, and of everybody else's records only where they arose.

Libraries log what they were handed, and tracebacks quote it; a message of theirs may hold a memory.
"""

from __future__ import annotations

import logging
import sys


class TextFree(logging.Formatter):
    """Level, logger and code; the message only of forgetguard's records, whose templates are constant."""

    def format(self, record: logging.LogRecord) -> str:
        head = f"{record.levelname.lower()} {record.name}"
        if record.name.partition(".")[0] == "forgetguard":
            return f"{head}: {record.getMessage()}"
        kind = record.exc_info[0] if record.exc_info else None
        return f"{head}: {record.module}:{record.lineno}" + (f" {kind.__name__}" if kind is not None else "")


def text_free_stderr() -> None:
    """Have the root logger write warnings to stderr through `TextFree`, in place of whatever it had."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(TextFree())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
