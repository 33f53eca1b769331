"""The key type and where keys come from."""

from __future__ import annotations

import base64
import copy
import errno
import os
import pickle
import stat
import sys
import threading
import traceback
from pathlib import Path

import pytest

from forgetguard import keys
from forgetguard.errors import InvalidKey
from forgetguard.keys import Key, Passphrase, find_key, save_to_keyring, write_key_file

RAW = bytes(range(100, 132))
CHEAP = {"passes": 1, "memory_kib": 8192}


@pytest.mark.parametrize("secret", [Key.from_bytes(RAW), Passphrase("correct horse", **CHEAP)])
def test_a_secret_does_not_leave_by_accident(secret: Key | Passphrase) -> None:
    for shown in (repr(secret), str(secret), f"{secret}", f"{secret:>40}"):
        assert "********" in shown
        assert RAW.hex() not in shown
        assert "horse" not in shown
    for call in (pickle.dumps, copy.copy, copy.deepcopy, hash, lambda one: one == one):
        with pytest.raises(TypeError):
            call(secret)


@pytest.mark.parametrize("raw", [b"", RAW[:31], RAW + b"x", "x" * 32, None])
def test_a_key_of_the_wrong_length(raw: object) -> None:
    with pytest.raises(InvalidKey):
        Key.from_bytes(raw)


def test_key_file(tmp_path: Path) -> None:
    path = write_key_file(tmp_path / "deep" / "key", Key.from_bytes(RAW))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Key.from_file(path).reveal() == RAW
    with pytest.raises(InvalidKey) as caught:
        write_key_file(path, Key.generate())
    assert caught.value.code == "key-exists"
    assert Key.from_file(path).reveal() == RAW


@pytest.mark.parametrize(
    "content", [RAW, RAW.hex().encode(), RAW.hex().upper().encode() + b"\n", base64.b64encode(RAW)]
)
def test_forms_of_a_key_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "key"
    path.write_bytes(content)
    path.chmod(0o600)
    assert Key.from_file(path).reveal() == RAW


def test_a_key_file_that_cannot_be_used(tmp_path: Path) -> None:
    codes = {}
    path = write_key_file(tmp_path / "key", Key.generate())
    path.chmod(0o640)
    for name in ("key", "absent", "."):
        with pytest.raises(InvalidKey) as caught:
            Key.from_file(tmp_path / name)
        codes[name] = caught.value.code
    assert codes == {"key": "key-exposed", "absent": "key-missing", ".": "key-unreadable"}
    for content in (b"", b"short", b"\xff" * 40, b"z" * 64):
        path.write_bytes(content)
        path.chmod(0o600)
        with pytest.raises(InvalidKey):
            Key.from_file(path)


def test_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidKey) as caught:
        Key.from_environment()
    assert caught.value.code == "key-missing"
    monkeypatch.setenv("FORGETGUARD_KEY", base64.urlsafe_b64encode(RAW).decode().rstrip("="))
    assert Key.from_environment().reveal() == RAW
    found = find_key()
    assert (found.source, found.key.reveal()) == ("environment", RAW)
    monkeypatch.setenv("OTHER", RAW.hex())
    assert Key.from_environment("OTHER").reveal() == RAW


def test_a_key_is_made_once_and_found_again(tmp_path: Path) -> None:
    with pytest.raises(InvalidKey) as caught:
        find_key(path=tmp_path / "key")
    assert caught.value.code == "key-missing"
    made = find_key(create=True, path=tmp_path / "key")
    again = find_key(create=True, path=tmp_path / "key")
    assert (made.source, made.created, again.created) == ("file", True, False)
    assert made.key.reveal() == again.key.reveal()


class FakeKeyring:
    """A keyring that keeps passwords in memory."""

    priority = 5

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_keyring(self) -> FakeKeyring:
        return self

    def get_password(self, service: str, account: str) -> str | None:
        return self.kept.get((service, account))

    def set_password(self, service: str, account: str, password: str) -> None:
        self.kept[service, account] = password


def test_keyring(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "keyring", FakeKeyring())
    with pytest.raises(InvalidKey) as caught:
        Key.from_keyring("service", "account")
    assert caught.value.code == "key-missing"
    made = find_key(create=True)
    assert (made.source, made.created) == ("keyring", True)
    assert find_key().key.reveal() == made.key.reveal()
    assert Key.from_keyring().reveal() == made.key.reveal()
    with pytest.raises(InvalidKey) as caught:
        save_to_keyring(Key.generate())
    assert caught.value.code == "key-exists"


def test_a_keyring_that_fails_shows_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Broken(FakeKeyring):
        def set_password(self, service: str, account: str, password: str) -> None:
            raise RuntimeError(password)

    monkeypatch.setitem(sys.modules, "keyring", Broken())
    with pytest.raises(InvalidKey) as caught:
        save_to_keyring(Key.from_bytes(RAW))
    assert caught.value.code == "keyring-unavailable"
    assert RAW.hex() not in "".join(traceback.format_exception(caught.value))


def test_without_the_keyring_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(InvalidKey) as caught:
        Key.from_keyring()
    assert caught.value.code == "keyring-unavailable"
    assert "keyring" in caught.value.advice
    assert find_key(create=True).source == "file"


@pytest.mark.parametrize("text", ["", None, 5, "\udc80"])
def test_a_passphrase_that_cannot_be_used(text: object) -> None:
    with pytest.raises(InvalidKey):
        Passphrase(text)


@pytest.mark.parametrize("cost", [(0, 8192), (1, 1), (1000, 8192), (1, 2**31)])
def test_a_cost_out_of_bounds(cost: tuple[int, int]) -> None:
    with pytest.raises(InvalidKey):
        Passphrase("horse", passes=cost[0], memory_kib=cost[1])


def test_a_key_file_is_whole_from_the_first_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "key"
    seen: list[str] = []

    def looking(handle: int) -> None:
        seen.append(path.read_text() if path.exists() else "")
        fsync(handle)

    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", looking)
    write_key_file(path, Key.from_bytes(RAW))
    assert seen[0] == ""
    assert [one.name for one in tmp_path.iterdir()] == ["key"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_of_two_that_make_a_key_at_once_both_use_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORGETGUARD_KEY", raising=False)
    path = tmp_path / "key"
    generate = Key.generate

    def late() -> Key:
        monkeypatch.setattr(Key, "generate", generate)
        write_key_file(path, Key.from_bytes(RAW))
        return generate()

    monkeypatch.setattr(Key, "generate", late)
    found = find_key(create=True, path=path)
    assert (found.key.reveal(), found.created) == (RAW, False)


def test_of_two_that_make_a_key_in_the_keyring_at_once_both_use_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A keyring overwrites: without a lock both see none, and the first one's ledger never opens again."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "keyring", FakeKeyring())
    save, others = keys.save_to_keyring, []
    other = threading.Thread(target=lambda: others.append(find_key(create=True)))

    def late(key: Key) -> None:
        monkeypatch.setattr(keys, "save_to_keyring", save)
        other.start()
        other.join(0.3)
        keyring = sys.modules["keyring"]
        keyring.set_password(keys.KEYRING_SERVICE, "ledger", key.reveal().hex())

    monkeypatch.setattr(keys, "save_to_keyring", late)
    made = find_key(create=True)
    other.join()
    assert others[0].key.reveal() == made.key.reveal() == Key.from_keyring().reveal()


def test_a_key_half_written_is_taken_away_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a file system without hard links the key is written under its own name."""

    def refused(*_paths: object) -> None:
        raise PermissionError

    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, "no space")

    fsync, calls = os.fsync, []

    def second_time(handle: int) -> None:
        calls.append(handle)
        (full if len(calls) == 2 else fsync)(handle)

    monkeypatch.setattr(os, "link", refused)
    monkeypatch.setattr(os, "fsync", second_time)
    with pytest.raises(InvalidKey):
        write_key_file(tmp_path / "key", Key.from_bytes(RAW))
    assert list(tmp_path.iterdir()) == []
    write_key_file(tmp_path / "key", Key.from_bytes(RAW))
    assert Key.from_file(tmp_path / "key").reveal() == RAW


def test_a_key_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidKey) as caught:
        write_key_file(tmp_path / "file" / "key", Key.from_bytes(RAW))
    assert caught.value.code == "key-unreadable"
