"""What forgetguard is measured against: scans of every vector for the nearest one, and what memory can give at most."""

from __future__ import annotations

import time

import faiss
import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

Floats = npt.NDArray[np.float32]


def normal(count: int, dimensions: int, seed: int = 4) -> Floats:
    """Random vectors of length 1."""
    vectors = np.random.default_rng(seed).standard_normal((count, dimensions), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def one_thread() -> threadpool_limits:
    """A context in which numpy and FAISS use one thread: on a busy machine that may be their quickest."""
    return threadpool_limits(1)


class Scans:
    """The same vectors for numpy and for FAISS, which has a copy of its own."""

    def __init__(self, vectors: Floats) -> None:
        self._vectors = vectors
        self._flat = faiss.IndexFlatIP(vectors.shape[1])
        self._flat.add(vectors)

    def numpy(self, asked: Floats) -> tuple[int, float]:
        """The nearest and its cosine, by brute force."""
        cosines = self._vectors @ asked
        nearest = int(cosines.argmax())
        return nearest, float(cosines[nearest])

    def faiss(self, asked: Floats) -> tuple[int, float]:
        cosines, nearest = self._flat.search(asked[None, :], 1)
        return int(nearest[0, 0]), float(cosines[0, 0])


def bandwidth(size: int = 1 << 28) -> float:
    """Bytes a second that a plain read of a large block reaches, at best."""
    block = np.ones(size // 8, dtype=np.int64)
    taken = []
    for _ in range(7):
        start = time.perf_counter()
        block.sum()
        taken.append(time.perf_counter() - start)
    return size / min(taken)
