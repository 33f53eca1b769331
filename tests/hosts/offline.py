"""A fixture for tests of hosts that would like to call home: a connection to another machine fails the test."""

from __future__ import annotations

import socket

import pytest


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def only_here(self: socket.socket, address: object) -> None:
        if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            pytest.fail("a connection to another machine was tried")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", only_here)
