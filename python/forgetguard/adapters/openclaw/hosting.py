"""An agent of a state directory as a host that can be purged."""

from __future__ import annotations

from dataclasses import dataclass

from forgetguard.adapters.openclaw import locks
from forgetguard.adapters.openclaw.corpus import Corpus, CorpusSurface
from forgetguard.adapters.openclaw.holds import holding
from forgetguard.adapters.openclaw.index import IndexSurface
from forgetguard.adapters.openclaw.inherit import inherited, read_notes
from forgetguard.adapters.openclaw.kept import Kept
from forgetguard.adapters.openclaw.layout import Agent
from forgetguard.adapters.openclaw.leftovers import Leftovers
from forgetguard.adapters.openclaw.lineage import HostLineage
from forgetguard.adapters.openclaw.notes import NotesSurface, Workspace
from forgetguard.adapters.openclaw.origins import OriginRows
from forgetguard.adapters.openclaw.plugin_state import PluginState
from forgetguard.purge import Home, Host
from forgetguard.purge.survey import patiently


@dataclass(frozen=True)
class Hosted:
    """The host, and what its surfaces share."""

    agent: Agent
    host: Host
    workspace: Workspace
    home: Home | None = None


def hosted(agent: Agent, unjudged: int = 0, home: Home | None = None) -> Hosted:
    """The host. Its surfaces read what they share once. `home`: where legal holds are kept, if they are to count."""
    corpus = Corpus(agent)
    store = None if home is None else holding(agent, home)
    workspace = Workspace(agent, corpus, lambda: lineage.held_entries())
    lineage = HostLineage(agent, lambda wanted: inherited(agent, workspace, wanted), store)
    writers = patiently(lambda: read_notes(agent, workspace)).writers
    surfaces = (
        IndexSurface(workspace),
        *(IndexSurface(workspace, f"index:{one.name}", one) for one in agent.mates),
        PluginState(workspace),
        NotesSurface(workspace, writers),
        Leftovers(agent),
        Kept(agent),
        CorpusSurface(corpus),
        OriginRows(lineage),
    )
    host = Host(
        f"openclaw\0{agent.state.root}\0{agent.name}",
        lineage,
        surfaces,
        exclusive=lambda: locks.exclusive(agent),
        check=lambda: locks.check(agent),
        not_covered=("archives:not-judged",) if unjudged else (),
    )
    return Hosted(agent, host, workspace, home)
