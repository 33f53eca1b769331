"""Both implementations of the rules, for tests that ask each, or hold one against the other."""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType

import pytest

from forgetguard.rules import _python


def _core() -> ModuleType | None:
    try:
        return import_module("forgetguard.rules._native")
    except ModuleNotFoundError as error:
        if error.name != "forgetguard.rules._native" or os.environ.get("FORGETGUARD_REQUIRE_NATIVE") == "1":
            raise
        return None


NATIVE = _core()
IMPLEMENTATIONS = [
    pytest.param(_python, id="python"),
    pytest.param(NATIVE, id="native", marks=pytest.mark.skipif(NATIVE is None, reason="no native core here")),
]
