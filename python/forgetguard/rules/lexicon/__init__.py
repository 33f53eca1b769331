"""The word data of the rules: tab-separated tables, the only copy in the project.

Rust reads the same files with ``include_str!``. A table starts with comment lines (`#`: content,
source, licence, builder), then a row of column names, then the rows. Keys are folded (`fold.tsv`).
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

__all__ = ["TABLES", "columns", "rows"]

TABLES = (
    "antonyms",
    "asymmetric",
    "calendar",
    "change",
    "cjk",
    "classes",
    "contractions",
    "converse",
    "currencies",
    "direction",
    "fold",
    "irregular",
    "modals",
    "names",
    "negation",
    "numbers",
    "particles",
    "phrases",
    "quantifiers",
    "rarity",
    "relations",
    "request_cjk",
    "request_verbs",
    "request_words",
    "rules",
    "senses",
    "soft",
    "stop",
    "suffix",
    "synonyms",
    "units",
    "user",
)


def _lines(name: str) -> list[str]:
    if name not in TABLES:
        raise KeyError("no such lexicon table")
    # Split at LF alone: `str.splitlines` also splits at characters that a cell may hold.
    text = files(__name__).joinpath(f"{name}.tsv").read_text(encoding="utf-8")
    return [line for line in text.split("\n") if line and not line.startswith("#")]


def columns(name: str) -> tuple[str, ...]:
    """Column names of the table `name`. KeyError if there is no such table."""
    return tuple(_lines(name)[0].split("\t"))


@cache
def rows(name: str) -> tuple[tuple[str, ...], ...]:
    """Every row of the table `name`, in file order, without comments and column names.

    KeyError if there is no such table.
    """
    return tuple(tuple(line.split("\t")) for line in _lines(name)[1:])
