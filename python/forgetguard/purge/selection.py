"""What the operator names, and which sessions that is.

Ids and values are exact and case-sensitive: `prefix` is neither `prefix-survivor` nor `PREFIX`. A session goes whole;
an origin class selects the sessions in which a memory of that class was observed. `since` only ever narrows.

A narrow selector given with a wide one (a session and a whole channel) is refused: read as a union it purges far more
than the narrow one says, and read as an intersection it is the narrow one alone. `union` says that the union is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from enum import StrEnum

from forgetguard.errors import InvalidInput, NothingMatched, Refused
from forgetguard.provenance import Session
from forgetguard.purge.host import Lineage
from forgetguard.values import OriginClass


class Source(StrEnum):
    """How a session is known: to the host, in an archive, only as an origin, only by its tombstone, not at all."""

    LIVE = "live"
    ARCHIVED = "archived"
    ORIGIN = "origin"
    TOMBSTONE = "tombstone"
    UNRESOLVED = "unresolved"


@dataclass(frozen=True, slots=True)
class Selection:
    """Selectors; several of one width are a union. `sessions` are session ids or keys. `since` is in Unix seconds."""

    sessions: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    hook_sources: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()
    chat_types: tuple[str, ...] = ()
    origin_classes: tuple[OriginClass, ...] = ()
    since: float | None = None
    allow_unresolved: bool = False
    union: bool = False

    def __post_init__(self) -> None:
        for name in _WIDTH:
            given = getattr(self, name)
            if isinstance(given, str) or not all(isinstance(value, str) for value in given):
                raise InvalidInput("a selector is a tuple of strings")
        if not any(self.values().values()):
            raise InvalidInput("a purge needs a selector", advice="Name a session, a person or a source.")
        if any(not value for values in self.values().values() for value in values):
            raise InvalidInput("a selector is empty")
        widths = {_WIDTH[name] for name, values in self.values().items() if values}
        if len(widths) > 1 and not self.union:
            raise Refused(
                "a narrow selector stands beside a wide one",
                code="mixed-selectors",
                advice="Run them one after the other, or pass `--union` if all that any of them names should go.",
            )

    def values(self) -> dict[str, tuple[str, ...]]:
        """The selector values by field name."""
        return {name: tuple(map(str, getattr(self, name))) for name in _WIDTH}

    def as_json(self) -> dict[str, object]:
        """For a plan: camel case, without empty fields."""
        given: dict[str, object] = {_camel(name): list(values) for name, values in self.values().items() if values}
        return given | {_camel(name): getattr(self, name) for name in _OPTIONS if getattr(self, name)}

    @classmethod
    def from_json(cls, given: Mapping[str, object]) -> Selection:
        """The reverse of `as_json`. Raises InvalidInput."""
        names = {_camel(one.name): one.name for one in fields(cls)}
        if any(key not in names for key in given):
            raise InvalidInput("the plan has an unknown selector")
        read = {names[key]: tuple(value) if isinstance(value, list) else value for key, value in given.items()}
        if "origin_classes" in read:
            read["origin_classes"] = origin_classes(map(str, read["origin_classes"]))  # type: ignore[call-overload]
        return cls(**read)  # type: ignore[arg-type]


_WIDTH = {"sessions": 0, "participants": 1, "hook_sources": 1, "channels": 2, "chat_types": 2, "origin_classes": 2}
_OPTIONS = ("since", "allow_unresolved", "union")


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def origin_classes(values: Iterable[str]) -> tuple[OriginClass, ...]:
    """The classes by name. Raises InvalidInput."""
    try:
        return tuple(OriginClass(value) for value in values)
    except ValueError:
        raise InvalidInput("an origin class is owner, agent, untrusted or system") from None


def parse_since(text: str) -> float:
    """An ISO date or time (UTC where no zone is given) in Unix seconds. Raises InvalidInput."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(
            "the date is not an ISO date", advice="Write it as 2026-11-30 or 2026-11-30T12:00:00Z."
        ) from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


@dataclass(frozen=True, slots=True)
class Selected:
    """A session that goes, and how it is known."""

    session_id: str
    session_key: str = ""
    source: Source = Source.LIVE

    def as_json(self) -> dict[str, str]:
        """`sessionKey` is left out where it is not known."""
        given = {"sessionId": self.session_id, "sessionKey": self.session_key, "source": self.source.value}
        return {key: value for key, value in given.items() if value}


@dataclass(frozen=True, slots=True)
class Resolution:
    """The sessions of a selection, by id; who was matched in which namespace; what a legal hold keeps."""

    sessions: tuple[Selected, ...] = ()
    participant_matches: tuple[tuple[str, tuple[str, ...]], ...] = ()
    held: tuple[tuple[str, str], ...] = ()
    unmatched: tuple[tuple[str, str], ...] = field(default=())

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(one.session_id for one in self.sessions)


def resolve(selection: Selection, lineage: Lineage) -> Resolution:
    """The sessions that a selection names now.

    Raises NothingMatched when a selector matches nothing, unless allowed.
    """
    known = list(lineage.known_sessions())
    origins = list(lineage.session_origins())
    found, matched = _match_known(selection, known)
    _match_origins(selection, origins, found, matched, {one.session_id: one for one in known})
    found, too_old = _since(selection, known, found)
    unmatched = _unmatched(selection, matched)
    buried = lineage.buried(value for name, value in unmatched if name == "sessions")
    unmatched = [(name, value) for name, value in unmatched if name != "sessions" or value not in buried]
    for value in sorted(buried):
        found.setdefault(value, Selected(value, source=Source.TOMBSTONE))
    if unmatched and not selection.allow_unresolved:
        raise NothingMatched("a selector matches nothing, so nothing was written")
    for name, value in unmatched:
        if name == "sessions":
            found.setdefault(value, Selected(value, source=Source.UNRESOLVED))
    if not found:
        raise NothingMatched("no session is that new" if too_old else "the selectors match no session")
    holds = lineage.holds()
    return Resolution(
        tuple(found[key] for key in sorted(found) if key not in holds),
        _participants(selection, [one for one in known if one.session_id in found]),
        tuple((key, holds[key]) for key in sorted(found) if key in holds),
        tuple(unmatched),
    )


_Matched = set[tuple[str, str]]


def _match_known(selection: Selection, known: Sequence[Session]) -> tuple[dict[str, Selected], _Matched]:
    found: dict[str, Selected] = {}
    matched: _Matched = set()
    wanted = {name: frozenset(values) for name, values in selection.values().items()}
    for session in known:
        has: dict[str, set[str | None]] = {
            "sessions": {session.session_id, session.session_key},
            "participants": {one.actor_id for one in session.participants},
            "hook_sources": {session.hook_source},
            "channels": {session.channel},
            "chat_types": {session.chat_type},
        }
        hits = {(name, value) for name, own in has.items() for value in wanted[name] & own}
        matched |= hits
        if hits:
            found[session.session_id] = _selected(session)
    return found, matched


def _selected(session: Session) -> Selected:
    return Selected(session.session_id, session.session_key, Source.ARCHIVED if session.archived else Source.LIVE)


def _match_origins(
    selection: Selection,
    origins: Sequence[tuple[str, str, OriginClass]],
    found: dict[str, Selected],
    matched: _Matched,
    known: Mapping[str, Session],
) -> None:
    wanted = frozenset(selection.sessions)
    for session_id, session_key, origin_class in origins:
        hits = {("sessions", value) for value in wanted & {session_id, session_key}}
        if origin_class in selection.origin_classes:
            hits.add(("origin_classes", origin_class.value))
        matched |= hits
        if hits and session_id in known:
            found.setdefault(session_id, _selected(known[session_id]))
        elif hits:
            found.setdefault(session_id, Selected(session_id, session_key, Source.ORIGIN))


def _since(
    selection: Selection, known: Sequence[Session], found: dict[str, Selected]
) -> tuple[dict[str, Selected], bool]:
    """Without the sessions that began earlier, and whether there were any.

    One without a date is not known to be new.
    """
    if selection.since is None:
        return found, False
    new = {session.session_id for session in known if session.created_at >= selection.since}
    kept = {key: value for key, value in found.items() if key in new}
    return kept, len(kept) < len(found)


def _unmatched(selection: Selection, matched: _Matched) -> list[tuple[str, str]]:
    given = selection.values()
    return [(name, value) for name, values in given.items() for value in values if (name, value) not in matched]


def _participants(selection: Selection, sessions: Sequence[Session]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Every namespace in which a participant's id was met: one id may be two people."""
    met: dict[str, set[str]] = {}
    for session in sessions:
        for one in session.participants:
            if one.actor_id in selection.participants:
                met.setdefault(one.actor_id, set()).add(one.namespace)
    return tuple((actor, tuple(sorted(spaces))) for actor, spaces in sorted(met.items()))
