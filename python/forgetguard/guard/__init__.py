"""The guard: rules and ledger behind one object."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from forgetguard.guard.core import ForgetGuard
from forgetguard.guard.forgetting import Forgetting
from forgetguard.guard.policy import Policy
from forgetguard.guard.verdicts import (
    HOLD_UNRECORDED,
    NOTE,
    PASSES,
    Cut,
    Decision,
    Filtered,
    Finding,
    Forgot,
    Remembered,
    Scrubbed,
    ScrubbedTree,
    Use,
    Verdict,
)

if TYPE_CHECKING:
    from forgetguard.guard.reembedding import Reembedded
    from forgetguard.guard.report import GuardStatus

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

_LATE = {"GuardStatus": "report", "Reembedded": "reembedding"}


def __getattr__(name: str) -> object:
    if name not in _LATE:
        raise AttributeError(f"module 'forgetguard.guard' has no attribute {name!r}")
    return getattr(import_module(f"forgetguard.guard.{_LATE[name]}"), name)
