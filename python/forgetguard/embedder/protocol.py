"""What the rest of forgetguard asks of an embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from forgetguard.values import Vector


class Embedder(Protocol):
    """Anything that embeds texts: one `Vector` a text, in order, each carrying `model_id` as its `model`.

    Two embedders with one id must give the same vectors. Raises ModelUnavailable when it cannot embed.
    """

    @property
    def model_id(self) -> str: ...

    def __call__(self, texts: Sequence[str], /) -> list[Vector]: ...
