"""The benchmark of the hook measures whole processes, says on which implementation, and fails where the hook does."""

from __future__ import annotations

from pathlib import Path

import pytest

from forgetguard.rules import BACKEND

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture(autouse=True)
def bench(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))


def test_it_measures_every_kind_of_call(tmp_path: Path) -> None:
    import hook

    result = hook.measure(tmp_path, 1)
    assert (result["backend"], result["entries"]) == (BACKEND, 500)
    figures = result["ms"]
    assert set(figures) == {*hook.CALLS, "interpreter"}
    assert all(0 < row["wall"] <= row["median"] for row in figures.values())
    # A call that writes no memory does not wait for the ledger, the rules and their words.
    assert figures["not-memory"]["processor"] < figures["passed"]["processor"] / 2
    assert BACKEND in hook.table(result)


def test_a_hook_that_fails_is_no_figure(tmp_path: Path) -> None:
    import hook

    with pytest.raises(SystemExit):
        hook.timed(hook.HOOK, "not a payload", hook.own_home(tmp_path), 1)
