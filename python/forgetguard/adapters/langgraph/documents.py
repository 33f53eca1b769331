"""What a stored document says, as texts that the rules can read.

A document is one memory: it is stored or not as a whole. It is read in four ways, since a fact may stand in a sentence
(`{"content": "User lives in Lisbon"}`), in a field (`{"favorite_color": "teal"}`), in a field's name
(`{"user_is_vegetarian": {"since": 2019}}`) or across fields
(`{"subject": "user", "predicate": "lives_in", "object": "Lisbon"}`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import fields, is_dataclass
from typing import Any

from forgetguard.adapters.fields import is_telling, told

ENVELOPE = {"kind", "content"}
FEW_LETTERS = 4
FIRST_UNSPACED = "\u0e00"


def readings(value: Mapping[str, Any]) -> tuple[str, ...]:
    """Every text of the document, every field with its name, the fields of each mapping as one line, and what names of
    fields without a value of their own say."""
    nodes = list(_nodes(_body(value)))
    mappings = [node for node in nodes if isinstance(node, Mapping)]
    records = [said for node in mappings if (said := _pairs(node))]
    texts = [node for node in nodes if isinstance(node, str)]
    names = [name for node in mappings for field, inner in node.items() for name in _names(str(field), _plain(inner))]
    pairs = [pair for said in records for pair in said]
    several = [", ".join(said) for said in records]
    return tuple(dict.fromkeys([*texts, *pairs, *several, *names]))


def facts(value: Mapping[str, Any]) -> tuple[str, ...]:
    """The texts to forget a document by: its sentences; where it has none, its fields as one line.

    A word alone is not a sentence: to forget the "note" of `{"type": "note"}` would stop every note.
    """
    nodes = list(_nodes(_body(value)))
    texts = [node for node in nodes if isinstance(node, str) and node.strip()]
    sentences = list(filter(_is_sentence, texts))
    if sentences or len(texts) == 1:
        return tuple(dict.fromkeys(sentences or texts))
    records = (", ".join(_pairs(node)) for node in nodes if isinstance(node, Mapping))
    return tuple(dict.fromkeys(filter(None, records)))


def said_of(name: object, value: object) -> tuple[str, ...]:
    """What a field says by itself: its name with its value, or with each of several. Empty for a field of fields."""
    value = _plain(value)
    if isinstance(value, str | int | float):
        return (told(str(name), value),) if str(value).strip() else ()
    if isinstance(value, list):
        return tuple(said for one in value if not isinstance(_plain(one), list) for said in said_of(name, one))
    return ()


def _names(name: str, value: object) -> Iterator[str]:
    """What a field's name says where no one value goes with it: with the fields in it, and alone."""
    if isinstance(value, Mapping):
        yield from (f"{name} {said}".replace("_", " ") for said in _pairs(value))
    if (value is None or isinstance(value, Mapping)) and is_telling(name):
        yield name


def _is_sentence(text: str) -> bool:
    """More than one word; where words are not parted by spaces (Thai, Chinese, Japanese), more than a few letters."""
    return len(text.split()) > 1 or (len(text) > FEW_LETTERS and any(letter >= FIRST_UNSPACED for letter in text))


def _body(value: object) -> object:
    """LangMem puts each memory into an envelope whose `kind` is the name of a class."""
    return value["content"] if isinstance(value, Mapping) and set(value) == ENVELOPE else value


def _pairs(mapping: Mapping[str, Any]) -> list[str]:
    return [said for name, value in mapping.items() for said in said_of(name, value)]


def _nodes(value: object) -> Iterator[object]:
    """The value and all that it holds, in order. A structure that holds itself is walked once."""
    waiting, seen = [value], dict[int, object]()
    while waiting:
        given = waiting.pop()
        node = _plain(given)
        yield node
        if not isinstance(node, (Mapping, list)) or id(given) in seen:
            continue
        seen[id(given)] = given  # held, so that no other gets its id
        waiting.extend(reversed(list(node.values() if isinstance(node, Mapping) else node)))


def _plain(value: object) -> object:
    """The value as JSON has it. A store in memory takes anything: sets, bytes, dates, instances of a schema."""
    if value is None or isinstance(value, (str, int, float, Mapping, list)):
        return value
    if isinstance(value, (tuple, Set)):
        return list(value)
    if isinstance(value, (bytes, bytearray)):
        return value.decode("utf-8", "replace")
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: getattr(value, one.name) for one in fields(value)}
    if isinstance(members := getattr(type(value), "model_fields", None), Mapping):
        return {name: getattr(value, name) for name in members}
    return str(value)
