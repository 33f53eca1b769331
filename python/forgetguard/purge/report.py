"""The report of a purge: what was found, what was done by which attempt, what looking again found, as JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from forgetguard.purge.journal import RunState, Step, StepStatus
from forgetguard.purge.run import Ended
from forgetguard.purge.verify import Verdict

SCHEMA = "forgetguard.purge.report"
VERSION = 1
DONE, FAILED, CANNOT_PROVE, REFUSED = 0, 1, 3, 4
_REFUSED_CODES = frozenset({"refused", "legal-hold", "purge-busy", "workspace-busy", "host-busy", "host-running"})


@dataclass(frozen=True)
class Report:
    """`exit_code` is what the command line returns. `ended` is None when there was nothing left to do."""

    body: Mapping[str, object] = field(repr=False)
    exit_code: int = DONE
    ended: Ended | None = field(default=None, repr=False)

    def as_json(self) -> dict[str, object]:
        """The whole report."""
        return {"schema": SCHEMA, "version": VERSION, **self.body, "exitCode": self.exit_code}


def report_of(
    ended: Ended | None, resumed: Sequence[Ended] = (), nothing: Mapping[str, object] | None = None
) -> Report:
    """The report of one purge. `resumed` are runs that were finished first, `nothing` is what a repeat found."""
    before = [body_of(one) for one in resumed]
    if ended is None:
        body = {"dryRun": False, **(nothing or {}), "result": "nothing-to-do", "steps": [], "late": []}
        held = REFUSED if _holds(body) else DONE
        return Report({**body, "resumed": before}, worst([held, *(exit_code(one) for one in resumed)]))
    codes = [exit_code(one) for one in (ended, *resumed)]
    return Report({**body_of(ended), "resumed": before}, worst(codes), ended)


def body_of(ended: Ended) -> dict[str, object]:
    """What one run came to, over all its attempts."""
    known = ended.knowledge
    found = known.counts()
    named: Mapping[str, object] = known.description.get("artifacts", {})
    merged = {name: found.get(name, {}) for name in [*named, *(name for name in found if name not in named)]}
    return {
        "dryRun": False,
        **known.description,
        "sessions": [one.as_json() for one in known.sessions],
        "entryKeys": sorted(known.entries),
        "artifacts": merged,
        "late": known.late,
        "run": ended.run.id,
        "attempt": ended.run.attempt,
        "steps": [_step(step, ended.run.attempt) for step in ended.steps],
        "failures": [{"step": name, "code": code} for name, code in ended.failures.items()],
        "verification": None if ended.verification is None else ended.verification.as_json(),
        "receipt": None if ended.receipt is None else {"n": ended.receipt.n, "id": ended.receipt.as_json()["id"]},
        "result": result(ended),
    }


def _step(step: Step, attempt: int) -> dict[str, object]:
    interrupted = step.status is StepStatus.STARTED and step.attempt < attempt
    return {
        "name": step.name,
        "status": "interrupted" if interrupted else step.status.value,
        "counts": dict(step.counts),
        "attempt": step.attempt,
        "earlier": step.attempt < attempt,
    }


def result(ended: Ended) -> str:
    """`clean`, `residue`, `cannot-prove`, `failed` or `refused`."""
    if ended.failures:
        return "refused" if set(ended.failures.values()) <= _REFUSED_CODES else "failed"
    return "failed" if ended.verification is None else ended.verification.status.value


def worst(codes: Iterable[int]) -> int:
    """The code that says most against: failed or residue, then cannot prove, then refused."""
    return max(codes, key=(DONE, REFUSED, CANNOT_PROVE, FAILED).index, default=DONE)


def exit_code(ended: Ended) -> int:
    """Only clean is success, and a legal hold is no success. A run that was killed before it began did no harm."""
    if ended.state is RunState.CLOSED:
        return DONE
    told = result(ended)
    if told == "refused":
        return REFUSED
    if told in ("failed", Verdict.RESIDUE.value):
        return FAILED
    if told == Verdict.CANNOT_PROVE.value:
        return CANNOT_PROVE
    return REFUSED if _holds(ended.knowledge.description) else DONE


def _holds(body: Mapping[str, Any]) -> bool:
    """Whether something was refused to the purge, apart from places that it does not enter anyway."""
    return any(one["kind"] != "place" for one in body.get("refusals", ()))
