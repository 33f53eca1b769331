"""The store that is put in front of another one. The seam is `batch` and `abatch`: all else goes through them.

1. A put whose document restates something forgotten does not reach the inner store: an item that is there stays as it
   is. A put of None (a delete) always passes, and records nothing.
2. A get or search does not show what restates something forgotten; while the ledger is unavailable it shows all.
3. Only `remember` releases and only `forget` records: a tool that a model calls does neither.
4. The namespace says whose vault it is, for each item by itself: one search may reach over several users.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from typing import Any, cast

from langgraph.store.base import NOT_PROVIDED, BaseStore, GetOp, PutOp, SearchOp

from forgetguard.adapters.langgraph.documents import facts, readings
from forgetguard.adapters.langgraph.profiles import without_fields
from forgetguard.adapters.langgraph.tools import refused
from forgetguard.adapters.vaults import Vault, Vaults
from forgetguard.errors import TextUnreadable
from forgetguard.hooks import Hooks
from forgetguard.values import Candidate

Namespace = tuple[str, ...]


class GuardedStore(BaseStore):
    """Any store, guarded. `vault`: a guard, its hooks, or a function of the namespace (see `adapters.vaults`).

    `profiles`: whether a namespace holds documents of many facts. Of those only what restates is cut, in a write and
    in a read; everywhere else a document is one memory. What else the inner store offers (`setup`, …) is passed on.
    """

    def __init__(
        self,
        store: BaseStore,
        *,
        vault: Vault | Callable[[Namespace], Vault],
        profiles: Callable[[Namespace], bool] = lambda namespace: False,  # noqa: ARG005 - none is one
    ) -> None:
        self.inner = store
        self.supports_ttl = store.supports_ttl
        self.ttl_config = store.ttl_config
        self._vaults: Vaults[Namespace] = Vaults(vault)
        self._is_profile = profiles

    def __getattr__(self, name: str) -> Any:
        if name == "inner" or name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.inner, name)

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        """Carry out what may be; a put that is left out answers None, like one that was done."""
        admitted = self._admitted(ops)
        return self._shown(admitted, self.inner.batch(_done(admitted)) if any(admitted) else [])

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        """`batch`, with the guard on a worker thread."""
        admitted = await asyncio.to_thread(self._admitted, ops)
        results = await self.inner.abatch(_done(admitted)) if any(admitted) else []
        return await asyncio.to_thread(self._shown, admitted, results)

    def degraded(self, namespace: Namespace) -> bool:
        """Whether the ledger cannot be asked now: nothing is stored, and reads show everything."""
        return self._vaults.hooks(namespace).guard.status().degraded

    # -- in the user's own name ------------------------------------------------------------------------------------

    def remember(self, namespace: Namespace, key: str, value: dict[str, Any], index: Any = None, *,
                 ttl: Any = NOT_PROVIDED) -> None:  # fmt: skip
        """Store what the user asks, explicitly and now, to remember: what it restates is released first."""
        self._release(namespace, value)
        self.inner.put(namespace, key, value, index, ttl=ttl)

    async def aremember(self, namespace: Namespace, key: str, value: dict[str, Any], index: Any = None, *,
                        ttl: Any = NOT_PROVIDED) -> None:  # fmt: skip
        """The same, awaited."""
        await asyncio.to_thread(self._release, namespace, value)
        await self.inner.aput(namespace, key, value, index, ttl=ttl)

    def forget(self, namespace: Namespace, key: str) -> tuple[str, ...]:
        """Record that the user wants this item forgotten, then delete it; the ids of the ledger's entries.

        Raises TextUnreadable where there is no such item or it has no text, and what `ForgetGuard.forget` raises;
        nothing is deleted then.
        """
        texts = _facts(self.inner.get(namespace, key))
        with self._vaults.hooks(namespace).guard.forgetting(texts) as forgetting:
            self.inner.delete(namespace, key)
        return forgetting.ids

    async def aforget(self, namespace: Namespace, key: str) -> tuple[str, ...]:
        """The same, awaited."""
        texts = _facts(await self.inner.aget(namespace, key))
        async with self._vaults.hooks(namespace).guard.forgetting(texts) as forgetting:
            await self.inner.adelete(namespace, key)
        return forgetting.ids

    def _release(self, namespace: Namespace, value: Mapping[str, Any]) -> None:
        hooks = self._vaults.hooks(namespace)
        for text in readings(value):
            hooks.remember(text, explicit=True)

    # -- what passes -----------------------------------------------------------------------------------------------

    def _admitted(self, ops: Iterable[Any]) -> list[Any]:
        return [self._write(op) if isinstance(op, PutOp) and op.value is not None else op for op in ops]

    def _write(self, op: PutOp) -> PutOp | None:
        hooks = self._vaults.hooks(op.namespace)
        value = op.value
        if self._is_profile(op.namespace):
            value = _profile(hooks, op.value, op.key)
        if value is not None and _may_be_stored(hooks, value, op.key):
            return op._replace(value=value)
        refused()
        return None

    def _shown(self, ops: Sequence[Any], results: Iterable[Any]) -> list[Any]:
        waiting = iter(results)
        return [None if op is None else self._answer(op, next(waiting)) for op in ops]

    def _answer(self, op: Any, result: Any) -> Any:
        if isinstance(op, GetOp):
            return None if result is None else self._read(result)
        if isinstance(op, SearchOp):
            return [shown for item in result if (shown := self._read(item)) is not None]
        return result

    def _read(self, item: Any) -> Any:
        guard = self._vaults.hooks(item.namespace).guard
        if self._is_profile(item.namespace):
            item = copy(item)
            scrubbed = cast("dict[str, Any]", guard.scrub_tree(dict(item.value), use="read").value)
            item.value = without_fields(scrubbed, lambda texts: guard.filter(texts, use="read").dropped)
        return None if guard.filter(readings(item.value), use="read").dropped else item


def _done(admitted: Sequence[Any]) -> list[Any]:
    return [op for op in admitted if op is not None]


def _profile(hooks: Hooks, value: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    """What may be stored of a document of many facts; None where that is nothing."""
    done = hooks.debrief(dict(value))
    if done.degraded or done.reason:
        return None
    # Where no text is left there may be numbers, which a summary does not count.
    tree = hooks.guard.scrub_tree(dict(value), use="summary").value if done.empty else done.value
    scrubbed = cast("dict[str, Any]", tree)

    def restating(texts: Sequence[str]) -> Collection[str]:
        decided = hooks.extraction([Candidate(text, target=key) for text in texts])
        kept = {one.text for one in decided.store}
        return [text for text in texts if text not in kept]

    left = without_fields(scrubbed, restating)
    return left if left == value or any(map(str.strip, readings(left))) else None


def _may_be_stored(hooks: Hooks, value: Mapping[str, Any], key: str) -> bool:
    """One text at a time: the first that may not be stored settles it, and is kept for the owner, once."""
    return all(hooks.extraction([Candidate(text, target=key)]).store for text in readings(value))


def _facts(item: Any) -> tuple[str, ...]:
    texts = () if item is None else facts(item.value)
    if not texts:
        raise TextUnreadable("there is no such item, or it has no text; nothing was recorded or deleted")
    return texts
