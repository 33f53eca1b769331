"""The mark: how far this device has seen the ledger, kept outside of it.

1. It is a lower bound, written after the commit and never lowered: behind the file is normal, ahead of it means an
   older copy was put back.
2. It is MAC'd under the vault's root; one that does not verify counts as lost and is reported.
3. It carries the random id of this device. Lost or overruled, a new id is drawn, so no position is ever used twice.
4. Two slots are written in turn: a write that was cut leaves the other one.

Not guaranteed: whoever can put back ledger *and* mark of the same age is not noticed.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from io import FileIO
from pathlib import Path
from typing import Final, Literal

from forgetguard.directories import locked, state_directory, sync_directory
from forgetguard.ledger.header import DEVICE_BYTES, Secrets
from forgetguard.ledger.sealing import OVERHEAD, mac, seal, unseal

MAGIC: Final = b"FGMARK1\0"
SLOT_BYTES: Final = 8192
# magic, generation, vault, epoch, device, number of heads, length of the sealed path of the ledger
_FIXED: Final = struct.Struct("<8sQ16sI16sHH")
_HEAD: Final = struct.Struct("<16sQ")
_MAC_BYTES: Final = 32
MAX_PLACE_BYTES: Final = 2048  # a longer path is left out
MAX_HEADS: Final = (SLOT_BYTES - _FIXED.size - _MAC_BYTES - MAX_PLACE_BYTES - OVERHEAD) // _HEAD.size


class DefaultMark:
    """The type of `DEFAULT`."""

    def __repr__(self) -> str:
        return "DEFAULT"


DEFAULT: Final = DefaultMark()


@dataclass(frozen=True, slots=True)
class Mark:
    """The content of a mark."""

    vault: bytes
    epoch: int
    device: bytes
    heads: Mapping[bytes, int] = field(default_factory=dict)
    place: bytes = b""
    generation: int = 0

    def is_ahead_of(self, epoch: int, heads: Mapping[bytes, int]) -> bool:
        """Whether it has seen something that a ledger with this epoch and these heads does not hold."""
        return self.epoch > epoch or any(n > heads.get(device, 0) for device, n in self.heads.items())


def new_device() -> bytes:
    """A random device id."""
    return secrets.token_bytes(DEVICE_BYTES)


class MarkFile:
    """Where the mark of the ledger at one place lies.

    By default `<state>/<place>-<vault>.mark`: the place (a digest of the path) tells that a ledger was here when the
    file is gone, the vault finds the mark of a ledger that was moved or copied.
    """

    def __init__(self, ledger: str, path: str | os.PathLike[str] | None) -> None:
        self._fixed = None if path is None else Path(path)
        self.real = os.fsencode(os.path.realpath(ledger))
        self._place = hashlib.blake2b(self.real, digest_size=16).hexdigest()

    def path(self, vault: bytes) -> Path:
        """The file of this vault at this place."""
        return self._fixed or state_directory() / f"{self._place}-{vault.hex()}.mark"

    def exists_here(self) -> bool:
        """Whether any vault left a mark for this place."""
        return bool(self._here())

    def is_of_another(self, vault: bytes) -> bool:
        """Whether the marks for this place are all of other vaults."""
        marks = self._here()
        if not marks:
            return False
        if self._fixed is None:
            return self.path(vault) not in marks
        found = _vault_of(self._fixed)
        return found is not None and found != vault

    def elsewhere(self, keys: Secrets) -> list[Mark]:
        """The marks that this vault left at places where no file stands any more: it was moved from there.

        Where one still stands, this is a copy, and how far the other one got says nothing about it.
        """
        if self._fixed is not None:
            return []
        names = state_directory().glob(f"*-{keys.vault.hex()}.mark")
        found = (load(path, keys) for path in names if path != self.path(keys.vault))
        return [mark for mark in found if mark is not None and not (mark.place and os.path.lexists(mark.place))]

    def drop_empty(self, vault: bytes) -> None:
        """Remove the empty mark of a vault that was not made after all; a host's own file is left to the host."""
        path = self.path(vault)
        if self._fixed is None and _size(path) == 0:
            path.unlink(missing_ok=True)

    def forget_place(self) -> None:
        """Remove every mark for this place; for `accept_loss` and restore."""
        for path in self._here():
            path.unlink(missing_ok=True)

    def _here(self) -> list[Path]:
        paths = (self._fixed,) if self._fixed is not None else state_directory().glob(f"{self._place}-*.mark")
        return [path for path in paths if _size(path) > 0]


def load(path: Path, keys: Secrets) -> Mark | None:
    """The newest slot that verifies, or None. Never a mark that another process is just writing."""
    try:
        with path.open("rb") as stream, locked(stream.fileno(), shared=True):
            return newest(stream.read(), keys)
    except OSError:
        return None


def newest(content: bytes, keys: Secrets) -> Mark | None:
    """The newest slot in a mark file's bytes that verifies under these keys, or None."""
    marks = [_decode(content[at : at + SLOT_BYTES], keys) for at in (0, SLOT_BYTES)]
    valid = [mark for mark in marks if mark is not None and mark.vault == keys.vault]
    return max(valid, key=lambda mark: mark.generation, default=None)


def advance(path: Path, keys: Secrets, device: bytes, heads: Mapping[bytes, int], place: bytes) -> None:
    """Raise the mark to at least these heads, under the file's own lock. Not synced: a lower bound may be late.

    Never lowers a head or the epoch. A file that is absent is made, 0600. An existing mark of another device id of ours
    gives way only in `device`. Raises OSError.
    """
    with _locked(path) as stream:
        found = newest(stream.read(), keys)
        known = dict(found.heads) if found is not None else {}
        for one, n in heads.items():
            known[one] = max(n, known.get(one, 0))
        epoch = max(keys.epoch, found.epoch) if found is not None else keys.epoch
        generation = found.generation + 1 if found is not None else 1
        mark = Mark(keys.vault, epoch, device, _bounded(known, device), place, generation)
        stream.seek(SLOT_BYTES * (generation % 2))
        stream.write(_encode(mark, keys))


def bridge(path: Path, old: Secrets, new: Secrets) -> None:
    """Before a new root is committed: the same mark under the new root, in the slot that the old one does not use.

    Whether the commit happens or a kill comes first, the root that stands finds its mark. A failure costs no more than
    a mark that counts as lost.
    """
    try:
        with _locked(path) as stream:
            found = newest(stream.read(), old)
            if found is None:
                return
            generation = found.generation + 1
            mark = replace(found, epoch=new.epoch, generation=generation)
            stream.seek(SLOT_BYTES * (generation % 2))
            stream.write(_encode(mark, new))
            os.fsync(stream.fileno())
    except OSError:
        return


def start(
    path: Path, keys: Secrets, heads: Mapping[bytes, int], place: bytes, *, anew: bool = False
) -> tuple[bytes, Literal["kept", "damaged", "new"]]:
    """The device id of the mark that stands here, or a new one with a first mark; and what was found under the lock.

    With `anew`, a new one in any case. Raises OSError.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(path) as stream:
        content = stream.read()
        found = newest(content, keys)
        if found is not None and not anew:
            return found.device, "kept"
        device = _begin(stream, path, keys, heads, place)
    return device, "damaged" if content and found is None else "new"


@contextmanager
def awaited(marks: MarkFile | None, keys: Secrets) -> Iterator[Callable[[], None]]:
    """Around the making of a ledger: its mark is locked before others can find the ledger, and begun by the call.

    So whoever opens it at once waits for its mark, and never takes it for a ledger that lost one. An empty file, which
    a kill leaves behind, counts as no mark. Where none can be written, none is: who opens the ledger says so.
    """
    if marks is None:
        yield lambda: None
        return
    path = marks.path(keys.vault)
    with ExitStack() as stack:
        stream: FileIO | None = None
        with suppress(OSError):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            stream = stack.enter_context(_locked(path))

        def begin() -> None:
            if stream is not None and _size(path) == 0:
                with suppress(OSError):
                    _begin(stream, path, keys, {}, marks.real)

        try:
            yield begin
        finally:
            if stream is not None:
                marks.drop_empty(keys.vault)


def _begin(stream: FileIO, path: Path, keys: Secrets, heads: Mapping[bytes, int], place: bytes) -> bytes:
    """Put a first mark, of a new device, in the place of what stands in the locked file; that device's id."""
    mark = Mark(keys.vault, keys.epoch, new_device(), _bounded(dict(heads), b""), place, 1)
    stream.seek(0)
    stream.truncate()
    stream.seek(SLOT_BYTES)
    stream.write(_encode(mark, keys))
    os.fsync(stream.fileno())
    sync_directory(path.parent)
    return mark.device


def _bounded(heads: dict[bytes, int], own: bytes) -> dict[bytes, int]:
    """At most as many heads as a slot holds; fewer only make the bound weaker."""
    if len(heads) <= MAX_HEADS:
        return heads
    kept = sorted(heads, key=lambda one: (one != own, -heads[one]))[:MAX_HEADS]
    return {one: heads[one] for one in kept}


def _encode(mark: Mark, keys: Secrets) -> bytes:
    # Sealed with a nonce from the system: a path can name a person.
    place = seal(keys.key("mark-place"), mark.place, b"") if len(mark.place) <= MAX_PLACE_BYTES else b""
    heads = b"".join(_HEAD.pack(device, n) for device, n in sorted(mark.heads.items()))
    fixed = _FIXED.pack(MAGIC, mark.generation, mark.vault, mark.epoch, mark.device, len(mark.heads), len(place))
    body = fixed + heads + place
    return body + mac(keys.key("mark"), body)


def _decode(slot: bytes, keys: Secrets) -> Mark | None:
    if len(slot) < _FIXED.size + _MAC_BYTES:
        return None
    magic, generation, vault, epoch, device, count, place_size = _FIXED.unpack_from(slot)
    heads_end = _FIXED.size + count * _HEAD.size
    end = heads_end + place_size
    if magic != MAGIC or end + _MAC_BYTES > len(slot):
        return None
    if not secrets.compare_digest(slot[end : end + _MAC_BYTES], mac(keys.key("mark"), slot[:end])):
        return None
    place = unseal(keys.key("mark-place"), slot[heads_end:end], b"") or b""
    return Mark(vault, epoch, device, dict(_HEAD.iter_unpack(slot[_FIXED.size : heads_end])), place, generation)


def _vault_of(path: Path) -> bytes | None:
    """The vault id that a mark names in clear, unverified: enough to say that it is not ours."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    for at in (0, SLOT_BYTES):
        if content[at : at + len(MAGIC)] == MAGIC and len(content) >= at + _FIXED.size:
            vault: bytes = _FIXED.unpack_from(content, at)[2]
            return vault
    return None


def _size(path: Path) -> int:
    """The size of a regular file, else 0: a directory is no mark."""
    try:
        status = path.stat()
    except OSError:
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


@contextmanager
def _locked(path: Path) -> Iterator[FileIO]:
    """The mark file, made 0600 where absent, under an exclusive lock between processes. Raises OSError.

    Without locks (Windows) two processes may write a mark at once: each slot is whole, and a lower bound is enough.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    # Unbuffered: nothing is left to be written when the lock is given back.
    with os.fdopen(handle, "r+b", buffering=0) as stream, locked(handle):
        yield stream
