"""A memory tool that tells the model when nothing was saved."""

from __future__ import annotations

from contextvars import ContextVar
from functools import wraps
from typing import Any

from forgetguard.adapters.contexts import held

NOT_SAVED = "Not saved: this may not be stored. Do not say that it was, and do not try again."

_heard: ContextVar[list[bool] | None] = ContextVar("forgetguard_langgraph_refusals", default=None)


def refused() -> None:
    """Called by the store for each put that it leaves out. A worker thread writes into its caller's list."""
    heard = _heard.get()
    if heard is not None:
        heard.append(True)


def told(tool: Any) -> Any:
    """A tool (LangMem's `create_manage_memory_tool`, any StructuredTool) that answers NOT_SAVED where nothing was.

    Without it the tool says "created memory …" for a put that the store left out, and the model passes that on.
    """
    return tool.model_copy(update={"func": _telling(tool.func), "coroutine": _atelling(tool.coroutine)})


def _telling(function: Any) -> Any:
    if function is None:
        return None

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        heard: list[bool] = []
        with held(_heard, heard):
            answer = function(*args, **kwargs)
        return NOT_SAVED if heard else answer

    return call


def _atelling(coroutine: Any) -> Any:
    if coroutine is None:
        return None

    @wraps(coroutine)
    async def call(*args: Any, **kwargs: Any) -> Any:
        heard: list[bool] = []
        with held(_heard, heard):
            answer = await coroutine(*args, **kwargs)
        return NOT_SAVED if heard else answer

    return call
