"""The recorded state, unpacked so that it is consistent where it lies; what the real program printed and left."""

from __future__ import annotations

import hashlib
import json
import sys
import tarfile
from pathlib import Path
from typing import Any

import apsw

RECORDED = "/home/agent/.openclaw"
FIXTURES = Path(__file__).parents[3] / "fixtures" / "openclaw"
CASES: dict[str, list[str]] = json.loads((FIXTURES / "expected" / "cases.json").read_text())

ALICE, BOB, ERIN = (
    "ebd5571c-ab82-492a-9663-cc25b89c6625",
    "8e02d74d-8342-4a18-a676-3d377f1ac144",
    "e8080ac6-2f8f-45fc-ae01-3b776c064438",
)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def expected(case: str, what: str) -> Any:
    """What the real program printed for a case."""
    return json.loads((FIXTURES / "expected" / case / f"{what}.json").read_text())


def unpack(place: Path) -> Path:
    """Lay the recording at `place`: paths in JSON and databases, and the keys made of them, are rewritten."""
    place.mkdir(parents=True)
    with tarfile.open(FIXTURES / "state-1.tgz") as tar:
        if sys.version_info >= (3, 12):
            tar.extractall(place, filter="data")
        else:
            tar.extractall(place)  # our own fixture
    root = str(place)
    for path in place.rglob("*.json"):
        path.write_bytes(path.read_bytes().replace(RECORDED.encode(), root.encode()))
    agent = apsw.Connection(str(place / "agents/main/agent/openclaw-agent.sqlite"))
    # Triggers mark a touched session row as unchecked; what was recorded is put back.
    valid = agent.execute("SELECT entry_valid, session_key FROM session_nodes").fetchall()
    pending = agent.execute("SELECT session_key FROM session_canonical_validation_pending").fetchall()
    for table, column in (("session_nodes", "entry_json"), ("transcript_events", "event_json")):
        agent.execute(f"UPDATE {table} SET {column} = replace({column}, ?, ?) WHERE instr({column}, ?)",
                      (RECORDED, root, RECORDED))  # fmt: skip
    agent.executemany("UPDATE session_nodes SET entry_valid = ? WHERE session_key = ?", valid)
    agent.execute("DELETE FROM session_canonical_validation_pending")
    agent.executemany("INSERT INTO session_canonical_validation_pending (session_key) VALUES (?)", pending)
    agent.close()
    old, new = sha256(f"{RECORDED}/workspace"), sha256(f"{root}/workspace")
    state = apsw.Connection(str(place / "state/openclaw.sqlite"))
    state.execute(
        "UPDATE plugin_state_entries SET entry_key = replace(entry_key, ?1, ?2),"
        " value_json = replace(replace(value_json, ?1, ?2), ?3, ?4)",
        (old, new, RECORDED, root),
    )
    state.close()
    return place
