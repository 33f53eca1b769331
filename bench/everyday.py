"""Text to verdict with a real model, everyday facts: the embedder asked only where it matters, or for every text."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from forgetguard.embedder import Calibration, OnnxEmbedder, calibrate
from forgetguard.rules import ForgottenIndex
from forgetguard.values import Entry, Vector

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
ENTRIES = 500


class Counted:
    """An embedder of one text that counts how often it was asked."""

    def __init__(self, embedder: OnnxEmbedder) -> None:
        self.model_id = embedder.model_id
        self.asked = 0
        self._embedder = embedder

    def __call__(self, text: str) -> Vector:
        self.asked += 1
        (vector,) = self._embedder([text])
        return vector


def end_to_end(directory: Path) -> dict[str, Any]:
    """Total seconds over the set, both ways in turn: one half of the everyday facts is forgotten, the other asked."""
    embedder = OnnxEmbedder(directory)
    calibration = calibrate(embedder)
    halves = [_half(embedder, calibration, start) for start in (0, 1)]
    total = {name: sum(half[name] for half in halves) for name in halves[0]}
    return {
        "model": embedder.model_id,
        "entries": ENTRIES,
        "candidates": int(total["candidates"]),
        "stopped": int(total["stopped"]),
        "embedded": int(total["embedded"]),
        "share_embedded": round(total["embedded"] / total["candidates"], 4),
        "ours_s": round(total["ours"], 4),
        "embed_then_scan_s": round(total["scanned"], 4),
        "ratio": round(total["scanned"] / total["ours"], 1),
    }


def _half(embedder: OnnxEmbedder, calibration: Calibration, start: int) -> dict[str, float]:
    everyday = [fact["text"] for fact in json.loads((FIXTURES / "everyday-facts-v1.json").read_text("utf-8"))["facts"]]
    lines = (FIXTURES / "cases" / "pairs-dev.jsonl").read_text("utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    others = dict.fromkeys(case[part] for part in ("forgotten", "candidate") for case in cases)
    forgotten = [*everyday[start::2], *(text for text in others if text not in everyday)][:ENTRIES]
    vectors = embedder(forgotten)
    index = ForgottenIndex()
    index.add(Entry(text, id=str(n), vector=v) for n, (text, v) in enumerate(zip(forgotten, vectors, strict=True)))
    matrix = np.stack([floats(vector) for vector in vectors])
    texts, embed = everyday[1 - start :: 2], Counted(embedder)
    ours, scanned, stopped = [], [], 0
    for _ in range(3):
        embed.asked = 0
        began = time.perf_counter()
        stopped = sum(index.match(text, embed, calibration=calibration) is not None for text in texts)
        between = time.perf_counter()
        for text in texts:
            (matrix @ floats(embedder([text])[0])).argmax()
        scanned.append(time.perf_counter() - between)
        ours.append(between - began)
    counts = {"candidates": len(texts), "stopped": stopped, "embedded": embed.asked}
    return {**counts, "ours": min(ours), "scanned": min(scanned)}


def floats(vector: Vector) -> Any:
    values = np.frombuffer(vector.values, dtype=np.int8).astype(np.float32)
    return values / np.linalg.norm(values)
