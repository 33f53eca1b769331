"""What the host's own forget leaves behind or destroys: each recorded leak, written into a workspace and purged."""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path

import pytest

from adapters.openclaw.conftest import Recorded
from adapters.openclaw.recording import ALICE, BOB, ERIN

FACT = "My favourite harbour is Setubal and my badge colour is teal."
GENERIC = "Assistant: Understood, I will keep that in mind."
YUKI = "cf087011-0813-44bb-99ed-40c73e910c39"
NON_ASCII = "由紀の社員番号は４４７１で、好きな色は藍色です。 🗝️ Ünïcödé naïve café test."
KEY = "memory:memory/.dreams/session-corpus/2026-11-30.txt:1:1:d3f423bb5c2b"
PHASE = (
    "## Light Sleep\n<!-- openclaw:dreaming:light:start -->\n{}\n<!-- openclaw:dreaming:light:end -->\nMy own words.\n"
)


def note(recorded: Recorded, content: str | bytes, place: str = "memory/2026-12-01.md") -> Path:
    path = recorded.workspace / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "quote",
    [
        f"User: {FACT}",
        FACT,
        FACT.upper(),
        FACT.replace(" ", "  "),
        FACT.rstrip("."),
        "My favourite harbour is Setubal\n  and my badge colour is teal.",
        f"**{FACT}**",
    ],
    ids=["role", "no role", "case", "spacing", "no stop", "wrapped", "emphasis"],
)
def test_a_quote_in_a_machine_written_block(recorded: Recorded, quote: str) -> None:
    path = note(
        recorded, PHASE.format(f"- Candidate: {quote}\n  - confidence: 0.58\n- Candidate: Something else of Dana.")
    )
    assert recorded.purge("agent:main:alice").exit_code == 0
    assert path.read_text() == PHASE.format("- Candidate: Something else of Dana.")


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_quote_in_another_normal_form(recorded: Recorded, form: str) -> None:
    path = note(recorded, PHASE.format("- Candidate: " + unicodedata.normalize(form, NON_ASCII)))
    assert recorded.purge(YUKI).exit_code == 0
    assert path.read_text() == PHASE.format("").replace("start -->\n\n", "start -->\n")


def test_the_same_quote_by_hand_is_kept_and_reported(recorded: Recorded) -> None:
    text = f"My diary.\nI once told it: {FACT.lower()}\n"
    path = note(recorded, text)
    done = recorded.purge("agent:main:alice")
    assert path.read_text() == text
    kept = done.body["forgetguard"]["verification"]["retained"]  # type: ignore[index]
    assert {"surface": "notes", "place": "memory/2026-12-01.md", "standing": "retained", "code": "hand-written",
            "count": 1} in kept  # fmt: skip
    assert done.exit_code == 0


def test_a_line_by_hand_with_the_very_snippet_goes_as_with_the_host(recorded: Recorded) -> None:
    path = note(recorded, f"Before.\nI noted: User: {FACT}\nAfter.\n", "USER.md")
    recorded.purge("agent:main:alice")
    assert path.read_text() == "Before.\nAfter.\n"


def test_a_line_by_hand_with_a_sentence_that_others_share_stays(recorded: Recorded) -> None:
    """The host deletes it: every session has heard that the assistant will keep something in mind."""
    text = f"Its favourite answer is: {GENERIC}\n"
    path = note(recorded, text, "USER.md")
    done = recorded.purge("agent:main:alice")
    assert path.read_text() == text
    kept = done.body["forgetguard"]["kept"]  # type: ignore[index]
    assert ("USER.md", "shared-sentence") in {(one["place"], one["code"]) for one in kept}


def test_a_candidate_goes_with_its_children(recorded: Recorded) -> None:
    path = note(
        recorded,
        f"# Light Sleep\n\n- Candidate: Dana's.\n  - confidence: 0.1\n- Candidate: {FACT}\n  - confidence: 0.58\n"
        "    - deeper: yes\n  - status: staged\n- Candidate: Gus's.\n  - status: staged\n",
        "memory/dreaming/light/2026-12-01.md",
    )
    recorded.purge("agent:main:alice")
    assert path.read_text() == (
        "# Light Sleep\n\n- Candidate: Dana's.\n  - confidence: 0.1\n- Candidate: Gus's.\n  - status: staged\n"
    )


HOOK_NOTE = """# Session: 2026-11-30 16:42:13 UTC

- **Session Key**: agent:main:alice
- **Session ID**: {}
- **Source**: gateway:agent

## Conversation Summary

user: "Nobody repeated this sentence about the walnut staircase."
assistant: "Understood, I will keep that in mind."
"""


def test_a_hook_note_goes_by_its_header(recorded: Recorded) -> None:
    path = note(recorded, HOOK_NOTE.format(ALICE), "memory/2026-11-30-1642.md")
    kept = note(recorded, HOOK_NOTE.format(BOB), "memory/2026-11-30-1643.md")
    done = recorded.purge(ALICE)
    assert done.exit_code == 0
    assert not path.exists()
    assert kept.read_text() == HOOK_NOTE.format(BOB)
    assert done.body["forgetguard"]["beyond"]["hookNotes"] == 1  # type: ignore[index]


def test_a_hook_note_among_others_in_one_file(recorded: Recorded) -> None:
    path = note(recorded, HOOK_NOTE.format(ALICE) + HOOK_NOTE.format(BOB), "memory/2026-11-30.md")
    recorded.purge(ALICE)
    assert path.read_text() == HOOK_NOTE.format(BOB)


def test_a_claim_from_a_hook_note_inherits_its_session(recorded: Recorded) -> None:
    note(recorded, HOOK_NOTE.format(ERIN), "memory/2026-11-30-1642.md")
    path = recorded.workspace / "MEMORY.md"
    entry = (
        "<!-- openclaw-memory-promotion:memory:claim:feedfacecafe -->\n"
        f"- **Session ID**: {ERIN} Source: memory/2026-11-30-1642.md#L4-L4 <!-- importance: 5 -->\n"
    )
    path.write_text(path.read_text() + entry)
    assert "memory:claim:feedfacecafe" in recorded.preview(ALICE).body["untargetableEntryKeys"]  # type: ignore[operator]
    done = recorded.purge(ERIN)
    assert "memory:claim:feedfacecafe" in done.body["entryKeys"]  # type: ignore[operator]
    assert "feedfacecafe" not in path.read_text()
    assert done.exit_code == 0


def test_a_claim_from_a_note_that_the_session_wrote(recorded: Recorded) -> None:
    """bob's session wrote the note; the claim was promoted without origins, and survived the host's purge."""
    done = recorded.purge(BOB)
    assert "Oleander Tools deliveries" not in (recorded.workspace / "MEMORY.md").read_text()
    assert "Oleander Tools deliveries" in (recorded.workspace / "memory/2026-11-30-bob.md").read_text()
    assert done.body["curatedWrites"] == [{"relativePath": "memory/2026-11-30-bob.md", "observedAt": 1796055537810}]
    codes = {(one["place"], one["code"]) for one in done.body["forgetguard"]["verification"]["retained"]}  # type: ignore[index]
    assert ("memory/2026-11-30-bob.md", "curated-write") in codes


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"<!-- openclaw-memory-promotion:{KEY} --> - Rephrased so that nothing matches.\n- B\n", "- B\n"),
        (f"<!-- openclaw-memory-promotion:{KEY} -->\n\n- Rephrased so that nothing matches.\n- B\n", "- B\n"),
        (f"<!-- openclaw-memory-promotion:{KEY} -->\n- Rephrased.\n\n  and goes on\n- B\n", "- B\n"),
        (f"<!-- openclaw-memory-promotion:{KEY} -->\n## Heading\n- B\n", "## Heading\n- B\n"),
        (f"<!-- openclaw-memory-lineage:cat -->\n<!-- openclaw-memory-promotion:{KEY} -->\n- X\n- B\n", "- B\n"),
    ],
    ids=["one line", "blank line", "goes on after a blank line", "nothing below", "lineage"],
)
def test_marked_entries(recorded: Recorded, before: str, after: str) -> None:
    path = note(recorded, f"# Mine\n{before}", "memory/2026-12-01.md")
    recorded.purge(ALICE)
    assert path.read_text() == f"# Mine\n{after}"


@pytest.mark.parametrize("place", ["memory/README.MD", "memory/sub/notes.txt", "users/ana/USER.md", "Memory.MD"])
def test_files_that_the_hosts_scan_misses(recorded: Recorded, place: str) -> None:
    path = note(recorded, f"Mine.\nUser: {FACT}\n<!-- openclaw-memory-promotion:{KEY} -->\n- Text.\n", place)
    done = recorded.purge(ALICE)
    assert path.read_text() == "Mine.\n"
    assert done.body["forgetguard"]["beyond"]["otherFiles"] == 1  # type: ignore[index]
    assert done.body["artifacts"]["memoryFiles"] == 3  # type: ignore[index]


def test_extra_paths_inside_the_workspace(recorded: Recorded) -> None:
    config = recorded.root / "openclaw.json"
    config.write_text(config.read_text().replace('"sources":', '"extraPaths": ["library"], /* more */ "sources":'))
    path = note(recorded, f"Mine.\nUser: {FACT}\n", "library/book.md")
    recorded.purge(ALICE)
    assert path.read_text() == "Mine.\n"


def test_bytes_that_stay_are_the_same_bytes(recorded: Recorded) -> None:
    """Latin-1, mixed line endings, a byte order mark; the host wrote U+FFFD over them."""
    before = b"\xef\xbb\xbfCaf\xe9 \xff\r\nUser: " + FACT.encode() + b"\r\nna\xefve\rline\n\n\r\nno end"
    after = b"\xef\xbb\xbfCaf\xe9 \xff\r\nna\xefve\rline\n\n\r\nno end"
    path = note(recorded, before)
    os.chmod(path, 0o640)
    recorded.purge(ALICE)
    assert path.read_bytes() == after
    assert path.stat().st_mode & 0o777 == 0o640


def test_nothing_is_written_through_a_link_out_of_the_workspace(recorded: Recorded) -> None:
    outside = recorded.base / "outside.md"
    memory = recorded.workspace / "MEMORY.md"
    outside.write_bytes(memory.read_bytes())
    memory.unlink()
    memory.symlink_to(outside)
    before = outside.read_bytes()
    done = recorded.purge(ALICE)
    assert outside.read_bytes() == before
    assert done.exit_code == 1
    found = done.body["forgetguard"]["verification"]["findings"]  # type: ignore[index]
    assert ("MEMORY.md", "symlink-outside") in {(one["place"], one["code"]) for one in found}
    refused = done.body["forgetguard"]["refusals"]  # type: ignore[index]
    assert ("MEMORY.md", "symlink-outside") in {(one["id"], one["reason"]) for one in refused}


def test_a_hard_link_elsewhere_cannot_be_proved(recorded: Recorded) -> None:
    path = note(recorded, f"User: {FACT}\n")
    os.link(path, recorded.base / "copy.md")
    assert recorded.purge(ALICE).exit_code == 3


def test_the_embedding_cache_by_content(recorded: Recorded) -> None:
    kept = "SELECT count(*) FROM memory_embedding_cache WHERE hash IN (SELECT hash FROM memory_index_chunks)"
    gone = recorded.agent("SELECT hash FROM memory_index_chunks WHERE path LIKE ?", f"%{ALICE}%")[0][0]
    recorded.purge(ALICE)
    assert recorded.agent("SELECT count(*) FROM memory_embedding_cache") == recorded.agent(kept) == [(9,)]
    assert recorded.agent("SELECT count(*) FROM memory_embedding_cache WHERE hash=?", gone) == [(0,)]


def test_a_repeat_changes_nothing_at_all(recorded: Recorded) -> None:
    from purge.world import picture

    recorded.purge(ALICE)
    before = picture(recorded.root)
    revision = recorded.agent("SELECT revision FROM memory_index_state")
    again = recorded.purge(ALICE)
    assert again.exit_code == 0
    assert picture(recorded.root) == before
    assert recorded.agent("SELECT revision FROM memory_index_state") == revision


def test_a_typo_costs_nothing_but_its_tombstone(recorded: Recorded) -> None:
    cached = recorded.agent("SELECT * FROM memory_embedding_cache")
    assert recorded.purge("no-such-session").exit_code == 5
    assert recorded.agent("SELECT * FROM memory_embedding_cache") == cached
    assert recorded.agent("SELECT session_id, agent_id, reason FROM memory_session_tombstones") == [
        ("no-such-session", "main", "forgotten")
    ]


def test_leftovers_and_caches(recorded: Recorded) -> None:
    draft = note(recorded, f"x {FACT}", "memory/.2026.md.promotion.12.tmp")
    other = note(recorded, "nothing of interest", "memory/.2027.md.forget.12.tmp")
    shadow = recorded.agent_database.with_name(recorded.agent_database.name + ".tmp-0b5c")
    shadow.write_bytes(b"\0" * 5000 + FACT.encode() + b"\0" * 100)
    caches = recorded.state.temporary[0] / "session-archive-read-cache"
    caches.mkdir(parents=True)
    for session in (ALICE, BOB):
        (caches / f"{session}-1-2.jsonl").write_text(json.dumps({"type": "session", "id": session}) + f"\n{FACT}\n")
    (recorded.state.temporary[0] / "openclaw-2026-11-30.log").write_text(f"said {FACT}\n")
    done = recorded.purge(ALICE)
    assert done.exit_code == 0
    assert not draft.exists() and other.exists() and not shadow.exists()
    assert sorted(path.name for path in caches.iterdir()) == [f"{BOB}-1-2.jsonl"]
    assert done.body["forgetguard"]["beyond"]["temporaryFiles"] == 2  # type: ignore[index]
    assert done.body["forgetguard"]["beyond"]["readCaches"] == 1  # type: ignore[index]
    kept = {(one["place"], one["code"]) for one in done.body["forgetguard"]["verification"]["retained"]}  # type: ignore[index]
    assert ("log:openclaw-2026-11-30.log", "text") in kept


def test_an_item_that_cites_a_selected_session(recorded: Recorded) -> None:
    path = note(recorded, f"- As in [main/sessions/main/{ALICE}#L5]: paraphrased.\n  - more\n- Kept.\n")
    recorded.purge(ALICE)
    assert path.read_text() == "- Kept.\n"


def test_old_history_is_reported_as_the_host_does(recorded: Recorded) -> None:
    path = recorded.workspace / "DREAMS.md"
    path.write_text(path.read_text() + "\n## Memory Consolidation History\n\n- Highlights:\n  - `+ something old`\n")
    assert recorded.preview(ALICE).body["refusals"] == [
        "Cannot trace historical consolidation highlights in DREAMS.md; review them manually."
    ]


@pytest.mark.parametrize(
    ("before", "after", "entries"),
    [
        (f"# Top\n## On sessions/main/{ALICE}\ntext\n### deeper\nmore\n## Next\nstays\n", "# Top\n## Next\nstays\n", 1),
        (f"Session ID: {ALICE}\nline\n\n# Heading\nSession ID: {ALICE}\nx\nSession ID: {BOB}\ny\n",
         f"# Heading\nSession ID: {BOB}\ny\n", 2),
        (f"# main:{ALICE}\nfoo\n# other\nbar\n# [main/sessions/main/{ALICE}#L5] hi\nq\n", "# other\nbar\n", 2),
        (f"intro\n- Session ID: {ALICE}; model x\n  - child\n- Session ID: {BOB}\n  - his\nend\n",
         f"intro\n- Session ID: {BOB}\n  - his\nend\n", 1),
    ],
    ids=["heading", "session id", "two headings", "item"],
)  # fmt: skip
def test_references_as_with_the_host(recorded: Recorded, before: str, after: str, entries: int) -> None:
    """Results and counts compared with the released program, which also ate the last line break of the third."""
    path = note(recorded, before)
    assert recorded.preview(ALICE).body["artifacts"]["memoryEntries"] == 10 + entries  # type: ignore[index]
    recorded.purge(ALICE)
    assert path.read_text() == after


def test_an_entry_with_several_markers_goes_when_any_of_them_does(recorded: Recorded) -> None:
    """Equal entries were appended once, so the text is of both: mixed lineage is deleted whole."""
    other = "<!-- openclaw-memory-promotion:memory:claim:aaaaaaaaaaaa -->\n"
    mine = f"<!-- openclaw-memory-promotion:{KEY} -->\n"
    path = note(recorded, f"# Mine\n{mine}{other}- For both.\n{other}{mine}- For both.\n{other}- Hers.\n")
    recorded.purge(ALICE)
    assert path.read_text() == f"# Mine\n{other}- Hers.\n"
