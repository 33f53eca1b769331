"""What a purge would find on a real state directory: versions, locks, and for each surface what it erases or not.

Counts and codes only; no text, no session id, no path of a memory. Leaves no trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from forgetguard.adapters.openclaw import database, locks
from forgetguard.adapters.openclaw.hosting import Hosted, hosted
from forgetguard.adapters.openclaw.index import CACHE, CHUNKS, INTENTS, ORIGINS, SOURCES
from forgetguard.adapters.openclaw.layout import AGENT_VERSIONS, SHARED_VERSIONS, TESTED_RELEASES, State
from forgetguard.adapters.openclaw.plugin_state import PLUGIN, TABLE
from forgetguard.errors import ForgetGuardError
from forgetguard.provenance.schema import Connection, has_table, scalar

_COUNTED = (CHUNKS, SOURCES, CACHE, ORIGINS, INTENTS, "memory_session_tombstones", "session_windows",
            "transcript_events", "session_transcript_archives", "session_progress_cards",
            "heartbeat_outcomes")  # fmt: skip


def examine(state: State) -> tuple[dict[str, object], bool]:
    """The facts, and whether a purge could run now."""
    shared = _database(state.shared, SHARED_VERSIONS)
    try:
        signs = list(locks.gateway_signs(state)) if shared["status"] != "unreadable" else []
    except ForgetGuardError as error:
        signs = [error.code]
    agents = [_agent(state, name) for name in state.agent_ids()]
    ready = not signs and shared["status"] == "tested" and bool(agents) and all(one["ready"] for one in agents)
    facts = {
        "host": "openclaw",
        "testedReleases": list(TESTED_RELEASES),
        "testedVersions": {"agent": sorted(AGENT_VERSIONS), "shared": sorted(SHARED_VERSIONS)},
        "sharedDatabase": shared,
        "gateway": {"running": bool(signs), "signs": signs},
        "agents": agents,
        "ready": ready,
    }
    return facts, ready


def _database(path: Path, tested: frozenset[int]) -> dict[str, object]:
    try:
        with database.reading(path) as connection:
            found = database.version(connection)
            release = _release(connection)
    except ForgetGuardError as error:
        return {"status": "unreadable", "code": error.code}
    return {"status": "tested" if found in tested else "unknown-version", "version": found, "release": release}


def _release(connection: Connection) -> object:
    if not has_table(connection, "schema_meta"):
        return None
    return scalar(connection, "SELECT app_version FROM schema_meta WHERE meta_key='primary'")


def _agent(state: State, name: str) -> dict[str, object]:
    facts: dict[str, object] = {"agentId": name, "ready": False}
    try:
        agent = state.agent(name)
        facts["database"] = _database(agent.database, AGENT_VERSIONS)
        made = hosted(agent)
        facts["places"] = _places(made)
        facts["surfaces"] = [_surface(made, number) for number in range(len(made.host.surfaces))]
        locks.check(agent)
        facts["ready"] = True
    except ForgetGuardError as error:
        facts["problem"] = {"code": error.code, "message": str(error), "advice": error.advice}
    return facts


def _surface(made: Hosted, number: int) -> dict[str, object]:
    surface = made.host.surfaces[number]
    given = surface.declares()
    return {
        "name": surface.name,
        "erases": list(given.covers),
        "reports": list(given.retains),
        "doesNotCover": list(given.not_covered),
        "method": list(given.method),
    }


def _places(made: Hosted) -> dict[str, object]:
    """How much lies where."""
    agent = made.agent
    files, findings = made.workspace.walk()
    corpus, more = made.workspace.corpus.walk()
    with database.reading(agent.database) as connection:
        tables = {
            name: int(scalar(connection, f"SELECT count(*) FROM {name}") or 0)
            for name in _COUNTED
            if has_table(connection, name)
        }
    with database.reading(agent.state.shared) as connection:
        sql = f"SELECT namespace, count(*) FROM {TABLE} WHERE plugin_id=? GROUP BY 1 ORDER BY 1"
        spaces = {str(name): int(count) for name, count in connection.execute(sql, (PLUGIN,))}
    return {
        "memoryFiles": len(files),
        "beyondTheHostsOwnScan": sum(not one.theirs for one in files),
        "corpusFiles": len(corpus),
        "inTheWay": sorted({one.code for one in (*findings, *more)}),
        "tables": tables,
        "pluginRows": spaces,
        "archiveFiles": sum(1 for path in agent.sessions.glob("*") if path.is_file()) if agent.sessions.is_dir() else 0,
    }


def lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """The facts for a person."""
    yield f"host           {facts['host']}, tested with {', '.join(facts['testedReleases'])}"
    shared = facts["sharedDatabase"]
    yield f"shared         {shared['status']} (version {shared.get('version')}, release {shared.get('release')})"
    signs = ", ".join(facts["gateway"]["signs"])
    yield f"gateway        {f'running: {signs}' if signs else 'stopped'}"
    for agent in facts["agents"]:
        found = agent.get("database", {})
        yield f"agent          {agent['agentId']}: {found.get('status')} (version {found.get('version')})"
        for name, value in agent.get("places", {}).items():
            shown = ", ".join(f"{key} {count}" for key, count in value.items()) if isinstance(value, dict) else value
            yield f"  {name:22} {shown}"
        for one in agent.get("surfaces", ()):
            yield f"  surface {one['name']}"
            for word in ("erases", "reports", "doesNotCover"):
                if one[word]:
                    yield f"    {word:13} {', '.join(one[word])}"
        if "problem" in agent:
            yield f"  problem        {agent['problem']['message']} [{agent['problem']['code']}]"
    yield f"ready          {'yes' if facts['ready'] else 'no'}"
