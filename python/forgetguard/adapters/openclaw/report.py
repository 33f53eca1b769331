"""The report with the host's own keys, in its order; what is ours stands under `forgetguard`.

`artifacts` counts what goes and what the host's own forget would have counted too. What goes beyond that, by rules or
in files that it has not, is under `forgetguard.beyond`; both together are everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from forgetguard.adapters.openclaw.curated import curated_writes
from forgetguard.adapters.openclaw.hosting import Hosted
from forgetguard.adapters.openclaw.keys import code_units, locale_order
from forgetguard.adapters.openclaw.sessions import identity
from forgetguard.purge.plan import Plan
from forgetguard.purge.selection import Source
from forgetguard.purge.survey import patiently

ARTIFACTS = (
    "memoryFiles", "memoryEntries", "memoryLines", "sessionCorpusFiles", "sessionCorpusLines", "indexChunks",
    "indexSources", "ftsRows", "vectorRows", "embeddingCacheRows", "shortTermEntries", "seenHashScopes", "backups",
    "originRows",
)  # fmt: skip
_THEIR_SOURCES = {Source.LIVE.value: "live", Source.ARCHIVED.value: "archived"}
_DONE = frozenset({"agentId", "sessions", "participantMatches", "entryKeys", "mixedLineageEntryKeys", "artifacts",
                   "untargetableEntryKeys", "dryRun", "schema", "version"})  # fmt: skip


def totals(artifacts: Mapping[str, Mapping[str, int]]) -> tuple[dict[str, int], dict[str, int]]:
    """What the host counts as well, in its order, and what goes beyond it."""
    summed: dict[str, int] = {}
    for kinds in artifacts.values():
        for kind, count in kinds.items():
            summed[kind] = summed.get(kind, 0) + count
    beyond = {kind: count for kind, count in sorted(summed.items()) if kind not in ARTIFACTS}
    return {kind: summed.get(kind, 0) for kind in ARTIFACTS}, beyond


def report(hosted: Hosted, plan: Plan, body: Mapping[str, Any], *, dry_run: bool, **ours: object) -> dict[str, object]:
    """The report of a preview or a purge, from what the purge itself reports."""
    held = {one["id"] for one in body.get("refusals", ()) if one["kind"] == "session"}
    chosen = [one.as_json() for one in plan.sessions if one.session_id not in held]
    ids = frozenset(one["sessionId"] for one in chosen)
    known_keys = frozenset(one["sessionKey"] for one in chosen if one.get("sessionKey"))
    counted, beyond = totals(body["artifacts"])
    keys = body["entryKeys"]
    return {
        "agentId": hosted.agent.name,
        "dryRun": dry_run,
        "sessionIds": sorted(ids, key=code_units),
        "participantMatches": [
            {"actorId": actor, "identities": [identity(space, actor) for space in spaces]}
            for actor, spaces in plan.resolution.participant_matches
        ],
        "sessionResolutions": resolutions(chosen),
        "entryKeys": sorted(keys, key=code_units),
        "mixedLineageEntryKeys": sorted(body.get("mixedLineageEntryKeys", ()), key=code_units),
        "untargetableEntryKeys": sorted(set(body.get("untargetableEntryKeys", ())) - set(keys), key=code_units),
        "curatedWrites": patiently(lambda: curated_writes(hosted.agent, ids, known_keys)),
        "artifacts": counted,
        "refusals": list(hosted.workspace.refusals()),
        "forgetguard": {"schema": "forgetguard.memory.forget", "version": 1, "beyond": beyond,
                        "surfaceArtifacts": body["artifacts"],
                        **{key: value for key, value in body.items() if key not in _DONE}, **ours},
    }  # fmt: skip


def resolutions(chosen: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    """How each session is known; `sessionKey` is absent where it is not."""
    found = []
    for one in sorted(chosen, key=lambda item: locale_order(item["sessionId"])):
        key = {"sessionKey": one["sessionKey"]} if one.get("sessionKey") else {}
        found.append({"sessionId": one["sessionId"], **key, "source": _THEIR_SOURCES.get(one["source"], "unresolved")})
    return found


def error(message: str) -> dict[str, object]:
    """An error as the host prints it."""
    return {"ok": False, "error": {"type": "cli_error", "message": message}}
