"""Facts: forget, remember, check, scrub, list, release."""

from __future__ import annotations

from typing import Any

import click

from forgetguard.cli.console import MOST_SHOWN, emit, excerpt, printable, say, stamp, tell, word
from forgetguard.cli.options import ARGUMENT_WARNING, USES, Common, common, read_text, text_argument
from forgetguard.errors import ForgetGuardError
from forgetguard.guard import Use, Verdict
from forgetguard.values import Entry


@click.command(epilog=ARGUMENT_WARNING)
@text_argument
@click.option("--lines", is_flag=True, help="One fact a line, all or none.")
@click.option("--create", is_flag=True, help="Make the key and the ledger, if there are none.")
@common
def forget(common: Common, text: str | None, lines: bool, create: bool) -> None:
    """Record that a fact is forgotten: TEXT, or stdin.

    Once this returns it is on disk. Delete the fact from the agent's memory afterwards.
    """
    given = read_text(text)
    facts = [line for line in given.splitlines() if line.strip()] if lines else [given]
    with common.guard(create=create) as guard:
        done = guard.forget(facts)
    if common.as_json:
        emit("forget", ids=list(done.ids))
    else:
        for name in done.ids:
            say(f"forgotten {name}")


@click.command(epilog=ARGUMENT_WARNING)
@text_argument
@click.option("--dry-run", is_flag=True, help="Say what would be released; change nothing.")
@common
def remember(common: Common, text: str | None, dry_run: bool) -> int:
    """Release every forgotten fact that TEXT (or stdin) restates, so that it can be stored again.

    Exit code 5 where nothing forgotten restates it.
    """
    given = read_text(text)
    with common.guard() as guard:
        done = guard.remember(given, dry_run=dry_run)
    if done.release == "pending":
        # Nothing of this process lives long enough to release it later.
        raise ForgetGuardError(
            "the release could not be written; nothing was released",
            code="release-unwritten",
            advice="Run `forgetguard ledger verify`, check the disk and its free space, then remember again.",
        )
    if common.as_json:
        emit("remember", release=done.release, dry_run=dry_run, entries=[_entry(one) for one in done.entries])
    else:
        word = "would release" if dry_run else "released"
        for entry in done.entries:
            say(f"{word} {entry.id}  {printable(entry.text)}")
        if not done.entries:
            tell("nothing forgotten restates it")
    return 0 if done.entries else 5


@click.command(epilog=ARGUMENT_WARNING)
@text_argument
@click.option("--use", type=USES, default=Use.WRITE.value, show_default=True, help="What the text is wanted for.")
@common
def check(common: Common, text: str | None, use: str) -> None:
    """Say whether TEXT (or stdin) may be stored: keep, drop (sure) or hold (likely). Nothing is written."""
    given = read_text(text)
    with common.guard() as guard:
        verdict = guard.check(given, use=use)
    if common.as_json:
        emit("check", **_verdict(verdict))
        return
    entry = f", entry {verdict.entry.id}" if verdict.entry is not None else ""
    say(f"{verdict.action.value}" + (f" ({verdict.reason}{entry})" if verdict.reason else ""))


@click.command(epilog=ARGUMENT_WARNING)
@text_argument
@common
def scrub(common: Common, text: str | None) -> None:
    """Print TEXT (or stdin) without the clauses that restate a forgotten fact."""
    given = read_text(text)
    with common.guard() as guard:
        done = guard.scrub(given)
    if common.as_json:
        cuts = [{"start": one.start, "end": one.end, **_cut(one.action, one.reason, one.entry)} for one in done.removed]
        emit("scrub", text=done.text, empty=done.empty, removed=cuts)
        return
    if not done.empty:
        say(done.text)
    tell(f"removed {len(done.removed)}" + ("; nothing is left to store" if done.empty else ""))


@click.command("list")
@click.option("--pending", is_flag=True, help="Only those whose deletion was neither confirmed nor called off.")
@common
def list_(common: Common, pending: bool) -> None:
    """Show what is forgotten, in clear, to its owner."""
    with common.guard() as guard:
        entries = guard.pending() if pending else guard.forgotten()
        problems = guard.status().problems
    for entry in entries:
        if common.as_json:
            emit("entry", **_entry(entry))
        else:
            mark = "  [pending]" if entry.pending else ""
            say(f"{entry.id}  {stamp(entry.forgotten_at)}{mark}  {excerpt(entry.text, MOST_SHOWN)}")
    if not common.as_json and not entries:
        tell("nothing is pending" if pending else "nothing is forgotten")
    if problems:
        tell(f"This may not be all: {word(problems)}. See `forgetguard ledger verify`.")


@click.command()
@click.argument("entries", nargs=-1, required=True, metavar="ENTRY...")
@click.option("--dry-run", is_flag=True, help="Say what would be released; change nothing.")
@common
def release(common: Common, entries: tuple[str, ...], dry_run: bool) -> None:
    """End the protection of entries, by id (`forgetguard list`): what restates them can be stored again."""
    with common.guard() as guard:
        released = guard.release(entries, dry_run=dry_run)
    if common.as_json:
        emit("release", ids=list(released), dry_run=dry_run)
        return
    for name in released:
        say(f"{'would release' if dry_run else 'released'} {name}")
    if not released:
        tell("they were released before")


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id, "text": entry.text, "forgotten_at": entry.forgotten_at, "pending": entry.pending,
        "reason": entry.reason,
    }  # fmt: skip


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        **_cut(verdict.action.value, verdict.reason, verdict.entry), "similarity": verdict.similarity,
        "coverage": verdict.coverage, "degraded": verdict.degraded,
    }  # fmt: skip


def _cut(action: str, reason: str, entry: Entry | None) -> dict[str, Any]:
    return {"action": str(action), "reason": reason, "entry": entry.id if entry is not None else None}
