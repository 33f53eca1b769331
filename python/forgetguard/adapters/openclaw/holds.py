"""Legal holds on sessions of a host that knows none: in a file of ours, in the purge's home."""

from __future__ import annotations

from hashlib import sha256

from forgetguard.adapters.openclaw.layout import Agent
from forgetguard.adapters.openclaw.sessions import resolve, roster
from forgetguard.errors import NothingMatched
from forgetguard.provenance import ProvenanceStore
from forgetguard.purge import Home, Selection
from forgetguard.purge.selection import Source


def holding(agent: Agent, home: Home) -> ProvenanceStore:
    """Where the holds of an agent are kept; nothing is made until one is put."""
    name = f"{sha256(str(agent.state.root).encode()).hexdigest()[:16]}-{agent.name}"
    return ProvenanceStore.in_directory(home.directory / "holds", name)


def hold(agent: Agent, home: Home, session: str, reason: str) -> int:
    """Put a session under hold, or all sessions of a key; how many were new.

    Raises NothingMatched for one that nobody knows: a hold on a typo would keep nothing.
    """
    found = resolve(Selection(sessions=(session,)), roster(agent)).sessions
    known = [one.session_id for one in found if one.source is not Source.UNRESOLVED]
    if not known:
        raise NothingMatched(
            "no session has this id or key, so nothing is held", advice="Ids are exact and case-sensitive; check them."
        )
    home.make()
    return holding(agent, home).hold(known, reason)


def release(agent: Agent, home: Home, session: str) -> int:
    """Lift the hold of a session id, or those of all sessions of a key; how many. Raises NothingMatched."""
    store = holding(agent, home)
    found = resolve(Selection(sessions=(session,)), roster(agent)).ids | {session}
    lifted = sum(store.unhold(one) for one in sorted(found & store.holds().keys()))
    if not lifted:
        raise NothingMatched("this session is under no hold", advice="`forgetguard memory hold list` shows the holds.")
    return lifted
