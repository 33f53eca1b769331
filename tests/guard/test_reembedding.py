"""After the model changed: entries get its vectors, and until then their words count."""

from __future__ import annotations

import asyncio
import logging

import pytest

from forgetguard.embedder import Calibration
from forgetguard.errors import LedgerUnavailable, ModelUnavailable
from forgetguard.guard import Decision, GuardStatus, Reembedded
from forgetguard.values import Vector

FACTS = ["User is vegetarian", "User likes tea", "User lives in Porto"]


class Toy:
    """A model that makes the same vector of every text, but of those in `silent` none."""

    def __init__(self, name: str, silent: tuple[str, ...] = ()) -> None:
        self.model_id = name
        self.silent = silent

    def __call__(self, texts):
        if any(text in self.silent for text in texts):
            raise RuntimeError(texts[0])
        return [Vector.quantise([1.0, 0.5], self.model_id) for _ in texts]


@pytest.fixture
def opened(open_guard):
    def open_with(embedder=None):
        scale = Calibration(embedder.model_id, 0.358, 0.169) if embedder else None
        return open_guard(embedder=embedder, calibration=scale)

    return open_with


def models(guard) -> list[str]:
    return [entry.vector.model for entry in guard.forgotten() if entry.vector is not None]


def test_every_entry_gets_a_vector_of_the_model_in_use(opened):
    opened(Toy("one")).forget(FACTS)
    guard = opened(Toy("two"))
    assert guard.status().words_only == 3
    assert guard.check("The user is a vegetarian").action is Decision.DROP
    seen = []
    assert guard.reembed(lambda *progress: seen.append(progress)) == Reembedded("two", 3, 3, 0)
    assert (models(guard), seen, guard.status().words_only) == (["two"] * 3, [(3, 3)], 0)
    assert guard.check("The user is a vegetarian").action is Decision.DROP
    assert asyncio.run(guard.areembed()) == Reembedded("two", 3, 0, 0)


def test_another_process_sees_the_new_vectors(opened):
    opened(Toy("one")).forget(FACTS)
    reader = opened(Toy("two"))
    assert reader.check("User is vegetarian").similarity is None
    opened(Toy("two")).reembed()
    assert models(reader) == ["two"] * 3


def test_a_text_that_the_model_cannot_take_is_counted_alone_and_not_quoted(opened, caplog):
    opened().forget(FACTS)
    guard = opened(Toy("two", silent=(FACTS[1],)))
    with caplog.at_level(logging.DEBUG):
        done = guard.reembed()
    assert (done.made, done.failed, guard.status().words_only) == (2, 1, 1)
    assert not any(fact in caplog.text for fact in FACTS)


def test_without_a_model_or_a_ledger_it_says_so(opened, path):
    plain = opened()
    plain.forget(FACTS)
    with pytest.raises(ModelUnavailable):
        plain.reembed()
    assert plain.status().words_only == 0
    guard = opened(Toy("one"))
    path.unlink()
    with pytest.raises(LedgerUnavailable):
        guard.reembed()
    assert isinstance(guard.status(), GuardStatus) and guard.status().words_only == 0


def test_a_sweep_tells_what_is_too_long_to_be_read(opened):
    guard = opened()
    guard.forget(FACTS)
    found = guard.sweep(["word " * 300_000, "User is vegetarian"])
    assert [finding.verdict.reason for finding in found] == ["too-long", "exact"]
