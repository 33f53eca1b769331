"""The process that Claude Code starts for a tool call: the payload on stdin, the answer on stdout, the exit code.

0 with an answer or with none, and 2 for every failure about a write to memory: any other code lets the call through.
The host waits for it at every call, so it imports no more than it needs: the option parser of the command line, for
one, would be a fifth of the time.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Thread
from typing import Final

from forgetguard.adapters.claude_code.answers import answer
from forgetguard.adapters.claude_code.calls import Options, asked_of
from forgetguard.errors import ForgetGuardError, InvalidInput

PASSED: Final = 0
BLOCKED: Final = 2


@dataclass(frozen=True, slots=True)
class Invocation:
    """The options of one call. The paths are None where the user's own settings decide."""

    options: Options = field(default_factory=Options)
    ledger: str | None = None
    key_file: str | None = None
    config: str | None = None


def invocation(arguments: Sequence[str]) -> Invocation | None:
    """The options in `arguments`, or None where the command line has to look: an error in them, or a wish for help."""
    given: dict[str, list[str]] = {}
    rest = list(arguments)
    while rest:
        name = rest.pop(0)
        if name == "--rewrite":
            given[name] = [name]
        elif name in ("--memory-file", "--memory-tool", "--ledger", "--key-file", "--config") and rest:
            given.setdefault(name, []).append(rest.pop(0))
        else:
            return None
    options = Options(
        tuple(given.get("--memory-file", ())), tuple(given.get("--memory-tool", ())), "--rewrite" in given
    )
    paths = (given.get(name, [None])[-1] for name in ("--ledger", "--key-file", "--config"))
    return Invocation(options, *paths)


def run(invoked: Invocation) -> int:
    """Answer the call on stdin; the exit code."""
    try:
        said = _answered(invoked)
        if said is not None:
            sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()
    except ForgetGuardError as error:
        return _blocked(error.code, error.advice)
    except BaseException as error:  # noqa: BLE001 - an interrupt or a fault must not let the write through either
        return _blocked(f"fault {type(error).__name__}", "Please report it with the output of `forgetguard doctor`.")
    return PASSED


def _answered(invoked: Invocation) -> dict[str, object] | None:
    payload, options = _payload(), invoked.options
    if not asked_of(payload, options).texts:
        return None
    _read_words_meanwhile()
    from pathlib import Path

    from forgetguard.guard.settings import Settings
    from forgetguard.hooks import Hooks

    settings = replace(Settings.load(invoked.config), model=None)
    if invoked.ledger is not None:
        settings = replace(settings, ledger=Path(invoked.ledger))
    if invoked.key_file is not None:
        settings = replace(settings, key_file=Path(invoked.key_file))
    with settings.open_guard(strict=True) as guard:
        return answer(payload, Hooks(guard), options)


def _read_words_meanwhile() -> None:
    """Have the native core read its tables of words on another thread, while this one imports the ledger and opens it.

    It does so without Python's lock; the twin could not, and would only read them twice.
    """
    from forgetguard.rules import BACKEND, ForgottenIndex
    from forgetguard.values import Entry

    def read() -> None:
        index = ForgottenIndex()
        index.add([Entry("User", id="-")])
        index.match("User")

    if BACKEND == "native":
        Thread(target=read, daemon=True).start()


def _payload() -> object:
    try:
        return json.loads(sys.stdin.buffer.read())
    except (ValueError, AttributeError, RecursionError):
        # The cause would quote what could not be read; AttributeError is a stdin that is closed.
        raise InvalidInput(
            "the payload is not JSON", code="unknown-payload", advice="Claude Code pipes the call in as JSON."
        ) from None


def _blocked(code: str, advice: str) -> int:
    try:
        sys.stderr.write(f"forgetguard could not check this write to memory, so it was not made [{code}]. {advice}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        pass  # there is nobody to tell; the code says it
    _leave_stdout()
    return BLOCKED


def _leave_stdout() -> None:
    """What could not be written stays unwritten: Python would try again at the exit, and turn the code into 120."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError, AttributeError):
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - it stays open until the process ends
