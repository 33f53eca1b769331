"""The figures of an evaluation as text: for a terminal, and for the README."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scoring import Answer, Reply


def summary(result: dict[str, Any]) -> str:
    """All figures of one run."""
    model = result["model"] or "none, words alone"
    lines = [f"rules {result['rules']} {result['rules_version']}, backend {result['backend']}, model {model}"]
    pairs, requests, field = result["pairs"], result["requests"], result["field"]
    if pairs:
        lines += ["", f"pairs        {_rates(pairs)}", f"  uncontested {_rates(pairs['uncontested'])}"]
        lines += [
            f"  dropped {pairs['dropped']} ({pairs['dropped_wrongly']} wrongly), "
            f"held {pairs['held']} ({pairs['held_wrongly']} wrongly)"
        ]
        lines += _groups("phenomenon", pairs["by_phenomenon"]) + _groups("language", pairs["by_language"])
    if requests:
        lines += ["", f"requests     {_rates(requests)}"]
    if field:
        lines += [
            "",
            f"field        {field_figures(field)}; failed: {', '.join(field['failed']) or 'none'}",
            f"  requests   {_rates(field['requests'])}; failed: {', '.join(field['requests']['wrong']) or 'none'}",
        ]
    return "\n".join([*lines, ""])


def wrong_lines(answers: Sequence[Answer], replies: Sequence[Reply]) -> list[str]:
    """A line for every wrong answer. It quotes the cases, which are written ones and nobody's memory."""
    lines = [
        f"  {answer.pair.id:>5} {'stored' if answer.action is None else f'{answer.action} {answer.kind} {answer.why}'} "
        f"[{answer.pair.language} {answer.pair.phenomenon}]: {answer.pair.forgotten!r} / {answer.pair.candidate!r}"
        for answer in answers
        if not answer.right
    ]
    return lines + [
        f"  {reply.utterance.id:>5} {'flagged' if reply.flagged else 'not flagged'} "
        f"[{reply.utterance.language} request]: {reply.utterance.text!r}"
        for reply in replies
        if not reply.right
    ]


def field_figures(field: dict[str, Any]) -> str:
    return f"blocked {field['blocked']} of {field['of_block']}, kept {field['kept']} of {field['of_keep']}"


def _rates(figures: dict[str, Any]) -> str:
    rates = ", ".join(f"{name} {figures[name]:.3f}" for name in ("precision", "recall", "f1"))
    return f"n {figures['n']}, {rates}"


def _groups(title: str, groups: dict[str, dict[str, Any]]) -> list[str]:
    width = max(map(len, [title, *groups]))
    lines = ["", f"  {title:<{width}}     n  right       to drop  dropped (wrong)  held (wrong)"]
    return lines + [
        f"  {name:<{width}} {group['n']:>5} {group['right']:>6} {group['accuracy']:>5.0%} {group['should_drop']:>8} "
        f"{group['dropped']:>8} ({group['dropped_wrongly']}) {group['held']:>9} ({group['held_wrongly']})"
        for name, group in groups.items()
    ]
