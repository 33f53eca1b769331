"""The stand-in for a model answers as clients expect."""

from __future__ import annotations

import base64
import contextlib
import json
import struct
import urllib.error
import urllib.request

import pytest

from hosts.scripted_model import ScriptedModel, call, embed, said


def post(url: str, body: dict) -> bytes:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read()


def chat(model: ScriptedModel, text: str, **options: object) -> bytes:
    body = {"model": "m", "messages": [{"role": "user", "content": text}], **options}
    return post(f"{model.base_url}/chat/completions", body)


def test_a_text_and_a_tool_call():
    script = lambda request: call("save", text="x") if "tool" in said(request, "user") else "Noted."  # noqa: E731
    with ScriptedModel(script) as model:
        assert json.loads(chat(model, "hi"))["choices"][0]["message"] == {"role": "assistant", "content": "Noted."}
        made = json.loads(chat(model, "use the tool"))["choices"][0]
        assert made["finish_reason"] == "tool_calls"
        assert json.loads(made["message"]["tool_calls"][0]["function"]["arguments"]) == {"text": "x"}
        assert [said(request) for request in model.requests] == ["hi", "use the tool"]


def test_a_stream_ends():
    with ScriptedModel(lambda request: "Noted.") as model:
        lines = chat(model, "hi", stream=True).decode().split("\n\n")
    assert json.loads(lines[0].removeprefix("data: "))["choices"][0]["delta"]["content"] == "Noted."
    assert lines[1] == "data: [DONE]"


def test_embeddings_are_the_same_in_both_encodings():
    with ScriptedModel(lambda request: "") as model:
        url = f"{model.base_url}/embeddings"
        plain = json.loads(post(url, {"input": ["red apples", ""]}))["data"]
        packed = json.loads(post(url, {"input": "red apples", "encoding_format": "base64"}))["data"][0]["embedding"]
    assert plain[0]["embedding"] == embed("red apples") == embed("apples, RED!")
    numbers = struct.unpack(f"<{len(embed('x'))}f", base64.b64decode(packed))
    assert numbers == pytest.approx(embed("red apples"))
    assert sum(x * x for x in plain[1]["embedding"]) == pytest.approx(1.0)


def test_a_script_that_fails_fails_the_test():
    def script(request: dict) -> str:
        raise LookupError("not in the script")

    model = ScriptedModel(script)
    with pytest.raises(LookupError, match="not in the script"), model, contextlib.suppress(urllib.error.HTTPError):
        chat(model, "hi")
