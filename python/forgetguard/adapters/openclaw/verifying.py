"""Looking again at a state directory later on, and letting a session back in."""

from __future__ import annotations

from dataclasses import replace

from forgetguard.adapters.openclaw import locks
from forgetguard.adapters.openclaw.hosting import hosted
from forgetguard.adapters.openclaw.layout import Agent
from forgetguard.adapters.openclaw.lineage import HostLineage
from forgetguard.errors import NothingMatched
from forgetguard.purge import Home, Order, Selection, Verification, look_again, look_at_structure
from forgetguard.purge.run import Ended


def verify_open(agent: Agent, home: Home, order: Order | None = None) -> list[Ended]:
    """Look for the bytes of every purge of this agent that is not clean, and erase nothing. Raises NothingMatched."""
    ended = look_again(hosted(agent, home=home).host, home, order) if home.key_file.exists() else []
    if not ended:
        raise NothingMatched("no purge is unproven", advice="Name sessions to check the structure once more.")
    return ended


def verify_structure(agent: Agent, home: Home, selection: Selection) -> Verification:
    """What can be said once the text is erased from the journal: rows, keys and lineage, so at best cannot-prove."""
    wanted = replace(selection, union=True, allow_unresolved=True)
    return look_at_structure(hosted(agent, home=home).host, wanted)


def unbury(agent: Agent, session: str) -> None:
    """Remove the tombstone of a session, under the host's own locks. What was purged does not come back by it.

    Raises NothingMatched where it has none, Refused where the host is at work.
    """
    locks.check(agent)
    lineage = HostLineage(agent)
    if not lineage.buried([session]):
        raise NothingMatched(
            "this session has no tombstone", advice="`memory tombstone list` shows them; ids are exact."
        )
    with locks.exclusive(agent):
        lineage.unbury(session)
