"""What every test run shares: the line that says what is tested, and hypothesis without a stopwatch."""

from __future__ import annotations

import sys

from hypothesis import settings

from forgetguard.rules import _backend

# A loaded machine is not a failed property; how fast the rules are is measured by `make bench`.
settings.register_profile("forgetguard", deadline=None)
settings.load_profile("forgetguard")


def pytest_report_header() -> str:
    return f"forgetguard: the rules run on the {_backend.BACKEND} implementation, {sys.executable}"
