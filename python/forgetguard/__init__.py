"""forgetguard: a fact that the user asked to forget stays forgotten.

    from forgetguard import ForgetGuard

    guard = ForgetGuard.open(create=True)
    guard.forget("User is vegetarian")
    guard.check("The user follows a vegetarian diet").action    # drop or hold: not to be stored

Names are imported when they are first used, so `import forgetguard` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from forgetguard.version import VERSION

if TYPE_CHECKING:
    from forgetguard.errors import (
        ForgetGuardError,
        Forgotten,
        InvalidInput,
        InvalidKey,
        InvalidText,
        InvalidVector,
        LedgerFull,
        LedgerUnavailable,
        TextUnreadable,
        UnknownEntry,
    )
    from forgetguard.guard import (
        Decision,
        Filtered,
        Finding,
        ForgetGuard,
        Forgetting,
        Forgot,
        GuardStatus,
        Remembered,
        Scrubbed,
        ScrubbedTree,
        Use,
        Verdict,
    )
    from forgetguard.hooks import Debrief, Decided, Extraction, Hooks, Remembering
    from forgetguard.keys import Key, Passphrase
    from forgetguard.ledger import Fact, ReviewItem
    from forgetguard.rules import (
        BACKEND,
        Explanation,
        ForgottenIndex,
        Match,
        explain,
        is_forget_request,
        match_forgotten,
    )
    from forgetguard.values import Action, Candidate, Entry, Origin, OriginClass, Vector

__version__ = VERSION

_HOMES = {
    "errors": (
        "ForgetGuardError Forgotten InvalidInput InvalidKey InvalidText InvalidVector LedgerFull LedgerUnavailable "
        "TextUnreadable UnknownEntry"
    ),
    "guard": (
        "Decision Filtered Finding ForgetGuard Forgetting Forgot GuardStatus Remembered Scrubbed ScrubbedTree Use "
        "Verdict"
    ),
    "hooks": "Debrief Decided Extraction Hooks Remembering",
    "ledger": "Fact ReviewItem",
    "keys": "Key Passphrase",
    "rules": "BACKEND Explanation ForgottenIndex Match explain is_forget_request match_forgotten",
    "values": "Action Candidate Entry Origin OriginClass Vector",
}
_HOME = {name: f"forgetguard.{module}" for module, names in _HOMES.items() for name in names.split()}

__all__ = [
    "BACKEND",
    "Action",
    "Candidate",
    "Debrief",
    "Decided",
    "Decision",
    "Entry",
    "Explanation",
    "Extraction",
    "Fact",
    "Filtered",
    "Finding",
    "ForgetGuard",
    "ForgetGuardError",
    "Forgetting",
    "Forgot",
    "Forgotten",
    "ForgottenIndex",
    "GuardStatus",
    "Hooks",
    "InvalidInput",
    "InvalidKey",
    "InvalidText",
    "InvalidVector",
    "Key",
    "LedgerFull",
    "LedgerUnavailable",
    "Match",
    "Origin",
    "OriginClass",
    "Passphrase",
    "Remembered",
    "Remembering",
    "ReviewItem",
    "Scrubbed",
    "ScrubbedTree",
    "TextUnreadable",
    "UnknownEntry",
    "Use",
    "Vector",
    "Verdict",
    "__version__",
    "explain",
    "is_forget_request",
    "match_forgotten",
]


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'forgetguard' has no attribute {name!r}")
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
