"""A model for tests: an OpenAI-compatible server on 127.0.0.1 that answers what a script says. Standard library only.

    with ScriptedModel(lambda request: "Noted.") as model:
        OpenAI(base_url=model.base_url, api_key="x")

Chat completions (whole and streamed) come from the script; embeddings are bags of words, so texts that share words are
near each other, and the same text has the same vector everywhere. Nothing else is answered: a host that calls another
service fails its test.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import math
import re
import struct
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import Any

from hosts.loopback import Loopback

Request = dict[str, Any]
Message = dict[str, Any]
Script = Callable[[Request], str | Message]

DIMENSIONS = 256
MODEL = "scripted"
USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
_IDS = itertools.count()  # one id a call: a host takes a repeated one for a repeated call


def call(name: str, /, **arguments: object) -> Message:
    """The message of a model that calls one tool."""
    return calls((name, arguments))


def calls(*wanted: tuple[str, dict[str, object]]) -> Message:
    """The message of a model that calls several tools at once."""
    made = [
        {"id": f"call_{next(_IDS)}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for name, arguments in wanted
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


def said(request: Request, role: str | None = None) -> str:
    """Everything that a request says (in one role), as one text."""
    return "\n".join(_text(m.get("content")) for m in request["messages"] if role in (None, m["role"]))


def _text(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def embed(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """A bag of words by feature hashing, of length 1; a text without words has one fixed direction."""
    vector = [0.0] * dimensions
    for word in re.findall(r"\w+", text.lower()) or ["\0"]:
        digest = hashlib.sha256(word.encode()).digest()
        vector[int.from_bytes(digest[:4], "big") % dimensions] += 1.0 if digest[4] & 1 else -1.0
    norm = math.sqrt(sum(x * x for x in vector)) or 1.0
    return [x / norm for x in vector] if any(vector) else [1.0, *vector[1:]]


class ScriptedModel(Loopback):
    """The server, from `with` to its end. A script that raised fails the test at that end.

    `requests` are the bodies of all chat requests so far, in order; `embedded` all texts that were embedded.
    """

    def __init__(self, script: Script, *, dimensions: int = DIMENSIONS) -> None:
        self.script = script
        self.dimensions = dimensions
        self.requests: list[Request] = []
        self.embedded: list[str] = []
        self._failures: list[Exception] = []
        super().__init__(_Handler)
        self._server.owner = self  # type: ignore[attr-defined]

    @property
    def base_url(self) -> str:
        """For `base_url=` or OPENAI_BASE_URL; it ends with /v1."""
        return f"{super().base_url}/v1"

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        if self._failures and error is None:
            raise self._failures[0]

    def message(self, request: Request) -> Message:
        """What the model says to a chat request."""
        self.requests.append(request)
        try:
            answer = self.script(request)
        except Exception as error:
            self._failures.append(error)
            raise
        return {"role": "assistant", "content": answer} if isinstance(answer, str) else {"role": "assistant", **answer}

    def embeddings(self, request: Request) -> dict[str, Any]:
        """The answer to a request for embeddings; as floats or, where that is asked for, as base64 of float32."""
        texts = [request["input"]] if isinstance(request["input"], str) else list(map(str, request["input"]))
        self.embedded += texts
        vectors: list[Any] = [embed(text, request.get("dimensions") or self.dimensions) for text in texts]
        if request.get("encoding_format") == "base64":
            vectors = [base64.b64encode(struct.pack(f"<{len(v)}f", *v)).decode() for v in vectors]
        data = [{"object": "embedding", "index": n, "embedding": vector} for n, vector in enumerate(vectors)]
        return {"object": "list", "model": request.get("model", MODEL), "data": data, "usage": USAGE}


def _completion(request: Request, message: Message, *, chunk: bool = False) -> dict[str, Any]:
    reason = "tool_calls" if message.get("tool_calls") else "stop"
    choice = {"index": 0, "finish_reason": reason, "delta" if chunk else "message": message}
    kind = "chat.completion.chunk" if chunk else "chat.completion"
    model = request.get("model", MODEL)
    return {"id": "scripted", "object": kind, "created": 0, "model": model, "choices": [choice], "usage": USAGE}


def _chunks(request: Request, message: Message) -> Iterator[bytes]:
    indexed = [{**one, "index": n} for n, one in enumerate(message.get("tool_calls") or ())]
    delta = {**message, "tool_calls": indexed} if indexed else message
    for data in (json.dumps(_completion(request, delta, chunk=True)), "[DONE]"):
        yield f"data: {data}\n\n".encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        found = self.path.rstrip("/").endswith("/models")
        models = {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "tests"}]}
        self._send(200 if found else 404, json.dumps(models if found else _error("no such path")).encode())

    def do_POST(self) -> None:
        owner: ScriptedModel = self.server.owner  # type: ignore[attr-defined]
        request = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        try:
            if self.path.endswith("/chat/completions"):
                self._chat(request, owner.message(request))
            elif self.path.endswith("/embeddings"):
                self._send(200, json.dumps(owner.embeddings(request)).encode())
            else:
                self._send(404, json.dumps(_error("no such path")).encode())
        except BrokenPipeError:
            pass
        except Exception:  # noqa: BLE001 - the test's end raises what the script raised
            # 400: clients try a 500 again, with waits between.
            self._send(400, json.dumps(_error("the script failed")).encode())

    def _chat(self, request: Request, message: Message) -> None:
        if request.get("stream"):
            self._send(200, b"".join(_chunks(request, message)), "text/event-stream")
        else:
            self._send(200, json.dumps(_completion(request, message)).encode())

    def _send(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet: what a test prints is pytest's business."""


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "scripted", "code": None}}
