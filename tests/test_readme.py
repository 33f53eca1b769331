"""The README is true: its Python runs, its commands print what it says, its tables are complete."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import forgetguard
from forgetguard.rules import match_forgotten
from forgetguard.values import Entry

PACKAGE = Path(forgetguard.__file__).parent
ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def table(heading: str) -> list[list[str]]:
    """The rows of the first table under a heading, without its head."""
    lines = README.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return rows[2:]


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment of its own, with `forgetguard` on the path."""
    tools = tmp_path / "bin"
    tools.mkdir()
    script = tools / "forgetguard"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m forgetguard "$@"\n')
    script.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FORGETGUARD_")}
    homes = {f"XDG_{name}_HOME": str(tmp_path / name.lower()) for name in ("DATA", "CONFIG", "STATE", "CACHE")}
    own = {"PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(PACKAGE.parent), "HOME": str(tmp_path)}
    backend = {"FORGETGUARD_BACKEND": os.environ["FORGETGUARD_BACKEND"]} if "FORGETGUARD_BACKEND" in os.environ else {}
    # No keyring of the desktop: a test must not leave a key there.
    return {**kept, **homes, **own, **backend, "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}


def test_the_python_runs(home):
    (code,) = blocks("python")
    assert len([line for line in code.splitlines() if line.strip() and not line.startswith("#")]) <= 20
    done = subprocess.run([sys.executable, "-c", code], env=home, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_commands_print_what_it_says(home):
    (session,) = blocks("console")
    steps = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", session, re.MULTILINE)
    assert len(steps) >= 9
    for command, expected in steps:
        done = subprocess.run(["sh", "-c", command], env=home, capture_output=True, text=True, timeout=120)
        pattern = ".*".join(map(re.escape, expected.split("…")))
        assert re.fullmatch(pattern, done.stdout), (command, done.stdout, done.stderr)


def test_what_it_does_not_do_is_still_so():
    rows = table("What it does not do")
    assert len(rows) == 4
    for _, fact, text in rows:
        assert match_forgotten(text, None, [Entry(fact, id="e")]) is None, text


def test_every_command_is_named():
    from forgetguard.cli import root

    context = root.make_context("forgetguard", [], resilient_parsing=True)
    for name in root.list_commands(context):
        assert f"`{name}`" in README or f"forgetguard {name}" in README or f"make {name}" in README, name
        for inner in getattr(root.get_command(context, name), "commands", {}) if name == "ledger" else ():
            assert f"`{inner}`" in README, (name, inner)


def test_every_setting_is_in_its_table():
    from forgetguard.guard.settings import _READERS, PASSPHRASE
    from forgetguard.keys import ENVIRONMENT_NAME

    for name in _READERS:
        assert f"| `{name}` | `FORGETGUARD_{name.upper()}` |" in README, name
    for name in (PASSPHRASE, ENVIRONMENT_NAME):
        assert f"`{name}`" in README


def test_every_extra_is_one():
    import tomllib

    known = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    extras = {name for row in table("Install") for name in re.findall(r"`([^`]+)`", row[0]) if len(row) == 2}
    assert extras == set(known)


def test_every_host_is_in_its_table():
    pages = {page.name for page in (ROOT / "docs" / "hosts").glob("*.md")}
    rows = table("In the agents people run")
    assert {page for row in rows for page in re.findall(r"docs/hosts/([a-z0-9-]+\.md)", row[0])} == pages


def test_every_make_target_and_link_is_there():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:`|^    |=DIR )make ([a-z-]+)", README, re.MULTILINE))
    assert len(named) >= 4
    assert named <= targets
    for link in re.findall(r"\]\(([^)#]+)\)", README):
        if "://" not in link:
            assert (ROOT / link).exists(), link
