"""Every agent of a state directory: one task an agent, in any executor, one report of all of them.

A value that one agent knows is known: the others bar nothing because of it. What goes wrong with one agent stands in
the report beside what the others did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

from forgetguard.adapters.openclaw.forget import SEVERITY, Outcome, Planned, forget, plan_forget, preview_forget
from forgetguard.adapters.openclaw.layout import State
from forgetguard.adapters.openclaw.sessions import resolve, roster
from forgetguard.errors import ForgetGuardError, NothingMatched
from forgetguard.purge import Home, Order, Selection
from forgetguard.purge.report import FAILED
from forgetguard.purge.run import code_of
from forgetguard.purge.surfaces.file_tools import folder_lock

OTHERS_SECONDS = 3600.0  # how long one agent's purge waits for the others'
Unknown = frozenset[tuple[str, str]]
T = TypeVar("T")


@dataclass(frozen=True)
class Task:
    """One agent's part, small enough to be sent to another process.

    `elsewhere`: selectors, with their value, that are unknown here and known to another agent.
    """

    state: State
    agent: str
    selection: Selection
    home: Home | None = None
    dry_run: bool = True
    codes: tuple[str, str, str] = ("", "", "")
    elsewhere: Unknown = frozenset()


def unknown_to(task: Task) -> Unknown | None:
    """The selectors that nothing of this agent answers to; None where the agent cannot be asked."""
    try:
        agent = task.state.agent(task.agent)
        return frozenset(resolve(replace(task.selection, union=True), roster(agent)).unmatched)
    except ForgetGuardError:
        return None  # its own task says why


def run_task(task: Task) -> Outcome:
    """One agent's preview or purge. Purges of one state directory take turns: each reads what the others write."""
    if task.dry_run or task.home is None:
        return preview_forget(_planned(task))
    with folder_lock(task.state.root, OTHERS_SECONDS):
        return forget(_planned(task), task.home, Order(*task.codes, wait=OTHERS_SECONDS))


def _planned(task: Task) -> Planned:
    agent = task.state.agent(task.agent)
    return plan_forget(agent, task.selection, home=task.home, elsewhere=task.elsewhere)


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
    """Every agent in one report: `{"agents": [...]}`. Purges of one home wait for each other.

    Raises NothingMatched when `strict` and a value is known to no agent; then nothing was written.
    """
    tasks = [Task(state, name, selection, home, dry_run, codes) for name in state.agent_ids()]
    with _pool(executor) as pool:
        told = [one if isinstance(one, frozenset) else None for one in _each(pool, unknown_to, tasks)]
        asked = [one for one in told if one is not None]
        nobodys: Unknown = frozenset.intersection(*asked) if asked else frozenset()
        if strict and nobodys:
            raise NothingMatched("a selector matches nothing, so nothing was written")
        tasks = [
            replace(task, elsewhere=(unknown or frozenset()) - nobodys)
            for task, unknown in zip(tasks, told, strict=True)
        ]
        outcomes = [
            one if isinstance(one, Outcome) else _failed(task.agent, one)
            for task, one in zip(tasks, _each(pool, run_task, tasks), strict=True)
        ]
    final = max((one.exit_code for one in outcomes), key=SEVERITY.index, default=SEVERITY[1])
    merged = {"schema": "forgetguard.memory.forget", "version": 1, "agents": len(outcomes), "exitCode": final}
    return Outcome({"dryRun": dry_run, "agents": [dict(one.body) for one in outcomes], "forgetguard": merged}, final)


@contextmanager
def _pool(given: Executor | None) -> Iterator[Executor]:
    if given is not None:
        yield given
        return
    with ProcessPoolExecutor() as pool:
        yield pool


def _each(pool: Executor, work: Callable[[Task], T], tasks: Sequence[Task]) -> list[T | Exception]:
    """What each task came to. One that fails, or whose process is killed, must not take the others' reports with it."""
    found: list[T | Exception] = []
    for future in [pool.submit(work, task) for task in tasks]:
        try:
            found.append(future.result())
        except Exception as error:  # noqa: BLE001 - whatever it was, the others have something to report
            found.append(error)
    return found


def _failed(agent: str, error: object) -> Outcome:
    code = FAILED
    told = {"code": "failed", "message": "the agent's purge ended with an error", "advice": "Repeat it for this agent."}
    if isinstance(error, ForgetGuardError):
        code, told = error.exit_code, {"code": error.code, "message": str(error), "advice": error.advice}
    elif isinstance(error, Exception):
        told["code"] = code_of(error)
    return Outcome({"agentId": agent, "forgetguard": {"error": told, "exitCode": code}}, code)
