"""Every place where a selected session's text or keys lie in the recording is empty of them afterwards."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path

import pytest

from adapters.openclaw.conftest import Recorded
from adapters.openclaw.recording import ALICE, BOB, ERIN
from forgetguard.adapters.openclaw import corpus
from forgetguard.errors import Refused
from forgetguard.purge.surfaces import file_tools
from purge.world import holds

SPACES = ("short-term-recall", "short-term-phase-signals", "dreaming-session-ingestion-files",
          "dreaming-session-ingestion-seen", "session-backfill-rewind", "memory-host.events",
          "dreaming-memory-backups")  # fmt: skip


def plugin_rows(recorded: Recorded, space: str) -> list[dict[str, object]]:
    sql = "SELECT value_json FROM plugin_state_entries WHERE namespace=? ORDER BY entry_key"
    return [json.loads(row[0]) for row in recorded.shared(sql, space)]


@pytest.mark.parametrize("space", SPACES)
def test_plugin_state_names_nothing_of_the_session(recorded: Recorded, space: str) -> None:
    before = plugin_rows(recorded, space)
    keys = recorded.preview(ALICE).body["entryKeys"]
    recorded.purge(ALICE)
    after = plugin_rows(recorded, space)
    text = json.dumps(after)
    assert ALICE not in text
    assert [key for key in keys if json.dumps(key) in text] == []  # type: ignore[attr-defined]
    assert "Setubal" not in text
    assert after and len(after) <= len(before)
    unrelated = [row for row in before if not any(word in json.dumps(row) for word in (ALICE, *keys, "Setubal"))]  # type: ignore[misc]
    assert all(row in after for row in unrelated)


def test_backups_keep_the_rest_and_their_hash(recorded: Recorded) -> None:
    recorded.purge(ALICE)
    (row,) = plugin_rows(recorded, "dreaming-memory-backups")
    value = row["value"]
    assert isinstance(value, dict)
    assert "7741" in value["content"] and "90000 euro" not in value["content"]
    assert value["contentHash"] == sha256(value["content"].encode()).hexdigest()


def test_rewind_batches_keep_other_sessions(recorded: Recorded) -> None:
    before = plugin_rows(recorded, "session-backfill-rewind")[0]["value"]["candidates"]  # type: ignore[index]
    recorded.purge(ALICE)
    after = plugin_rows(recorded, "session-backfill-rewind")[0]["value"]["candidates"]  # type: ignore[index]
    assert after == [one for one in before if ALICE not in one["scope"]]
    assert 0 < len(after) < len(before)


def test_origins_and_tombstones(recorded: Recorded) -> None:
    recorded.purge(ALICE)
    rows = recorded.agent("SELECT entry_key, session_id FROM memory_entry_origins")
    assert {session for _, session in rows}.isdisjoint({ALICE}) and rows
    assert recorded.agent("SELECT session_id, agent_id, reason FROM memory_session_tombstones") == [
        (ALICE, "main", "forgotten")
    ]


def test_the_revision_grows_with_the_tombstone(recorded: Recorded) -> None:
    ((before,),) = recorded.agent("SELECT revision FROM memory_index_state")
    recorded.purge("no-such-session")
    assert recorded.agent("SELECT revision FROM memory_index_state") == [(before + 1,)]


@pytest.mark.parametrize(
    ("session", "words"), [(ERIN, ["locker code", "slot is B-212"]), (ALICE, ["Setubal", "90000 euro"])]
)
def test_the_bytes_are_gone(recorded: Recorded, session: str, words: list[str]) -> None:
    """Seven copies of erin's sentence lay in the database file after the host's own purge. Transcripts stay."""
    recorded.purge(session)
    left = [Path(path) for path in holds(recorded.root, *words)]
    if session == ERIN:  # her transcript is only in an archive, which is compressed
        assert left == []
    else:
        assert left == [recorded.agent_database]
        recorded.agent("DELETE FROM transcript_events WHERE session_id=?", session)
        recorded.agent("DELETE FROM session_transcript_fts_rows WHERE session_id=?", session)
        recorded.agent("INSERT INTO session_transcript_fts(session_transcript_fts) VALUES('optimize')")
        recorded.agent("VACUUM")
        recorded.agent("PRAGMA wal_checkpoint(TRUNCATE)")
        assert holds(recorded.root, *words) == []


def test_no_word_of_it_in_our_own_files(recorded: Recorded) -> None:
    done = recorded.purge(ALICE)
    assert done.exit_code == 0
    assert holds(recorded.home.directory, "Setubal", ALICE, "agent:main:alice", "2026-11-30.txt") == []


def test_transcripts_and_archives_stay(recorded: Recorded) -> None:
    sql = "SELECT count(*) FROM transcript_events"
    before = recorded.agent(sql)
    archives = sorted(os.listdir(recorded.state.agent().sessions))
    done = recorded.purge(ALICE, ERIN)
    assert recorded.agent(sql) == before
    assert sorted(os.listdir(recorded.state.agent().sessions)) == archives
    kept = {(one["place"], one["code"]) for one in done.body["forgetguard"]["verification"]["retained"]}  # type: ignore[index]
    assert ("table:transcript_events", "kept") in kept
    assert (f"sessions/{archives[0]}", "archive-file") in kept


def test_standing_intents_go_with_the_session_that_made_them(recorded: Recorded) -> None:
    insert = (
        "INSERT INTO standing_intents(id, description, trigger_keywords, status, expires_at, max_fires, created_at,"
        " source_session_id) VALUES (?, 'Remind her of the harbour master', 'harbour master', 'armed', 1, 1, 1, ?)"
    )
    recorded.agent(insert, "one", ALICE)
    recorded.agent(insert, "two", BOB)
    done = recorded.purge(ALICE)
    assert recorded.agent("SELECT id FROM standing_intents") == [("two",)]
    assert done.body["forgetguard"]["beyond"]["standingIntents"] == 1  # type: ignore[index]


def test_internal_transcripts_leave_the_index(recorded: Recorded) -> None:
    """What should never have been indexed goes with any purge, as with the host."""
    recorded.agent(
        "UPDATE memory_index_chunk_provenance SET session_kind='cron' WHERE chunk_id IN"
        " (SELECT id FROM memory_index_chunks WHERE path LIKE '%eeef2745%')"
    )
    assert recorded.preview("no-such-session").body["artifacts"]["indexChunks"] == 1  # type: ignore[index]
    recorded.purge("no-such-session")
    assert recorded.agent("SELECT count(*) FROM memory_index_chunks WHERE path LIKE '%eeef2745%'") == [(0,)]


def test_a_chunk_that_is_older_than_its_file(recorded: Recorded) -> None:
    """The host crashed before it indexed again: the file says nothing of it any more, the index still does."""
    recorded.agent(
        "UPDATE memory_index_chunks SET text='# REM\nMy favourite harbour is Setubal and my badge colour is teal.'"
        " WHERE path='memory/dreaming/rem/2026-11-30.md'"
    )
    assert recorded.purge(ALICE).exit_code == 0
    assert recorded.agent("SELECT count(*) FROM memory_index_chunks WHERE text LIKE '%Setubal%'") == [(0,)]
    assert recorded.agent(
        "SELECT count(*) FROM memory_index_chunks_fts WHERE memory_index_chunks_fts MATCH 'Setubal'"
    ) == [(0,)]


def test_a_corpus_file_that_is_left_blank_goes(recorded: Recorded) -> None:
    path = recorded.workspace / "memory/.dreams/session-corpus/2026-12-01.txt"
    path.write_text(f"[main/sessions/main/{ALICE}#L90] User: The last thing that she ever said.\n\n")
    other = recorded.workspace / "memory/.dreams/session-corpus/2026-12-02.md"
    other.write_bytes(
        f"[main/{ALICE}.jsonl#L1] User: From an old transcript file.\r\n[second/{ALICE}#L2] User: Hers.\r\n".encode()
    )
    recorded.purge(ALICE)
    assert not path.exists()
    assert other.read_bytes() == f"[second/{ALICE}#L2] User: Hers.\r\n".encode()


def test_a_file_that_changed_is_neither_replaced_nor_removed(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"the host wrote this")
    for content in (b"", b"what stays"):
        with pytest.raises(Refused):
            corpus.put(path, content, file_tools.digest(b"what was read"))
    assert path.read_bytes() == b"the host wrote this"
    corpus.put(path, b"", file_tools.digest(b"the host wrote this"))
    assert list(tmp_path.iterdir()) == []


def test_archives_are_read_for_what_a_session_wrote(recorded: Recorded) -> None:
    """Tool calls in archived transcripts are reported as well."""
    import zstandard

    call = {"type": "tool_use", "name": "edit", "input": json.dumps({"file_path": "memory/people.md"})}
    patch = {"type": "toolCall", "name": "apply_patch",
             "arguments": {"input": "*** Begin Patch\n*** Update File: USER.md\n*** Add File: ../x.md\n"}}  # fmt: skip
    lines = [
        {"type": "session", "id": ERIN, "cwd": str(recorded.workspace)},
        {
            "type": "message",
            "timestamp": "2026-11-30T16:00:00Z",
            "message": {"role": "assistant", "content": [call, patch]},
        },
    ]
    blob = zstandard.ZstdCompressor().compress("\n".join(map(json.dumps, lines)).encode())
    recorded.agent("UPDATE session_transcript_archives SET archive_blob=? WHERE session_id=?", blob, ERIN)
    assert recorded.preview(ERIN).body["curatedWrites"] == [
        {"relativePath": "memory/people.md", "observedAt": 1796054400000},
        {"relativePath": "USER.md", "observedAt": 1796054400000},
    ]


def test_the_receipt_says_what_was_covered(recorded: Recorded) -> None:
    recorded.purge(hook_sources=("gmail",))
    code, body, _ = recorded.command("receipts", "list", "--home", str(recorded.home.directory))
    assert code == 0
    (receipt,) = body["receipts"]
    assert receipt["erased"]["index"]["memory_index_chunks"] == 1
    text = json.dumps(receipt)
    assert "archives:not-judged" in text
    assert "gmail" not in text and "eeef2745" not in text
