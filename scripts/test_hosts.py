"""Test every adapter against the real package of its host: one virtual environment a host, since their pins conflict.

    python scripts/test_hosts.py [NAME ...]

The environments lie in .hosts/NAME and are made anew when the pins or the project's own requirements change. The tests
themselves use no network: the model is a script on 127.0.0.1. A host that could not run, or of which no test ran, is a
failure, unless FORGETGUARD_SKIP_HOSTS names it (names parted by commas); the last lines say of each whether it ran.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / ".hosts"
INSTALL_SECONDS, TEST_SECONDS = 900, 600


class Host(NamedTuple):
    """`pins`: what is tested, the host's own package first. `python`: the only version it runs on, None = any."""

    pins: tuple[str, ...]
    python: tuple[int, int] | None = None

    @property
    def package(self) -> str:
        return self.pins[0].partition("==")[0]


HOSTS = {
    "langgraph": Host(("langgraph==1.2.24", "langmem==0.0.30", "langgraph-checkpoint-sqlite==3.1.2")),
    "mem0": Host(("mem0ai==2.2.1",)),
    "hermes": Host(("hermes-agent==0.19.0",)),
    "totalreclaw": Host(("totalreclaw==2.5.2", "totalreclaw-core==2.6.0"), (3, 12)),
    "mcp": Host(("mcp==2.3.0",)),
}


class Failed(Exception):
    """A host could not be tested, or its tests failed; the text says why."""


def main(names: list[str]) -> int:
    skipped = {name.strip() for name in os.environ.get("FORGETGUARD_SKIP_HOSTS", "").split(",")} - {""}
    unknown = (skipped | set(names)) - set(HOSTS)
    if unknown:
        print(f"No such host: {', '.join(sorted(unknown))}. Known: {', '.join(HOSTS)}.", file=sys.stderr)
        return 2
    answers = {name: _outcome(name, skipped) for name in names or HOSTS}
    print("\nhosts:")
    for name, (line, _) in answers.items():
        print(f"  {name:<12} {line}")
    return int(not all(sound for _, sound in answers.values()))


def _outcome(name: str, skipped: set[str]) -> tuple[str, bool]:
    """One line on a host, and whether it is as it should be."""
    if name in skipped:
        return "skipped, as FORGETGUARD_SKIP_HOSTS says", True
    print(f"== {name}", flush=True)
    try:
        python = _environment(name)
        return f"{_version(python, HOSTS[name].package)}: {_tested(name, python)} passed", True
    except Failed as error:
        return f"FAILED: {error}", False


def _environment(name: str) -> Path:
    """The Python of the host's environment, made if need be. Raises Failed."""
    host, place = HOSTS[name], PLACE / name
    python, stamp = place / "bin" / "python", place / "installed"
    wanted = _fingerprint(host)
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    shutil.rmtree(place, ignore_errors=True)
    _run([_interpreter(host.python), "-m", "venv", str(place)], "the environment could not be made")
    # Not editable: that would take the checkout's native core away. The tests run the checkout by PYTHONPATH; from the
    # installed wheel come the dependencies and the entry points.
    packages = [f".[{name}]", *host.pins, "pytest", "hypothesis"]
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
    _run(pip, "pip could not install it", {"FORGETGUARD_BUILD": "python"})
    stamp.write_text(wanted)
    return python


def _fingerprint(host: Host) -> str:
    """Of what is installed: the pins, and what the project asks for. How the code is checked is no part of it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return hashlib.sha256(repr((host, sys.version_info[:2], project)).encode()).hexdigest()


def _interpreter(version: tuple[int, int] | None) -> str:
    """A Python of this version, on the path or under pyenv. Raises Failed."""
    if version is None or sys.version_info[:2] == version:
        return sys.executable
    for candidate in _candidates(version):
        asked = subprocess.run([candidate, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True)
        if asked.stdout.split() == [str(part).encode() for part in version]:
            return candidate
    raise Failed(f"it needs Python {version[0]}.{version[1]}, and there is none here")


def _candidates(version: tuple[int, int]) -> Iterator[str]:
    number = f"{version[0]}.{version[1]}"
    on_path = shutil.which(f"python{number}")
    if on_path is not None:
        yield on_path
    yield from map(str, sorted(Path.home().glob(f".pyenv/versions/{number}*/bin/python")))


def _run(command: list[str], complaint: str, extra: dict[str, str] | None = None) -> None:
    try:
        subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, **(extra or {})}, timeout=INSTALL_SECONDS)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        raise Failed(complaint) from None


def _version(python: Path, package: str) -> str:
    ask = f"from importlib.metadata import version; print(version({package!r}))"
    answer = subprocess.run([str(python), "-c", ask], capture_output=True, text=True, check=True)
    return f"{package} {answer.stdout.strip()}"


def _tested(name: str, python: Path) -> int:
    """How many tests of the host passed. Raises Failed where one did not, or where none ran."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.xml"
        command = [
            str(python),
            "-m",
            "pytest",
            f"tests/hosts/{name}",
            "-p",
            "no:cacheprovider",
            f"--junit-xml={report}",
        ]
        environment = {**os.environ, "FORGETGUARD_REQUIRE_HOST": name, "PYTHONPATH": str(ROOT / "python")}
        try:
            done = subprocess.run(command, cwd=ROOT, env=environment, timeout=TEST_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failed("its tests took too long") from None
        passed = _passed(report)
    if done.returncode != 0:
        raise Failed(f"pytest ended with {done.returncode}")
    if passed == 0:
        raise Failed("none of its tests ran")
    return passed


def _passed(report: Path) -> int:
    """Tests that neither failed nor were skipped; pytest calls a run in which all were skipped a success."""
    if not report.exists():
        return 0
    cases = ElementTree.parse(report).getroot().iter("testcase")
    return sum(not any(case.find(tag) is not None for tag in ("skipped", "failure", "error")) for case in cases)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
