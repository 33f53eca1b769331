"""Forgetting on a state directory: plan, preview, purge, for one agent.

    plan_forget(agent, selection)     what a purge would do; leaves no trace
    preview_forget(planned)           its report
    forget(planned, home, order)      do it

Every report has the host's keys and an exit code: 0 done, 1 residue or failed, 3 cannot prove, 4 refused, 5 when an id
or a value was known to nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from forgetguard.adapters.openclaw import locks
from forgetguard.adapters.openclaw.holds import holding
from forgetguard.adapters.openclaw.hosting import Hosted, hosted
from forgetguard.adapters.openclaw.layout import TESTED_RELEASES, Agent
from forgetguard.adapters.openclaw.report import report
from forgetguard.adapters.openclaw.sessions import resolve, roster, unjudged, withheld, without
from forgetguard.errors import NothingMatched, Refused
from forgetguard.purge import Home, Operator, Order, Plan, Selection, apply, plan_for, preview
from forgetguard.purge.report import CANNOT_PROVE, DONE, FAILED, REFUSED
from forgetguard.purge.selection import Resolution

USAGE, NOTHING = 2, 5
SEVERITY = (DONE, NOTHING, USAGE, REFUSED, CANNOT_PROVE, FAILED)  # exit codes: of several, the one that says most


@dataclass(frozen=True)
class Planned:
    """A plan with the host that it was made on. `unjudged`: archives of which a wide selector cannot say a thing.

    `elsewhere`: another agent knows what nobody knows here.
    """

    hosted: Hosted
    plan: Plan
    unjudged: tuple[str, ...] = ()
    elsewhere: bool = False

    @property
    def unknown(self) -> tuple[tuple[str, str], ...]:
        """Selectors that nothing answers to."""
        return self.plan.resolution.unmatched


@dataclass(frozen=True)
class Outcome:
    """A report and the exit code that goes with it."""

    body: Mapping[str, Any] = field(repr=False)
    exit_code: int = DONE


def plan_forget(
    agent: Agent,
    selection: Selection,
    operator: Operator | None = None,
    *,
    home: Home | None = None,
    strict: bool = False,
    elsewhere: frozenset[tuple[str, str]] = frozenset(),
) -> Planned:
    """Resolve and look, touching nothing. Raises NothingMatched when `strict` and a value is unknown.

    `home`: where legal holds are kept; `forget` asks its own in any case. `elsewhere`: selectors that another agent
    knows; where they are unknown here, that bars nothing.
    """
    selection = replace(selection, union=True, allow_unresolved=True)
    known = roster(agent)
    resolution = without(resolve(selection, known), elsewhere)
    if strict and resolution.unmatched:
        raise NothingMatched("a selector matches nothing, so nothing was written")
    left = unjudged(selection, known, resolution.ids)
    return replace(planned(agent, selection, resolution, left, operator, home), elsewhere=bool(elsewhere))


def planned(
    agent: Agent,
    selection: Selection,
    resolution: Resolution,
    left: tuple[str, ...],
    operator: Operator | None = None,
    home: Home | None = None,
) -> Planned:
    """The plan of what was resolved, but for sessions under legal hold."""
    made = hosted(agent, len(left), home)
    resolution = withheld(resolution, made.host.lineage.holds())
    return Planned(made, plan_for(made.host, selection, resolution, operator), left)


def preview_forget(made: Planned) -> Outcome:
    """What `forget` would report."""
    body = preview(made.hosted.host, made.plan)
    return _outcome(made, body, DONE, dry_run=True, result="preview")


def forget(made: Planned, home: Home, order: Order | None = None) -> Outcome:
    """Purge what the plan names. Raises Refused before a byte is written."""
    locks.check(made.hosted.agent)
    made = _held_at(made, home)
    if not made.plan.sessions and made.plan.resolution.held:
        raise Refused(
            "every selected session is under legal hold",
            code="legal-hold",
            advice="Nothing was changed. `forgetguard memory hold list` shows the holds.",
        )
    if not made.plan.sessions:
        return _outcome(made, preview(made.hosted.host, made.plan), DONE, dry_run=False, result="nothing-to-do")
    done = apply(made.hosted.host, made.plan, home, order)
    body = done.as_json()
    if _is_repeat(made.plan):
        shown = preview(made.hosted.host, made.plan)
        body = {**body, **{key: shown[key] for key in ("entryKeys", "mixedLineageEntryKeys", "artifacts")}}
    return _outcome(made, body, done.exit_code, dry_run=False)


def _held_at(made: Planned, home: Home) -> Planned:
    """The same with the legal holds of this home."""
    agent = made.hosted.agent
    holds = {} if made.hosted.home == home else holding(agent, home).holds()
    if not holds:
        return made
    resolution = withheld(made.plan.resolution, holds)
    again = hosted(agent, len(made.unjudged), home)
    return replace(made, hosted=again, plan=replace(made.plan, resolution=resolution))


def _is_repeat(plan: Plan) -> bool:
    """Whether nothing lay there any more: then an earlier run's counts belong to that run, not to this one."""
    return plan.survey is not None and not plan.survey.found and not plan.survey.targets.entry_keys


def _outcome(made: Planned, body: Mapping[str, Any], code: int, *, dry_run: bool, **ours: object) -> Outcome:
    codes = [code]
    if made.unjudged:
        codes.append(CANNOT_PROVE)
        if not dry_run and code == DONE:
            ours["result"] = "cannot-prove"
    if made.unknown or not (made.plan.sessions or made.elsewhere):
        codes.append(NOTHING)
    final = max(codes, key=SEVERITY.index)
    text = report(
        made.hosted, made.plan, body, dry_run=dry_run,
        unknown=[{"selector": name, "value": value} for name, value in made.unknown],
        unjudgedArchives=list(made.unjudged), testedReleases=list(TESTED_RELEASES), **{**ours, "exitCode": final},
    )  # fmt: skip
    return Outcome(text, final)


def from_plan(agent: Agent, plan: Plan, home: Home | None = None) -> Planned:
    """A plan that was read from a file, on its agent; what its sessions left since then is found as well."""
    left = unjudged(plan.selection, roster(agent), plan.resolution.ids)
    made = planned(agent, plan.selection, plan.resolution, left, home=home)
    return Planned(made.hosted, replace(made.plan, id=plan.id, digests=plan.digests, key=None, host=plan.host), left)
