"""Options that commands share, and how a text comes in."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import click

from forgetguard.cli.console import tell
from forgetguard.errors import InvalidText
from forgetguard.guard import ForgetGuard, Use
from forgetguard.guard.settings import Settings
from forgetguard.keys import Passphrase

MAX_INPUT = 16 * 1024 * 1024  # bytes; the longest text that a ledger takes

USES = click.Choice([use.value for use in Use])

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Common:
    """The shared options of one call. `ledger_given`: --ledger names the ledger."""

    settings: Settings
    as_json: bool
    configuration: Path = field(default_factory=lambda: Settings.file(None))
    ledger_given: bool = False

    def guard(self, *, create: bool = False) -> ForgetGuard:
        """The guard, with its ledger open. Raises LedgerUnavailable, InvalidKey."""
        return self.settings.open_guard(create=create, strict=True)


def common(command: Command) -> Command:
    """Adds --json, --ledger, --key-file, --config and --passphrase; the function gets a `Common` first."""
    from functools import wraps

    @click.option("--json", "as_json", is_flag=True, help="JSON on stdout, one object a line.")
    @click.option("--ledger", type=click.Path(path_type=Path), help="The ledger, if not the default one.")
    @click.option("--key-file", type=click.Path(path_type=Path), help="The key file, if not the default one.")
    @click.option("--config", type=click.Path(path_type=Path), help="The configuration file, if not the default one.")
    @click.option("--passphrase", is_flag=True, help="Ask for a passphrase instead of using a key.")
    @wraps(command)
    def call(
        *args: Any,
        as_json: bool,
        ledger: Path | None,
        key_file: Path | None,
        config: Path | None,
        passphrase: bool,
        **kwargs: Any,
    ) -> Any:
        settings = Settings.load(config)
        if ledger is not None:
            settings = replace(settings, ledger=ledger)
        if key_file is not None:
            settings = replace(settings, key_file=key_file)
        if passphrase:
            settings = replace(settings, passphrase=Passphrase(click.prompt("Passphrase", hide_input=True, err=True)))
        return command(Common(settings, as_json, Settings.file(config), ledger is not None), *args, **kwargs)

    return call  # type: ignore[return-value]  # click calls it by keyword, as it would the original


def text_argument(command: Command) -> Command:
    """Adds the optional TEXT argument."""
    return click.argument("text", required=False)(command)


ARGUMENT_WARNING = (
    "Warning: everyone who can list processes sees TEXT given as an argument, and your shell's history keeps it. "
    "Prefer stdin."
)


def read_text(argument: str | None) -> str:
    """The text given as an argument, else stdin to its end. Raises InvalidText where it is no text."""
    if argument is not None and argument != "-":
        return _sound(argument)
    need_stdin()
    if sys.stdin.isatty():
        tell("Type the text, then Enter and Ctrl-D.")
    data = sys.stdin.buffer.read(MAX_INPUT + 1)
    if len(data) > MAX_INPUT:
        raise InvalidText("the text is longer than 16 MiB", advice="Give one fact, or use `forgetguard filter`.")
    return _sound(decoded(data).strip("\r\n"))


def need_stdin() -> None:
    """Raises InvalidText where the standard input is closed."""
    if sys.stdin is None:
        raise InvalidText("the standard input is closed", advice="Pipe the text in, or give it as an argument.")


def decoded(data: bytes) -> str:
    """Bytes as text. Raises InvalidText where they are not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidText("the input is not valid UTF-8", advice="Convert it first, for example with iconv.") from None


def _sound(text: str) -> str:
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise InvalidText("the text is not valid UTF-8", advice="Convert it first, for example with iconv.")
    if "\0" in text:
        raise InvalidText("the input holds NUL characters, so it is not text", advice="Check what is piped in.")
    if not text.strip():
        raise InvalidText("the text is empty", advice="Pipe the text in, or give it as an argument.")
    return text
