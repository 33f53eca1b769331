"""What a tool is, and what every tool works on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from forgetguard.adapters.mcp.arguments import Arguments
from forgetguard.adapters.mcp.schemas import Schema, choice, code, moment, name, or_null
from forgetguard.adapters.mcp.tokens import Token, Tokens
from forgetguard.guard import Decision, ForgetGuard
from forgetguard.hooks import Hooks
from forgetguard.purge import Home, Host
from forgetguard.values import Entry

Answer = dict[str, Any]
"""The structured content of a result: JSON values, and no text of a memory."""


@dataclass(frozen=True, slots=True)
class Served:
    """The vault, the host that can be purged, where a purge keeps what is its own, and the tokens that are out.

    `host` reads the description of the host anew, and raises InvalidInput where there is none.
    """

    guard: ForgetGuard
    host: Callable[[], Host]
    home: Home
    tokens: Tokens

    @property
    def hooks(self) -> Hooks:
        """The hooks of the vault, for writes that name no session."""
        return Hooks(self.guard)

    def need_ledger(self) -> None:
        """Raises LedgerUnavailable, where deciding would only be degraded and what is known be out of date."""
        self.guard.with_ledger(lambda ledger: ledger.version)

    @contextmanager
    def hosting(self) -> Iterator[Host]:
        """The host, with its files closed afterwards. Raises InvalidInput."""
        host = self.host()
        try:
            yield host
        finally:
            close = getattr(host.lineage, "close", None)
            if close is not None:
                close()


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `takes` and `gives` are JSON Schemas; `run` is sync, total but for ForgetGuardError and OSError.

    `reads`: it changes nothing. `destroys`: what it does is to be confirmed by a person. `repeats`: doing it again with
    the same arguments does nothing more.
    """

    name: str
    title: str
    about: str
    takes: Schema
    gives: Schema
    run: Callable[[Served, Arguments], Answer]
    reads: bool = False
    destroys: bool = False
    repeats: bool = False


NOT_SAVED: Final = (
    "Not saved, in whole or in part: it restates something that the user asked to forget. Do not say that it was saved."
)
NOT_NOW: Final = (
    "Not saved for now: what the user asked to forget cannot be read. Do not say that it was saved; try again later."
)
REFUSED: Final = "Not saved: nothing of this session may be stored. Do not say that it was saved."

TOKEN: Mapping[str, Schema] = {"token": name("good once"), "expires_at": moment()}
"""What a preview gives with its token."""

DECISION: Mapping[str, Schema] = {
    "action": choice(*(one.value for one in Decision)),
    "reason": code("why, as a stable code"),
    "entry": or_null(name("the entry that it restates")),
}


def decision(action: Decision, reason: str, entry: Entry | None) -> Answer:
    """What a client is told of a decision."""
    return {"action": action.value, "reason": reason, "entry": id_of(entry)}


def handed_out(token: Token) -> Answer:
    """A token as a preview gives it."""
    return {"token": token.value, "expires_at": date(token.expires_at)}


def date(seconds: float) -> str:
    """A Unix time as ISO 8601 in UTC, whole seconds."""
    return datetime.fromtimestamp(int(seconds), UTC).isoformat().replace("+00:00", "Z")


def note(decisions: Iterable[Decision]) -> str:
    """What the client is to say about these decisions: a constant sentence, or nothing where all was stored."""
    made = set(decisions)
    if made & {Decision.DROP, Decision.HOLD}:
        return NOT_SAVED
    return NOT_NOW if Decision.DEFER in made else ""


def id_of(entry: Entry | None) -> str | None:
    """All that a client may know of an entry."""
    return None if entry is None else entry.id
