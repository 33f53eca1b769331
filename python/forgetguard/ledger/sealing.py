"""Sub-keys and sealing: the only place where the ledger calls a cipher.

XChaCha20-Poly1305 with a random 24-byte nonce in front. What a piece is and where it belongs goes into the associated
data, so it opens at its own place in its own vault and nowhere else.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable
from typing import Any, Final

from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt, crypto_aead_xchacha20poly1305_ietf_encrypt
from nacl.exceptions import CryptoError

NONCE_BYTES: Final = 24
TAG_BYTES: Final = 16
OVERHEAD: Final = NONCE_BYTES + TAG_BYTES

try:
    # The public binding spends 8 µs a record on checks and a fresh buffer, the C function 2 µs. Opening 100,000
    # records is what this is for; without the private module everything works, only slower.
    from nacl._sodium import ffi as _ffi  # type: ignore[import-not-found, unused-ignore]
    from nacl._sodium import lib as _lib
except ImportError:  # pragma: no cover - depends on the installed PyNaCl
    _ffi = _lib = None


def subkey(root: bytes, vault: bytes, purpose: str) -> bytes:
    """The key of one purpose (wrap, header, record, review, mark, segment): BLAKE2b of the vault id under the root."""
    person = f"fg-{purpose}".encode("ascii").ljust(16, b"\0")
    return hashlib.blake2b(vault, key=root, person=person, digest_size=32).digest()


def mac(key: bytes, message: bytes) -> bytes:
    """A 32-byte keyed BLAKE2b of `message`."""
    return hashlib.blake2b(message, key=key, digest_size=32).digest()


def seal(key: bytes, body: bytes, associated: bytes) -> bytes:
    """Nonce, ciphertext and tag of `body`."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    sealed: bytes = nonce + crypto_aead_xchacha20poly1305_ietf_encrypt(body, associated, nonce, key)
    return sealed


def unseal(key: bytes, sealed: bytes, associated: bytes) -> bytes | None:
    """The body, or None where key, bytes or associated data are not those of the sealing."""
    if len(sealed) < OVERHEAD:
        return None
    try:
        body: bytes = crypto_aead_xchacha20poly1305_ietf_decrypt(
            sealed[NONCE_BYTES:], associated, sealed[:NONCE_BYTES], key
        )
    except CryptoError:
        return None
    return body


def unsealer(key: bytes) -> Callable[[bytes, bytes], bytes | None]:
    """`unseal` for many pieces under one key. The returned function reuses a buffer: one thread at a time."""
    if _lib is None:  # pragma: no cover - depends on the installed PyNaCl
        return lambda sealed, associated: unseal(key, sealed, associated)
    decrypt: Any = _lib.crypto_aead_xchacha20poly1305_ietf_decrypt
    null: Any = _ffi.NULL
    size = 4096
    buffer: Any = _ffi.new("unsigned char[]", size)
    view: Any = _ffi.buffer(buffer)

    def open_one(sealed: bytes, associated: bytes) -> bytes | None:
        nonlocal size, buffer, view
        length = len(sealed) - OVERHEAD
        if length < 0:
            return None
        if length > size:
            size = length
            buffer = _ffi.new("unsigned char[]", size)
            view = _ffi.buffer(buffer)
        # The nonce argument reads the first 24 bytes of `sealed`, which is where the nonce stands.
        if decrypt(
            buffer, null, null, sealed[NONCE_BYTES:], length + TAG_BYTES, associated, len(associated), sealed, key
        ):
            return None
        body: bytes = view[:length]
        return body

    return open_one


def join(pieces: Iterable[bytes]) -> bytes:
    """Length-prefixed concatenation: no two different lists give the same bytes."""
    return b"".join(len(piece).to_bytes(4, "little") + piece for piece in pieces)


def split(joined: bytes) -> list[bytes]:
    """The pieces of `join`. Raises ValueError where the lengths do not fit."""
    pieces, at = [], 0
    while at < len(joined):
        end = at + 4 + int.from_bytes(joined[at : at + 4], "little")
        if end > len(joined):
            raise ValueError("a piece is cut")
        pieces.append(joined[at + 4 : end])
        at = end
    return pieces
