"""May this session be read? Decided before its transcript is opened, and asked again when the work is committed.

    purpose       policy of the configuration    tombstones    internal sessions
    ingestion     honoured                       honoured      never
    backfill      not asked: a person asked      honoured      never
    indexing      not asked: search, no memory   honoured      never

`forgotten` comes first, so that an excluded session that was forgotten says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from forgetguard.errors import InvalidInput
from forgetguard.provenance.sessions import Session, internal_kind

FORGOTTEN = "forgotten"
CHAT_TYPES = frozenset({"direct", "group", "channel"})
_KEYS = ("hookExternalContentSources", "channels", "chatTypes")


class Purpose(StrEnum):
    """Why a session is to be read."""

    INGESTION = "ingestion"
    BACKFILL = "backfill"
    INDEXING = "indexing"


@dataclass(frozen=True, slots=True)
class Admission:
    """The answer. `reason` is a code, or None when the session may be read.

    `forgotten`, `internal:<kind>`, `hookExternalContentSource:<value>`, `channel:<value>` or `chatType:<value>`.
    """

    allowed: bool
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """Which sources are never ingested; exact and case-sensitive, any one is enough. Taking a rule away re-admits."""

    hook_sources: frozenset[str] = frozenset()
    channels: frozenset[str] = frozenset()
    chat_types: frozenset[str] = frozenset()

    @classmethod
    def from_config(cls, config: Mapping[str, object]) -> Policy:
        """From `{"excludeSessions": {"hookExternalContentSources": [...], "channels": [...], "chatTypes": [...]}}`.

        Values are trimmed. Raises InvalidInput for an unknown key or chat type: a typo would admit in silence.
        """
        rules = config.get("excludeSessions", {})
        if not isinstance(rules, Mapping) or any(key not in _KEYS for key in rules):
            raise InvalidInput("excludeSessions knows hookExternalContentSources, channels and chatTypes")
        hook_sources, channels, chat_types = (_strings(rules.get(key, ())) for key in _KEYS)
        if not chat_types <= CHAT_TYPES:
            raise InvalidInput("a chat type is direct, group or channel")
        return cls(hook_sources, channels, chat_types)

    def exclusion(self, session: Session) -> str | None:
        """The first rule that keeps the session out, as a code, or None."""
        if session.hook_source is not None and session.hook_source in self.hook_sources:
            return f"hookExternalContentSource:{session.hook_source}"
        if session.channel is not None and session.channel in self.channels:
            return f"channel:{session.channel}"
        if session.chat_type is not None and session.chat_type in self.chat_types:
            return f"chatType:{session.chat_type}"
        return None


def _strings(values: object) -> frozenset[str]:
    if not isinstance(values, (list, tuple, set, frozenset)) or not all(isinstance(value, str) for value in values):
        raise InvalidInput("a rule of excludeSessions is a list of strings")
    return frozenset(value.strip() for value in values) - {""}


def decide(session: Session, *, buried: bool, policy: Policy, purpose: Purpose) -> Admission:
    """The pure decision: what `ProvenanceStore.admit` answers once it has looked the tombstone up."""
    if buried:
        return Admission(False, FORGOTTEN)
    kind = internal_kind(session)
    if kind is not None:
        return Admission(False, f"internal:{kind.value}")
    excluded = policy.exclusion(session) if purpose is Purpose.INGESTION else None
    return Admission(excluded is None, excluded)
