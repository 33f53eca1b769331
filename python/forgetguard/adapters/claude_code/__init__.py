"""Claude Code: a hook before each tool call (PreToolUse) that keeps forgotten facts out of its memory.

Its memory is files (CLAUDE.md, the notes under `memory/`) that it writes with its file tools, and whatever memory
servers it is connected to. `asked_of` says which texts a call would put there; `answer` decides on them, by words
alone; `process` is the command around both, `forgetguard hook claude-code`.

1. A call that writes no memory is passed without opening the ledger.
2. Of an edit, only lines that were not in the replaced text count: taking text out always passes.
3. A refusal is a constant sentence. It quotes neither the call nor what was forgotten.
4. Whatever is not understood about a call that may write memory is an error (InvalidInput), never a pass.

Not covered: a shell command that writes to such a file, and what the user writes by hand.
"""

from __future__ import annotations

from forgetguard.adapters.claude_code.answers import REFUSAL, answer, settings
from forgetguard.adapters.claude_code.calls import Asked, Options, asked_of

__all__ = ["REFUSAL", "Asked", "Options", "answer", "asked_of", "settings"]
