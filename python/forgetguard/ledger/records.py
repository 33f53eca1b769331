"""The body of a record: a fixed binary layout, padded to buckets of 256 bytes.

Padding hides the length of a text up to a bucket; a fixed layout opens 100,000 records in seconds where JSON would not.
All numbers are little-endian. The layout is written down, with a worked example, in docs/ledger-format.md.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from forgetguard.errors import InvalidInput, InvalidText, InvalidVector
from forgetguard.values import Origin, OriginClass, Vector

ID_BYTES: Final = 16
REVISION_BYTES: Final = 8
BUCKET: Final = 256
MAX_TEXT_BYTES: Final = 16 * 1024 * 1024
MAX_NAME_BYTES: Final = 4096
MAX_DIMENSION: Final = 65_536
MAX_REASON_BYTES: Final = 64

HAS_ORIGIN: Final = 1
HAS_VECTOR: Final = 2

# kind, flags, origin class, reason length | entry id, time, observed at | lengths: agent, session, session key, model
# | payload length, dimension | scale. Then in this order: reason, agent, session, session key, model, payload, vector.
PREFIX: Final = struct.Struct("<BBBB16sddHHHHIId")
ORIGIN_CLASSES: Final = (OriginClass.OWNER, OriginClass.AGENT, OriginClass.UNTRUSTED, OriginClass.SYSTEM)
MAX_KNOWN_CODES: Final = 256
REPLACEABLE: Final = (0, 2, 3, 4)  # what a hole may say it was: nothing, commit, abort, release
NO_ID: Final = bytes(ID_BYTES)


class Kind(IntEnum):
    """The types of records."""

    FORGET = 1
    COMMIT = 2
    ABORT = 3
    RELEASE = 4
    ERASE = 5
    HOLE = 6
    VECTOR = 7


@dataclass(frozen=True, slots=True)
class Fact:
    """What is to be forgotten: its text and, where the host has one, its vector.

    `origin` overrides that of the call.
    """

    text: str = field(repr=False)
    vector: Vector | None = field(default=None, repr=False)
    origin: Origin | None = None


# Not frozen, alone among our values: a frozen one takes three times as long to make, a tenth of opening a large ledger.
@dataclass(slots=True)
class Record:
    """One opened record. `entry` is the id of a *forget* or a *vector*; `ids` are those that any other kind names.

    A *hole* keeps the kind it replaced in `replaced`, and in `ids` what that record said about entries not erased.
    A *vector* gives the entry another embedding; of several the one with the highest `revision` (from 1) counts.
    """

    kind: Kind
    time: float
    entry: bytes = NO_ID
    text: str = field(default="", repr=False)
    vector: Vector | None = field(default=None, repr=False)
    reason: str = ""
    origin: Origin | None = None
    ids: tuple[bytes, ...] = ()
    replaced: int = 0
    revision: int = 0


def clean_text(text: object) -> str:
    """The text as it is stored: lone surrogates become U+FFFD. Raises InvalidText for what is no fact."""
    if not isinstance(text, str):
        raise InvalidText("the text of a fact is not a str")
    if not text.strip():
        raise InvalidText("the text of a fact is empty")
    text = without_lone_surrogates(text)
    if len(text.encode("utf-8")) > MAX_TEXT_BYTES:
        raise InvalidText("the text of a fact is longer than 16 MiB")
    return text


def without_lone_surrogates(text: str) -> str:
    """The text as UTF-8 can hold it: each lone surrogate is U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def encode(record: Record) -> bytes:
    """The padded body. Raises InvalidText, InvalidVector or InvalidInput where a field does not fit the layout."""
    try:
        return _encode(record)
    except (struct.error, AttributeError, TypeError, ValueError, OverflowError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput("a field of an origin or a vector cannot be recorded") from None


def _encode(record: Record) -> bytes:
    origin, vector = record.origin or Origin(), record.vector
    reason = _name(record.reason, MAX_REASON_BYTES)
    names = [_name(value, MAX_NAME_BYTES) for value in (origin.agent_id, origin.session_id, origin.session_key)]
    model = _name(vector.model if vector else "", MAX_NAME_BYTES)
    if vector is None and record.kind is Kind.VECTOR:
        raise InvalidVector("there is no vector to record")
    if vector is not None and not (0 < len(vector.values) <= MAX_DIMENSION and math.isfinite(vector.scale)):
        raise InvalidVector("the vector has no or too many dimensions, or no finite scale")
    payload = _payload(record)
    prefix = PREFIX.pack(
        record.kind,
        (HAS_ORIGIN if record.origin is not None else 0) | (HAS_VECTOR if vector is not None else 0),
        record.replaced if record.kind is Kind.HOLE else ORIGIN_CLASSES.index(origin.origin_class),
        len(reason),
        record.entry,
        record.time,
        origin.observed_at,
        *map(len, names),
        len(model),
        len(payload),
        len(vector.values) if vector is not None else 0,
        vector.scale if vector is not None else 0.0,
    )
    body = b"".join((prefix, reason, *names, model, payload, vector.values if vector is not None else b""))
    return body.ljust(padded_size(len(body)), b"\0")


def _payload(record: Record) -> bytes:
    if record.kind is Kind.FORGET:
        return record.text.encode("utf-8")
    if record.kind is Kind.VECTOR:
        return record.revision.to_bytes(REVISION_BYTES, "little")
    return b"".join(record.ids)


def padded_size(length: int) -> int:
    """The size of the bucket that holds `length` bytes."""
    return -(-length // BUCKET) * BUCKET


def decode(body: bytes) -> Record | None:
    """The record in a body, or None where it is not one that this format writes."""
    try:
        (
            kind, flags, origin_class, reason_size, entry, time, observed_at, agent_size, session_size, key_size,
            model_size, payload_size, dimension, scale,
        ) = PREFIX.unpack_from(body)  # fmt: skip
        if flags > (HAS_ORIGIN | HAS_VECTOR):
            return None
        names = PREFIX.size + reason_size
        reason = _code(body[PREFIX.size : names])
        session = names + agent_size
        key = session + session_size
        model = key + key_size
        payload = model + model_size
        values = payload + payload_size
        end = values + dimension
        if len(body) != padded_size(end):
            return None
        origin = vector = None
        if flags & HAS_ORIGIN:
            agent, opened, sent = body[names:session], body[session:key], body[key:model]
            origin_of = ORIGIN_CLASSES[origin_class]
            origin = Origin(agent.decode("utf-8"), opened.decode("utf-8"), sent.decode("utf-8"), origin_of, observed_at)
        if flags & HAS_VECTOR:
            vector = Vector(body[values:end], scale, _code(body[model:payload]))
        if kind == Kind.VECTOR:
            if vector is None or payload_size != REVISION_BYTES:
                return None
            revision = int.from_bytes(body[payload:values], "little")
            return Record(Kind.VECTOR, time, entry, "", vector, reason, origin, revision=revision)
        if kind != Kind.FORGET:
            replaced = origin_class if kind == Kind.HOLE else 0
            if replaced not in REPLACEABLE:
                return None
            return Record(Kind(kind), time, entry, "", None, reason, origin, split_ids(body[payload:values]), replaced)
        return Record(Kind.FORGET, time, entry, body[payload:values].decode("utf-8"), vector, reason, origin)
    except (struct.error, ValueError, IndexError):
        return None


_CODES: dict[bytes, str] = {}


def _code(raw: bytes) -> str:
    """A reason or a model id: few of them, each in many records, so each is one string. Never a memory's text."""
    known = _CODES.get(raw)
    if known is None:
        known = raw.decode("utf-8")
        if len(_CODES) < MAX_KNOWN_CODES:
            _CODES[raw] = known
    return known


def is_canonical(record: Record, body: bytes) -> bool:
    """Whether `body` is byte for byte what this version writes for `record` (padding included)."""
    try:
        return encode(record) == body
    except InvalidInput:
        return False


def split_ids(payload: bytes) -> tuple[bytes, ...]:
    """The ids in a payload. Raises ValueError where it is cut within one."""
    if len(payload) % ID_BYTES:
        raise ValueError("ids are 16 bytes each")
    return tuple(payload[at : at + ID_BYTES] for at in range(0, len(payload), ID_BYTES))


def id_bytes(ids: Sequence[str]) -> tuple[bytes, ...] | None:
    """The ids as bytes, or None where one is not 32 hex digits (and so names nothing)."""
    try:
        raw = tuple(bytes.fromhex(one) for one in ids)
    except (ValueError, TypeError):
        return None
    return raw if all(len(one) == ID_BYTES for one in raw) else None


def _name(value: str, limit: int) -> bytes:
    if not isinstance(value, str):
        raise InvalidInput("a reason, origin or model id is not a str")
    encoded = without_lone_surrogates(value).encode("utf-8")
    if len(encoded) > limit:
        raise InvalidInput("a reason, origin or model id is too long to be recorded")
    return encoded
