"""docs/purge.md is true: its description loads, its Python runs, its examples are as short as it says."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from forgetguard.purge import Home, host_of
from forgetguard.purge.surfaces import markdown_folder, sqlite_table
from purge.world import World

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def text() -> str:
    return (ROOT / "docs" / "purge.md").read_text()


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_the_description_loads(text: str, tmp_path: Path) -> None:
    (description,) = blocks(text, "toml")
    host = host_of(tmp_path, tomllib.loads(description)["purge"])
    assert [surface.name for surface in host.surfaces] == ["memories", "notes"]
    assert host.not_covered == ("phone-backups",)


def test_the_python_runs(text: str, world: World, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(world.root)
    monkeypatch.setattr(Home, "default", classmethod(lambda cls: world.home))
    names: dict[str, object] = {"path": world.database, "root": world.notes}
    for block in blocks(text, "python"):
        exec(block, names)
    assert capsys.readouterr().out.endswith("0\n")


@pytest.mark.parametrize("module", [markdown_folder, sqlite_table])
def test_the_examples_are_short(module: Any) -> None:
    assert len(Path(module.__file__).read_text().splitlines()) < 60


def test_every_command_is_there(text: str) -> None:
    from click.testing import CliRunner

    from forgetguard.cli import root

    written = re.findall(r"(?:\$ forgetguard|`forgetguard|`)\s*(purge|receipts|tombstone) ([a-z]+)", text)
    assert len(set(written)) > 8
    for group, command in set(written):
        assert CliRunner().invoke(root, [group, command, "--help"]).exit_code == 0, (group, command)
