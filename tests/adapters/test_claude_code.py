"""Claude Code's hook: which calls write memory, what of them is asked about, and what is answered."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from forgetguard.adapters.claude_code import REFUSAL, Options, answer, asked_of, settings
from forgetguard.errors import InvalidInput, LedgerUnavailable
from forgetguard.guard import ForgetGuard
from forgetguard.hooks import Hooks
from guarding import guard, home, key, open_guard, path

__all__ = ["guard", "home", "key", "open_guard", "path"]

FACT = "User is vegetarian"
SAID = "The user is a vegetarian"
MEMORY = "/home/ana/project/CLAUDE.md"


def call(tool: str, cwd: str = "/home/ana/project", mode: str = "default", **given: object) -> dict[str, object]:
    return {
        "session_id": "s1", "transcript_path": "/t.jsonl", "cwd": cwd, "permission_mode": mode,
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given,
    }  # fmt: skip


def texts(payload: object, **options: object) -> tuple[str, ...]:
    return asked_of(payload, Options(**options)).texts


@pytest.mark.parametrize(
    "where",
    [
        "CLAUDE.md",
        "./docs/../CLAUDE.local.md",
        "/home/ana/.claude/CLAUDE.md",
        "/home/ana/.claude/projects/-home-ana-project/memory/MEMORY.md",
        "/home/ana/.claude/projects/-home-ana-project/memory/topics/food.md",
        "/home/ana/.claude/agent-memory/cook/notes.md",
        ".claude/agent-memory-local/cook/notes.md",
        ".claude/rules/style.md",
        "/Users/Ana/Project/claude.MD",
        "C:\\Users\\Ana\\CLAUDE.md",
    ],
)
def test_memory_files_are_known(where):
    assert texts(call("Write", file_path=where, content=SAID)) == (SAID,)


@pytest.mark.parametrize(
    "where", ["main.py", "CLAUDE.md.bak", "memory/notes.md", "/home/ana/.claude/settings.json", ""]
)
def test_other_files_are_not_asked_about(where):
    assert texts(call("Write", file_path=where, content=SAID)) == ()


@pytest.mark.parametrize("glob", ["notes.md", "docs/*.md", "~/project/docs/notes.md", "*/NOTES.md"])
def test_more_memory_files_can_be_named(glob, monkeypatch):
    monkeypatch.setenv("HOME", "/home/ana")
    written = call("Write", file_path="docs/notes.md", content=SAID)
    assert texts(written) == ()
    assert texts(written, memory_files=(glob,)) == (SAID,)


def test_a_link_to_a_memory_file_is_one(tmp_path):
    (tmp_path / "CLAUDE.md").write_text("")
    (tmp_path / "plain.md").symlink_to("CLAUDE.md")
    assert texts(call("Write", str(tmp_path), file_path="plain.md", content=SAID)) == (SAID,)


def test_of_an_edit_only_new_lines_count():
    old, new = f"- {SAID}\n- uses pnpm", f"- {SAID}\n- uses bun"
    assert texts(call("Edit", file_path=MEMORY, old_string=old, new_string=new)) == ("- uses bun",)
    assert texts(call("Edit", file_path=MEMORY, old_string=old, new_string="- uses pnpm")) == ()
    assert texts(call("Edit", file_path=MEMORY, old_string=SAID, new_string="")) == ()
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "", "new_string": SAID}]
    assert texts(call("MultiEdit", file_path=MEMORY, edits=edits)) == ("b", SAID)


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("memory", {"command": "create", "path": "/memories/a.md", "file_text": SAID}, {SAID}),
        ("memory", {"command": "str_replace", "path": "/memories/a.md", "old_str": "x", "new_str": SAID}, {SAID}),
        ("memory", {"command": "insert", "path": "/memories/a.md", "insert_line": 1, "insert_text": SAID}, {SAID}),
        ("mcp__memory__create_entities", {"entities": [{"name": "User", "entityType": "person",
            "observations": ["is a vegetarian"]}]}, {"User is a vegetarian"}),
        ("mcp__memory__add_observations", {"observations": [{"entityName": "User", "contents": ["eats no meat"]}]},
            {"User eats no meat"}),
        ("mcp__memory__create_relations", {"relations": [{"from": "User", "relationType": "lives_in", "to": "Porto"}]},
            {"User lives in Porto"}),
        ("mcp__openmemory__add_memories", {"text": SAID}, {SAID}),
        ("mcp__mem0__add-memory", {"messages": [{"role": "user", "content": SAID}]}, {SAID}),
        ("mcp__notes__save_to_memory", {"anything": {"at": ["all", SAID]}}, {SAID}),
        ("mcp__filesystem__write_file", {"path": MEMORY, "content": SAID}, {SAID}),
        ("mcp__filesystem__edit_file", {"path": MEMORY, "edits": [{"oldText": "", "newText": SAID}]}, {SAID}),
    ],
)  # fmt: skip
def test_memory_tools_are_asked_about_what_they_write(tool, given, expected):
    assert expected <= set(texts(call(tool, **given)))


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Bash", {"command": "ls"}),
        ("Read", {"file_path": MEMORY}),
        ("memory", {"command": "view", "path": "/memories"}),
        ("memory", {"command": "delete", "path": "/memories/vegetarian.md"}),
        ("mcp__memory__search_nodes", {"query": SAID}),
        ("mcp__memory__delete_observations", {"deletions": [{"entityName": "User", "observations": [SAID]}]}),
        ("mcp__openmemory__search_memory", {"query": SAID}),
        ("mcp__github__create_issue", {"title": SAID}),
    ],
)
def test_calls_that_write_no_memory_are_not_asked_about(tool, given):
    assert texts(call(tool, **given)) == ()


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("mcp__fs__append_file", {"path": MEMORY, "text": SAID}),
        ("mcp__fs__write_file", {"path": MEMORY, "data": [SAID]}),
        ("mcp__fs__write_files", {"files": [{"path": MEMORY, "content": SAID}]}),
        ("mcp__fs__write_file", {"filename": "docs/CLAUDE.md", "content": SAID}),
        ("mcp__fs__write_file", {"uri": "file:///home/ana/my%20project/CLAUDE.md", "content": SAID}),
        ("mcp__fs__edit_file", {"path": MEMORY, "edits": [{"old_text": "a", "new_text": SAID}]}),
        ("mcp__serena__replace_regex", {"relative_path": "CLAUDE.md", "regex": "x", "repl": SAID}),
        ("mcp__memory__record_history", {"text": SAID}),
        ("mcp__memory__modify_list", {"text": SAID}),
        ("mcp__memory__add", {"command": "view", "text": SAID}),
        ("memory", {"command": "view", "path": "/memories", "file_text": SAID}),
        ("mcp__memory__add", {SAID: True}),
        ("mcp__memory__add", {"facts": {"The_user_is_a_vegetarian": {}}}),
    ],
)
def test_a_text_is_asked_about_whatever_its_field_is_called(tool, given):
    assert SAID in texts(call(tool, **given))


def test_a_field_of_a_memory_tool_is_read_with_its_name():
    assert "home city: Lisbon" in texts(call("mcp__memory__set", home_city="Lisbon"))


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("mcp__fs__read_file", {"path": MEMORY}),
        ("mcp__fs__searchFiles", {"path": MEMORY, "pattern": SAID}),
        ("mcp__memory__searchNodes", {"query": SAID}),
        ("mcp__ide__getDiagnostics", {"uri": f"file://{MEMORY}"}),
        ("mcp__ide__diagnostics", {"uri": f"file://{MEMORY}"}),
        ("mcp__fs__edit_file", {"path": MEMORY, "edits": [{"old_text": SAID, "new_text": ""}]}),
        ("mcp__fs__write_file", {"path": "/home/ana/main.py", "text": SAID}),
        ("mcp__chat__post", {"text": f"{SAID}, says /home/ana/main.py"}),
    ],
)
def test_a_tool_that_only_reads_or_writes_elsewhere_is_not_asked_about(tool, given):
    assert texts(call(tool, **given)) == ()


def test_more_memory_tools_can_be_named():
    assert texts(call("mcp__diary__note", text=SAID)) == ()
    assert SAID in texts(call("mcp__diary__note", text=SAID), memory_tools=("mcp__diary__*",))


@pytest.mark.parametrize(
    "payload",
    [
        None, [], "x", {}, {"tool_name": "Write"}, {"tool_name": 1, "tool_input": {}},
        call("Write", file_path=MEMORY, content=[SAID]), call("Write", file_path=MEMORY, contents=SAID),
        call("Edit", file_path=MEMORY, changes=[SAID]),
        call("mcp__fs__edit_file", path=MEMORY, edits=json.dumps([{"newText": SAID}])),
        call("Edit", file_path=MEMORY, old_string=1, new_string=SAID),
        call("MultiEdit", file_path=MEMORY, edits="x"),
        call("MultiEdit", file_path=MEMORY, edits=[SAID]),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_an_error(payload):
    with pytest.raises(InvalidInput) as caught:
        asked_of(payload, Options())
    assert SAID not in str(caught.value)


def test_another_event_is_passed():
    assert texts({**call("Write", file_path=MEMORY, content=SAID), "hook_event_name": "PostToolUse"}) == ()


# -- the answer ----------------------------------------------------------------------------------------------------


@pytest.fixture
def hooks(guard: ForgetGuard) -> Hooks:
    guard.forget(FACT)
    return Hooks(guard)


def decision(said: dict[str, object] | None) -> str:
    return "" if said is None else said["hookSpecificOutput"]["permissionDecision"]  # type: ignore[index, return-value]


def test_a_restatement_is_refused_with_a_constant_sentence(hooks):
    said = answer(call("Write", file_path=MEMORY, content=f"# Notes\n\n- uses pnpm\n- {SAID}\n"), hooks, Options())
    assert said == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": REFUSAL,
        }
    }  # fmt: skip
    assert "vegetarian" not in json.dumps(said)
    assert [item.action for item in hooks.guard.review()] == ["drop"]


def test_a_call_of_very_many_restatements_is_refused_in_time(hooks):
    edits = [{"old_string": "a", "new_string": f"{number} times said: {SAID}"} for number in range(5000)]
    began = time.process_time()  # its own work: other processes count for nothing
    assert decision(answer(call("MultiEdit", file_path=MEMORY, edits=edits), hooks, Options())) == "deny"
    assert time.process_time() - began < 5


@pytest.mark.parametrize("text", ["User is an engineer", "Anna is vegetarian", "User is not vegetarian", "# Notes\n"])
def test_another_value_or_subject_is_passed(hooks, text):
    assert answer(call("Write", file_path=MEMORY, content=text), hooks, Options()) is None
    assert answer(call("Write", file_path=MEMORY, content=text), hooks, Options(rewrite=True)) is None
    assert answer(call("mcp__memory__add", text=text), hooks, Options()) is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"favorite_color": "teal"}, "deny"),
        ({"favorite_color": "red"}, ""),
        ({"favorite_color": {"value": "red"}}, ""),
        ({"favorite_color": None}, ""),
        ({"vegetarian": True}, "deny"),
        ({"vegetarian": False}, ""),
    ],
)
def test_a_field_says_its_name_and_its_value(hooks, given, expected):
    hooks.guard.forget("User's favorite color is teal")
    assert decision(answer(call("mcp__memory__set", **given), hooks, Options())) == expected


def test_an_entity_is_the_subject_of_its_observations(hooks):
    def entity(name: str) -> dict[str, object]:
        return call("mcp__memory__create_entities", entities=[{"name": name, "observations": ["is vegetarian"]}])

    assert decision(answer(entity("default_user"), hooks, Options())) == "deny"
    assert decision(answer(entity("Anna"), hooks, Options())) == ""


@pytest.mark.parametrize(("mode", "permission"), [("acceptEdits", "allow"), ("default", "ask"), ("plan", "ask")])
def test_a_file_can_be_rewritten_instead(hooks, mode, permission):
    written = call("Write", mode=mode, file_path=MEMORY, content=f"# Notes\n\n- uses pnpm\n- {SAID}\n", other=1)
    said = answer(written, hooks, Options(rewrite=True))
    assert decision(said) == permission
    changed = said["hookSpecificOutput"]["updatedInput"]
    assert changed == {"file_path": MEMORY, "content": "# Notes\n\n- uses pnpm\n", "other": 1}
    assert "vegetarian" not in json.dumps(said)


def test_where_nothing_would_be_left_the_rewriting_is_a_refusal(hooks):
    assert decision(answer(call("Write", file_path=MEMORY, content=SAID), hooks, Options(rewrite=True))) == "deny"
    edit = call("Edit", file_path=MEMORY, old_string="", new_string=f"uses bun\n{SAID}")
    assert decision(answer(edit, hooks, Options(rewrite=True))) == "deny"


def test_what_was_remembered_is_passed(hooks):
    hooks.remember(FACT, explicit=True)
    assert answer(call("Write", file_path=MEMORY, content=SAID), hooks, Options()) is None


@pytest.mark.parametrize("rewrite", [False, True])
@pytest.mark.parametrize("on_defer", ["block", "keep"])
def test_without_the_ledger_nothing_is_decided(open_guard, path, rewrite, on_defer):
    guard = open_guard(on_defer=on_defer)
    path.unlink()
    with pytest.raises(LedgerUnavailable):
        answer(call("Write", file_path=MEMORY, content=SAID), Hooks(guard), Options(rewrite=rewrite))


def test_the_settings_name_the_event_and_fail_closed():
    (entry,) = settings("forgetguard hook claude-code")["hooks"]["PreToolUse"]  # type: ignore[index]
    (hook,) = entry["hooks"]
    assert hook["type"] == "command" and hook["onFailure"] == "block"
    assert "Write" in entry["matcher"].split("|")


def test_the_page_of_the_host_shows_what_is_printed():
    page = (Path(__file__).parents[2] / "docs/hosts/claude-code.md").read_text("utf-8")
    assert json.dumps(settings("forgetguard hook claude-code"), indent=2) in page
