"""The host's vectors: with the same model they are kept, with another they are not looked at."""

from __future__ import annotations

import pytest

from forgetguard.adapters import totalreclaw
from forgetguard.adapters.totalreclaw import HostEmbedder
from forgetguard.embedder import Calibration
from forgetguard.errors import ModelUnavailable
from forgetguard.guard import ForgetGuard
from forgetguard.values import Vector

FACT = "User is vegetarian"


def forgotten_with(open_guard, diogo, **options) -> Vector | None:
    diogo.turn("I am vegetarian, as you know.", FACT)
    guard: ForgetGuard = open_guard(**options)
    with totalreclaw.install(guard):
        assert diogo.tool("forget", fact_id=diogo.stored[FACT])["deleted"]
    return guard.forgotten()[0].vector


def test_a_guard_with_the_hosts_model_keeps_the_hosts_vector(open_guard, diogo):
    asked: list[str] = []

    class Counting(HostEmbedder):
        def __call__(self, texts):
            asked.extend(texts)
            return super().__call__(texts)

    vector = forgotten_with(
        open_guard, diogo, embedder=Counting(), calibration=Calibration(HostEmbedder.model_id, 0.1, 0.1)
    )
    assert vector is not None and vector.model == HostEmbedder.model_id and len(vector) == 640
    assert FACT not in asked


def test_a_guard_without_a_model_goes_by_words(open_guard, diogo):
    assert forgotten_with(open_guard, diogo) is None


def test_a_guard_with_another_model_goes_by_its_own(open_guard, diogo):
    class Other:
        model_id = "other"

        def __call__(self, texts):
            return [Vector.quantise([1.0, 0.5], "other") for _ in texts]

    vector = forgotten_with(open_guard, diogo, embedder=Other(), calibration=Calibration("other", 0.1, 0.1))
    assert vector is not None and vector.model == "other"


def test_a_host_that_changed_its_model_is_noticed(diogo, monkeypatch):
    from totalreclaw import embedding

    monkeypatch.setattr(embedding, "MODEL_ID", "another/model")
    with pytest.raises(ModelUnavailable):
        HostEmbedder()(["tea"])
