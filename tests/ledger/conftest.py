"""What the ledger's tests share: a private state directory, a key, an open ledger, and a way to look at raw rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from forgetguard.keys import Key
from forgetguard.ledger import Fact, Ledger


@pytest.fixture(autouse=True)
def state_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Marks and key files go under the test's own directory."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("FORGETGUARD_KEY", raising=False)
    return tmp_path / "state"


@pytest.fixture
def key() -> Key:
    return Key.from_bytes(bytes(range(32)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vault" / "ledger.db"


@pytest.fixture
def ledger(path: Path, key: Key) -> Iterator[Ledger]:
    with Ledger.open(path, key, create=True) as opened:
        yield opened


@pytest.fixture
def raw(path: Path) -> Callable[..., list[tuple[object, ...]]]:
    """Runs SQL on the file as somebody else would, without any of our settings."""

    def run(sql: str, *values: object) -> list[tuple[object, ...]]:
        connection = sqlite3.connect(path)
        try:
            with connection:
                return connection.execute(sql, values).fetchall()
        finally:
            connection.close()

    return run


def texts(ledger: Ledger) -> list[str]:
    return [entry.text for entry in ledger.entries()]


def facts(*given: str) -> list[Fact]:
    return [Fact(one) for one in given]
