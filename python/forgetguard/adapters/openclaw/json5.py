"""Reading JSON5, which is what people write `openclaw.json` in: comments, trailing commas, bare keys, single quotes."""

from __future__ import annotations

import json
import re

from forgetguard.errors import InvalidInput

_SPACE = re.compile(r"(?:[\s\ufeff]+|//[^\n\r\u2028\u2029]*|/\*.*?\*/)*", re.DOTALL)
_NAME = re.compile(r"[\w$]+")
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|Infinity|NaN|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")
_PLAIN = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_ESCAPES = _PLAIN | dict.fromkeys("\n\u2028\u2029", "")
_WORDS = {"true": True, "false": False, "null": None}
_DEEPEST = 200


def loads(text: str) -> object:
    """The value that the text holds. Raises InvalidInput, without quoting it."""
    try:
        return json.loads(text)  # what most of these files are
    except (ValueError, RecursionError):
        pass
    reader = _Reader(text)
    value = reader.value(0)
    reader.space()
    if reader.at != len(text):
        raise reader.wrong()
    return value


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def wrong(self) -> InvalidInput:
        return InvalidInput("a configuration file of the host cannot be read as JSON5", code="host-config")

    def space(self) -> str:
        """Skip blanks and comments; the next character, or nothing at the end."""
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.text[self.at : self.at + 1]

    def value(self, depth: int) -> object:
        mark = self.space()
        if depth > _DEEPEST:
            raise self.wrong()
        if mark == "{":
            return self.mapping(depth + 1)
        if mark == "[":
            return self.array(depth + 1)
        if mark in ("'", '"') and mark:
            return self.string(mark)
        number = _NUMBER.match(self.text, self.at)
        if number:
            self.at = number.end()
            return _number(number.group())
        name = _NAME.match(self.text, self.at)
        if not name or name.group() not in _WORDS:
            raise self.wrong()
        self.at = name.end()
        return _WORDS[name.group()]

    def mapping(self, depth: int) -> dict[str, object]:
        found: dict[str, object] = {}
        self.at += 1
        while (mark := self.space()) != "}":
            name = _NAME.match(self.text, self.at)
            if mark and mark in "'\"":
                key = self.string(mark)
            elif name:
                key, self.at = name.group(), name.end()
            else:
                raise self.wrong()
            if self.space() != ":":
                raise self.wrong()
            self.at += 1
            found[key] = self.value(depth)
            self.comma("}")
        self.at += 1
        return found

    def array(self, depth: int) -> list[object]:
        found: list[object] = []
        self.at += 1
        while self.space() != "]":
            found.append(self.value(depth))
            self.comma("]")
        self.at += 1
        return found

    def comma(self, end: str) -> None:
        mark = self.space()
        if mark == ",":
            self.at += 1
        elif mark != end:
            raise self.wrong()

    def string(self, quote: str) -> str:
        parts: list[str] = []
        self.at += 1
        while True:
            char = self.text[self.at : self.at + 1]
            self.at += 1
            if char in ("", "\n"):
                raise self.wrong()
            if char == quote:
                return "".join(parts)
            parts.append(self.escape() if char == "\\" else char)

    def escape(self) -> str:
        char = self.text[self.at : self.at + 1]
        self.at += 1
        size = {"u": 4, "x": 2}.get(char)
        if size is None:
            return _ESCAPES.get(char, char)
        digits = self.text[self.at : self.at + size]
        self.at += size
        try:
            return chr(int(digits, 16))
        except ValueError:
            raise self.wrong() from None


def _number(text: str) -> float | int:
    plain = text.lstrip("+")
    if "x" in plain.lower():
        return int(plain, 16)
    if plain.lstrip("-") in ("Infinity", "NaN"):
        return float(plain.replace("Infinity", "inf").replace("NaN", "nan"))
    return int(plain) if plain.lstrip("-").isdigit() else float(plain)
