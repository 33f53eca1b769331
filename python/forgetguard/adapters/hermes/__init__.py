"""Hermes Agent: nothing that its user asked to forget is stored again, by any of the ways in which Hermes stores.

Seams, each in a file of its own:
    tools      what the model writes with a tool (blocked), and what it removes because the user asked (recorded)
    view       what comes back to the model: earlier turns, memory blocks, results of `session_search` (scrubbed)
    provider   a memory provider around any other one: turns, sessions, mirrors and tools of that one
    engine     the summary of a compaction
    commands   /forget and /remember, typed by the user
    install    the plugin directory that Hermes looks for
    places     what Hermes keeps of what was said, where removing a memory does not reach

Hermes swallows what a hook raises and carries on with the write. So every hook here answers, also where the guard
itself fails: a write is then blocked with a constant sentence, and what is read passes.
"""

from __future__ import annotations

from forgetguard.adapters.hermes.places import PLACES
from forgetguard.adapters.hermes.plugin import register
from forgetguard.adapters.hermes.provider import guard_provider
from forgetguard.adapters.hermes.room import Room
from forgetguard.adapters.hermes.scope import Scope

__all__ = ["PLACES", "Room", "Scope", "guard_provider", "register"]
