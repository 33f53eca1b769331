"""What a host hands over, as what the ledger takes: texts, vectors, and facts behind the host's own ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TypeVar

from forgetguard.errors import InvalidInput, InvalidText, TextUnreadable
from forgetguard.ledger import Fact
from forgetguard.rules import MAX_TEXT, match_forgotten
from forgetguard.values import Candidate, Entry, Vector

Text = str | Candidate | Fact
Fetch = Callable[[str], object]
Item = TypeVar("Item")


def as_candidate(given: str | Candidate, vector: Vector | None = None) -> Candidate:
    """The candidate that a text stands for; a vector given beside it wins. Raises InvalidText."""
    if isinstance(given, Candidate):
        return given if vector is None else replace(given, vector=vector)
    if not isinstance(given, str):
        raise InvalidText("the text is not a str")
    return Candidate(given, vector=vector)


def many(items: Iterable[Item]) -> tuple[Item, ...]:
    """The items. Raises InvalidInput for a single text, whose letters would each be one, and for what is no series."""
    if isinstance(items, (str, bytes)) or not isinstance(items, Iterable):
        raise InvalidInput("several items are wanted, as a list", advice="Put a single one into a list.")
    return tuple(items)


def as_facts(given: Text | Iterable[Text], vector: Vector | None = None) -> list[Fact]:
    """The facts to forget. A vector goes with a single text only. Raises InvalidText, InvalidInput."""
    if isinstance(given, (str, Candidate, Fact)):
        fact = _as_fact(given)
        return [fact if vector is None else replace(fact, vector=vector)]
    if vector is not None:
        raise InvalidInput("one vector was given for several texts", advice="Give each text its vector in a Fact.")
    if not isinstance(given, Iterable):
        raise InvalidText("the text is not a str")
    return [_as_fact(one) for one in given]


def _as_fact(given: object) -> Fact:
    text: object
    if isinstance(given, (Fact, Candidate)):
        text, vector, origin = given.text, given.vector, given.origin
    else:
        text, vector, origin = given, None, None
    if not isinstance(text, str) or not text.strip():
        raise InvalidText("the text of a fact is empty or not a str")
    if len(text) > MAX_TEXT:
        raise InvalidText("the text of a fact is longer than the rules read", advice="Forget its sentences one by one.")
    if match_forgotten(text, None, (Entry(text),)) is None:
        raise InvalidText("the text of a fact has nothing to know it by", advice="Give the fact in words.")
    return Fact(text, vector, origin)


def fetch_facts(ids: Sequence[str], fetch: Fetch, quantise: Callable[[object], Vector | None]) -> list[Fact]:
    """The facts behind the host's ids, all read before anything is recorded or deleted.

    `fetch(id)` answers with the text, a (text, vector) pair, a Candidate or a Fact.
    Raises TextUnreadable where one cannot be read; then nothing is to be deleted.
    """
    if isinstance(ids, str):
        raise InvalidInput("ids is a sequence of ids, not a str")
    return [_fetched(one, fetch, quantise) for one in ids]


def _fetched(one: str, fetch: Fetch, quantise: Callable[[object], Vector | None]) -> Fact:
    try:
        answer = fetch(one)
        text, vector = answer if isinstance(answer, tuple) else (answer, None)
        fact, made = _as_fact(text), quantise(vector)
        return fact if made is None else replace(fact, vector=made)
    except Exception:  # noqa: BLE001 - whatever the host's storage raises, and its message may quote the text
        raise TextUnreadable("the text of a fact could not be read, so nothing was recorded or deleted") from None


def text_of(selector: str | Callable[[object], object] | None) -> Callable[[object], str | Candidate]:
    """How to get the text out of an item: a callable, a key or attribute name, or None for texts and candidates."""
    get = _getter(selector)

    def read(item: object) -> str | Candidate:
        try:
            text = get(item)
        except (KeyError, AttributeError, TypeError, IndexError):
            raise InvalidText("an item has no such text field") from None
        if not isinstance(text, (str, Candidate)):
            raise InvalidText("the text of an item is not a str")
        return text

    return read


def _getter(selector: str | Callable[[object], object] | None) -> Callable[[object], object]:
    if selector is None:
        return lambda item: item
    if callable(selector):
        return selector
    if not isinstance(selector, str):
        raise InvalidInput("`text` is a callable, or the name of a key or attribute")
    name, attribute = selector, attrgetter(selector)
    return lambda item: item[name] if isinstance(item, dict) else attribute(item)
