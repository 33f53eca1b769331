"""Counting right and wrong answers, in the form that `evaluate.py` prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from cases import Pair, Utterance

DIGITS = 4


@dataclass(frozen=True, slots=True)
class Answer:
    """What the rules said about one pair: `action` is drop, hold or None (store)."""

    pair: Pair
    action: str | None
    kind: str = ""
    why: str = ""

    @property
    def caught(self) -> bool:
        return self.action is not None

    @property
    def right(self) -> bool:
        return self.caught == self.pair.should_drop


@dataclass(frozen=True, slots=True)
class Reply:
    """What the rules said about one utterance."""

    utterance: Utterance
    flagged: bool

    @property
    def right(self) -> bool:
        return self.flagged == self.utterance.is_request


def rates(outcomes: Iterable[tuple[bool, bool]]) -> dict[str, float | int]:
    """n, precision, recall and F1 of (expected, found) outcomes; a rate of nothing is 0."""
    pairs = list(outcomes)
    hits = sum(expected and found for expected, found in pairs)
    found = sum(found for _, found in pairs)
    expected = sum(expected for expected, _ in pairs)
    return {
        "n": len(pairs),
        "precision": _ratio(hits, found),
        "recall": _ratio(hits, expected),
        "f1": _ratio(2 * hits, found + expected),
    }


def score_pairs(answers: Sequence[Answer]) -> dict[str, object]:
    """The object `pairs`: drop and hold both count as caught, and stand apart as `dropped` and `held`."""
    return {
        **_pair_rates(answers),
        **_actions(answers),
        "uncontested": _pair_rates([answer for answer in answers if not answer.pair.contested]),
        "by_phenomenon": _by(answers, lambda answer: answer.pair.phenomenon),
        "by_language": _by(answers, lambda answer: answer.pair.language),
        "wrong": [answer.pair.id for answer in answers if not answer.right],
    }


def score_requests(replies: Sequence[Reply]) -> dict[str, object]:
    """The object `requests`."""
    outcomes = ((reply.utterance.is_request, reply.flagged) for reply in replies)
    return {**rates(outcomes), "wrong": [reply.utterance.id for reply in replies if not reply.right]}


def score_field(answers: Sequence[Answer], replies: Sequence[Reply]) -> dict[str, object]:
    """The object `field`: its `match` rows, and its utterances under `requests`."""
    block = [answer for answer in answers if answer.pair.should_drop]
    keep = [answer for answer in answers if not answer.pair.should_drop]
    return {
        "blocked": sum(answer.right for answer in block),
        "of_block": len(block),
        "kept": sum(answer.right for answer in keep),
        "of_keep": len(keep),
        "failed": [answer.pair.id for answer in answers if not answer.right],
        "requests": score_requests(replies),
    }


def _pair_rates(answers: Sequence[Answer]) -> dict[str, float | int]:
    return rates((answer.pair.should_drop, answer.caught) for answer in answers)


def _actions(answers: Sequence[Answer]) -> dict[str, int]:
    def count(action: str, *, wrong: bool = False) -> int:
        return sum(answer.action == action and not (wrong and answer.right) for answer in answers)

    return {
        "dropped": count("drop"),
        "held": count("hold"),
        "dropped_wrongly": count("drop", wrong=True),
        "held_wrongly": count("hold", wrong=True),
    }


def _by(answers: Sequence[Answer], key: Callable[[Answer], str]) -> dict[str, dict[str, float | int]]:
    groups: dict[str, list[Answer]] = {}
    for answer in answers:
        groups.setdefault(key(answer), []).append(answer)
    return {
        name: {
            "n": len(group),
            "right": sum(answer.right for answer in group),
            "accuracy": _ratio(sum(answer.right for answer in group), len(group)),
            "should_drop": sum(answer.pair.should_drop for answer in group),
            "caught": sum(answer.caught for answer in group),
            **_actions(group),
        }
        for name, group in sorted(groups.items())
    }


def _ratio(part: int, whole: int) -> float:
    return round(part / whole, DIGITS) if whole else 0.0
