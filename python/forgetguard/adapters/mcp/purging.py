"""Tools of a purge: preview, purge (with the preview's token), verify. What can be purged is described in TOML."""

from __future__ import annotations

from typing import Final

from forgetguard.adapters.mcp import reports
from forgetguard.adapters.mcp.arguments import Arguments
from forgetguard.adapters.mcp.schemas import choice, flag, moment, name, record, series
from forgetguard.adapters.mcp.tool import TOKEN, Answer, Served, Tool, handed_out
from forgetguard.errors import NothingMatched
from forgetguard.purge import (
    Host,
    Order,
    Plan,
    Selection,
    apply,
    look_again,
    look_at_structure,
    make_plan,
    preview,
    recorded,
)
from forgetguard.purge.receipts import codes
from forgetguard.purge.report import body_of
from forgetguard.purge.selection import origin_classes, parse_since
from forgetguard.values import OriginClass

MOST_VALUES: Final = 1000

_CLASSES = choice(*(one.value for one in OriginClass))
SELECTORS = {
    "sessions": series(name(), "ids or keys, exact", most=MOST_VALUES),
    "participants": series(name(), "ids of people who took part, exact", most=MOST_VALUES),
    "hook_sources": series(name(), "sources of hook content, such as gmail", most=MOST_VALUES),
    "channels": series(name(), most=MOST_VALUES),
    "chat_types": series(choice("direct", "group", "channel"), most=MOST_VALUES),
    "origin_classes": series(_CLASSES, "sessions in which a memory of that class was observed", most=MOST_VALUES),
    "since": moment("only sessions that began at this ISO date or later"),
    "allow_unresolved": flag("bar ids that are not known here, too"),
    "union": flag("all that any selector names, where narrow and wide ones stand together"),
}
_ORDER = {
    "operator": name("who, as a code for the receipt"),
    "basis": name("on what legal or other basis, as a code"),
    "request_id": name("of what request, as a code"),
}


def purge_preview(served: Served, given: Arguments) -> Answer:
    """What a purge would remove. Changes no byte of an existing file."""
    with served.hosting() as host:
        plan = make_plan(recorded(host), _selection(given))
        token = served.tokens.issue("purge", _asked(given), _found(host, plan))
        return {**reports.described(preview(host, plan)), **handed_out(token)}


def purge(served: Served, given: Arguments) -> Answer:
    """Purge what was previewed, and look for it again."""
    order = Order(*(given.get(one, "") for one in _ORDER))
    codes(order.operator, order.basis, order.request_id)
    with served.hosting() as host:
        plan = make_plan(recorded(host), _selection(given))
        served.tokens.redeem(given["token"], "purge", _asked(given), _found(host, plan))
        report = apply(host, plan, served.home, order).as_json()
    return {**reports.described(report), **reports.done(report)}


def verify(served: Served, given: Arguments) -> Answer:
    """Look for the bytes of purges that are not proven; with selectors, check keys and lineage once more."""
    with served.hosting() as host:
        if given:
            runs = [reports.structure(look_at_structure(recorded(host), _selection(given)))]
        else:
            runs = [reports.looked_at(body_of(one)) for one in look_again(recorded(host), served.home)]
    if not runs:
        raise NothingMatched("no purge is unproven", advice="Name selectors to check the structure once more.")
    return {"clean": all(one["result"] == "clean" for one in runs), "runs": runs}


def _selection(given: Arguments) -> Selection:
    """The selection that the arguments name. Raises InvalidInput, Refused."""
    since = given.get("since")
    return Selection(
        sessions=tuple(given.get("sessions", ())),
        participants=tuple(given.get("participants", ())),
        hook_sources=tuple(given.get("hook_sources", ())),
        channels=tuple(given.get("channels", ())),
        chat_types=tuple(given.get("chat_types", ())),
        origin_classes=origin_classes(given.get("origin_classes", ())),
        since=None if since is None else parse_since(since),
        allow_unresolved=given.get("allow_unresolved", False),
        union=given.get("union", False),
    )


def _asked(given: Arguments) -> dict[str, object]:
    """The selectors alone: what a token is bound to on the client's side."""
    return {key: given[key] for key in SELECTORS if given.get(key)}


def _found(host: Host, plan: Plan) -> list[object]:
    """What a token is bound to on the host's side: the sessions, the memories, and what is refused."""
    body = preview(host, plan)
    return [body["sessions"], body["entryKeys"], body["refusals"]]


TOOLS = (
    Tool(
        "purge_preview",
        "Preview a purge",
        "First step to delete every memory of a session, a person or a source. Changes nothing. Gives a token for "
        "`purge`; show the user what would go before you use it.",
        record(*SELECTORS, **SELECTORS),
        record(**reports.DESCRIBED, **TOKEN),
        purge_preview,
        reads=True,
        repeats=True,
    ),
    Tool(
        "purge",
        "Purge",
        "Delete what was previewed, for good, and look for the bytes again: the same selectors as in the preview, with "
        "its token. Only `clean` is success.",
        record(*SELECTORS, *_ORDER, **SELECTORS, **_ORDER, token=name("from purge_preview")),
        record(**reports.DESCRIBED, **reports.DONE),
        purge,
        destroys=True,
    ),
    Tool(
        "verify",
        "Verify a purge",
        "Without selectors: look again for what purges that are not clean were to remove. With them, after a clean "
        "purge: check keys and lineage, which proves nothing about bytes. Deletes nothing.",
        record(*SELECTORS, **SELECTORS),
        record(clean=reports.CLEAN, runs=series(reports.LOOKED)),
        verify,
        repeats=True,
    ),
)
