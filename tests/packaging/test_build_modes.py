"""FORGETGUARD_BUILD: what each value does where Rust cannot build, and what each asks the front end to install."""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path

import pytest
from build import BuildBackendException

HOOK = "import sys; sys.path.insert(0, 'packaging'); import build_backend as b; print(b.get_requires_for_build_{}())"


@pytest.fixture
def without_cargo() -> dict[str, str]:
    return {"PATH": sysconfig.get_path("scripts")}


@pytest.fixture
def without_crates(tmp_path: Path, need_core: None) -> dict[str, str]:
    """Cargo is there, but the registry cannot be reached and nothing of it is cached."""
    return {"CARGO_HOME": str(tmp_path / "empty"), "CARGO_NET_OFFLINE": "true"}


def test_auto_builds_the_native_wheel_where_it_can(build, checkout, need_core):
    assert "-abi3-" in build(checkout, "wheel").path.name


@pytest.mark.parametrize("lack", ["without_cargo", "without_crates"])
def test_auto_falls_back_to_the_pure_wheel_and_says_so(lack, build, checkout, request):
    built = build(checkout, "wheel", **request.getfixturevalue(lack))
    assert built.path.name.endswith("-py3-none-any.whl")
    assert "warning:" in built.output
    assert "without its native core" in built.output


@pytest.mark.parametrize("lack", ["without_cargo", "without_crates"])
def test_native_never_falls_back(lack, build, checkout, request):
    with pytest.raises(BuildBackendException) as caught:
        build(checkout, "wheel", FORGETGUARD_BUILD="native", **request.getfixturevalue(lack))
    assert "FORGETGUARD_BUILD=native" in _output(caught.value)


@pytest.mark.parametrize("kind", ["wheel", "sdist", "editable"])
def test_another_value_is_an_error(kind, build, unpacked):
    with pytest.raises(BuildBackendException) as caught:
        build(unpacked, kind, FORGETGUARD_BUILD="rust")
    assert "is not one of auto, native, python" in _output(caught.value)


@pytest.mark.parametrize("kind", ["wheel", "editable"])
@pytest.mark.parametrize(("mode", "maturin"), [("native", True), ("python", False), ("auto", False)])
def test_maturin_is_required_only_where_it_is_used(
    kind, mode, maturin, run_python, checkout, monkeypatch, without_cargo
):
    monkeypatch.chdir(checkout)
    done = run_python(HOOK.format(kind), FORGETGUARD_BUILD=mode, **without_cargo)
    assert ("maturin" in done.stdout) is maturin, done.stderr


def test_auto_asks_for_maturin_where_cargo_is(run_python, checkout, monkeypatch, need_core):
    monkeypatch.chdir(checkout)
    assert "maturin" in run_python(HOOK.format("wheel")).stdout


def _output(error: BuildBackendException) -> str:
    """What the build printed before it failed."""
    assert isinstance(error.exception, subprocess.CalledProcessError)
    return str(error.exception.output)
