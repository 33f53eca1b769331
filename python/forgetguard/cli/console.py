"""What goes to the terminal: JSON on stdout, messages on stderr, texts without control characters."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from io import TextIOWrapper
from typing import Any

import click

VERSION = 1
MOST_SHOWN = 500  # characters of one text in a list; --json has the whole


def emit(schema: str, **fields: Any) -> None:
    """One JSON object on one line of stdout."""
    write(json.dumps({"schema": f"forgetguard.{schema}", "version": VERSION, **fields}) + "\n")


def write(text: str) -> None:
    """Text to stdout as UTF-8, whatever the terminal claims; a lone surrogate becomes U+FFFD. Raises OSError."""
    output = stdout()
    output.flush()
    output.buffer.write(text.encode("utf-8", "replace"))


def stdout() -> TextIOWrapper:
    """The standard output. Raises OSError where it is closed."""
    if not isinstance(sys.stdout, TextIOWrapper):
        raise OSError("the standard output is closed")
    return sys.stdout


def say(text: str = "") -> None:
    """A line for a person, on stdout."""
    write(text + "\n")


def tell(text: str) -> None:
    """A line about the work, on stderr."""
    click.echo(text, err=True)


def report_error(as_json: bool, code: str, message: str, advice: str, exit_code: int) -> int:
    """Show an error; its exit code."""
    if as_json:
        with suppress(OSError):  # nobody can be told on stdout where stdout is what failed
            emit("error", ok=False, error={"code": code, "message": message, "advice": advice})
            stdout().flush()
    tell(f"error: {message} [{code}]")
    if advice:
        tell(f"  {advice}")
    return exit_code


def printable(text: str) -> str:
    """The text on one line, with control characters shown and not sent: a memory must not steer a terminal."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def excerpt(text: str, most: int) -> str:
    """The text on one line as `printable` shows it, or its beginning: a list stays a list."""
    left = len(text) - most
    return printable(text[:most]) + (f"… (and {left:,} more characters)" if left > 0 else "")


def word(value: object) -> str:
    """A value for a person: `yes`, `no`, `none`, and counts by their names."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        value = ", ".join(f"{name} {count}" for name, count in value.items())
    return "none" if value is None or value == "" else str(value)


def stamp(seconds: float) -> str:
    """Local date and time of a Unix time."""
    from datetime import datetime

    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")


class Progress:
    """How far a file is read, on stderr: a line that renews itself on a terminal, else one every few seconds."""

    def __init__(self, total: int | None) -> None:
        import time

        self._clock = time.monotonic
        self._total = total
        self._every = 0.1 if sys.stderr.isatty() else 2.0
        self._next = self._clock() + self._every
        self._shown = False

    def at(self, position: int, lines: int) -> None:
        """Show the progress, if it is time."""
        if self._total and self._clock() >= self._next:
            self._next = self._clock() + self._every
            self._show(f"{min(position * 100 // self._total, 100)} % ({lines} lines)")

    def done(self) -> None:
        """Leave the line."""
        if self._shown and sys.stderr.isatty():
            click.echo("", err=True)

    def _show(self, text: str) -> None:
        self._shown = True
        click.echo(f"\r{text}" if sys.stderr.isatty() else text, err=True, nl=not sys.stderr.isatty())
