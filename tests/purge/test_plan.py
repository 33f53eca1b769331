"""A plan on disk, what arrives after it, and what a preview must not do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forgetguard.errors import InvalidInput, Refused
from forgetguard.keys import Key
from forgetguard.purge import Operator, Selection, apply, make_plan, read_plan, write_plan
from forgetguard.values import Origin
from purge.world import CANARY, MIXED, World, picture

LATE = "Alice mentioned the sapphire compass just before midnight"


def written(world: World, path: Path) -> Path:
    operator = world.home.operator(create=True)
    write_plan(path, make_plan(world.host(), Selection(sessions=("alice",)), operator), operator)
    return path


def test_a_plan_holds_ids_and_no_content(world: World, tmp_path: Path) -> None:
    path = written(world, tmp_path / "plan.json")
    assert path.stat().st_mode & 0o777 == 0o600
    content = path.read_text()
    assert json.loads(content)["sessions"] == [
        {"sessionId": "alice", "sessionKey": "agent:main:alice", "source": "live"}
    ]
    for word in (*CANARY.split(), *MIXED.split(), "m-alice", "daily.md"):
        assert len(word) < 5 or word not in content


def test_what_arrives_after_the_plan_is_purged_and_named(world: World, tmp_path: Path) -> None:
    path = written(world, tmp_path / "plan.json")
    world.add("m-late", LATE, "alice")
    world.add("m-late-mixed", LATE + " to Bob", "alice", "bob")
    world.store.record("m-bob", Origin("main", "alice"))
    world.add("m-not", "Alice's other session said something about the marzipan recipe", "carol")
    report = apply(world.host(), read_plan(path, world.home.operator()), world.home).as_json()
    assert report["result"] == "clean"
    late = {one.get("entryKey") for one in report["late"] if one["kind"] == "rows"}  # type: ignore[attr-defined]
    assert late == {"m-late", "m-late-mixed", "m-bob"}
    assert world.rows("SELECT id FROM memories ORDER BY 1") == [("m-not",), ("m-orphan",)]


def test_nothing_is_late_when_nothing_arrived(world: World, tmp_path: Path) -> None:
    path = written(world, tmp_path / "plan.json")
    assert apply(world.host(), read_plan(path, world.home.operator()), world.home).as_json()["late"] == []


def test_no_session_is_added_after_the_plan(world: World, tmp_path: Path) -> None:
    operator = world.home.operator(create=True)
    selection = Selection(participants=("alice@example.com",))
    write_plan(tmp_path / "plan.json", make_plan(world.host(), selection, operator), operator)
    from forgetguard.provenance import Participant, Session

    world.store.record_session(Session("new", "agent:main:new", participants=(Participant("alice@example.com"),)))
    world.add("m-new", LATE, "new")
    world.store.close()
    report = apply(world.host(), read_plan(tmp_path / "plan.json", operator), world.home).as_json()
    assert [one["sessionId"] for one in report["sessions"]] == ["alice"]  # type: ignore[attr-defined]
    assert ("m-new",) in world.rows("SELECT id FROM memories")


def test_an_altered_plan_is_refused(world: World, tmp_path: Path) -> None:
    path = written(world, tmp_path / "plan.json")
    body = json.loads(path.read_text())
    body["sessions"][0]["sessionId"] = "bob"
    path.write_text(json.dumps(body))
    with pytest.raises(Refused) as caught:
        read_plan(path, world.home.operator())
    assert caught.value.code == "plan-altered"
    with pytest.raises(Refused):
        read_plan(written(world, tmp_path / "other.json"), Operator(Key.generate()))


def test_a_plan_of_another_host_is_refused(world: World, tmp_path: Path) -> None:
    from dataclasses import replace

    path = written(world, tmp_path / "plan.json")
    other = replace(world.host(), id="main:/elsewhere")
    before = picture(world.root)
    for plan in (read_plan(path, world.home.operator()), make_plan(world.host(), Selection(sessions=("alice",)))):
        with pytest.raises(Refused) as caught:
            apply(other, plan, world.home)
        assert caught.value.code == "plan-of-another-host"
    assert picture(world.root) == before


def test_half_a_plan_does_not_stay(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    class Full:
        def __enter__(self) -> Full:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def write(self, content: bytes) -> None:
            raise OSError(28, "full")

    world.home.operator(create=True)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdopen", lambda handle, mode: os.close(handle) or Full())
        with pytest.raises(OSError, match="full"):
            written(world, tmp_path / "plan.json")
    assert written(world, tmp_path / "plan.json").exists()


def test_nothing_of_the_text_shows_in_a_repr(world: World) -> None:
    (world.notes / "summaries" / "s.md").write_text(f"x {CANARY}\n")
    plan = make_plan(world.host(), Selection(sessions=("alice",)))
    shown = repr(plan) + repr(plan.survey) + repr(plan.survey and plan.survey.found)
    assert "quixotic" not in shown
    assert CANARY.encode().hex() not in shown


@pytest.mark.parametrize("content", ["", "{}", "[]", "not json", '{"mac": "x", "schema": "other", "version": 1}'])
def test_a_file_that_is_no_plan(world: World, tmp_path: Path, content: str) -> None:
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(InvalidInput):
        read_plan(tmp_path / "x.json", world.home.operator(create=True))


def test_a_plan_never_overwrites_and_needs_a_key(world: World, tmp_path: Path) -> None:
    path = written(world, tmp_path / "plan.json")
    with pytest.raises(InvalidInput):
        written(world, path)
    with pytest.raises(InvalidInput):
        write_plan(tmp_path / "b.json", make_plan(world.host(), Selection(sessions=("alice",))), world.home.operator())


@pytest.mark.parametrize("live", [True, False])
def test_a_preview_leaves_no_trace_beside_a_live_host(world: World, live: bool) -> None:
    import subprocess
    import sys

    connection = world.connect() if live else None
    if connection is not None:
        connection.execute("INSERT INTO memories VALUES ('m-x', 'something new in the write-ahead log', NULL)")
    before = picture(world.root)
    code = (
        "import sys; from pathlib import Path\n"
        "from purge.world import World; from forgetguard.provenance import ProvenanceStore\n"
        "from forgetguard.purge import Selection, make_plan, preview\n"
        "world = World(Path(sys.argv[1]), ProvenanceStore(Path(sys.argv[1]) / 'main.provenance.sqlite', 'main'))\n"
        "host = world.host(); assert preview(host, make_plan(host, Selection(sessions=('alice',))))['entryKeys']\n"
    )
    environment = {"PYTHONPATH": ":".join(path for path in sys.path if path)}
    subprocess.run([sys.executable, "-c", code, str(world.root)], check=True, timeout=60, env=environment)
    assert picture(world.root) == before
    if connection is not None:
        connection.close()
