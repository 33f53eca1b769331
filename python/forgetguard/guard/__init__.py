"""The guard: rules and ledger behind one object."""

from __future__ import annotations

from forgetguard.guard.core import ForgetGuard
from forgetguard.guard.forgetting import Forgetting
from forgetguard.guard.policy import Policy
from forgetguard.guard.reembedding import Reembedded
from forgetguard.guard.verdicts import (
    HOLD_UNRECORDED,
    NOTE,
    PASSES,
    Cut,
    Decision,
    Filtered,
    Finding,
    Forgot,
    GuardStatus,
    Remembered,
    Scrubbed,
    ScrubbedTree,
    Use,
    Verdict,
)

__all__ = [
    "HOLD_UNRECORDED",
    "NOTE",
    "PASSES",
    "Cut",
    "Decision",
    "Filtered",
    "Finding",
    "ForgetGuard",
    "Forgetting",
    "Forgot",
    "GuardStatus",
    "Policy",
    "Reembedded",
    "Remembered",
    "Scrubbed",
    "ScrubbedTree",
    "Use",
    "Verdict",
]
