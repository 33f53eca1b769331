"""Which sessions may be read: policy, tombstones and internal sessions, decided before a transcript is opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from forgetguard.errors import InvalidInput
from forgetguard.provenance import Policy, ProvenanceStore, Purpose, Session, SessionKind, internal_kind

POLICY = Policy.from_config(
    {"excludeSessions": {"hookExternalContentSources": [" gmail "], "channels": ["telegram"], "chatTypes": ["group"]}}
)


def store(tmp_path: Path) -> ProvenanceStore:
    return ProvenanceStore(tmp_path / "main.sqlite", "main", policy=POLICY)


@pytest.mark.parametrize(
    ("session", "reason"),
    [
        (Session("s", hook_source="gmail"), "hookExternalContentSource:gmail"),
        (Session("s", hook_source="Gmail"), None),
        (Session("s", channel="telegram", chat_type="group"), "channel:telegram"),
        (Session("s", chat_type="group"), "chatType:group"),
        (Session("s", chat_type="direct"), None),
        (Session("s", kind=SessionKind.HEARTBEAT), "internal:heartbeat"),
        (Session("s", session_key="agent:main:cron:job:run:7"), "internal:cron"),
        (Session("s", session_key="agent:main:cron:job"), None),
        (Session("s", session_key="agent:main:dreaming-narrative-1"), "internal:dreaming"),
        (Session("s", session_key="agent:main:telegram:heartbeat"), "internal:heartbeat"),
        (Session("s", session_key="agent:main:alice"), None),
    ],
)
def test_the_reason_of_an_exclusion(tmp_path: Path, session: Session, reason: str | None) -> None:
    answer = store(tmp_path).admit(session)
    assert (answer.allowed, answer.reason) == (reason is None, reason)


def test_an_exclusion_is_recorded_and_a_rule_taken_away_admits_again(tmp_path: Path) -> None:
    mail = Session("s", "agent:main:cron:1", hook_source="gmail")
    assert not store(tmp_path).admit(mail).allowed
    assert store(tmp_path).exclusions() == [
        {"sessionId": "s", "sessionKey": "agent:main:cron:1", "excludedReason": "hookExternalContentSource:gmail"}
    ]
    without = ProvenanceStore(tmp_path / "main.sqlite", "main")
    assert without.admit(mail).allowed
    assert without.exclusions() == []


def test_forgotten_comes_first(tmp_path: Path) -> None:
    here = store(tmp_path)
    here.bury(["s"])
    mail = Session("s", hook_source="gmail")
    assert here.admit(mail).reason == "forgotten"
    assert here.exclusions()[0]["excludedReason"] == "forgotten"


def test_tombstones_govern_every_purpose_and_the_policy_governs_ingestion(tmp_path: Path) -> None:
    here = store(tmp_path)
    mail = Session("s", hook_source="gmail")
    assert [here.admit(mail, purpose).allowed for purpose in Purpose] == [False, True, True]
    here.bury(["s"])
    assert [here.admit(mail, purpose).reason for purpose in Purpose] == ["forgotten"] * 3


def test_admitting_an_unknown_session_makes_no_file(tmp_path: Path) -> None:
    assert store(tmp_path).admit(Session("s")).allowed
    assert list(tmp_path.iterdir()) == []


def test_quoted_text_never_decides_the_kind() -> None:
    assert internal_kind(Session("[cron:1] heartbeat", "agent:main:alice")) is None


@pytest.mark.parametrize(
    "rules", [{"chatTypes": ["room"]}, {"channel": ["x"]}, {"channels": "telegram"}, {"channels": [1]}, "gmail"]
)
def test_a_rule_with_a_typo_is_refused(rules: object) -> None:
    with pytest.raises(InvalidInput):
        Policy.from_config({"excludeSessions": rules})


def test_an_answer_that_was_overtaken_wipes_out_no_exclusion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session is forgotten, and noted as such by another process, between looking and noting."""
    mail = Session("s", hook_source="gmail")
    assert not store(tmp_path).admit(mail).allowed
    without, other = ProvenanceStore(tmp_path / "main.sqlite", "main"), store(tmp_path)
    writing = without._writing

    def late() -> object:
        monkeypatch.undo()
        other.bury(["s"])
        other.admit(mail)
        return writing()

    monkeypatch.setattr(without, "_writing", late)
    answer = without.admit(mail)
    assert (answer.allowed, answer.reason) == (False, "forgotten")
    assert other.exclusions()[0]["excludedReason"] == "forgotten"
