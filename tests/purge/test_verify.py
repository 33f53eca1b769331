"""Known clean and known leaky stores: each leak is found in exactly its place, and only clean is success."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from forgetguard.purge import Order, Selection, close, make_plan, preview, resume
from forgetguard.purge.surfaces import sqlite_tools
from forgetguard.purge.verify import verify
from forgetguard.values import Origin
from purge.world import CANARY, GENERIC, MIXED, World


def findings(report: dict[str, Any]) -> set[tuple[str, str, str]]:
    found = report["verification"]["findings"]
    return {(one["surface"], one["place"], one["code"]) for one in found}


def run(world: World, *statements: str) -> None:
    connection = sqlite3.connect(world.database, isolation_level=None)
    connection.execute("PRAGMA secure_delete=OFF")
    for statement in statements:
        connection.execute(statement)
    connection.close()


def leak_fts(world: World) -> None:
    run(world, "DROP TRIGGER m_ad", "UPDATE memories SET text=text", "DELETE FROM memories WHERE id='m-alice'")


def leak_side_table(world: World) -> None:
    run(world, "CREATE TABLE log(line TEXT)", f"INSERT INTO log VALUES ('stored: {CANARY.upper()}')")


def leak_summary(world: World) -> None:
    wrapped = CANARY.replace(" under", "\nunder")
    run(world, "CREATE TABLE summaries(body TEXT)", f"INSERT INTO summaries VALUES ('So far: {wrapped}')")


def leak_vector(world: World) -> None:
    run(world, "CREATE TABLE vec(memory TEXT, v BLOB)", "INSERT INTO vec VALUES ('m-alice', x'00')")


def leak_backup(world: World) -> None:
    connection = world.connect()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    shutil.copy(world.database, world.database.with_name("memory.db.bak"))


def leak_note(world: World) -> None:
    (world.notes / "copy.json").write_text(f'{{"text": "{CANARY}"}}')


LEAKS: dict[str, tuple[Callable[[World], None], set[tuple[str, str, str]]]] = {
    "side table": (
        leak_side_table,
        {("memories", "table:log", "text"), ("memories", "pages:log", "bytes")},
    ),
    "summary": (
        leak_summary,
        {("memories", "table:summaries", "text"), ("memories", "pages:summaries", "bytes")},
    ),
    "vector": (leak_vector, {("memories", "table:vec", "key")}),
    "backup": (leak_backup, {("memories", "backup:memory.db.bak", "bytes")}),
    "note": (leak_note, {("notes", "copy.json", "bytes")}),
}


@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_is_found_in_its_place(world: World, name: str) -> None:
    leak, expected = LEAKS[name]
    leak(world)
    report = world.purge("alice").as_json()
    assert (report["result"], report["exitCode"]) == ("residue", 1)
    assert findings(report) == expected


class Lazy:
    """A surface that deletes rows and does nothing more, as many hosts do."""

    def __init__(self, world: World, *, fts: bool = True, wal: bool = True) -> None:
        self.table = world.table()
        self.fts, self.wal = fts, wal

    def __getattr__(self, name: str) -> Any:
        return getattr(self.table, name)

    def erase(self, targets: Any, work: Any) -> Any:
        connection = sqlite3.connect(self.table.path, isolation_level=None)
        connection.execute("PRAGMA secure_delete=OFF")
        if not self.fts:
            connection.execute("DROP TRIGGER m_ad")
        for table, column in (("vectors", "memory_id"), ("tags", "memory"), ("memories", "id")):
            sqlite_tools.delete_by_key(connection, table, column, targets.entry_keys)
        if not self.wal:
            connection.execute("PRAGMA wal_autocheckpoint=0")
            self.table_connection = connection  # kept open: the WAL stays
        else:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.close()
        from forgetguard.purge.surfaces import Erased

        return Erased({"memories": 2})


def lazily(world: World, **what: bool) -> dict[str, Any]:
    host = world.host()
    from forgetguard.purge import Host, apply

    lazy = Host(host.id, host.lineage, (Lazy(world, **what), world.folder()))  # type: ignore[arg-type]
    return apply(lazy, make_plan(lazy, Selection(sessions=("alice",))), world.home).as_json()


def test_freed_bytes_are_found(world: World) -> None:
    report = lazily(world)
    assert report["result"] == "residue"
    assert {place for _, place, code in findings(report) if code == "bytes"} <= {"free-pages", "pages:memories"}
    assert findings(report)


def test_a_stale_index_is_found(world: World) -> None:
    report = lazily(world, fts=False)
    assert report["result"] == "residue"
    assert ("memories", "fts:memories_fts", "match") in findings(report)
    assert ("memories", "fts:memories_fts", "integrity") in findings(report)


def test_a_wal_is_found(world: World) -> None:
    report = lazily(world, wal=False)
    assert ("memories", "wal", "bytes") in findings(report)


@pytest.fixture
def busy_at_verify(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Order]:
    """A writer of the host that begins when the looking begins."""
    from forgetguard.purge.surfaces import sqlite_scan

    monkeypatch.setattr(sqlite_scan, "CHECKING_WAIT_SECONDS", 0.1)
    host = world.connect()

    def observe(name: str, status: str) -> None:
        if (name, status) == ("verify", "started"):
            host.execute("BEGIN IMMEDIATE")

    yield Order(observe=observe)
    host.close()


def test_what_was_found_stays_when_the_rest_cannot_be_looked_at(world: World, busy_at_verify: Order) -> None:
    leak_side_table(world)
    report = world.purge("alice", order=busy_at_verify).as_json()
    assert report["result"] == "residue"
    assert findings(report) == LEAKS["side table"][1] | {("memories", "fts:memories_fts", "busy")}


def test_a_busy_host_is_no_residue(world: World, busy_at_verify: Order) -> None:
    report = world.purge("alice", order=busy_at_verify).as_json()
    assert (report["result"], findings(report)) == ("cannot-prove", {("memories", "fts:memories_fts", "busy")})


def test_a_long_line_whose_beginning_others_share_is_looked_for_in_bytes(world: World) -> None:
    shared = "Understood and noted with thanks, everything that was said before stays exactly as it was until then"
    own = "and Alice hid the vermilion compass in the attic beside the ottoman of her grandmother in Porto"
    world.add("m-long", f"{shared} {own}", "alice")
    world.add("m-shared", shared, "bob")
    backup = world.database.with_name("memory.db.bak")
    backup.write_text(f"copy: {shared} {own}")
    assert ("memories", "backup:memory.db.bak", "bytes") in findings(world.purge("alice").as_json())
    backup.write_text(f"copy: {shared}")
    assert world.purge("alice").as_json()["result"] == "clean"


def test_an_error_of_a_foreign_surface_ends_in_a_report_without_its_words(world: World) -> None:
    from forgetguard.purge import Host, apply
    from forgetguard.purge.surfaces import Declaration, Surface

    class Broken(Surface):
        name = "broken"

        def declares(self) -> Any:
            return Declaration("broken")

        def find(self, targets: Any) -> Any:
            return iter(())

        def erase(self, targets: Any, work: Any) -> Any:
            raise KeyError(CANARY)

        def residue(self, targets: Any) -> Any:
            raise KeyError(CANARY)

    base = world.host()
    host = Host(base.id, base.lineage, (Broken(), *base.surfaces))
    report = apply(host, make_plan(host, Selection(sessions=("alice",))), world.home).as_json()
    assert report["failures"] == [{"step": "erase:broken", "code": "keyerror"}]
    assert ("broken", "broken", "unreadable") in findings(report)
    assert "quixotic" not in str(report)
    assert world.purge("alice").as_json()["result"] == "clean"


def test_keys_that_are_numbers_are_looked_for_where_keys_stand(world: World) -> None:
    run(world, "CREATE TABLE settings(name TEXT, value TEXT)", "INSERT INTO settings VALUES ('pages', '17')")
    world.add("17", "Alice buried the crimson teapot behind the observatory", "alice")
    assert world.purge("alice").as_json()["result"] == "clean"
    run(world, "INSERT INTO vectors VALUES ('17', x'00')")
    world.store.record("17", Origin("main", "dana"))
    host = world.host()
    from forgetguard.purge.surfaces import Targets

    wanted = Targets(frozenset({"alice"}), frozenset(), frozenset({"17"}))
    left = {(one.place, one.code) for name, one in verify(host, wanted).findings if name == "memories"}
    assert left == {("table:vectors", "key")}


def test_a_missing_place_is_not_an_empty_one(world: World) -> None:
    import shutil

    from forgetguard.errors import StoreUnreadable

    shutil.rmtree(world.notes)
    with pytest.raises(StoreUnreadable) as caught:
        make_plan(world.host(), Selection(sessions=("alice",)))
    assert caught.value.code == "missing"


def test_a_folder_that_cannot_be_read_cannot_be_proved_until_it_can(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    from forgetguard.purge.surfaces import Finding, Standing, file_tools

    walk = file_tools.walk

    def blind(*given: Any) -> Any:
        found, rest = walk(*given)
        return found, (*rest, Finding(Standing.CANNOT_PROVE, "locked", "unreadable-folder", retry=True))

    with monkeypatch.context() as patch:
        patch.setattr(file_tools, "walk", blind)
        report = world.purge("alice").as_json()
    assert (report["result"], findings(report)) == ("cannot-prove", {("notes", "locked", "unreadable-folder")})
    assert world.purge("alice").as_json()["result"] == "clean"


def test_verification_changes_nothing(world: World) -> None:
    world.purge("alice")
    host = world.host()
    from forgetguard.purge.needles import Needles
    from forgetguard.purge.surfaces import Targets
    from purge.world import picture

    before = picture(world.root)
    wanted = Targets(frozenset({"alice"}), frozenset(), frozenset({"m-alice"}), Needles.of([CANARY]))
    assert verify(host, wanted).status.value == "clean"
    assert picture(world.root) == before


def test_what_another_session_said_as_well_is_its_own(world: World) -> None:
    world.add("m-generic-a", GENERIC, "alice")
    world.add("m-generic-b", GENERIC, "bob")
    report = world.purge("alice").as_json()
    assert report["result"] == "clean"
    assert report["sharedTexts"] == 1
    assert world.rows("SELECT id FROM memories WHERE id LIKE 'm-generic%'") == [("m-generic-b",)]


def test_the_same_text_without_lineage_is_residue(world: World) -> None:
    world.add("m-loose", CANARY)
    report = world.purge("alice").as_json()
    assert report["result"] == "residue"
    assert ("memories", "table:memories", "text") in findings(report)


def test_text_that_is_too_short_to_look_for_cannot_be_proved_gone(world: World) -> None:
    world.add("m-short", "vegan", "alice")
    report = world.purge("alice").as_json()
    assert (report["result"], report["exitCode"]) == ("cannot-prove", 3)
    assert findings(report) == {("provenance", "needles", "too-short")}


def test_a_reader_in_the_way_cannot_prove_and_the_next_run_can(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_tools, "COMPACTING_WAIT_SECONDS", 0.1)
    reader = world.connect()
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM memories").fetchall()
    report = world.purge("alice").as_json()
    assert report["result"] in ("residue", "cannot-prove")
    assert {step["status"] for step in report["steps"] if step["name"] == "erase:memories"} == {"incomplete"}
    reader.close()
    again = world.purge("alice").as_json()
    assert (again["result"], again["exitCode"], again["attempt"]) == ("clean", 0, 2)
    assert [one["earlier"] for one in again["steps"] if one["name"] == "erase:memories"] == [True, False]


def test_residue_that_was_removed_is_verified_and_closes_the_run(world: World) -> None:
    leak_backup(world)
    assert world.purge("alice").as_json()["result"] == "residue"
    assert resume(world.host(), world.home)[0].state.value == "unproven"
    world.database.with_name("memory.db.bak").unlink()
    assert resume(world.host(), world.home)[0].state.value == "clean"
    assert resume(world.host(), world.home) == []


def test_a_run_can_be_closed_unproven(world: World) -> None:
    leak_backup(world)
    world.purge("alice")
    assert close(world.home) == 1
    assert close(world.home) == 0
    assert resume(world.host(), world.home) == []
    assert world.purge("alice").as_json()["result"] == "nothing-to-do"


def test_a_clean_session_may_tell_its_part_again_and_a_forgotten_one_may_not(world: World) -> None:
    from forgetguard.errors import Forgotten
    from forgetguard.provenance import Session

    world.purge("alice")
    assert world.store.admit(Session("bob")).allowed
    world.store.publish("bob", {"m-new": [Origin("main", "bob")]})
    world.add("m-new", MIXED)
    assert not world.store.admit(Session("alice")).allowed
    with pytest.raises(Forgotten):
        world.store.publish("alice", {"m-new": [Origin("main", "alice")]})
    assert world.purge("alice").as_json()["result"] == "nothing-to-do"


def test_live_sessions_are_retained_and_listed(world: World) -> None:
    report = world.purge("alice").as_json()
    retained = [(one["place"], one["code"]) for one in report["verification"]["retained"]]  # type: ignore[index]
    assert retained == [("sessions", "live")]


def test_a_legal_hold_keeps_a_session_and_what_it_shares(world: World) -> None:
    world.store.hold(["bob"], "case-4711")
    world.store.close()
    report = world.purge("alice").as_json()
    assert report["refusals"] == [{"kind": "entry", "id": "m-mixed", "reason": "case-4711"}]
    assert (report["result"], report["exitCode"]) == ("clean", 4)
    assert ("m-mixed",) in world.rows("SELECT id FROM memories")
    host = world.host()
    plan = make_plan(host, Selection(sessions=("bob", "alice")))
    assert preview(host, plan)["refusals"] == [
        {"kind": "session", "id": "bob", "reason": "case-4711"},
        {"kind": "entry", "id": "m-mixed", "reason": "case-4711"},
    ]


def test_a_hold_that_is_placed_after_the_plan_counts(world: World) -> None:
    from forgetguard.purge import apply

    plan = make_plan(world.host(), Selection(sessions=("alice", "carol")))
    world.store.hold(["alice"], "case-9")
    world.store.close()
    report = apply(world.host(), plan, world.home).as_json()
    assert report["sessions"] == [{"sessionId": "carol", "sessionKey": "agent:main:carol", "source": "live"}]
    assert {"kind": "session", "id": "alice", "reason": "case-9"} in report["refusals"]  # type: ignore[operator]
    assert report["exitCode"] == 4
    assert not world.store.is_buried("alice")
    assert world.rows("SELECT count(*) FROM memories") == [(4,)]
    again = apply(world.host(), plan, world.home).as_json()
    assert (again["result"], again["exitCode"], again["refusals"]) == ("nothing-to-do", 4, report["refusals"])


def test_places_that_nothing_reaches_are_named(world: World) -> None:
    from dataclasses import replace

    from forgetguard.purge import apply

    host = replace(world.host(), not_covered=("phone-backups",))
    report = apply(host, make_plan(host, Selection(sessions=("alice",))), world.home).as_json()
    assert report["notCovered"] == ["phone-backups"]
    assert [one["notCovered"] for one in report["surfaces"]] == [["disk-blocks", "snapshots"], ["disk-blocks"]]  # type: ignore[attr-defined]


def test_a_hold_on_everything_refuses_before_anything_is_written(world: World) -> None:
    from forgetguard.errors import Refused
    from purge.world import picture

    world.store.hold(["bob"], "case-4711")
    world.store.close()
    before = picture(world.root)
    with pytest.raises(Refused) as caught:
        world.purge("bob")
    assert caught.value.code == "legal-hold"
    assert picture(world.root) == before


def test_chosen_memories_are_handed_to_the_ledger_before_they_go(world: World) -> None:
    handed: list[tuple[str, str]] = []

    def suppress(entries: Any) -> None:
        assert ("m-alice",) in world.rows("SELECT id FROM memories")
        handed.extend(entries)

    report = world.purge("alice", order=Order(suppress=suppress, suppress_keys=("m-alice",))).as_json()
    assert report["result"] == "clean"
    assert handed == [("m-alice", CANARY)]


def test_a_purge_that_suppresses_is_finished_by_the_same_command(world: World) -> None:
    class Killed(BaseException):
        pass

    handed: list[tuple[str, str]] = []

    def order(stop: str = "") -> Order:
        def observe(name: str, status: str) -> None:
            if (name, status) == (stop, "done"):
                raise Killed

        return Order(suppress=handed.extend, suppress_keys=("m-alice",), observe=observe)

    with pytest.raises(Killed):
        world.purge("alice", order=order("origins"))
    assert world.purge("alice", order=order()).as_json()["result"] == "clean"
    assert handed == [("m-alice", CANARY)]


def test_a_memory_that_is_gone_already_cannot_be_suppressed_in_silence(world: World) -> None:
    leak_backup(world)
    assert world.purge("alice").as_json()["result"] == "residue"
    late = Order(suppress=lambda entries: None, suppress_keys=("m-alice",))
    report = world.purge("alice", order=late).as_json()
    assert report["failures"] == [{"step": "suppress", "code": "nothing-matched"}]


def test_a_ledger_that_refuses_stops_the_purge_before_anything_is_deleted(world: World) -> None:
    from forgetguard.errors import LedgerUnavailable

    def suppress(entries: Any) -> None:
        raise LedgerUnavailable("no ledger")

    report = world.purge("alice", order=Order(suppress=suppress, suppress_keys=("m-alice",))).as_json()
    assert report["result"] == "failed"
    assert world.rows("SELECT count(*) FROM memories") == [(4,)]
    assert [one["step"] for one in report["failures"]] == ["suppress"]  # type: ignore[index,attr-defined]
