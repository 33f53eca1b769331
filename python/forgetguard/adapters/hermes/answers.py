"""What the model is told. Constants: none quotes a memory, for the model would repeat it."""

from __future__ import annotations

import json

RESTATED = (
    "Not saved: this restates something that the user asked to forget, or notes that it was forgotten, so nothing of "
    "this call was carried out. Do not rephrase it and try again, and do not say that it was saved. Only the user can "
    "bring it back, by typing /remember."
)
UNAVAILABLE = (
    "Not saved: the record of what the user asked to forget cannot be read now, so nothing can be saved. Do not say "
    "that it was saved; tell the user that `forgetguard doctor` says why."
)
FAILED = (
    "Not saved: the check against what the user asked to forget failed. Do not say that it was saved; tell the user "
    "that `forgetguard doctor` may say why."
)
NOT_REMOVED = (
    "Not removed: what shall be forgotten could not be written down first, and without that it would come back. Do not "
    "say that it was forgotten; tell the user that `forgetguard doctor` may say why."
)
WITHHELD = "[left out: the user asked to forget this]"
NO_SUMMARY = "[the summary was left out: it could not be checked against what the user asked to forget]"


def failure(message: str) -> str:
    """A tool result that says so, in the form of Hermes' own failures."""
    return json.dumps({"success": False, "error": message})
