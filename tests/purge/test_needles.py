"""Text is found whatever its case, spacing, wrapping, normal form, role prefix or final stop, by whole words."""

from __future__ import annotations

import builtins
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetguard.purge import rawscan
from forgetguard.purge.needles import LONGEST, Needle, Needles, decode, fold
from forgetguard.purge.rawscan import Finder, raw_form, scan_file

TEXT = "My favourite harbour is Setúbal and my badge colour is teal."


@pytest.mark.parametrize(
    "quote",
    [
        TEXT,
        TEXT.upper(),
        TEXT[:-1],
        f"User: {TEXT}",
        f"- Candidate: {TEXT}",
        f"> {TEXT[:20]}\n> {TEXT[20:]}",
        TEXT.replace(" ", "  "),
        TEXT.replace(" ", "\r\n   "),
        unicodedata.normalize("NFD", TEXT),
        f"“{TEXT}”",
        "before, " + TEXT.replace("is", "*is*") + " after",
    ],
)
def test_a_quote_is_found(quote: str) -> None:
    assert Needles.of([f"User: {TEXT}"]).holds(quote)


@pytest.mark.parametrize("text", ["My favourite harbour is Lisbon", "teal", "", "Setubal badge harbour"])
def test_other_text_is_not(text: str) -> None:
    assert not Needles.of([TEXT]).holds(text)


def test_only_whole_words_are_found() -> None:
    needles = Needles.of(["alice@example.com"])
    assert needles.holds("write to Alice@Example.com, please")
    assert not needles.holds("xalice@example.com")
    assert not needles.holds("alice@example.community")
    assert not needles.holds("alice.smith@example.com")


@pytest.mark.parametrize("text", ["ユーザーは毎朝七時に寿司を食べます", "用户每天早上七点吃寿司和味噌汤"])
def test_scripts_without_blanks_are_found_inside_a_run(text: str) -> None:
    assert Needles.of([text]).holds(f"昨日{text}今日")


def test_each_line_is_looked_for_and_short_ones_are_counted() -> None:
    needles = Needles.of(["User: the lighthouse key is blue\nvegan\nAssistant: it lies under the mat"])
    assert (len(needles), needles.short) == (2, 1)
    assert needles.holds("The lighthouse key is blue.")


def test_a_long_line_is_found_by_each_of_its_pieces() -> None:
    words = " ".join(f"word{number}" for number in range(60))
    needles = Needles.of([words])
    assert all(len(item.folded) <= LONGEST for item in needles.items)
    assert needles.holds(words[:200] + "…")
    assert needles.holds("… " + words[150:])


def test_raw_bytes_in_every_form_they_may_stand_in() -> None:
    needles = Needles.of([TEXT])
    for form in ("NFC", "NFD"):
        written = unicodedata.normalize(form, TEXT)
        for content in (written.encode(), written.upper().encode(), b"\x00\x17m1" + written.encode() + b"\x01x"):
            assert needles.hits_raw(content)
    assert needles.hits_raw(b'{"text":"My favourite harbour is Set\\u00fabal and my badge colour is teal."}')
    assert not needles.hits_raw(b"My favourite harbour is Lisbon and my badge colour is teal.")


def test_needles_go_through_the_journal() -> None:
    for item in Needles.of([TEXT, "x" * 300]).items:
        assert Needle.from_seal_form(item.seal_form()) == item


def test_nothing_of_the_text_shows_in_a_repr() -> None:
    needles = Needles.of([TEXT])
    assert "harbour" not in repr(needles) + repr(needles.items)


def test_text_files_are_decoded_by_their_mark_or_content() -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "latin-1"):
        assert fold(decode(TEXT.encode(encoding))) == fold(TEXT)


LINES = [f"memory number {n} about topic {n * 7 % 97} and nothing else" for n in range(300)]


def without_automaton(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def absent(name: str, *args: object, **kwargs: object) -> object:
        if name == "ahocorasick_rs":
            raise ModuleNotFoundError(name=name)
        return real(name, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", absent)


@given(st.lists(st.sampled_from(["ab", "abc", "bc", "x", "", "longer", "ü", "a1"]), max_size=30))
def test_both_finders_give_the_same_answers(words: list[str]) -> None:
    patterns = [b"ab bc", b"x", b"longer longer", "ü".encode(), b"abc x a1 ab"]
    content = " ".join(words).encode()
    expected = {number for number, pattern in enumerate(patterns) if pattern in content}
    assert Finder(patterns).find(content) == expected
    with pytest.MonkeyPatch.context() as patch:
        without_automaton(patch)
        slow = Finder(patterns)
    assert slow._automaton is None
    assert slow.find(content) == expected


def alike(number: int) -> bytes:
    """Patterns longer than the piece that is looked for; more begin, or end, alike than a piece may be common to."""
    text = f"{number} and what anybody may have said about the very same thing {number * 31}"
    return (text[3:] if number % 2 else text[:-4] + "thing and so on until the end of the line").encode()


def test_long_patterns_that_are_alike() -> None:
    patterns = list(dict.fromkeys(alike(number) for number in range(1000)))
    finder = Finder(patterns)
    for chosen in (patterns[::97], patterns[:3], []):
        content = b"before " + b" | ".join(chosen) + b" after " + patterns[7][:-1] + b"#" + patterns[8][1:]
        assert finder.find(content) == {number for number, one in enumerate(patterns) if one in content}


def test_a_part_of_the_needles_keeps_its_own_numbers() -> None:
    whole = Needles.of(LINES)
    part = whole.without({3, 50})
    text = "\n".join(LINES[2:5])
    assert len(part) == len(whole) - 2
    assert [part.items[number].folded for number in sorted(part.hits(text))] == [fold(LINES[2]), fold(LINES[4])]
    smaller = part.without(part.hits(LINES[4]))
    assert [smaller.items[number].folded for number in smaller.hits(text)] == [fold(LINES[2])]
    assert whole.without(()) is whole and not whole.without(range(len(whole)))
    assert set(part.raw_patterns) == set(whole.raw_patterns) - {fold(LINES[3]), fold(LINES[50])}


def test_without_the_extra_everything_is_found_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    without_automaton(monkeypatch)
    needles = Needles.of(LINES)
    assert needles.hits("\n".join(LINES[10:20])) == set(range(10, 20))


@pytest.mark.parametrize("place", [0, 100, 4090, 4096, 8190, 1 << 20, (1 << 20) - 10])
@pytest.mark.parametrize("pointer", [b"", b"\0\0\0\x07"])
def test_a_pattern_across_pages_and_reads_is_found(tmp_path: Path, place: int, pointer: bytes) -> None:
    pattern = raw_form(TEXT.encode())
    content = bytearray(b"\0" * (3 << 20))
    if pointer:  # text that runs on in an overflow page, after that page's pointer
        place = (place // 4096 + 1) * 4096 - 20
        written = TEXT.encode()[:20] + pointer + TEXT.encode()[20:]
    else:
        written = TEXT.encode()
    content[place : place + len(written)] = written
    path = tmp_path / "x.db"
    path.write_bytes(bytes(content))
    pages = {page for page, _ in scan_file(path, Finder([pattern]))}
    assert pages
    assert pages <= {place // 4096 + 1, place // 4096 + 2}


def test_the_child_imports_nothing_of_ours() -> None:
    imports = [line for line in Path(rawscan.__file__).read_text().splitlines() if "import " in line]
    assert not any("from forgetguard" in line or "import sqlite3" in line for line in imports)
