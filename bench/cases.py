"""Written cases: reading `pairs`, `requests` and `field` files (fixtures/cases/README.md gives their form)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

FIELD_REQUESTS = {"request": True, "note": True, "neither": False}
FIELD_MATCHES = {"block": True, "keep": False}


class BadCases(Exception):
    """A file cannot be read, or a line of it is not a case: the message names file and line."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Should `candidate` be stopped, once `forgotten` was forgotten?"""

    id: str
    language: str
    phenomenon: str
    forgotten: str
    candidate: str
    should_drop: bool
    contested: bool = False
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Utterance:
    """Is `text` a request to forget, or a note that something was deleted?"""

    id: str
    language: str
    text: str
    is_request: bool


Kind = TypeVar("Kind")


def read_pairs(path: Path) -> list[Pair]:
    return [_pair(row, "?", row.flag("should_drop")) for row in _rows(path)]


def read_requests(path: Path) -> list[Utterance]:
    return [_utterance(row, row.flag("is_request")) for row in _rows(path)]


def read_field(path: Path) -> tuple[list[Pair], list[Utterance]]:
    """The `match` rows and the `request` rows; `select` rows are about what to delete, and are passed over."""
    pairs, utterances = [], []
    for row in _rows(path):
        kind = row.text("kind")
        if kind == "match":
            pairs.append(_pair(row, "match", row.choice("expect", FIELD_MATCHES)))
        elif kind == "request":
            utterances.append(_utterance(row, row.choice("expect", FIELD_REQUESTS)))
        elif kind != "select":
            raise row.bad("`kind` is none of match, request, select")
    return pairs, utterances


def _pair(row: _Row, phenomenon: str, should_drop: bool) -> Pair:
    return Pair(
        id=row.name(),
        language=row.text("lang", "?"),
        phenomenon=row.text("phenomenon", phenomenon),
        forgotten=row.text("forgotten"),
        candidate=row.text("candidate"),
        should_drop=should_drop,
        contested=row.flag("contested", False),
        aliases=row.texts("user_aliases"),
    )


def _utterance(row: _Row, is_request: bool) -> Utterance:
    return Utterance(row.name(), row.text("lang", "?"), row.text("text"), is_request)


@dataclass(frozen=True, slots=True)
class _Row:
    """One line with its place, so that whatever is wrong with it can be told."""

    path: Path
    number: int
    fields: dict[str, Any]

    def bad(self, reason: str) -> BadCases:
        return BadCases(f"{self.path}:{self.number}: {reason}")

    def name(self) -> str:
        return str(self.fields.get("id", self.number))

    def text(self, key: str, default: str | None = None) -> str:
        return self._of(str, key, default)

    def flag(self, key: str, default: bool | None = None) -> bool:
        return self._of(bool, key, default)

    def texts(self, key: str) -> tuple[str, ...]:
        found: list[Any] = self._of(list, key, [])
        if not all(isinstance(text, str) for text in found):
            raise self.bad(f"`{key}` is not a list of str")
        return tuple(found)

    def choice(self, key: str, answers: dict[str, bool]) -> bool:
        word = self.text(key)
        if word not in answers:
            raise self.bad(f"`{key}` is none of {', '.join(answers)}")
        return answers[word]

    def _of(self, kind: Callable[..., Kind], key: str, default: Kind | None) -> Kind:
        found: Any = self.fields.get(key, default)
        if type(found) is not kind:
            reason = "is missing" if found is None else f"is not a {getattr(kind, '__name__', kind)}"
            raise self.bad(f"`{key}` {reason}")
        return cast(Kind, found)


def _rows(path: Path) -> Iterator[_Row]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadCases(f"{path}: {error.strerror}") from None
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            fields = None
        if not isinstance(fields, dict):
            raise BadCases(f"{path}:{number}: not a JSON object")
        yield _Row(path, number, fields)
