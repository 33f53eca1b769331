"""Each artefact holds what it should, installs into a fresh environment, and works there."""

from __future__ import annotations

import email
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

USE = """
import pathlib, sys
from forgetguard.rules import _backend
home = pathlib.Path(_backend.__file__)
assert home.is_relative_to(sys.prefix), home
assert (home.parents[1] / "py.typed").is_file()
print(_backend.BACKEND, _backend.rules_version())
"""


def _is_core(name: str) -> bool:
    return name.endswith((".so", ".pyd", ".dylib", ".dll"))


def _package_files(checkout: Path) -> set[str]:
    """What git would take of the package: the files that every wheel and the source distribution must hold."""
    python = checkout / "python"
    return {
        path.relative_to(python).as_posix()
        for path in (python / "forgetguard").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not _is_core(path.name)
    }


def _wheel_files(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name and not name.endswith("/")}


def _metadata(wheel: Path) -> email.message.Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


def test_the_pure_wheel_is_the_package_and_no_more(pure_wheel, checkout):
    assert pure_wheel.name.endswith("-py3-none-any.whl")
    assert _wheel_files(pure_wheel) == _package_files(checkout)


def test_the_native_wheel_is_the_package_and_one_core(native_wheel, checkout):
    assert "-cp311-abi3-" in native_wheel.name
    files = _wheel_files(native_wheel)
    (core,) = filter(_is_core, files)
    assert core.startswith("forgetguard/rules/_native.")
    assert files - {core} == _package_files(checkout)


def test_the_word_tables_and_the_type_marker_are_packed(pure_wheel):
    # The equalities above would hold just as well if nothing were there to pack.
    tables = {name for name in _wheel_files(pure_wheel) if name.endswith(".tsv")}
    assert "forgetguard/rules/lexicon/fold.tsv" in tables
    assert "forgetguard/py.typed" in _wheel_files(pure_wheel)


def test_the_source_distribution_holds_all_sources_and_nothing_built(sdist, checkout):
    with tarfile.open(sdist) as archive:
        files = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {f"python/{name}" for name in _package_files(checkout)} <= files
    rust = {path.relative_to(checkout).as_posix() for path in (checkout / "rust").rglob("*") if path.is_file()}
    assert rust <= files
    assert {"Cargo.toml", "Cargo.lock", "LICENSE", "Makefile", "packaging/build_backend.py"} <= files
    assert {name for name in files if name.startswith(".")} <= {".ci", ".ci/run", ".gitignore"}
    assert not [name for name in files if _is_core(name) or "__pycache__" in name or name.startswith("target/")]


@pytest.mark.parametrize("name", ["pure_wheel", "native_wheel"])
def test_a_wheel_declares_what_pyproject_says(name, request, checkout):
    project = tomllib.loads((checkout / "pyproject.toml").read_text())["project"]
    metadata = _metadata(request.getfixturevalue(name))
    assert metadata["Version"] == project["version"]
    assert metadata["License-Expression"] == "MIT"
    required = {line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line}
    assert {line.replace(" ", "") for line in required} == set(project["dependencies"])
    assert set(metadata.get_all("Provides-Extra", [])) == set(project["optional-dependencies"])


@pytest.mark.parametrize("name", ["pure_wheel", "native_wheel"])
def test_a_wheel_does_not_say_where_it_was_built(name, request, checkout):
    with zipfile.ZipFile(request.getfixturevalue(name)) as archive:
        assert [member for member in archive.namelist() if bytes(checkout) in archive.read(member)] == []


def test_the_pure_wheel_works(pure_wheel, use):
    assert use(pure_wheel, USE) == "python 1"


def test_the_native_wheel_works(native_wheel, use):
    assert use(native_wheel, USE) == "native 1"


def _plant_stale_cores(tree: Path) -> None:
    for name in ("_native.abi3.so", "_native.cpython-311-x86_64-linux-gnu.so", "_native.pyd"):
        (tree / "python/forgetguard/rules" / name).write_bytes(b"left over")


def test_the_unpacked_source_distribution_builds_a_pure_wheel(unpacked, build, use, checkout):
    _plant_stale_cores(unpacked)
    wheel = build(unpacked, "wheel", FORGETGUARD_BUILD="python").path
    assert _wheel_files(wheel) == _package_files(checkout)
    assert use(wheel, USE) == "python 1"


def test_the_unpacked_source_distribution_builds_a_native_wheel(unpacked, build, use, checkout, need_core):
    _plant_stale_cores(unpacked)
    wheel = build(unpacked, "wheel", FORGETGUARD_BUILD="native").path
    cores = {name for name in _wheel_files(wheel) if _is_core(name)}
    assert len(cores) == 1
    assert _wheel_files(wheel) - cores == _package_files(checkout)
    assert use(wheel, USE) == "native 1"


@pytest.mark.parametrize("mode", ["native", "python"])
def test_an_editable_install_removes_a_stale_core_first(mode, unpacked, build, request):
    if mode == "native":
        request.getfixturevalue("need_core")
    _plant_stale_cores(unpacked)
    build(unpacked, "editable", FORGETGUARD_BUILD=mode)
    cores = list((unpacked / "python/forgetguard/rules").glob("_native*.[sp][oy]*"))
    compiled = [core for core in cores if _is_core(core.name)]
    assert len(compiled) == (1 if mode == "native" else 0)
    assert all(core.read_bytes() != b"left over" for core in compiled)


@pytest.mark.slow
def test_pip_builds_and_installs_it_with_everything_it_declares(sdist, tmp_path):
    """The long way that a user takes: isolation, requirements from the index, the console script."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True, timeout=120)
    python = tmp_path / "venv/bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", sdist], check=True, timeout=600)
    check = subprocess.run([python, "-m", "pip", "check"], capture_output=True, text=True, timeout=120)
    assert check.returncode == 0, check.stdout
    done = subprocess.run([python, "-m", "forgetguard", "--help"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "forget" in done.stdout
