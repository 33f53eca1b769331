"""receipts: list, verify, disclose, export. Parse, call `forgetguard.purge.receipts`, print JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from forgetguard.cli.options import decoded, need_stdin
from forgetguard.cli.purging import Place, place, shown
from forgetguard.errors import InvalidInput, NothingMatched
from forgetguard.purge import receipts as papers
from forgetguard.purge.journal import viewed
from forgetguard.purge.report import CANNOT_PROVE, DONE, FAILED

_NO_RECEIPT = "A purge writes one; --home names the directory of its key, journal and receipts."


@click.group()
def receipts() -> None:
    """Signed receipts of purges."""


@receipts.command("list")
@place
def receipts_list(here: Place) -> None:
    """Show all receipts, oldest first."""
    with viewed(here.home) as connection:
        shown("receipts", receipts=[one.as_json() for one in papers.all_receipts(connection)])


@receipts.command("export")
@place
def receipts_export(here: Place) -> None:
    """All that an auditor needs to verify the receipts without any secret: bodies, signatures, public key, head."""
    head, found = _standing(here)
    public = here.home.operator().public_key.hex()
    rows = [{"n": one.n, "body": one.body.decode(), "signature": one.signature.hex()} for one in found]
    shown("receipts.export", publicKey=public, head=None if head is None else str(head), receipts=rows)


def _standing(here: Place) -> tuple[papers.Head | None, list[papers.Receipt]]:
    """The pinned head, and the receipts, read after it: what a purge adds in between must not look like a cut end."""
    head = papers.pinned(here.home.head)
    with viewed(here.home) as connection:
        return head, list(papers.all_receipts(connection))


@receipts.command("verify")
@click.option("--head", help="A head that was published elsewhere, as N:HASH; else the pinned one.")
@click.option("--export", "exported", type=click.Path(path_type=Path), help="Verify an export instead.")
@click.option("--public-key", help="With --export: the key to trust, as 64 hex digits.")
@place
def receipts_verify(here: Place, head: str | None, exported: Path | None, public_key: str | None) -> int:
    """Check signatures, the chain, and its end against a head. Without any head the end cannot be proved."""
    known = None if head is None else papers.Head.parse(head)
    if exported is not None:
        found = _exported(exported)
        key = _public_key(public_key)
    else:
        pinned, found = _standing(here)
        key = here.home.operator().public_key if public_key is None else _public_key(public_key)
        known = known or pinned
    problems = papers.check(found, key, known)
    shown("receipts.verification", receipts=len(found), head=None if known is None else str(known), problems=problems)
    if problems:
        return FAILED
    return DONE if known is not None else CANNOT_PROVE


def _public_key(text: str | None) -> bytes:
    try:
        key = bytes.fromhex(text or "")
    except ValueError:
        key = b""
    if len(key) != 32:
        raise InvalidInput("an export is verified with a public key of 64 hex digits")
    return key


def _exported(path: Path) -> list[papers.Receipt]:
    try:
        rows = json.loads(path.read_bytes())["receipts"]
        return [papers.Receipt(int(one["n"]), one["body"].encode(), bytes.fromhex(one["signature"])) for one in rows]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise InvalidInput("this file is no export of receipts") from None


@receipts.command("head")
@place
def receipts_head(here: Place) -> None:
    """The pinned head, to be published where nobody here can rewrite it."""
    head = papers.pinned(here.home.head)
    if head is None:
        raise NothingMatched("there is no receipt yet", advice=_NO_RECEIPT)
    shown("receipts.head", head=str(head), publicKey=here.home.operator().public_key.hex())


@receipts.command("open")
@click.argument("number", type=int)
@click.option("--subject", help="The session, person or source; read from stdin when it is not given.")
@place
def receipts_open(here: Place, number: int, subject: str | None) -> None:
    """Disclose one subject of one receipt: the key with which its reference can be computed again."""
    with viewed(here.home) as connection:
        if connection is None:
            raise NothingMatched("there is no receipt yet", advice=_NO_RECEIPT)
        found = papers.disclose(connection, here.home.operator(), number, _subject(subject))
    shown("receipts.opening", **found)


@receipts.command("find")
@click.option("--subject", help="The session, person or source; read from stdin when it is not given.")
@place
def receipts_find(here: Place, subject: str | None) -> None:
    """Find the receipts that name a subject."""
    with viewed(here.home) as connection:
        found = [] if connection is None else papers.find(connection, here.home.operator(), _subject(subject))
    if not found:
        raise NothingMatched("no receipt names that subject", advice="Subjects are exact and case-sensitive.")
    shown("receipts.found", receipts=found)


def _subject(given: str | None) -> str:
    """Arguments show in the list of processes, so a person's id can come by stdin."""
    text = given
    if text is None or text == "-":
        need_stdin()
        text = decoded(sys.stdin.buffer.readline()).rstrip("\r\n")
    if not text:
        raise InvalidInput("a subject is needed")
    return text
