from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

import forgetguard
from guarding import home

__all__ = ["home"]

PACKAGE = str(Path(forgetguard.__file__).parent.parent)


@dataclass
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def cli(home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """Runs the command line in this process, in the test's own home: the word data is read once."""
    from forgetguard.cli import main

    def run(*arguments: str, given: str | bytes = "", **variables: str) -> Done:
        data = given.encode() if isinstance(given, str) else given
        streams = [TextIOWrapper(BytesIO(one), "utf-8") for one in (data, b"", b"")]
        with monkeypatch.context() as patch:
            for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
                patch.setattr(sys, name, stream)
            for name, value in variables.items():
                patch.setenv(name, value)
            code = main(arguments)
        out, err = (_content(stream) for stream in streams[1:])
        assert "Traceback" not in err
        return Done(code, out, err)

    return run


def _content(stream: TextIOWrapper) -> str:
    stream.flush()
    raw = stream.buffer
    assert isinstance(raw, BytesIO)
    return raw.getvalue().decode()


@pytest.fixture
def command(home: Path) -> Callable[..., Done]:
    """Runs `python -m forgetguard`, as a user would."""

    def run(*arguments: str, given: str = "", **variables: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "forgetguard", *arguments],
            input=given,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": PACKAGE, **variables},
            timeout=120,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def ready(cli: Callable[..., Done]) -> Callable[..., Done]:
    """The same, with a ledger that holds one fact."""
    assert cli("init").code == 0
    assert cli("forget", given="User is vegetarian").code == 0
    return cli
