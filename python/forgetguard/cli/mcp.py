"""mcp: the server for agents that speak the Model Context Protocol."""

from __future__ import annotations

import sys

import click

from forgetguard.adapters.mcp import DEFAULT_SECONDS, serve
from forgetguard.cli.console import tell
from forgetguard.cli.options import Common, common
from forgetguard.cli.purging import Place, placed


@click.command()
@click.option(
    "--confirm-within",
    type=click.FloatRange(min=0, min_open=True),
    default=DEFAULT_SECONDS,
    show_default=True,
    help="Seconds for which the token of a preview is good.",
)
@placed
@common
def mcp(common: Common, here: Place, confirm_within: float) -> None:
    """Serve one MCP client over stdin and stdout; a client starts it by itself.

    One process is one vault: --ledger (or FORGETGUARD_LEDGER) says whose. Without a ledger or a key it answers too,
    with the code of what is missing.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        tell("Waiting for an MCP client on stdin; a client starts this by itself. Ctrl-D ends it.")
    with common.settings.open_guard(late_key=True) as guard:
        serve(guard, here.host, here.home, token_seconds=confirm_within)
