"""What a stored document says, as texts that the rules can read.

A document is one memory: it is stored or not as a whole. It is read in three ways, since a fact may stand in a sentence
(`{"content": "User lives in Lisbon"}`), in a field (`{"favorite_color": "teal"}`) or across fields
(`{"subject": "user", "predicate": "lives_in", "object": "Lisbon"}`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

ENVELOPE = {"kind", "content"}
FEW_LETTERS = 4
FIRST_UNSPACED = "\u0e00"


def readings(value: Mapping[str, Any]) -> tuple[str, ...]:
    """Every text of the document, then every field with its name, then the fields of each mapping as one line."""
    nodes = list(_nodes(_body(value)))
    records = [pairs for node in nodes if isinstance(node, Mapping) and (pairs := _pairs(node))]
    texts = [node for node in nodes if isinstance(node, str)]
    return tuple(dict.fromkeys([*texts, *(pair for pairs in records for pair in pairs), *map(", ".join, records)]))


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


def _is_sentence(text: str) -> bool:
    """More than one word; where words are not parted by spaces (Thai, Chinese, Japanese), more than a few letters."""
    return len(text.split()) > 1 or (len(text) > FEW_LETTERS and any(letter >= FIRST_UNSPACED for letter in text))


def _body(value: object) -> object:
    """LangMem puts each memory into an envelope whose `kind` is the name of a class."""
    return value["content"] if isinstance(value, Mapping) and set(value) == ENVELOPE else value


def _pairs(mapping: Mapping[str, Any]) -> list[str]:
    fields = ((key, field) for key, field in mapping.items() if isinstance(field, (str, int, float)))
    return [f"{key}: {field}" for key, field in fields]


def _nodes(value: object) -> Iterator[object]:
    """The value and all that it holds, in order. A structure that holds itself is walked once."""
    waiting, seen = [value], set()
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (Mapping, list, tuple)) or id(node) in seen:
            continue
        seen.add(id(node))
        waiting.extend(reversed(list(node.values() if isinstance(node, Mapping) else node)))
