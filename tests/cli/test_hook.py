"""`forgetguard hook claude-code`: exit code 0 with an answer or none, 2 for every failure, and nothing quoted."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

SAID = "The user is a vegetarian"
SECRET = "vegetarian"


def call(tool: str = "Write", name: str = "CLAUDE.md", **given: object) -> str:
    given = given or {"content": f"# Notes\n- {SAID}\n"}
    payload = {"cwd": "/tmp", "hook_event_name": "PreToolUse", "tool_name": tool}
    return json.dumps({**payload, "tool_input": {"file_path": f"/tmp/{name}", **given}})


def ledger_of(home: Path) -> Path:
    return home / "data" / "forgetguard" / "ledger.sqlite"


def test_a_restatement_is_refused(ready):
    done = ready("hook", "claude-code", given=call())
    assert done.code == 0
    assert done.json[0]["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert SECRET not in done.out + done.err


def test_what_is_new_is_passed_in_silence(ready):
    done = ready("hook", "claude-code", given=call(content="uses pnpm"))
    assert (done.code, done.out, done.err) == (0, "", "")


def test_removing_text_is_passed(ready):
    assert ready("hook", "claude-code", given=call("Edit", old_string=SAID, new_string="")).code == 0


@pytest.mark.parametrize("given", ["", "{", "[]", "null", '{"tool_name": "Write"}', b"\xff\xfe", "[" * 100_000])
def test_a_payload_that_cannot_be_read_blocks(ready, given):
    done = ready("hook", "claude-code", given=given)
    assert (done.code, done.out) == (2, "")
    assert "[unknown-payload]" in done.err


def damaged(path: Path) -> None:
    path.write_bytes(b"x" * 4096)


def replaced(path: Path) -> None:
    path.unlink()
    sqlite3.connect(path).execute("CREATE TABLE log (n)").connection.close()


def locked_out(path: Path) -> None:
    (path.parents[2] / "config/forgetguard/key").write_bytes(b"0" * 32)


@pytest.mark.parametrize("harm", [Path.unlink, damaged, replaced, locked_out])
def test_without_the_ledger_a_memory_write_is_blocked_and_nothing_else(ready, home, harm):
    harm(ledger_of(home))
    done = ready("hook", "claude-code", given=call())
    assert (done.code, done.out) == (2, "")
    assert SECRET not in done.err and str(home) not in done.err
    for other in (call(name="main.py"), call("Edit", old_string=SAID, new_string="")):
        assert ready("hook", "claude-code", given=other).code == 0


def test_before_init_it_blocks_and_says_what_to_do(cli):
    done = cli("hook", "claude-code", given=call())
    assert (done.code, done.out) == (2, "")
    assert "forgetguard init" in done.err
    assert cli("hook", "claude-code", given=call("Read", limit=1)).code == 0


def test_a_broken_configuration_blocks(ready, home):
    (home / "config/forgetguard/config.toml").write_text("nonsense =")
    assert ready("hook", "claude-code", given=call()).code == 2


@pytest.mark.parametrize(
    "error", [RuntimeError(SAID), KeyboardInterrupt(), OSError(SAID), MemoryError(), SystemExit(1)]
)
def test_a_fault_blocks(ready, monkeypatch, error):
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("forgetguard.hooks.Hooks.extraction", fail)
    done = ready("hook", "claude-code", given=call())
    assert (done.code, done.out) == (2, "")
    assert SECRET not in done.err


@pytest.mark.parametrize("arguments", [("--nonsense",), ("surplus",), ("--memory-file",)])
def test_a_wrong_call_blocks(ready, arguments):
    assert ready("hook", "claude-code", *arguments, given=call()).code == 2


def test_no_model_is_asked(ready, home):
    done = ready("hook", "claude-code", given=call(content="eats no meat"), FORGETGUARD_MODEL=str(home / "none"))
    assert (done.code, done.err) == (0, "")


def test_an_answer_that_cannot_be_written_blocks(ready, command, home):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "forgetguard", "hook", "claude-code"],
            input=call(), stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
        )  # fmt: skip
    assert done.returncode == 2


def test_the_printed_settings_work_as_they_stand(ready, tmp_path):
    done = ready("hook", "claude-code", "--memory-file", "my notes.md", "--rewrite", "--print-settings")
    (entry,) = json.loads(done.out)["hooks"]["PreToolUse"]
    (hook,) = entry["hooks"]
    # The host runs it by a shell from the user's project, where a file may have the name of a module.
    (tmp_path / "json.py").write_text("raise SystemExit(0)")
    given = call(name="my notes.md", content=f"- uses pnpm\n- {SAID}\n")
    answer = subprocess.run(hook["command"], shell=True, input=given, capture_output=True, text=True, cwd=tmp_path)
    assert json.loads(answer.stdout)["hookSpecificOutput"]["updatedInput"]["content"] == "- uses pnpm\n"


def test_many_at_once_answer_alike(ready, command):
    payloads = [call(), call(content="uses pnpm")] * 4
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda given: command("hook", "claude-code", given=given), payloads))
    assert [done.code for done in answers] == [0] * len(payloads)
    assert [bool(done.out) for done in answers] == [True, False] * 4
    (status,) = ready("doctor", "--json").json
    assert status["dropped"] == 4 and not status["problems"]


def test_the_quick_way_in_answers_as_the_command_line_does(ready, command, home):
    from forgetguard.adapters.claude_code.process import invocation

    options = ["--memory-file", "a.md", "--memory-file", "b.md", "--rewrite", "--ledger", str(ledger_of(home))]
    quick = invocation(options)
    assert quick is not None and quick.options.memory_files == ("a.md", "b.md") and quick.options.rewrite
    for other in (["--help"], ["--print-settings"], ["--ledger"], ["--nonsense"], ["surplus"], ["--rewrite=1"]):
        assert invocation(other) is None
    for given in (call(name="b.md"), call(content="uses pnpm"), "{"):
        done = [run("hook", "claude-code", *options, given=given) for run in (ready, command)]
        assert (done[0].code, done[0].out, done[0].err) == (done[1].code, done[1].out, done[1].err)
