"""What of a purge's plan and report a client sees: ids, codes and counts. Places are left out: paths name people.

The whole report is printed by `forgetguard purge`, for the operator.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from forgetguard.adapters.mcp.schemas import Schema, choice, code, counts, flag, name, or_null, record, series, whole
from forgetguard.adapters.mcp.tool import Answer
from forgetguard.purge.verify import Verification

MOST_IDS: Final = 500

_TOLD = record(surface=code(), standing=code(), code=code(), count=whole())
VERIFICATION = record(
    status=choice("clean", "residue", "cannot-prove"),
    looked_for=whole("texts"),
    findings=series(_TOLD),
    retained=series(_TOLD, "what stays by design"),
)
DESCRIBED: Final[Mapping[str, Schema]] = {
    "agent": name(),
    "sessions": series(record(id=name(), key=code(), source=code("live, archived, origin, tombstone, unresolved"))),
    "unmatched": series(record(selector=code(), value=code()), "what named nothing"),
    "namesakes": whole("people named whose id was met in more than one place, and may be two people's"),
    "entries": series(name(), f"memories that go, at most {MOST_IDS} of them"),
    "entries_total": whole(),
    "mixed": whole("of these, how many came from other sessions, too"),
    "untargetable": whole("memories without lineage, which no purge can reach"),
    "artefacts": {"type": "object", "additionalProperties": counts(), "description": "by surface and kind"},
    "shared": whole("texts that other sessions said, too; they stay"),
    "kept": series(_TOLD),
    "refused": series(record(kind=code(), id=or_null(name()), reason=code())),
    "not_covered": series(code()),
}
STEP = record(name=code(), status=code(), attempt=whole(), counts=counts())
FAILURE = record(step=code(), code=code())
RECEIPT = or_null(record(n=whole(), id=code()))
DONE: Final[Mapping[str, Schema]] = {
    "result": choice("clean", "residue", "cannot-prove", "failed", "refused", "nothing-to-do"),
    "exit_code": whole("0 clean, 1 residue or failed, 3 cannot prove, 4 refused"),
    "run": or_null(code()),
    "late": whole("artefacts that came after the preview and went too"),
    "steps": series(STEP),
    "failures": series(FAILURE),
    "verification": or_null(VERIFICATION),
    "receipt": RECEIPT,
    "resumed": whole("earlier purges that were finished first"),
}
LOOKED = record(
    run=or_null(code()),
    result=code(),
    failures=series(FAILURE),
    verification=or_null(VERIFICATION),
    receipt=RECEIPT,
)
CLEAN = flag("whether all that was looked for is gone")


def described(body: Mapping[str, Any]) -> Answer:
    """The part that a preview and its purge have in common."""
    entries = body["entryKeys"]
    return {
        "agent": body["agentId"],
        "sessions": [
            {"id": one["sessionId"], "key": one.get("sessionKey", ""), "source": one["source"]}
            for one in body["sessions"]
        ],
        "unmatched": [{"selector": one["selector"], "value": one["value"]} for one in body["unmatched"]],
        "namesakes": sum(len(one["namespaces"]) > 1 for one in body["participantMatches"]),
        "entries": entries[:MOST_IDS],
        "entries_total": len(entries),
        "mixed": len(body["mixedLineageEntryKeys"]),
        "untargetable": len(body["untargetableEntryKeys"]),
        "artefacts": body["artifacts"],
        "shared": body["sharedTexts"],
        "kept": _without_places(body["kept"]),
        "refused": [
            {"kind": one["kind"], "id": None if one["kind"] == "place" else one["id"], "reason": one["reason"]}
            for one in body["refusals"]
        ],
        "not_covered": body["notCovered"],
    }


def done(body: Mapping[str, Any]) -> Answer:
    """What a purge came to."""
    looked = looked_at(body)
    steps = [
        {"name": one["name"], "status": one["status"], "attempt": one["attempt"], "counts": one["counts"]}
        for one in body["steps"]
    ]
    more = {"exit_code": body["exitCode"], "late": len(body["late"]), "resumed": len(body["resumed"]), "steps": steps}
    return {**looked, **more}


def looked_at(body: Mapping[str, Any]) -> Answer:
    """What looking again came to, of one run."""
    verification = body.get("verification")
    receipt = body.get("receipt")
    return {
        "run": body.get("run"),
        "result": body["result"],
        "failures": [{"step": one["step"], "code": one["code"]} for one in body.get("failures", ())],
        "verification": None if verification is None else _verified(verification),
        "receipt": None if receipt is None else {"n": receipt["n"], "id": receipt["id"]},
    }


def structure(verification: Verification) -> Answer:
    """The same for a look at keys and lineage alone, which belongs to no run."""
    return looked_at({"result": verification.status.value, "verification": verification.as_json()})


def _verified(given: Mapping[str, Any]) -> Answer:
    return {
        "status": given["status"],
        "looked_for": given["lookedFor"],
        "findings": _without_places(given["findings"]),
        "retained": _without_places(given["retained"]),
    }


def _without_places(findings: Iterable[Mapping[str, Any]]) -> list[Answer]:
    """Findings, counted by surface, standing and code."""
    told: Counter[tuple[str, str, str]] = Counter()
    for one in findings:
        told[one["surface"], one["standing"], one["code"]] += one["count"]
    return [
        {"surface": surface, "standing": standing, "code": cause, "count": count}
        for (surface, standing, cause), count in told.items()
    ]
