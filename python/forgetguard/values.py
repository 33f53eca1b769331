"""Values that cross rooms: what a candidate, an origin, a vector and a forgotten entry are.

All are frozen. Anything that holds a memory's text keeps it out of its `repr`, so a log line or a traceback cannot leak
it.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from forgetguard.errors import InvalidInput, InvalidText, InvalidVector

INT8_LIMIT = 127


class Action(StrEnum):
    """What a host's extraction wants to do with a candidate. `DELETE` and `NOOP` always pass."""

    ADD = "ADD"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    NOOP = "NOOP"


class OriginClass(StrEnum):
    """Whose words a memory was made from."""

    OWNER = "owner"
    AGENT = "agent"
    UNTRUSTED = "untrusted"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a memory came from. Recorded by code at write time; a model's output never carries it.

    `observed_at` is in Unix seconds.
    """

    agent_id: str = ""
    session_id: str = ""
    session_key: str = ""
    origin_class: OriginClass = OriginClass.UNTRUSTED
    observed_at: float = 0.0


@dataclass(frozen=True, slots=True)
class Vector:
    """An embedding as int8: `values` holds signed bytes, one a dimension; `value = byte * scale`.

    `model` is the id of the model that made it. Vectors of different models are never compared.
    Quantised once, at the border, so that every dot product is an exact integer on every machine.
    """

    values: bytes = field(repr=False)
    scale: float = field(repr=False)
    model: str = ""

    @classmethod
    def quantise(cls, numbers: object, model: str = "") -> Vector:
        """The int8 form of a float embedding: scale = max|x| / 127, each value rounded half to even.

        `numbers`: a list, tuple, array or numpy array of finite floats, or bytes holding float32 in native order.
        Raises InvalidVector for an empty or all-zero vector, NaN, infinity, or anything that is not numbers.
        """
        floats = _floats(numbers)
        if not floats:
            raise InvalidVector("the vector is empty")
        if not all(map(math.isfinite, floats)):
            raise InvalidVector("the vector holds NaN or infinity")
        scale = max(map(abs, floats)) / INT8_LIMIT
        if scale == 0.0:
            raise InvalidVector("the vector is all zero")
        return cls(array("b", [round(x / scale) for x in floats]).tobytes(), scale, model)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_sound(self) -> bool:
        """Whether it is what `quantise` makes; one that was put together by hand may hold anything."""
        return (
            isinstance(self.values, (bytes, bytearray))
            and len(self.values) > 0
            and isinstance(self.scale, (int, float))
            and math.isfinite(self.scale)
            and isinstance(self.model, str)
        )


def _floats(numbers: object) -> list[float]:
    try:
        if isinstance(numbers, (bytes, bytearray)):
            return [float(x) for x in memoryview(numbers).cast("f")]
        if isinstance(numbers, Iterable) and not isinstance(numbers, (str, dict)):
            return [float(x) for x in numbers]
    except (TypeError, ValueError, OverflowError):
        pass
    raise InvalidVector("the vector is not a sequence of numbers")


@dataclass(frozen=True, slots=True)
class Candidate:
    """What automatic extraction wants to store: the text, what to do with it, where it came from.

    `vector` is the embedding of `text`, if the host has one. `target` names the memory an UPDATE or DELETE is about.
    """

    text: str = field(repr=False)
    action: Action = Action.ADD
    origin: Origin | None = None
    vector: Vector | None = field(default=None, repr=False)
    target: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise InvalidText("the text of a candidate is not a str")
        if self.action not in tuple(Action):
            raise InvalidInput("the action of a candidate is ADD, UPDATE, DELETE or NOOP")
        if self.target is not None and not isinstance(self.target, str):
            raise InvalidInput("the target of a candidate is not a str")
        if self.origin is not None and not isinstance(self.origin, Origin):
            raise InvalidInput("the origin of a candidate is not an Origin")
        if self.vector is not None and not (isinstance(self.vector, Vector) and self.vector.is_sound):
            raise InvalidVector("the vector of a candidate is not a Vector, or not a sound one")


@dataclass(frozen=True, slots=True)
class Entry:
    """A forgotten fact. `id` is random and says nothing about the text; `forgotten_at` is in Unix seconds.

    `pending` is true between the intent to forget and the host's confirmation; a pending entry already counts.
    """

    text: str = field(repr=False)
    id: str = ""
    vector: Vector | None = field(default=None, repr=False)
    forgotten_at: float = 0.0
    pending: bool = False
    reason: str = ""
    origin: Origin | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise InvalidText("the text of an entry is not a str")
