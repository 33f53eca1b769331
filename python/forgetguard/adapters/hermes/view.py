"""What the model gets to see: tool results, and the request that goes out. Only reading: nothing stored changes.

Earlier turns, memory blocks in the system prompt and found sessions restate what was forgotten meanwhile, and a model
that reads it stores it again. What the user says in the running turn passes whole: it may be the wish to forget.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

Read = Callable[[str], str]

# The keys under which requests of all API forms keep words. Signed and encrypted reasoning may not be changed.
WORDS = frozenset(("content", "text", "arguments", "input", "output"))
TOOL_RESULTS = frozenset(("tool_result", "function_call_output"))


def result(found: object, read: Read) -> object:
    """A tool result, scrubbed; JSON stays JSON."""
    return _text(found, read) if isinstance(found, str) else found


def request(sent: Mapping[str, Any], read: Read) -> dict[str, Any] | None:
    """The request with its earlier turns and its system prompt scrubbed; None where nothing changes."""
    name = "messages" if isinstance(sent.get("messages"), list) else "input"
    messages = sent.get(name)
    if not isinstance(messages, list):
        return None
    now = _running_turn(messages)
    changed = {name: [message(one, read) if at < now else one for at, one in enumerate(messages)]}
    changed |= {key: _words(sent[key], read) for key in ("system", "instructions") if key in sent}
    return None if all(sent[key] == value for key, value in changed.items()) else {**sent, **changed}


def _running_turn(messages: list[Any]) -> int:
    """Where the running turn begins: at the last message in which the user says something."""
    spoken = [at for at, one in enumerate(messages) if isinstance(one, dict) and _is_spoken(one)]
    return spoken[-1] if spoken else len(messages)


def _is_spoken(message: Mapping[str, Any]) -> bool:
    """Whether the user says it; some API forms bring tool results under the user's name."""
    if message.get("role") != "user":
        return False
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    return not parts or any(not (isinstance(one, dict) and one.get("type") in TOOL_RESULTS) for one in parts)


def message(given: Any, read: Read) -> Any:
    """A message of any API form with its words scrubbed; everything else stays."""
    if not isinstance(given, dict):
        return given
    kept = {key: _words(value, read) if key in WORDS else value for key, value in given.items()}
    if isinstance(calls := given.get("tool_calls"), list):
        kept["tool_calls"] = _words(calls, read)
    return kept


def _words(value: Any, read: Read) -> Any:
    """The value with every word in it scrubbed, and nothing else."""
    if isinstance(value, str):
        return _text(value, read)
    if isinstance(value, list):
        return [_words(one, read) for one in value]
    if isinstance(value, dict):
        return {key: one if key in ("id", "type", "name", "role") else _words(one, read) for key, one in value.items()}
    return value


def _text(text: str, read: Read) -> str:
    """A text, or the JSON that it is, scrubbed."""
    if not text.strip():
        return text
    tree = _json(text)
    if tree is None:
        return read(text)
    kept = _words(tree, read)
    return text if kept == tree else json.dumps(kept, ensure_ascii=False)


def _json(text: str) -> dict[str, Any] | list[Any] | None:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return tree if isinstance(tree, (dict, list)) else None
