"""Setting up: init, doctor, demo."""

from __future__ import annotations

import platform
import sqlite3
from dataclasses import asdict
from pathlib import Path

import click

from forgetguard.cli.console import emit, say, tell
from forgetguard.cli.options import Common, common
from forgetguard.errors import ForgetGuardError
from forgetguard.version import VERSION


@click.command()
@common
def init(common: Common) -> None:
    """Make the key and the ledger, where there are none; what is there is left alone.

    The key goes into the system's keyring where there is one, else into a file that only you can read.
    """
    existed = common.settings.ledger.exists()
    _, source = common.settings.unlock(create=True)
    with common.guard(create=True) as guard:
        entries = guard.status().entries
    path = str(common.settings.ledger)
    if common.as_json:
        emit("init", ledger=path, key=source, created=not existed, entries=entries)
        return
    say(f"ledger  {path}" + (f" (was there, {entries} entries)" if existed else " (new)"))
    say(f"key     {source}")
    tell("Keep a copy of the key apart from the ledger: without it nothing can be read again.")


@click.command()
@click.option(
    "--state-dir", type=click.Path(path_type=Path), help="Look at a host's state directory (OpenClaw) instead."
)
@common
def doctor(common: Common, state_dir: Path | None) -> int:
    """Say what is installed and whether the ledger can be used. Exit code 1 where it cannot. No text is shown.

    With --state-dir: what a purge would erase there, report, or not cover, and whether it could run now.
    """
    if state_dir is not None:
        return _doctor_of_host(common, state_dir)
    from forgetguard.rules import BACKEND

    facts: dict[str, object] = {
        "forgetguard": VERSION,
        "backend": BACKEND,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "sqlite": sqlite3.sqlite_version,
        "ledger_path": str(common.settings.ledger),
    }
    problem: ForgetGuardError | None = None
    try:
        _, facts["key"] = common.settings.unlock()
        with common.guard() as guard:
            facts |= asdict(guard.status())
    except ForgetGuardError as error:
        problem = error
        facts["ledger"] = error.code
    if common.as_json:
        emit("doctor", ok=problem is None, **facts)
    else:
        for name, value in facts.items():
            say(f"{name:18} {value}")
    if problem is not None:
        tell(f"problem: {problem} [{problem.code}]")
        tell(f"  {problem.advice}")
    return 0 if problem is None else 1


def _doctor_of_host(common: Common, state_dir: Path) -> int:
    from forgetguard.adapters.openclaw import State
    from forgetguard.adapters.openclaw.doctor import examine, lines

    facts, ready = examine(State.at(state_dir))
    if common.as_json:
        emit("doctor", ok=ready, **facts)
    else:
        for line in lines(facts):
            say(line)
    return 0 if ready else 1


@click.command()
@click.option("--json", "as_json", is_flag=True, help="JSON on stdout.")
def demo(as_json: bool) -> None:
    """Replay a recorded conversation through a memory, without the guard and with it. Touches nothing of yours."""
    from forgetguard.demo import replay

    result = replay()
    if as_json:
        emit("demo", **result.as_dict())
    else:
        for line in result.lines():
            say(line)
