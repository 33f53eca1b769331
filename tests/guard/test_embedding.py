"""An embedder is asked only when it could matter, and is never a reason to fail."""

from __future__ import annotations

import pytest

from forgetguard.embedder import Calibration
from forgetguard.errors import InvalidInput, ModelUnavailable
from forgetguard.guard import Decision
from forgetguard.values import Vector

FACT = "User is vegetarian"
SAME = "The user follows a vegetarian diet"


class Embedder:
    """All texts alike, but those in `far`; counts what it is asked."""

    model_id = "toy"

    def __init__(self, far=(), error=None):
        self.far, self.error, self.asked = far, error, []

    def __call__(self, texts):
        self.asked += texts
        if self.error is not None:
            raise self.error
        return [Vector.quantise([0.0, 1.0] if text in self.far else [1.0, 0.0], "toy") for text in texts]


@pytest.fixture
def calibration():
    return Calibration("toy", 0.358, 0.169)


def test_facts_get_their_vectors(open_guard, calibration):
    embedder = Embedder()
    guard = open_guard(embedder=embedder, calibration=calibration)
    guard.forget([FACT, "User likes tea"])
    assert embedder.asked == [FACT, "User likes tea"]
    assert all(entry.vector.model == "toy" for entry in guard.forgotten())


def test_unrelated_texts_are_never_embedded(open_guard, calibration):
    embedder = Embedder()
    guard = open_guard(embedder=embedder, calibration=calibration)
    guard.forget(FACT)
    embedder.asked.clear()
    guard.filter(["User lives in Porto", FACT, "User plays the cello"])
    assert embedder.asked == []
    assert (guard.status().embedded, guard.status().checked) == (0, 3)
    guard.check(SAME)
    assert guard.status().embedded == 1


def test_similarity_decides_where_the_words_do_not(open_guard, calibration):
    near = open_guard(embedder=Embedder(), calibration=calibration)
    near.forget(FACT)
    far = open_guard(embedder=Embedder(far=(SAME,)), calibration=calibration)
    assert near.check(SAME).action is not Decision.KEEP
    assert near.check(SAME).similarity == 1.0
    assert far.check(SAME).kept


@pytest.mark.parametrize("error", [ModelUnavailable("no model"), RuntimeError(SAME), ValueError()])
def test_a_failing_embedder_leaves_the_words(open_guard, calibration, caplog, error):
    guard = open_guard(embedder=Embedder(error=error), calibration=calibration)
    guard.forget(FACT)
    assert not guard.check(FACT).kept
    assert guard.check(SAME).similarity is None
    guard.scrub(f"{SAME}. User likes tea.")
    guard.remember(SAME)
    assert guard.status().embedding_failures > 0
    assert "vegetarian" not in caplog.text


@pytest.mark.parametrize("answer", [[], [None], ["x"], [[1.0]], None])
def test_an_embedder_that_answers_nonsense_leaves_the_words(open_guard, calibration, answer):
    embedder = Embedder()
    guard = open_guard(embedder=embedder, calibration=calibration)
    guard.forget(FACT)
    embedder.__class__ = type("Odd", (Embedder,), {"__call__": lambda self, texts: answer})
    assert guard.check(SAME).similarity is None


def test_a_model_is_calibrated_at_the_first_need(open_guard, home):
    class Spread(Embedder):
        """Vectors that differ by their text, as a calibration needs them."""

        def __call__(self, texts):
            self.asked += texts
            return [Vector.quantise([1 + (hash(text) >> n) % 7 for n in range(0, 32, 4)], "toy") for text in texts]

    embedder = Spread()
    guard = open_guard(embedder=embedder)
    assert embedder.asked == []
    guard.forget(FACT)
    assert len(embedder.asked) == 1
    guard.check(SAME)
    assert len(embedder.asked) > 100
    assert guard.status().calibrated
    assert list((home / "cache" / "forgetguard").iterdir())


def test_a_directory_stands_for_its_model(open_guard, tmp_path):
    guard = open_guard(embedder=tmp_path / "no-model")
    guard.forget(FACT)
    assert not guard.check(FACT).kept
    assert guard.status().model == ""


@pytest.mark.parametrize("embedder", [5, lambda texts: [], object()])
def test_an_embedder_without_a_model_id_is_refused_at_once(open_guard, embedder):
    with pytest.raises(InvalidInput):
        open_guard(embedder=embedder)


@pytest.mark.parametrize(
    "made", [Vector(b"", 1.0, "toy"), Vector(b"ab", float("nan"), "toy"), Vector("ab", 1.0, "toy")]
)
def test_a_vector_that_is_none_costs_similarity_alone(open_guard, calibration, made):
    class Odd(Embedder):
        def __call__(self, texts):
            return [made] * len(texts)

    guard = open_guard(embedder=Odd(), calibration=calibration)
    guard.forget(FACT)
    assert guard.check(FACT).action is Decision.DROP
    assert guard.status().embedding_failures > 0


def test_a_model_id_that_raises_is_no_reason_to_fail(open_guard):
    class Odd(Embedder):
        @property
        def model_id(self):
            raise RuntimeError(FACT)

    guard = open_guard(embedder=Odd())
    guard.forget(FACT)
    assert guard.check(FACT).action is Decision.DROP


def test_a_preview_of_a_forget_asks_the_embedder_only_where_it_could_matter(open_guard, calibration):
    embedder = Embedder()
    guard = open_guard(embedder=embedder, calibration=calibration)
    found = guard.would_find(FACT, [SAME, "User lives in Porto"])
    assert [one.item for one in found] == [SAME]
    assert embedder.asked == [FACT, SAME]
    assert guard.forget(FACT, among=[SAME, "User lives in Porto"]).found[0].verdict.action is found[0].verdict.action
