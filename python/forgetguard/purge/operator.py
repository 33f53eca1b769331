"""The operator's key, and where a purge keeps what is its own.

A purge needs a key but no user's vault: `operator.key` seals the journal and the openings of receipts, keys the
digests of a plan, and signs receipts. Each use has a sub-key of its own.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from nacl.bindings import (
    crypto_aead_xchacha20poly1305_ietf_decrypt,
    crypto_aead_xchacha20poly1305_ietf_encrypt,
    crypto_sign,
    crypto_sign_open,
    crypto_sign_seed_keypair,
)
from nacl.exceptions import CryptoError

from forgetguard.directories import state_directory
from forgetguard.errors import InvalidKey, PurgeFailed
from forgetguard.keys import Key, write_key_file

NONCE_BYTES = 24
SIGNATURE_BYTES = 64
_CONTEXT = b"forgetguard.purge.1\0"


@dataclass(frozen=True, slots=True)
class Home:
    """The directory with the operator's key, the journal with the receipts, the lock and the pinned head."""

    directory: Path

    @classmethod
    def default(cls) -> Home:
        """`$FORGETGUARD_PURGE_HOME`, else `$XDG_STATE_HOME/forgetguard/purge`, by default under `~/.local/state`."""
        chosen = os.environ.get("FORGETGUARD_PURGE_HOME")
        if chosen:
            return cls(Path(chosen))
        return cls(state_directory() / "purge")

    @property
    def key_file(self) -> Path:
        return self.directory / "operator.key"

    @property
    def journal(self) -> Path:
        return self.directory / "purge.sqlite"

    @property
    def lock(self) -> Path:
        return self.directory / "purge.lock"

    @property
    def head(self) -> Path:
        return self.directory / "head.json"

    def make(self) -> None:
        """The directory, for its owner alone."""
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)

    def make_key(self) -> bool:
        """Make the operator's key, whole or not at all, unless one stands; whether it was made. Raises InvalidKey."""
        if self.key_file.exists():
            return False
        try:
            self.make()
            write_key_file(self.key_file, Key.generate())
        except InvalidKey as error:
            if error.code != "key-exists":
                raise
            return False  # another purge was first: its key is the one
        except OSError:
            raise InvalidKey("the operator key cannot be written", code="key-unreadable") from None
        return True

    def operator(self, *, create: bool = False) -> Operator:
        """The operator of this home. With `create`, a key is made where none is. Raises InvalidKey."""
        if create:
            self.make_key()
        try:
            return Operator(Key.from_file(self.key_file))
        except InvalidKey as error:
            if error.code != "key-missing":
                raise
            raise InvalidKey(
                "there is no operator key yet", code="key-missing", advice="Run `forgetguard purge init`."
            ) from None


class Operator:
    """What the operator's key is used for. Prints nothing of it."""

    def __init__(self, key: Key) -> None:
        self._seal_key = _sub_key(key, b"purge-seal")
        self._digest_key = _sub_key(key, b"purge-digest")
        self.public_key, self._secret_key = crypto_sign_seed_keypair(_sub_key(key, b"purge-sign"))

    def __repr__(self) -> str:
        return "Operator(********)"

    def seal(self, context: str, content: bytes) -> bytes:
        """Encrypt, bound to a context that the opener must name again."""
        nonce = os.urandom(NONCE_BYTES)
        bound = _CONTEXT + context.encode()
        sealed: bytes = crypto_aead_xchacha20poly1305_ietf_encrypt(content, bound, nonce, self._seal_key)
        return nonce + sealed

    def unseal(self, context: str, sealed: bytes) -> bytes:
        """Decrypt. Raises PurgeFailed when it was altered, moved, or sealed with another key."""
        try:
            content: bytes = crypto_aead_xchacha20poly1305_ietf_decrypt(
                sealed[NONCE_BYTES:], _CONTEXT + context.encode(), sealed[:NONCE_BYTES], self._seal_key
            )
        except CryptoError:
            raise PurgeFailed(
                "the journal was sealed with another key, or was altered",
                code="journal-unreadable",
                advice="Use the operator key that the purge began with.",
            ) from None
        return content

    def digest(self, domain: str, *parts: str) -> str:
        """A keyed digest, 32 hex digits: who has no key cannot confirm a guess with it."""
        return keyed_digest(self._digest_key, domain, *parts)

    def sign(self, content: bytes) -> bytes:
        """An Ed25519 signature."""
        signed: bytes = crypto_sign(_CONTEXT + content, self._secret_key)
        return signed[:SIGNATURE_BYTES]


def signature_is_good(public_key: bytes, content: bytes, signature: bytes) -> bool:
    """Whether the signature was made over this content by the holder of that key."""
    try:
        crypto_sign_open(signature + _CONTEXT + content, public_key)
    except (CryptoError, ValueError, TypeError):
        return False
    return True


def keyed_digest(key: bytes, domain: str, *parts: str) -> str:
    """BLAKE2b of the parts, each with its length, under a key: 32 hex digits."""
    state = blake2b(key=key, digest_size=16, person=domain.encode()[:16])
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        state.update(len(encoded).to_bytes(8, "big") + encoded)
    return state.hexdigest()


def _sub_key(key: Key, purpose: bytes) -> bytes:
    return blake2b(b"forgetguard", key=key.reveal(), digest_size=32, person=purpose).digest()
