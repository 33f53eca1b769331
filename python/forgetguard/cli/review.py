"""The owner's review queue: what hooks dropped and held."""

from __future__ import annotations

import click

from forgetguard.cli.console import MOST_SHOWN, emit, excerpt, say, stamp, stdout, tell
from forgetguard.cli.options import Common, common
from forgetguard.ledger import ReviewItem
from forgetguard.values import Candidate


class _Listing(click.Group):
    """Without a command, the options are those of `list`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names):
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Listing, subcommand_metavar="[COMMAND] [ARGS]...")
def review() -> None:
    """Look at what hooks dropped or held, in clear, and hand it back. Without a command: list."""


@review.command("list")
@click.option("--held", is_flag=True, help="Only those that wait for your decision.")
@common
def list_(common: Common, held: bool) -> None:
    """Show the queue, oldest first."""
    with common.guard() as guard:
        items = [item for item in guard.review() if not held or item.action == "hold"]
    for item in items:
        if common.as_json:
            emit("review", **_fields(item))
        else:
            say(f"{item.id}  {stamp(item.at)}  {item.action:4} {item.reason:8}  {excerpt(item.text, MOST_SHOWN)}")
    if not items and not common.as_json:
        tell("the review queue is empty")


@review.command()
@click.argument("item", metavar="ID")
@common
def restore(common: Common, item: str) -> None:
    """Print one candidate, so that it can be stored after all, and take it off the queue.

    The entry that caught it stays; `forgetguard release` ends that.
    """

    def show(candidate: Candidate) -> None:
        if common.as_json:
            emit("restore", id=item, text=candidate.text, action=candidate.action.value, target=candidate.target)
        else:
            say(candidate.text)
        stdout().flush()  # before it leaves the queue: what nobody received must not be gone

    with common.guard() as guard:
        guard.restore(item, store=show)


@review.command()
@common
def counts(common: Common) -> None:
    """How many items each entry caught, most first: an entry that catches too much stands at the top."""
    with common.guard() as guard:
        found = guard.review_counts()
    if common.as_json:
        emit("review-counts", counts=found)
        return
    for entry, count in found.items():
        say(f"{count:6}  {entry or '(deletion notes)'}")


def _fields(item: ReviewItem) -> dict[str, object]:
    candidate = item.candidate
    return {
        "id": item.id, "action": item.action, "reason": item.reason, "entry": item.entry_id or None, "at": item.at,
        "text": item.text, "candidate": candidate.action.value, "target": candidate.target,
    }  # fmt: skip
