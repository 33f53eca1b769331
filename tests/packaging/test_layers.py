"""The import contract holds, and it bites: proved by planting a violation in a copy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest


def _lint(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sysconfig.get_path("scripts"), "lint-imports"), "--no-cache"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "python")},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.fixture
def copy(tree: Path, checkout: Path) -> Path:
    shutil.copy(checkout / "pyproject.toml", tree.parent)
    return tree.parent


def test_the_contract_is_kept(copy):
    done = _lint(copy)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("errors.py", "from forgetguard import values"),
        ("values.py", "from forgetguard.rules import text"),
        ("rules/planted.py", "import forgetguard.ledger"),
        ("rules/planted.py", "def late():\n    import forgetguard.ledger"),
    ],
)
def test_an_import_that_goes_up_breaks_it(module, line, copy):
    path = copy / "python/forgetguard" / module
    ledger = copy / "python/forgetguard/ledger/__init__.py"
    ledger.parent.mkdir(exist_ok=True)
    ledger.touch()
    path.write_text((path.read_text() if path.exists() else "") + f"\n{line}\n")
    done = _lint(copy)
    assert done.returncode == 1
    assert "is not allowed to import" in done.stdout


def test_a_room_that_the_plan_does_not_know_breaks_it(copy):
    (copy / "python/forgetguard/utils.py").touch()
    done = _lint(copy)
    assert done.returncode == 1
    assert "utils" in done.stdout
