"""What a `Memory` is made of, each part behind a stand-in that asks the guard: its model, message log, vector store.

Whatever a stand-in does not name is the part's own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from forgetguard.adapters.mem0.turns import Scope, Turn, current
from forgetguard.values import Action


class Part:
    """A part of mem0's behind a stand-in."""

    def __init__(self, part: Any) -> None:
        self.part = part

    def __getattr__(self, name: str) -> Any:
        if name == "part":
            raise AttributeError(name)
        return getattr(self.part, name)


class Model(Part):
    """The language model: of what it extracts, only what may be stored is heard; a summary is scrubbed."""

    def generate_response(self, *args: Any, **kwargs: Any) -> Any:
        """As the model's own. Nothing is known about a call that no guarded method began."""
        answer = self.part.generate_response(*args, **kwargs)
        turn = current()
        if turn is None or turn.explicit or not isinstance(answer, str):
            return answer
        if kwargs.get("response_format"):
            return _extracted(answer, turn)
        return turn.hooks.debrief(answer).text or ""


def _extracted(answer: str, turn: Turn) -> str:
    """The answer without the memories that may not be stored. What mem0 cannot read either is left as it is."""
    found = _parsed(answer)
    memories = found.get("memory") if isinstance(found, dict) else None
    if not isinstance(memories, list):
        return answer
    kept = [one for one in memories if not isinstance(one, dict) or turn.stores(one.get("text"))]
    return json.dumps({**found, "memory": kept})


def _parsed(answer: str) -> Any:
    """What mem0 reads in an answer, read by its own helpers."""
    from mem0.memory.utils import extract_json, remove_code_blocks

    for read in (remove_code_blocks, lambda text: extract_json(remove_code_blocks(text))):
        try:
            return json.loads(read(answer), strict=False)
        except ValueError:
            continue
    return None


class MessageLog(Part):
    """The database of raw turns. mem0 shows the last ten to its model with every `add`, forgotten or not."""

    def get_last_messages(self, *args: Any, **kwargs: Any) -> list[dict[str, Any]]:
        """The turns, without what restates something forgotten since; none while the ledger is unavailable."""
        return _shortened(self.part.get_last_messages(*args, **kwargs), unread=False)

    def save_messages(self, messages: Sequence[dict[str, Any]], *args: Any, **kwargs: Any) -> None:
        """Keep the turns, shortened: the one that asks to forget restates the fact.

        While the ledger is unavailable they are kept as they are. Nothing of them was stored, and when they are
        replayed, shortened then, mem0 has another chance.
        """
        self.part.save_messages(_shortened(messages, unread=True), *args, **kwargs)


def _shortened(messages: Sequence[dict[str, Any]], *, unread: bool) -> list[dict[str, Any]]:
    turn = current()
    if turn is None:
        return list(messages)
    return [new for message in messages if (new := _shorter(message, turn, unread))["content"] != ""]


def _shorter(message: dict[str, Any], turn: Turn, unread: bool) -> dict[str, Any]:
    text = message.get("content")
    return {**message, "content": turn.shortened(text, unread=unread) if isinstance(text, str) else text}


class VectorStore(Part):
    """The last door: a write that came by no other, and what a search shows. Rows say whose they are.

    `get` and `list` stay as they are, since mem0's own deletes find their rows by them.
    """

    def __init__(self, part: Any, turn_of: Callable[[Scope], Turn]) -> None:
        super().__init__(part)
        self._turn_of = turn_of

    def insert(self, vectors: Any, payloads: Any = None, ids: Any = None) -> Any:
        """Raises Refused: mem0 then writes no history of the row, and goes on with the others one by one."""
        for payload in payloads or ():
            self._ask(payload)
        return self.part.insert(vectors=vectors, payloads=payloads, ids=ids)

    def update(self, vector_id: Any, vector: Any = None, payload: Any = None) -> Any:
        """Raises Refused; the row stays as it is."""
        self._ask(payload or {}, Action.UPDATE, str(vector_id))
        return self.part.update(vector_id=vector_id, vector=vector, payload=payload)

    def search(self, *args: Any, **kwargs: Any) -> Any:
        """The rows found, without what restates something forgotten."""
        return self._shown(self.part.search(*args, **kwargs))

    def keyword_search(self, *args: Any, **kwargs: Any) -> Any:
        """The same; None where the store has no such search."""
        rows = self.part.keyword_search(*args, **kwargs)
        return rows if rows is None else self._shown(rows)

    def _ask(self, payload: Mapping[str, Any], action: Action = Action.ADD, target: str | None = None) -> None:
        turn = current() or self._turn_of(Scope.of(payload))
        turn.ask(payload.get("data"), action, target)

    def _shown(self, rows: Sequence[Any]) -> list[Any]:
        return [row for row in rows if shows(self._turn_of, row.payload or {}, (row.payload or {}).get("data"))]


def shows(turn_of: Callable[[Scope], Turn], fields: Mapping[str, Any], text: object) -> bool:
    """Whether a read may show a row; while the ledger is unavailable it may."""
    if not isinstance(text, str):
        return True
    return not turn_of(Scope.of(fields)).hooks.guard.filter([text], use="read").dropped
