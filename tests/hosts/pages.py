"""The Python of a page in docs/hosts, to be run as one program."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs" / "hosts"


def program(page: str) -> str:
    return "\n".join(re.findall(r"^```python\n(.*?)^```$", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL))
