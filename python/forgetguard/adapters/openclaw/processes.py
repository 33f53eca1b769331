"""Whether the process that a lock names is still that process."""

from __future__ import annotations

import os
from pathlib import Path

_STARTTIME_FIELD = 22 - 3  # of /proc/PID/stat, counted after the command's closing parenthesis


def start_time(pid: int) -> int | None:
    """When the process began, in clock ticks since boot, as the host writes it down; None where it cannot be told."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
        return int(stat[stat.rindex(b")") + 2 :].split()[_STARTTIME_FIELD])
    except (OSError, ValueError, IndexError):
        return None


def is_alive(pid: int, started: object = None) -> bool:
    """Whether the process lives; with `started`, whether it is the one that began then. In doubt it lives."""
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):  # no process has such a number
        return False
    except OSError:
        return True
    now = start_time(pid)
    if isinstance(started, int) and not isinstance(started, bool) and now is not None:
        return now == started
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
        return stat[stat.rindex(b")") + 2 :][:1] in (b"Z", b"X")
    except (OSError, ValueError):
        return False
