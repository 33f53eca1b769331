"""The protocol around the tools: listing, calling, errors as results, stdin and stdout."""

from __future__ import annotations

import json
import logging
import signal
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from forgetguard.adapters.mcp import deciding, facts, purging
from forgetguard.adapters.mcp.arguments import Arguments, checker
from forgetguard.adapters.mcp.logs import text_free_stderr
from forgetguard.adapters.mcp.tokens import DEFAULT_SECONDS, Tokens
from forgetguard.adapters.mcp.tool import Answer, Served, Tool
from forgetguard.adapters.mcp.wire import Mended
from forgetguard.errors import ForgetGuardError, MissingExtra
from forgetguard.guard import ForgetGuard
from forgetguard.purge import Home, Host
from forgetguard.version import VERSION

if TYPE_CHECKING:
    import mcp_types
    from mcp.server.lowlevel import Server

log = logging.getLogger("forgetguard")

TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in (*facts.TOOLS, *deciding.TOOLS, *purging.TOOLS)}

INSTRUCTIONS = (
    "forgetguard keeps what the user asked to forget from being stored again. Before you store anything that you "
    "extracted, imported or summarised, call `filter` or `scrub` and store only what they leave. When the user asks to "
    "forget something: `forget_preview`, `forget`, and only then delete it from your memory; an update, a merge or "
    "housekeeping is not a wish to forget. When the user asks, in so many words, to remember something: `remember`. "
    "Say that something was not saved where it was not. Results hold no forgotten text; do not guess at it. What an "
    "error advises is for the user to do."
)


def serve(guard: ForgetGuard, host: Callable[[], Host], home: Home, *, token_seconds: float = DEFAULT_SECONDS) -> None:
    """Serve one client over stdin and stdout, until it leaves. Raises MissingExtra.

    `host` gives the host that can be purged, and raises InvalidInput where none is described; `home` is the purge's.
    """
    try:
        import anyio
        import mcp  # noqa: F401 - asked for here, so that a missing extra is told before anything is read
    except ModuleNotFoundError as error:
        if error.name not in ("anyio", "mcp"):
            raise
        raise MissingExtra.of("mcp") from None
    text_free_stderr()
    # The thread that reads stdin cannot be woken, so a KeyboardInterrupt would wait for the client's next line. What is
    # written survives a kill.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        anyio.run(_serve, make_server(Served(guard, host, home, Tokens(token_seconds))))
    except* (BrokenPipeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        log.warning("the client has gone")


async def _serve(server: Server[Any]) -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (messages, answers):
        await server.run(Mended(messages, answers), answers, server.create_initialization_options())


def make_server(served: Served) -> Server[Any]:
    """The server, for any transport."""
    import anyio.to_thread
    from mcp.server.lowlevel import Server
    from mcp.shared.exceptions import MCPError
    from mcp_types import INVALID_PARAMS, ListToolsResult

    checks = {name: checker(tool.takes) for name, tool in TOOLS.items()}
    listed = ListToolsResult(tools=[_listed(tool) for tool in TOOLS.values()])

    async def list_tools(context: object, params: object) -> mcp_types.ListToolsResult:
        del context, params
        return listed

    async def call_tool(context: object, params: mcp_types.CallToolRequestParams) -> mcp_types.CallToolResult:
        del context
        tool = TOOLS.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, "Unknown tool", {"code": "unknown-tool"})
        # Not abandoned when the client gives up: a purge or a forget that has begun is finished.
        return await anyio.to_thread.run_sync(_called, tool, checks[tool.name], served, params.arguments or {})

    server: Server[Any] = Server(
        "forgetguard", version=VERSION, instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool
    )
    server.middleware.clear()  # spans would leave the process with whatever exporter is configured
    return server


def _called(
    tool: Tool, check: Callable[[Arguments], None], served: Served, arguments: Arguments
) -> mcp_types.CallToolResult:
    """The result of one call; whatever goes wrong is a result, too, with a code and without the cause's own words."""
    try:
        check(arguments)
        return _result(tool.run(served, arguments))
    except ForgetGuardError as error:
        log.warning("%s: %s", tool.name, error.code)
        return _failure(error.code, str(error), error.advice)
    except OSError:
        log.warning("%s: io", tool.name)
        return _failure("io", "a file could not be read or written", "Check paths, permissions and space.")
    except Exception as error:  # noqa: BLE001 - its message may quote a memory; the class name cannot
        log.error("%s: a fault, %s", tool.name, type(error).__name__)
        return _failure("fault", "a fault in forgetguard", "Please report it with the output of `forgetguard doctor`.")


def _result(answer: Answer, *, is_error: bool = False) -> mcp_types.CallToolResult:
    """An answer as structured content, and once more as text for clients that read only that."""
    from mcp_types import CallToolResult, TextContent

    text = TextContent(type="text", text=json.dumps(answer, ensure_ascii=False))
    return CallToolResult(content=[text], structured_content=answer, is_error=is_error)


def _failure(code: str, message: str, advice: str) -> mcp_types.CallToolResult:
    return _result({"error": {"code": code, "message": message, "advice": advice}}, is_error=True)


def _listed(tool: Tool) -> mcp_types.Tool:
    from mcp_types import Tool as Listed
    from mcp_types import ToolAnnotations

    hints = ToolAnnotations(
        title=tool.title,
        read_only_hint=tool.reads,
        destructive_hint=tool.destroys,
        idempotent_hint=tool.repeats,
        open_world_hint=False,
    )
    return Listed(
        name=tool.name,
        title=tool.title,
        description=tool.about,
        input_schema=tool.takes,
        output_schema=tool.gives,
        annotations=hints,
    )
