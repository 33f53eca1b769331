"""The guard's side of an embedding model: asked only when it must be, and never a reason to fail.

An embedder that cannot embed, or that answers with something else than vectors, costs similarity and is counted; the
rules go on with words alone.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from forgetguard.directories import cache_directory
from forgetguard.values import Vector

if TYPE_CHECKING:
    from forgetguard.embedder import Calibration, Embedder

log = logging.getLogger("forgetguard")


class Embedding:
    """An optional embedder with its calibration, measured at the first need and kept in the user's cache."""

    def __init__(self, embedder: Embedder | None, calibration: Calibration | None) -> None:
        self.failures = 0
        self._embedder = embedder
        self._calibration = calibration
        self._directory = cache_directory()
        self._measured = calibration is not None or embedder is None
        self._lock = threading.Lock()

    @property
    def available(self) -> bool:
        """Whether there is an embedder to ask."""
        return self._embedder is not None

    @property
    def model(self) -> str:
        """The id of the embedder's model; empty without one, or where it cannot be loaded."""
        try:
            name = self._embedder.model_id if self._embedder is not None else ""
        except Exception:  # noqa: BLE001 - a host's embedder raises what it likes
            return ""
        return name if isinstance(name, str) else ""

    @property
    def is_calibrated(self) -> bool:
        """Whether cosines are mapped onto the scale of the rules' lines, by a calibration made now or kept."""
        if self._calibration is None and not self._measured:
            from forgetguard.embedder import load_calibration

            return load_calibration(self._directory, self.model) is not None
        return self._calibration is not None

    def vectors(self, texts: Sequence[str]) -> list[Vector | None]:
        """One vector a text, or None for each where the embedder fails."""
        if self._embedder is None or not texts:
            return [None] * len(texts)
        try:
            made = self._embedder(list(texts))
            if len(made) != len(texts) or not all(isinstance(one, Vector) and one.is_sound for one in made):
                raise TypeError("the embedder did not answer with one sound Vector a text")
        except Exception as error:  # noqa: BLE001 - a host's embedder raises what it likes; its message may quote the text
            self.failures += 1
            log.warning("the embedder failed: %s", type(error).__name__)
            return [None] * len(texts)
        return list(made)

    def calibration(self) -> Calibration | None:
        """The calibration of the model, measured now if it is not known yet; None where it cannot be."""
        if self._measured:
            return self._calibration
        with self._lock:
            if not self._measured and self._embedder is not None:
                try:
                    from forgetguard.embedder import calibrated

                    self._calibration = calibrated(self._embedder, self._directory)
                except Exception as error:  # noqa: BLE001 - as above; without a calibration cosines are used as they are
                    self.failures += 1
                    log.warning("the model could not be calibrated: %s", type(error).__name__)
                self._measured = True
        return self._calibration

    def renew_lock(self) -> None:
        """In a forked child: the lock may be held by a thread that is not there."""
        self._lock = threading.Lock()
