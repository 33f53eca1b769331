"""An MCP server over stdio that writes down what it is told to remember: the tools of the reference memory server."""

from __future__ import annotations

import json
import sys
from typing import Any

TOOL = {
    "name": "add_observations",
    "description": "Add observations to entities.",
    "inputSchema": {"type": "object", "properties": {"observations": {"type": "array"}}},
}


def answer(request: dict[str, Any], kept: str) -> dict[str, Any]:
    method = request["method"]
    if method == "initialize":
        version = request["params"]["protocolVersion"]
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "m", "version": "1"}}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        with open(kept, "a", encoding="utf-8") as file:
            file.write(json.dumps(request["params"]["arguments"]) + "\n")
        return {"content": [{"type": "text", "text": "added"}]}
    return {}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        reply = {"jsonrpc": "2.0", "id": request["id"], "result": answer(request, sys.argv[1])}
        print(json.dumps(reply), flush=True)
