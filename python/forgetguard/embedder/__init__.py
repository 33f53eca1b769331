"""Sentence embeddings: what turns a text into a `Vector`, and what maps any model's cosines onto one scale.

Guaranteed:

1. The same text gives the same vector, whatever it is embedded together with.
2. Importing this package, and constructing an `OnnxEmbedder`, loads no model and no numeric library.
3. A model that is absent or damaged raises `ModelUnavailable`: no other exception, no text of a memory in it.
4. Calibrations are stored under their model's id; one of another model, or of another sentence list, is not used.

Not guaranteed: the same vector on processors with other int8 instructions. The rules' lines are stated so that the
last digits of a cosine decide next to nothing.
"""

from __future__ import annotations

from forgetguard.embedder.calibration import (
    Calibration,
    calibrate,
    calibrated,
    known_calibrations,
    load_calibration,
    save_calibration,
)
from forgetguard.embedder.onnx import OnnxEmbedder
from forgetguard.embedder.protocol import Embedder

__all__ = [
    "Calibration",
    "Embedder",
    "OnnxEmbedder",
    "calibrate",
    "calibrated",
    "known_calibrations",
    "load_calibration",
    "save_calibration",
]
