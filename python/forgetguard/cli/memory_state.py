"""memory verify, hold and tombstone: what else there is to do on an OpenClaw state directory. Parse, call, print."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from forgetguard.cli.console import tell
from forgetguard.cli.purging import shown
from forgetguard.purge import Home, Order, Selection
from forgetguard.purge.receipts import codes
from forgetguard.purge.report import CANNOT_PROVE, DONE, FAILED, body_of, exit_code, worst
from forgetguard.purge.verify import Verdict

if TYPE_CHECKING:
    from forgetguard.adapters.openclaw import Agent

Command = TypeVar("Command", bound=Callable[..., Any])
_VERDICTS = {Verdict.CLEAN: DONE, Verdict.RESIDUE: FAILED, Verdict.CANNOT_PROVE: CANNOT_PROVE}


def on_agent(command: Command) -> Command:
    """Adds --state-dir, --agent, --home and --json; the function gets the agent and the home first."""

    @click.option("--state-dir", required=True, envvar="OPENCLAW_STATE_DIR", type=click.Path(path_type=Path),
                  help="The host's state directory; by default what OPENCLAW_STATE_DIR says.")  # fmt: skip
    @click.option("--agent", "name", help="Agent id; by default main, or the only one.")
    @click.option("--home", type=click.Path(path_type=Path), help="Directory of key, journal, holds and receipts.")
    @click.option("--json", "as_json", is_flag=True, help="JSON also for errors; the rest is JSON in any case.")
    @wraps(command)
    def call(*args: Any, state_dir: Path, name: str | None, home: Path | None, as_json: bool, **kwargs: Any) -> Any:
        del as_json  # read by `main`, which prints errors
        from forgetguard.adapters.openclaw import State

        agent = State.at(state_dir).agent(name)
        return command(agent, Home(home) if home else Home.default(), *args, **kwargs)

    return call  # type: ignore[return-value]  # click calls it by keyword, as it would the original


@click.command()
@click.option("--session", multiple=True, help="Session id or key, exact: check the structure only.")
@on_agent
def verify(agent: Agent, home: Home, session: tuple[str, ...]) -> int:
    """Look again for what was purged, and erase nothing.

    Without --session: every purge of this agent that is not clean yet. With it, also after a clean purge; then rows,
    keys and lineage are all that is left to look for, and the answer is at best `cannot-prove`.
    """
    from forgetguard.adapters.openclaw import verify_open, verify_structure

    if session:
        verification = verify_structure(agent, home, Selection(sessions=tuple(dict.fromkeys(session))))
        shown("purge.verification", **verification.as_json())
        return _VERDICTS[verification.status]
    ended = verify_open(agent, home, Order(observe=lambda name, status: tell(f"{name}: {status}")))
    shown("purge.verifications", runs=[body_of(one) for one in ended])
    return worst(exit_code(one) for one in ended)


@click.group()
def hold() -> None:
    """Legal holds: sessions that `memory forget` refuses. They are kept in the purge's home, not with the host."""


@hold.command("add")
@click.argument("session")
@click.option("--reason", required=True, help="A code; it stands in plans, reports and receipts.")
@on_agent
def hold_add(agent: Agent, home: Home, session: str, reason: str) -> None:
    """Put a session, or all sessions of a key, under legal hold."""
    from forgetguard.adapters.openclaw import holds

    codes(operator=reason)
    shown("purge.hold", added=holds.hold(agent, home, session, reason))


@hold.command("remove")
@click.argument("session")
@on_agent
def hold_remove(agent: Agent, home: Home, session: str) -> None:
    """Lift a legal hold."""
    from forgetguard.adapters.openclaw import holds

    shown("purge.hold", removed=holds.release(agent, home, session))


@hold.command("list")
@on_agent
def hold_list(agent: Agent, home: Home) -> None:
    """Show the legal holds."""
    from forgetguard.adapters.openclaw import holds

    found = sorted(holds.holding(agent, home).holds().items())
    shown("purge.holds", holds=[{"sessionId": session, "reason": reason} for session, reason in found])


@click.group()
def tombstone() -> None:
    """Sessions that may not come back, in the host's own table."""


@tombstone.command("list")
@on_agent
def tombstone_list(agent: Agent, home: Home) -> None:
    """Show all tombstones."""
    del home
    from forgetguard.adapters.openclaw.lineage import HostLineage

    rows = [
        {"sessionId": one.session_id, "reason": one.reason, "createdAt": one.created_at}
        for one in HostLineage(agent).tombstones()
    ]
    shown("tombstones", tombstones=rows)


@tombstone.command("remove")
@click.argument("session")
@on_agent
def tombstone_remove(agent: Agent, home: Home, session: str) -> None:
    """Let a session be read again: the way back from a typo. What was purged does not come back by it."""
    del home
    from forgetguard.adapters.openclaw import unbury

    unbury(agent, session)
    shown("tombstone.remove", removed=1)
