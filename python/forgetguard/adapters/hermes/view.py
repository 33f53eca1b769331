"""What the model gets to see: tool results, and the request that goes out. Only reading: nothing stored changes.

Earlier turns, memory blocks in the system prompt and found sessions restate what was forgotten meanwhile, and a model
that reads it stores it again. What the user says in the running turn passes whole: it may be the wish to forget.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from forgetguard.adapters.texts import structure

Read = Callable[[str], str]

# The keys under which messages of all API forms keep words, and parts with words. Pictures are not looked at, and
# reasoning that is signed or enciphered may not be changed.
WORDS = frozenset(("content", "text", "arguments", "input", "output"))
PARTS = frozenset(("tool_calls", "function"))
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
    changed |= {key: message(sent[key], read) for key in ("system", "instructions") if key in sent}
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
    """A message of any API form, or a part of one, with its words scrubbed; everything else stays."""
    if isinstance(given, str):
        return _text(given, read)
    if isinstance(given, list):
        return [message(one, read) for one in given]
    if not isinstance(given, dict):
        return given
    return {key: _member(key, value, read) for key, value in given.items()}


def _member(key: str, value: Any, read: Read) -> Any:
    if key in PARTS:
        return message(value, read)
    if key not in WORDS:
        return value
    return _tree(value, read) if isinstance(value, dict) else message(value, read)


def _tree(value: Any, read: Read) -> Any:
    """A structure with every string in it scrubbed."""
    if isinstance(value, str):
        return _text(value, read)
    if isinstance(value, list):
        return [_tree(one, read) for one in value]
    return {key: _tree(one, read) for key, one in value.items()} if isinstance(value, dict) else value


def _text(text: str, read: Read) -> str:
    """A text, or the JSON that it is, scrubbed."""
    if not text.strip():
        return text
    tree = structure(text)
    if isinstance(tree, str):
        return read(text)
    try:
        kept = _tree(tree, read)
    except RecursionError:
        return read(text)
    return text if kept == tree else json.dumps(kept, ensure_ascii=False)
