"""One scale for every model: what a cosine means is learnt from sentences that have nothing to do with each other.

Models differ in how alike unrelated sentences look to them: all-MiniLM-L6-v2 gives 0.36 on average, e5-small 0.84 and
never less than 0.80. The lines of the rules are stated on MiniLM's scale; `Calibration.similarity` maps onto it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib import resources
from itertools import combinations
from operator import mul
from pathlib import Path

from forgetguard.directories import write_whole
from forgetguard.embedder.protocol import Embedder
from forgetguard.errors import ModelUnavailable
from forgetguard.values import Vector

# Mean and standard deviation of all-MiniLM-L6-v2 over pairs of unrelated facts: the scale of the rules' lines.
REFERENCE_MEAN = 0.358
REFERENCE_SD = 0.169
DIGITS = 4
SMALLEST_SD = 1e-3
SCHEMA = "forgetguard-calibration-1"


@dataclass(frozen=True, slots=True)
class Calibration:
    """Mean and standard deviation of one model's cosines over pairs of unrelated sentences."""

    model_id: str
    mean: float
    sd: float

    def similarity(self, cosine: float) -> float:
        """`cosine` on the scale of the rules' lines, within [-1, 1], to four digits."""
        z = (cosine - self.mean) / self.sd
        return round(min(1.0, max(-1.0, REFERENCE_MEAN + REFERENCE_SD * z)), DIGITS)

    def is_sound(self) -> bool:
        """Whether the numbers can come from a model that tells sentences apart."""
        return math.isfinite(self.mean) and -1.0 <= self.mean <= 1.0 and SMALLEST_SD <= self.sd <= 1.0


@lru_cache(maxsize=1)
def sentences() -> tuple[tuple[str, str], ...]:
    """The checked-in list that every model is calibrated on: (language, sentence)."""
    table = resources.files("forgetguard.embedder").joinpath("calibration.tsv").read_text("utf-8")
    rows = [line.split("\t") for line in table.splitlines() if not line.startswith("#")]
    return tuple((language, sentence) for language, sentence in rows[1:])


@lru_cache(maxsize=1)
def list_id() -> str:
    """A short hash of the list: a calibration made with another one is not used."""
    return hashlib.sha256(repr(sentences()).encode()).hexdigest()[:16]


def calibrate(embedder: Embedder) -> Calibration:
    """Measure `embedder` over the checked-in sentences, each paired with all others of its language.

    Across languages nothing is paired: a model that knows one language sees two unrelated worlds there, and the
    rules seldom ask about such a pair. Costs some two hundred embeddings, once a model.
    Raises ModelUnavailable if it cannot embed, or gives every sentence much the same vector.
    """
    listed = sentences()
    vectors = embedder([sentence for _, sentence in listed])
    name = embedder.model_id
    if len(vectors) != len(listed) or len({len(vector) for vector in vectors}) != 1:
        raise ModelUnavailable("the embedder did not give one vector a text, all of one length")
    if any(vector.model != name for vector in vectors):
        raise ModelUnavailable("the embedder's vectors do not carry its model id")
    groups: dict[str, list[_Row]] = {}
    for (language, _), vector in zip(listed, vectors, strict=True):
        groups.setdefault(language, []).append(_Row(vector))
    mean, sd = _mean_and_sd([_cosine(a, b) for group in groups.values() for a, b in combinations(group, 2)])
    result = Calibration(name, mean, sd)
    if not result.is_sound():
        raise ModelUnavailable("the model does not tell sentences apart")
    return result


def calibrated(embedder: Embedder, directory: str | os.PathLike[str]) -> Calibration:
    """The calibration kept in `directory` for this model; measured and kept there if absent or damaged.

    A directory that cannot be written costs a measurement each time, nothing else. Raises ModelUnavailable.
    """
    known = load_calibration(directory, embedder.model_id)
    if known is not None:
        return known
    fresh = calibrate(embedder)
    with contextlib.suppress(OSError):
        save_calibration(fresh, directory)
    return fresh


def save_calibration(calibration: Calibration, directory: str | os.PathLike[str]) -> None:
    """Write it under its model's id, whole or not at all. Raises OSError."""
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    record = {"schema": SCHEMA, "sentences": list_id(), **asdict(calibration)}
    write_whole(_path(folder, calibration.model_id), json.dumps(record).encode())


def load_calibration(directory: str | os.PathLike[str], model_id: str) -> Calibration | None:
    """The calibration kept for `model_id`; None if there is none, or it is damaged or of another sentence list."""
    try:
        record = json.loads(_path(Path(directory), model_id).read_bytes())
        if (record["schema"], record["sentences"], record["model_id"]) != (SCHEMA, list_id(), model_id):
            return None
        found = Calibration(model_id, float(record["mean"]), float(record["sd"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return found if found.is_sound() else None


def known_calibrations(directory: str | os.PathLike[str]) -> tuple[Calibration, ...]:
    """Every calibration kept in `directory` that can be used, by model id."""
    found = []
    for path in Path(directory).glob("calibration-*.json"):
        try:
            name = json.loads(path.read_bytes())["model_id"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue
        known = load_calibration(directory, name) if isinstance(name, str) else None
        if known is not None and path == _path(Path(directory), name):
            found.append(known)
    return tuple(sorted(found, key=lambda one: one.model_id))


def _path(folder: Path, model_id: str) -> Path:
    # Hashed, because an embedder that is not ours may have any characters in its id.
    return folder / f"calibration-{hashlib.sha256(model_id.encode()).hexdigest()[:16]}.json"


class _Row:
    """A vector's integers and their squared length, computed once for all pairs."""

    __slots__ = ("square", "values")

    def __init__(self, vector: Vector) -> None:
        self.values: list[int] = memoryview(vector.values).cast("b").tolist()
        self.square: int = sum(map(mul, self.values, self.values))


def _cosine(a: _Row, b: _Row) -> float:
    # The same numbers as the rules use: exact integers, one division, four digits.
    dot: int = sum(map(mul, a.values, b.values))
    return round(dot / math.sqrt(a.square * b.square), DIGITS)


def _mean_and_sd(numbers: Sequence[float]) -> tuple[float, float]:
    mean = math.fsum(numbers) / len(numbers)
    variance = math.fsum((x - mean) ** 2 for x in numbers) / len(numbers)
    return mean, math.sqrt(variance)
