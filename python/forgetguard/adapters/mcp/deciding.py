"""Tools that are asked before something is stored or shown: check, filter, scrub; and status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Final

from forgetguard.adapters.mcp.arguments import Arguments
from forgetguard.adapters.mcp.schemas import (
    Schema,
    choice,
    code,
    counts,
    flag,
    name,
    number,
    or_null,
    record,
    series,
    text,
    whole,
)
from forgetguard.adapters.mcp.tool import DECISION, REFUSED, Answer, Served, Tool, decision, note
from forgetguard.errors import ForgetGuardError
from forgetguard.guard.report import GuardStatus
from forgetguard.guard.verdicts import Cut, Decision
from forgetguard.hooks import Extraction, Hooks
from forgetguard.provenance import ProvenanceStore, Session
from forgetguard.values import Action, Candidate
from forgetguard.version import VERSION

MOST_ITEMS: Final = 1000

DEGRADED = flag("the ledger could not be asked")


def check(served: Served, given: Arguments) -> Answer:
    """The verdict on one text."""
    verdict = served.guard.check(given["text"], use=given.get("use", "write"))
    return {
        **decision(verdict.action, verdict.reason, verdict.entry),
        "similarity": verdict.similarity,
        "coverage": verdict.coverage,
        "degraded": verdict.degraded,
    }


def filter_(served: Served, given: Arguments) -> Answer:
    """Decide on what was extracted; what is not stored is kept for the owner."""
    candidates = [
        Candidate(one["text"], Action(one.get("action", "ADD")), target=one.get("target")) for one in given["items"]
    ]
    done = _extraction(served, candidates, given.get("session"))
    decisions = done.decisions
    places = {action: [at for at, one in enumerate(decisions) if one.action is action] for action in Decision}
    return {
        "store": places[Decision.KEEP],
        "dropped": places[Decision.DROP],
        "held": places[Decision.HOLD],
        "deferred": places[Decision.DEFER],
        "refused": done.refused,
        "decisions": [
            {"position": at, **decision(one.action, one.reason, one.verdict.entry), "recorded": one.recorded}
            for at, one in enumerate(decisions)
        ],
        "degraded": any(one.verdict.degraded for one in decisions),
        "note": REFUSED if done.refused is not None else note(one.action for one in decisions),
    }


def _extraction(served: Served, candidates: list[Candidate], session: str | None) -> Extraction:
    if session is None:
        return served.hooks.extraction(candidates)
    with served.hosting() as host:
        assert isinstance(host.lineage, ProvenanceStore)  # a description in TOML has no other
        return Hooks(served.guard, sessions=host.lineage).extraction(candidates, session=Session(session))


def scrub(served: Served, given: Arguments) -> Answer:
    """The caller's text, without the clauses that restate something forgotten."""
    if given.get("use", "summary") == "read":
        done = served.guard.scrub(given["text"], use="read")
        kept = None if done.empty else done.text
        return _scrubbed(kept, done.removed, done.reason, done.degraded)
    summary = served.hooks.debrief(given["text"])
    return _scrubbed(summary.text, summary.cuts, summary.reason, summary.degraded)


def _scrubbed(kept: str | None, cuts: tuple[Cut, ...], reason: str, degraded: bool) -> Answer:
    removed = [{"start": one.start, "end": one.end, **decision(one.action, one.reason, one.entry)} for one in cuts]
    return {"text": kept, "empty": kept is None, "removed": removed, "reason": reason, "degraded": degraded}


def status(served: Served, given: Arguments) -> Answer:
    """Counts and codes. Answers whatever the state of the ledger is."""
    del given
    found = served.guard.status()
    return {"forgetguard": VERSION, "degraded": found.degraded, "purge": _purge_state(served), **asdict(found)}


def _purge_state(served: Served) -> str:
    """Whether there is a host that can be purged."""
    try:
        with served.hosting():
            return "ready"
    except ForgetGuardError:
        return "not-described"


_KINDS: Final[Mapping[str, Schema]] = {
    "str": code(),
    "bool": flag(),
    "int": whole(),
    "float | None": or_null(number("seconds")),
    "dict[str, int]": counts(),
}
_COUNTED: Final = {one.name: _KINDS[str(one.type)] for one in fields(GuardStatus)}
"""What a guard tells of itself, as it tells it."""

TOOLS = (
    Tool(
        "check",
        "Check",
        "Whether one text may be stored (use write), put into a summary, or shown (use read): keep, drop (it restates "
        "something forgotten), hold (likely), defer (not to be decided now: try later). Writes nothing.",
        record("use", text=text(), use=choice("write", "summary", "read", default="write")),
        record(
            **DECISION,
            similarity=or_null(number()),
            coverage=number(),
            degraded=DEGRADED,
        ),
        check,
        reads=True,
        repeats=True,
    ),
    Tool(
        "filter",
        "Filter",
        "Call it with whatever you extracted, imported or retry, before you store it, and carry out only the positions "
        "in `store`. Dropped and held ones are kept, encrypted, for their owner. Try `deferred` ones again later.",
        record(
            "session",
            items=series(
                record(
                    "action",
                    "target",
                    text=text(least=0),
                    action=choice(*(one.value for one in Action), default="ADD"),
                    target=name("the memory that an UPDATE or DELETE is about"),
                ),
                most=MOST_ITEMS,
            ),
            session=name("the session it was extracted from; a purged one is refused"),
        ),
        record(
            store=series(whole(), "positions to carry out, in order"),
            dropped=series(whole()),
            held=series(whole()),
            deferred=series(whole()),
            refused=or_null(code("why the session may not be read; then store nothing of it")),
            decisions=series(
                record(position=whole(), **DECISION, recorded=flag("its owner can find it in the review queue"))
            ),
            degraded=DEGRADED,
            note=code("what to say, where not everything is to be stored"),
        ),
        filter_,
    ),
    Tool(
        "scrub",
        "Scrub",
        "Your text without the clauses that restate something forgotten; call it before you store a summary, or (use "
        "read) before you show what you recalled. Where `empty` is true there is nothing to store. What is cut out of "
        "a summary is kept, encrypted, for its owner.",
        record("use", text=text(), use=choice("summary", "read", default="summary")),
        record(
            text=or_null({"type": "string"}),
            empty=flag(),
            removed=series(record(start=whole("in code points"), end=whole(), **DECISION)),
            reason=DECISION["reason"],
            degraded=DEGRADED,
        ),
        scrub,
    ),
    Tool(
        "status",
        "Status",
        "Whether the ledger can be asked, and counts. `ledger` is `ok` or a code.",
        record(),
        record(
            forgetguard=code("version"),
            degraded=DEGRADED,
            purge=choice("ready", "not-described"),
            **_COUNTED,
        ),
        status,
        reads=True,
        repeats=True,
    ),
)
