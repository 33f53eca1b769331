"""A purge in a process of its own that is killed, or runs out of space: what both crash suites need."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from forgetguard.purge import Order

RESULTS = ("failed", "residue", "cannot-prove", "clean", "refused")


def start(code: str, root: Path, mode: str = "run", number: int = 0) -> subprocess.Popen[bytes]:
    """Run `code`, which calls `carry_out`.

    `kill`: SIGKILL after the journal event of that number. `limit`: no file may grow beyond so many bytes.
    """
    environment = {**os.environ, "PYTHONPATH": ":".join(path for path in sys.path if path)}
    arguments = [sys.executable, "-c", code, str(root), mode, str(number)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)


def carry_out(purge: Callable[[Path, Order], Mapping[str, object]]) -> None:
    """The child's side of `start`: the report goes to stdout."""
    root, mode, number = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    events = 0

    def observe(name: str, status: str) -> None:
        nonlocal events
        events += 1
        if mode == "kill" and events == number:
            os.kill(os.getpid(), signal.SIGKILL)

    if mode == "limit":
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (number, number))
    print(json.dumps(purge(root, Order(observe=observe, wait=60.0))), flush=True)


def check_told(done: subprocess.Popen[bytes], read: Callable[[Any], Mapping[str, Any]]) -> None:
    """After a full disk: a report that tells of its steps, or an error of ours; never one of SQLite's or Python's."""
    output, errors = done.communicate(timeout=120)
    if output:
        report = read(json.loads(output))
        assert report["result"] in RESULTS
        assert report["steps"] or report["failures"] or report["result"] == "refused"
        return
    last = errors.decode().strip().splitlines()[-1]
    assert last.startswith("forgetguard."), errors.decode()
    assert done.returncode == 1
