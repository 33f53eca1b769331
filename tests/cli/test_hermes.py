"""`forgetguard hermes install`: the plugin directory, written once, and never over anything of others."""

from __future__ import annotations

import json

import pytest

from forgetguard.adapters.hermes.install import FILES
from forgetguard.cli import main


@pytest.fixture
def hermes_home(tmp_path, monkeypatch):
    place = tmp_path / "hermes"
    place.mkdir()
    monkeypatch.setenv("HERMES_HOME", str(place))
    return place


def test_it_says_what_it_wrote_and_writes_it_once(hermes_home, capsys):
    assert main(["hermes", "install", "--json"]) == 0
    folder = hermes_home / "plugins" / "forgetguard"
    written = json.loads(capsys.readouterr().out)["written"]
    assert written == [str(folder / name) for name in FILES]
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert main(["hermes", "install"]) == 0
    assert capsys.readouterr().out.splitlines() == [f"left     {folder / name}" for name in FILES]
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_an_older_file_of_its_own_is_renewed(hermes_home, capsys):
    main(["hermes", "install"])
    manifest = hermes_home / "plugins" / "forgetguard" / "plugin.yaml"
    manifest.write_text(manifest.read_text().replace("version", "# version"))
    capsys.readouterr()
    main(["hermes", "install"])
    assert capsys.readouterr().out.startswith(f"wrote    {manifest}")
    assert manifest.read_text() == FILES["plugin.yaml"]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("option", [[], ["--uninstall"]])
def test_files_of_others_are_refused_before_anything_is_touched(hermes_home, name, option):
    folder = hermes_home / "plugins" / "forgetguard"
    folder.mkdir(parents=True)
    (folder / name).write_text("mine")
    assert main(["hermes", "install", *option]) == 4
    assert [path.name for path in folder.iterdir()] == [name]
    assert (folder / name).read_text() == "mine"


def test_a_link_is_refused(hermes_home, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (hermes_home / "plugins").mkdir()
    (hermes_home / "plugins" / "forgetguard").symlink_to(elsewhere)
    assert main(["hermes", "install"]) == 4
    assert list(elsewhere.iterdir()) == []


def test_uninstall_leaves_what_is_not_its_own(hermes_home):
    main(["hermes", "install"])
    folder = hermes_home / "plugins" / "forgetguard"
    (folder / "notes.txt").write_text("mine")
    assert main(["hermes", "install", "--uninstall"]) == 0
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    (folder / "notes.txt").unlink()
    main(["hermes", "install"])
    assert main(["hermes", "install", "--uninstall"]) == 0
    assert not folder.exists()
    assert main(["hermes", "install", "--uninstall"]) == 0


def test_without_a_home_nothing_is_made(hermes_home, monkeypatch):
    monkeypatch.setenv("HERMES_HOME", str(hermes_home / "absent"))
    assert main(["hermes", "install"]) == 2
    assert list(hermes_home.iterdir()) == []
