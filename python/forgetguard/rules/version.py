"""Which rules these are."""

from __future__ import annotations

RULES_VERSION = "1"
"""Changes whenever any text could get another answer than before. The fixtures carry the same number."""


def rules_version() -> str:
    """The version of the rules that this implementation follows."""
    return RULES_VERSION
