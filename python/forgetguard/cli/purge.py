"""purge and tombstone. Parse, call `forgetguard.purge`, print: JSON on stdout, progress on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from forgetguard.cli.console import tell
from forgetguard.cli.purging import Place, place, selectors, show, shown
from forgetguard.cli.receipts import receipts
from forgetguard.errors import InvalidInput, NothingMatched, Refused
from forgetguard.purge import (
    Host,
    Order,
    Plan,
    Selection,
    apply,
    close,
    look_again,
    look_at_structure,
    make_plan,
    preview,
    read_plan,
    write_plan,
)
from forgetguard.purge.receipts import codes
from forgetguard.purge.report import CANNOT_PROVE, DONE, FAILED, REFUSED, body_of, exit_code, worst
from forgetguard.purge.verify import Verdict

__all__ = ["purge", "receipts", "tombstone"]

_VERDICTS = {Verdict.CLEAN: DONE, Verdict.RESIDUE: FAILED, Verdict.CANNOT_PROVE: CANNOT_PROVE}


@click.group()
def purge() -> None:
    """Delete every memory of a session, a person or a source, and prove it."""


@purge.command()
@place
def init(here: Place) -> None:
    """Make the operator's key, which seals the journal and signs receipts. An existing one stays."""
    made = here.home.make_key()
    operator = here.home.operator()
    shown("purge.init", created=made, keyFile=str(here.home.key_file), publicKey=operator.public_key.hex())


@purge.command()
@click.option("--out", type=click.Path(path_type=Path), help="Write the plan to a new file, 0600.")
@selectors
@place
def plan(here: Place, selection: Selection | None, out: Path | None) -> None:
    """Say what a purge would do. Nothing is changed anywhere."""
    host = here.recorded()
    operator = here.home.operator() if out is not None else None
    made = make_plan(host, _needed(selection), operator, tell)
    if out is not None and operator is not None:
        write_plan(out, made, operator)
    show(_previewed(host, made))


def _previewed(host: Host, made: Plan) -> dict[str, object]:
    return {"schema": "forgetguard.purge.report", "version": 1, **preview(host, made)}


def _needed(selection: Selection | None) -> Selection:
    return Selection() if selection is None else selection  # raises: a purge needs a selector


@purge.command("apply")
@click.option("--plan", "planned", type=click.Path(path_type=Path), help="A plan that `purge plan --out` wrote.")
@click.option("--yes", is_flag=True, help="Do it.")
@click.option("--operator", default="", help="Who, as a code for the receipt.")
@click.option("--basis", default="", help="On what legal or other basis, as a code.")
@click.option("--request-id", default="", help="Of what request, as a code.")
@click.option("--suppress", multiple=True, help="Entry key whose text the owner's ledger should record too.")
@click.option("--wait", type=float, default=30.0, show_default=True, help="Seconds to wait for another purge.")
@selectors
@place
def apply_(
    here: Place,
    selection: Selection | None,
    planned: Path | None,
    yes: bool,
    operator: str,
    basis: str,
    request_id: str,
    suppress: tuple[str, ...],
    wait: float,
) -> int:
    """Purge what a plan, or the selectors, name. Run again, it finishes what was cut short."""
    host = here.recorded()
    if (planned is None) == (selection is None):
        raise InvalidInput("give either selectors or --plan")
    codes(operator, basis, request_id)
    made = (
        make_plan(host, _needed(selection), tell=tell) if planned is None else read_plan(planned, here.home.operator())
    )
    if not (yes or _agreed(host, made)):
        tell("nothing was changed; repeat with --yes")
        return REFUSED
    order = Order(
        operator, basis, request_id, _recorder(suppress), suppress, observe=_observed, progress=_progress, wait=wait
    )
    report = apply(host, made, here.home, order)
    show(report.as_json())
    return report.exit_code


def _agreed(host: Host, made: Plan) -> bool:
    """Ask at a terminal; without one, show the preview."""
    if made.survey is not None:
        show(_previewed(host, made))
    if not sys.stdin.isatty():
        return False
    return click.confirm(f"Purge {len(made.sessions)} session(s)? This cannot be undone.", err=True)


def _observed(name: str, status: str) -> None:
    tell(f"{name}: {status}")


def _progress(name: str, done: int, total: int) -> None:
    tell(f"{name}: {done} of {total}" if total else f"{name}: {done}" if done else name)


def _recorder(keys: Sequence[str]) -> Callable[[Sequence[tuple[str, str]]], None] | None:
    """Records texts in the owner's ledger; opened only when something is to be recorded."""
    if not keys:
        return None

    def record(entries: Sequence[tuple[str, str]]) -> None:
        from forgetguard.guard.settings import Settings

        with Settings.load().open_guard(strict=True) as guard:
            for _, text in entries:
                guard.forget(text, reason="purge")

    return record


@purge.command()
@selectors
@place
def verify(here: Place, selection: Selection | None) -> int:
    """Look for the bytes again.

    With selectors, after a clean purge: only the structure can be checked, and the answer is `cannot prove`.
    """
    host = here.recorded()
    if selection is not None:
        verification = look_at_structure(host, selection)
        shown("purge.verification", **verification.as_json())
        return _VERDICTS[verification.status]
    ended = look_again(host, here.home, Order(observe=_observed, progress=_progress))
    if not ended:
        raise NothingMatched("no purge is unproven", advice="Name selectors to check the structure once more.")
    shown("purge.verifications", runs=[body_of(one) for one in ended])
    return worst(exit_code(one) for one in ended)


@purge.command("close")
@click.option("--yes", is_flag=True, help="Erase what is sealed.")
@place
def close_(here: Place, yes: bool) -> None:
    """Erase the sealed text of purges that are not clean. Nothing can be proved of them any more."""
    if not yes:
        raise Refused("what is sealed could not be looked for again", advice="If that is accepted, repeat with --yes.")
    shown("purge.close", closed=close(here.home))


@purge.group()
def hold() -> None:
    """Legal holds: sessions that a purge refuses."""


@hold.command("add")
@click.argument("session")
@click.option("--reason", required=True, help="A code; it stands in plans, reports and receipts.")
@place
def hold_add(here: Place, session: str, reason: str) -> None:
    """Put a session under legal hold."""
    codes(operator=reason)
    shown("purge.hold", added=here.store().hold([session], reason))


@hold.command("remove")
@click.argument("session")
@place
def hold_remove(here: Place, session: str) -> None:
    """Lift a legal hold."""
    if session not in here.store().holds() or not here.store().unhold(session):
        raise NothingMatched("this session is under no hold", advice="`forgetguard purge hold list` shows the holds.")
    shown("purge.hold", removed=1)


@hold.command("list")
@place
def hold_list(here: Place) -> None:
    """Show the legal holds."""
    found = sorted(here.store().holds().items())
    shown("purge.holds", holds=[{"sessionId": session, "reason": reason} for session, reason in found])


@click.group()
def tombstone() -> None:
    """Sessions that may not come back."""


@tombstone.command("list")
@place
def tombstone_list(here: Place) -> None:
    """Show all tombstones."""
    found = here.store().tombstones()
    rows = [{"sessionId": one.session_id, "reason": one.reason, "createdAt": one.created_at} for one in found]
    shown("tombstones", tombstones=rows)


@tombstone.command("remove")
@click.argument("session")
@place
def tombstone_remove(here: Place, session: str) -> None:
    """Let a session be read again: the way back from a typo. What was purged does not come back by it."""
    if not here.store().unbury(session):
        raise NothingMatched("this session has no tombstone", advice="`forgetguard tombstone list` shows them.")
    shown("tombstone.remove", removed=1)
