"""Bad input: a clear error with advice, no traceback (asserted for every run), nothing written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

FACT = "User is vegetarian"


@pytest.mark.parametrize("command", ["forget", "remember", "check", "scrub"])
@pytest.mark.parametrize("given", [b"", b"  \n", b"caf\xe9", b"a\0b", b"\xed\xa0\x80", b"\xff" * 10])
def test_what_is_no_text(ready, command, given):
    done = ready(command, given=given)
    assert (done.code, done.out) == (2, "")
    assert "[invalid-text]" in done.err
    assert len(done.err.splitlines()) == 2
    assert len(ready("list").out.splitlines()) == 1


def test_an_argument_that_is_no_text(ready):
    done = ready("check", b"caf\xe9".decode("utf-8", "surrogateescape"))
    assert (done.code, "[invalid-text]" in done.err) == (2, True)


def test_an_unquoted_text_is_not_repeated(ready):
    done = ready("forget", "my", "secret", "garden")
    assert done.code == 2
    assert "secret" not in done.err


def test_a_group_without_a_command(ready):
    done = ready("hook")
    assert "Usage:" not in done.err  # click 8.1 prints the help to stdout instead
    wrong = ready("model", "nothing")
    assert (wrong.code, "`forgetguard model --help`" in wrong.err) == (2, True)


def test_a_megabyte(ready):
    text = "User wrote " + ("lengthy" * 500 + " ") * 299
    assert ready("check", given=text).out == "keep\n"
    assert ready("forget", given=text).code == 0
    assert ready("check", given=text).out.startswith("drop")
    assert ready("forget", given="x" * (16 * 1024 * 1024 + 1)).code == 2


def test_a_byte_order_mark_is_not_part_of_the_text(ready):
    assert ready("check", given=b"\xef\xbb\xbfUser is vegetarian\r\n").out.startswith("drop")


def test_a_directory_where_the_ledger_should_be(cli, home):
    (home / "data/forgetguard/ledger.sqlite").mkdir(parents=True)
    done = cli("init")
    assert done.code == 1
    assert "Check" in done.err
    assert list((home / "data/forgetguard/ledger.sqlite").iterdir()) == []


def test_a_wrong_key(ready, home):
    (home / "other").mkdir()
    shutil.copy(home / "config/forgetguard/key", home / "kept")
    before = (home / "data/forgetguard/ledger.sqlite").read_bytes()
    for variables, code in (
        ({"FORGETGUARD_KEY": "ab" * 32}, "wrong-key"),
        ({"FORGETGUARD_KEY": "ab"}, "invalid-key"),
        ({"FORGETGUARD_KEY_FILE": str(home / "none")}, "key-missing"),
        ({"FORGETGUARD_KEY_FILE": str(home / "other")}, "key-unreadable"),
    ):
        done = ready("forget", given=FACT, **variables)
        assert done.code in (1, 2)
        assert f"[{code}]" in done.err
    assert (home / "data/forgetguard/ledger.sqlite").read_bytes() == before


def test_a_key_that_others_can_read(ready, home):
    (home / "config/forgetguard/key").chmod(0o644)
    assert "[key-exposed]" in ready("list").err


def test_a_bad_configuration(ready, home):
    (home / "config/forgetguard/config.toml").write_text("nonsense = 1\n")
    done = ready("list")
    assert (done.code, "[invalid-input]" in done.err) == (2, True)


def test_a_damaged_ledger(ready, home):
    (home / "data/forgetguard/ledger.sqlite").write_bytes(b"garbage" * 1000)
    done = ready("check", given=FACT)
    assert done.code == 1
    assert done.out == ""


def test_output_that_nobody_reads(ready):
    from cli.conftest import PACKAGE

    lines = '"User likes tea"\n' * 200_000
    process = subprocess.Popen(
        [sys.executable, "-m", "forgetguard", "filter"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": PACKAGE},
    )  # fmt: skip
    process.stdout.close()
    try:
        _, err = process.communicate(lines.encode(), timeout=60)
    except BrokenPipeError:
        err = process.stderr.read()
    assert b"Traceback" not in err


def run_into(output: str, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The command with its stdout at a path."""
    from cli.conftest import PACKAGE

    with open(output, "wb") as stream:
        return subprocess.run(
            [sys.executable, "-m", "forgetguard", *arguments], input=given, stdout=stream, stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": PACKAGE}, timeout=120,
        )  # fmt: skip


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
@pytest.mark.parametrize("arguments", [["list"], ["list", "--json"], ["check", "--json"]])
def test_an_output_that_cannot_be_written(ready, arguments):
    done = run_into("/dev/full", *arguments, given=b"User likes tea")
    assert done.returncode == 1
    assert b"[io]" in done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
def test_a_candidate_that_nobody_received_stays_in_the_queue(ready):
    from forgetguard.guard.settings import Settings
    from forgetguard.hooks import Hooks

    with Settings.load().open_guard(strict=True) as guard:
        Hooks(guard).extraction([FACT])
    item = ready("review", "list", "--json").json[0]["id"]
    assert run_into("/dev/full", "review", "restore", item).returncode == 1
    assert [one["id"] for one in ready("review", "list", "--json").json] == [item]


@pytest.mark.parametrize("closed", ["stdin", "stdout"])
def test_a_stream_that_is_closed(ready, monkeypatch, capsys, closed):
    from forgetguard.cli import main

    monkeypatch.setattr(sys, closed, None)
    assert main(["check"] if closed == "stdin" else ["list"]) == (2 if closed == "stdin" else 1)
    error = capsys.readouterr().err
    assert "a fault in forgetguard" not in error
    assert ("[invalid-text]" if closed == "stdin" else "[io]") in error


@pytest.mark.parametrize("arguments", [["my secret garden"], ["check", "--my secret garden"]])
def test_a_text_in_the_wrong_place_is_not_repeated(ready, arguments):
    done = ready(*arguments)
    assert (done.code, "secret" in done.err) == (2, False)
    assert "'chekc'" in ready("chekc").err


def test_a_release_that_could_not_be_written_is_no_success(ready, monkeypatch):
    from forgetguard.errors import LedgerFull
    from forgetguard.ledger import Ledger

    def full(*_: object) -> None:
        raise LedgerFull("no space")

    monkeypatch.setattr(Ledger, "release", full)
    done = ready("remember", given=FACT)
    assert (done.code, "[release-unwritten]" in done.err) == (1, True)
