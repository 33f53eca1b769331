"""The Markdown example: bytes in, bytes out; links, markers, hand-written and generated files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from forgetguard.errors import Refused
from forgetguard.purge.needles import Needles
from forgetguard.purge.surfaces import Finding, MarkdownFolder, Targets, file_tools
from purge.test_sqlite_surface import Quiet, places
from purge.world import CANARY, MIXED, OTHER

A = b"<!-- forgetguard:a -->"
B = b"<!-- forgetguard:b -->"
TEXT = CANARY.encode()


def targets(*keys: str, text: str = CANARY) -> Targets:
    return Targets(frozenset({"alice"}), frozenset(), frozenset(keys), Needles.of([text]))


def erased(tmp_path: Path, content: bytes, name: str = "n.md", generated: tuple[str, ...] = ()) -> bytes:
    (tmp_path / name).write_bytes(content)
    MarkdownFolder("notes", tmp_path, generated=generated).erase(targets("a"), Quiet())
    return (tmp_path / name).read_bytes()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (A + b"\n- " + TEXT + b"\nkept\n", b"kept\n"),
        (A + b"\r\n- " + TEXT + b"\r\nkept\r\n", b"kept\r\n"),
        (b"x\n" + A + b"\n- " + TEXT, b"x\n"),
        (b"\xef\xbb\xbf" + A + b"\n- " + TEXT + b"\nkept", b"\xef\xbb\xbfkept"),
        (b"caf\xe9 \xff\n" + A + b"\n- " + TEXT + b"\nkept \xfe\r\nmixed\n", b"caf\xe9 \xff\nkept \xfe\r\nmixed\n"),
        (b"- " + TEXT + b" " + A + b"\nkept\n", b"kept\n"),
        (A + b" " + TEXT + b"\nkept\n", b"kept\n"),
        (A + b"\n\n\n- " + TEXT + b"\nkept\n", b"kept\n"),
        (A + b"\n- " + TEXT + b"\n  - evidence: x\n\tmore\nkept\n", b"kept\n"),
        (A + b"\n" + B + b"\n- " + TEXT + b"\n", B + b"\n- " + TEXT + b"\n"),
        (B + b"\n" + A + b"\n- " + TEXT + b"\nkept\n", B + b"\nkept\n"),
        (A + b"\n# Heading\n", b"# Heading\n"),
        (A, b""),
        (A + b"\n\n", b"\n"),
        (
            b"<!-- forgetguard:aa -->\n- x\n<!-- forgetguard:A -->\n- y\n",
            b"<!-- forgetguard:aa -->\n- x\n<!-- forgetguard:A -->\n- y\n",
        ),
    ],
)
def test_a_marked_memory_goes_and_every_other_byte_stays(tmp_path: Path, before: bytes, after: bytes) -> None:
    assert erased(tmp_path, before) == after


def test_an_unchanged_file_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "n.md"
    path.write_bytes(B + b"\n- " + OTHER.encode())
    before = path.stat()
    MarkdownFolder("notes", tmp_path).erase(targets("a"), Quiet())
    after = path.stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_mode_is_kept_and_no_leftover_stays(tmp_path: Path) -> None:
    path = tmp_path / "n.md"
    path.write_bytes(A + b"\n- x\n")
    path.chmod(0o640)
    (tmp_path / f".n.md.123{file_tools.LEFTOVER}").write_bytes(TEXT)
    MarkdownFolder("notes", tmp_path).erase(targets("a"), Quiet())
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["n.md"]


def test_generated_files_lose_the_lines_that_hold_the_text(tmp_path: Path) -> None:
    summary = f"Intro.\n\nThe user said: {CANARY[:28]}\n{CANARY[28:].lower()}!\nOutro.\n".encode()
    assert erased(tmp_path, summary, "sum.md", generated=("sum*",)) == b"Intro.\n\nOutro.\n"


def test_hand_written_lines_are_kept_and_reported(tmp_path: Path) -> None:
    content = f"I wrote this: {CANARY}\n".encode()
    assert erased(tmp_path, content) == content
    surface = MarkdownFolder("notes", tmp_path)
    assert places(surface.residue(targets("a"))) == {("retained", "n.md", "hand-written")}
    assert places(item for item in surface.find(targets("a")) if isinstance(item, Finding)) == {
        ("retained", "n.md", "hand-written")
    }


def test_what_is_left_is_found_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "sum.md").write_bytes(TEXT)
    (tmp_path / "key.md").write_bytes(A + b"\n- something else\n")
    (tmp_path / "other.md").write_bytes(B + b"\n- " + TEXT + b"\n")
    (tmp_path / "wide.md").write_bytes(CANARY.encode("utf-16"))
    (tmp_path / "n.md.bak").write_bytes(b"\0\0" + TEXT)
    (tmp_path / f".x{file_tools.LEFTOVER}").write_bytes(TEXT)
    (tmp_path / "clean.md").write_bytes(OTHER.encode())
    surface = MarkdownFolder("notes", tmp_path, generated=("sum.md",))
    assert places(surface.residue(targets("a"))) == {
        ("residue", "sum.md", "text"),
        ("residue", "key.md", "key"),
        ("residue", "other.md", "text"),
        ("retained", "wide.md", "hand-written"),
        ("residue", "n.md.bak", "bytes"),
        ("residue", f".x{file_tools.LEFTOVER}", "bytes"),
    }


def test_links_are_not_followed_and_those_that_lead_outside_are_named(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    (outside / "deep").mkdir(parents=True)
    (root / "sub").mkdir(parents=True)
    for path in (outside / "x.md", outside / "deep" / "y.md", root / "sub" / "z.md"):
        path.write_bytes(A + b"\n- " + TEXT + b"\n")
    (root / "link.md").symlink_to(outside / "x.md")
    (root / "folder").symlink_to(outside / "deep")
    (root / "within.md").symlink_to(root / "sub" / "z.md")
    (root / "nowhere.md").symlink_to(tmp_path / "absent.md")
    surface = MarkdownFolder("notes", root)
    refused = places(item for item in surface.find(targets("a")) if isinstance(item, Finding))
    assert refused == {("refused", "link.md", "symlink-outside"), ("refused", "folder", "symlink-outside")}
    surface.erase(targets("a"), Quiet())
    assert (outside / "x.md").read_bytes() == A + b"\n- " + TEXT + b"\n"
    assert (root / "sub" / "z.md").read_bytes() == b""
    assert (root / "within.md").is_symlink()
    assert places(surface.residue(targets("a"))) == {("residue", "link.md", "symlink-outside")}


def test_a_name_outside_the_workspace_keeps_the_text_and_is_told(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "n.md").write_bytes(A + b"\n- " + TEXT + b"\n")
    os.link(root / "n.md", tmp_path / "copy.md")
    (root / "p.md").write_bytes(A + b"\n- " + TEXT + b"\n")
    os.link(root / "p.md", root / "q.md")
    done = MarkdownFolder("notes", root).erase(targets("a"), Quiet())
    assert places(done.findings) == {("cannot-prove", "n.md", "hard-link-elsewhere")}
    assert {path.name: path.read_bytes() for path in root.iterdir()} == {"n.md": b"", "p.md": b"", "q.md": b""}


def test_upper_case_names_and_text_files_are_read(tmp_path: Path) -> None:
    for name in ("README.MD", "note.txt", "x.Markdown"):
        assert erased(tmp_path, A + b"\n- " + TEXT + b"\n", name) == b""


def test_a_file_that_changes_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "n.md"
    path.write_bytes(b"new")
    with pytest.raises(Refused) as caught:
        file_tools.replace(path, b"ours", file_tools.digest(b"old"))
    assert caught.value.code == "file-changed"
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["n.md"]


def test_another_purge_of_the_folder_waits(tmp_path: Path) -> None:
    with file_tools.folder_lock(tmp_path), pytest.raises(Refused) as caught, file_tools.folder_lock(tmp_path, 0.1):
        pass
    assert caught.value.code == "workspace-busy"


def test_surviving_memories_with_the_same_words_are_named(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_bytes(A + b"\n- " + TEXT + b"\n" + B + b"\n- " + TEXT + b"\n" + MIXED.encode())
    assert list(MarkdownFolder("notes", tmp_path).holding(targets("a"))) == [("b", f"\n- {CANARY}\n")]
