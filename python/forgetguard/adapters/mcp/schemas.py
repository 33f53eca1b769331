"""JSON Schemas of what tools take and give. Every object is closed: a name that is not in it is refused."""

from __future__ import annotations

from typing import Any, Final

from forgetguard.rules import MAX_TEXT

Schema = dict[str, Any]
MAX_ID: Final = 1024  # code points; ids are names, and nobody's are longer


def record(*optional: str, **properties: Schema) -> Schema:
    """An object with these properties, of which the `optional` ones may be left out."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def series(items: Schema, about: str = "", *, least: int = 0, most: int | None = None) -> Schema:
    """A list."""
    limits = {"minItems": least} | ({} if most is None else {"maxItems": most})
    return _told(about, {"type": "array", "items": items, **limits})


def text(about: str = "", *, least: int = 1) -> Schema:
    """A text, as long as the rules read."""
    return _told(about, {"type": "string", "minLength": least, "maxLength": MAX_TEXT})


def name(about: str = "") -> Schema:
    """An id, a key or a code."""
    return _told(about, {"type": "string", "minLength": 1, "maxLength": MAX_ID})


def code(about: str = "") -> Schema:
    """A code in a result; empty where there is nothing to say."""
    return _told(about, {"type": "string"})


def choice(*values: str, about: str = "", default: str | None = None) -> Schema:
    """One of these words."""
    given: Schema = {"type": "string", "enum": list(values)}
    return _told(about, given if default is None else {**given, "default": default})


def flag(about: str = "") -> Schema:
    """Yes or no."""
    return _told(about, {"type": "boolean"})


def whole(about: str = "", *, most: int | None = None, default: int | None = None) -> Schema:
    """A whole number, not negative."""
    limits = {key: value for key, value in (("maximum", most), ("default", default)) if value is not None}
    return _told(about, {"type": "integer", "minimum": 0, **limits})


def number(about: str = "") -> Schema:
    """Any number."""
    return _told(about, {"type": "number"})


def moment(about: str = "") -> Schema:
    """A date and time, ISO 8601, UTC."""
    return _told(about, {"type": "string", "format": "date-time"})


def or_null(schema: Schema) -> Schema:
    """The same, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def counts(about: str = "") -> Schema:
    """How many, by code."""
    return _told(about, {"type": "object", "additionalProperties": {"type": "integer"}})


def _told(about: str, schema: Schema) -> Schema:
    return {"description": about, **schema} if about else schema
