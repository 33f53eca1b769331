"""What Claude Code is told about a tool call: nothing, a refusal, or another input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from forgetguard.adapters.claude_code.calls import DOCUMENT, EVENT, Options, asked_of, mapping
from forgetguard.errors import LedgerUnavailable

if TYPE_CHECKING:
    from forgetguard.hooks import Hooks

MATCHER: Final = "Write|Edit|MultiEdit|NotebookEdit|memory|str_replace_based_edit_tool|mcp__.*"
TIMEOUT_SECONDS: Final = 10
AT_ONCE: Final = 50
"""Texts that are decided together. Keeping one for its owner takes some ten milliseconds."""
UNATTENDED: Final = ("acceptEdits", "bypassPermissions")
"""Permission modes in which the host would not have asked about a write to a file."""

REFUSAL: Final = (
    "Not saved. This text, or a part of it, restates something that the user asked to forget, so it may not go into "
    "memory in these or other words. Leave that part out and write the rest, and do not say that it was saved. If the "
    "user wants it back, they can run `forgetguard remember`."
)
REWRITTEN: Final = "The part that restates something the user asked to forget was left out."


def answer(payload: object, hooks: Hooks, options: Options) -> dict[str, object] | None:
    """What to print for the host; None where the call may go on as it is.

    What was refused or left out is kept for its owner in the review queue. Raises InvalidInput, and LedgerUnavailable
    where nothing could be decided.
    """
    asked = asked_of(payload, options)
    if not asked.texts:
        return None
    if asked.document and options.rewrite:
        return _rewriting(payload, asked.texts[0], hooks)
    return _decision("deny", REFUSAL) if _restates(asked.texts, hooks) else None


def settings(command: str) -> dict[str, object]:
    """What goes into the host's settings.json. `onFailure` (2.1.295 and later) also stops a call when the command
    itself cannot be started or takes too long; earlier versions let it through."""
    hook = {"type": "command", "command": command, "timeout": TIMEOUT_SECONDS, "onFailure": "block"}
    return {"hooks": {EVENT: [{"matcher": MATCHER, "hooks": [hook]}]}}


def _restates(texts: Sequence[str], hooks: Hooks) -> bool:
    """Whether one of the texts does. One that does settles it: a call of thousands must not wait until each is kept."""
    for start in range(0, len(texts), AT_ONCE):
        found = hooks.extraction(texts[start : start + AT_ONCE])
        for one in found.decisions:
            if one.verdict.degraded and one.reason in LedgerUnavailable.CAUSES:
                raise LedgerUnavailable.because(one.reason)
        if len(found.store) < len(found.decisions):
            return True
    return False


def _rewriting(payload: object, text: str, hooks: Hooks) -> dict[str, object] | None:
    debrief = hooks.debrief(text)
    if debrief.degraded and debrief.reason in LedgerUnavailable.CAUSES:
        raise LedgerUnavailable.because(debrief.reason)
    if not debrief.removed and debrief.text == text:
        return None
    if debrief.text is None or not debrief.removed:
        # Nothing to say is left, or it was withheld whole. A file of headings alone was never asked about a fact.
        return _decision("deny", REFUSAL) if debrief.removed or debrief.reason else None
    call = mapping(payload)
    changed = {**mapping(call["tool_input"]), DOCUMENT[1]: debrief.text}
    permission = "allow" if call.get("permission_mode") in UNATTENDED else "ask"
    return _decision(permission, REWRITTEN, updatedInput=changed)


def _decision(permission: str, reason: str, **more: object) -> dict[str, object]:
    said = {"hookEventName": EVENT, "permissionDecision": permission, "permissionDecisionReason": reason, **more}
    return {"hookSpecificOutput": said}
