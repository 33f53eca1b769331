"""Tests of a host run where its package is installed; elsewhere they are skipped as a whole, and it is said.

FORGETGUARD_REQUIRE_HOST=NAME (set by `make test-hosts`): a missing package is an error.
"""

from __future__ import annotations

import os
import runpy
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PACKAGES = {
    name: host.package for name, host in runpy.run_path(str(HERE.parents[1] / "scripts/test_hosts.py"))["HOSTS"].items()
}


class Absent(pytest.Module):
    """A test file whose host is not here; it is not imported."""

    def collect(self):
        host = _host(self.path)
        reason = f"{PACKAGES[host]} is not installed (make test-hosts installs it)"
        if os.environ.get("FORGETGUARD_REQUIRE_HOST") == host:
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason, allow_module_level=True)


def _host(path: Path) -> str | None:
    """The host that a test file is about; None for what is no host's."""
    name = path.relative_to(HERE).parts[0]
    return name if name in PACKAGES else None


def _installed(package: str) -> bool:
    try:
        return bool(version(package))
    except PackageNotFoundError:
        return False


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    host = _host(module_path)
    if host is None or _installed(PACKAGES[host]):
        return None
    return Absent.from_parent(parent, path=module_path)
