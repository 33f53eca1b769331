"""Fixtures for tests that need a guard: a private home, a key, an open guard. A conftest imports what it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from forgetguard.guard import ForgetGuard
from forgetguard.keys import Key

KEY = bytes(range(32))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Everything of the user's lies under the test's own directory."""
    for name in ("DATA", "CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    for name in ("KEY", "LEDGER", "KEY_FILE", "CONFIG", "PASSPHRASE", "ALIASES", "MODEL"):
        monkeypatch.delenv(f"FORGETGUARD_{name}", raising=False)
    return tmp_path


@pytest.fixture
def key() -> Key:
    return Key.from_bytes(KEY)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vault" / "ledger.sqlite"


@pytest.fixture
def open_guard(path: Path, key: Key) -> Iterator[Callable[..., ForgetGuard]]:
    """Opens guards over one ledger, made at the first call; all are closed at the end."""
    opened: list[ForgetGuard] = []

    def open_one(**options: Any) -> ForgetGuard:
        given = {"key": key, "create": True, "strict": True, **options}
        opened.append(ForgetGuard.open(path, **given))
        return opened[-1]

    yield open_one
    for one in opened:
        one.close()


@pytest.fixture
def guard(open_guard: Callable[..., ForgetGuard]) -> ForgetGuard:
    return open_guard()
