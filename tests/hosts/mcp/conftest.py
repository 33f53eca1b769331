"""A server to talk to, in a home of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from guarding import home
from purge.conftest import world

if TYPE_CHECKING:
    from hosts.mcp.talking import Server

__all__ = ["home", "world"]


@pytest.fixture
def bare(home: Path) -> Server:
    """A server whose user has neither key nor ledger."""
    from hosts.mcp.talking import Server

    return Server(home)


@pytest.fixture
def server(bare: Server) -> Server:
    """A server whose user has both, and has forgotten nothing."""
    bare.guard(create=True).close()
    return bare


@pytest.fixture
def clock() -> Iterator[Callable[[float], float]]:
    """A clock that goes by hand: `clock(3)` lets three seconds go, and says what time it is."""
    now = [100.0]

    def go(seconds: float = 0.0) -> float:
        now[0] += seconds
        return now[0]

    yield go
