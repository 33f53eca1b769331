"""`guard_memory`: the methods of a `Memory` or `AsyncMemory` that read and write, guarded in place.

1. Nothing that restates something forgotten is stored, by extraction, raw (`infer=False`), as a procedural memory or by
   `update`; no history row, entity or "ADD" event of it is made either. `add` says how many were left out.
2. What mem0 replays to its model with every `add` - the last raw turns, the memories it finds - is scrubbed.
3. `search`, `get` and `get_all` do not show it. `delete` and `delete_all` pass and record nothing.
4. Only `remember` of the object that comes back releases, and only its `forget` records.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from forgetguard.adapters.mem0.parts import MessageLog, Model, VectorStore, shows
from forgetguard.adapters.mem0.turns import Scope, Turn, running
from forgetguard.adapters.vaults import Vault, Vaults
from forgetguard.errors import InvalidInput, Refused, TextUnreadable
from forgetguard.guard import ForgetGuard, Forgetting

NOT_UPDATED = "Memory was not updated: this may not be stored."
METHODS = ("add", "update", "get", "get_all", "reset")


def guard_memory(memory: Any, *, vault: Vault | Callable[[Scope], Vault]) -> GuardedMemory | AsyncGuardedMemory:
    """Guard this memory, wherever it is used. `vault`: a guard, its hooks, or a function of the Scope.

    Raises InvalidInput for what is no Memory of mem0's, or is guarded already.
    """
    if not all(callable(getattr(memory, name, None)) for name in METHODS) or not hasattr(memory, "vector_store"):
        raise InvalidInput("this is not a Memory or AsyncMemory of mem0's")
    if isinstance(memory.vector_store, VectorStore):
        raise InvalidInput("this memory is guarded already")
    kind = AsyncGuardedMemory if inspect.iscoroutinefunction(memory.add) else GuardedMemory
    return kind(memory, Vaults(vault))


class _Guarded:
    """What both have in common. `memory` is the one that was given."""

    def __init__(self, memory: Any, vaults: Vaults[Scope]) -> None:
        self.memory = memory
        self._vaults = vaults
        self._own = {name: getattr(memory, name) for name in METHODS}
        for name in METHODS:
            setattr(memory, name, getattr(self, f"_{name}"))
        memory.llm = Model(memory.llm)
        self._take_stores()

    def guard(self, **ids: Any) -> ForgetGuard:
        """The guard of this user_id, agent_id, run_id: for its owner, and for a sweep."""
        return self._vaults.hooks(Scope.of(ids)).guard

    def _take_stores(self) -> None:
        """Stand before the message log and the vector store; `reset` makes new ones."""
        if not isinstance(self.memory.db, MessageLog):
            self.memory.db = MessageLog(self.memory.db)
        if not isinstance(self.memory.vector_store, VectorStore):
            self.memory.vector_store = VectorStore(self.memory.vector_store, self._turn)

    def _turn(self, scope: Scope, *, explicit: bool = False) -> Turn:
        return Turn(self._vaults.hooks(scope), explicit)

    def _beginning(self, messages: Any, options: Mapping[str, Any]) -> tuple[Turn, Any]:
        """The turn, and its messages; stored raw, they are what is asked about."""
        turn = self._turn(Scope.of(options))
        if options.get("infer", True):
            return turn, messages
        listed = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
        return turn, [one for one in ([listed] if isinstance(listed, dict) else listed) if turn.stores(_content(one))]

    def _payload(self, memory_id: str) -> Mapping[str, Any]:
        row = self.memory.vector_store.get(vector_id=memory_id)
        return {} if row is None else row.payload or {}

    def _forgetting(self, memory_id: str) -> Forgetting:
        payload = self._payload(memory_id)
        text = payload.get("data")
        if not isinstance(text, str):
            raise TextUnreadable("there is no such memory, or it has no text; nothing was recorded or deleted")
        # mem0's delete leaves the entities of a memory where they are, unless their store was used in this process.
        with suppress(Exception):
            _ = self.memory.entity_store
        return self._vaults.hooks(Scope.of(payload)).guard.forgetting(text)

    def _remembering(self, text: str, ids: Mapping[str, Any]) -> Turn:
        turn = self._turn(Scope.of(ids), explicit=True)
        turn.hooks.remember(text, explicit=True)
        return turn

    def _shown(self, result: Any) -> Any:
        return result if result is None or shows(self._turn, result, result.get("memory")) else None

    def _all_shown(self, result: Any) -> Any:
        return {**result, "results": [one for one in result["results"] if self._shown(one) is not None]}


class GuardedMemory(_Guarded):
    """A guarded `Memory`. Use the memory as before; what the user asks for in so many words comes here."""

    def remember(self, text: str, **options: Any) -> Any:
        """Store what the user asks, explicitly and now, to remember: what it restates is released first.

        `options`: those of `add` (user_id, …). It is stored as it stands, without extraction.
        """
        with running(self._remembering(text, options)):
            return self._own["add"](text, infer=False, **options)

    def forget(self, memory_id: str) -> tuple[str, ...]:
        """Record that the user wants this memory forgotten, then delete it; the ids of the ledger's entries.

        Raises TextUnreadable where there is no such memory, and what `ForgetGuard.forget` raises; nothing is deleted
        then.
        """
        with self._forgetting(memory_id) as forgetting:
            self.memory.delete(memory_id)
        return forgetting.ids

    def _add(self, messages: Any, **options: Any) -> Any:
        turn, chosen = self._beginning(messages, options)
        with running(turn):
            return _counted(self._own["add"](chosen, **options), turn)

    def _update(self, *args: Any, **options: Any) -> Any:
        try:
            return self._own["update"](*args, **options)
        except Refused:  # by the vector store, before mem0 writes any history
            return {"message": NOT_UPDATED}

    def _get(self, memory_id: str) -> Any:
        return self._shown(self._own["get"](memory_id))

    def _get_all(self, **options: Any) -> Any:
        return self._all_shown(self._own["get_all"](**options))

    def _reset(self) -> Any:
        answer = self._own["reset"]()
        self._take_stores()
        return answer


class AsyncGuardedMemory(_Guarded):
    """A guarded `AsyncMemory`: the same, awaited, with the guard on a worker thread."""

    async def remember(self, text: str, **options: Any) -> Any:
        """As `GuardedMemory.remember`."""
        with running(await asyncio.to_thread(self._remembering, text, options)):
            return await self._own["add"](text, infer=False, **options)

    async def forget(self, memory_id: str) -> tuple[str, ...]:
        """As `GuardedMemory.forget`."""
        async with await asyncio.to_thread(self._forgetting, memory_id) as forgetting:
            await self.memory.delete(memory_id)
        return forgetting.ids

    async def _add(self, messages: Any, **options: Any) -> Any:
        turn, chosen = await asyncio.to_thread(self._beginning, messages, options)
        with running(turn):
            return _counted(await self._own["add"](chosen, **options), turn)

    async def _update(self, *args: Any, **options: Any) -> Any:
        try:
            return await self._own["update"](*args, **options)
        except Refused:
            return {"message": NOT_UPDATED}

    async def _get(self, memory_id: str) -> Any:
        return await asyncio.to_thread(self._shown, await self._own["get"](memory_id))

    async def _get_all(self, **options: Any) -> Any:
        return await asyncio.to_thread(self._all_shown, await self._own["get_all"](**options))

    async def _reset(self) -> Any:
        answer = await self._own["reset"]()
        self._take_stores()
        return answer


def _content(message: Any) -> Any:
    """What mem0 would store of a message; it stores no system message."""
    if not isinstance(message, dict) or message.get("role") == "system":
        return None
    content = message.get("content")
    if not isinstance(content, list):
        return content
    return " ".join(str(part["text"]) for part in content if isinstance(part, dict) and part.get("text"))


def _counted(result: Any, turn: Turn) -> Any:
    """The answer of `add`, with how many memories were left out, so that nobody says that they were saved."""
    return {**result, "not_saved": turn.left_out} if turn.left_out and isinstance(result, dict) else result
