"""The host's page says what is so."""

from __future__ import annotations

import re
from pathlib import Path

from forgetguard.adapters import totalreclaw
from forgetguard.adapters.totalreclaw import PLACES, seams

PAGE = (Path(__file__).parents[3] / "docs/hosts/totalreclaw.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_its_code_runs(guard):
    first, *others = BLOCKS
    names: dict[str, object] = {"guards": {"0xabc": guard}}
    exec(first, names)
    with names["ForgetGuard"].open() as own:  # type: ignore[attr-defined]
        assert own.status().ledger == "ok"
    for block in others:
        take_out()
        exec(block, names)
    take_out()


def take_out() -> None:
    """Uninstall whatever stands, as a test's end does."""
    from forgetguard.adapters.totalreclaw import installing

    for installation in list(installing._standing):
        installation.uninstall()


def test_it_names_every_place_and_every_seam():
    assert re.findall(r"^\| `([a-z-]+)` \|.*\|.*\|$", PAGE, re.MULTILINE) == [place.name for place in PLACES]
    for seam in seams.REPLACED:
        if seam not in (seams.IMPORT_NOTE, seams.DEBRIEF, seams.AUTO_RECALL_ASYNC):
            assert seam.name in PAGE, str(seam)


def test_the_version_that_it_names_is_the_one_that_is_tested():
    from importlib.metadata import version

    assert f"totalreclaw {version('totalreclaw')} and totalreclaw-core {version('totalreclaw-core')}" in PAGE
    assert totalreclaw.missing() == ()
