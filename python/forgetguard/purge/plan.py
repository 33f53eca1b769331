"""A plan: what a purge would do, said before it is done. Making one leaves no trace on any disk.

A plan on disk holds session ids, counts and keyed digests of what was found, and no text, no path and no entry key.
It binds
the sessions, not the artefacts: `apply` looks again, so what these sessions left since then goes too and is named
`late`.
"""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hmac import compare_digest
from pathlib import Path

from forgetguard.errors import InvalidInput, Refused
from forgetguard.purge.host import Host
from forgetguard.purge.operator import Operator, keyed_digest
from forgetguard.purge.selection import Resolution, Selected, Selection, Source, resolve
from forgetguard.purge.surfaces.protocol import Standing
from forgetguard.purge.survey import Noted, Survey, patiently, refusals, survey

SCHEMA = "forgetguard.purge.plan"
VERSION = 1


@dataclass(frozen=True)
class Plan:
    """`digests` and `host` are keyed: by the operator, or by a key of this process alone when there is none yet."""

    id: str
    agent_id: str
    created_at: float
    selection: Selection
    resolution: Resolution
    survey: Survey | None = field(repr=False)
    digests: frozenset[str] = field(repr=False)
    key: bytes | None = field(default=None, repr=False)
    host: str = ""

    @property
    def sessions(self) -> tuple[Selected, ...]:
        return self.resolution.sessions


def make_plan(
    host: Host,
    selection: Selection,
    operator: Operator | None = None,
    tell: Callable[[str], None] | None = None,
) -> Plan:
    """Resolve and look, touching nothing. Raises NothingMatched, Refused (mixed selectors), StoreUnreadable.

    `tell` hears which surface is looked at.
    """
    return plan_for(host, selection, patiently(lambda: resolve(selection, host.lineage)), operator, tell)


def plan_for(
    host: Host,
    selection: Selection,
    resolution: Resolution,
    operator: Operator | None = None,
    tell: Callable[[str], None] | None = None,
) -> Plan:
    """The plan of sessions that were resolved already, for a host that resolves selectors in its own way."""
    found = survey(host, resolution.ids, session_keys(resolution.sessions), tell=tell)
    key = None if operator is not None else os.urandom(32)
    return Plan(
        uuid.uuid4().hex,
        host.lineage.agent_id,
        time.time(),
        selection,
        resolution,
        found,
        frozenset(artefact_digest(operator, key, item) for item in found.found),
        key,
        host_digest(host, operator, key),
    )


def artefact_digest(operator: Operator | None, key: bytes | None, item: Noted) -> str:
    """The name under which a plan knows an artefact."""
    return _digest(operator, key, "artefact", item.surface, item.kind, item.place, item.id, str(item.number))


def host_digest(host: Host, operator: Operator | None, key: bytes | None) -> str:
    """The name under which a plan knows its host."""
    return _digest(operator, key, "host", host.id)


def _digest(operator: Operator | None, key: bytes | None, domain: str, *parts: str) -> str:
    if key is None and operator is not None:
        return operator.digest(domain, *parts)
    return keyed_digest(key or b"", domain, *parts)


def session_keys(sessions: tuple[Selected, ...]) -> frozenset[str]:
    """The keys of the sessions, where they are known."""
    return frozenset(one.session_key for one in sessions if one.session_key)


def preview(host: Host, plan: Plan) -> dict[str, object]:
    """What the purge would report, as JSON values."""
    if plan.survey is None:
        raise InvalidInput("a plan that was read from a file has no preview; make it anew")
    return {"dryRun": True, **describe(host, plan.resolution, plan.survey, plan.survey.counts())}


def describe(
    host: Host, resolution: Resolution, found: Survey, counts: Mapping[str, Mapping[str, int]]
) -> dict[str, object]:
    """The part of a report that a preview and its purge have in common."""
    kept = [(surface, one) for surface, one in found.findings if one.standing is not Standing.REFUSED]
    return {
        "agentId": host.lineage.agent_id,
        "sessions": [one.as_json() for one in resolution.sessions],
        "participantMatches": [
            {"actorId": actor, "namespaces": list(names)} for actor, names in resolution.participant_matches
        ],
        "unmatched": [{"selector": name, "value": value} for name, value in resolution.unmatched],
        "entryKeys": sorted(found.targets.entry_keys),
        "mixedLineageEntryKeys": list(found.mixed),
        "untargetableEntryKeys": list(found.untargetable),
        "artifacts": {surface.name: dict(counts.get(surface.name, {})) for surface in host.surfaces},
        "sharedTexts": found.shared,
        "kept": [
            {
                "surface": surface,
                "place": one.place,
                "standing": one.standing.value,
                "code": one.code,
                "count": one.count,
            }
            for surface, one in kept
        ],
        "surfaces": [_declared(host, surface.name) for surface in host.surfaces],
        "notCovered": list(host.not_covered),
        "refusals": refusals(found, resolution.held),
    }


def _declared(host: Host, name: str) -> dict[str, object]:
    surface = next(one for one in host.surfaces if one.name == name)
    given = surface.declares()
    return {
        "name": name,
        "kind": given.kind,
        "covers": list(given.covers),
        "retains": list(given.retains),
        "notCovered": list(given.not_covered),
        "method": list(given.method),
    }


def write_plan(path: Path, plan: Plan, operator: Operator) -> None:
    """Write the plan, 0600, never over an existing file. It must have been made with this operator."""
    if plan.key is not None:
        raise InvalidInput(
            "a plan for a file is made with an operator key", advice="Run `forgetguard purge init` first."
        )
    body = _body(plan)
    content = json.dumps(body | {"mac": _mac(operator, body)}, indent=1, sort_keys=True).encode() + b"\n"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise InvalidInput("a file stands where the plan should go", code="plan-exists") from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
    except BaseException:
        path.unlink(missing_ok=True)  # half a plan would stand in the way of a whole one
        raise


def read_plan(path: Path, operator: Operator) -> Plan:
    """The plan in a file.

    Raises InvalidInput for another file, Refused when it was altered or has another operator's key.
    """
    try:
        body = json.loads(path.read_bytes())
        mac = body.pop("mac")
        if body["schema"] != SCHEMA or body["version"] != VERSION:
            raise ValueError
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        raise InvalidInput("this file holds no plan") from None
    if not isinstance(mac, str) or not compare_digest(mac.encode(), _mac(operator, body).encode()):
        raise Refused("the plan was altered, or made with another operator key", code="plan-altered")
    sessions = tuple(
        Selected(one["sessionId"], one.get("sessionKey", ""), Source(one["source"])) for one in body["sessions"]
    )
    resolution = Resolution(
        sessions,
        tuple((one["actorId"], tuple(one["namespaces"])) for one in body["participantMatches"]),
        tuple((one["sessionId"], one["reason"]) for one in body["held"]),
        tuple((one["selector"], one["value"]) for one in body["unmatched"]),
    )
    selection = Selection.from_json(body["selection"])
    return Plan(
        body["id"],
        body["agentId"],
        body["createdAt"],
        selection,
        resolution,
        None,
        frozenset(body["artefacts"]),
        host=body["host"],
    )


def _body(plan: Plan) -> dict[str, object]:
    matches = plan.resolution.participant_matches
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "id": plan.id,
        "agentId": plan.agent_id,
        "host": plan.host,
        "createdAt": plan.created_at,
        "selection": plan.selection.as_json(),
        "sessions": [one.as_json() for one in plan.sessions],
        "participantMatches": [{"actorId": actor, "namespaces": list(names)} for actor, names in matches],
        "held": [{"sessionId": key, "reason": reason} for key, reason in plan.resolution.held],
        "unmatched": [{"selector": name, "value": value} for name, value in plan.resolution.unmatched],
        "counts": {} if plan.survey is None else plan.survey.counts(),
        "artefacts": sorted(plan.digests),
    }


def _mac(operator: Operator, body: Mapping[str, object]) -> str:
    return operator.digest("plan", json.dumps(body, sort_keys=True))
