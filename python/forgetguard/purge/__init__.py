"""Deletion after the fact: select, plan, apply, verify, and a receipt for it."""

from __future__ import annotations

from forgetguard.purge.apply import apply, close, look_again, look_at_structure, resume
from forgetguard.purge.config import host_of, read_host, recorded
from forgetguard.purge.host import Host, Lineage
from forgetguard.purge.operator import Home, Operator
from forgetguard.purge.plan import Plan, make_plan, plan_for, preview, read_plan, write_plan
from forgetguard.purge.report import Report
from forgetguard.purge.run import Order
from forgetguard.purge.selection import Selection
from forgetguard.purge.verify import Verdict, Verification

__all__ = [
    "Home",
    "Host",
    "Lineage",
    "Operator",
    "Order",
    "Plan",
    "Report",
    "Selection",
    "Verdict",
    "Verification",
    "apply",
    "close",
    "host_of",
    "look_again",
    "look_at_structure",
    "make_plan",
    "plan_for",
    "preview",
    "read_host",
    "read_plan",
    "recorded",
    "resume",
    "write_plan",
]
