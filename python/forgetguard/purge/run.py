"""One attempt at a run: the steps of a purge in their order, each journaled, each safe to do again."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace

from forgetguard.errors import ForgetGuardError, NothingMatched
from forgetguard.purge import receipts
from forgetguard.purge.host import Host
from forgetguard.purge.journal import Journal, JournalFailed, Observer, Outcome, Run, RunState, Step, StepStatus
from forgetguard.purge.operator import Home
from forgetguard.purge.plan import Plan, describe
from forgetguard.purge.receipts import Receipt
from forgetguard.purge.selection import Resolution
from forgetguard.purge.state import Knowledge
from forgetguard.purge.surfaces.protocol import Artefact, Finding, Standing, Surface, Targets
from forgetguard.purge.survey import Survey, survey
from forgetguard.purge.verify import Verdict, Verification, verify

TOUCHED_AT_ONCE = 200  # files between two words of progress
Suppress = Callable[[Sequence[tuple[str, str]]], None]
Progress = Callable[[str, int, int], None]
_SUBJECTS = {
    "sessions": "session",
    "participants": "participant",
    "hook_sources": "hook-source",
    "channels": "channel",
    "chat_types": "chat-type",
    "origin_classes": "origin-class",
}


@dataclass(frozen=True)
class Order:
    """What was asked for beside the plan. `suppress` records the texts of `suppress_keys` in the owner's ledger.

    `operator`, `basis` and `request_id` are codes for the receipt. `observe` hears of each step once it is durable,
    `progress` of what goes on within one. `wait` is how long to wait for another purge, in seconds.
    """

    operator: str = ""
    basis: str = ""
    request_id: str = ""
    suppress: Suppress | None = None
    suppress_keys: tuple[str, ...] = ()
    observe: Observer | None = None
    progress: Progress | None = None
    wait: float = 30.0


@dataclass(frozen=True)
class Ended:
    """How an attempt ended: steps of all attempts, what looking again found, the receipt, the run's new state."""

    run: Run
    state: RunState
    knowledge: Knowledge
    steps: tuple[Step, ...] = ()
    verification: Verification | None = None
    receipt: Receipt | None = None
    failures: dict[str, str] = field(default_factory=dict)


class Attempt:
    """One attempt. `start` begins a run from a plan, `resume` goes on with what the journal holds."""

    def __init__(self, host: Host, journal: Journal, home: Home, order: Order, run: Run) -> None:
        self.host = host
        self.journal = journal
        self.home = home
        self.order = order
        self.run = run
        self.known = Knowledge(journal, run)
        self.matches = Resolution()  # who was matched, as the plan says
        self.failures: dict[str, str] = {}  # step -> code
        self.receipts_altered = False  # the chain does not hold the pinned head
        self.later: list[tuple[str, Finding]] = []  # what this attempt could not do and the next may

    def start(self, plan: Plan) -> Ended:
        """The first attempt at a new run."""
        self.matches = plan.resolution

        def begin() -> Ended:
            with self._step("prepare"):
                self.known.begin(plan)
            return self._carry_out()

        return self._told(begin)

    def resume(self) -> Ended:
        """Another attempt at a run that was cut short, or was not clean."""
        if not self.known.is_ready():  # killed before it had begun: the host was not touched
            self.journal.finish(self.run, RunState.CLOSED)
            return Ended(self.run, RunState.CLOSED, self.known, tuple(self.journal.steps(self.run)))
        self.known.load()
        self.run = self.known.run = self.journal.again(self.run)
        return self._told(self._carry_out)

    def look(self) -> Ended:
        """Look for the bytes again and erase nothing; a run that has no step left becomes clean if it is."""
        self.known.load()
        if self.run.state is RunState.UNPROVEN:
            self.run = self.known.run = self.journal.again(self.run)
            return self._told(self._conclude)
        verification = verify(self.host, self._everything(), self.known.findings, self._tell)
        steps = tuple(self.journal.steps(self.run))
        return Ended(self.run, RunState.OPEN, self.known, steps, verification, None, {"finish": "purge-open"})

    def _told(self, work: Callable[[], Ended]) -> Ended:
        """The attempt, with a report also where the journal itself failed: then nothing more was done."""
        try:
            return work()
        except JournalFailed as error:
            self.failures.setdefault("journal", error.code)
        steps: tuple[Step, ...] = ()
        with suppress(JournalFailed):
            steps = tuple(self.journal.steps(self.run))
        return Ended(self.run, RunState.OPEN, self.known, steps, None, None, dict(self.failures))

    def _everything(self) -> Targets:
        known = self.known
        return Targets(known.ids, known.session_keys, frozenset(known.entries), known.all_needles())

    # -- the steps in their order

    def _carry_out(self) -> Ended:
        with self._step("tombstones") as outcome:
            self.known.withhold(self.host.lineage.holds())
            outcome.counts["tombstones"] = self.host.lineage.bury(sorted(self.known.ids))
        with ExitStack() as stack:
            if not self.failures:
                with self._step("lock"):
                    stack.enter_context(self.host.exclusive())
            if not self.failures:
                self._erase_all()
        return self._conclude()

    def _erase_all(self) -> None:
        targets = self._select()
        if targets is None:
            return
        self._suppress(targets)
        if self.failures:
            return  # a text that was to be recorded is not deleted unrecorded
        for surface in self.host.in_erasing_order():
            if not (surface.declares().evidence and self.failures):
                self._erase(surface, targets)
        if not self.failures:
            with self._step("origins") as outcome:
                outcome.counts["originRows"] = self.host.lineage.erase_origins(sorted(self.known.entries))

    def _select(self) -> Targets | None:
        with self._step("select") as outcome:
            known = self.known
            found = survey(self.host, known.ids, known.session_keys, known.all_needles(), self._look)
            known.learn(found, self._described(found))
            outcome.counts.update(artefacts=len(known.found), late=len(known.late))
            return Targets(known.ids, known.session_keys, frozenset(known.entries), found.targets.needles)
        return None

    def _described(self, found: Survey) -> dict[str, object]:
        resolution = replace(self.matches, sessions=self.known.sessions, held=self.known.held)
        return describe(self.host, resolution, found, found.counts())

    def _suppress(self, targets: Targets) -> None:
        keys = targets.entry_keys & frozenset(self.order.suppress_keys)
        if not keys or self.order.suppress is None or "suppress" in self._settled():
            return
        with self._step("suppress") as outcome:
            wanted = Targets(targets.sessions, targets.session_keys, keys)
            texts: dict[str, str] = {
                item.id: item.text
                for surface in self.host.surfaces
                for item in surface.find(wanted)
                if isinstance(item, Artefact) and item.id in keys and item.text
            }
            if texts.keys() != keys:  # erased by an earlier attempt, or it never had a text here
                raise NothingMatched("a memory to suppress has no text any more")
            self.order.suppress(tuple(sorted(texts.items())))
            outcome.counts["entries"] = len(texts)

    def _erase(self, surface: Surface, targets: Targets) -> None:
        name = f"erase:{surface.name}"
        if name in self._settled() and not self._lies_there(surface, targets):
            return
        begun = any(step.name == name for step in self.journal.steps(self.run))
        with self._step(name) as outcome:
            erased = surface.erase(targets, _Work(self, surface.name, begun))
            outcome.counts.update(erased.counts)
            self.known.report((surface.name, one) for one in erased.findings)
            again = [(surface.name, one) for one in erased.findings if one.retry]
            if again:
                outcome.status = StepStatus.INCOMPLETE
                self.later += again

    def _lies_there(self, surface: Surface, targets: Targets) -> bool:
        return any(isinstance(item, Artefact) for item in surface.find(targets))

    def _settled(self) -> set[str]:
        last = {step.name: step.status for step in self.journal.steps(self.run)}
        return {name for name, status in last.items() if status is StepStatus.DONE}

    # -- the end of an attempt

    def _conclude(self) -> Ended:
        known = self.known
        verification = None
        with self._step("verify") as outcome:
            verification = verify(self.host, self._everything(), [*known.findings, *self.later], self._tell)
            outcome.counts["findings"] = sum(one.standing is not Standing.RETAINED for _, one in verification.findings)
        clean = not self.failures and verification is not None and verification.status is Verdict.CLEAN
        state = RunState.OPEN if self.failures else RunState.CLEAN if clean else RunState.UNPROVEN
        receipt = None
        with self._step("receipt"):
            receipt = self._receipt(verification)
        if "receipt" in self.failures:
            state = RunState.OPEN
        elif self.receipts_altered:  # nothing is left to do for this run, and it must not end in silence
            self.failures["receipt"] = "receipts-altered"
        steps = tuple(self.journal.steps(self.run))
        self.journal.finish(self.run, state)
        return Ended(self.run, state, known, steps, verification, receipt, dict(self.failures))

    def _tell(self, surface: str) -> None:
        self._look(f"verify:{surface}")

    def _look(self, what: str) -> None:
        if self.order.progress is not None:
            self.order.progress(what, 0, 0)

    def _receipt(self, verification: Verification | None) -> Receipt:
        connection = self.journal.connection
        content = receipt_content(self.run, self.known, self.journal.steps(self.run), verification, self.failures)
        newest = receipts.newest(connection, self.run.id)
        if newest is not None and content.items() <= newest.as_json().items():
            receipt = newest  # killed between this and the end of the step, or nothing new to say
        else:
            with self.journal.writing():
                subjects = [("agent", self.host.lineage.agent_id), *receipt_subjects(self.known)]
                receipt = receipts.append(connection, self.journal.operator, self.run.id, content, subjects)
        self.receipts_altered = not receipts.pin(self.home.head, connection, receipt)
        return receipt

    @contextmanager
    def _step(self, name: str) -> Iterator[Outcome]:
        """A journaled step; what goes wrong is kept as a code, so that a report still comes out.

        A journal that fails ends the attempt.
        """
        try:
            with self.journal.step(self.run, name) as outcome:
                yield outcome
        except JournalFailed as error:
            self.failures[name] = error.code
            raise
        except Exception as error:  # noqa: BLE001 - a surface may be anybody's: its error's text is no concern of a report
            self.failures[name] = code_of(error)


def code_of(error: Exception) -> str:
    """A stable code for a failure; never its text, which may quote a path or a row."""
    if isinstance(error, ForgetGuardError):
        return error.code
    if isinstance(error, OSError) and error.errno is not None:
        return errno.errorcode.get(error.errno, "OSERROR").lower()
    return str(getattr(error, "sqlite_errorname", type(error).__name__)).lower().replace("_", "-")


def receipt_subjects(known: Knowledge) -> list[tuple[str, str]]:
    """(kind, value) of every session that went and every selector that named it."""
    named = [(_SUBJECTS[name], value) for name, value in known.selectors]
    return [*(("session", one.session_id) for one in known.sessions), *named]


def receipt_content(
    run: Run,
    known: Knowledge,
    steps: Sequence[Step],
    verification: Verification | None,
    failures: Mapping[str, str],
) -> dict[str, object]:
    """What a receipt says, without subjects: codes and counts."""
    refused = Counter((str(one["kind"]), str(one["reason"])) for one in known.description.get("refusals", ()))
    findings = () if verification is None else verification.findings
    told = Counter((surface, one.standing.value, one.code) for surface, one in findings)
    erased: dict[str, dict[str, int]] = {}
    for step in steps:
        total = erased.setdefault(step.name, {})
        for kind, count in step.counts.items():
            total[kind] = (
                total.get(kind, 0) + count if step.name.startswith("erase:") else max(count, total.get(kind, 0))
            )
    return {
        **run.codes,
        "kind": "purge",
        "result": "failed" if failures else "failed" if verification is None else verification.status.value,
        "failures": dict(sorted(failures.items())),
        "sessions": len(known.sessions),
        "entries": len(known.entries),
        "late": len(known.late),
        "found": known.counts(),
        "erased": {name.removeprefix("erase:"): kinds for name, kinds in erased.items() if name.startswith("erase:")},
        "originRows": erased.get("origins", {}).get("originRows", 0),
        "tombstones": erased.get("tombstones", {}).get("tombstones", 0),
        "surfaces": known.description.get("surfaces", []),
        "notCovered": known.description.get("notCovered", []),
        "refusals": [
            {"kind": kind, "reason": reason, "count": count} for (kind, reason), count in sorted(refused.items())
        ],
        "verification": [
            {"surface": surface, "standing": standing, "code": code, "count": count}
            for (surface, standing, code), count in sorted(told.items())
        ],
    }


class _Work:
    """What a surface tells while it erases."""

    def __init__(self, attempt: Attempt, surface: str, resumed: bool) -> None:
        self._attempt = attempt
        self._surface = surface
        self._resumed = resumed
        self._touched = 0

    @property
    def resumed(self) -> bool:
        return self._resumed

    def saw(self, artefacts: Iterable[Artefact]) -> None:
        self._attempt.known.saw(self._surface, artefacts)

    def touching(self, place: str, prehash: bytes) -> None:
        self._attempt.journal.seal(self._attempt.run, "file", [self._surface, place, prehash.hex()], durable=False)
        self._touched += 1
        if self._touched % TOUCHED_AT_ONCE == 0:
            self.progress(self._touched, 0)

    def progress(self, done: int, total: int) -> None:
        if self._attempt.order.progress is not None:
            self._attempt.order.progress(self._surface, done, total)
