"""A context engine: Hermes' own compressor, whose summaries say nothing that the user asked to forget.

A summary outlives the turns that it stands for: it is stored with the session, goes into every later request, and the
next summary is made from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import wraps
from typing import Any

from forgetguard.adapters.hermes import view
from forgetguard.adapters.hermes.room import Room
from forgetguard.adapters.hermes.scope import NAME


def guarded_engine(room: Room, compression: Mapping[str, Any]) -> Any:
    """The engine, with the settings under `compression` in Hermes' configuration.

    The model and its window are told by Hermes, which copies the engine for each agent first.
    """
    from agent.context_compressor import MINIMUM_CONTEXT_LENGTH, ContextCompressor

    @wraps(ContextCompressor.compress)
    def compress(self: Any, messages: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
        before = [one.get("content") for one in messages]
        made = ContextCompressor.compress(self, messages, *args, **kwargs)
        # The next summary is made from this one.
        if isinstance(previous := getattr(self, "_previous_summary", None), str):
            self._previous_summary = room.summary(previous)
        return [one if one.get("content") in before else view.message(one, room.summary) for one in made]

    members = {"compress": compress, "name": property(lambda _: NAME)}
    made = type("GuardedCompressor", (ContextCompressor,), members)
    return made("", quiet_mode=True, config_context_length=MINIMUM_CONTEXT_LENGTH, **_options(compression))


def _options(compression: Mapping[str, Any]) -> dict[str, Any]:
    """The compressor's own settings, read as Hermes reads them."""
    return {
        "threshold_percent": float(compression.get("threshold", 0.50)),
        "protect_first_n": max(0, int(compression.get("protect_first_n", 3))),
        "protect_last_n": int(compression.get("protect_last_n", 20)),
        "summary_target_ratio": float(compression.get("target_ratio", 0.20)),
        "abort_on_summary_failure": str(compression.get("abort_on_summary_failure", False)).lower()
        in ("true", "1", "yes"),
    }
