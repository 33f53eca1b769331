"""The kinds of places where memory text lies, and two of them as examples: a SQLite table and a folder of notes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from forgetguard.purge.surfaces.file_tools import folder_lock
from forgetguard.purge.surfaces.markdown_folder import MarkdownFolder
from forgetguard.purge.surfaces.protocol import (
    Artefact,
    Declaration,
    Erased,
    Finding,
    Standing,
    Surface,
    Targets,
    Work,
)
from forgetguard.purge.surfaces.registry import kinds, make, register
from forgetguard.purge.surfaces.sqlite_table import SqliteTable

__all__ = [
    "Artefact",
    "Declaration",
    "Erased",
    "Finding",
    "MarkdownFolder",
    "SqliteTable",
    "Standing",
    "Surface",
    "Targets",
    "Work",
    "folder_lock",
    "kinds",
    "make",
    "register",
]


def _tuples(settings: Mapping[str, object]) -> dict[str, Any]:
    """TOML lists as the tuples that frozen surfaces hold."""
    return {key: _frozen(value) for key, value in settings.items()}


def _frozen(value: object) -> object:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def _sqlite(base: Path, settings: Mapping[str, object]) -> Surface:
    given = _tuples(settings)
    return SqliteTable(**{**given, "path": base / str(given["path"])})


def _markdown(base: Path, settings: Mapping[str, object]) -> Surface:
    given = _tuples(settings)
    return MarkdownFolder(**{**given, "root": base / str(given["root"])})


register("sqlite", _sqlite)
register("markdown", _markdown)
