"""The commands: JSON on stdout, progress on stderr, exit codes, confirmation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from purge.world import CANARY, DESCRIPTION, World, picture


class Shell:
    """Runs commands in a world."""

    def __init__(self, world: World) -> None:
        self.world = world
        (world.root / "host.toml").write_text(DESCRIPTION)
        self.environment = {
            **os.environ,
            "PYTHONPATH": ":".join(path for path in sys.path if path),
            "FORGETGUARD_PURGE_HOST": str(world.root / "host.toml"),
            "FORGETGUARD_PURGE_HOME": str(world.root / "purge"),
            "XDG_DATA_HOME": str(world.root / "xdg"),
            "XDG_CONFIG_HOME": str(world.root / "xdg"),
            "XDG_STATE_HOME": str(world.root / "xdg"),
        }

    def __call__(self, *arguments: str, text: str = "") -> tuple[int, Any, str]:
        done = subprocess.run(
            [sys.executable, "-m", "forgetguard", *arguments],
            input=text,
            capture_output=True,
            text=True,
            timeout=120,
            env=self.environment,
        )
        return done.returncode, json.loads(done.stdout) if done.stdout.strip() else None, done.stderr


@pytest.fixture
def shell(world: World) -> Shell:
    return Shell(world)


def test_from_plan_to_receipt(shell: Shell, world: World) -> None:
    code, said, _ = shell("purge", "init")
    assert (code, said["created"], shell("purge", "init")[1]["created"]) == (0, True, False)
    plan = str(world.root / "plan.json")
    before = picture(world.notes), picture(world.root / "purge")
    code, preview, _ = shell("purge", "plan", "--session", "alice", "--out", plan)
    assert (code, preview["dryRun"]) == (0, True)
    assert (picture(world.notes), picture(world.root / "purge")) == before
    code, _, errors = shell("purge", "apply", "--plan", plan)
    assert code == 4
    assert "--yes" in errors
    code, report, errors = shell("purge", "apply", "--plan", plan, "--yes", "--operator", "dpo", "--basis", "art17")
    assert (code, report["result"]) == (0, "clean")
    assert "erase:memories: done" in errors
    assert CANARY not in errors
    assert {key: report[key] for key in preview} == {**preview, "dryRun": False}
    code, again, _ = shell("purge", "apply", "--plan", plan, "--yes")
    assert (code, again["result"]) == (0, "nothing-to-do")
    code, found, _ = shell("receipts", "list")
    assert (code, [one["operator"] for one in found["receipts"]]) == (0, ["dpo"])
    assert shell("receipts", "verify")[0] == 0
    code, opened, _ = shell("receipts", "open", "1", text="alice\n")
    assert (code, opened["kind"]) == (0, "session")
    assert shell("receipts", "find", "--subject", "alice")[1]["receipts"] == [
        {key: value for key, value in opened.items() if key not in ("schema", "version")}
    ]
    assert shell("receipts", "open", "1", "--subject", "bob")[0] == 5


def test_an_auditor_needs_no_secret(shell: Shell, world: World) -> None:
    shell("purge", "apply", "--session", "alice", "--yes")
    _, export, _ = shell("receipts", "export")
    _, head, _ = shell("receipts", "head")
    path = world.root / "export.json"
    path.write_text(json.dumps(export))
    for name in (world.root / "purge").iterdir():
        name.unlink()
    arguments = ("receipts", "verify", "--export", str(path), "--public-key", export["publicKey"])
    assert shell(*arguments, "--head", head["head"])[0] == 0
    assert shell(*arguments)[0] == 3
    export["receipts"][0]["body"] = export["receipts"][0]["body"].replace('"entries": 3', '"entries": 1')
    path.write_text(json.dumps(export))
    code, said, _ = shell(*arguments)
    assert (code, said["problems"]) == (1, [{"n": 1, "code": "signature"}])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("purge", "plan"), 2),
        (("purge", "plan", "--session", "nobody"), 5),
        (("purge", "apply", "--session", "nobody", "--yes"), 5),
        (("purge", "apply", "--session", "alice"), 4),
        (("purge", "apply", "--yes"), 2),
        (("purge", "plan", "--session", "alice", "--channel", "telegram"), 4),
        (("purge", "plan", "--session", "alice", "--since", "notadate"), 2),
        (("purge", "plan", "--origin-class", "boss"), 2),
        (("purge", "apply", "--session", "alice", "--yes", "--operator", "free text"), 2),
        (("purge", "plan", "--session", "alice", "--out", "x.json"), 2),
        (("purge", "plan", "--session", "alice", "--host", "absent.toml"), 2),
        (("purge", "verify"), 2),
        (("tombstone", "remove", "nobody"), 5),
        (("tombstone", "list"), 0),
        (("receipts", "list"), 0),
        (("receipts", "head"), 5),
        (("purge", "hold", "remove", "nobody"), 5),
        (("purge", "close"), 4),
    ],
)
def test_exit_codes_of_what_writes_nothing(shell: Shell, world: World, arguments: tuple[str, ...], code: int) -> None:
    before = picture(world.root)
    got, _, errors = shell(*arguments)
    assert (got, picture(world.root)) == (code, before), errors
    assert "Traceback" not in errors


def test_an_unknown_id_and_back(shell: Shell) -> None:
    code, report, _ = shell("purge", "apply", "--session", "alcie", "--allow-unresolved", "--yes")
    assert (code, report["sessions"]) == (0, [{"sessionId": "alcie", "source": "unresolved"}])
    assert [one["sessionId"] for one in shell("tombstone", "list")[1]["tombstones"]] == ["alcie"]
    assert shell("tombstone", "remove", "alcie")[0] == 0
    assert shell("tombstone", "list")[1]["tombstones"] == []


def test_residue_is_verified_again_and_closed(shell: Shell, world: World) -> None:
    backup = world.root / "memory.db.bak"
    backup.write_text(CANARY)
    assert shell("purge", "apply", "--session", "alice", "--yes")[0] == 1
    assert shell("purge", "verify")[0] == 1
    backup.unlink()
    code, said, _ = shell("purge", "verify")
    assert (code, said["runs"][0]["result"]) == (0, "clean")
    assert shell("purge", "verify")[0] == 5
    code, said, _ = shell("purge", "verify", "--session", "alice")
    assert (code, said["status"]) == (3, "cannot-prove")
    world.add("m-again", "Alice came back through an import that asked nobody", "alice")
    assert shell("purge", "verify", "--session", "alice")[0] == 1


def test_a_hold(shell: Shell) -> None:
    assert shell("purge", "hold", "add", "alice", "--reason", "case-1")[0] == 0
    assert shell("purge", "hold", "list")[1]["holds"] == [{"sessionId": "alice", "reason": "case-1"}]
    assert shell("purge", "apply", "--session", "alice", "--yes")[0] == 4
    assert shell("purge", "hold", "remove", "alice")[0] == 0
    assert shell("purge", "apply", "--session", "alice", "--yes")[0] == 0


def test_a_suppressed_memory_is_recorded_with_its_owner(shell: Shell) -> None:
    assert shell("purge", "apply", "--session", "alice", "--suppress", "m-bob", "--yes")[0] == 5
    shell("init", "--json")
    code, report, _ = shell("purge", "apply", "--session", "alice", "--suppress", "m-alice", "--yes")
    assert (code, report["result"]) == (0, "clean")
    done = subprocess.run(
        [sys.executable, "-m", "forgetguard", "check", "--json"],
        input=CANARY,
        capture_output=True,
        text=True,
        env=shell.environment,
        timeout=60,
    )
    assert json.loads(done.stdout)["action"] == "drop"


def test_help_of_every_command(shell: Shell) -> None:
    for arguments in (
        ("purge",),
        ("purge", "plan"),
        ("purge", "apply"),
        ("tombstone",),
        ("receipts",),
        ("purge", "hold"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "forgetguard", *arguments, "--help"],
            capture_output=True,
            text=True,
            env=shell.environment,
            timeout=60,
        )
        assert done.returncode == 0
        assert "--help" in done.stdout


def test_relative_paths_count_from_the_description(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    assert shell("purge", "plan", "--session", "alice")[1]["artifacts"]["notes"] == {"entries": 1}


def test_a_misspelt_provenance_store_is_no_empty_one(shell: Shell, world: World) -> None:
    assert shell("purge", "init")[0] == 0
    (world.root / "host.toml").write_text(DESCRIPTION.replace('provenance = "', 'provenance = "no-'))
    before = picture(world.root)
    for arguments in (
        ("purge", "plan", "--session", "alice"),
        ("purge", "apply", "--session", "alice", "--allow-unresolved", "--yes"),
        ("purge", "verify", "--session", "alice"),
        ("purge", "hold", "add", "alice", "--reason", "case-1"),
        ("tombstone", "list"),
    ):
        code, _, errors = shell(*arguments)
        assert (code, "[missing]" in errors, "`provenance`" in errors) == (1, True, True), arguments
    assert picture(world.root) == before


def test_advice_names_no_option_that_the_command_lacks(shell: Shell) -> None:
    assert shell("purge", "init")[0] == 0
    assert shell("purge", "hold", "add", "alice", "--reason", "case-1")[0] == 0
    for arguments, code in (
        (("receipts", "head"), 5),
        (("receipts", "find", "--subject", "alice"), 5),
        (("tombstone", "remove", "nobody"), 5),
        (("purge", "hold", "remove", "nobody"), 5),
        (("purge", "apply", "--session", "alice", "--yes"), 4),
    ):
        got, _, errors = shell(*arguments)
        assert (got, "--allow-unresolved" in errors, "repeat with" in errors) == (code, False, False), arguments
