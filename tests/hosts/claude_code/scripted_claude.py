"""A model for Claude Code: the Messages API on 127.0.0.1, which calls the tools that a test lists, in their order."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any

from hosts.loopback import Loopback

Call = tuple[str, dict[str, Any]]
USAGE = {"input_tokens": 1, "output_tokens": 1}


class ScriptedClaude(Loopback):
    """Calls each tool of `calls`, then says "done". `results`: what it was told about each, and whether it failed."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self.calls = calls
        self.results: dict[str, tuple[bool, str]] = {}
        super().__init__(_handler(self))

    def answer(self, messages: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], str]:
        """The next block of the conversation, and why it stops there."""
        blocks = [block for one in messages if isinstance(one["content"], list) for block in one["content"]]
        for block in blocks:
            if block["type"] == "tool_result":
                self.results[block["tool_use_id"]] = (bool(block.get("is_error")), json.dumps(block.get("content")))
        made = sum(block["type"] == "tool_use" for block in blocks)
        if made == len(self.calls):
            return {"type": "text", "text": "done"}, "end_turn"
        name, given = self.calls[made]
        return {"type": "tool_use", "id": f"call-{made}", "name": name, "input": given}, "tool_use"


def _handler(model: ScriptedClaude) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            given = json.loads(self.rfile.read(int(self.headers["content-length"])))
            # Asides of the program (a title for the session) come without tools.
            aside = ({"type": "text", "text": "-"}, "end_turn")
            block, reason = model.answer(given["messages"]) if given.get("tools") else aside
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for event in _events(block, reason):
                self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

        def do_HEAD(self) -> None:
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            """Quiet."""

    return Handler


def _events(block: dict[str, Any], reason: str) -> Iterator[dict[str, Any]]:
    said = {"id": "message", "type": "message", "role": "assistant", "model": "scripted", "content": []}
    yield {"type": "message_start", "message": {**said, "stop_reason": None, "stop_sequence": None, "usage": USAGE}}
    if block["type"] == "text":
        empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": USAGE}
    yield {"type": "message_stop"}
