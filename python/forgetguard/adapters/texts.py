"""The texts in a host's files, for its places: files of lines, of JSON, of JSON lines.

What should be JSON and is none, such as a line that was cut off, is a text as it stands: it is never passed over.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Set
from pathlib import Path
from typing import Any

from forgetguard.adapters.residues import Kept, files
from forgetguard.errors import StoreUnreadable

Find = Callable[[Path], Iterator[Kept]]
Read = Callable[[object], Iterator[tuple[str, str]]]
"""The texts of a JSON value, each with its place in it."""


def content(path: Path) -> str:
    """The text of a file; empty where it went away meanwhile. Raises StoreUnreadable."""
    return "".join(_read(path))


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Every line of a file with words in it, and its number. Raises StoreUnreadable."""
    return ((number, line.strip()) for number, line in enumerate(_read(path), 1) if line.strip())


def _read(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            yield from stream
    except FileNotFoundError:
        return
    except OSError:
        raise StoreUnreadable("a file of the host could not be read") from None


def parsed(text: str) -> Any:
    """The JSON value that a text is, or the text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def structure(text: str) -> Any:
    """The JSON object or list that a text is, or the text."""
    return parsed(text) if text.lstrip().startswith(("{", "[")) else text


def texts(
    value: object, where: str = "", *, wordless: Set[str] = frozenset(), within: bool = False
) -> Iterator[tuple[str, str]]:
    """Every text of a JSON value that is not blank, with its place in it.

    `wordless`: names of fields that are passed over. `within`: a text that is JSON itself is looked into.
    """
    if within and isinstance(value, str):
        value = structure(value)
    if isinstance(value, str):
        if value.strip():
            yield where, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name not in wordless:
                yield from texts(inner, f"{where}.{name}".lstrip("."), wordless=wordless, within=within)
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from texts(inner, f"{where}[{at}]", wordless=wordless, within=within)


def in_lines(*patterns: str, linked: bool = False) -> Find:
    """Files of text: an item a line. `linked`: the host reads them through links, so they are looked at there."""

    def find(root: Path) -> Iterator[Kept]:
        for path in files(root, *patterns, linked=linked):
            yield from (Kept(path, f"line {number}", line) for number, line in lines(path))

    return find


def in_json(*patterns: str, read: Read) -> Find:
    """Files of one JSON value: an item a text, whose key is where it stands in the value."""

    def find(root: Path) -> Iterator[Kept]:
        for path in files(root, *patterns):
            yield from (Kept(path, where, text) for where, text in read(parsed(content(path))))

    return find


def in_json_lines(*patterns: str, read: Read) -> Find:
    """Files of JSON lines: an item a text."""

    def find(root: Path) -> Iterator[Kept]:
        for path in files(root, *patterns):
            for number, line in lines(path):
                for where, text in read(parsed(line)):
                    yield Kept(path, f"line {number}{where and ', '}{where}", text)

    return find
