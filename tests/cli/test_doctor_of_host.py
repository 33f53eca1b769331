"""`forgetguard doctor --host NAME PATH`: what lies there, what of it restates, and removing that; no text is shown."""

from __future__ import annotations

import json
import os
import runpy
import sqlite3
from pathlib import Path

import pytest

from forgetguard.adapters import hosts
from forgetguard.adapters.residues import Kept, Place
from forgetguard.errors import StoreUnreadable

ROOT = Path(__file__).resolve().parents[2]
SAID = "The user is a vegetarian"
SECRET = "vegetarian"


@pytest.fixture
def claude(tmp_path: Path) -> Path:
    """A directory of Claude Code with something of every kind in it; eleven texts restate."""
    root = tmp_path / ".claude"
    project = root / "projects/-home-ana-project"

    def write(path: str, *lines: object) -> None:
        target = project / path if not path.startswith("/") else root / path[1:]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in lines))

    write("/CLAUDE.md", "# Notes", "- uses pnpm", f"- {SAID}")
    write("memory/MEMORY.md", "# Memory", f"- {SAID}")
    said = {"type": "user", "uuid": SECRET, "message": {"role": "user", "content": "I am vegetarian"}}
    asked = {"type": "user", "message": {"role": "user", "content": "Please forget that I am vegetarian"}}
    noted = {"type": "user", "message": {"role": "user", "content": "forget it"}}
    block = {"type": "tool_use", "id": "t", "name": "Write", "input": {"content": f"Notes. {SAID}."}}
    write("s1.jsonl", said, asked, noted, {"type": "assistant", "message": {"content": [block]}}, '{"cut off')
    write("s1/subagents/agent-1.jsonl", said)
    write("s1/tool-results/a.txt", SAID)
    write("/history.jsonl", {"display": "I am vegetarian", "project": "/p", "pastedContents": {}})
    write("/file-history/s1/abc@v1", f"- {SAID}")
    write("/todos/s1.json", '[{"content": "cook", "status": "pending"}]')
    write("/plans/dinner.md", "Dinner for Anna")
    (root / "debug").mkdir()
    (root / "debug/a.txt").symlink_to(root / "CLAUDE.md")
    (root.parent / ".claude.json").write_text(json.dumps({"projects": {"/p": {"history": [{"display": SAID}]}}}))
    return root


def counts(done) -> dict[str, tuple[int, int | None]]:
    return {one["name"]: (one["items"], one["restating"]) for one in done.json[0]["places"]}


def everything(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_what_claude_code_keeps_is_counted_and_judged(ready, claude):
    before = everything(claude.parent / ".claude")
    done = ready("doctor", "--host", "claude-code", str(claude), "--json")
    assert done.code == 1
    found = {name: restating for name, (_, restating) in counts(done).items()}
    assert found == {
        "memory": 2, "transcripts": 4, "session-files": 1, "prompt-history": 1, "pasted": 0, "file-history": 1,
        "tasks": 0, "plans": 0, "debug-logs": 0, "client-state": 1,
    }  # fmt: skip
    places = {one["name"]: one for one in done.json[0]["places"]}
    assert {"path": str(claude / "CLAUDE.md"), "key": "line 3"} in places["memory"]["found"]
    keys = [one["key"] for one in places["transcripts"]["found"]]
    assert "line 4, message.content[0].input.content" in keys and not any("line 3" in key for key in keys)
    assert SECRET not in done.out.replace(str(claude.parent), "") + done.err
    assert everything(claude.parent / ".claude") == before


def test_it_is_told_in_words_too(ready, claude):
    done = ready("doctor", "--host", "claude-code", str(claude))
    assert done.code == 1
    assert "2 restate something forgotten" in done.out and "not removed by the program" in done.out
    assert SECRET not in done.out.replace(str(claude.parent), "") + done.err


def test_one_is_one(ready, tmp_path, monkeypatch):
    made(monkeypatch, Place("single", "texts", lambda root: iter([Kept(root, "1", SAID)]), instead="Delete it."))
    assert "1 item, 1 restates something forgotten" in ready("doctor", "--host", "mem0", str(tmp_path)).out


def test_a_directory_with_nothing_in_it_may_be_the_wrong_one(ready, claude, tmp_path):
    (tmp_path / "empty").mkdir()
    done = ready("doctor", "--host", "claude-code", str(tmp_path / "empty"))
    assert done.code == 0 and "usually ~/.claude" in done.err
    assert "usually" not in ready("doctor", "--host", "claude-code", str(claude)).err


def test_the_ledger_that_hermes_keeps_in_its_home_is_the_one_that_is_asked(ready, tmp_path):
    home = tmp_path / ".hermes"
    (home / "memories").mkdir(parents=True)
    (home / "memories/USER.md").write_text("User prefers dark mode\n")
    doctor = ("doctor", "--host", "hermes", str(home), "--json")
    done = ready(*doctor)
    assert done.code == 0 and str(home) not in done.json[0]["ledger_path"]
    own = home / "forgetguard/ledger.sqlite"
    own.parent.mkdir()
    assert ready("init", "--ledger", str(own)).code == 0
    assert ready("forget", "--ledger", str(own), given="User prefers dark mode").code == 0
    done = ready(*doctor)
    assert (done.code, done.json[0]["ledger_path"]) == (1, str(own))
    other = tmp_path / "other.sqlite"
    assert ready("init", "--ledger", str(other)).code == 0
    assert ready(*doctor, "--ledger", str(other)).code == 0  # the one that is named wins


def test_the_ledger_of_hermes_lies_where_the_doctor_looks():
    from forgetguard.adapters.hermes.scope import ledger_of

    home = Path("/home")
    assert home / hosts.host("hermes").ledger == ledger_of(home)


def test_where_nothing_restates_it_is_clean(ready, claude):
    assert ready("remember", given=SAID).code == 0
    done = ready("doctor", "--host", "claude-code", str(claude), "--json")
    assert done.code == 0
    assert {restating for _, restating in counts(done).values()} == {0}


def test_without_the_ledger_items_are_counted_and_nothing_is_proved(cli, claude):
    done = cli("doctor", "--host", "claude-code", str(claude), "--json")
    assert done.code == 3
    assert done.json[0]["ledger"] != "ok"
    assert counts(done)["memory"] == (5, None)
    assert SECRET not in done.out.replace(str(claude.parent), "") + done.err
    assert cli("doctor", "--host", "claude-code", str(claude), "--remove", "--yes", "--json").code in (1, 2)


@pytest.mark.parametrize(
    "arguments",
    [("--host", "nobody", "."), ("--host", "mem0"), (".",), ("--remove",), ("--host", "mem0", ".", "--yes"),
     ("--host", "mem0", "/nowhere"), ("--host", "mem0", ".", "--state-dir", ".")],
)  # fmt: skip
def test_a_wrong_call_is_one(ready, arguments):
    assert ready("doctor", *arguments).code == 2


@pytest.fixture
def mem0(tmp_path: Path) -> Path:
    root = tmp_path / "mem0"
    root.mkdir()
    with sqlite3.connect(root / "history.db") as database:
        database.execute("CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT)")
        database.execute("CREATE TABLE messages (id TEXT PRIMARY KEY, session_scope TEXT, role TEXT, content TEXT)")
        rows = [("h1", "m1", None, SAID), ("h2", "m2", SAID, "User is vegan"), ("h3", "m3", None, "User likes tea")]
        database.executemany("INSERT INTO history VALUES (?, ?, ?, ?)", rows)
        database.execute("INSERT INTO messages VALUES ('t1', 's', 'user', 'I am vegetarian')")
    database.close()
    return root


def rows(mem0: Path) -> list[str]:
    database = sqlite3.connect(mem0 / "history.db")
    found = database.execute("SELECT id FROM history UNION ALL SELECT id FROM messages ORDER BY 1").fetchall()
    database.close()
    return [name for (name,) in found]


def test_removing_is_a_preview_first_and_takes_only_what_restates(ready, mem0):
    preview = ready("doctor", "--host", "mem0", str(mem0), "--remove")
    assert preview.code == 1 and "3 would be removed" in preview.err
    assert rows(mem0) == ["h1", "h2", "h3", "t1"]
    done = ready("doctor", "--host", "mem0", str(mem0), "--remove", "--yes", "--json")
    assert done.code == 0, done.out
    assert rows(mem0) == ["h3"]
    assert [(one["restating"], one["removed"]) for one in done.json[0]["places"]] == [(0, 2), (0, 1)]
    assert SECRET.encode() not in (mem0 / "history.db").read_bytes()
    again = ready("doctor", "--host", "mem0", str(mem0), "--remove", "--yes", "--json")
    assert (again.code, [one["removed"] for one in again.json[0]["places"]]) == (0, [0, 0])


def test_a_place_that_cannot_be_read_is_not_clean(ready, mem0):
    (mem0 / "history.db").write_bytes(b"not a database, " * 512)
    done = ready("doctor", "--host", "mem0", str(mem0), "--json")
    assert done.code == 3
    assert all(one["problem"] for one in done.json[0]["places"])


@pytest.mark.parametrize(
    ("host", "file"),
    [("hermes", "memories/MEMORY.md"), ("totalreclaw", ".pending_extract.jsonl"), ("claude-code", "history.jsonl")],
)
def test_a_file_that_cannot_be_read_is_not_an_empty_one(ready, tmp_path, monkeypatch, host, file):
    path = tmp_path / "home" / file
    path.parent.mkdir(parents=True)
    path.write_text("-")
    monkeypatch.setattr("pathlib.Path.open", _refuse(path, Path.open))
    monkeypatch.setattr("pathlib.Path.read_text", _refuse(path, Path.read_text))
    done = ready("doctor", "--host", host, str(tmp_path / "home"), "--json")
    assert done.code == 3
    assert [one["problem"] for one in done.json[0]["places"] if one["problem"]] == ["unreadable"]


def _refuse(path: Path, real):
    def call(self: Path, *arguments: object, **options: object):
        if self == path:
            raise PermissionError(SAID)
        return real(self, *arguments, **options)

    return call


def made(monkeypatch: pytest.MonkeyPatch, *places: Place) -> None:
    monkeypatch.setattr(hosts.Host, "places", lambda _self: places)


@pytest.mark.parametrize(
    ("host", "file"),
    [
        ("claude-code", "projects/-p/s1.jsonl"),
        ("hermes", "pending/memory/a.json"),
        ("totalreclaw", "import-state/a.json"),
    ],
)
def test_a_folder_that_cannot_be_listed_is_not_an_empty_one(ready, tmp_path, monkeypatch, host, file):
    folder = (tmp_path / "host" / file).parent
    folder.mkdir(parents=True)
    listing = os.scandir

    def refusing(path):
        if Path(path) == folder:
            raise PermissionError(13, "no", SECRET)
        return listing(path)

    monkeypatch.setattr(os, "scandir", refusing)
    done = ready("doctor", "--host", host, str(tmp_path / "host"), "--json")
    assert done.code == 3
    assert StoreUnreadable.code in {one["problem"] for one in done.json[0]["places"]}
    assert SECRET not in done.err


@pytest.mark.parametrize("host", ["claude-code", "hermes", "totalreclaw"])
def test_a_file_in_the_place_of_the_directory_is_not_clean(ready, tmp_path, host):
    (tmp_path / "file").write_text(SAID)
    assert ready("doctor", "--host", host, str(tmp_path / "file")).code == 3


def test_a_memory_file_behind_a_link_is_looked_at(ready, claude, tmp_path):
    (claude / "CLAUDE.md").rename(tmp_path / "dotfile.md")
    (claude / "CLAUDE.md").symlink_to(tmp_path / "dotfile.md")
    assert counts(ready("doctor", "--host", "claude-code", str(claude), "--json"))["memory"] == (5, 2)


def test_a_place_that_breaks_in_the_middle_keeps_what_was_seen(ready, tmp_path, monkeypatch):
    def find(root: Path):
        yield Kept(root / "a", "1", SAID)
        raise RuntimeError(SAID)

    made(monkeypatch, Place("broken", "texts", find))
    done = ready("doctor", "--host", "mem0", str(tmp_path), "--json")
    (place,) = done.json[0]["places"]
    assert (done.code, place["restating"], place["problem"]) == (1, 1, "unreadable")
    assert SECRET not in done.out + done.err


@pytest.mark.parametrize("how", ["raises", "os", "leaves"])
def test_what_could_not_be_removed_is_told(ready, tmp_path, monkeypatch, how):
    def erase(_: Path, chosen):
        if how == "raises":
            raise StoreUnreadable("a constant")
        if how == "os":
            raise PermissionError(SAID)
        return len(chosen)

    made(monkeypatch, Place("stubborn", "texts", lambda root: iter([Kept(root, "1", SAID)]), erase))
    done = ready("doctor", "--host", "mem0", str(tmp_path), "--remove", "--yes", "--json")
    (place,) = done.json[0]["places"]
    assert (done.code, place["restating"]) == (1, 1) and place["problem"]
    assert SECRET not in done.out + done.err


def test_a_text_that_is_too_long_is_not_judged(ready, tmp_path, monkeypatch):
    made(monkeypatch, Place("long", "texts", lambda root: iter([Kept(root, "1", "word " * 300_000)])))
    done = ready("doctor", "--host", "mem0", str(tmp_path), "--json")
    assert (done.code, done.json[0]["places"][0]["unjudged"]) == (3, 1)


def test_what_is_out_of_reach_is_not_asked_and_is_told(ready, tmp_path, monkeypatch):
    made(monkeypatch, Place("chain", "everything", lambda _: 1 / 0, instead="It cannot be deleted.", out_of_reach=True))
    done = ready("doctor", "--host", "mem0", str(tmp_path))
    assert done.code == 0
    assert "out of reach" in done.out and "It cannot be deleted." in done.out


@pytest.mark.parametrize("host", hosts.HOSTS, ids=lambda host: host.name)
def test_every_host_that_is_known_says_what_it_keeps(host, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "scripts")
    places = host.places()
    assert places and len({place.name for place in places}) == len(places)
    assert all(place.keeps and (place.erase is not None or place.instead) for place in places)
    page = (ROOT / host.page).read_text("utf-8")
    assert f"doctor --host {host.name}" in page
    assert host.tested in page
    if host.name == "claude-code":
        assert runpy.run_path(str(ROOT / "scripts/test_claude_code.py"))["VERSION"] == host.tested
    else:
        pins = runpy.run_path(str(ROOT / "scripts/test_hosts.py"))["HOSTS"][host.name].pins
        assert pins[0].endswith(f"=={host.tested}")


def test_no_host_package_is_imported(command, tmp_path):
    import subprocess
    import sys

    code = (
        "import sys; from forgetguard.adapters.hosts import HOSTS; [host.places() for host in HOSTS];"
        "print(*{'mem0', 'hermes', 'hermes_agent', 'totalreclaw', 'langgraph', 'mcp'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=None)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr
