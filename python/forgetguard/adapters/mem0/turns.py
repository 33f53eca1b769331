"""One call of `add` or `update`: whose memory it is about, and what was left out of it.

mem0 tells neither its model nor its message log whose turn it is. So the call stands in a context variable, which
follows it into the worker threads of `AsyncMemory`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple

from forgetguard.adapters.contexts import held
from forgetguard.errors import Refused
from forgetguard.hooks import Hooks
from forgetguard.values import Action, Candidate


class Scope(NamedTuple):
    """mem0's words for whose memory it is; what the vault function is asked with."""

    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Scope:
        """From the arguments of a call or the payload of a row; trimmed, as mem0 trims them."""
        return cls(*(None if fields.get(name) is None else str(fields[name]).strip() for name in cls._fields))


@dataclass(slots=True)
class Turn:
    """One call. `explicit`: the user asked for it, so nothing is left out. `left_out` counts what was."""

    hooks: Hooks
    explicit: bool = False
    left_out: int = 0

    def stores(self, text: object, action: Action = Action.ADD, target: str | None = None) -> bool:
        """Whether a text may be stored; what is no text may."""
        if self.explicit or not isinstance(text, str):
            return True
        stored = bool(self.hooks.extraction([Candidate(text, action, target=target)]).store)
        self.left_out += not stored
        return stored

    def ask(self, text: object, action: Action, target: str | None = None) -> None:
        """Raises Refused where a text may not be stored."""
        if not self.stores(text, action, target):
            raise Refused("the guard does not let this memory be stored")

    def shortened(self, text: str, *, unread: bool) -> str:
        """A raw turn without the clauses that restate something forgotten; empty where nothing is left of it.

        It is asked anew with every call that replays the turn, so nothing is put into the review queue. `unread`:
        whether the turn stands as it is while the ledger is unavailable; otherwise nothing is left of it then.
        """
        answer = self.hooks.guard.scrub(text)
        if answer.degraded:
            return text if unread else ""
        return "" if answer.empty else answer.text


_current: ContextVar[Turn | None] = ContextVar("forgetguard_mem0_turn", default=None)


def current() -> Turn | None:
    """The call that is running, if a guarded method began it."""
    return _current.get()


def running(turn: Turn) -> AbstractContextManager[Turn | None]:
    """For the length of one call."""
    return held(_current, turn)
