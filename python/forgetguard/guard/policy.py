"""What happens while the ledger is unavailable. It is never taken for an empty one.

automatic write     defer: not stored, to be retried (`on_defer="keep"` stores it, flagged)
summary             drop: the whole text is withheld
read                keep, flagged degraded
explicit remember   store; the release is pending and done at the next chance
forget              raise LedgerUnavailable: nothing was recorded, so the host must not delete
release, sweep      raise LedgerUnavailable
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from forgetguard.errors import InvalidInput
from forgetguard.guard.verdicts import Decision, Use, Verdict
from forgetguard.values import Candidate

HoldSetting = Literal["review", "keep", "drop"]
DeferSetting = Literal["block", "keep"]
UnrecordedSetting = Literal["keep", "drop"]
OnHold = HoldSetting | Callable[[Candidate, Verdict], HoldSetting]


@dataclass(frozen=True, slots=True)
class Policy:
    """A guard's settings for what is not sure.

    `on_hold`: a likely restatement goes to the review queue, is stored, or is dropped; a callable decides one by one.
    `hold_unrecorded`: what happens to it when the queue cannot keep it. `on_defer`: whether an automatic write is
    blocked or stored while the ledger is unavailable.
    """

    on_hold: OnHold = "review"
    on_defer: DeferSetting = "block"
    hold_unrecorded: UnrecordedSetting = "keep"

    def __post_init__(self) -> None:
        sound = (
            (callable(self.on_hold) or self.on_hold in get_args(HoldSetting))
            and self.on_defer in get_args(DeferSetting)
            and self.hold_unrecorded in get_args(UnrecordedSetting)
        )
        if not sound:
            raise InvalidInput("on_hold, on_defer or hold_unrecorded is not one of its settings")

    def unavailable(self, use: Use, code: str, text: str = "") -> Verdict:
        """The verdict while the ledger is unavailable for the reason `code`."""
        if use is Use.READ or (use is Use.WRITE and self.on_defer == "keep"):
            return Verdict(Decision.KEEP, code, degraded=True, text=text)
        action = Decision.DROP if use is Use.SUMMARY else Decision.DEFER
        return Verdict(action, code, degraded=True, text=text)

    def hold(self, candidate: Candidate, verdict: Verdict) -> HoldSetting:
        """The setting for one held candidate. Raises InvalidInput where a callable answers something else."""
        answer = self.on_hold(candidate, verdict) if callable(self.on_hold) else self.on_hold
        if answer not in get_args(HoldSetting):
            raise InvalidInput("on_hold answered neither review, keep nor drop")
        return answer
