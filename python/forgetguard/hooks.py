"""What a host calls where its memory is written: extraction, debrief (summaries), remember.

The hooks decide nothing themselves. They ask whether the session may be read, ask the guard, and keep for the owner
what was not stored; `publish` then asks again and records where memories came from, inside the host's own write.

1. Nothing is lost in silence: what is dropped or held goes to the owner's sealed review queue, or is counted.
2. A dropped UPDATE leaves its target alone: only what is in `store` is to be carried out. DELETE and no-op always pass.
3. Only `remember(..., explicit=True)` releases. A mirrored or automatic write never does.
4. Of a session that may not be read, nothing is stored and nothing is kept for review.
5. An unavailable ledger or provenance store is answered with an explicit block, not with an exception.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from forgetguard.errors import ForgetGuardError, InvalidInput
from forgetguard.guard import HOLD_UNRECORDED, Decision, ForgetGuard, Remembered, Scrubbed, Use, Verdict
from forgetguard.guard.policy import HoldSetting
from forgetguard.guard.reading import as_candidate, many
from forgetguard.guard.trees import scrub_tree
from forgetguard.guard.twins import twin
from forgetguard.guard.verdicts import Cut
from forgetguard.values import Candidate, Entry, Origin

if TYPE_CHECKING:
    from forgetguard.provenance import Admission, Purpose, Reservation, Session

log = logging.getLogger("forgetguard")


class Sessions(Protocol):
    """What the hooks ask of a provenance store (`forgetguard.provenance.ProvenanceStore` is one)."""

    def admit(self, session: Session, purpose: Purpose = ...) -> Admission: ...

    def publish(self, session_id: str, lineage: Mapping[str, Iterable[Origin]]) -> Reservation: ...


@dataclass(frozen=True, slots=True)
class Decided:
    """One candidate and what became of it. `recorded`: its owner can find it in the review queue."""

    candidate: Candidate = field(repr=False)
    action: Decision
    reason: str
    verdict: Verdict
    recorded: bool = False


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extraction may do. Carry out `store`, in order; try `deferred` again later; leave the rest.

    `refused`: why the session may not be read, as a code; then nothing of it is in any other field.
    """

    decisions: tuple[Decided, ...] = ()
    refused: str | None = None

    def _with(self, action: Decision) -> tuple[Candidate, ...]:
        return tuple(one.candidate for one in self.decisions if one.action is action)

    @property
    def store(self) -> tuple[Candidate, ...]:
        """The candidates to carry out."""
        return self._with(Decision.KEEP)

    @property
    def dropped(self) -> tuple[Candidate, ...]:
        """Restatements and deletion notes."""
        return self._with(Decision.DROP)

    @property
    def held(self) -> tuple[Candidate, ...]:
        """Likely restatements, kept for their owner."""
        return self._with(Decision.HOLD)

    @property
    def deferred(self) -> tuple[Candidate, ...]:
        """Undecided: the ledger is unavailable. For the host's retry queue."""
        return self._with(Decision.DEFER)


@dataclass(frozen=True, slots=True)
class Debrief:
    """A summary as it may be stored. `text` (or `value`, for a structure) is None where there is nothing to store.

    `removed` counts the clauses that were cut; `cuts` says where they stood in a text. `reason`: a code where the whole
    was withheld.
    """

    text: str | None = field(repr=False)
    value: object = field(default=None, repr=False)
    removed: int = 0
    reason: str = ""
    degraded: bool = False
    cuts: tuple[Cut, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to store."""
        return self.text is None and self.value is None


@dataclass(frozen=True, slots=True)
class Remembering:
    """Whether to store what was to be remembered.

    `release`: `done`, `none`, `pending` (see `Remembered`), or `never` for a mirrored write.
    """

    store: bool
    release: str
    entries: tuple[Entry, ...] = field(default=(), repr=False)
    decided: Decided | None = None
    refused: str | None = None


class Hooks:
    """The hooks of one guard. `sessions`: a provenance store, where sessions are to be asked for. Thread-safe."""

    def __init__(self, guard: ForgetGuard, *, sessions: Sessions | None = None) -> None:
        self.guard = guard
        self._sessions = sessions

    def extraction(
        self, candidates: Iterable[Candidate | str], *, session: Session | None = None, purpose: str = "ingestion"
    ) -> Extraction:
        """Decide on what automatic extraction, an import or a retry queue wants to write."""
        refused = self._refusal(session, purpose)
        if refused is not None:
            return Extraction(refused=refused)
        chosen = [as_candidate(one) for one in many(candidates)]
        verdicts = self.guard.filter(chosen).verdicts
        return Extraction(tuple(map(self._settled, chosen, verdicts)))

    def debrief(self, summary: object, *, session: Session | None = None, purpose: str = "ingestion") -> Debrief:
        """A summary (text, or a structure of dicts and lists) without the clauses that restate something forgotten."""
        refused = self._refusal(session, purpose)
        if refused is not None:
            return Debrief(None, reason=refused)
        if isinstance(summary, str):
            answer = self._scrubbed(summary)
            kept = None if answer.empty else answer.text
            return Debrief(kept, None, len(answer.removed), answer.reason, answer.degraded, answer.removed)
        tree = scrub_tree(summary, self._scrubbed)
        return Debrief(None, None if tree.empty else tree.value, tree.removed, "", tree.degraded)

    def remember(
        self, fact: Candidate | str, *, explicit: bool, session: Session | None = None, vector: object = None
    ) -> Remembering:
        """A write by the memory tool. `explicit`: the user asked for it, in so many words, now.

        Explicit: every entry that it restates is released; store it, before any duplicate check. Otherwise (mirrored
        from another store, written by the agent of its own accord) it is decided like any automatic write.
        """
        if explicit:
            done: Remembered = self.guard.remember(fact, vector=vector)
            return Remembering(True, done.release, done.entries)
        answer = self.extraction([fact], session=session)
        if answer.refused is not None:
            return Remembering(False, "never", refused=answer.refused)
        decided = answer.decisions[0]
        return Remembering(decided.action is Decision.KEEP, "never", decided=decided)

    def publish(self, session: Session, lineage: Mapping[str, Iterable[Origin]]) -> Reservation | None:
        """Inside the host's write: ask again whether the session was forgotten meanwhile, and record the lineage.

        `lineage`: the host's key of each memory, with its origins. Raises Forgotten: roll the write back.
        """
        return self._store().publish(session.session_id, lineage)

    aextraction = twin(extraction)
    adebrief = twin(debrief)
    aremember = twin(remember)
    apublish = twin(publish)

    def _store(self) -> Sessions:
        if self._sessions is None:
            raise InvalidInput(
                "a session was given, but no provenance store",
                advice="Make the hooks with `Hooks(guard, sessions=ProvenanceStore(...))`.",
            )
        return self._sessions

    def _refusal(self, session: Session | None, purpose: str) -> str | None:
        """Why the session may not be read, or None."""
        if session is None:
            return None
        from forgetguard.provenance import Purpose

        store = self._store()
        try:
            answer = store.admit(session, Purpose(purpose))
        except ForgetGuardError as error:
            log.warning("admission cannot be asked: %s", error.code)
            return error.code
        return None if answer.allowed else answer.reason or "refused"

    def _settled(self, candidate: Candidate, verdict: Verdict) -> Decided:
        if verdict.action is Decision.DROP:
            return self._recorded(candidate, verdict)
        if verdict.action is not Decision.HOLD:
            return Decided(candidate, verdict.action, verdict.reason, verdict)
        setting = self._hold_setting(candidate, verdict)
        if setting == "keep":
            return Decided(candidate, Decision.KEEP, verdict.reason, verdict)
        if setting == "drop":
            return self._recorded(candidate, verdict, Decision.DROP)
        held = self._recorded(candidate, verdict)
        if held.recorded:
            return held
        return Decided(candidate, Decision(self.guard.policy.hold_unrecorded), HOLD_UNRECORDED, verdict)

    def _recorded(self, candidate: Candidate, verdict: Verdict, action: Decision | None = None) -> Decided:
        action = action or verdict.action
        return Decided(candidate, action, verdict.reason, verdict, self.guard.record(candidate, verdict, action))

    def _hold_setting(self, candidate: Candidate, verdict: Verdict) -> HoldSetting:
        try:
            return self.guard.policy.hold(candidate, verdict)
        except Exception as error:  # noqa: BLE001 - a host's callable raises what it likes; its message may quote the text
            log.warning("on_hold failed: %s", type(error).__name__)
            return "review"

    def _scrubbed(self, text: str) -> Scrubbed:
        answer = self.guard.scrub(text, use=Use.SUMMARY)
        for cut in answer.removed:
            verdict = Verdict(cut.action, cut.reason, cut.entry)
            self.guard.record(Candidate(text[cut.start : cut.end]), verdict)
        return answer
