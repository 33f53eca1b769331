"""Lineage: recorded by code, kept through consolidation, never taken from a model's output."""

from __future__ import annotations

from pathlib import Path

import pytest

from forgetguard.errors import InvalidInput, StoreUnwritable
from forgetguard.provenance import ProvenanceStore, consolidate_all, operations, prune_all
from forgetguard.values import Origin, OriginClass

ALICE = Origin("main", "alice", "agent:main:alice", OriginClass.OWNER, 1.0)
DANA = Origin("main", "dana", "agent:main:dana", OriginClass.AGENT, 2.0)


@pytest.fixture
def store(tmp_path: Path) -> ProvenanceStore:
    made = ProvenanceStore.in_directory(tmp_path, "main")
    made.record("a", ALICE)
    made.record("d", DANA)
    return made


def sessions(store: ProvenanceStore, key: str) -> set[str]:
    return {origin.session_id for _, origin in store.origins_of([key])}


@pytest.mark.parametrize("action", ["merged", "superseded"])
def test_a_consolidated_memory_has_the_union_of_its_parents(store: ProvenanceStore, action: str) -> None:
    store.record("new", Origin(session_id="erin"))
    store.consolidate("new", action, ["a", "d"])
    assert sessions(store, "new") == {"alice", "dana", "erin"}
    assert [origin for _, origin in store.origins_of(["new"]) if origin.session_id == "alice"] == [ALICE]


def test_an_added_memory_is_fresh(store: ProvenanceStore) -> None:
    assert store.consolidate("new", "added").rows == ()
    assert sessions(store, "new") == set()


def test_lineage_goes_through_generations(store: ProvenanceStore) -> None:
    store.consolidate("b", "merged", ["a"])
    store.consolidate("c", "superseded", ["b", "d"])
    store.prune({"c"})
    assert sessions(store, "c") == {"alice", "dana"}
    assert store.entries_of(["alice"]) == {"c"}


def test_an_unpublished_consolidation_is_taken_back_and_nothing_else(store: ProvenanceStore) -> None:
    store.record("new", ALICE)
    reservation = store.consolidate("new", "merged", ["a", "d"])
    store.release(reservation)
    assert sessions(store, "new") == {"alice"}


def test_a_model_cannot_write_lineage(store: ProvenanceStore) -> None:
    lie = [
        {
            "result": "new",
            "action": "merged",
            "parents": ["a", "d"],
            "origins": [{"session_id": "nobody", "origin_class": "owner"}],
            "session_id": "nobody",
        }
    ]
    for operation in operations(lie, {"a", "d"}):
        store.consolidate(operation.result, operation.action, operation.parents)
    assert sessions(store, "new") == {"alice", "dana"}


@pytest.mark.parametrize(
    "output",
    [
        [{"result": "new", "action": "merged", "parents": ["a", "unseen"]}],
        [{"result": "new", "action": "merged", "parents": []}],
        [{"result": "new", "action": "superseded"}],
        [{"result": "new", "action": "laundered", "parents": ["a"]}],
        [{"result": "", "action": "added"}],
        [{"result": ["new"], "action": "added"}],
        [{"result": "new", "action": "added"}, {"result": "new", "action": "merged", "parents": ["a"]}],
        [{"result": "new", "action": "merged", "parents": "a"}],
        ["new"],
        {"result": "new"},
        "added",
        None,
    ],
)
def test_a_lying_output_is_refused_whole(output: object) -> None:
    with pytest.raises(InvalidInput):
        operations(output, {"a", "d"})


def test_an_entry_without_lineage_is_untraced_and_nothing_more(store: ProvenanceStore) -> None:
    assert store.traced(["a", "by-hand"]) == {"a"}


def test_agents_that_share_a_workspace_each_keep_their_rows(tmp_path: Path, store: ProvenanceStore) -> None:
    other = ProvenanceStore.in_directory(tmp_path, "other/agent")
    other.record("a", Origin(session_id="bob"))
    consolidate_all([store, other], "new", "merged", ["a"])
    assert (sessions(store, "new"), sessions(other, "new")) == ({"alice"}, {"bob"})
    assert prune_all([store, other], {"new"}) == 3
    assert store.entries_of(["alice"]) == other.entries_of(["bob"]) == {"new"}


def test_a_failure_in_one_store_takes_the_others_back(tmp_path: Path, store: ProvenanceStore) -> None:
    broken = ProvenanceStore(tmp_path / "main.provenance.sqlite", "main", read_only=True)
    with pytest.raises(StoreUnwritable):
        consolidate_all([store, broken], "new", "merged", ["a"])
    assert sessions(store, "new") == set()


def test_selecting_entries_is_exact(store: ProvenanceStore) -> None:
    for session in ("prefix", "prefix-survivor", "PREFIX"):
        store.record(f"of {session}", Origin(session_id=session))
    assert store.entries_of(["prefix"]) == {"of prefix"}
    assert store.entries_of(["prefi_", "prefix%", "Prefix"]) == frozenset()
