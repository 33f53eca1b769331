"""Tools of the user's wish: forget (in two steps), remember, what is forgotten, release (in two steps)."""

from __future__ import annotations

from typing import Final

from forgetguard.adapters.mcp.arguments import Arguments
from forgetguard.adapters.mcp.schemas import choice, code, flag, moment, name, or_null, record, series, text, whole
from forgetguard.adapters.mcp.tool import DECISION, TOKEN, Answer, Served, Tool, date, decision, handed_out, id_of, note
from forgetguard.guard.verdicts import Decision, Finding

MOST_FACTS: Final = 100
MOST_STORED: Final = 5000
PAGE: Final = 200

FACTS = series(
    text("one fact, as a sentence about the user"), "what to forget, one fact an item", least=1, most=MOST_FACTS
)
STORED = series(record(id=name(), text=text()), "what you have stored that may say so", most=MOST_STORED)
FOUND = series(
    record(id=name("yours"), action=choice("drop", "hold"), reason=code(), fact=whole("position of the fact")),
    "what you have stored that restates them: drop is sure, hold is likely",
)


def forget_preview(served: Served, given: Arguments) -> Answer:
    """Whether the facts can be known again, which of them an entry covers already, and what stored restates them."""
    covered, found = _foreseen(served, given)
    token = served.tokens.issue("forget", _asked(given), [covered, found])
    told = [{"position": at, "covered_by": entry} for at, entry in enumerate(covered)]
    return {"facts": told, "stored": found, **handed_out(token)}


def forget(served: Served, given: Arguments) -> Answer:
    """Record the facts that were previewed."""
    covered, found = _foreseen(served, given)
    served.tokens.redeem(given["token"], "forget", _asked(given), [covered, found])
    return {"entries": list(served.guard.forget(given["facts"]).ids), "stored": found}


def _asked(given: Arguments) -> list[object]:
    return [given["facts"], given.get("stored", [])]


def _foreseen(served: Served, given: Arguments) -> tuple[list[str | None], list[Answer]]:
    """For each fact the entry that it restates already; and which stored items restate the facts.

    Raises InvalidText, LedgerUnavailable.
    """
    findings = served.guard.would_find(given["facts"], given.get("stored", []), among_text="text")
    served.need_ledger()
    covered = [id_of(verdict.entry) for verdict in served.guard.filter(given["facts"]).verdicts]
    return covered, [_found(one) for one in findings]


def _found(finding: Finding[dict[str, str]]) -> Answer:
    verdict = finding.verdict
    fact = int(verdict.entry.id) if verdict.entry is not None else 0
    return {"id": finding.item["id"], "action": verdict.action.value, "reason": verdict.reason, "fact": fact}


def remember(served: Served, given: Arguments) -> Answer:
    """Release what the text restates, where the user asked; else decide on it like on any automatic write."""
    done = served.hooks.remember(given["text"], explicit=given["user_asked"])
    one = done.decided
    return {
        "store": done.store,
        "release": done.release,
        "released": [entry.id for entry in done.entries],
        **(decision(Decision.KEEP, "", None) if one is None else decision(one.action, one.reason, one.verdict.entry)),
        "note": "" if one is None else note([one.action]),
    }


def forgotten(served: Served, given: Arguments) -> Answer:
    """A page of the ids and dates of what is forgotten."""
    entries = list(served.guard.forgotten())
    start = int(given.get("offset", 0))  # 1.0 is a whole number to a schema
    page = entries[start : start + int(given.get("limit", PAGE))]
    told = [{"id": one.id, "forgotten_at": date(one.forgotten_at), "pending": one.pending} for one in page]
    return {"total": len(entries), "entries": told, "more": start + len(told) < len(entries)}


def release(served: Served, given: Arguments) -> Answer:
    """Without a token: what would be released, and a token for it. With it: release."""
    ids = list(dict.fromkeys(given["ids"]))
    served.need_ledger()
    active = list(served.guard.release(ids, dry_run=True))
    if (token := given.get("token")) is not None:
        served.tokens.redeem(token, "release", ids, active)
        return {"released": list(served.guard.release(ids)), "would_release": [], "token": None, "expires_at": None}
    issued = handed_out(served.tokens.issue("release", ids, active))
    return {"released": [], "would_release": active, **issued}


TOOLS = (
    Tool(
        "forget_preview",
        "Preview a forget",
        "First step when the user asks to forget something. Give the facts, and what you have stored that may say so. "
        "Changes nothing. Gives a token for `forget`.",
        record("stored", facts=FACTS, stored=STORED),
        record(
            facts=series(record(position=whole(), covered_by=or_null(name("the entry that covers it already")))),
            stored=FOUND,
            **TOKEN,
        ),
        forget_preview,
        reads=True,
        repeats=True,
    ),
    Tool(
        "forget",
        "Forget",
        "Record, durably, that these facts are forgotten: the same arguments as in the preview, and its token. Only "
        "then delete from your memory what the answer lists as `stored`.",
        record("stored", facts=FACTS, stored=STORED, token=name("from forget_preview")),
        record(entries=series(name(), "the ledger's ids, one a fact"), stored=FOUND),
        forget,
        destroys=True,
    ),
    Tool(
        "remember",
        "Remember",
        "Call it before you store what the user wants remembered, and before any duplicate check of yours. Store the "
        "text only where the answer says `store`.",
        record(
            text=text("what to remember"),
            user_asked=flag(
                "true only if the user asked, in so many words and in this conversation, to remember this; "
                "then whatever they had asked to forget and this restates is released"
            ),
        ),
        record(
            store=flag("whether to store it"),
            release=choice("done", "none", "pending", "never", about="pending: done when the ledger is back"),
            released=series(name(), "entries that no longer protect"),
            **DECISION,
            note=code("what to say, where it is not to be stored"),
        ),
        remember,
        destroys=True,
        repeats=True,
    ),
    Tool(
        "forgotten",
        "What is forgotten",
        "The ids and dates of what is forgotten. Its text is shown to its owner alone, by `forgetguard list`.",
        record(
            "offset",
            "limit",
            offset=whole("how many to skip", default=0),
            limit=whole("how many at most", most=1000, default=PAGE),
        ),
        record(
            total=whole(),
            entries=series(record(id=name(), forgotten_at=moment(), pending=flag("its deletion was never confirmed"))),
            more=flag("whether there are more behind these"),
        ),
        forgotten,
        reads=True,
        repeats=True,
    ),
    Tool(
        "release",
        "Release",
        "End the protection of entries, so that what restates them can be stored again. Without a token it changes "
        "nothing, and gives one; show the user what would be released, then call it again with the token.",
        record("token", ids=series(name(), "entries, by id", least=1, most=1000), token=name("from the first call")),
        record(
            released=series(name()),
            would_release=series(name()),
            token=or_null(TOKEN["token"]),
            expires_at=or_null(TOKEN["expires_at"]),
        ),
        release,
        destroys=True,
    ),
)
