"""The page about mem0 is true: its Python runs."""

from __future__ import annotations

import json

from hosts.pages import program
from hosts.scripted_model import said


def test_the_page_runs(config, model, monkeypatch):
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    found = {"memory": [{"id": "0", "text": "User is vegetarian"}]}
    model.script = lambda request: json.dumps(found if "vegetarian" in said(request, "user") else {"memory": []})
    names = {"__name__": "page", "config": config}
    exec(compile(program("mem0.md"), "mem0.md", "exec"), names)
    assert len(model.requests) == 1
    assert names["found"].item.payload["data"] == "User is vegetarian"
    assert names["memory"].vector_store.list()[0] == []
    names["memory"].close()
