"""The command line. Parse, call the guard, print; nothing is decided here.

Exit codes: 0 done, 1 residue or failed, 2 usage, 3 cannot prove, 4 refused or confirmation missing, 5 nothing matched.
Data goes to stdout, everything else to stderr. With `--json`, stdout holds JSON only.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

import click

from forgetguard.cli.console import report_error, stdout
from forgetguard.errors import ForgetGuardError
from forgetguard.version import VERSION

# Command: where it lives, and its line in the help. A room that is not installed is not shown.
COMMANDS = {
    "demo": ("forgetguard.cli.setup", "See a forgotten fact come back without the guard, and stay away with it."),
    "init": ("forgetguard.cli.setup", "Make the key and the ledger, where there are none."),
    "doctor": (
        "forgetguard.cli.doctor",
        "Say what is installed, if the ledger can be used, and what a host keeps.",
    ),
    "forget": ("forgetguard.cli.facts", "Record that a fact is forgotten."),
    "remember": ("forgetguard.cli.facts", "Release every forgotten fact that a text restates."),
    "check": ("forgetguard.cli.facts", "Say whether a text may be stored."),
    "scrub": ("forgetguard.cli.facts", "Cut what restates a forgotten fact out of a text."),
    "list": ("forgetguard.cli.facts", "Show what is forgotten, to its owner."),
    "release": ("forgetguard.cli.facts", "End the protection of entries."),
    "filter": ("forgetguard.cli.streams", "Pass on the JSON lines that may be stored."),
    "sweep": ("forgetguard.cli.streams", "Find what is stored already and restates a forgotten fact."),
    "review": ("forgetguard.cli.review", "Look at what was dropped or held, and hand it back."),
    "hermes": ("forgetguard.cli.hermes", "Set up the plugin for Hermes Agent."),
    "hook": ("forgetguard.cli.hook", "Commands that a host runs before a tool call (Claude Code)."),
    "ledger": ("forgetguard.cli.ledger", "Status, verification, keys and copies of the ledger."),
    "mcp": ("forgetguard.cli.mcp", "Serve the guard to an agent, over the Model Context Protocol."),
    "model": ("forgetguard.cli.model", "Embedding models: add, list, calibrate, reembed."),
    "purge": ("forgetguard.cli.purge", "Delete every memory of a session, a person or a source, and prove it."),
    "memory": ("forgetguard.cli.memory", "Forget on the state directory of a host that is known here (OpenClaw)."),
    "tombstone": ("forgetguard.cli.purge", "Sessions that may not come back."),
    "receipts": ("forgetguard.cli.purge", "Signed receipts of purges."),
}


class Commands(click.Group):
    """The groups, each imported when it is asked for, so that the command line starts quickly."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return [name for name, (module, _) in COMMANDS.items() if find_spec(module) is not None]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        found = getattr(import_module(COMMANDS[cmd_name][0]), _function_name(cmd_name))
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, COMMANDS[name][1]) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _function_name(command: str) -> str:
    """`list` and `filter` are built-in names of Python; their functions have a trailing underscore."""
    return f"{command}_" if command in ("list", "filter") else command


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="forgetguard")
def root() -> None:
    """Keep what a user asked to forget from coming back.

    Texts are read from stdin. Exit codes: 0 done, 1 residue or failed, 2 usage, 3 cannot prove, 4 refused or
    confirmation missing, 5 nothing matched.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code. Never a traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in given
    try:
        answer = root.main(args=given, prog_name="forgetguard", standalone_mode=False)
        stdout().flush()
        return answer if isinstance(answer, int) else 0
    except click.exceptions.Exit as stop:
        return int(stop.exit_code)
    except click.Abort:
        return report_error(as_json, "aborted", "stopped at the prompt", "", 4)
    except click.ClickException as error:
        return report_error(as_json, "usage", _usage(error), f"See `{_asked(error)} --help`.", 2)
    except ForgetGuardError as error:
        return report_error(as_json, error.code, str(error), error.advice, error.exit_code)
    except BrokenPipeError:
        # Whoever read our output has enough.
        _leave_stdout()
        return 1
    except KeyboardInterrupt:
        return 130
    except OSError:
        code = report_error(
            as_json, "io", "a file could not be read or written", "Check paths, permissions and space.", 1
        )
        _leave_stdout()
        return code
    except Exception as error:  # noqa: BLE001 - a traceback could show a memory; the class name cannot
        advice = "Please report it with the output of `forgetguard doctor`."
        return report_error(as_json, "fault", f"a fault in forgetguard ({type(error).__name__})", advice, 1)


def _asked(error: click.ClickException) -> str:
    """The command whose help says more: `forgetguard model`, say. Made of commands' own names, so it quotes nothing."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    return context.command_path if context is not None else "forgetguard"


def _usage(error: click.ClickException) -> str:
    """What is wrong with the call; click's own words, but where they would quote a text."""
    if type(error).__name__ == "NoArgsIsHelpError":  # of click 8.2 and newer; its message is the whole help
        return "a command is missing"
    message = error.format_message()
    if "unexpected extra argument" in message:
        return "too many arguments; quote the text, or pipe it in"
    given = error.option_name if isinstance(error, click.NoSuchOption) else _command_of(message)
    if any(char.isspace() for char in given):
        return "a text stands where a command or an option should; pipe it in"
    return message


def _command_of(message: str) -> str:
    """The word that was taken for a command, where click says that there is none of this name."""
    start = "No such command "
    return message.removeprefix(start).rstrip(".").strip("'\"") if message.startswith(start) else ""


def _leave_stdout() -> None:
    """What could not be written stays unwritten, and Python does not complain once more while it exits."""
    try:
        stdout().flush()
    except OSError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - it stays open until the process ends
