"""The public surface: explicit, complete, lazy."""

from __future__ import annotations

import subprocess
import sys

import forgetguard

SUBMODULES = {"errors", "values", "keys", "rules", "ledger", "embedder", "provenance", "guard", "purge", "hooks"}
SUBMODULES |= {"cli", "demo", "adapters", "version", "directories"}


def test_all_is_the_public_surface():
    for name in forgetguard.__all__:
        assert getattr(forgetguard, name) is not None
    public = {name for name in vars(forgetguard) if not name.startswith("_")} - SUBMODULES
    public -= {"annotations", "import_module", "TYPE_CHECKING", "VERSION"}
    assert public <= set(forgetguard.__all__)
    assert dir(forgetguard) == sorted(forgetguard.__all__)
    assert set(forgetguard._HOME) | {"__version__"} == set(forgetguard.__all__)


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(forgetguard, "nothing")


def test_the_guard_brings_in_nothing_that_waits():
    heavy = ("asyncio", "click", "numpy", "onnxruntime")
    code = f"import forgetguard.hooks, sys; print(*(name for name in {heavy} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []
