"""JSON as the host stored it: in rows, in lock files, in transcripts. What cannot be read is no reason to stop."""

from __future__ import annotations

import json
from typing import Any


class Unreadable:
    """Stands for a text that is no JSON."""


UNREADABLE = Unreadable()


def value_of(text: str | bytes) -> Any:
    """What the text says; UNREADABLE where it is no JSON, or nested more deeply than anybody writes."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return UNREADABLE


def mapping_of(text: str | bytes) -> dict[str, Any] | None:
    """The object that the text says; None where it says anything else."""
    found = value_of(text)
    return found if isinstance(found, dict) else None
