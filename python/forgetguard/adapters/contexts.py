"""Context variables: how a host's call tells what runs below it, in other threads and coroutines too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Value = TypeVar("Value")


@contextmanager
def held(variable: ContextVar[Value], value: Value) -> Iterator[Value]:
    """The variable holds this value for the length of the block."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)
