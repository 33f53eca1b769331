"""Every error that forgetguard raises, in one tree.

    ForgetGuardError
    ├── InvalidInput                 what the caller gave cannot be used
    │   ├── InvalidText
    │   ├── InvalidVector
    │   └── InvalidKey
    ├── BackendUnavailable           the rules core that was asked for is not installed
    ├── ModelUnavailable             an embedding model cannot be loaded
    ├── UnknownEntry                 no forgotten fact has this id
    ├── TextUnreadable               a fact's text could not be read, so nothing was deleted
    ├── LedgerUnavailable            the ledger cannot be trusted now; `.code` says why
    ├── LedgerFull                   no place for another record; nothing was written
    └── Refused                      a destructive step was refused before it touched anything

Messages are constants: they never quote a memory, a key or a path's content, so an error can be logged anywhere.
`advice` says what to do next; `code` is stable and meant for programs; `exit_code` is what the command line returns.
"""

from __future__ import annotations

from typing import ClassVar


class ForgetGuardError(Exception):
    """Root of the tree: `except ForgetGuardError` catches everything forgetguard raises on purpose."""

    code: str = "error"
    advice: str = "This is a fault in forgetguard; please report it with the output of `forgetguard doctor`."
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, code: str | None = None, advice: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code
        if advice is not None:
            self.advice = advice


class InvalidInput(ForgetGuardError, ValueError):
    """The caller gave something that cannot be used; nothing was read or written."""

    code = "invalid-input"
    advice = "Check the argument against the documentation of the call."
    exit_code = 2


class InvalidText(InvalidInput):
    """A text is not a string, or is empty where a fact is needed."""

    code = "invalid-text"
    advice = "Pass the fact as a non-empty str."


class InvalidVector(InvalidInput):
    """A vector is empty, holds NaN or infinity, is all zero, or has another length than its model's."""

    code = "invalid-vector"
    advice = "Pass the embedding as finite numbers (list, array, numpy array or float32 bytes), all from one model."


class InvalidKey(InvalidInput):
    """A key has the wrong length or form."""

    code = "invalid-key"
    advice = "A key is 32 random bytes; `forgetguard init` makes one."


class BackendUnavailable(ForgetGuardError, ImportError):
    """The rules implementation that was asked for cannot be used."""

    code = "backend-unavailable"
    advice = "Install a wheel with the native core, or set FORGETGUARD_BACKEND=auto."
    exit_code = 2


class ModelUnavailable(ForgetGuardError):
    """An embedding model is absent or damaged; rules go on with words alone."""

    code = "model-unavailable"
    advice = "Check the model directory: it needs model.onnx and tokenizer.json, and the extra `onnx` installed."


class UnknownEntry(ForgetGuardError, LookupError):
    """No forgotten fact has this id."""

    code = "unknown-entry"
    advice = "List the known ids with `forgetguard list`."
    exit_code = 5


class TextUnreadable(ForgetGuardError):
    """The text behind an id could not be read, so it cannot be recorded; nothing was deleted."""

    code = "text-unreadable"
    advice = "Make `fetch` return the stored text of every id, then forget again."


class LedgerUnavailable(ForgetGuardError):
    """The ledger is there no longer, or cannot be trusted. It is never taken for an empty one."""

    code = "unavailable"
    advice = "Run `forgetguard ledger verify`; automatic writes are deferred until the ledger can be read again."


class LedgerFull(ForgetGuardError):
    """The ledger has no place for another record; nothing was written and the host should not delete."""

    code = "ledger-full"
    advice = "Release an entry that is no longer needed, free disk space, or raise `max_entries`."


class Refused(ForgetGuardError):
    """A destructive step was refused, or its confirmation is missing; nothing was touched."""

    code = "refused"
    advice = "Read the reason, then repeat with the confirmation that the command asks for."
    exit_code = 4
