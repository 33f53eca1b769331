"""Settings: defaults, the file, the environment."""

from __future__ import annotations

import errno
import os
import stat
import threading
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from forgetguard import directories
from forgetguard.errors import InvalidInput, InvalidKey
from forgetguard.guard import settings as module
from forgetguard.guard import settings_file, vault
from forgetguard.guard.settings import Settings
from forgetguard.keys import Key, write_key_file


def test_every_setting_has_a_reader_and_a_line_in_the_table():
    names = {one.name for one in fields(Settings)} - {"passphrase"}
    assert names == set(module._READERS)
    assert all(f"\n    {name} " in module.__doc__ for name in names)


def test_of_two_settings_written_at_once_none_is_lost(tmp_path, monkeypatch):
    path, write = tmp_path / "config.toml", settings_file.write_whole
    other = threading.Thread(target=settings_file.write_setting, args=(path, "past", "keep"))

    def late(target, content, **options):
        monkeypatch.setattr(settings_file, "write_whole", write)
        other.start()
        other.join(0.3)
        write(target, content, **options)

    monkeypatch.setattr(settings_file, "write_whole", late)
    settings_file.write_setting(path, "model", "here")
    other.join()
    assert tomllib.loads(path.read_text()) == {"model": "here", "past": "keep"}


def test_defaults(home):
    settings = Settings.load(environment={})
    assert settings.ledger == home / "data" / "forgetguard" / "ledger.sqlite"
    assert (settings.on_hold, settings.on_defer, settings.review_size, settings.mark) == ("review", "block", 200, None)


def test_the_environment_wins_over_the_file(home):
    folder = home / "config" / "forgetguard"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('ledger = "~/a"\naliases = ["Ann"]\nwait = 2\nmark = "none"\n[purge]\nx = 1\n')
    settings = Settings.load(environment={"FORGETGUARD_WAIT": "3.5", "FORGETGUARD_ALIASES": "Bo, Cy"})
    assert settings.ledger == Path("~/a").expanduser()
    assert (settings.aliases, settings.wait, settings.mark) == (("Bo", "Cy"), 3.5, "none")


@pytest.mark.parametrize(
    ("content", "variables"),
    [
        ("unknown = 1", {}),
        ("wait = true", {}),
        ("wait = -1", {}),
        ("review_size = 1.5", {}),
        ("aliases = [1]", {}),
        ('on_hold = "maybe"', {}),
        ("ledger = 5", {}),
        ("not toml", {}),
        ("", {"FORGETGUARD_REVIEW_SIZE": "many"}),
        ("", {"FORGETGUARD_ALLOW_FILESYSTEM": "perhaps"}),
        ("", {"FORGETGUARD_WAIT": "nan"}),
    ],
)
def test_a_bad_setting_is_named(tmp_path, content, variables):
    file = tmp_path / "config.toml"
    file.write_text(content)
    with pytest.raises(InvalidInput):
        Settings.load(file, variables)


def test_a_file_that_was_asked_for_must_be_there(tmp_path):
    with pytest.raises(InvalidInput):
        Settings.load(tmp_path / "none.toml", {})
    (tmp_path / "latin").write_bytes(b'aliases = ["\xff"]')
    for name in ("latin", "."):
        with pytest.raises(InvalidInput):
            Settings.load(tmp_path / name, {})


def test_the_guard_opens_with_them(home):
    settings = Settings.load(environment={})
    with pytest.raises(InvalidKey):
        settings.open_guard()
    with settings.open_guard(create=True) as guard:
        guard.forget("User is vegetarian")
    key = write_key_file(home / "other", Key.generate())
    other = Settings.load(environment={"FORGETGUARD_KEY_FILE": str(key)})
    assert other.open_guard().status().ledger == "wrong-key"
    with_passphrase = Settings.load(environment={"FORGETGUARD_PASSPHRASE": "a b c"})
    assert with_passphrase.unlock()[1] == "passphrase"
    assert "a b c" not in repr(with_passphrase)


def test_a_late_key_is_looked_for_when_the_ledger_is_opened(home, monkeypatch):
    monkeypatch.setattr(vault, "RETRY_SECONDS", 0.0)
    settings = Settings.load(environment={})
    settings.open_guard(create=True).close()
    file = home / "config" / "forgetguard" / "key"
    file.rename(home / "kept")
    with pytest.raises(InvalidKey):
        settings.open_guard()
    guard = settings.open_guard(late_key=True)
    assert guard.status().ledger == guard.check("a fact").reason == "no-key"
    (home / "kept").rename(file)
    assert guard.status().ledger == "ok"
    guard.close()


def test_a_directory_that_cannot_be_synced_stops_no_write(tmp_path, monkeypatch):
    def refuse(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "not for directories")

    monkeypatch.setattr(os, "fsync", refuse)
    directories.write_whole(tmp_path / "config.toml", b"")
    assert [one.name for one in tmp_path.iterdir()] == ["config.toml"]
