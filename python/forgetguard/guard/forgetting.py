"""Forgetting around a host's own deletion: intent first, then commit or abort.

1. Every text is read before anything is recorded, and everything is recorded before the host deletes.
2. The block raises an Exception: the deletion is taken as not done, and the new entries end.
3. The block is left otherwise (killed, cancelled, interrupted): nobody knows, so the entries stay active and pending.
4. An entry that stood already is neither committed nor aborted by a later block.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import TracebackType
from typing import Self

from forgetguard.errors import ForgetGuardError
from forgetguard.guard.vault import Vault

log = logging.getLogger("forgetguard")

Intent = Callable[[], tuple[tuple[str, ...], tuple[str, ...]]]


class Forgetting:
    """A context manager, sync and async. `state`: `new`, `intended`, `committed`, `aborted` or `pending`.

    `ids` are the ledger's entries, one a fact, from the moment the block is entered.
    """

    def __init__(self, vault: Vault, intend: Intent) -> None:
        """`intend()` records the intent and answers (all ids, the new ones)."""
        self.ids: tuple[str, ...] = ()
        self.state = "new"
        self._new: tuple[str, ...] = ()
        self._vault = vault
        self._intend = intend

    def __enter__(self) -> Self:
        self.ids, self._new = self._intend()
        self.state = "intended"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._settle("committed")
        elif issubclass(kind, Exception):
            self._settle("aborted")
        else:
            self.state = "pending"

    async def __aenter__(self) -> Self:
        import asyncio

        return await asyncio.to_thread(self.__enter__)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        import asyncio

        await asyncio.to_thread(self.__exit__, kind, error, trace)

    def _settle(self, state: str) -> None:
        new = self._new
        try:
            if new and state == "committed":
                self._vault.call(lambda ledger: ledger.commit(new))
            elif new:
                self._vault.call(lambda ledger: ledger.abort(new))
            self.state = state
        except ForgetGuardError as error:
            # The facts are protected either way, and shown as pending; raising would hide the host's own outcome.
            self.state = "pending"
            log.warning("a forget stays pending: %s", error.code)
