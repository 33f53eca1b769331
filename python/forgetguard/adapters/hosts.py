"""The hosts that are known by name: where their rooms are, and with which version each was tested.

A room is imported when it is asked for, and never the host's own package: what a host keeps is read from its files.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from forgetguard.adapters.residues import Place
from forgetguard.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Host:
    """`module`: where its `PLACES` are. `keeps_in`: the directory that is meant by PATH. `tested`: its version.

    `ledger`: where in that directory the adapter keeps a ledger of its own; "" where it uses the user's.
    """

    name: str
    module: str
    keeps_in: str
    page: str
    tested: str = ""
    extra: str = ""
    ledger: str = ""

    def places(self) -> tuple[Place, ...]:
        """What it keeps where its own delete does not reach."""
        places: tuple[Place, ...] = import_module(self.module).PLACES
        return places


HOSTS: Final = (
    Host("claude-code", "forgetguard.adapters.claude_code.places", "~/.claude", "docs/hosts/claude-code.md", "2.1.332"),
    Host(
        "hermes", "forgetguard.adapters.hermes.places", "~/.hermes", "docs/hosts/hermes.md", "0.19.0", "hermes",
        "forgetguard/ledger.sqlite",
    ),
    Host("mem0", "forgetguard.adapters.mem0.places", "~/.mem0", "docs/hosts/mem0.md", "2.2.1", "mem0"),
    Host(
        "totalreclaw", "forgetguard.adapters.totalreclaw.places", "~/.totalreclaw", "docs/hosts/totalreclaw.md",
        "2.5.2", "totalreclaw",
    ),
)  # fmt: skip


def known() -> tuple[Host, ...]:
    """The hosts whose rooms are installed."""
    return tuple(host for host in HOSTS if _is_there(host.module))


def host(name: str) -> Host:
    """The host of this name. Raises InvalidInput."""
    for one in known():
        if one.name == name:
            return one
    raise InvalidInput(
        "there is no host of this name",
        code="unknown-host",
        advice=f"Known are: {', '.join(one.name for one in known())}; and OpenClaw, by `doctor --state-dir DIR`.",
    )


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
