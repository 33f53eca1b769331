"""Where things lie in a state directory: agents, databases, workspaces, as its configuration says."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from forgetguard.adapters.openclaw import json5
from forgetguard.adapters.openclaw.keys import workspace_key
from forgetguard.errors import InvalidInput, NothingMatched, Refused

DEFAULT_AGENT = "main"
TESTED_RELEASES = ("2026.9.6",)
AGENT_VERSIONS = frozenset({23})
SHARED_VERSIONS = frozenset({18})


def _temporary() -> tuple[Path, ...]:
    """The host takes `/tmp/openclaw` whatever TMPDIR says; where that is not its own, a folder below TMPDIR."""
    base = Path(tempfile.gettempdir())
    owner = f"openclaw-{os.getuid()}" if hasattr(os, "getuid") else "openclaw"
    return tuple(dict.fromkeys((Path("/tmp/openclaw"), base / "openclaw", base / owner)))


@dataclass(frozen=True)
class State:
    """A state directory, `$OPENCLAW_STATE_DIR` of the host. `temporary`: where the host keeps logs and caches."""

    root: Path
    temporary: tuple[Path, ...] = field(default_factory=_temporary)

    @classmethod
    def at(cls, directory: Path) -> State:
        """Raises InvalidInput where there is no such directory."""
        if not directory.is_dir():
            raise InvalidInput("there is no state directory at this path", code="no-state-dir")
        return cls(directory.resolve())

    @property
    def shared(self) -> Path:
        """The database that all agents share."""
        return self.root / "state" / "openclaw.sqlite"

    @cached_property
    def config(self) -> Mapping[str, object]:
        """What `openclaw.json` says; empty where there is none. Raises InvalidInput."""
        try:
            read = json5.loads((self.root / "openclaw.json").read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            return {}
        except UnicodeDecodeError:
            raise InvalidInput("a configuration file of the host is not UTF-8", code="host-config") from None
        return read if isinstance(read, dict) else {}

    def setting(self, *path: str) -> object:
        """A value of the configuration, or None."""
        value: object = self.config
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        return value

    def agent_ids(self) -> tuple[str, ...]:
        """The agents that have a database, by name."""
        folder = self.root / "agents"
        return tuple(sorted(path.parent.parent.name for path in folder.glob("*/agent/openclaw-agent.sqlite")))

    def agent(self, name: str | None = None) -> Agent:
        """One agent; by default `main`, or the only one. Raises NothingMatched where it has no database."""
        known = self.agent_ids()
        chosen = name or (known[0] if len(known) == 1 else DEFAULT_AGENT)
        if chosen not in known:
            raise NothingMatched(
                "this state directory has no such agent", code="no-agent", advice="See `agents/` in it."
            )
        if self.setting("session", "store"):
            raise Refused(
                "the configuration moves the agents' databases elsewhere, which is not supported", code="store-moved"
            )
        return Agent(self, chosen)


@dataclass(frozen=True)
class Agent:
    """One agent of a state directory."""

    state: State
    name: str

    @property
    def database(self) -> Path:
        return self.state.root / "agents" / self.name / "agent" / "openclaw-agent.sqlite"

    @property
    def sessions(self) -> Path:
        """Where archives are published."""
        return self.state.root / "agents" / self.name / "sessions"

    @cached_property
    def workspace(self) -> Path:
        """The agent's workspace, not resolved: plugin state is keyed by the path as configured."""
        own = self._entry("workspace")
        chosen = own or self.state.setting("agents", "defaults", "workspace")
        if not isinstance(chosen, str) or not chosen.strip():
            return self.state.root / "workspace"
        return Path(os.path.abspath(os.path.expanduser(chosen.strip())))

    @cached_property
    def mates(self) -> tuple[Agent, ...]:
        """The other agents of the same workspace: their indexes hold the same files."""
        others = (self.state.agent(name) for name in self.state.agent_ids() if name != self.name)
        return tuple(one for one in others if one.workspace.resolve() == self.workspace.resolve())

    def _entry(self, name: str) -> object:
        value = self.state.setting("agents", "entries", self.name, name)
        listed = self.state.setting("agents", "list")
        for entry in listed if isinstance(listed, list) and value is None else ():
            if isinstance(entry, dict) and entry.get("id") == self.name:
                value = entry.get(name)
        return value

    @cached_property
    def workspace_keys(self) -> frozenset[str]:
        """The keys under which plugin state of the workspace may stand: of the path as it is given, and resolved."""
        return frozenset({workspace_key(str(self.workspace)), workspace_key(str(self.workspace.resolve()))})

    @property
    def promotion_lock(self) -> Path:
        """The lock that the host's promotion takes on the workspace."""
        name = sha256(str(self.workspace.resolve()).encode()).hexdigest()
        return self.state.root / "locks" / f"memory-promotion-{name}"

    @cached_property
    def extra_paths(self) -> tuple[Path, ...]:
        """What is indexed beside the workspace's own memory."""
        found: list[Path] = []
        for value in (self.state.setting("memory", "search", "extraPaths"), self._search_paths()):
            for text in value if isinstance(value, list) else ():
                if isinstance(text, str) and text.strip():
                    found.append(Path(os.path.abspath(self.workspace / os.path.expanduser(text.strip()))))
        return tuple(dict.fromkeys(found))

    def _search_paths(self) -> object:
        memory = self._entry("memory")
        search = memory.get("search") if isinstance(memory, dict) else None
        return search.get("extraPaths") if isinstance(search, dict) else None
