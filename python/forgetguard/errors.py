"""Every error that forgetguard raises, in one tree.

    ForgetGuardError
    ├── InvalidInput                 what the caller gave cannot be used
    │   ├── InvalidText
    │   ├── InvalidVector
    │   └── InvalidKey
    ├── BackendUnavailable           the rules core that was asked for is not installed
    ├── MissingExtra                 the package of a host that is to be guarded is not installed
    ├── HostChanged                  the installed version of a host lacks a place that its adapter hooks
    ├── ModelUnavailable             an embedding model cannot be loaded
    ├── UnknownEntry                 no forgotten fact has this id
    ├── TextUnreadable               a fact's text could not be read, so nothing was deleted
    ├── LedgerUnavailable            the ledger cannot be trusted now; `.code` says why
    ├── LedgerFull                   no place for another record; nothing was written
    ├── StoreUnreadable              a database of memories or of their origins cannot be read now; `.code` says why
    ├── StoreUnwritable              a record of where memories come from could not be written; `.code` says why
    ├── Forgotten                    a session was forgotten while work on it was running; nothing of it may be stored
    ├── NothingMatched               a selector matched nothing; nothing was written
    ├── PurgeFailed                  a step of a purge failed; running it again finishes it
    └── Refused                      a destructive step was refused before it touched anything

Messages are constants: they never quote a memory, a key or a path's content, so an error can be logged anywhere.
`advice` says what to do next; `code` is stable and meant for programs; `exit_code` is what the command line returns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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


class MissingExtra(ForgetGuardError, ImportError):
    """The package that an adapter is for is not installed."""

    code = "missing-extra"
    advice = "Install the extra of that host: pip install 'forgetguard[NAME]'."
    exit_code = 2

    @classmethod
    def of(cls, extra: str) -> MissingExtra:
        """The error for one extra, with the line that installs it."""
        return cls("the package of this host is not installed", advice=f"pip install 'forgetguard[{extra}]'")


class HostChanged(ForgetGuardError):
    """The installed version of a host lacks a place that its adapter hooks, or has changed it; nothing was hooked."""

    code = "host-changed"
    advice = "Install the version of the host that its page in docs/hosts names as tested."

    @classmethod
    def at(cls, places: Iterable[str]) -> HostChanged:
        """The error for these places, by their names in the host's code."""
        return cls(
            "the installed version of the host lacks places that are to be hooked",
            advice=f"{cls.advice} Not as expected: {', '.join(places)}.",
        )


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
    """The ledger is there no longer, or cannot be trusted. It is never taken for an empty one.

    One class, a stable `code` a cause (the keys of `CAUSES`), and for each cause its own message and advice.
    """

    code = "unavailable"
    advice = "Run `forgetguard ledger verify`; automatic writes are deferred until the ledger can be read again."

    CAUSES: ClassVar[Mapping[str, tuple[str, str]]] = {
        "missing": (
            "there is no ledger at this path",
            "`forgetguard init` makes one. If there was one before, put the file back or restore an export; "
            "`forgetguard ledger accept-loss --yes` starts again without it.",
        ),
        "replaced": (
            "another file stands where the ledger was",
            "Put the ledger's own file back (with its -wal file) and open it again. If the other file is meant, "
            "`forgetguard ledger accept-loss --yes` adopts it.",
        ),
        "wrong-key": (
            "the key does not open this ledger",
            "Give the key that the ledger was made with, or the one it was last re-keyed to. Nothing was changed.",
        ),
        "no-key": (
            "the key of this ledger cannot be read",
            "`forgetguard doctor` says why; `forgetguard init` makes key and ledger where there are none.",
        ),
        "damaged": (
            "the ledger file is damaged",
            "Keep the file, then restore the last export with `forgetguard ledger restore`.",
        ),
        "rolled-back": (
            "the ledger is older than what this device last wrote to it",
            "An older copy was put back. Bring the newer file back, or merge an export of it; "
            "`forgetguard ledger accept-loss --yes` goes on without what is missing.",
        ),
        "emptied": (
            "the ledger was emptied from outside",
            "Restore the file or an export; `forgetguard ledger accept-loss --yes` starts again without it.",
        ),
        "newer-format": (
            "the ledger was written by a newer version of forgetguard",
            "Upgrade forgetguard. Nothing was changed.",
        ),
        "unreadable": (
            "the ledger file cannot be opened for reading and writing",
            "Check owner and permissions of the file and its folder (0600 and 0700), and that the disk can be written.",
        ),
        "locked": (
            "another process kept the ledger locked for longer than the wait",
            "Try again, or open the ledger with a longer `wait`; end the process that holds it.",
        ),
        "io": (
            "the disk reported an error; nothing was recorded",
            "Check the disk and its free space, then try again.",
        ),
        "unsupported-filesystem": (
            "the ledger lies on a network, FUSE or cloud-synced file system, where SQLite's locks cannot be trusted",
            "Keep it on a local disk and use `forgetguard ledger export` for copies, or allow the file system by name.",
        ),
        "not-a-ledger": (
            "this is not a forgetguard ledger",
            "Check the path; a ledger is one file made by `forgetguard init`. Nothing was changed.",
        ),
        "unsupported-sqlite": (
            "the SQLite library of this Python is older than 3.37",
            "Use a Python that is linked with SQLite 3.37 or newer.",
        ),
        "closed": (
            "the ledger was closed",
            "Open it again with `Ledger.open`.",
        ),
    }

    def __init__(self, message: str, *, code: str | None = None, advice: str | None = None) -> None:
        if advice is None and code is not None and code in self.CAUSES:
            advice = self.CAUSES[code][1]
        super().__init__(message, code=code, advice=advice)

    @classmethod
    def because(cls, code: str) -> LedgerUnavailable:
        """The error of one cause, with its message and its advice."""
        return cls(cls.CAUSES[code][0], code=code)


class LedgerFull(ForgetGuardError):
    """The ledger has no place for another record; nothing was written and the host should not delete."""

    code = "ledger-full"
    advice = "Release an entry that is no longer needed, free disk space, or raise `max_entries`."


class StoreUnreadable(ForgetGuardError):
    """A database of memories, or of where they came from, cannot be read now. It is never taken for an empty one."""

    code = "unreadable"
    advice = "Check that the file is there and is a SQLite database; if its host crashed, let the host open it once."


class StoreUnwritable(ForgetGuardError):
    """A record of where memories come from could not be written: nothing of it was, so the memory may not be either."""

    code = "unwritable"
    advice = "Check the disk, its free space and the owner of the file, then do the whole write again."


class Forgotten(ForgetGuardError):
    """The session was forgotten while work on it was running: roll the work back, store nothing of it."""

    code = "forgotten"
    advice = "Drop the work; `forgetguard tombstone list` shows the sessions that may not come back."


class NothingMatched(ForgetGuardError, LookupError):
    """A selector resolved to nothing, so nothing was written."""

    code = "nothing-matched"
    advice = "Ids are exact and case-sensitive; check them, or pass `--allow-unresolved` to bar an unknown one."
    exit_code = 5


class PurgeFailed(ForgetGuardError):
    """A step of a purge failed. What was done is journaled and reported; running the purge again finishes it."""

    code = "purge-failed"
    advice = "Read `steps` in the report, remove the cause (space, permissions), and run the same purge again."


class Refused(ForgetGuardError):
    """A destructive step was refused, or its confirmation is missing; nothing was touched."""

    code = "refused"
    advice = "Read the reason, then repeat with the confirmation that the command asks for."
    exit_code = 4
