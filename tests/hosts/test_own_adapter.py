"""The page "write your own adapter" is true: its host, its adapter and its test run."""

from __future__ import annotations

from guarding import home  # noqa: F401 - fixture
from hosts.pages import program


def test_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    code = program("own-adapter.md")
    assert code.count("assert") >= 6
    exec(compile(code, "own-adapter.md", "exec"), {"__name__": "page"})
