"""An agent of a state directory as a host that can be purged."""

from __future__ import annotations

from dataclasses import dataclass

from forgetguard.adapters.openclaw import database, locks, sessions
from forgetguard.adapters.openclaw.corpus import Corpus, CorpusSurface
from forgetguard.adapters.openclaw.index import IndexSurface
from forgetguard.adapters.openclaw.inherit import inherited, read_notes
from forgetguard.adapters.openclaw.kept import Kept
from forgetguard.adapters.openclaw.layout import Agent
from forgetguard.adapters.openclaw.leftovers import Leftovers
from forgetguard.adapters.openclaw.lineage import HostLineage
from forgetguard.adapters.openclaw.notes import NotesSurface, Workspace
from forgetguard.adapters.openclaw.origins import OriginRows
from forgetguard.adapters.openclaw.plugin_state import PluginState
from forgetguard.purge import Host
from forgetguard.purge.survey import patiently


@dataclass(frozen=True)
class Hosted:
    """The host, and what its surfaces share."""

    agent: Agent
    host: Host
    workspace: Workspace

    def roster(self) -> sessions.Roster:
        """The agent's sessions as they stand now."""

        def look() -> sessions.Roster:
            with database.reading(self.agent.database) as connection:
                return sessions.read(connection, self.agent.name)

        return patiently(look)


def hosted(agent: Agent, unjudged: int = 0) -> Hosted:
    """The host. Its surfaces read what they share once; nothing is opened until they are asked."""
    corpus = Corpus(agent)
    workspace = Workspace(agent, corpus)
    lineage = HostLineage(agent, lambda wanted: inherited(agent, workspace, wanted))
    writers = patiently(lambda: read_notes(agent, workspace)).writers
    surfaces = (
        IndexSurface(workspace),
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
    return Hosted(agent, host, workspace)
