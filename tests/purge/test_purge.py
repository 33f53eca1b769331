"""A purge from plan to receipt on two ordinary hosts."""

from __future__ import annotations

import json

from forgetguard.purge import Selection, make_plan, preview
from purge.world import CANARY, MIXED, OTHER, World, holds, picture


def test_a_purge_is_clean_and_takes_whole_entries(world: World) -> None:
    report = world.purge("alice").as_json()
    assert (report["result"], report["exitCode"]) == ("clean", 0), json.dumps(report, indent=1)
    assert report["entryKeys"] == ["m-alice", "m-mixed", "n-alice"]
    assert report["mixedLineageEntryKeys"] == ["m-mixed"]
    assert report["untargetableEntryKeys"] == ["m-orphan"]
    assert report["artifacts"] == {"memories": {"rows": 2, "sideRows": 4}, "notes": {"entries": 1}}
    assert world.rows("SELECT id FROM memories ORDER BY 1") == [("m-bob",), ("m-orphan",)]
    assert world.rows("SELECT memory_id FROM vectors ORDER BY 1") == [("m-bob",), ("m-orphan",)]
    assert (world.notes / "daily.md").read_text() == (
        f"# Notes\n\n<!-- forgetguard:n-bob -->\n- {OTHER}\n\nA line that a person wrote.\n"
    )
    assert holds(world.root, CANARY, MIXED, "quixotic", "velodrome") == []
    assert holds(world.root, OTHER) != []


def test_a_preview_leaves_no_trace_and_equals_the_purge(world: World) -> None:
    before = picture(world.root)
    host = world.host(read_only=True)
    said = preview(host, make_plan(host, Selection(sessions=("alice",))))
    assert picture(world.root) == before
    done = world.purge("alice").as_json()
    assert {key: done[key] for key in said} == {**said, "dryRun": False}


def test_a_repeat_changes_nothing_at_all(world: World) -> None:
    world.purge("alice")
    before = picture(world.root)
    revision = world.store.revision()
    again = world.purge("alice").as_json()
    assert (again["result"], again["exitCode"]) == ("nothing-to-do", 0)
    assert picture(world.root) == before
    assert world.store.revision() == revision
