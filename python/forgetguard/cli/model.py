"""Embedding models: add, list, calibrate, reembed."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from forgetguard.cli.console import Progress, emit, say, tell
from forgetguard.cli.options import Common, common
from forgetguard.errors import ForgetGuardError
from forgetguard.guard.models import Examined, examine, known, set_in_use
from forgetguard.guard.settings import PREFIX

DIRECTORY = click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))


@click.group()
def model() -> None:
    """The embedding model (extra `onnx`): without one, words alone decide."""


@model.command()
@DIRECTORY
@common
def add(common: Common, directory: Path) -> None:
    """Set the ONNX model in DIR in use: look whether it works, calibrate it, and name it in the configuration file.

    Entries keep the vectors of the model before; until `forgetguard model reembed`, only their words count.
    """
    examined = examine(directory)
    set_in_use(examined, common.configuration)
    if common.as_json:
        emit("model-add", configuration=str(common.configuration), **_facts(examined))
    else:
        _show(examined)
        say(f"in use by    {common.configuration}")
    other = os.environ.get(PREFIX + "MODEL")
    if other is not None and Path(other).absolute() != examined.directory:
        tell(f"{PREFIX}MODEL names another model, and wins.")
    tell("Entries without a vector of this model: `forgetguard model reembed`.")


@model.command()
@DIRECTORY
@click.option("--json", "as_json", is_flag=True, help="JSON on stdout.")
def calibrate(directory: Path, as_json: bool) -> None:
    """Measure the model in DIR once more, over unrelated sentences, and print the figures."""
    examined = examine(directory)
    if as_json:
        emit("model-calibrate", **_facts(examined))
    else:
        _show(examined)


@model.command("list")
@common
def list_(common: Common) -> int:
    """The models that are known here. Exit code 1 where the one in use cannot be used."""
    try:
        with common.guard() as guard:
            entries = guard.forgotten()
    except ForgetGuardError as error:
        entries = None
        tell(f"The ledger could not be asked for its vectors [{error.code}].")
    found = known(common.settings.model, entries)
    without = None if entries is None else sum(entry.vector is None for entry in entries)
    if common.as_json:
        emit("model-list", models=[asdict(one) for one in found], entries_without_vector=without)
    else:
        for one in found:
            about = [
                "in use" if one.in_use else "",
                "calibrated" if one.calibrated else "not calibrated",
                f"{one.dimensions} dimensions" if one.dimensions else "",
                f"{one.entries} entries" if one.entries is not None else "",
                f"problem: {one.problem}" if one.problem else "",
            ]
            say(f"{one.id or '?':24} {', '.join(filter(None, about))}")
        if not found:
            say("none: words alone decide")
    if any(one.problem for one in found):
        tell("`forgetguard model add DIR`, with the directory of the one in use, says why it cannot be used.")
        return 1
    return 0


@model.command()
@common
def reembed(common: Common) -> int:
    """Give every entry a vector of the model in use. A run that was cut off is finished by the next one."""
    progress = Progress(100)
    with common.guard() as guard:
        done = guard.reembed(lambda made, total: progress.at(made * 100 // total, made))
    progress.done()
    if common.as_json:
        emit("model-reembed", **asdict(done))
    else:
        have = done.entries - done.failed
        say(f"{have} of {done.entries} entries have a vector of {done.model}, {done.made} of them new")
    if done.failed:
        tell(f"The model gave no vector for {done.failed} entries; their words still count.")
    return 1 if done.failed else 0


def _facts(examined: Examined) -> dict[str, Any]:
    measured = examined.calibration
    return {
        "id": measured.model_id,
        "directory": str(examined.directory),
        "dimensions": examined.dimensions,
        "mean": round(measured.mean, 4),
        "sd": round(measured.sd, 4),
    }


def _show(examined: Examined) -> None:
    for name, value in _facts(examined).items():
        say(f"{name:12} {value}")
