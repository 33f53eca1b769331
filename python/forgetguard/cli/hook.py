"""Command hooks of hosts: one process a tool call, the payload on stdin, the answer on stdout.

Exit code 0 with an answer or with none, and 2 for every failure: any other code lets the call through.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import click

from forgetguard.adapters.claude_code import Options, answer, asked_of, settings
from forgetguard.cli.console import stdout, tell, write
from forgetguard.errors import ForgetGuardError, InvalidInput

BLOCKED = 2


@click.group()
def hook() -> None:
    """Commands that a host runs before a tool call."""


@hook.command("claude-code")
@click.option("--memory-file", "memory_files", multiple=True, metavar="GLOB", help="Another memory file; repeatable.")
@click.option("--memory-tool", "memory_tools", multiple=True, metavar="GLOB", help="Another memory tool; repeatable.")
@click.option("--rewrite", is_flag=True, help="Write a whole file without what restates, instead of refusing it.")
@click.option("--ledger", type=click.Path(path_type=Path), help="The ledger, if not the default one.")
@click.option("--key-file", type=click.Path(path_type=Path), help="The key file, if not the default one.")
@click.option("--config", type=click.Path(path_type=Path), help="The configuration file, if not the default one.")
@click.option("--print-settings", is_flag=True, help="Print what goes into Claude Code's settings.json, and stop.")
def claude_code(
    memory_files: tuple[str, ...],
    memory_tools: tuple[str, ...],
    rewrite: bool,
    ledger: Path | None,
    key_file: Path | None,
    config: Path | None,
    print_settings: bool,
) -> int:
    """Claude Code's PreToolUse hook: a tool call that would put a forgotten fact into memory is refused.

    Reads the call from stdin. By words alone; any failure about a memory write blocks it (exit code 2).
    """
    if print_settings:
        write(json.dumps(settings(_command_line()), indent=2) + "\n")
        return 0
    try:
        _run(Options(memory_files, memory_tools, rewrite), ledger, key_file, config)
        stdout().flush()
    except ForgetGuardError as error:
        return _blocked(error.code, error.advice)
    except BaseException as error:  # noqa: BLE001 - an interrupt or a fault must not let the write through either
        return _blocked(f"fault {type(error).__name__}", "Please report it with the output of `forgetguard doctor`.")
    return 0


def _run(options: Options, ledger: Path | None, key_file: Path | None, config: Path | None) -> None:
    payload = _payload()
    if not asked_of(payload, options).texts:
        return
    from forgetguard.guard.settings import Settings
    from forgetguard.hooks import Hooks

    chosen = Settings.load(config)
    chosen = replace(chosen, ledger=ledger or chosen.ledger, key_file=key_file or chosen.key_file, model=None)
    with chosen.open_guard(strict=True) as guard:
        said = answer(payload, Hooks(guard), options)
    if said is not None:
        write(json.dumps(said) + "\n")


def _payload() -> object:
    try:
        return json.loads(sys.stdin.buffer.read())
    except (ValueError, AttributeError, RecursionError):
        # The cause would quote what could not be read, and AttributeError is a stdin that is closed.
        raise InvalidInput(
            "the payload is not JSON", code="unknown-payload", advice="Claude Code pipes the call in as JSON."
        ) from None


def _blocked(code: str, advice: str) -> int:
    tell(f"forgetguard could not check this write to memory, so it was not made [{code}]. {advice}")
    return BLOCKED


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
