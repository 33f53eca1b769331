"""LangGraph and LangMem: a store in front of any store. Needs the extra `langgraph`.

    store = GuardedStore(InMemoryStore(), vault=guard)

docs/hosts/langgraph.md says what is covered. What the store reads a document as: `documents`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from forgetguard.adapters.langgraph.tools import NOT_SAVED, told
from forgetguard.errors import MissingExtra

if TYPE_CHECKING:
    from forgetguard.adapters.langgraph.store import GuardedStore

__all__ = ["NOT_SAVED", "GuardedStore", "told"]


def __getattr__(name: str) -> Any:
    """The host is imported when its class is asked for: a class of ours has to inherit from one of its own."""
    if name != "GuardedStore":
        raise AttributeError(name)
    try:
        from forgetguard.adapters.langgraph import store
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "langgraph":
            raise
        raise MissingExtra.of("langgraph") from None
    return store.GuardedStore
