"""From what a host gives when it opens a guard to a key, a path and a way to open the ledger."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from inspect import getattr_static
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forgetguard.directories import data_directory
from forgetguard.errors import InvalidInput, InvalidKey
from forgetguard.keys import Key, KeySource, find_key
from forgetguard.ledger import Ledger

if TYPE_CHECKING:
    from forgetguard.embedder import Embedder

KeyLike = KeySource | bytes | os.PathLike[str] | None
PathLike = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class LedgerOptions:
    """How `Ledger.open` is called; `mark` is a path, None (give up noticing an older copy) or the default."""

    mark: Any
    max_entries: int | None
    max_age: float | None
    review_size: int
    wait: float
    allow_filesystem: bool

    @property
    def has_mark(self) -> bool:
        """Whether a mark is kept that can tell an older copy from the ledger."""
        return self.mark is not None


def opener(path: Path, key: KeySource, options: LedgerOptions) -> Callable[[bool], Ledger]:
    """The function that opens this ledger, or makes it where it is told to and there never was one."""

    def open_ledger(create: bool) -> Ledger:
        return Ledger.open(
            path,
            key,
            create=create,
            mark=options.mark,
            max_entries=options.max_entries,
            max_age=options.max_age,
            review_size=options.review_size,
            wait=options.wait,
            allow_filesystem=options.allow_filesystem,
        )

    return open_ledger


def key_source(given: KeyLike, *, create: bool) -> KeySource:
    """The key behind bytes, a Key, a Passphrase or the path of a key file; without one, the user's own.

    The user's own is the environment's FORGETGUARD_KEY, the default key file, or the keyring; `create` makes one.
    Raises InvalidKey.
    """
    if given is None:
        return find_key(create=create).key
    if isinstance(given, (bytes, bytearray)):
        return Key.from_bytes(bytes(given))
    if isinstance(given, os.PathLike):
        return Key.from_file(given)
    if isinstance(given, KeySource):
        return given
    raise InvalidKey("a key is given as 32 bytes, a Key, a Passphrase or the Path of a key file")


def ledger_path(given: PathLike | None) -> Path:
    """The path given, or `$XDG_DATA_HOME/forgetguard/ledger.sqlite` (by default under `~/.local/share`)."""
    if given is None:
        return data_directory() / "ledger.sqlite"
    try:
        name = os.fspath(given)
        if not isinstance(name, str) or not name or "\0" in name:
            raise TypeError
    except TypeError:
        raise InvalidInput("the path of the ledger is empty or not a path") from None
    return Path(name)


def model(given: Embedder | PathLike | None) -> Embedder | None:
    """The embedder given, or the ONNX model in a directory. Nothing is loaded yet. Raises InvalidInput."""
    if isinstance(given, (str, os.PathLike)):
        from forgetguard.embedder import OnnxEmbedder

        return OnnxEmbedder(given)
    if given is not None and not (callable(given) and _has_model_id(given)):
        raise InvalidInput(
            "the embedder is not a callable with a model_id",
            advice="Give it a `model_id` (a str) and `__call__(texts)` that answers with one Vector a text.",
        )
    return given


def _has_model_id(given: object) -> bool:
    try:
        # Statically first: to ask may load the model.
        return getattr_static(given, "model_id", None) is not None or hasattr(given, "model_id")
    except Exception:  # noqa: BLE001 - a host's embedder raises what it likes
        return True


def alias_list(given: object) -> tuple[str, ...]:
    """The user's names, a set of them in alphabetical order.

    Raises InvalidInput for what is no series of names, as a bare str is none: its letters would each be a name.
    """
    names = tuple(given) if isinstance(given, Iterable) and not isinstance(given, (str, Mapping)) else (None,)
    if not all(isinstance(one, str) for one in names):
        raise InvalidInput("aliases is a list of names")
    return tuple(sorted(names) if isinstance(given, Set) else names)
