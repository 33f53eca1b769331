"""What the seams of one process share: the vaults, and the turns that are running."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Self

from forgetguard.adapters.hermes import answers
from forgetguard.adapters.hermes.reading import Memo, Reader
from forgetguard.adapters.hermes.scope import Scope, current
from forgetguard.adapters.hermes.turns import Turn, Turns
from forgetguard.adapters.vaults import Vault, Vaults
from forgetguard.guard import Use
from forgetguard.hooks import Hooks

log = logging.getLogger("forgetguard")


class Room:
    """`vault`: a ForgetGuard, Hooks, or a function of the `Scope` that answers with one."""

    def __init__(self, vault: Vault | Callable[[Scope], Vault]) -> None:
        self.turns = Turns()
        self._memo = Memo()
        self._vaults: Vaults[Scope] = Vaults(vault)

    def __deepcopy__(self, memo: object) -> Self:
        """Itself: Hermes copies a context engine for each agent, and all of them share the vaults."""
        return self

    def turn(self, session: str, turn: str) -> Turn:
        """The turn; one that is not known asked for nothing. Raises MissingExtra."""
        return self.turns.get(session, turn) or Turn(current(), False)

    def hooks(self, scope: Scope) -> Hooks:
        """The hooks over this scope's vault. Raises whatever opening it raises."""
        return self._vaults.hooks(scope)

    def refusal(self, scope: Callable[[], Scope], texts: Sequence[str]) -> str | None:
        """Why these texts may not be stored, as a sentence for the model; None where they may. Never raises."""
        try:
            answer = self.hooks(scope()).extraction(texts)
        except Exception as error:  # noqa: BLE001 - Hermes carries on with the write when a hook raises
            log.warning("a write was blocked, for it could not be checked: %s", type(error).__name__)
            return answers.FAILED
        if len(answer.store) == len(texts):
            return None
        return answers.UNAVAILABLE if answer.deferred else answers.RESTATED

    def debrief(self, scope: Scope, text: str) -> str:
        """The text as it may be stored; empty where nothing of it may. What is cut goes to its owner's review queue.

        Raises whatever opening the vault raises.
        """
        answer = self.hooks(scope).debrief(text)
        return answer.text or ("" if answer.removed or answer.degraded else text)

    def scrub(self, scope: Scope, text: str) -> str:
        """The same without the review queue: for what was asked about before, as it was said."""
        found = self.hooks(scope).guard.scrub(text, use=Use.SUMMARY)
        return "" if found.empty and (found.removed or found.degraded) else found.text

    def summary(self, text: str) -> str:
        """A summary as it may be kept, never empty: a sentence stands where it was withheld. Never raises."""
        try:
            answer = self.hooks(current()).debrief(text)
        except Exception as error:  # noqa: BLE001 - Hermes must go on with a summary, and not with this one
            log.warning("a summary was withheld, for it could not be checked: %s", type(error).__name__)
            return answers.NO_SUMMARY
        if answer.degraded and answer.text is None:
            return answers.NO_SUMMARY
        return answer.text or (answers.WITHHELD if answer.removed else text)

    def reader(self, scope: Callable[[], Scope]) -> Reader:
        """Reads the texts of one request, or of one result."""
        return Reader(lambda: self.hooks(scope()).guard, self._memo)
