"""The demo: a recorded conversation, replayed through a small memory host without the guard and with it."""

from __future__ import annotations

from forgetguard.demo.story import Result, replay

__all__ = ["Result", "replay"]
