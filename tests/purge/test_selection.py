"""Which sessions a selection names: exact, case-sensitive, refused when ambiguous; no match writes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from forgetguard.errors import InvalidInput, NothingMatched, Refused
from forgetguard.provenance import Participant, ProvenanceStore, Session
from forgetguard.purge.selection import Selection, parse_since, resolve
from forgetguard.values import Origin, OriginClass
from purge.world import World, picture


@pytest.fixture
def store(tmp_path: Path) -> ProvenanceStore:
    made = ProvenanceStore(tmp_path / "p.sqlite", "main")
    for number, name in enumerate(("prefix", "prefix-survivor", "PREFIX")):
        person = ("alice@example.com", "alice.smith@example.com", "xalice@example.com")[number]
        made.record_session(
            Session(
                name,
                f"agent:main:{name}",
                "main",
                hook_source=("gmail", "Gmail", "gmail2")[number],
                channel=("chat", "chat-2", "CHAT")[number],
                chat_type=("direct", "group", "channel")[number],
                archived=number == 1,
                created_at=float(number),
                participants=(Participant(person, "profile"), Participant("everyone", f"ns{number}")),
            )
        )
        made.record(f"e-{name}", Origin("main", name, f"agent:main:{name}", list(OriginClass)[number], 1.0))
    made.record("e-old", Origin("main", "old-rotation", "agent:main:prefix", OriginClass.SYSTEM, 1.0))
    return made


def ids(store: ProvenanceStore, **selectors: object) -> list[str]:
    return [one.session_id for one in resolve(Selection(**selectors), store).sessions]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("selectors", "expected"),
    [
        ({"sessions": ("prefix",)}, ["prefix"]),
        ({"sessions": ("PREFIX",)}, ["PREFIX"]),
        ({"sessions": ("agent:main:prefix",)}, ["old-rotation", "prefix"]),
        ({"sessions": ("prefix", "prefix-survivor", "prefix")}, ["prefix", "prefix-survivor"]),
        ({"participants": ("alice@example.com",)}, ["prefix"]),
        ({"participants": ("everyone",)}, ["PREFIX", "prefix", "prefix-survivor"]),
        ({"hook_sources": ("gmail",)}, ["prefix"]),
        ({"channels": ("chat",)}, ["prefix"]),
        ({"chat_types": ("group",)}, ["prefix-survivor"]),
        ({"origin_classes": (OriginClass.UNTRUSTED,)}, ["PREFIX"]),
        ({"participants": ("everyone",), "since": 1.0}, ["PREFIX", "prefix-survivor"]),
        ({"sessions": ("prefix",), "channels": ("CHAT",), "union": True}, ["PREFIX", "prefix"]),
    ],
)
def test_what_is_selected(store: ProvenanceStore, selectors: dict[str, object], expected: list[str]) -> None:
    assert ids(store, **selectors) == expected


@pytest.mark.parametrize(
    "selectors",
    [
        {"sessions": ("prefi",)},
        {"sessions": ("Prefix",)},
        {"sessions": ("prefix%",)},
        {"sessions": ("prefix ",)},
        {"sessions": ("prefix", "nobody")},
        {"participants": ("alice",)},
        {"participants": ("ALICE@example.com",)},
        {"hook_sources": ("imap",)},
        {"sessions": ("prefix",), "since": 50.0},
    ],
)
def test_what_matches_nothing(store: ProvenanceStore, selectors: dict[str, object]) -> None:
    with pytest.raises(NothingMatched) as caught:
        ids(store, **selectors)
    assert caught.value.exit_code == 5


def test_a_narrow_selector_beside_a_wide_one_is_refused() -> None:
    with pytest.raises(Refused) as caught:
        Selection(sessions=("prefix",), channels=("chat",))
    assert caught.value.code == "mixed-selectors"
    with pytest.raises(Refused):
        Selection(participants=("alice@example.com",), chat_types=("direct",))
    with pytest.raises(Refused):
        Selection(sessions=("prefix",), participants=("alice@example.com",))


@pytest.mark.parametrize("selectors", [{}, {"since": 1.0}, {"sessions": ("",)}])
def test_a_selection_needs_a_selector(selectors: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        Selection(**selectors)  # type: ignore[arg-type]


@pytest.mark.parametrize("sessions", ["alice", (1,), (None,), (b"alice",)])
def test_a_selector_is_a_tuple_of_strings(sessions: object) -> None:
    with pytest.raises(InvalidInput):
        Selection(sessions=sessions)  # type: ignore[arg-type]


def test_sources_are_told_apart(store: ProvenanceStore) -> None:
    store.bury(["gone"])
    asked = ("prefix", "prefix-survivor", "old-rotation", "gone", "typo")
    found = resolve(Selection(sessions=asked, allow_unresolved=True), store)
    assert {one.session_id: one.source.value for one in found.sessions} == {
        "prefix": "live",
        "prefix-survivor": "archived",
        "old-rotation": "origin",
        "gone": "tombstone",
        "typo": "unresolved",
    }


def test_participants_are_reported_with_their_namespaces(store: ProvenanceStore) -> None:
    found = resolve(Selection(participants=("everyone",)), store)
    assert found.participant_matches == (("everyone", ("ns0", "ns1", "ns2")),)


def test_a_selection_survives_json() -> None:
    given = Selection(origin_classes=(OriginClass.SYSTEM,), channels=("a",), since=2.0, allow_unresolved=True)
    assert Selection.from_json(given.as_json()) == given


@pytest.mark.parametrize("text", ["notadate", "", "2026-13-01", "yesterday"])
def test_a_date_that_is_none(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_since(text)


def test_dates_are_utc_unless_they_say_otherwise() -> None:
    assert parse_since("1970-01-02") == 86400.0
    assert parse_since("1970-01-02T01:00:00+01:00") == parse_since("1970-01-02T00:00:00Z") == 86400.0


def test_nothing_is_written_when_an_id_is_unknown(world: World) -> None:
    before = picture(world.root)
    with pytest.raises(NothingMatched):
        world.purge("alice", "alcie")
    assert picture(world.root) == before


def test_an_unknown_id_can_be_barred_and_the_typo_undone(world: World) -> None:
    report = world.purge("alcie", allow_unresolved=True).as_json()
    assert (report["result"], report["sessions"]) == ("clean", [{"sessionId": "alcie", "source": "unresolved"}])
    assert not world.store.admit(Session("alcie")).allowed
    assert world.rows("SELECT count(*) FROM memories") == [(4,)]
    assert world.store.unbury("alcie")
    assert world.store.admit(Session("alcie")).allowed


def test_people_with_similar_addresses_are_kept_apart(world: World) -> None:
    world.add("m-carol", "Carol (xalice@example.com) rows across the estuary at dawn", "carol")
    report = world.purge(participants=("alice@example.com",)).as_json()
    assert [one["sessionId"] for one in report["sessions"]] == ["alice"]  # type: ignore[attr-defined]
    assert ("m-carol",) in world.rows("SELECT id FROM memories")
