"""The one place where an implementation of the rules is chosen: the native core or its Python twin.

FORGETGUARD_BACKEND is read once, at import:

    auto    (default) the native core where this wheel has one, else Python
    native  the native core, or BackendUnavailable
    python  the Python twin, even where the native core is installed

Guarantees: a native core that is there but broken is never taken for an absent one, and a core built for another
version of the package is refused. The names below are the whole surface that both implementations share.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Literal

from forgetguard.errors import BackendUnavailable
from forgetguard.rules.version import RULES_VERSION
from forgetguard.version import VERSION

VARIABLE = "FORGETGUARD_BACKEND"
_CORE = "forgetguard.rules._native"


def _choose(wanted: str) -> Literal["native", "python"]:
    if wanted not in ("auto", "native", "python"):
        raise BackendUnavailable(
            f"{VARIABLE} is not one of auto, native, python", advice=f"Unset {VARIABLE}, or set one of the three."
        )
    if wanted != "python" and _core_is_usable():
        return "native"
    if wanted == "native":
        raise BackendUnavailable("the native core is not installed")
    return "python"


def _core_is_usable() -> bool:
    """False where the core is absent. Raises BackendUnavailable for a stale one, and whatever a broken one raises."""
    try:
        core = import_module(_CORE)
    except ModuleNotFoundError as error:
        if error.name != _CORE:
            raise
        return False
    if (getattr(core, "__version__", None), core.rules_version()) != (VERSION, RULES_VERSION):
        raise BackendUnavailable(
            "the native core was built for another version of forgetguard",
            code="backend-stale",
            advice=f"Install forgetguard again (in a checkout: `make native`), or set {VARIABLE}=python.",
        )
    return True


BACKEND: Literal["native", "python"] = _choose(os.environ.get(VARIABLE) or "auto")
"""Which implementation of the rules runs."""

# The types are the twin's; `_native.pyi` is held against the core by stubtest, and against the twin by a test.
if TYPE_CHECKING or BACKEND == "python":
    from forgetguard.rules._python import (
        Index,
        cuts,
        explain,
        has_narrative,
        quantise,
        request_code,
        rules_version,
        sentences,
    )
else:
    from forgetguard.rules._native import (
        Index,
        cuts,
        explain,
        has_narrative,
        quantise,
        request_code,
        rules_version,
        sentences,
    )

__all__ = [
    "BACKEND",
    "Index",
    "cuts",
    "explain",
    "has_narrative",
    "quantise",
    "request_code",
    "rules_version",
    "sentences",
]
