"""Tools of the user's wish: forget (in two steps), remember, what is forgotten, release (in two steps)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final

from forgetguard.adapters.mcp.arguments import Arguments
from forgetguard.adapters.mcp.schemas import choice, code, flag, moment, name, or_null, record, series, text, whole
from forgetguard.adapters.mcp.tool import TOKEN, Answer, Served, Tool, date, handed_out, id_of
from forgetguard.guard.reading import as_facts

MOST_FACTS: Final = 100
MOST_STORED: Final = 5000
PAGE: Final = 200

FACTS = series(
    text("one fact, as a sentence about the user"), "what to forget, one fact an item", least=1, most=MOST_FACTS
)


def forget_preview(served: Served, given: Arguments) -> Answer:
    """Whether the facts can be known again, and which of them an entry covers already."""
    facts = list(given["facts"])
    covered = _covered(served, facts)
    token = served.tokens.issue("forget", facts, covered)
    told = [{"position": at, "covered_by": entry} for at, entry in enumerate(covered)]
    return {"facts": told, **handed_out(token)}


def forget(served: Served, given: Arguments) -> Answer:
    """Record the facts that were previewed, and say what of `stored` restates anything forgotten."""
    facts = list(given["facts"])
    stored = given.get("stored", [])
    served.tokens.redeem(given["token"], "forget", facts, _covered(served, facts))
    done = served.guard.forget(facts)
    verdicts = served.guard.filter([one["text"] for one in stored]).verdicts
    found = [
        {"id": one["id"], "action": verdict.action.value, "reason": verdict.reason, "entry": id_of(verdict.entry)}
        for one, verdict in zip(stored, verdicts, strict=True)
        if not verdict.kept
    ]
    return {"entries": list(done.ids), "stored": found}


def _covered(served: Served, facts: Sequence[str]) -> list[str | None]:
    """For each fact the entry that it restates already. Raises InvalidText, LedgerUnavailable."""
    as_facts(facts)
    served.guard.with_ledger(lambda ledger: ledger.version)
    return [id_of(verdict.entry) for verdict in served.guard.filter(facts).verdicts]


def remember(served: Served, given: Arguments) -> Answer:
    """Release what the text restates, where the user asked; else decide on it like on any automatic write."""
    done = served.hooks.remember(given["text"], explicit=given["user_asked"])
    decided = done.decided
    return {
        "store": done.store,
        "release": done.release,
        "released": [entry.id for entry in done.entries],
        "action": "keep" if decided is None else decided.action.value,
        "reason": "" if decided is None else decided.reason,
        "entry": None if decided is None else id_of(decided.verdict.entry),
    }


def forgotten(served: Served, given: Arguments) -> Answer:
    """A page of the ids and dates of what is forgotten."""
    entries = served.guard.forgotten()
    start = given.get("offset", 0)
    page = islice(entries, start, start + given.get("limit", PAGE))
    told = [{"id": one.id, "forgotten_at": date(one.forgotten_at), "pending": one.pending} for one in page]
    return {"total": len(entries), "entries": told, "more": start + len(told) < len(entries)}


def release(served: Served, given: Arguments) -> Answer:
    """Without a token: what would be released, and a token for it. With it: release."""
    ids = list(dict.fromkeys(given["ids"]))
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
        "First step when the user asks to forget something. Changes nothing. Gives a token for `forget`.",
        record(facts=FACTS),
        record(
            facts=series(record(position=whole(), covered_by=or_null(name("the entry that covers it already")))),
            **TOKEN,
        ),
        forget_preview,
        reads=True,
        repeats=True,
    ),
    Tool(
        "forget",
        "Forget",
        "Record, durably, that these facts are forgotten: the same facts as in the preview, with its token. Only then "
        "delete them from your memory. Give what you have stored as `stored`, and delete also what comes back.",
        record(
            "stored",
            facts=FACTS,
            token=name("from forget_preview"),
            stored=series(record(id=name(), text=text()), "what you have stored", most=MOST_STORED),
        ),
        record(
            entries=series(name(), "the ledger's ids, one a fact"),
            stored=series(
                record(id=name("yours"), action=choice("drop", "hold", "defer"), reason=code(), entry=or_null(name())),
                "what you have stored and should not: drop is sure, hold is likely, defer could not be decided",
            ),
        ),
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
            action=choice("keep", "drop", "hold", "defer"),
            reason=code(),
            entry=or_null(name()),
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
