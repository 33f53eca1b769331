"""Command hooks of hosts: one process a tool call, the payload on stdin, the answer on stdout.

A call with nothing but sound options does not come here: `__main__` hands it to the adapter, which is quicker.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from forgetguard.adapters.claude_code import Options, settings
from forgetguard.adapters.claude_code.process import Invocation, run
from forgetguard.cli.console import write


@click.group()
def hook() -> None:
    """Commands that a host runs before a tool call."""


@hook.command("claude-code")
@click.option("--memory-file", "memory_files", multiple=True, metavar="GLOB", help="Another memory file; repeatable.")
@click.option("--memory-tool", "memory_tools", multiple=True, metavar="GLOB", help="Another memory tool; repeatable.")
@click.option("--rewrite", is_flag=True, help="Write a whole file without what restates, instead of refusing it.")
@click.option("--ledger", type=click.Path(), help="The ledger, if not the default one.")
@click.option("--key-file", type=click.Path(), help="The key file, if not the default one.")
@click.option("--config", type=click.Path(), help="The configuration file, if not the default one.")
@click.option("--print-settings", is_flag=True, help="Print what goes into Claude Code's settings.json, and stop.")
def claude_code(
    memory_files: tuple[str, ...],
    memory_tools: tuple[str, ...],
    rewrite: bool,
    ledger: str | None,
    key_file: str | None,
    config: str | None,
    print_settings: bool,
) -> int:
    """Claude Code's PreToolUse hook: a tool call that would put a forgotten fact into memory is refused.

    Reads the call from stdin. By words alone; any failure about a memory write blocks it (exit code 2).
    """
    if print_settings:
        write(json.dumps(settings(_command_line()), indent=2) + "\n")
        return 0
    return run(Invocation(Options(memory_files, memory_tools, rewrite), ledger, key_file, config))


def _command_line() -> str:
    """How the host is to call this, with the options that stand here. The host does so from the user's project.

    So the program is named by its full path, and nothing is imported from the folder it is called in.
    """
    import shlex
    from shutil import which

    found = which("forgetguard", path=str(Path(sys.executable).parent))
    program = [found] if found else [sys.executable, "-P", "-m", "forgetguard"]
    return shlex.join([*program, *_options()])


def _options() -> list[str]:
    context = click.get_current_context()
    words = ["hook", "claude-code"]
    for option in context.command.params:
        value = context.params.get(option.name or "")
        if option.name == "print_settings" or not value:
            continue
        for one in value if isinstance(value, tuple) else (value,):
            words += [option.opts[0]] if one is True else [option.opts[0], str(one)]
    return words
