"""Carrying a purge out, so that a kill at any point is finished by running it again.

    prepare      seal sessions and the plan's digests in the journal
    tombstones   committed first, with the revision: nothing that was already running can put a session back
    lock         the host's own locks; everything below looks again
    select       seal needles, keys and artefacts; what is not in the plan is `late`
    suppress     hand chosen memories to the owner's ledger, if that was asked for
    erase:NAME   surface by surface, evidence last; a failure does not stop the others
    origins      last of all, and only when every surface is done: without them nothing could be found again
    verify       look for the bytes
    receipt      sign what was done

then, when the result is clean, what was sealed is erased. An unfinished run of the same host is finished first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from forgetguard.errors import NothingMatched, Refused, StoreUnreadable
from forgetguard.purge import receipts
from forgetguard.purge.host import Host
from forgetguard.purge.journal import RunState, opened, viewed
from forgetguard.purge.operator import Home
from forgetguard.purge.plan import Plan, describe, host_digest, session_keys
from forgetguard.purge.report import Report, report_of
from forgetguard.purge.run import Attempt, Ended, Order
from forgetguard.purge.selection import Selection, resolve
from forgetguard.purge.surfaces.protocol import Finding, Standing
from forgetguard.purge.survey import survey
from forgetguard.purge.verify import Verification, verify


def apply(host: Host, plan: Plan, home: Home, order: Order | None = None) -> Report:
    """Purge what the plan names. The report comes out also when steps failed.

    Raises Refused before anything is written (a plan of another host, legal hold on every session, a host that may not
    be touched now, another purge at work), NothingMatched when a memory to suppress is not among what goes, and
    PurgeFailed when the journal cannot be used.
    """
    order = order or Order()
    codes = receipts.codes(order.operator, order.basis, order.request_id)
    host.check()
    _check_host(host, plan, home)
    plan = _allowed(host, plan)
    if not has_unfinished(home):
        _check_suppressed(host, plan, order)
        if is_done(host, plan):
            return report_of(None, nothing=_described(host, plan))
    operator = home.operator(create=True)
    with opened(home, operator, order.observe, order.wait) as journal:
        name = operator.digest("host", host.id)
        done = [Attempt(host, journal, home, order, run).resume() for run in journal.unfinished(name)]
        covering = next((one for one in done if plan.resolution.ids <= one.knowledge.ids), None)
        if covering is not None:
            return report_of(covering, [one for one in done if one is not covering])
        if is_done(host, plan):
            return report_of(None, done, _described(host, plan))
        _check_suppressed(host, plan, order)
        return report_of(Attempt(host, journal, home, order, journal.begin(name, codes)).start(plan), done)


def resume(host: Host, home: Home, order: Order | None = None) -> list[Ended]:
    """Finish every unfinished run of this host and look for the bytes again; nothing new is purged."""
    host.check()
    return _each_unfinished(host, home, order or Order(), Attempt.resume)


def look_again(host: Host, home: Home, order: Order | None = None) -> list[Ended]:
    """Look for the bytes of every unfinished run again, and erase nothing of the host's."""
    return _each_unfinished(host, home, order or Order(), Attempt.look)


def _each_unfinished(host: Host, home: Home, order: Order, go: Callable[[Attempt], Ended]) -> list[Ended]:
    operator = home.operator()
    if not has_unfinished(home):
        return []
    with opened(home, operator, order.observe, order.wait) as journal:
        runs = journal.unfinished(operator.digest("host", host.id))
        return [go(Attempt(host, journal, home, order, run)) for run in runs]


def look_at_structure(host: Host, selection: Selection) -> Verification:
    """What can be said after the text was erased from the journal: keys and lineage only, so at best `cannot-prove`."""
    resolution = resolve(selection, host.lineage)
    found = survey(host, resolution.ids, session_keys(resolution.sessions))
    left = [(one.surface, Finding(Standing.RESIDUE, one.place, one.kind)) for one in found.found]
    unknown = ("provenance", Finding(Standing.CANNOT_PROVE, "needles", "erased"))
    return verify(host, found.targets, [*left, unknown])


def close(home: Home, host: Host | None = None) -> int:
    """Give up looking: erase what is sealed for runs that are not clean. How many; nothing can be proved of them any
    more.

    Raises Refused while a run has steps to do: it could never be finished.
    """
    operator = home.operator()
    if not has_unfinished(home):
        return 0
    with opened(home, operator) as journal:
        runs = journal.unfinished(None if host is None else operator.digest("host", host.id))
        if any(run.state is RunState.OPEN for run in runs):
            raise Refused(
                "a purge has not been finished", code="purge-open", advice="Run it again; close what is then unproven."
            )
        for run in runs:
            journal.finish(run, RunState.CLOSED)
        return len(runs)


def has_unfinished(home: Home) -> bool:
    """Whether some run is neither clean nor closed; also when that cannot be told just now. Leaves no trace."""
    try:
        with viewed(home) as connection:
            if connection is None:
                return False
            row = connection.execute("SELECT count(*) FROM runs WHERE state IN ('open','unproven')").fetchone()
            return bool(row[0])
    except StoreUnreadable:
        return True  # another purge is writing: who goes on takes the lock and looks again


def is_done(host: Host, plan: Plan) -> bool:
    """Whether a purge would change nothing: nothing lies there and every tombstone stands."""
    sessions = plan.resolution.ids
    if host.lineage.buried(sessions) != sessions:
        return False
    found = survey(host, sessions, session_keys(plan.sessions))
    return not found.found and not found.targets.entry_keys


def _described(host: Host, plan: Plan) -> dict[str, object]:
    found = survey(host, plan.resolution.ids, session_keys(plan.sessions))
    return describe(host, plan.resolution, found, found.counts())


def _allowed(host: Host, plan: Plan) -> Plan:
    """The plan without the sessions that came under legal hold since it was made. Raises Refused when none is left."""
    holds = host.lineage.holds()
    held = [(one.session_id, holds[one.session_id]) for one in plan.sessions if one.session_id in holds]
    sessions = tuple(one for one in plan.sessions if one.session_id not in holds)
    if not sessions:
        raise Refused(
            "every selected session is under legal hold",
            code="legal-hold",
            advice="Nothing was changed. `forgetguard purge hold list` shows the holds.",
        )
    return replace(plan, resolution=replace(plan.resolution, sessions=sessions, held=(*plan.resolution.held, *held)))


def _check_host(host: Host, plan: Plan, home: Home) -> None:
    operator = home.operator() if plan.key is None else None
    if plan.host != host_digest(host, operator, plan.key):
        raise Refused(
            "the plan was made for another host", code="plan-of-another-host", advice="Make a plan for this one."
        )


def _check_suppressed(host: Host, plan: Plan, order: Order) -> None:
    if not order.suppress_keys:
        return
    if order.suppress is None:
        raise Refused("there is no ledger to suppress in", code="no-ledger")
    if not set(order.suppress_keys) <= set(host.lineage.entries_of(plan.resolution.ids)):
        raise NothingMatched("a memory to suppress is not among what this purge removes")
