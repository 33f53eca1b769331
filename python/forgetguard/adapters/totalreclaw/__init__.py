"""TotalReclaw: forgotten facts stay out of its vault, whatever wants to write them there.

    from forgetguard import ForgetGuard
    from forgetguard.adapters import totalreclaw

    totalreclaw.install(ForgetGuard.open(create=True))

1. `totalreclaw_forget` reads text and vector first, writes the intent down, lets the host delete, then commits. Where
   the text cannot be read or the ledger cannot be written, nothing is deleted and the answer says so.
2. Extraction, import, mirror and session crystal are asked about before anything is stored. A dropped UPDATE leaves its
   target; DELETE passes. The host's own tombstones (supersede, contradiction, retype, pin) teach nothing.
3. What the model is shown of the vault goes without what restates.
4. `totalreclaw_remember` releases, before the host's duplicate check. A mirrored write of the built-in memory does not.
5. Installing twice is installing once; `uninstall` gives every function back. Neither stops a running call.

The host's functions are replaced in place, so install in the process that runs the agent. What that process only copies
later is guarded too; what it copied into modules of its own before is not: install first.
"""

from __future__ import annotations

from forgetguard.adapters.totalreclaw.embedding import HostEmbedder
from forgetguard.adapters.totalreclaw.guarded import NOT_FORGOTTEN, NOT_SAVED
from forgetguard.adapters.totalreclaw.installing import Installation, install
from forgetguard.adapters.totalreclaw.places import PLACES
from forgetguard.adapters.totalreclaw.seams import missing

__all__ = ["NOT_FORGOTTEN", "NOT_SAVED", "PLACES", "HostEmbedder", "Installation", "install", "missing"]
