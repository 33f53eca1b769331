"""The host's embedding model, for a guard that is to use the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from forgetguard.errors import MissingExtra, ModelUnavailable
from forgetguard.values import Vector

MODEL_ID: Final = "onnx-community/harrier-oss-v1-270m-ONNX"


class HostEmbedder:
    """An embedder over the model that TotalReclaw has loaded: `ForgetGuard.open(embedder=HostEmbedder())`.

    With it a forgotten fact keeps the vector that the host stored; with any other model, or none, the host's vectors
    are not looked at. The host downloads its model when it is first asked.
    """

    model_id: str = MODEL_ID

    def __call__(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text. Raises MissingExtra, ModelUnavailable."""
        try:
            from totalreclaw import embedding
        except ImportError:
            raise MissingExtra.of("totalreclaw") from None
        if self.model_id != embedding.MODEL_ID:
            raise ModelUnavailable("the host uses another embedding model than the adapter knows")
        return [Vector.quantise(numbers, self.model_id) for numbers in embedding.get_embeddings_batch(list(texts))]
