"""The commands a person uses: init, forget, remember, check, scrub, list, release, doctor, demo."""

from __future__ import annotations

import stat

import click
import pytest

from forgetguard.ledger import store

FACT = "User is vegetarian"


def test_init_makes_a_private_key_and_ledger_and_leaves_them_alone(cli, home):
    first = cli("init", "--json").json[0]
    assert (first["schema"], first["version"], first["created"]) == ("forgetguard.init", 1, True)
    ledger, key = home / "data/forgetguard/ledger.sqlite", home / "config/forgetguard/key"
    assert first["ledger"] == str(ledger)
    assert [stat.S_IMODE(one.stat().st_mode) for one in (ledger, key)] == [0o600, 0o600]
    kept = key.read_bytes()
    assert cli("init", "--json").json[0]["created"] is False
    assert key.read_bytes() == kept


def test_init_does_not_claim_what_another_process_made_meanwhile(cli, monkeypatch):
    made = store._made
    monkeypatch.setattr(store, "_made", lambda *arguments: made(*arguments) and made(*arguments))
    assert cli("init", "--json").json[0]["created"] is False


def test_the_round(ready):
    assert ready("check", given="The user is a vegetarian.").out.startswith("drop (")
    assert ready("check", given="User likes tea").out == "keep\n"
    done = ready("scrub", given="The user is vegetarian. They cook on Friday.")
    assert ("vegetarian" in done.out, "They cook on Friday." in done.out) == (False, True)
    assert ready("scrub", given=FACT).out == ""
    entry = ready("list", "--json").json[0]
    assert (entry["text"], entry["pending"]) == (FACT, False)
    assert ready("remember", "--dry-run", given=FACT).out.startswith(f"would release {entry['id']}")
    assert ready("release", "--dry-run", entry["id"]).code == 0
    assert len(ready("list").out.splitlines()) == 1
    assert ready("remember", given=FACT).code == 0
    assert ready("list").out == ""
    assert ready("remember", given=FACT).code == 5
    assert ready("check", FACT).out == "keep\n"


def test_as_a_command_of_its_own(command):
    assert command("forget", "--create", given=FACT).code == 0
    done = command("check", "--json", given="The user is a vegetarian")
    assert (done.code, done.json[0]["action"], done.err) == (0, "drop", "")
    assert command("release", "nonsense").code == 5


def test_release_by_id(ready):
    entry = ready("list", "--json").json[0]["id"]
    assert ready("release", entry, "0" * 32).code == 5
    assert ready("release", entry, "--json").json[0]["ids"] == [entry]
    assert ready("release", "nonsense").code == 5


def test_lines_are_all_or_none(ready):
    assert ready("forget", "--lines", given="User likes tea\n\nUser owns a boat\n").code == 0
    assert len(ready("list", "--json").json) == 3


def test_without_a_ledger_there_is_advice(cli, home):
    for command in ("list", "check", "forget", "filter"):
        done = cli(command, given="x" if command != "filter" else '"x"')
        assert done.code == 2
        assert "[key-missing]" in done.err
        assert "forgetguard init" in done.err
    assert list(home.iterdir()) == []
    assert cli("forget", "--create", given=FACT).code == 0
    assert cli("check", given=FACT).out.startswith("drop")


def test_errors_as_json(cli):
    (error,) = cli("list", "--json").json
    assert (error["schema"], error["ok"], error["error"]["code"]) == ("forgetguard.error", False, "key-missing")
    assert error["error"]["advice"]
    (error,) = cli("nothing", "--json").json
    assert error["error"]["code"] == "usage"


def test_the_doctor(ready, home):
    done = ready("doctor", "--json")
    assert done.code == 0
    assert done.json[0]["backend"] in ("native", "python")
    assert (done.json[0]["ledger"], done.json[0]["entries"]) == ("ok", 1)
    (home / "data/forgetguard/ledger.sqlite").unlink()
    ill = ready("doctor", "--json")
    assert (ill.code, ill.json[0]["ok"]) == (1, False)
    assert "accept-loss" in ready("doctor").err
    assert "vegetarian" not in ill.out + ill.err + done.out


def test_the_demo(cli, home):
    done = cli("demo")
    assert done.code == 0
    lines = done.out.splitlines()
    assert len(lines) <= 40
    assert [line[0] for line in lines if line[:1].isdigit()] == ["1", "2", "3", "4"]
    result = cli("demo", "--json").json[0]
    assert (result["returned_without"], result["returned_with"]) == (6, 0)
    assert (result["still_stored"], result["remembered"]) == (3, True)
    assert list(home.iterdir()) == []


def test_texts_do_not_steer_the_terminal(cli):
    cli("forget", "--create", given="User likes \x1b[31mred\x07")
    assert "\x1b" not in cli("list").out


def test_a_list_says_that_a_record_is_unreadable(ready, home):
    import sqlite3

    assert ready("forget", given="User lives in Porto").code == 0
    assert ready("list").err == ""
    with sqlite3.connect(home / "data/forgetguard/ledger.sqlite") as connection:
        connection.execute("UPDATE log SET sealed = zeroblob(length(sealed)) WHERE seq = (SELECT min(seq) FROM log)")
    connection.close()
    done = ready("list")
    assert (done.code, len(done.out.splitlines())) == (0, 1)
    assert "record-unreadable 1" in done.err


def test_another_ledger_key_and_configuration(cli, home):
    (home / "my.toml").write_text(f'ledger = "{home}/own/l.sqlite"\nkey_file = "{home}/own-key"\naliases = ["Ann"]\n')
    assert cli("forget", "--create", "--config", str(home / "my.toml"), given=FACT).code == 0
    assert (home / "own/l.sqlite").exists()
    assert (home / "own-key").exists()
    at = ("--ledger", f"{home}/own/l.sqlite", "--key-file", f"{home}/own-key")
    assert cli("check", *at, given=FACT).out.startswith("drop")
    assert cli("check", *at, given="Ann is vegetarian").out == "keep\n"
    assert cli("check", *at, given="Ann is vegetarian", FORGETGUARD_ALIASES="Ann").out.startswith("drop")


def test_a_passphrase_from_the_environment(cli):
    assert "Keep the passphrase" in cli("init", FORGETGUARD_PASSPHRASE="correct horse").err
    assert cli("forget", "--create", given=FACT, FORGETGUARD_PASSPHRASE="correct horse").code == 0
    assert cli("check", given=FACT, FORGETGUARD_PASSPHRASE="correct horse").out.startswith("drop")
    wrong = cli("check", given=FACT, FORGETGUARD_PASSPHRASE="battery")
    assert (wrong.code, "[wrong-key]" in wrong.err) == (1, True)


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["--version"], ["filter", "--help"], ["ledger", "--help"]])
def test_help(cli, arguments):
    done = cli(*arguments)
    assert (done.code, bool(done.out)) == (0, True)


def leaves(name, command):
    """Every command below this one, with its path."""
    if not isinstance(command, click.Group):
        yield name, command
    for one in getattr(command, "commands", {}).values():
        yield from leaves(f"{name} {one.name}", one)


def test_every_command_has_help_and_json():
    from forgetguard.cli import COMMANDS, root

    context = root.make_context("forgetguard", [], resilient_parsing=True)
    names = root.list_commands(context)
    assert set(names) <= set(COMMANDS)
    for name in names:
        command = root.get_command(context, name)
        assert command.help, name
        for path, one in leaves(name, command):
            assert one.help, path
            options = [given for given in one.params if isinstance(given, click.Option)]
            # What a hook prints is for its host to read.
            assert name == "hook" or "--json" in {spelling for given in options for spelling in given.opts}, path
            assert [given.name for given in options if not given.help] == [], path
