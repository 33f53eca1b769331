"""The hosts that are known by name: where their rooms are, and with which version each was tested.

A room is imported when it is asked for, and never the host's own package: what a host keeps is read from its files.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Final

from forgetguard.adapters.residues import Place
from forgetguard.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Host:
    """`keeps_in`: the directory that is meant by PATH. `tested`: with which version.

    `ledger`: where in that directory the adapter keeps a ledger of its own; "" where it uses the user's.
    """

    name: str
    keeps_in: str
    tested: str
    ledger: str = ""

    @property
    def page(self) -> str:
        """Its page in the documentation."""
        return f"docs/hosts/{self.name}.md"

    def places(self) -> tuple[Place, ...]:
        """What it keeps where its own delete does not reach."""
        room = import_module(f"forgetguard.adapters.{self.name.replace('-', '_')}.places")
        places: tuple[Place, ...] = room.PLACES
        return places


HOSTS: Final = (
    Host("claude-code", "~/.claude", "2.1.332"),
    Host("hermes", "~/.hermes", "0.19.0", "forgetguard/ledger.sqlite"),
    Host("mem0", "~/.mem0", "2.2.1"),
    Host("totalreclaw", "~/.totalreclaw", "2.5.2"),
)


def host(name: str) -> Host:
    """The host of this name. Raises InvalidInput."""
    for one in HOSTS:
        if one.name == name:
            return one
    raise InvalidInput(
        "there is no host of this name",
        code="unknown-host",
        advice=f"Known are: {', '.join(one.name for one in HOSTS)}; and OpenClaw, by `doctor --state-dir DIR`.",
    )
