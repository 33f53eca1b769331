"""mem0: its own `Memory` and `AsyncMemory`, guarded in place. Needs the extra `mem0`.

    memory = Memory.from_config(config)
    guarded = guard_memory(memory, vault=guard)

docs/hosts/mem0.md says what is covered, and what mem0 keeps where its delete does not reach.
"""

from __future__ import annotations

from forgetguard.adapters.mem0.memory import NOT_UPDATED, AsyncGuardedMemory, GuardedMemory, guard_memory
from forgetguard.adapters.mem0.places import PLACES
from forgetguard.adapters.mem0.turns import Scope

__all__ = ["NOT_UPDATED", "PLACES", "AsyncGuardedMemory", "GuardedMemory", "Scope", "guard_memory"]
