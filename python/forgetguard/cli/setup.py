"""Setting up: init, demo."""

from __future__ import annotations

import click

from forgetguard.cli.console import emit, say, tell
from forgetguard.cli.options import Common, common


@click.command()
@common
def init(common: Common) -> None:
    """Make the key and the ledger, where there are none; what is there is left alone.

    The key goes into the system's keyring where there is one, else into a file that only you can read.
    """
    _, source = common.settings.unlock(create=True)
    with common.guard(create=True) as guard:
        created = guard.with_ledger(lambda ledger: ledger.created)
        entries = guard.status().entries
    path = str(common.settings.ledger)
    if common.as_json:
        emit("init", ledger=path, key=source, created=created, entries=entries)
        return
    say(f"ledger  {path}" + (" (new)" if created else f" (was there, {entries} entries)"))
    say(f"key     {source}")
    kept = "the passphrase" if source == "passphrase" else "a copy of the key"
    tell(f"Keep {kept} apart from the ledger: without it nothing can be read again.")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="JSON on stdout.")
def demo(as_json: bool) -> None:
    """Replay a recorded conversation through a memory, without the guard and with it. Touches nothing of yours."""
    from forgetguard.demo import replay

    result = replay()
    if as_json:
        emit("demo", **result.as_dict())
    else:
        for line in result.lines():
            say(line)
