"""Summaries and imported facts of the host, as they may be stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from forgetguard.guard import Decision
from forgetguard.hooks import Hooks
from forgetguard.values import Candidate

LISTS: Final = ("key_outcomes", "open_threads", "lessons", "topics_discussed", "files_affected")
"""The lists of a crystal; a chat has topics, a coding session has files."""
TOLD: Final = ("session_title", "session_summary", *LISTS)
"""What the metadata of a stored crystal says in words; the rest of it are ids and codes."""
SUBTYPE: Final = "session_crystal"
CONVERSATION: Final = "__import_conv_id__"
"""The key under which an imported fact carries its conversation; it is never stored."""

Fact = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Sieved:
    """Facts of an import: `kept` may be stored, `gone` are dropped or held, `deferred` could not be decided on."""

    kept: tuple[Fact, ...] = field(repr=False)
    gone: tuple[Fact, ...] = field(repr=False)
    deferred: tuple[Fact, ...] = field(repr=False)

    @property
    def conversations(self) -> set[str]:
        """The conversations of what is gone: these facts are done with."""
        return {fact[CONVERSATION] for fact in self.gone if fact.get(CONVERSATION)}


def scrubbed(hooks: Hooks, crystal: Any) -> Any:
    """The host's Crystal without what restates; None where no narrative is left."""
    told = {"narrative": crystal.narrative, **{name: getattr(crystal, name) for name in LISTS}}
    value = hooks.debrief(told).value
    return replace(crystal, **value) if isinstance(value, dict) and value["narrative"] else None


def sieved(hooks: Hooks, facts: Sequence[Fact]) -> Sieved:
    """Which facts of an import may be stored, in their order; its crystals are scrubbed, and gone without a title."""
    atomic = [fact for fact in facts if not _is_crystal(fact)]
    decisions = hooks.extraction([Candidate(str(fact.get("text") or "")) for fact in atomic]).decisions
    actions = iter([one.action for one in decisions])
    kept: list[Fact] = []
    gone: list[Fact] = []
    deferred: list[Fact] = []
    for fact in facts:
        if _is_crystal(fact):
            told = _retold(hooks, fact)
            (gone if told is None else kept).append(told or fact)
            continue
        action = next(actions)
        (kept if action is Decision.KEEP else deferred if action is Decision.DEFER else gone).append(fact)
    return Sieved(tuple(kept), tuple(gone), tuple(deferred))


def _is_crystal(fact: Fact) -> bool:
    meta = fact.get("extra_metadata")
    return isinstance(meta, dict) and meta.get("subtype") == SUBTYPE


def _retold(hooks: Hooks, crystal: Fact) -> Fact | None:
    meta = crystal["extra_metadata"]
    told = {"text": crystal["text"], "meta": {name: meta[name] for name in TOLD if name in meta}}
    value = hooks.debrief(told).value
    if not isinstance(value, dict) or not value["text"]:
        return None
    return {**crystal, "text": value["text"], "extra_metadata": {**meta, **value["meta"]}}
