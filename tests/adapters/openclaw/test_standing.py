"""Legal holds, tombstones that are taken back, and looking again later on."""

from __future__ import annotations

import json
import stat

import pytest

from adapters.openclaw.conftest import Recorded
from adapters.openclaw.recording import ALICE, BOB
from forgetguard.adapters.openclaw import forget, holds, plan_forget
from forgetguard.adapters.openclaw.lineage import HostLineage
from forgetguard.errors import NothingMatched, Refused
from purge.world import picture

TYPO = "agent:main:alicf"
DANA = "b83b6764-12ee-456b-bc0b-4f3b0b3580bc"


def state_command(recorded: Recorded, *arguments: str) -> tuple[int, object, str]:
    return recorded.command("memory", *arguments, "--state-dir", str(recorded.root), "--json")


def test_a_session_under_hold_is_refused(recorded: Recorded) -> None:
    assert state_command(recorded, "hold", "add", "agent:main:alice", "--reason", "case:17")[:2] == (
        0, {"schema": "forgetguard.purge.hold", "version": 1, "added": 1},
    )  # fmt: skip
    code, body, _ = state_command(recorded, "hold", "list")
    assert (code, body["holds"]) == (0, [{"sessionId": ALICE, "reason": "case:17"}])  # type: ignore[index]
    before = picture(recorded.root)
    code, body, _ = recorded.forget("--session", ALICE, "--yes", "--json")
    assert (code, body["forgetguard"]["code"]) == (4, "legal-hold")
    assert picture(recorded.root) == before
    with pytest.raises(Refused):
        recorded.purge(ALICE)
    assert picture(recorded.root) == before
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in (recorded.base / "home/holds").iterdir()), (
        "for their owner alone"
    )
    assert state_command(recorded, "hold", "remove", ALICE)[0] == 0
    assert recorded.forget("--session", ALICE, "--yes", "--json")[0] == 0


def test_a_hold_beside_other_sessions(recorded: Recorded) -> None:
    """The held session stays with every memory that it is an origin of, also where another session said it too."""
    agent = recorded.state.agent()
    lineage = HostLineage(agent)
    holds.hold(agent, recorded.home, DANA, "case")
    shared = lineage.entries_of([ALICE]) & lineage.entries_of([DANA])
    assert shared
    memory = (recorded.workspace / "MEMORY.md").read_text()
    kept = [key for key in shared if key in memory]
    assert kept
    selection = recorded.selection(ALICE, DANA)
    preview = plan_forget(agent, selection, home=recorded.home)
    assert preview.plan.resolution.ids == {ALICE}
    done = forget(preview, recorded.home)
    assert done.exit_code == 4, json.dumps(done.body["forgetguard"], indent=1)
    assert done.body["sessionIds"] == [ALICE]
    refusals = done.body["forgetguard"]["refusals"]  # type: ignore[index]
    assert {one["id"] for one in refusals} == {DANA, *shared}
    memory = (recorded.workspace / "MEMORY.md").read_text()
    for key in kept:
        assert f"openclaw-memory-promotion:{key} -->\n- " in memory, "marker and text"
    assert lineage.entries_of([ALICE]) == shared
    assert lineage.buried([ALICE, DANA]) == {ALICE}
    stored = recorded.shared("SELECT value_json FROM plugin_state_entries WHERE namespace='short-term-recall'")
    recalled = {json.loads(text)["key"] for (text,) in stored}
    assert not (lineage.entries_of([DANA]) - recalled) or shared & recalled
    before = picture(recorded.root)
    assert recorded.purge(ALICE, DANA).exit_code == 4
    assert picture(recorded.root) == before


def test_a_snippet_in_a_held_entry_stays(recorded: Recorded) -> None:
    """The host's own rule would take any machine-written line that holds the snippet."""
    agent = recorded.state.agent()
    text = "User: My favourite harbour is Setubal and my badge colour is teal."
    entry = f"<!-- openclaw-memory-promotion:memory:claim:held -->\n- {text}\n"
    path = recorded.workspace / "MEMORY.md"
    path.write_text(f"{path.read_text()}\n{entry}")
    recorded.agent("INSERT INTO memory_entry_origins VALUES ('memory:claim:held', 'main', ?, NULL, 'owner', 1)", DANA)
    holds.hold(agent, recorded.home, DANA, "case")
    done = recorded.purge(ALICE)
    assert entry in path.read_text()
    assert path.read_text().count("Setubal") == 1
    assert done.exit_code in (0, 4), json.dumps(done.body["forgetguard"], indent=1)


def test_no_hold_on_a_typo(recorded: Recorded) -> None:
    with pytest.raises(NothingMatched):
        holds.hold(recorded.state.agent(), recorded.home, "typo", "case")
    with pytest.raises(NothingMatched):
        holds.release(recorded.state.agent(), recorded.home, ALICE)
    assert not recorded.home.directory.exists()


def test_the_way_back_from_a_typo(recorded: Recorded) -> None:
    recorded.forget("--session", TYPO, "--yes")
    _, body, _ = state_command(recorded, "tombstone", "list")
    assert [one["sessionId"] for one in body["tombstones"]] == [TYPO]  # type: ignore[index]
    assert state_command(recorded, "tombstone", "remove", TYPO)[0] == 0
    assert recorded.agent("SELECT * FROM memory_session_tombstones") == []
    assert TYPO.encode() not in recorded.agent_database.read_bytes()
    before = picture(recorded.root)
    assert state_command(recorded, "tombstone", "remove", TYPO)[0] == 5
    recorded.rows(recorded.agent_database, "PRAGMA user_version=24")
    recorded.agent(f"INSERT INTO memory_session_tombstones VALUES ('{TYPO}', 'main', 'forgotten', 0)")
    before = picture(recorded.root)
    assert state_command(recorded, "tombstone", "remove", TYPO)[0] == 4
    assert picture(recorded.root) == before


def test_looking_again(recorded: Recorded) -> None:
    assert state_command(recorded, "verify")[0] == 5, "nothing was purged"
    (recorded.workspace / "memory/odd.md").write_text("\n")
    recorded.shared("INSERT INTO plugin_state_entries VALUES ('memory-core','memory-host.events','zz','{bad',0,NULL)")
    assert recorded.forget("--session", BOB, "--yes")[0] == 3
    before = picture(recorded.root)
    code, body, _ = state_command(recorded, "verify")
    assert (code, body["runs"][0]["verification"]["status"]) == (3, "cannot-prove")  # type: ignore[index]
    assert picture(recorded.root) == before
    recorded.shared("DELETE FROM plugin_state_entries WHERE value_json='{bad'")
    assert state_command(recorded, "verify")[0] == 0
    assert state_command(recorded, "verify")[0] == 5, "a clean purge is over"
    code, body, _ = state_command(recorded, "verify", "--session", BOB)
    assert (code, body["status"]) == (3, "cannot-prove")  # type: ignore[index]
    assert [one["code"] for one in body["findings"]] == ["erased"]  # type: ignore[index]
    recorded.agent("INSERT INTO memory_entry_origins VALUES ('memory:claim:x', 'main', ?, NULL, 'owner', 1)", BOB)
    code, body, _ = state_command(recorded, "verify", "--session", "agent:main:bob")
    assert (code, body["status"]) == (1, "residue")  # type: ignore[index]
