"""The header of a ledger: which vault this is, and the root under the host's key.

1. A header that was hit by accident is told from a wrong key: SHA-256 over all fields, checked first.
2. Whoever lacks the key cannot change a field unnoticed: a MAC under the root over all fields, checked after
   unwrapping.
3. A hostile cost or length is refused before anything is computed from it.
4. While a re-keying is unfinished two wraps of the same root stand side by side; either key opens.
"""

from __future__ import annotations

import hashlib
import secrets
import struct
from dataclasses import dataclass, field, replace
from hmac import compare_digest
from typing import Final

from forgetguard.errors import LedgerUnavailable
from forgetguard.keys import SALT_BYTES, KeySource, cost_is_sane
from forgetguard.ledger.sealing import OVERHEAD, join, mac, seal, split, subkey, unseal

MAGIC: Final = b"FGLEDGER"
FORMAT: Final = 1
VAULT_BYTES: Final = 16
ROOT_BYTES: Final = 32
DEVICE_BYTES: Final = 16
WRAPPED_BYTES: Final = ROOT_BYTES + OVERHEAD
MAX_EPOCH: Final = 2**32 - 1

WRAP_FIELDS: Final = ("kdf", "salt", "passes", "memory_kib", "wrapped")
COLUMNS: Final = (
    "magic", "format", "vault", "epoch", *WRAP_FIELDS, *(f"next_{name}" for name in WRAP_FIELDS), "digest", "mac",
)  # fmt: skip

Cell = bytes | str | int | None


@dataclass(frozen=True, slots=True)
class Wrap:
    """The root under one key: how the key is derived, and the sealed root."""

    kdf: str
    salt: bytes
    passes: int
    memory_kib: int
    wrapped: bytes

    def is_sane(self) -> bool:
        """Whether types, lengths and cost are those that this format allows."""
        if not (_is(self.salt, SALT_BYTES) and _is(self.wrapped, WRAPPED_BYTES)):
            return False
        if not (isinstance(self.passes, int) and isinstance(self.memory_kib, int)):
            return False
        if self.kdf == "raw":
            return (self.passes, self.memory_kib) == (0, 0)
        return self.kdf == "argon2id" and cost_is_sane(self.passes, self.memory_kib)

    def encoded(self) -> bytes:
        """The wrap as bytes, for the header's MAC and for an export."""
        numbers = struct.pack("<II", self.passes, self.memory_kib)
        return join((self.kdf.encode("ascii", "replace"), self.salt, numbers, self.wrapped))

    @classmethod
    def decoded(cls, encoded: bytes) -> Wrap:
        """The wrap in the bytes of `encoded`. Raises ValueError, struct.error."""
        kdf, salt, numbers, wrapped = split(encoded)
        passes, memory_kib = struct.unpack("<II", numbers)
        return cls(kdf.decode("ascii"), salt, passes, memory_kib, wrapped)


@dataclass(frozen=True, slots=True)
class Secrets:
    """The root of a vault at one epoch, and the sub-keys drawn from it."""

    root: bytes = field(repr=False)
    vault: bytes
    epoch: int

    def key(self, purpose: str) -> bytes:
        """The sub-key of one purpose."""
        return subkey(self.root, self.vault, purpose)

    def context(self) -> bytes:
        """What every associated data begins with: magic, format, vault id, epoch."""
        return _context(self.vault, self.epoch)


@dataclass(frozen=True, slots=True)
class Header:
    """One row of the table `header`."""

    vault: bytes
    epoch: int
    wrap: Wrap
    next_wrap: Wrap | None = None
    digest: bytes = b""
    mac: bytes = b""

    @classmethod
    def create(cls, source: KeySource) -> tuple[Header, Secrets]:
        """A new vault: random id, random root, epoch 1."""
        keys = Secrets(secrets.token_bytes(ROOT_BYTES), secrets.token_bytes(VAULT_BYTES), 1)
        return cls.of(keys, source), keys

    @classmethod
    def of(cls, keys: Secrets, source: KeySource) -> Header:
        """The header of these secrets under one key."""
        return cls(keys.vault, keys.epoch, wrap_root(keys, source)).signed(keys)

    @classmethod
    def from_row(cls, row: tuple[Cell, ...]) -> Header:
        """The header in a row of `COLUMNS`; nothing is derived from it yet.

        Raises LedgerUnavailable: not-a-ledger, newer-format or damaged.
        """
        cells = dict(zip(COLUMNS, row, strict=True))
        check_format(cells["magic"], cells["format"])
        wrap = _wrap(cells, "")
        absent = all(cells[f"next_{name}"] is None for name in WRAP_FIELDS)
        following = None if absent else _wrap(cells, "next_")
        vault, epoch = cells["vault"], cells["epoch"]
        header = cls(vault, epoch, wrap, following, cells["digest"], cells["mac"])  # type: ignore[arg-type]  # checked next
        if not header._is_sane() or not compare_digest(header.digest, header._digest()):
            raise LedgerUnavailable.because("damaged")
        return header

    def to_row(self) -> tuple[Cell, ...]:
        """The cells of `COLUMNS`."""
        first, second = self.wrap, self.next_wrap
        following: tuple[Cell, ...] = (None,) * 5
        if second is not None:
            following = (second.kdf, second.salt, second.passes, second.memory_kib, second.wrapped)
        return (
            MAGIC, FORMAT, self.vault, self.epoch,
            first.kdf, first.salt, first.passes, first.memory_kib, first.wrapped,
            *following, self.digest, self.mac,
        )  # fmt: skip

    def unlock(self, source: KeySource) -> Secrets:
        """The secrets behind this header. Raises LedgerUnavailable: wrong-key, or damaged where the MAC is not ours."""
        for wrap in (self.wrap, self.next_wrap):
            root = None if wrap is None else self._unwrap(wrap, source)
            if root is not None:
                keys = Secrets(root, self.vault, self.epoch)
                self.verify(keys)
                return keys
        raise LedgerUnavailable.because("wrong-key")

    def _unwrap(self, wrap: Wrap, source: KeySource) -> bytes | None:
        if wrap.kdf != source.kdf:
            return None
        derived = source.derive(wrap.salt, wrap.passes, wrap.memory_kib)
        return unseal(subkey(derived, self.vault, "wrap"), wrap.wrapped, _wrap_context(self.vault, self.epoch))

    def verify(self, keys: Secrets) -> None:
        """Raises LedgerUnavailable (damaged) where the MAC is not that of these secrets."""
        if not compare_digest(self.mac, mac(keys.key("header"), self._encoded())):
            raise LedgerUnavailable.because("damaged")

    def opens_with_first(self, source: KeySource) -> bool:
        """Whether this key opens the first wrap: it is the ledger's key, and not one of an earlier or a next time."""
        return self._unwrap(self.wrap, source) is not None

    def opens_with_next_alone(self, source: KeySource) -> bool:
        """Whether this key opens the second wrap and not the first: the re-keying that was cut off can be finished."""
        if self.next_wrap is None or self.opens_with_first(source):
            return False
        return self._unwrap(self.next_wrap, source) is not None

    def with_next(self, keys: Secrets, wrap: Wrap) -> Header:
        """The same header with a second wrap of the same root, in the place of one that stands."""
        return replace(self, next_wrap=wrap).signed(keys)

    def promoted(self, keys: Secrets) -> Header:
        """The header in which the second wrap has taken the place of the first."""
        return self if self.next_wrap is None else replace(self, wrap=self.next_wrap, next_wrap=None).signed(keys)

    def without_next(self, keys: Secrets) -> Header:
        """The header without its second wrap."""
        return replace(self, next_wrap=None).signed(keys)

    def signed(self, keys: Secrets) -> Header:
        """The header with digest and MAC computed anew."""
        return replace(self, digest=self._digest(), mac=mac(keys.key("header"), self._encoded()))

    def packed(self) -> bytes:
        """The header as bytes, for an export."""
        return join((self._encoded(), self.digest, self.mac))

    @classmethod
    def unpacked(cls, packed: bytes) -> Header:
        """The header in the bytes of an export. Raises LedgerUnavailable: not-a-ledger, newer-format, damaged."""
        try:
            encoded, digest, tag = split(packed)
            fixed, *wraps = split(encoded)
            magic, number = fixed[: len(MAGIC)], int.from_bytes(fixed[len(MAGIC) : len(MAGIC) + 2], "little")
            check_format(magic, number)
            vault, epoch = fixed[len(MAGIC) + 2 : -4], int.from_bytes(fixed[-4:], "little")
            parsed = [Wrap.decoded(one) for one in wraps]
        except (ValueError, struct.error):
            raise LedgerUnavailable.because("damaged") from None
        if not 1 <= len(parsed) <= 2:
            raise LedgerUnavailable.because("damaged")
        header = cls(vault, epoch, parsed[0], parsed[1] if len(parsed) == 2 else None, digest, tag)
        if not header._is_sane() or not compare_digest(digest, header._digest()):
            raise LedgerUnavailable.because("damaged")
        return header

    def _encoded(self) -> bytes:
        wraps = [wrap.encoded() for wrap in (self.wrap, self.next_wrap) if wrap is not None]
        return join((_context(self.vault, self.epoch), *wraps))

    def _digest(self) -> bytes:
        return hashlib.sha256(self._encoded()).digest()

    def _is_sane(self) -> bool:
        return (
            _is(self.vault, VAULT_BYTES)
            and isinstance(self.epoch, int)
            and 1 <= self.epoch <= MAX_EPOCH
            and _is(self.digest, 32)
            and _is(self.mac, 32)
            and self.wrap.is_sane()
            and (self.next_wrap is None or self.next_wrap.is_sane())
        )


def check_format(magic: Cell, number: Cell) -> None:
    """Raises LedgerUnavailable: not-a-ledger without the magic, newer-format, damaged for an impossible number."""
    if magic != MAGIC:
        raise LedgerUnavailable.because("not-a-ledger")
    if not isinstance(number, int) or number < 1:
        raise LedgerUnavailable.because("damaged")
    if number > FORMAT:
        raise LedgerUnavailable.because("newer-format")


def wrap_root(keys: Secrets, source: KeySource) -> Wrap:
    """The root under a key, with a fresh salt and the cost that the source asks for."""
    salt = secrets.token_bytes(SALT_BYTES)
    passes, memory_kib = source.cost
    derived = source.derive(salt, passes, memory_kib)
    context = _wrap_context(keys.vault, keys.epoch)
    wrapped = seal(subkey(derived, keys.vault, "wrap"), keys.root, context)
    return Wrap(source.kdf, salt, passes, memory_kib, wrapped)


def _context(vault: bytes, epoch: int) -> bytes:
    return MAGIC + struct.pack("<H", FORMAT) + vault + struct.pack("<I", epoch)


def _wrap_context(vault: bytes, epoch: int) -> bytes:
    return _context(vault, epoch) + b"root"


def _wrap(cells: dict[str, Cell], prefix: str) -> Wrap:
    return Wrap(*(cells[prefix + name] for name in WRAP_FIELDS))  # type: ignore[arg-type]  # `is_sane` checks


def _is(value: object, length: int) -> bool:
    return isinstance(value, bytes) and len(value) == length
