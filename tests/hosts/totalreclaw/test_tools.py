"""Forget and remember, through the host's own tools and its own turns."""

from __future__ import annotations

import pytest

from forgetguard.adapters import totalreclaw

FACT = "User is vegetarian"
TURN = "Book a table for tonight; nothing with meat, as I am vegetarian."


@pytest.fixture
def diogo(user):
    return user()


@pytest.fixture
def installed(guard):
    with totalreclaw.install(guard) as installation:
        yield installation


class TestThreeParts:
    def test_without_the_guard_it_comes_back(self, diogo):
        diogo.turn(TURN, FACT)
        assert diogo.tool("forget", fact_id=diogo.stored[FACT])["deleted"]
        assert FACT not in diogo.stored
        diogo.turn(TURN, FACT)
        assert FACT in diogo.stored

    def test_with_the_guard_it_does_not(self, diogo, installed):
        diogo.turn(TURN, FACT)
        assert diogo.tool("forget", fact_id=diogo.stored[FACT])["deleted"]
        diogo.turn(TURN, FACT)
        diogo.turn("As I said, no meat for me.", "User doesn't eat meat because User is vegetarian")
        assert not diogo.stored

    def test_remember_brings_it_back(self, diogo, installed):
        diogo.turn(TURN, FACT)
        diogo.tool("forget", fact_id=diogo.stored[FACT])
        diogo.turn(f"Forget that {FACT}.")
        answer = diogo.tool("remember", text=FACT)
        assert answer["stored"] and FACT in diogo.stored
