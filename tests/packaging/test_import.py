"""Importing the package is quick and brings in nothing heavy; every module can be imported first."""

from __future__ import annotations

import os
import pkgutil
from pathlib import Path

import pytest

import forgetguard

LIMIT = 0.060
HEAVY = ("apsw", "asyncio", "click", "keyring", "mcp", "numpy", "onnxruntime", "sqlite_vec", "tokenizers", "zstandard")
PACKAGE = Path(forgetguard.__file__).parent

TIME = "import time; start = time.process_time(); import forgetguard; print(time.process_time() - start)"
LOADED = "import forgetguard, sys; print(*(name for name in {!r} if name in sys.modules))"


@pytest.fixture(params=["python", "native"])
def backend(request: pytest.FixtureRequest) -> str:
    built = any(path.suffix in (".so", ".pyd") for path in (PACKAGE / "rules").glob("_native*"))
    if request.param == "native" and not built and os.environ.get("FORGETGUARD_REQUIRE_NATIVE") != "1":
        pytest.skip("the native core is not built here")
    return str(request.param)


def test_the_import_takes_less_than_60_ms(backend, run_python):
    # Of its own work, and the quickest of several: the others measure what else the machine was doing.
    runs = [run_python(TIME, FORGETGUARD_BACKEND=backend, PYTHONPATH=str(PACKAGE.parent)) for _ in range(7)]
    assert min(float(run.stdout) for run in runs) < LIMIT


def test_the_import_loads_nothing_heavy(backend, run_python):
    done = run_python(LOADED.format(HEAVY), FORGETGUARD_BACKEND=backend, PYTHONPATH=str(PACKAGE.parent))
    assert (done.returncode, done.stdout.split()) == (0, []), done.stderr


def _modules() -> list[str]:
    found = pkgutil.walk_packages([str(PACKAGE)], "forgetguard.")
    # __main__ acts on import; the native core is the backend test's; an adapter may need a host that is not here.
    skipped = ("forgetguard.__main__", "forgetguard.rules._native")
    return [m.name for m in found if m.name not in skipped and not m.name.startswith("forgetguard.adapters")]


def test_every_module_can_be_the_first_one_imported(run_python):
    failed = {}
    for name in _modules():
        done = run_python(f"import {name}", PYTHONPATH=str(PACKAGE.parent))
        if done.returncode:
            failed[name] = done.stderr.strip().splitlines()[-1]
    assert failed == {}
