"""What a field of a stored structure says: its name is part of it."""

from __future__ import annotations

from typing import Final

_WORDS_OF_A_TOPIC: Final = 2


def told(name: str, value: str | float) -> str:
    """A field with its value: `city: Lisbon`, and for what is true or false `vegetarian`, `not vegetarian`."""
    if isinstance(value, bool):
        return name if value else f"not {name}"
    return f"{name}: {value}"


def is_telling(name: str) -> bool:
    """Whether a name says something alone: `user_is_vegetarian`.

    One or two words are a topic (`favorite_color`), of which any value may be new.
    """
    return len(name.replace("_", " ").split()) > _WORDS_OF_A_TOPIC
