"""An MCP server over one vault and one purge description, spoken over stdin and stdout: `forgetguard mcp`.

The client is a model, and so is whoever reads its transcript. Guarantees (each has a test that fails when it is broken)
1. No result and no error holds text of the ledger or of a purged memory: only ids, dates, codes, counts and positions.
   What `scrub` answers with is the caller's own text, shortened.
2. An unknown parameter is refused; an error is a code with a constant message, and never quotes what was given.
3. `forget`, `release` and `purge` are done in two steps, with a token that is good once, for a while, for just what was
   previewed, and only as long as nothing of it changed.
4. stdout carries the protocol alone; what is logged on stderr holds codes and places in the code.
5. While the ledger is unavailable, or there is no key yet, every tool answers, as `guard.policy` says.

Not guaranteed: that a model asks. A client that writes to its memory without `filter` is not stopped.
"""

from __future__ import annotations

from forgetguard.adapters.mcp.server import serve
from forgetguard.adapters.mcp.tokens import DEFAULT_SECONDS

__all__ = ["DEFAULT_SECONDS", "serve"]
