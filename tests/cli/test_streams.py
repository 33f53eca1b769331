"""filter and sweep over JSON lines; review, ledger."""

from __future__ import annotations

import json
import os
import stat

import pytest

FACT = "User is vegetarian"
ROWS = [
    '{"id": 1, "text": "User likes tea",   "x": "é"}',
    '{"id": 2, "text": "The user is a vegetarian"}',
    "",
    '"User lives in Porto"',
    '{"id": 3, "text": "User is vegetarian."}',
    '{"id": 4, "text": "caf\\ud800 \\u0000 1"}',
]
TEXT = "\n".join(ROWS) + "\n"


def test_kept_lines_pass_byte_for_byte_and_in_order(ready):
    done = ready("filter", given=TEXT)
    assert done.out == "\n".join(ROWS[n] for n in (0, 2, 3, 5)) + "\n"
    assert done.err == "kept 3, dropped 2, held 0\n"


def test_another_field_and_a_file(ready, tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text('{"fact": "User is vegetarian"}\n{"fact": "User likes tea"}\n')
    assert ready("filter", "--text", "fact", str(file)).out == '{"fact": "User likes tea"}\n'
    assert ready("filter", str(file)).code == 2
    assert ready("filter", str(tmp_path / "none")).code == 2


def test_verdicts_as_json(ready):
    rows = ready("filter", "--json", given=TEXT).json
    assert [(row["line"], row["action"]) for row in rows] == [
        (1, "keep"), (2, "drop"), (4, "keep"), (5, "drop"), (6, "keep"),
    ]  # fmt: skip
    assert all(row["schema"] == "forgetguard.filter" for row in rows)


@pytest.mark.parametrize("bad", [b"nope", b'{"text": 5}', b'{"other": "x"}', b"\xff", b"5", b"[" * 100_000])
def test_a_line_that_cannot_be_read_ends_it(ready, bad):
    done = ready("filter", given=b'"User likes tea"\n' + bad + b'\n"User lives in Porto"\n')
    assert (done.code, done.out) == (2, '"User likes tea"\n')
    assert "line 2:" in done.err


def test_long_lines(ready):
    line = json.dumps({"text": ("lengthy" * 500 + " ") * 299}) + "\n"
    assert ready("filter", given=line).out == line


def test_many_lines_keep_their_order(ready, tmp_path):
    file = tmp_path / "rows.jsonl"
    rows = [json.dumps({"text": FACT if n % 10 == 0 else f"User owns {n} books"}) for n in range(2000)]
    file.write_text("\n".join(rows))
    done = ready("filter", str(file))
    assert done.out == "\n".join(row for n, row in enumerate(rows) if n % 10)
    assert "kept 1800, dropped 200" in done.err


def test_sweep_previews_and_rewrites_only_when_told(ready, tmp_path):
    file = tmp_path / "memory.jsonl"
    file.write_text(TEXT)
    file.chmod(0o640)
    done = ready("sweep", str(file))
    assert (done.code, len(done.out.splitlines())) == (1, 2)
    assert done.out.startswith("line 2: drop (")
    assert file.read_text() == TEXT
    assert [row["line"] for row in ready("sweep", "--json", str(file)).json] == [2, 5]
    assert ready("sweep", "--yes", str(file)).code == 0
    assert file.read_text() == "\n".join(ROWS[n] for n in (0, 2, 3, 5)) + "\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert ready("sweep", str(file)).code == 0
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []
    assert ready("sweep", "--yes", given=TEXT).code == 4


def test_the_review_queue(ready, home):
    from forgetguard.guard.settings import Settings
    from forgetguard.hooks import Hooks

    with Settings.load().open_guard(strict=True) as guard:
        Hooks(guard).extraction([FACT, "User likes tea"])
    item = ready("review", "list", "--json").json[0]
    assert (item["action"], item["text"]) == ("drop", FACT)
    assert item["id"] in ready("review").out
    assert ready("review", "list", "--held").out == ""
    assert ready("review", "counts", "--json").json[0]["counts"] == {item["entry"]: 1}
    assert ready("review", "restore", item["id"]).out == f"{FACT}\n"
    assert ready("review", "restore", item["id"]).code == 5
    assert "empty" in ready("review").err


def test_the_ledger_commands(ready, home):
    ledger, backup = home / "data/forgetguard/ledger.sqlite", home / "backup"
    assert ready("ledger", "verify").code == 0
    assert ready("ledger", "status", "--json").json[0]["active"] == 1
    assert ready("ledger", "export", str(backup)).code == 0
    assert b"vegetarian" not in backup.read_bytes()
    assert ready("ledger", "merge", str(backup), "--json").json[0]["added"] == 0
    assert ready("ledger", "restore", str(backup)).code == 4
    for one in ledger.parent.glob("ledger.sqlite*"):
        one.unlink()
    assert "[missing]" in ready("list").err
    assert ready("init").code == 1
    assert ready("ledger", "verify").code in (1, 3)
    assert ready("ledger", "restore", "--yes", str(backup)).code == 0
    assert ready("check", given=FACT).out.startswith("drop")


def test_rekey(ready, home):
    assert ready("ledger", "rekey").code == 2
    new = home / "new-key"
    assert ready("ledger", "rekey", "--new-root", "--new-key-file", str(new)).code == 0
    assert "[wrong-key]" in ready("list").err
    assert len(ready("list", "--key-file", str(new)).out.splitlines()) == 1
    assert ready("ledger", "rekey", "--new-key-file", str(new), "--key-file", str(new)).code == 2


def test_erase_and_accept_loss_ask_first(ready, home):
    entry = ready("list", "--json").json[0]["id"]
    assert ready("ledger", "erase", entry).code == 4
    assert ready("ledger", "erase", "0" * 32, "--yes").code == 5
    assert ready("ledger", "erase", entry, "--yes").code == 0
    assert ready("list").out == ""
    assert ready("ledger", "accept-loss").code == 4
    for one in (home / "data/forgetguard").glob("ledger.sqlite*"):
        one.unlink()
    assert ready("ledger", "accept-loss", "--yes").code == 0
    assert ready("ledger", "verify").code in (0, 3)


def test_settle(ready):
    from forgetguard.guard.settings import Settings

    guard = Settings.load().open_guard(strict=True)
    with pytest.raises(KeyboardInterrupt), guard, guard.forgetting("User owns a boat"):
        raise KeyboardInterrupt
    pending = ready("list", "--pending", "--json").json
    assert [one["text"] for one in pending] == ["User owns a boat"]
    assert ready("ledger", "settle", pending[0]["id"], "--deleted").code == 0
    assert "nothing is pending" in ready("list", "--pending").err


def test_a_file_that_changes_meanwhile_is_not_rewritten(ready, tmp_path, monkeypatch):
    from forgetguard.cli import streams

    file = tmp_path / "memory.jsonl"
    file.write_text(TEXT)
    decided = streams._decided

    def slow(*arguments):
        yield from decided(*arguments)
        with file.open("a") as stream:
            stream.write('"User owns a boat"\n')

    monkeypatch.setattr(streams, "_decided", slow)
    done = ready("sweep", "--yes", str(file))
    assert (done.code, "changed while it was read" in done.err) == (4, True)
    assert file.read_text() == TEXT + '"User owns a boat"\n'
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


def test_only_a_file_is_rewritten(ready, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert ready("sweep", "--yes", str(tmp_path / "pipe")).code == 4
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_number_of_any_length(ready):
    line = '{"text": "User likes tea", "n": ' + "1" * 5000 + "}\n"
    assert ready("filter", given=line).out == line


def test_a_file_that_is_not_there_is_no_finding(ready, tmp_path):
    assert ready("sweep", str(tmp_path / "none")).code == 2


@pytest.mark.parametrize("command", ["filter", "sweep"])
def test_a_closed_standard_input_is_no_fault(ready, monkeypatch, command):
    from forgetguard.cli import main

    monkeypatch.setattr("sys.stdin", None)
    assert main([command]) == 2


def test_the_review_queue_takes_the_options_of_its_list_and_stays_short(ready):
    from forgetguard.guard.settings import Settings
    from forgetguard.hooks import Hooks

    text = f"{FACT}. " + "User likes tea. " * 500
    with Settings.load().open_guard(strict=True) as guard:
        Hooks(guard).extraction([text])
    assert ready("review", "--json").json[0]["text"] == text
    assert ready("review", "--held").out == ""
    (line,) = ready("review").out.splitlines()
    assert len(line) < 700
    assert "more characters" in line
    assert "`forgetguard review list --help`" in ready("review", "--none").err
    assert "counts" in ready("review", "--help").out


def test_what_is_wrong_with_an_export_is_not_put_down_to_the_ledger(ready, tmp_path):
    for path, code in ((tmp_path, "not-an-export"), (tmp_path / "none", "no-export")):
        done = ready("ledger", "merge", str(path))
        assert (done.code, f"[{code}]" in done.err, "ledger export" in done.err) == (2, True, True)
    backup = str(tmp_path / "backup")
    assert ready("ledger", "export", backup).code == 0
    done = ready("ledger", "restore", "--yes", backup)
    assert (done.code, "ledger merge" in done.err) == (4, True)
