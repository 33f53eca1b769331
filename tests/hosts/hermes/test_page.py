"""docs/hosts/hermes.md is true: its three lines in the real command line, its configuration, its table of places."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
import yaml

import forgetguard
from forgetguard.adapters.hermes import PLACES
from forgetguard.adapters.hermes.install import install

PAGE = (Path(__file__).parents[3] / "docs/hosts/hermes.md").read_text("utf-8")


def run(home, *command):
    # The same code as in this process, wherever it is called from.
    environment = {**os.environ, "HERMES_HOME": str(home), "PYTHONPATH": str(Path(forgetguard.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-m", *command],
        env=environment, cwd=home, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_its_three_lines_and_its_settings(hermes):
    lines = re.search(r"((?:^    \S.*\n)+)", PAGE, re.MULTILINE)[1].split("\n")
    assert [line.split()[0] for line in lines if line] == ["pip", "forgetguard", "hermes"]
    run(hermes.home, *lines[1].split())
    settings = yaml.safe_load(re.search(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1])
    (hermes.home / "config.yaml").write_text(yaml.safe_dump(settings))
    told = run(hermes.home, *lines[2].replace("hermes", "hermes_cli.main", 1).split())
    assert "enabled" in told
    assert re.search(r"forgetguard.*active", run(hermes.home, "hermes_cli.main", "memory", "status"))


def test_its_settings_take_effect(hermes):
    settings = yaml.safe_load(re.search(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1])
    install(hermes.home)
    hermes.configure(**settings)
    agent = hermes.agent(hermes.model())
    assert [type(one).__name__ for one in agent._memory_manager.providers] == ["GuardedMemoryProvider"]
    assert [one.name for one in agent._memory_manager.providers] == ["holographic"]
    assert agent.context_compressor.name == "forgetguard"


def test_its_places():
    table = PAGE.split("## What Hermes keeps", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `([a-z-]+)` \| .* \| (.*) \|$", table, re.MULTILINE)
    assert [name for name, _ in rows] == [place.name for place in PLACES]
    assert [place.erase is not None for place in PLACES] == [how.startswith("cleared") for _, how in rows]


def test_its_version():
    assert f"hermes-agent {metadata.version('hermes-agent')}" in PAGE


@pytest.mark.parametrize("entry_points", [True, False])
def test_hermes_finds_the_plugin_by_the_package_and_by_the_directory(hermes, monkeypatch, entry_points):
    from hermes_cli.plugins import get_plugin_manager

    if not entry_points:
        monkeypatch.setattr(metadata, "entry_points", lambda **_: metadata.EntryPoints())
        install(hermes.home)
    hermes.configure()
    (found,) = [one for one in get_plugin_manager().list_plugins() if one["name"] == "forgetguard"]
    assert (found["enabled"], found["source"]) == (True, "entrypoint" if entry_points else "user")
    assert get_plugin_manager().has_hook("pre_tool_call")
