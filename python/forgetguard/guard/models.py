"""The embedding models of this machine: looking at one, setting it in use, and which ones are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from forgetguard.directories import cache_directory
from forgetguard.embedder import Calibration, OnnxEmbedder, calibrate, known_calibrations, save_calibration
from forgetguard.errors import ForgetGuardError, ModelUnavailable
from forgetguard.guard.settings_file import write_setting
from forgetguard.values import Entry

PROBE = "User likes tea"
PACKAGES = ("numpy", "onnxruntime", "tokenizers")  # of the extra `onnx`


@dataclass(frozen=True, slots=True)
class Examined:
    """A model that loads, embeds, and was calibrated just now."""

    directory: Path
    dimensions: int
    calibration: Calibration


@dataclass(frozen=True, slots=True)
class Known:
    """One model: the one in use, one that was calibrated here once, or one that entries have vectors of.

    `entries` with vectors of it; None where the ledger could not be asked. `problem`: the code of what is wrong with
    the one in use.
    """

    id: str
    in_use: bool
    calibrated: bool
    entries: int | None
    dimensions: int | None = None
    problem: str = ""


def examine(directory: Path) -> Examined:
    """Load the model in a directory, measure it over the checked-in sentences, and keep the calibration.

    Raises ModelUnavailable where it is none that can be used, OSError where the calibration cannot be kept.
    """
    embedder = OnnxEmbedder(directory)
    (vector,) = embedder([PROBE])
    measured = calibrate(embedder)
    save_calibration(measured, cache_directory())
    return Examined(directory.absolute(), len(vector), measured)


def set_in_use(examined: Examined, configuration: Path) -> None:
    """Name the model in the configuration file. Raises InvalidInput, OSError; then nothing was changed."""
    write_setting(configuration, "model", str(examined.directory))


def known(in_use: Path | None, entries: Iterable[Entry] | None) -> tuple[Known, ...]:
    """The models that are known here, the one in use first. `entries` of the ledger; None where it cannot be asked."""
    vectors = [entry.vector for entry in entries or () if entry.vector is not None]
    counts = Counter(vector.model for vector in vectors)
    dimensions = {vector.model: len(vector) for vector in vectors}
    calibrated = {one.model_id for one in known_calibrations(cache_directory())}
    current, problem = _in_use(in_use)
    ids = dict.fromkeys(([current] if in_use is not None else []) + sorted(counts.keys() | calibrated))
    return tuple(
        Known(
            one,
            in_use is not None and one == current,
            one in calibrated,
            None if entries is None else counts[one],
            dimensions.get(one),
            problem if one == current else "",
        )
        for one in ids
    )


def _in_use(directory: Path | None) -> tuple[str, str]:
    """The id of the model in use, and the code of what is wrong with it. Its files are read, but it is not loaded."""
    if directory is None:
        return "", ""
    try:
        name = OnnxEmbedder(directory).model_id
    except ForgetGuardError as error:
        return "", error.code
    return name, "" if all(find_spec(package) is not None for package in PACKAGES) else ModelUnavailable.code
