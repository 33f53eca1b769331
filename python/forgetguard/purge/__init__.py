"""Deletion after the fact: select, plan, apply, verify, and a receipt for it."""

from __future__ import annotations

from forgetguard.purge.apply import apply, close, resume
from forgetguard.purge.host import Host, Lineage
from forgetguard.purge.operator import Home, Operator
from forgetguard.purge.plan import Plan, make_plan, preview, read_plan, write_plan
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
    "make_plan",
    "preview",
    "read_plan",
    "resume",
    "write_plan",
]
