"""A fresh world for every test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from forgetguard.provenance import Participant, ProvenanceStore, Session
from forgetguard.values import Origin, OriginClass
from purge.world import CANARY, MIXED, NOTE, OTHER, TABLES, World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path, ProvenanceStore(tmp_path / "main.provenance.sqlite", "main"))
    made.notes.mkdir()
    (made.notes / "summaries").mkdir()
    connection = made.connect()
    connection.executescript(TABLES)
    connection.close()
    for name, person in (("alice", "alice@example.com"), ("bob", "bob@example.com"), ("carol", "xalice@example.com")):
        participants = (Participant(person),)
        made.store.record_session(
            Session(name, f"agent:main:{name}", "main", channel="telegram", created_at=100.0, participants=participants)
        )
    made.add("m-alice", CANARY, "alice")
    made.add("m-bob", OTHER, "bob")
    made.add("m-mixed", MIXED, "alice", "bob")
    made.add("m-orphan", "Nobody knows where this sentence about the observatory came from")
    for key, session in (("n-alice", "alice"), ("n-bob", "bob")):
        made.store.record(key, Origin("main", session, f"agent:main:{session}", OriginClass.OWNER))
    (made.notes / "daily.md").write_text(NOTE)
    made.store.close()
    yield made
    made.store.close()
