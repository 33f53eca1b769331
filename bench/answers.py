"""Asking the rules: forgetguard's, or the starting ones, with or without an embedding model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import mul
from pathlib import Path
from typing import Protocol

import starting_rules
from cases import Pair, Utterance
from scoring import Answer, Reply

from forgetguard.embedder import Calibration, OnnxEmbedder, calibrate
from forgetguard.embedder.calibration import REFERENCE_SD
from forgetguard.values import Entry, Vector


class Rules(Protocol):
    """Either set of rules."""

    @property
    def name(self) -> str: ...

    def decide(self, pair: Pair, forgotten: Vector | None, candidate: Vector | None) -> Answer: ...

    def is_request(self, text: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Model:
    """An embedding model with its calibration, and the vectors of all texts that were asked for."""

    embedder: OnnxEmbedder
    calibration: Calibration
    vectors: dict[str, Vector]

    def vector(self, text: str) -> Vector:
        if text not in self.vectors:
            (self.vectors[text],) = self.embedder([text])
        return self.vectors[text]

    def shifted(self, distance: float) -> Model:
        """The same model, every similarity moved by `distance`: to see how many decisions hang by a thread."""
        mean = self.calibration.mean - distance * self.calibration.sd / REFERENCE_SD
        return replace(self, calibration=replace(self.calibration, mean=mean))


@lru_cache
def open_model(directory: Path) -> Model:
    """The model in `directory`, measured anew: an evaluation trusts no stored calibration. Raises ModelUnavailable."""
    embedder = OnnxEmbedder(directory)
    return Model(embedder, calibrate(embedder), {})


@dataclass(frozen=True, slots=True)
class FullRules:
    """forgetguard's own."""

    calibration: Calibration | None = None
    wordnet: bool = True
    name: str = "forgetguard"

    def decide(self, pair: Pair, forgotten: Vector | None, candidate: Vector | None) -> Answer:
        from forgetguard.rules import match_forgotten

        entry = Entry(pair.forgotten, id=pair.id, vector=forgotten)
        match = match_forgotten(
            pair.candidate,
            candidate,
            (entry,),
            aliases=pair.aliases,
            calibration=self.calibration,
            wordnet=self.wordnet,
        )
        if match is None:
            return Answer(pair, None)
        return Answer(pair, str(match.action), str(match.kind), str(match.why))

    def is_request(self, text: str) -> bool:
        from forgetguard.rules import is_forget_request

        return is_forget_request(text)


@dataclass(frozen=True, slots=True)
class StartingRules:
    """The baseline: it drops and never holds, and compares the model's own cosine."""

    name: str = "starting"

    def decide(self, pair: Pair, forgotten: Vector | None, candidate: Vector | None) -> Answer:
        near = None if forgotten is None or candidate is None else cosine(forgotten, candidate)
        kind = starting_rules.kind_of_match(pair.forgotten, pair.candidate, near)
        return Answer(pair, "drop" if kind else None, kind or "")

    def is_request(self, text: str) -> bool:
        return starting_rules.is_forget_request(text)


def answer_pairs(rules: Rules, pairs: Iterable[Pair], model: Model | None) -> list[Answer]:
    if model is None:
        return [rules.decide(pair, None, None) for pair in pairs]
    return [rules.decide(pair, model.vector(pair.forgotten), model.vector(pair.candidate)) for pair in pairs]


def answer_requests(rules: Rules, utterances: Sequence[Utterance]) -> list[Reply]:
    return [Reply(utterance, rules.is_request(utterance.text)) for utterance in utterances]


def cosine(a: Vector, b: Vector) -> float:
    """As the rules compute it: exact integers, one division, four digits."""
    x, y = (memoryview(vector.values).cast("b").tolist() for vector in (a, b))
    dot: int = sum(map(mul, x, y))
    return round(dot / math.sqrt(sum(map(mul, x, x)) * sum(map(mul, y, y))), 4)
