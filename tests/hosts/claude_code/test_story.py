"""The released Claude Code: what it writes into memory without the hook, with it, and after a remember."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from forgetguard.adapters.claude_code import REFUSAL
from hosts.claude_code.conftest import PROGRAM

pytestmark = pytest.mark.skipif(not PROGRAM, reason="Claude Code is not here (make test-claude-code installs it)")

SAID = "The user is a vegetarian"
NOTES = f"# Notes\n\n- uses pnpm\n- {SAID}\n"
SERVER = Path(__file__).with_name("memory_server.py")


def write(user, content: str, name: str = "CLAUDE.md"):
    return ("Write", {"file_path": str(user.project / name), "content": content})


def edit(user, old: str, new: str):
    return ("Edit", {"file_path": str(user.memory), "old_string": old, "new_string": new})


def read(user):
    return ("Read", {"file_path": str(user.memory)})


def test_without_the_hook_the_forgotten_fact_comes_back(ana):
    assert [failed for failed, _ in ana.claude([write(ana, NOTES)])] == [False]
    assert SAID in ana.memory.read_text()


def test_with_the_hook_it_does_not_and_the_model_is_told(ana):
    ((failed, told),) = ana.claude([write(ana, NOTES)], ana.settings())
    assert failed and REFUSAL in told
    assert "vegetarian" not in told
    assert not ana.memory.exists()
    assert SAID in ana.guard("review", "list").stdout


def test_a_new_value_and_another_subject_are_written(ana):
    notes = "- User is vegan\n- Anna is vegetarian\n- User is not vegetarian\n"
    assert [failed for failed, _ in ana.claude([write(ana, notes)], ana.settings())] == [False]
    assert ana.memory.read_text() == notes


def test_remember_brings_it_back(ana):
    assert ana.guard("remember", given=SAID).returncode == 0
    ana.claude([write(ana, NOTES)], ana.settings())
    assert ana.memory.read_text() == NOTES


def test_one_users_vault_does_not_touch_anothers(ana, user):
    rui = user("rui")
    rui.claude([write(rui, NOTES)], rui.settings())
    assert rui.memory.read_text() == NOTES


def test_edits_are_refused_for_new_text_only(ana):
    ana.memory.write_text(NOTES)
    calls = [
        read(ana),
        edit(ana, "- uses pnpm\n", "- uses pnpm\n- I am vegetarian\n"),
        edit(ana, "- uses pnpm\n", "- uses bun\n"),
        edit(ana, f"- {SAID}\n", ""),
    ]
    assert [failed for failed, _ in ana.claude(calls, ana.settings())] == [False, True, False, False]
    assert ana.memory.read_text() == "# Notes\n\n- uses bun\n"


def test_a_file_is_rewritten_where_that_is_asked_for(ana):
    ((failed, _),) = ana.claude([write(ana, NOTES)], ana.settings("--rewrite"))
    assert not failed
    assert ana.memory.read_text() == "# Notes\n\n- uses pnpm\n"


def test_a_memory_server_is_not_asked_to_keep_it(ana, tmp_path):
    kept = tmp_path / "kept"
    servers = {"memory": {"command": sys.executable, "args": [str(SERVER), str(kept)]}}

    def note(name: str, text: str):
        return ("mcp__memory__add_observations", {"observations": [{"entityName": name, "contents": [text]}]})

    calls = [note("User", "is vegetarian"), note("Anna", "is vegetarian"), note("User", "likes tea")]
    without = ana.claude(calls, servers=servers)
    assert [failed for failed, _ in without] == [False] * 3 and len(kept.read_text().splitlines()) == 3
    kept.unlink()
    assert [failed for failed, _ in ana.claude(calls, ana.settings(), servers)] == [True, False, False]
    assert [json.loads(line)["observations"][0]["entityName"] for line in kept.read_text().splitlines()] == [
        "Anna", "User",
    ]  # fmt: skip


def test_without_the_ledger_memory_is_not_written_and_other_files_are(ana):
    (ana.home / "data/forgetguard/ledger.sqlite").unlink()
    calls = [write(ana, "- uses pnpm\n"), write(ana, "print(1)\n", "main.py")]
    (refused, told), (failed, _) = ana.claude(calls, ana.settings())
    assert refused and "[missing]" in told and not ana.memory.exists()
    assert not failed and (ana.project / "main.py").exists()


@pytest.mark.parametrize("command", ["/nowhere/forgetguard hook claude-code", "kill -9 $$", "sleep 60"])
def test_a_hook_that_does_not_answer_blocks(ana, command):
    ((failed, _),) = ana.claude([write(ana, "- uses pnpm\n")], ana.settings(command=command, timeout=1))
    assert failed and not ana.memory.exists()


def test_what_it_keeps_of_the_session_is_found(ana):
    ana.claude([write(ana, NOTES)], ana.settings())
    done = ana.guard("doctor", "--host", "claude-code", str(ana.home / ".claude"), "--json")
    assert done.returncode == 1
    found = {one["name"]: one["restating"] for one in json.loads(done.stdout)["places"]}
    assert found["transcripts"] >= 1
    assert "vegetarian" not in done.stdout + done.stderr
