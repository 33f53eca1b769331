"""Text in other encodings, damaged text, odd names: found all the same, or said to be out of reach; never clean."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from forgetguard.purge.needles import Needles, decode
from forgetguard.purge.surfaces import MarkdownFolder
from forgetguard.values import Origin
from purge.world import CANARY, World, holds

FRENCH = "Élodie aime le thé à la mûre près du château"
TEXT = "Alice buried the crimson teapot behind the observatory"


def findings(report: dict[str, Any]) -> set[tuple[str, str, str]]:
    return {(one["place"], one["standing"], one["code"]) for one in report["verification"]["findings"]}


def note(world: World, name: str | bytes, content: bytes) -> Path:
    """A note whose memory `n-a` is Alice's."""
    world.store.record("n-a", Origin("main", "alice"))
    world.store.close()
    path = Path(os.fsdecode(os.path.join(os.fsencode(world.notes), os.fsencode(name))))
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_note_in_utf16_is_edited_byte_for_byte(world: World, encoding: str) -> None:
    text = "\ufeff# Naïve 🜂\r\n<!-- forgetguard:n-a -->\r\n- {}\r\n- keep \ud800\r\n"
    path = note(world, "w.md", text.format(TEXT).encode(encoding, "surrogatepass"))
    assert world.purge("alice").as_json()["result"] == "clean"
    assert path.read_bytes() == "\ufeff# Naïve 🜂\r\n- keep \ud800\r\n".encode(encoding, "surrogatepass")


def test_a_damaged_note_in_utf16_is_not_touched_and_cannot_be_proved(world: World) -> None:
    content = f"<!-- forgetguard:n-a -->\n- {TEXT}\n".encode("utf-16") + b"\0"
    path = note(world, "w.md", content)
    report = world.purge("alice").as_json()
    assert (report["result"], report["exitCode"]) == ("cannot-prove", 3)
    assert findings(report) == {("w.md", "cannot-prove", "damaged-utf-16")}
    assert path.read_bytes() == content
    path.unlink()
    assert world.purge("alice").as_json()["result"] == "clean"


def test_a_damaged_note_that_holds_the_text_is_residue(world: World) -> None:
    (world.notes / "w.md").write_bytes(CANARY.encode("utf-16") + b"\0")
    report = world.purge("alice").as_json()
    assert findings(report) == {("w.md", "residue", "text")}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "latin-1", "utf-8"])
@pytest.mark.parametrize("text", [CANARY, FRENCH])
def test_other_files_are_searched_in_every_encoding(world: World, encoding: str, text: str) -> None:
    world.add("m-french", FRENCH, "alice")
    (world.notes / "x.log").write_bytes(f"a log\nsaid: {text}\n".encode(encoding))
    assert ("x.log", "residue", "bytes") in findings(world.purge("alice").as_json())


def test_text_across_reads_of_a_utf16_file(tmp_path: Path) -> None:
    from forgetguard.purge.rawscan import CHUNK, Finder, scan_file

    patterns = Needles.of([CANARY]).raw_patterns
    for shift in (0, 1, 31, 70, 141):
        (tmp_path / "x").write_bytes(("." * (CHUNK // 2 - shift) + CANARY).encode("utf-16-le"))
        assert list(scan_file(tmp_path / "x", Finder(patterns)))


def test_one_stray_byte_hides_nothing(world: World) -> None:
    world.add("m-french", FRENCH, "alice")
    path = world.notes / "summaries" / "s.md"
    path.write_bytes(f"keep\nsaid: {FRENCH}\n".encode() + b"bad \xff\xfe byte\n")
    assert world.purge("alice").as_json()["result"] == "clean"
    assert path.read_bytes() == b"keep\nbad \xff\xfe byte\n"
    assert decode("thé ".encode() + b"\xff" + " mûre".encode()) == "thé \xff mûre"


def test_a_column_that_is_no_utf8_does_not_stop_a_purge(world: World) -> None:
    world.store.record("m-x", Origin("main", "alice"))
    world.store.close()
    connection = world.connect()
    stray = b"Alice hid the \xff crown under the oak".hex()
    connection.execute(f"INSERT INTO memories VALUES ('m-x', CAST(x'{stray}' AS TEXT), NULL)")
    connection.close()
    report = world.purge("alice").as_json()
    assert report["result"] == "clean"
    assert "m-x" in report["entryKeys"]  # type: ignore[operator]
    assert holds(world.root, "crown under the oak") == []


NAMES = (b"a\nb.md", b"\xff\xfe.md", b"UP.MD", b"q'\"?#%25.md", b"-x.md", b" .md", "é".encode() * 126 + b".md")


@pytest.mark.parametrize("name", NAMES)
def test_odd_and_long_names(world: World, name: bytes) -> None:
    path = note(world, name, f"<!-- forgetguard:n-a -->\n- {TEXT}\n".encode())
    report = world.purge("alice").as_json()
    assert (report["result"], report["exitCode"]) == ("clean", 0)
    assert path.read_bytes() == b""


def test_a_line_without_end_is_read_in_linear_time(world: World) -> None:
    note(world, "huge.md", b"<!-- forgetguard:" * 60_000 + b"\n<!-- forgetguard:n-a -->\n- " + b"wxyz " * 200_000)
    report = world.purge("alice").as_json()
    assert report["result"] == "clean"
    assert report["artifacts"]["notes"] == {"entries": 2}  # type: ignore[index]


def test_a_file_that_goes_while_the_folder_is_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from forgetguard.purge.surfaces import file_tools

    gone = file_tools.FoundFile(world.notes / "gone.md", "gone.md")
    found, findings = file_tools.walk(world.notes, (".md",))
    monkeypatch.setattr(file_tools, "walk", lambda *_: ((gone, *found), findings))
    assert list(MarkdownFolder("notes", world.notes).keys()) == ["n-alice", "n-bob"]
