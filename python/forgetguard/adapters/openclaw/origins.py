"""Origin rows as artefacts, so that a report counts them; they are deleted by the lineage, last of all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from forgetguard.adapters.openclaw.lineage import HostLineage
from forgetguard.purge.surfaces.protocol import Artefact, Declaration, Erased, Finding, Surface, Targets, Work


@dataclass(frozen=True)
class OriginRows(Surface):
    """All origins of the memories that go, those in other sessions among them."""

    lineage: HostLineage
    name: str = "origins"

    def declares(self) -> Declaration:
        return Declaration("openclaw.origins", ("table:memory_entry_origins",), (), (), ("delete",), evidence=True)

    def find(self, targets: Targets) -> Iterator[Artefact | Finding]:
        for key, origin in self.lineage.origins_of(targets.entry_keys):
            yield Artefact("originRows", "memory_entry_origins", f"{key}\0{origin.session_id}")

    def erase(self, targets: Targets, work: Work) -> Erased:  # noqa: ARG002 - see the module
        return Erased()

    def residue(self, targets: Targets) -> Iterator[Finding]:  # noqa: ARG002 - the verification asks the lineage
        return iter(())
