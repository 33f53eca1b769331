"""The async twin of a method: the same call on a worker thread. asyncio is imported when one is first awaited."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

Owner = TypeVar("Owner")
Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


def twin(
    method: Callable[Concatenate[Owner, Arguments], Answer],
) -> Callable[Concatenate[Owner, Arguments], Coroutine[Any, Any, Answer]]:
    """`acheck = twin(check)`: same arguments, same answer, same errors."""

    @wraps(method)
    async def call(self: Owner, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        import asyncio

        return await asyncio.to_thread(method, self, *args, **kwargs)

    call.__name__ = f"a{method.__name__}"
    call.__qualname__ = f"{method.__qualname__.rpartition('.')[0]}.{call.__name__}"
    return cast(Callable[Concatenate[Owner, Arguments], Coroutine[Any, Any, Answer]], call)
