"""What the user said in the turns that are running, as far as it matters: whether it was a request to forget."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

from forgetguard.adapters.hermes.scope import Scope
from forgetguard.rules import is_forget_request

MOST = 512  # turns; a gateway runs some at once, and each is asked about only while it runs


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: whose it is, and whether its user asked to forget something. The message itself is not kept."""

    scope: Scope
    is_forget_request: bool


class Turns:
    """The latest turns by session and turn: a background review runs under its parent's session id. Thread-safe."""

    def __init__(self) -> None:
        self._turns: OrderedDict[tuple[str, str], Turn] = OrderedDict()
        self._lock = Lock()

    def begin(self, session: str, turn: str, message: object, scope: Scope) -> None:
        """A turn begins with the user's message: a text, or a list of parts."""
        made = Turn(scope, is_forget_request(spoken(message)))
        with self._lock:
            self._turns[session, turn] = made
            while len(self._turns) > MOST:
                self._turns.popitem(last=False)

    def get(self, session: str, turn: str) -> Turn | None:
        """The turn, while it is known."""
        with self._lock:
            return self._turns.get((session, turn))


def spoken(message: object) -> str:
    """The text of a message, without pictures and other parts."""
    if isinstance(message, str):
        return message
    parts = message if isinstance(message, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))
