"""docs/hosts/openclaw.md: its commands run as they stand there, and its tables name what there is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from adapters.openclaw.conftest import Recorded
from forgetguard.adapters.openclaw.hosting import hosted

PAGE = (Path(__file__).parents[3] / "docs/hosts/openclaw.md").read_text()
ENDS = {"verify": (3, 5), "hold": (0,)}  # a purge that is clean leaves nothing open, and structure proves nothing


def test_every_command_of_the_page(recorded: Recorded) -> None:
    assert recorded.forget("--session", "agent:main:alicf", "--yes")[0] == 5, "the typo that is taken back"
    lines = re.findall(r"^    forgetguard (.*)$", PAGE, re.MULTILINE)
    assert len(lines) >= 8
    for line in lines:
        words = shlex.split(line.replace("~/.openclaw", str(recorded.root)))
        code, _, errors = recorded.command(*words)
        assert code in ENDS.get(words[1], (0,)), (line, errors)


def test_every_surface_is_in_the_table(recorded: Recorded) -> None:
    for surface in hosted(recorded.state.agent()).host.surfaces:
        assert f"| `{surface.name}` |" in PAGE
