"""Calibration: what the numbers mean, and that a stored one is used only for its own model and list."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from forgetguard.embedder import Calibration, calibrate, calibrated, calibration, load_calibration, save_calibration
from forgetguard.errors import ModelUnavailable
from forgetguard.values import Vector


class Seeded:
    """An embedder of a host: random directions around a common one, so that cosines spread about `lift`."""

    def __init__(self, model_id: str = "host/model:1", lift: float = 1.0) -> None:
        self.model_id = model_id
        self.lift = lift
        self.calls = 0

    def __call__(self, texts: Sequence[str], /) -> list[Vector]:
        self.calls += 1
        noise = np.random.default_rng(3).standard_normal((len(texts), 32))
        return [Vector.quantise(row + self.lift, self.model_id) for row in noise]


def test_the_list() -> None:
    listed = calibration.sentences()
    assert 128 <= len(listed) <= 256
    assert len({sentence for _, sentence in listed}) == len(listed)
    assert min(Counter(language for language, _ in listed).values()) >= 2
    assert all(sentence == sentence.strip() for _, sentence in listed)


def test_the_mean_of_a_model_lands_on_the_scale_s_mean() -> None:
    found = Calibration("m", mean=0.84, sd=0.042)
    assert found.similarity(0.84) == 0.358
    assert found.similarity(0.84 + 0.042) == 0.527
    assert found.similarity(1.0) == 1.0
    assert found.similarity(-1.0) == -1.0
    assert Calibration("m", mean=0.358, sd=0.169).similarity(0.7777) == 0.7777


def test_calibrate_measures_pairs_of_one_language() -> None:
    embedder = Seeded()
    found = calibrate(embedder)
    listed = calibration.sentences()
    rows = [np.frombuffer(vector.values, np.int8).astype(float) for vector in embedder([text for _, text in listed])]
    units = np.array([row / np.linalg.norm(row) for row in rows])
    cosines = units @ units.T
    pairs = [
        cosines[i, j] for i in range(len(listed)) for j in range(i + 1, len(listed)) if listed[i][0] == listed[j][0]
    ]
    assert found.model_id == embedder.model_id
    assert found.mean == pytest.approx(np.mean(pairs), abs=1e-5)
    assert found.sd == pytest.approx(np.std(pairs), abs=1e-5)
    assert calibrate(embedder) == found


def constant(texts: Sequence[str]) -> list[Vector]:
    return [Vector.quantise([1.0, 2.0], "m") for _ in texts]


@pytest.mark.parametrize(
    "give",
    [
        constant,
        lambda texts: constant(texts)[1:],
        lambda texts: [*constant(texts)[1:], Vector.quantise([1.0], "m")],
        lambda texts: [Vector.quantise([1.0, i], "other") for i, _ in enumerate(texts)],
        lambda texts: [],
    ],
    ids=["constant", "too few", "ragged", "another model's", "none"],
)
def test_an_embedder_that_cannot_be_calibrated(give: object) -> None:
    class Broken:
        model_id = "m"

        def __call__(self, texts: Sequence[str], /) -> list[Vector]:
            return give(texts)

    with pytest.raises(ModelUnavailable):
        calibrate(Broken())


def test_saved_and_loaded(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "yet"
    embedder = Seeded()
    first = calibrated(embedder, folder)
    assert load_calibration(folder, embedder.model_id) == first
    assert calibrated(embedder, folder) == first
    assert embedder.calls == 1
    assert [path.name.startswith("calibration-") for path in folder.iterdir()] == [True]


def test_each_model_has_its_own(tmp_path: Path) -> None:
    one, other = calibrated(Seeded("a"), tmp_path), calibrated(Seeded("b", lift=0.2), tmp_path)
    assert one.mean != other.mean
    assert (load_calibration(tmp_path, "a"), load_calibration(tmp_path, "b")) == (one, other)
    assert load_calibration(tmp_path, "c") is None


def stored(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


@pytest.mark.parametrize(
    "change",
    [
        {"mean": float("nan")},
        {"sd": 0.0},
        {"sd": -0.1},
        {"mean": "high"},
        {"mean": None},
        {"schema": "forgetguard-calibration-0"},
        {"sentences": "0" * 16},
        {"model_id": "another"},
    ],
)
def test_a_record_that_cannot_be_used_is_measured_again(tmp_path: Path, change: dict[str, object]) -> None:
    embedder = Seeded()
    first = calibrated(embedder, tmp_path)
    path = stored(tmp_path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert load_calibration(tmp_path, embedder.model_id) is None
    assert calibrated(embedder, tmp_path) == first
    assert load_calibration(tmp_path, embedder.model_id) == first


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"3", b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_file_is_measured_again(tmp_path: Path, content: bytes) -> None:
    embedder = Seeded()
    calibrated(embedder, tmp_path)
    stored(tmp_path).write_bytes(content)
    assert load_calibration(tmp_path, embedder.model_id) is None
    calibrated(embedder, tmp_path)
    assert embedder.calls == 2


def test_a_directory_that_cannot_be_written(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    assert calibrated(Seeded(), blocked) == calibrate(Seeded())
    with pytest.raises(FileExistsError):
        save_calibration(calibrate(Seeded()), blocked)
