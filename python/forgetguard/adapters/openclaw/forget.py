"""Forgetting on a state directory: plan, preview, purge, for one agent or all of them.

    plan_forget(agent, selection)                    what a purge would do; leaves no trace
    forget(agent, plan, home, order)                 do it
    forget_all(state, selection, ...)                every agent, each in its own process, one merged report

Every report has the host's keys and an exit code: 0 done, 1 residue or failed, 3 cannot prove, 4 refused, 5 when an id
or a value was known to nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from forgetguard.adapters.openclaw import locks
from forgetguard.adapters.openclaw.hosting import Hosted, hosted
from forgetguard.adapters.openclaw.layout import TESTED_RELEASES, Agent, State
from forgetguard.adapters.openclaw.report import report
from forgetguard.adapters.openclaw.sessions import resolve, unjudged
from forgetguard.errors import ForgetGuardError, NothingMatched
from forgetguard.purge import Home, Operator, Order, Plan, Selection, apply, plan_for, preview
from forgetguard.purge.report import CANNOT_PROVE, DONE, FAILED, REFUSED, worst
from forgetguard.purge.selection import Resolution, Source

NOTHING = 5
OTHERS_SECONDS = 3600.0  # how long one agent's purge waits for the others of the same home
_ORDER = (DONE, NOTHING, REFUSED, CANNOT_PROVE, FAILED)


@dataclass(frozen=True)
class Planned:
    """A plan with the host that it was made on. `unjudged`: archives of which a wide selector cannot say a thing."""

    hosted: Hosted
    plan: Plan
    unjudged: tuple[str, ...] = ()

    @property
    def unknown(self) -> tuple[tuple[str, str], ...]:
        """Selectors that nothing answers to."""
        return self.plan.resolution.unmatched


@dataclass(frozen=True)
class Outcome:
    """A report and the exit code that goes with it."""

    body: Mapping[str, object] = field(repr=False)
    exit_code: int = DONE


def plan_forget(
    agent: Agent, selection: Selection, operator: Operator | None = None, *, strict: bool = False
) -> Planned:
    """Resolve and look, touching nothing. Raises NothingMatched when `strict` and a value is unknown."""
    selection = replace(selection, union=True, allow_unresolved=True)
    roster = hosted(agent).roster()
    resolution = resolve(selection, roster)
    if strict and resolution.unmatched:
        raise NothingMatched("a selector matches nothing, so nothing was written")
    return planned(agent, selection, resolution, unjudged(selection, roster, resolution.ids), operator)


def planned(
    agent: Agent, selection: Selection, resolution: Resolution, left: tuple[str, ...], operator: Operator | None = None
) -> Planned:
    """The plan of what was resolved."""
    made = hosted(agent, len(left))
    return Planned(made, plan_for(made.host, selection, resolution, operator), left)


def preview_forget(made: Planned) -> Outcome:
    """What `forget` would report."""
    body = preview(made.hosted.host, made.plan)
    return _outcome(made, body, DONE, dry_run=True, result="preview")


def forget(made: Planned, home: Home, order: Order | None = None) -> Outcome:
    """Purge what the plan names. Raises Refused before a byte is written."""
    locks.check(made.hosted.agent)
    if not made.plan.sessions:
        return _outcome(made, preview(made.hosted.host, made.plan), DONE, dry_run=False, result="nothing-to-do")
    done = apply(made.hosted.host, made.plan, home, order)
    body = done.as_json()
    if _is_repeat(made.plan):
        shown = preview(made.hosted.host, made.plan)
        body = {**body, **{key: shown[key] for key in ("entryKeys", "mixedLineageEntryKeys", "artifacts")}}
    return _outcome(made, body, done.exit_code, dry_run=False)


def _is_repeat(plan: Plan) -> bool:
    """Whether nothing lay there any more: then an earlier run's counts belong to that run, not to this one."""
    return plan.survey is not None and not plan.survey.found and not plan.survey.targets.entry_keys


def _outcome(made: Planned, body: Mapping[str, Any], code: int, *, dry_run: bool, **ours: object) -> Outcome:
    codes = [code]
    if made.unjudged:
        codes.append(CANNOT_PROVE)
        if not dry_run and code == DONE:
            ours["result"] = "cannot-prove"
    if made.unknown or not made.plan.sessions:
        codes.append(NOTHING)
    final = max(codes, key=_ORDER.index)
    text = report(
        made.hosted, made.plan, body, dry_run=dry_run,
        unknown=[{"selector": name, "value": value} for name, value in made.unknown],
        unjudgedArchives=list(made.unjudged), testedReleases=list(TESTED_RELEASES), **{**ours, "exitCode": final},
    )  # fmt: skip
    return Outcome(text, final)


def from_plan(agent: Agent, plan: Plan) -> Planned:
    """A plan that was read from a file, on its agent; what its sessions left since then is found as well."""
    roster = hosted(agent).roster()
    left = unjudged(plan.selection, roster, plan.resolution.ids)
    made = planned(agent, plan.selection, plan.resolution, left)
    return Planned(made.hosted, replace(made.plan, id=plan.id, digests=plan.digests, key=None, host=plan.host), left)


# -- every agent


@dataclass(frozen=True)
class Task:
    """One agent's part, small enough to be sent to another process."""

    state: Path
    agent: str
    selection: Selection
    home: Path | None = None
    dry_run: bool = True
    strict: bool = False
    codes: tuple[str, str, str] = ("", "", "")


def run_task(task: Task) -> Outcome:
    """One agent's plan or purge; what goes wrong is in the report, so that the others' still come out."""
    try:
        made = plan_forget(State.at(task.state).agent(task.agent), task.selection, strict=task.strict)
        if task.dry_run or task.home is None:
            return preview_forget(made)
        operator, basis, request = task.codes
        return forget(made, Home(task.home), Order(operator, basis, request, wait=OTHERS_SECONDS))
    except ForgetGuardError as error:
        failed = {"code": error.code, "message": str(error), "advice": error.advice}
        return Outcome(
            {"agentId": task.agent, "forgetguard": {"error": failed, "exitCode": error.exit_code}}, error.exit_code
        )


def forget_all(
    state: State,
    selection: Selection,
    home: Home | None = None,
    *,
    dry_run: bool = True,
    strict: bool = False,
    codes: tuple[str, str, str] = ("", "", ""),
    executor: Executor | None = None,
) -> Outcome:
    """Every agent of the state directory, one a task, in one report: `{"agents": [...]}`.

    A value that any agent knows is known. Purges of one home wait for each other.
    """
    directory = None if home is None else home.directory
    tasks = [Task(state.root, name, selection, directory, dry_run, strict, codes) for name in state.agent_ids()]
    if executor is not None:
        outcomes = list(executor.map(run_task, tasks))
    else:
        with ProcessPoolExecutor() as pool:
            outcomes = list(pool.map(run_task, tasks))
    known = [one for one in outcomes if one.exit_code != NOTHING]
    final = max((one.exit_code for one in known or outcomes), key=_ORDER.index, default=NOTHING)
    merged = {"schema": "forgetguard.memory.forget", "version": 1, "agents": len(outcomes), "exitCode": final}
    return Outcome({"dryRun": dry_run, "agents": [dict(one.body) for one in outcomes], "forgetguard": merged}, final)


__all__ = ["Outcome", "Planned", "Source", "Task", "forget", "forget_all", "from_plan", "plan_forget", "preview_forget",
           "run_task", "worst"]  # fmt: skip
