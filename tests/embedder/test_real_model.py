"""The known cosines and the scale of the rules, with all-MiniLM-L6-v2 int8, where FORGETGUARD_MODEL_DIR names it."""

from __future__ import annotations

import math
import os
from operator import mul

import pytest

from forgetguard.embedder import OnnxEmbedder, calibrate
from forgetguard.values import Vector

DIRECTORY = os.environ.get("FORGETGUARD_MODEL_DIR", "")
pytestmark = pytest.mark.skipif(not DIRECTORY, reason="FORGETGUARD_MODEL_DIR names no model")


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder(DIRECTORY)


def cosine(a: Vector, b: Vector) -> float:
    x, y = (memoryview(vector.values).cast("b").tolist() for vector in (a, b))
    return sum(map(mul, x, y)) / math.sqrt(sum(map(mul, x, x)) * sum(map(mul, y, y)))


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ("User's favorite color is blue", "User's favorite color is green", 0.832),
        ("User lives in Lisbon", "User lives in Porto", 0.804),
        ("User is vegetarian", "User's sister is vegetarian", 0.848),
        ("User is vegetarian", "User does not eat meat", 0.759),
    ],
)
def test_known_cosines(embedder: OnnxEmbedder, one: str, other: str, wanted: float) -> None:
    # The published figures were taken in padded batches, which moves an int8 model's cosines by up to 0.01.
    assert cosine(*embedder([one, other])) == pytest.approx(wanted, abs=0.012)


def test_neighbours_do_not_move_a_vector(embedder: OnnxEmbedder) -> None:
    texts = ["User lives in Lisbon", "User " + "walks and " * 400, "用户住在杭州"]
    assert embedder(texts) == [embedder([text])[0] for text in reversed(texts)][::-1]


def test_this_model_is_the_scale(embedder: OnnxEmbedder) -> None:
    found = calibrate(embedder)
    assert found.mean == pytest.approx(0.358, abs=0.005)
    assert found.sd == pytest.approx(0.169, abs=0.005)
    assert all(abs(found.similarity(step / 10) - step / 10) < 0.01 for step in range(11))
