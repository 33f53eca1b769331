"""doctor: what is installed, whether the ledger can be used, and what a host keeps where its delete does not reach."""

from __future__ import annotations

import platform
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from forgetguard.cli.console import emit, printable, say, tell, word
from forgetguard.cli.options import Common, common
from forgetguard.errors import ForgetGuardError
from forgetguard.version import VERSION

if TYPE_CHECKING:
    from forgetguard.adapters.hosts import Host
    from forgetguard.adapters.surveying import Found

SHOWN_PATHS = 3


@click.command()
@click.argument("path", required=False, type=click.Path(path_type=Path, exists=True))
@click.option("--host", "name", metavar="NAME", help="Look at what this host keeps in PATH.")
@click.option("--remove", is_flag=True, help="With --host: remove what restates, where that is safe. Needs --yes.")
@click.option("--yes", is_flag=True, help="Do what --remove shows.")
@click.option("--state-dir", type=click.Path(path_type=Path), help="Look at a state directory of OpenClaw instead.")
@common
def doctor(common: Common, path: Path | None, name: str | None, remove: bool, yes: bool, state_dir: Path | None) -> int:
    """Say what is installed and whether the ledger can be used. Exit code 1 where it cannot. No text is shown.

    With --host NAME PATH: what the host keeps there where its own delete does not reach, and how much of it restates
    something forgotten. Exit code 0 where nothing does, 1 where something does, 3 where that cannot be told. Where the
    host's adapter keeps a ledger of its own in PATH, that one is asked, unless --ledger names another.

    With --state-dir: what a purge would erase there, report, or not cover, and whether it could run now.
    """
    if name is not None and path is None:
        from forgetguard.adapters.hosts import host

        raise click.UsageError(f"--host {name} wants the PATH to look at, usually {host(name).keeps_in}")
    if path is not None and (name is None or state_dir is not None):
        raise click.UsageError("PATH goes with --host NAME alone")
    if (remove and name is None) or (yes and not remove):
        raise click.UsageError("--remove goes with --host, and --yes with --remove")
    if name is not None and path is not None:
        return _doctor_of_host(common, name, path, remove, yes)
    return _doctor(common) if state_dir is None else _doctor_of_openclaw(common, state_dir)


def _doctor(common: Common) -> int:
    from forgetguard.rules import BACKEND

    facts: dict[str, object] = {
        "forgetguard": VERSION,
        "backend": BACKEND,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "sqlite": sqlite3.sqlite_version,
        "ledger_path": str(common.settings.ledger),
    }
    problem: ForgetGuardError | None = None
    try:
        _, facts["key"] = common.settings.unlock()
        with common.guard() as guard:
            facts |= asdict(guard.status())
    except ForgetGuardError as error:
        problem = error
        facts["ledger"] = error.code
    if common.as_json:
        emit("doctor", ok=problem is None, **facts)
    else:
        for name, value in facts.items():
            say(f"{name:18} {word(value)}")
    if problem is not None:
        tell(f"problem: {problem} [{problem.code}]")
        tell(f"  {problem.advice}")
    _tell_of_model(common, words_only=bool(facts.get("words_only")))
    return 0 if problem is None else 1


def _tell_of_model(common: Common, *, words_only: bool) -> None:
    """What keeps words alone in use although a model is named."""
    unusable = _unusable_model(common)
    if unusable:
        tell(f"The embedding model in use cannot be used [{unusable}], so words alone decide.")
        tell("  `forgetguard model add DIR`, with its directory, says why, and sets it in use once it works.")
    elif words_only:
        tell("Some entries have no vector of the model in use, so only their words count: `forgetguard model reembed`.")


def _unusable_model(common: Common) -> str:
    """The code of what is wrong with the model in use; "" where there is none, or nothing is."""
    if common.settings.model is None:
        return ""
    from forgetguard.guard.models import known

    return next((one.problem for one in known(common.settings.model, None) if one.in_use), "")


def _doctor_of_openclaw(common: Common, state_dir: Path) -> int:
    from forgetguard.adapters.openclaw import State
    from forgetguard.adapters.openclaw.doctor import examine, lines

    facts, ready = examine(State.at(state_dir))
    if common.as_json:
        emit("doctor", ok=ready, **facts)
    else:
        for line in lines(facts):
            say(line)
    return 0 if ready else 1


def _doctor_of_host(common: Common, name: str, path: Path, remove: bool, yes: bool) -> int:
    from forgetguard.adapters.hosts import host
    from forgetguard.adapters.surveying import exit_code

    looked_at = host(name)
    own = path / looked_at.ledger
    if looked_at.ledger and not common.ledger_given and own.is_file():
        common = replace(common, settings=replace(common.settings, ledger=own))
    found, ledger = _surveyed(common, looked_at, path, remove, yes)
    judged = ledger == "ok"
    code = exit_code(found, judged=judged)
    if common.as_json:
        shown = [_facts(one, judged=judged) for one in found]
        tested = {"host": name, "tested": looked_at.tested, "page": looked_at.page}
        asked = {"ledger": ledger, "ledger_path": str(common.settings.ledger)}
        emit("doctor-host", ok=code == 0, **tested, path=str(path), **asked, places=shown)
    else:
        say(f"{name}, as of version {looked_at.tested} ({looked_at.page})")
        say(f"{'ledger':20} {printable(str(common.settings.ledger))}")
        for one in found:
            _show(one, judged=judged)
    if not any(one.items or one.problem for one in found):
        tell(f"Nothing of {name} was found here. The directory that is meant is usually {looked_at.keeps_in}.")
    _tell(found, ledger, remove and not yes)
    return code


def _surveyed(common: Common, host: Host, path: Path, remove: bool, yes: bool) -> tuple[list[Found], str]:
    """What is found, cleared where that was asked for; and "ok", or the code of why the ledger cannot be asked."""
    from forgetguard.adapters.surveying import clear, survey

    places = host.places()
    try:
        with common.guard() as guard:
            found = list(survey(places, path, guard))
            return [clear(one, path, guard) for one in found] if remove and yes else found, "ok"
    except ForgetGuardError as error:
        if remove:
            raise
        return list(survey(places, path, None)), error.code


def _facts(one: Found, *, judged: bool) -> dict[str, Any]:
    return {
        "name": one.place.name,
        "keeps": one.place.keeps,
        "items": one.items,
        "restating": len(one.restating) if judged else None,
        "likely": len(one.likely) if judged else None,
        "unjudged": one.unjudged,
        "paths": [str(path) for path in one.paths],
        "found": [{"path": str(kept.path), "key": kept.key} for kept in (*one.restating, *one.likely)],
        "removable": one.place.erase is not None,
        "removed": one.removed,
        "instead": one.place.instead,
        "out_of_reach": one.place.out_of_reach,
        "problem": one.problem,
    }


def _show(one: Found, *, judged: bool) -> None:
    counts = ["out of reach" if one.place.out_of_reach else _counted(one.items, "item", "items")]
    if judged and one.items:
        counts += [_counted(len(one.restating), "restates", "restate") + " something forgotten"]
        counts += [_counted(len(one.likely), "likely does", "likely do")] if one.likely else []
    counts += [f"{one.unjudged} too long to be judged"] if one.unjudged else []
    counts += [f"{one.removed} removed"] if one.removed else []
    counts += [f"problem: {one.problem}"] if one.problem else []
    say(f"{one.place.name:20} {', '.join(counts)}")
    say(f"  {one.place.keeps}")
    paths = tuple(dict.fromkeys(kept.path for kept in (*one.restating, *one.likely))) or one.paths
    for path in paths[:SHOWN_PATHS]:
        say(f"  {printable(str(path))}")
    if len(paths) > SHOWN_PATHS:
        say(f"  and {len(paths) - SHOWN_PATHS} more (--json names them)")
    if one.place.erase is None and (one.is_residue or one.place.out_of_reach or (one.items and not judged)):
        say(f"  not removed by the program: {one.place.instead}")


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _tell(found: Sequence[Found], ledger: str, preview: bool) -> None:
    if ledger != "ok":
        tell(f"The ledger cannot be asked [{ledger}], so nothing was judged; see `forgetguard doctor`.")
    removable = sum(len(one.restating) for one in found if one.place.erase is not None)
    if preview:
        tell(f"A preview: {removable} would be removed. Repeat with --yes.")
    elif removable:
        tell(f"{removable} can be removed here with --remove --yes, while the host is stopped.")
