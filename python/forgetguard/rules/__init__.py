"""What counts as a restatement of a forgotten fact, and as a request to forget. Pure: no I/O, model or clock."""

from __future__ import annotations

from forgetguard.rules._backend import BACKEND, rules_version
from forgetguard.rules.restatement import (
    Embedding,
    Explanation,
    ForgottenIndex,
    Match,
    Scale,
    explain,
    is_forget_request,
    match_forgotten,
)
from forgetguard.rules.scrubbing import Removed, Scrubbed, scrub
from forgetguard.rules.text import MAX_TEXT

__all__ = [
    "BACKEND",
    "MAX_TEXT",
    "Embedding",
    "Explanation",
    "ForgottenIndex",
    "Match",
    "Removed",
    "Scale",
    "Scrubbed",
    "explain",
    "is_forget_request",
    "match_forgotten",
    "rules_version",
    "scrub",
]
