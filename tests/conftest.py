"""What every test run says about itself."""

from __future__ import annotations

import sys

from forgetguard.rules import _backend


def pytest_report_header() -> str:
    return f"forgetguard: the rules run on the {_backend.BACKEND} implementation, {sys.executable}"
