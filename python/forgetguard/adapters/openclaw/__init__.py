"""OpenClaw: memory forget on a state directory, with proof. Needs the extra `openclaw`.

Measured on the released program; docs/hosts/openclaw.md says what each surface erases, reports and does not cover.
"""

from __future__ import annotations

from forgetguard.adapters.openclaw.agents import forget_all
from forgetguard.adapters.openclaw.forget import (
    Outcome,
    Planned,
    forget,
    from_plan,
    plan_forget,
    preview_forget,
)
from forgetguard.adapters.openclaw.layout import Agent, State
from forgetguard.adapters.openclaw.verifying import unbury, verify_open, verify_structure

__all__ = [
    "Agent",
    "Outcome",
    "Planned",
    "State",
    "forget",
    "forget_all",
    "from_plan",
    "plan_forget",
    "preview_forget",
    "unbury",
    "verify_open",
    "verify_structure",
]
