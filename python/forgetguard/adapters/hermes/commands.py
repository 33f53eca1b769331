"""What the user types: /forget and /remember. Hermes takes these before any model reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from forgetguard.adapters.hermes.room import Room
from forgetguard.adapters.hermes.scope import current
from forgetguard.adapters.hermes.tools import on_disk
from forgetguard.errors import ForgetGuardError
from forgetguard.guard import Decision, ForgetGuard

TARGETS = ("user", "memory")


def forget(room: Room, text: str) -> str:
    """Record that a text is forgotten, and remove what restates it from MEMORY.md and USER.md; a line for the user."""
    if not text.strip():
        return "Usage: /forget TEXT"
    try:
        guard = room.hooks(current()).guard
        with guard.forgetting(text) as forgetting:
            removed, left = _removed(guard, forgetting.ids)
    except ForgetGuardError as error:
        return f"Nothing was forgotten: {error}. {error.advice}"
    rest = f" {left} more may say it, and were left; look at them in an editor." if left else ""
    return f"Forgotten; it will not be saved again. Entries removed from memory: {removed}.{rest}"


def _removed(guard: ForgetGuard, ids: Sequence[str]) -> tuple[int, int]:
    """How many of the entries that restate these facts were removed, and how many were not (failures, likely ones)."""
    from tools.memory_tool import load_on_disk_store

    store = load_on_disk_store()
    entries = [(target, entry) for target in TARGETS for entry in on_disk(target)]
    swept = guard.sweep(entries, text=lambda item: item[1])
    found = [one for one in swept if one.verdict.entry is not None and one.verdict.entry.id in ids]
    done = [one.verdict.action is Decision.DROP and _remove(store, *one.item) for one in found]
    return sum(done), len(done) - sum(done)


def _remove(store: Any, target: str, entry: str) -> bool:
    return store.remove(target, entry).get("success") is True


def remember(room: Room, text: str) -> str:
    """Release what a text restates, and save it to USER.md; a line for the user."""
    if not text.strip():
        return "Usage: /remember TEXT"
    from tools.memory_tool import load_on_disk_store

    try:
        done = room.hooks(current()).remember(text.strip(), explicit=True)
    except ForgetGuardError as error:
        return f"Not saved: {error}. {error.advice}"
    saved = load_on_disk_store().add("user", text.strip())
    if saved.get("success") is not True:
        return f"It may be saved again, but was not saved now: {saved.get('error', 'Hermes refused')}"
    later = " (until the ledger can be read again, it is still protected)" if done.release == "pending" else ""
    return f"Remembered.{later}"
