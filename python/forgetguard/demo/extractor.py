"""A plain extractor: it reads a message and restates what it says, as an agent's would. No model, no guard."""

from __future__ import annotations

from collections.abc import Iterable

POSSESSIVES = ("My ", "Our ")
BREAKS = (" and my ", " and our ")
REQUEST = "Please forget that "


def facts(message: str) -> list[str]:
    """The facts that a user's message states, one a clause; a request to forget becomes a note about it."""
    text = message.strip()
    if text.startswith(REQUEST):
        return [f"User previously said that {text[len(REQUEST) :].rstrip('.')} and asked for that record to be removed"]
    return [_about_the_user(clause) for sentence in _sentences(text) for clause in _clauses(_without_opening(sentence))]


def summary(messages: Iterable[str]) -> str:
    """A debrief of a session: a line for each message."""
    lines = [f"- {_about_the_user(_without_opening(sentence))}." for text in messages for sentence in _sentences(text)]
    return "\n".join(lines)


def _sentences(text: str) -> list[str]:
    return [one.strip() for one in text.rstrip(".").split(". ") if one.strip()]


def _without_opening(sentence: str) -> str:
    """Without "Please remember:" or "Bob here:"."""
    opening, colon, rest = sentence.partition(": ")
    return rest if colon and len(opening.split()) <= 2 else sentence


def _clauses(sentence: str) -> list[str]:
    for mark in BREAKS:
        sentence = sentence.replace(mark, f"\n{mark.removeprefix(' and ')}")
    return sentence.split("\n")


def _about_the_user(clause: str) -> str:
    clause = clause[:1].upper() + clause[1:]
    for word in POSSESSIVES:
        if clause.startswith(word):
            return "User's " + clause[len(word) :]
    return clause
