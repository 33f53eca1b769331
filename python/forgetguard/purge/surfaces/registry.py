"""Which kinds of surface there are, by the name that a configuration uses.

[[surface]]
kind = "sqlite"            the name registered here
name = "memories"          how reports call it
path = "memory.db"         the rest goes to the factory as it stands
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from forgetguard.errors import InvalidInput
from forgetguard.purge.surfaces.protocol import Surface

Factory = Callable[[Path, Mapping[str, object]], Surface]
_factories: dict[str, Factory] = {}


def register(kind: str, factory: Factory) -> None:
    """Make a kind of surface known: `factory(base, settings)`, where relative paths count from `base`."""
    if kind in _factories and _factories[kind] is not factory:
        raise InvalidInput("another kind of surface is registered under this name")
    _factories[kind] = factory


def kinds() -> tuple[str, ...]:
    """The registered kinds."""
    return tuple(sorted(_factories))


def make(base: Path, settings: Mapping[str, object]) -> Surface:
    """The surface that a configuration describes. Raises InvalidInput."""
    factory = _factories.get(str(settings.get("kind", "")))
    if factory is None:
        raise InvalidInput("a surface has an unknown kind")
    rest = {key: value for key, value in settings.items() if key != "kind"}
    try:
        return factory(base, rest)
    except (TypeError, ValueError, KeyError):
        raise InvalidInput("a surface has settings that its kind does not take") from None
