"""The build backend: a wheel with the native core where Rust can build it, a pure Python wheel where it cannot.

FORGETGUARD_BUILD chooses:

    auto    (default) try maturin; without cargo, or when the build fails, warn and build the pure wheel
    native  maturin or an error: what packagers and CI use, so that a missing core is never overlooked
    python  the pure wheel, whatever is installed

Both wheels offer the same API; which implementation runs is visible as `forgetguard.BACKEND`.

Guarantees: Rust is never downloaded behind the user's back; a core that an earlier in-place build left in the source
tree is packed into no wheel. There is no `prepare_metadata_*` hook on purpose: which wheel comes out is known only
after the build, and front ends read the metadata from the finished wheel when the hook is absent.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Any

VARIABLE = "FORGETGUARD_BUILD"
MODES = ("auto", "native", "python")
MATURIN = "maturin>=1.9.4,<2"

# Otherwise maturin would fetch a Rust toolchain where cargo is absent.
os.environ["MATURIN_NO_INSTALL_RUST"] = "1"

Settings = Mapping[str, Any] | None


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """hatchling's own requirements, and maturin where the native build will be tried."""
    return [*_hatchling("get_requires_for_build_wheel", config_settings), *_maturin_requirement()]


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """The same for an editable install."""
    return [*_hatchling("get_requires_for_build_editable", config_settings), *_maturin_requirement()]


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    """hatchling's own requirements: a source distribution needs no Rust."""
    _mode()
    requirements: list[str] = _hatchling("get_requires_for_build_sdist", config_settings)
    return requirements


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    """Build the wheel and return its file name."""
    return _build("build_wheel", wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Build the wheel of an editable install; a native core is put into the source tree itself."""
    mode = _mode()
    _remove_core_in_place()
    return _build("build_editable", wheel_directory, config_settings, metadata_directory, mode)


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Build the source distribution, which holds the Rust sources and every word table."""
    _mode()
    name: str = _hatchling("build_sdist", sdist_directory, config_settings)
    return name


def _mode() -> str:
    mode = os.environ.get(VARIABLE) or "auto"
    if mode not in MODES:
        raise SystemExit(f"{VARIABLE} is not one of {', '.join(MODES)}")
    return mode


def _maturin_requirement() -> list[str]:
    mode = _mode()
    wanted = mode == "native" or (mode == "auto" and shutil.which("cargo") is not None)
    return [MATURIN] if wanted else []


def _build(
    hook: str, directory: str, settings: Settings, metadata_directory: str | None, mode: str | None = None
) -> str:
    mode = mode or _mode()
    if mode != "python":
        reason = _why_not_native()
        if reason is None:
            try:
                return _maturin(hook, directory, settings, metadata_directory)
            except SystemExit:  # maturin's way of saying that its command failed; the command has printed why
                reason = "the Rust build failed (see above)"
        if mode == "native":
            raise SystemExit(f"{VARIABLE}=native: {reason}")
        print(
            f"warning: {reason}; building forgetguard without its native core. It answers alike, but slower. "
            f"Set {VARIABLE}=native to make this an error.",
            file=sys.stderr,
            flush=True,
        )
    name: str = _hatchling(hook, directory, settings, metadata_directory)
    return name


def _why_not_native() -> str | None:
    if shutil.which("cargo") is None:
        return "cargo was not found"
    try:
        import maturin  # noqa: F401  # its presence is the question
    except ModuleNotFoundError as error:
        if error.name != "maturin":
            raise
        return "maturin is not installed"
    # Without build isolation the command may lie beside an interpreter whose environment is not activated. Last in
    # the path, so that an isolated environment's own maturin comes first.
    os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", ""), sysconfig.get_path("scripts")])
    return None if shutil.which("maturin") else "the maturin command was not found"


def _maturin(hook: str, *arguments: object) -> str:
    import maturin

    name: str = getattr(maturin, hook)(*arguments)
    return name


def _hatchling(hook: str, *arguments: object) -> Any:
    import hatchling.build

    return getattr(hatchling.build, hook)(*arguments)


def _remove_core_in_place() -> None:
    """A stale `.cpython-*.so` shadows a fresh abi3 one, and after a pure build any leftover would still be loaded."""
    for pattern in ("_native*.so", "_native*.pyd"):
        for core in Path("python/forgetguard/rules").glob(pattern):
            core.unlink()
