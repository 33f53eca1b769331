"""Keys: the type, and where they come from.

Guarantees
1. A key prints as asterisks, cannot be pickled, copied or compared with `==`; only `reveal()` hands out its bytes.
2. A key file is made 0600, never over an existing file, and synced before its path is returned; one that others can
   read is refused.
3. No message of an error quotes a key, a passphrase or a path.

Not guaranteed: that Python wipes the bytes from memory after use; it cannot.
"""

from __future__ import annotations

import base64
import binascii
import importlib
import os
import secrets
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn, Protocol, runtime_checkable

from forgetguard.directories import alone_in, config_directory, sync_directory
from forgetguard.errors import InvalidKey

KEY_BYTES: Final = 32
ENVIRONMENT_NAME: Final = "FORGETGUARD_KEY"
KEYRING_SERVICE: Final = "forgetguard"

# RFC 9106's memory-hard profile, as libsodium's "moderate": 3 passes over 256 MiB, about 0.7 s on a 2020 laptop.
DEFAULT_PASSES: Final = 3
DEFAULT_MEMORY_KIB: Final = 256 * 1024
MIN_PASSES: Final = 1
MAX_PASSES: Final = 64
MIN_MEMORY_KIB: Final = 8 * 1024
MAX_MEMORY_KIB: Final = 2 * 1024 * 1024
SALT_BYTES: Final = 16


class _Secret:
    """What keys and passphrases share: they do not print, pickle, copy or compare."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # as little hashed as compared

    def __repr__(self) -> str:
        return f"{type(self).__name__}(********)"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __eq__(self, other: object) -> bool:
        raise TypeError("secrets are not compared with ==")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("secrets are not pickled or copied")

    def __copy__(self) -> NoReturn:
        raise TypeError("secrets are not pickled or copied")

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise TypeError("secrets are not pickled or copied")


@runtime_checkable
class KeySource(Protocol):
    """What can unlock a ledger: a `Key`, or a `Passphrase` with the salt and cost that stand in the header."""

    @property
    def kdf(self) -> str:
        """`raw` or `argon2id`."""

    @property
    def cost(self) -> tuple[int, int]:
        """Passes and KiB of memory for a header that is made anew; (0, 0) where no stretching is needed."""

    def derive(self, salt: bytes, passes: int, memory_kib: int) -> bytes:
        """The 32 bytes that wrap the root."""


class Key(_Secret):
    """32 secret bytes."""

    __slots__ = ("_bytes",)

    def __init__(self, raw: bytes) -> None:
        if not isinstance(raw, (bytes, bytearray)) or len(raw) != KEY_BYTES:
            raise InvalidKey("a key is exactly 32 bytes")
        self._bytes = bytes(raw)

    @classmethod
    def generate(cls) -> Key:
        """A fresh random key."""
        return cls(secrets.token_bytes(KEY_BYTES))

    @classmethod
    def from_bytes(cls, raw: bytes) -> Key:
        """The key made of these 32 bytes. Raises InvalidKey for any other length."""
        return cls(raw)

    @classmethod
    def from_text(cls, text: str) -> Key:
        """The key written as 64 hex digits or as base64 (either alphabet). Raises InvalidKey."""
        return cls(_decode(text.strip()))

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Key:
        """The key in a file that only its owner can read: 64 hex digits, base64, or 32 raw bytes.

        Raises InvalidKey; `code` is `key-missing`, `key-unreadable`, `key-exposed` or `invalid-key`.
        """
        content = _read_private(Path(path))
        if len(content) == KEY_BYTES:
            return cls(content)
        try:
            return cls.from_text(content.decode("ascii"))
        except UnicodeDecodeError:
            raise InvalidKey("the key file holds no key") from None

    @classmethod
    def from_environment(cls, name: str = ENVIRONMENT_NAME) -> Key:
        """The key in an environment variable, as hex or base64. Raises InvalidKey (`key-missing`: it is not set)."""
        text = os.environ.get(name)
        if not text:
            raise InvalidKey(
                "the environment variable with the key is not set",
                code="key-missing",
                advice="Set FORGETGUARD_KEY to 64 hex digits, or give a key file.",
            )
        return cls.from_text(text)

    @classmethod
    def from_keyring(cls, service: str = KEYRING_SERVICE, account: str = "ledger") -> Key:
        """The key in the keyring of the operating system (extra `keyring`). Raises InvalidKey."""
        text = _keyring_call("get_password", service, account)
        if not text:
            raise InvalidKey(
                "the keyring holds no key under this name",
                code="key-missing",
                advice="Run `forgetguard init`, or name the service and account that hold the key.",
            )
        return cls.from_text(text)

    @property
    def kdf(self) -> str:
        return "raw"

    @property
    def cost(self) -> tuple[int, int]:
        return (0, 0)

    def derive(self, salt: bytes, passes: int, memory_kib: int) -> bytes:  # noqa: ARG002 - the protocol's signature
        return self._bytes

    def reveal(self) -> bytes:
        """The 32 bytes. Whoever calls this answers for them."""
        return self._bytes


class Passphrase(_Secret):
    """A passphrase, stretched with Argon2id under the salt and cost of the header.

    `passes` and `memory_kib` count only when a header is made or re-keyed; an existing one brings its own.
    """

    __slots__ = ("_memory_kib", "_passes", "_text")

    def __init__(self, text: str, *, passes: int = DEFAULT_PASSES, memory_kib: int = DEFAULT_MEMORY_KIB) -> None:
        if not isinstance(text, str) or not text:
            raise InvalidKey("a passphrase is a non-empty str")
        if not cost_is_sane(passes, memory_kib):
            raise InvalidKey("the cost of the passphrase is out of bounds")
        try:
            self._text = text.encode("utf-8")
        except UnicodeEncodeError:
            raise InvalidKey("the passphrase is not valid Unicode") from None
        self._passes = passes
        self._memory_kib = memory_kib

    @property
    def kdf(self) -> str:
        return "argon2id"

    @property
    def cost(self) -> tuple[int, int]:
        return (self._passes, self._memory_kib)

    def derive(self, salt: bytes, passes: int, memory_kib: int) -> bytes:
        # Imported here: PyNaCl's password hashing is needed by passphrases alone.
        from nacl.bindings import crypto_pwhash_alg, crypto_pwhash_ALG_ARGON2ID13

        derived: bytes = crypto_pwhash_alg(
            KEY_BYTES, self._text, salt, passes, memory_kib * 1024, crypto_pwhash_ALG_ARGON2ID13
        )
        return derived


def cost_is_sane(passes: int, memory_kib: int) -> bool:
    """Whether an Argon2id cost is inside the bounds: a hostile header must not ask for a terabyte or for nothing."""
    return MIN_PASSES <= passes <= MAX_PASSES and MIN_MEMORY_KIB <= memory_kib <= MAX_MEMORY_KIB


def write_key_file(path: str | os.PathLike[str], key: Key) -> Path:
    """Write a key as 64 hex digits to a new file, mode 0600, and sync it with its folder.

    Raises InvalidKey with code `key-exists` where a file stands already: a key is never overwritten.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.new")
    content = key.reveal().hex().encode("ascii") + b"\n"
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        raise InvalidKey("the key file cannot be written", code="key-unreadable") from None
    try:
        try:
            # Whole under another name first: whoever looks, also after a kill, finds no key or a whole one.
            _write_new(temporary, content)
            _take_name(temporary, target, content)
        finally:
            temporary.unlink(missing_ok=True)
    except FileExistsError:
        raise InvalidKey(
            "a file stands where the key should go",
            code="key-exists",
            advice="Use the key that is there, or name another path: a key is never overwritten.",
        ) from None
    except OSError:
        raise InvalidKey("the key file cannot be written", code="key-unreadable") from None
    sync_directory(target.parent)
    return target


def _write_new(path: Path, content: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _take_name(temporary: Path, target: Path, content: bytes) -> None:
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except OSError:
        # No hard links here (FAT, some mounts). The rest of a write that failed would be taken for a broken key.
        try:
            _write_new(target, content)
        except FileExistsError:
            raise
        except OSError:
            target.unlink(missing_ok=True)
            raise


def save_to_keyring(key: Key, service: str = KEYRING_SERVICE, account: str = "ledger") -> None:
    """Put a key into the keyring of the operating system. Raises InvalidKey when there is none, or one stands there."""
    if _keyring_call("get_password", service, account):
        raise InvalidKey("the keyring holds a key under this name", code="key-exists")
    _keyring_call("set_password", service, account, key.reveal().hex())


@dataclass(frozen=True, slots=True)
class FoundKey:
    """A key and where it lies: `environment`, `keyring` or `file` (then with its path)."""

    key: Key
    source: str
    path: Path | None = field(default=None, repr=False)
    created: bool = False


def find_key(*, create: bool = False, path: str | os.PathLike[str] | None = None) -> FoundKey:
    """The key of this user: the environment, else a key file, else the keyring; with `create`, made where none is.

    A new one goes into the keyring where a usable one exists, else into the file (`path`, by default
    `$XDG_CONFIG_HOME/forgetguard/key`, 0600). Raises InvalidKey (`key-missing`).
    """
    if os.environ.get(ENVIRONMENT_NAME):
        return FoundKey(Key.from_environment(), "environment")
    file = Path(path) if path is not None else default_key_file()
    found = _standing(file, with_keyring=path is None)
    if found is not None:
        return found
    if not create:
        raise InvalidKey(
            "no key was found", code="key-missing", advice="Run `forgetguard init`, or set FORGETGUARD_KEY."
        )
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Alone: a keyring overwrites, and a ledger that was made with the first of two keys would never open again.
    with alone_in(file.parent):
        return _standing(file, with_keyring=path is None) or _made(file, with_keyring=path is None)


def _standing(file: Path, *, with_keyring: bool) -> FoundKey | None:
    """The key in the file, else in a usable keyring, if there is one."""
    if file.exists():
        return FoundKey(Key.from_file(file), "file", file)
    if with_keyring and keyring_is_usable():
        try:
            return FoundKey(Key.from_keyring(), "keyring")
        except InvalidKey as error:
            if error.code != "key-missing":
                raise
    return None


def _made(file: Path, *, with_keyring: bool) -> FoundKey:
    key = Key.generate()
    if with_keyring and keyring_is_usable():
        save_to_keyring(key)
        return FoundKey(key, "keyring", created=True)
    try:
        return FoundKey(key, "file", write_key_file(file, key), created=True)
    except InvalidKey as error:
        if error.code != "key-exists":
            raise
    # Another process was faster, where there is no lock: its key is the user's key.
    return FoundKey(Key.from_file(file), "file", file)


def default_key_file() -> Path:
    """`$XDG_CONFIG_HOME/forgetguard/key`, by default under `~/.config`."""
    return config_directory() / "key"


def keyring_is_usable() -> bool:
    """Whether the `keyring` package is installed and has a backend that keeps what it is given."""
    try:
        keyring: Any = importlib.import_module("keyring")
        backend = keyring.get_keyring()
        return (
            float(backend.priority) > 0
            and "fail" not in type(backend).__module__
            and "null" not in type(backend).__module__
        )
    except Exception:  # noqa: BLE001 - backends raise what their system raises; any failure means "not usable" here
        return False


def _decode(text: str) -> bytes:
    try:
        if len(text) == 2 * KEY_BYTES:
            return bytes.fromhex(text)
        padded = text.replace("-", "+").replace("_", "/")
        padded += "=" * (-len(padded) % 4)
        return base64.b64decode(padded, validate=True)
    except (ValueError, binascii.Error):
        raise InvalidKey("the key is neither hex nor base64") from None


def _read_private(path: Path) -> bytes:
    """The content of a key file, checked on the open handle, so that no other file can be slipped in between."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise InvalidKey(
            "there is no key file at this path",
            code="key-missing",
            advice="Check the path; `forgetguard init` makes a key file.",
        ) from None
    except OSError:
        raise InvalidKey("the key file cannot be read", code="key-unreadable") from None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise InvalidKey("the key file is not a regular file", code="key-unreadable")
        if os.name == "posix" and stat.S_IMODE(status.st_mode) & 0o077:
            raise InvalidKey(
                "others can read the key file",
                code="key-exposed",
                advice="Run `chmod 600` on the key file; if others may have read it, re-key the ledger.",
            )
        return os.read(handle, 4096)
    finally:
        os.close(handle)


def _keyring_call(name: str, *arguments: str) -> str | None:
    try:
        keyring: Any = importlib.import_module("keyring")
    except ModuleNotFoundError:
        raise InvalidKey(
            "the keyring package is not installed",
            code="keyring-unavailable",
            advice="Install `forgetguard[keyring]`, or use a key file.",
        ) from None
    try:
        answer: str | None = getattr(keyring, name)(*arguments)
    except Exception:  # noqa: BLE001 - whatever the backend raises may quote its arguments, and one is the key
        raise InvalidKey(
            "the keyring of the operating system did not answer",
            code="keyring-unavailable",
            advice="Unlock the keyring, or use a key file.",
        ) from None
    return answer
