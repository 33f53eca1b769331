"""FORGETGUARD_BACKEND: which implementation runs, and what is refused. Played on a copy with a planted core."""

from __future__ import annotations

from pathlib import Path

import pytest

from forgetguard.rules.version import RULES_VERSION
from forgetguard.version import VERSION

ASK = """
from forgetguard.errors import BackendUnavailable
try:
    from forgetguard.rules import _backend
    print(_backend.BACKEND)
except BackendUnavailable as error:
    print(error.code, "|", error, "|", error.advice)
except ModuleNotFoundError as error:
    print("broken", error.name)
"""

CORE = """
__version__ = {!r}
def rules_version(): return {!r}
def __getattr__(name): return None  # every other name of the seam is there
"""


def _plant(tree: Path, source: str) -> None:
    (tree / "forgetguard/rules/_native.py").write_text(source)


@pytest.mark.parametrize("value", [None, "", "auto", "native"])
def test_a_good_core_is_taken(value, tree, run_python):
    _plant(tree, CORE.format(VERSION, RULES_VERSION))
    assert run_python(ASK, PYTHONPATH=str(tree), FORGETGUARD_BACKEND=value).stdout == "native\n"


def test_python_takes_the_twin_though_a_core_is_there(tree, run_python):
    _plant(tree, "raise RuntimeError('must not be imported')")
    assert run_python(ASK, PYTHONPATH=str(tree), FORGETGUARD_BACKEND="python").stdout == "python\n"


@pytest.mark.parametrize("value", [None, "auto"])
def test_without_a_core_auto_takes_the_twin(value, tree, run_python):
    assert run_python(ASK, PYTHONPATH=str(tree), FORGETGUARD_BACKEND=value).stdout == "python\n"


def test_without_a_core_native_is_refused(tree, run_python):
    answer = run_python(ASK, PYTHONPATH=str(tree), FORGETGUARD_BACKEND="native").stdout
    assert answer.startswith("backend-unavailable | the native core is not installed")


@pytest.mark.parametrize("value", ["Native", "rust", " auto"])
def test_an_unknown_value_is_refused(value, tree, run_python):
    answer = run_python(ASK, PYTHONPATH=str(tree), FORGETGUARD_BACKEND=value).stdout
    assert answer.startswith("backend-unavailable | FORGETGUARD_BACKEND is not one of")


@pytest.mark.parametrize("value", ["auto", "native"])
@pytest.mark.parametrize(
    "core", [CORE.format("0.0.1", RULES_VERSION), CORE.format(VERSION, "0"), "def rules_version(): return '1'"]
)
def test_a_core_of_another_build_is_refused(core, value, tree, run_python):
    _plant(tree, core)
    answer = run_python(ASK, PYTHONPATH=str(tree), FORGETGUARD_BACKEND=value).stdout
    assert answer.startswith("backend-stale | the native core was built for another version")
    assert "make native" in answer


def test_a_core_that_lacks_something_itself_is_broken_not_absent(tree, run_python):
    _plant(tree, "import a_module_that_is_not_there")
    assert run_python(ASK, PYTHONPATH=str(tree)).stdout == "broken a_module_that_is_not_there\n"
