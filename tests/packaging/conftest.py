"""Building, installing and using the package, once a session: the artefacts that every packaging test looks at."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from build import ProjectBuilder

CHECKOUT = Path(__file__).resolve().parents[2]
CORE_MISSING = shutil.which("cargo") is None and os.environ.get("FORGETGUARD_REQUIRE_NATIVE") != "1"
SECONDS = 300


@dataclass(frozen=True, slots=True)
class Built:
    """An artefact, and what the build printed on the way."""

    path: Path
    output: str


Build = Callable[..., Built]
Use = Callable[[Path, str], str]


def _environment(changes: Mapping[str, str | None]) -> dict[str, str]:
    """This process's environment without our own switches, then `changes`; None removes a variable."""
    merged = {name: value for name, value in os.environ.items() if not name.startswith(("FORGETGUARD_", "PYTHON"))}
    # The same directory for every tree that is built: crates from the registry are compiled once.
    merged.setdefault("CARGO_TARGET_DIR", str(CHECKOUT / "target"))
    for name, value in changes.items():
        merged.pop(name, None)
        if value is not None:
            merged[name] = value
    return merged


@pytest.fixture(scope="session")
def checkout() -> Path:
    return CHECKOUT


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Call the build backend's hook in a process of its own, as a front end without isolation does."""

    def call(source: Path, kind: str, **environment: str | None) -> Built:
        output: list[str] = []

        def run(command: list[str], cwd: str | None = None, extra_environ: Mapping[str, str] | None = None) -> None:
            done = subprocess.run(
                command,
                cwd=cwd,
                env=_environment({**environment, **(extra_environ or {})}),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=SECONDS,
            )
            output.append(done.stdout)
            if done.returncode:
                raise subprocess.CalledProcessError(done.returncode, command, done.stdout)

        where = tmp_path_factory.mktemp("dist")
        path = ProjectBuilder(source, runner=run).build(kind, where)
        return Built(Path(path), "".join(output))

    return call


@pytest.fixture(scope="session")
def sdist(build: Build) -> Path:
    """The source distribution, built in a checkout where an earlier native core may lie about."""
    return build(CHECKOUT, "sdist").path


@pytest.fixture(scope="session")
def unpacked(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, unpacked."""
    where = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(where, filter="data")
    (tree,) = where.iterdir()
    return tree


@pytest.fixture(scope="session")
def need_core() -> None:
    """For tests of the native build: skipped without cargo, but never where the native core is required."""
    if CORE_MISSING:
        pytest.skip("cargo is absent, and the native core is not required")


@pytest.fixture(scope="session")
def native_wheel(build: Build, need_core: None) -> Path:
    return build(CHECKOUT, "wheel", FORGETGUARD_BUILD="native").path


@pytest.fixture(scope="session")
def pure_wheel(build: Build) -> Path:
    return build(CHECKOUT, "wheel", FORGETGUARD_BUILD="python").path


@pytest.fixture(scope="session")
def use(tmp_path_factory: pytest.TempPathFactory) -> Use:
    """Install a wheel into a fresh environment, run a piece of Python there, and return what it printed.

    The environment sees the dependencies of the one that runs the tests, so nothing is fetched; it cannot see that
    one's own forgetguard, because a path line's directory has its own path lines ignored. That the dependencies are
    declared is another test's question.
    """
    environments: dict[Path, Path] = {}

    def install(wheel: Path) -> Path:
        root = tmp_path_factory.mktemp("venv")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", root], check=True, timeout=SECONDS)
        python = root / ("Scripts" if os.name == "nt" else "bin") / "python"
        subprocess.run(
            [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-deps", wheel],
            check=True,
            timeout=SECONDS,
        )
        site = subprocess.check_output(
            [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
        ).strip()
        Path(site, "borrowed.pth").write_text(sysconfig.get_path("purelib"))
        return python

    def call(wheel: Path, code: str) -> str:
        if wheel not in environments:
            environments[wheel] = install(wheel)
        python = environments[wheel]
        done = subprocess.run(
            [python, "-c", code],
            cwd=python.parent,
            env=_environment({}),
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return call


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the Python package that a test may spoil: put the directory on PYTHONPATH."""
    copy = tmp_path / "python"
    shutil.copytree(CHECKOUT / "python", copy, ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd"))
    return copy


@pytest.fixture(scope="session")
def run_python() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run Python code with exactly these FORGETGUARD_ and PYTHON variables; the result is not judged here."""

    def call(code: str, **environment: str | None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code],
            env=_environment(environment),
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )

    return call
