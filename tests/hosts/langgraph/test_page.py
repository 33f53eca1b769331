"""The page about LangGraph is true: its Python runs."""

from __future__ import annotations

from hosts.pages import program


def test_the_page_runs(monkeypatch):
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    exec(compile(program("langgraph.md"), "langgraph.md", "exec"), {"__name__": "page"})
