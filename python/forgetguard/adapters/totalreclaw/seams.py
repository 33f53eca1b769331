"""Where the host is hooked, found before anything is replaced, and replaced wherever the host holds it.

`from x import y` copies a name: a function is replaced in every module of the host that holds it, a method on its
class. What is not there, or has other parameters, is an error that names the place and touches nothing.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from forgetguard.errors import HostChanged, MissingExtra

HOST: Final = "totalreclaw"

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Seam:
    """A place in the host: its module, its name there, and the parameters that it must begin with (None: a value)."""

    module: str
    name: str
    begins: tuple[str, ...] | None = ()

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(frozen=True, slots=True)
class Found:
    """A seam in the installed host: the module or class that owns it, and what stands there now."""

    owner: Any
    attribute: str
    original: Any


FORGET: Final = Seam("totalreclaw.hermes.tools", "forget", ("args", "state"))
REMEMBER: Final = Seam("totalreclaw.hermes.tools", "remember", ("args", "state"))
MIRROR: Final = Seam(
    "totalreclaw.hermes.memory_provider", "TotalReclawMemoryProvider.on_memory_write", ("self", "action", "target")
)
IMPORT_NOTE: Final = Seam("totalreclaw.hermes.import_tools", "_persist_import_memory", ("state", "text"))
EXTRACTION: Final = Seam("totalreclaw.agent.lifecycle", "detect_and_resolve_contradictions", ("new_facts", "client"))
CRYSTAL: Final = Seam("totalreclaw.agent.lifecycle", "generate_crystal", ("messages", "stored_fact_texts"))
DEBRIEF: Final = Seam("totalreclaw.agent.lifecycle", "session_debrief", ("state",))
# One above `store_fact_batch`: on other chains the engine stores fact by fact without it, and its answer tells which
# conversations are done with, which a dropped fact is part of and a deferred one is not.
IMPORT: Final = Seam("totalreclaw.imports.engine", "ImportEngine._store_facts_chunked", ("self", "facts"))

RECALL: Final = Seam("totalreclaw.client", "TotalReclaw.recall", ("self", "query"))
RECALL_TOOL: Final = Seam("totalreclaw.hermes.tools", "recall", ("args", "state"))
AUTO_RECALL: Final = Seam("totalreclaw.agent.recall", "auto_recall", ("query", "state"))
AUTO_RECALL_ASYNC: Final = Seam("totalreclaw.agent.recall", "auto_recall_async", ("query", "state"))

WRITING: Final = (FORGET, REMEMBER, MIRROR, IMPORT_NOTE, EXTRACTION, CRYSTAL, DEBRIEF, IMPORT)
READING: Final = (RECALL, RECALL_TOOL, AUTO_RECALL, AUTO_RECALL_ASYNC)
REPLACED: Final = WRITING + READING
NEEDED: Final = (
    Seam("totalreclaw.client", "TotalReclaw.eoa_address", None),
    Seam("totalreclaw.client", "TotalReclaw.keys", None),
    Seam("totalreclaw.client", "TotalReclaw.relay", None),
    Seam("totalreclaw.client", "TotalReclaw.ensure_address", ("self",)),
    Seam("totalreclaw.client", "TotalReclaw._ensure_registered", ("self",)),
    Seam("totalreclaw.relay", "RelayClient.query_subgraph", ("self", "query", "variables")),
    Seam("totalreclaw.operations", "FACT_BY_ID_QUERY", None),
    Seam("totalreclaw.claims_helper", "read_claim_from_blob"),
    Seam("totalreclaw.crypto", "decrypt"),
    Seam("totalreclaw.crypto", "decrypt_embedding"),
    Seam("totalreclaw.embedding", "MODEL_ID", None),
    Seam("totalreclaw.embedding", "EMBEDDING_DIMS", None),
    Seam("totalreclaw.agent.extraction", "ExtractedFact", ("text", "type", "importance", "action", "existing_fact_id")),
    Seam("totalreclaw.agent.debrief", "Crystal", ("narrative", "key_outcomes", "open_threads", "lessons")),
    Seam("totalreclaw.imports.engine", "ImportEngine.__init__", ("self", "client")),
)
"""What is used and not replaced: to tell whose a client is, to read a fact before it is deleted, to read candidates."""


def missing() -> tuple[str, ...]:
    """The places that the installed host lacks or has changed; empty where it can be guarded. Raises MissingExtra."""
    if find_spec(HOST) is None:
        raise MissingExtra.of(HOST)
    return tuple(str(seam) for seam in REPLACED + NEEDED if _find(seam) is None)


def found() -> dict[Seam, Found]:
    """Every seam that is to be replaced. Raises MissingExtra, and HostChanged where anything is not as expected."""
    lacking = missing()
    if lacking:
        raise HostChanged.at(lacking)
    pairs = ((seam, _find(seam)) for seam in REPLACED)
    return {seam: where for seam, where in pairs if where is not None}


def _find(seam: Seam) -> Found | None:
    try:
        owner: Any = import_module(seam.module)
    except ImportError:
        return None
    *classes, attribute = seam.name.split(".")
    for name in classes:
        owner = getattr(owner, name, None)
    original = getattr(owner, attribute, None)
    return Found(owner, attribute, original) if original is not None and _fits(original, seam.begins) else None


def _fits(value: Any, begins: tuple[str, ...] | None) -> bool:
    if begins is None or not callable(value):
        return begins is None
    try:
        return tuple(inspect.signature(value).parameters)[: len(begins)] == begins
    except (TypeError, ValueError):
        return not begins


def replace(where: Found, old: Function, new: Function) -> None:
    """Put `new` wherever `old` stands: on the class, or in every module of the host that holds the function."""
    if inspect.isclass(where.owner):
        if vars(where.owner).get(where.attribute) is old:
            setattr(where.owner, where.attribute, new)
        return
    for module, name in list(_holders(old)):
        setattr(module, name, new)


def _holders(function: Function) -> Iterator[tuple[object, str]]:
    for name, module in list(sys.modules.items()):
        if name == HOST or name.startswith(HOST + "."):
            yield from ((module, held) for held, value in list(vars(module).items()) if value is function)
