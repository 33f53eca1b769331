"""Lines that the protocol's own reader cannot read: mended where that is safe, else answered.

The reader drops such a line without an answer, and the client waits for ever. Half a character (a lone surrogate,
sent by a client that cuts text by UTF-16 units) spoils a line for it; Python's reader takes it, and the tool refuses
the text with a code.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import TracebackType

    from mcp.shared.message import SessionMessage


class Mended:
    """A stream of messages in which an unreadable line is a message again, or is answered with a parse error."""

    def __init__(self, messages: Any, answers: Any) -> None:
        self._messages = messages
        self._answers = answers

    @property
    def last_context(self) -> Any:
        """The sender's context of the message that was read last."""
        return getattr(self._messages, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        """The next message."""
        return await self._sound(await self._messages.receive())

    async def aclose(self) -> None:
        """Close the stream."""
        await self._messages.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        return await self._sound(await self._messages.__anext__())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _sound(self, item: SessionMessage | Exception) -> SessionMessage | Exception:
        if not isinstance(item, Exception):
            return item
        message = mended(item)
        if message is None:
            await self._answers.send(_parse_error())
            return item  # without its text nobody can log it; the reader skips it
        return message


def mended(error: Exception) -> SessionMessage | None:
    """The message behind a line that was refused, or None where it is none."""
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCRequest
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return None
    line = error.errors(include_url=False)[0].get("input")
    try:
        return SessionMessage(JSONRPCRequest.model_validate(json.loads(line), by_name=False))
    except (ValueError, TypeError, RecursionError):
        return None


def _parse_error() -> SessionMessage:
    from mcp.shared.message import SessionMessage
    from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError

    error = ErrorData(code=PARSE_ERROR, message="Parse error")
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=error))
