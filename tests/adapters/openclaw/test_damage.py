"""What the host or a person left damaged: a purge says so, goes on with the rest, and never ends in a traceback."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from adapters.openclaw.conftest import Recorded
from adapters.openclaw.recording import ALICE
from forgetguard.adapters.openclaw import plugin_state, stored
from forgetguard.adapters.openclaw.processes import is_alive
from forgetguard.errors import InvalidInput

SETUBAL = "My favourite harbour is Setubal and my badge colour is teal."
DEEP = "[" * 100_000
ODD = [
    "[1]",
    '"x"',
    "null",
    '{"key":5,"value":[]}',
    '{"value":{"candidates":[1,null],"snippet":5,"scope":3,"content":4}}',
]


def row(recorded: Recorded, space: str, text: str, plugin: str = "memory-core") -> None:
    key = next(iter(recorded.state.agent().workspace_keys))
    recorded.shared("INSERT INTO plugin_state_entries VALUES (?, ?, ?, ?, 0, NULL)", plugin, space, f"{key}:zz", text)


@pytest.mark.parametrize("space", plugin_state.SPACES)
def test_a_row_that_is_no_json(recorded: Recorded, space: str) -> None:
    row(recorded, space, "{bad")
    done = recorded.purge(ALICE)
    assert done.exit_code == 3
    findings = done.body["forgetguard"]["verification"]["findings"]  # type: ignore[index]
    assert [(one["place"], one["code"]) for one in findings] == [(f"rows:{space}", "unreadable")]
    assert recorded.shared("SELECT value_json FROM plugin_state_entries WHERE value_json='{bad'") == [("{bad",)]


@pytest.mark.parametrize("text", [f"{{bad {SETUBAL}", f"{{bad {ALICE}", f"{DEEP}{SETUBAL}"], ids=["text", "id", "deep"])
def test_a_row_that_is_no_json_and_says_something_of_it_goes(recorded: Recorded, text: str) -> None:
    row(recorded, plugin_state.RECALL, text)
    done = recorded.purge(ALICE)
    assert done.exit_code == 0
    assert done.body["forgetguard"]["beyond"]["damagedRows"] == 1  # type: ignore[index]
    assert recorded.shared("SELECT 1 FROM plugin_state_entries WHERE value_json=?", text) == []


@pytest.mark.parametrize("text", ODD)
def test_rows_of_another_shape_stay(recorded: Recorded, text: str) -> None:
    for space in plugin_state.SPACES:
        row(recorded, space, text)
    row(recorded, "workspace-files", text, "core:memory-artifact-provenance")
    assert recorded.purge(ALICE).exit_code == 0
    assert recorded.shared("SELECT count(*) FROM plugin_state_entries WHERE value_json=?", text) == [(8,)]


def test_a_record_of_a_writer_of_another_shape(recorded: Recorded) -> None:
    row(recorded, "workspace-files", '{"relativePath":5,"sessionId":["x"]}', "core:memory-artifact-provenance")
    assert recorded.purge(ALICE).exit_code == 0


def test_a_lock_row_that_is_no_json_is_somebodys(recorded: Recorded) -> None:
    key = next(iter(recorded.state.agent().workspace_keys))
    sql = "INSERT INTO plugin_state_entries VALUES ('memory-core', 'short-term-locks', ?, '{bad', 0, NULL)"
    recorded.shared(sql, key)
    assert recorded.forget("--session", ALICE, "--yes", "--json")[0] == 4


def test_a_lock_row_of_another_workspace_that_is_no_json_is_not_in_the_way(recorded: Recorded) -> None:
    recorded.shared(
        "INSERT INTO plugin_state_entries VALUES ('memory-core', 'short-term-locks', 'other', '{bad', 0, NULL)"
    )
    assert recorded.purge(ALICE).exit_code == 0
    sql = "SELECT entry_key FROM plugin_state_entries WHERE namespace='short-term-locks'"
    assert recorded.shared(sql) == [("other",)]


def test_records_of_calls_of_another_shape(recorded: Recorded) -> None:
    call = {"type": "toolCall", "name": "write", "arguments": {"path": "memory/a\0b.md", "changes": [1, {"path": 2}]}}
    text = json.dumps({"message": {"role": "assistant", "timestamp": 1e308, "content": [call, 5]}, "cwd": "\0"})
    recorded.agent("UPDATE transcript_events SET event_json=?", text.replace("1e+308", "1e999"))
    assert recorded.purge(ALICE).exit_code == 0


@pytest.mark.parametrize("text", ["{", DEEP, "{a: 1", "\xff\xfe"], ids=["cut", "deep", "bare", "not UTF-8"])
def test_a_configuration_that_cannot_be_read_is_refused(recorded: Recorded, text: str) -> None:
    (recorded.root / "openclaw.json").write_text(text, encoding="latin-1")
    with pytest.raises(InvalidInput):
        recorded.preview(ALICE)
    code, body, errors = recorded.forget("--session", ALICE, "--yes", "--json")
    assert (code, body["forgetguard"]["code"]) == (2, "host-config")
    assert "Traceback" not in errors


def test_a_lock_of_a_process_that_cannot_be() -> None:
    assert not is_alive(10**30)


def test_stored_json() -> None:
    assert stored.value_of("{bad") is stored.UNREADABLE and stored.value_of(DEEP) is stored.UNREADABLE
    assert stored.value_of("null") is None and stored.mapping_of("[]") is None
    assert stored.mapping_of(b'{"a":1}') == {"a": 1}


def elsewhere(recorded: Recorded) -> list[str]:
    """`memory` becomes a link to a folder outside, in which text and leftovers lie."""
    outside = recorded.base / "outside"
    shutil.move(recorded.workspace / "memory", outside)
    os.symlink(outside, recorded.workspace / "memory")
    for name in ("x.promotion.1.tmp", ".a.forgetguard-tmp", "copy.md"):
        (outside / name).write_text(f"{SETUBAL}\n")
    return sorted(str(path) for path in outside.rglob("*"))


def test_nothing_is_removed_through_a_link_out_of_the_workspace(recorded: Recorded) -> None:
    before = elsewhere(recorded)
    for _ in range(2):
        done = recorded.purge(ALICE)
        assert done.exit_code == 1, "what lies outside is looked at"
    assert sorted(str(path) for path in (recorded.base / "outside").rglob("*")) == before
    findings = done.body["forgetguard"]["verification"]["findings"]  # type: ignore[index]
    told = {(one["place"], one["standing"], one["code"]) for one in findings}
    assert ("memory", "residue", "symlink-outside") in told
    assert ("memory/.dreams/session-corpus", "cannot-prove", "symlink-outside") in told
