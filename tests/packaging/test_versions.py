"""One version, said the same everywhere it must be written down."""

from __future__ import annotations

import os
import re
import tomllib

import pytest

from forgetguard.rules import _backend
from forgetguard.rules.version import RULES_VERSION
from forgetguard.version import VERSION


def test_the_package_version_is_one(checkout):
    pyproject = tomllib.loads((checkout / "pyproject.toml").read_text())
    workspace = tomllib.loads((checkout / "Cargo.toml").read_text())["workspace"]
    locked = tomllib.loads((checkout / "Cargo.lock").read_text())["package"]
    ours = {package["version"] for package in locked if package["name"].startswith("forgetguard-")}
    assert pyproject["project"]["version"] == workspace["package"]["version"] == VERSION
    assert ours == {VERSION}


def test_the_changelog_speaks_of_this_version(checkout):
    assert f"## {VERSION}" in (checkout / "CHANGELOG.md").read_text()


def test_the_rules_version_is_one(checkout):
    source = (checkout / "rust/core/src/version.rs").read_text()
    assert re.findall(r'RULES_VERSION: &str = "([^"]+)"', source) == [RULES_VERSION]
    assert _backend.rules_version() == RULES_VERSION


def test_the_built_core_says_the_same():
    if _backend.BACKEND != "native" and os.environ.get("FORGETGUARD_REQUIRE_NATIVE") != "1":
        pytest.skip("the rules run on Python here, and the native core is not required")
    from forgetguard.rules import _native

    assert (_native.__version__, _native.rules_version()) == (VERSION, RULES_VERSION)
    assert not _native.DEBUG_BUILD


def test_the_lowest_python_is_one(checkout):
    pyproject = tomllib.loads((checkout / "pyproject.toml").read_text())
    pyo3 = tomllib.loads((checkout / "Cargo.toml").read_text())["workspace"]["dependencies"]["pyo3"]
    assert pyproject["project"]["requires-python"] == ">=3.11"
    assert pyproject["tool"]["ruff"]["target-version"] == "py311"
    assert pyo3["features"] == ["abi3-py311"]
