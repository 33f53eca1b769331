"""The ledger itself: status, verify, rekey, export, restore, merge, settle, erase, accept-loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import click

from forgetguard.cli.console import emit, say, tell, word
from forgetguard.cli.options import Common, common
from forgetguard.errors import InvalidInput, Refused
from forgetguard.keys import Key, KeySource, Passphrase, write_key_file
from forgetguard.ledger import Ledger


@click.group()
def ledger() -> None:
    """Status, verification, keys and copies of the ledger."""


@ledger.command()
@common
def status(common: Common) -> None:
    """Counts, codes and ages; no text. `words_only`: entries without a vector of the model in use."""
    with common.guard() as guard:
        found = asdict(guard.with_ledger(lambda ledger: ledger.status()))
        in_use = guard.status()
    found |= {"model": in_use.model, "words_only": in_use.words_only}
    if common.as_json:
        emit("ledger-status", **found)
        return
    for name, value in found.items():
        say(f"{name:17} {word(value)}")


@ledger.command()
@common
def verify(common: Common) -> int:
    """Read every record again. Exit code 0: it holds; 1: something is wrong; 3: it cannot be told."""
    key, _ = common.settings.unlock()
    found = Ledger.inspect(common.settings.ledger, key, **common.settings.ledger_options)
    if common.as_json:
        emit("ledger-verify", outcome=found.outcome, records=found.records, problems=dict(found.problems))
    else:
        say(f"{found.outcome}: {found.records} records")
        for code, count in found.problems.items():
            say(f"  {code}: {count}")
    return found.exit_code


@ledger.command()
@click.option("--new-root", is_flag=True, help="Seal every record anew: old copies and the old key reach nothing.")
@click.option("--new-key-file", type=click.Path(path_type=Path), help="Write a new key to this new file (0600).")
@click.option("--new-passphrase", is_flag=True, help="Ask for a new passphrase.")
@common
def rekey(common: Common, new_root: bool, new_key_file: Path | None, new_passphrase: bool) -> None:
    """Change the key. The old one works until the new one is known to; keep it until this is done."""
    key, confirm = _new_key(new_key_file, new_passphrase)
    with common.guard() as guard:
        done = guard.with_ledger(lambda ledger: ledger.rekey(key, new_root, confirm))
    if common.as_json:
        emit("ledger-rekey", outcome=done, new_root=new_root)
    else:
        say(f"re-keyed: {done}")
        tell("From now on give the new key: --key-file, FORGETGUARD_KEY_FILE or --passphrase.")


def _new_key(file: Path | None, passphrase: bool) -> tuple[KeySource, Callable[[], None] | None]:
    if (file is None) == (not passphrase):
        raise InvalidInput("name the new key", advice="Give either --new-key-file PATH or --new-passphrase.")
    if file is None:
        secret = click.prompt("New passphrase", hide_input=True, confirmation_prompt=True, err=True)
        return Passphrase(secret), None
    key, target = Key.generate(), file

    def keep() -> None:
        write_key_file(target, key)

    return key, keep


@ledger.command()
@click.argument("path", type=click.Path(path_type=Path))
@common
def export(common: Common, path: Path) -> None:
    """Write one sealed file with every record, for a backup. The key is needed to read it."""
    with common.guard() as guard:
        records = guard.with_ledger(lambda ledger: ledger.export(path))
    if common.as_json:
        emit("ledger-export", records=records)
    else:
        say(f"exported {records} records")


@ledger.command()
@click.argument("segment", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Accept that whatever was forgotten after the export is not in it.")
@common
def restore(common: Common, segment: Path, yes: bool) -> None:
    """Bring an export back where no ledger stands."""
    key, _ = common.settings.unlock()
    options = common.settings.ledger_options
    with Ledger.restore(segment, common.settings.ledger, key, accept_loss=yes, **options) as restored:
        active = restored.status().active
    if common.as_json:
        emit("ledger-restore", active=active)
    else:
        say(f"restored: {active} entries")


@ledger.command()
@click.argument("segment", type=click.Path(path_type=Path))
@common
def merge(common: Common, segment: Path) -> None:
    """Take in an export of the same vault; nothing that is here is lost."""
    with common.guard() as guard:
        done = guard.with_ledger(lambda ledger: ledger.merge(segment))
    if common.as_json:
        emit("ledger-merge", **asdict(done))
    else:
        say(f"added {done.added}" + (", forked" if done.forked else ""))


@ledger.command()
@click.argument("entries", nargs=-1, required=True, metavar="ENTRY...")
@click.option("--deleted/--not-deleted", required=True, help="What had happened in the agent's memory.")
@common
def settle(common: Common, entries: tuple[str, ...], deleted: bool) -> None:
    """Say of pending entries whether the fact had been deleted: confirm them, or call them off."""
    with common.guard() as guard:
        guard.settle(entries, deleted=deleted)
    if common.as_json:
        emit("ledger-settle", ids=list(entries), deleted=deleted)
    else:
        say("confirmed" if deleted else "called off")


@ledger.command()
@click.argument("entries", nargs=-1, required=True, metavar="ENTRY...")
@click.option("--yes", is_flag=True, help="Accept that these facts are protected no longer.")
@common
def erase(common: Common, entries: tuple[str, ...], yes: bool) -> None:
    """Destroy every byte about entries. This ends their protection: what restates them can be stored again."""
    with common.guard() as guard:
        guard.release(entries, dry_run=True)
        if not yes:
            raise Refused("erasing ends the protection of these facts", advice="If that is meant, repeat with --yes.")
        done = guard.with_ledger(lambda ledger: ledger.erase(entries))
    if common.as_json:
        emit("ledger-erase", outcome=done)
    else:
        say("erased" if done == "done" else "erased; the last bytes go when the others that read it are gone")


@ledger.command("accept-loss")
@click.option("--yes", is_flag=True, help="Go on without what is missing.")
@common
def accept_loss(common: Common, yes: bool) -> None:
    """Go on after a loss, with what is there or with nothing. A file that does not open is renamed, never deleted."""
    if not yes:
        raise Refused("what is missing is protected no longer", advice="If that is accepted, repeat with --yes.")
    key, _ = common.settings.unlock()
    with Ledger.accept_loss(common.settings.ledger, key, **common.settings.ledger_options) as found:
        active = found.status().active
    if common.as_json:
        emit("ledger-accept-loss", active=active)
    else:
        say(f"the ledger goes on with {active} entries")
