"""Settings of the command line and of adapters: the defaults, then the configuration file, then the environment.

The file is TOML at `$XDG_CONFIG_HOME/forgetguard/config.toml` (or FORGETGUARD_CONFIG); each setting has a variable
`FORGETGUARD_<NAME>` that wins. Tables in the file belong to others (`[purge]`, an adapter's) and are left to them.

    ledger            path of the ledger               $XDG_DATA_HOME/forgetguard/ledger.sqlite
    key_file          path of the key file             $XDG_CONFIG_HOME/forgetguard/key
    aliases           the user's names                 none; the variable parts them with commas
    model             directory of an ONNX model       none: words alone
    past              drop | keep                      drop: "used to be vegetarian" restates "is vegetarian"
    on_hold           review | keep | drop             review
    on_defer          block | keep                     block
    hold_unrecorded   keep | drop                      keep
    mark              path of the mark, or "none"      in $XDG_STATE_HOME/forgetguard
    max_entries       most entries                     no limit
    max_age           seconds; older ones are told     none
    review_size       items in the review queue        200
    wait              seconds to wait for a lock       5
    allow_filesystem  true: any file system            false

The key itself comes from FORGETGUARD_KEY, a passphrase from FORGETGUARD_PASSPHRASE; neither stands in the file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from forgetguard.directories import config_file
from forgetguard.errors import InvalidInput, InvalidKey, LedgerUnavailable
from forgetguard.guard.core import ForgetGuard
from forgetguard.guard.opening import alias_list, ledger_path
from forgetguard.keys import KeySource, Passphrase, find_key
from forgetguard.ledger import DEFAULT, DEFAULT_REVIEW_SIZE, DEFAULT_WAIT

PREFIX = "FORGETGUARD_"
CONFIG = "FORGETGUARD_CONFIG"
PASSPHRASE = "FORGETGUARD_PASSPHRASE"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the module's table says. `passphrase` comes from the environment or a prompt, never from the file."""

    ledger: Path = field(default_factory=lambda: ledger_path(None))
    key_file: Path | None = None
    aliases: tuple[str, ...] = ()
    model: Path | None = None
    past: str = "drop"
    on_hold: str = "review"
    on_defer: str = "block"
    hold_unrecorded: str = "keep"
    mark: Path | str | None = None
    max_entries: int | None = None
    max_age: float | None = None
    review_size: int = DEFAULT_REVIEW_SIZE
    wait: float = DEFAULT_WAIT
    allow_filesystem: bool = False
    passphrase: Passphrase | None = field(default=None, repr=False, compare=False)

    @classmethod
    def load(cls, path: str | os.PathLike[str] | None = None, environment: Mapping[str, str] | None = None) -> Self:
        """The settings in force. Raises InvalidInput, naming the setting, where one is unknown or has no such value."""
        given = os.environ if environment is None else environment
        content = _read(cls.file(path, given), required=bool(path or given.get(CONFIG)))
        values: dict[str, Any] = {name: value for name, value in content.items() if not isinstance(value, dict)}
        for name in _READERS:
            if (text := given.get(PREFIX + name.upper())) is not None:
                values[name] = text
        settings = cls(**{name: _value(name, value) for name, value in values.items()})
        secret = given.get(PASSPHRASE)
        return replace(settings, passphrase=Passphrase(secret)) if secret else settings

    @staticmethod
    def file(path: str | os.PathLike[str] | None, environment: Mapping[str, str] | None = None) -> Path:
        """The configuration file: the one given, that of the environment, or the user's own."""
        named = path or (os.environ if environment is None else environment).get(CONFIG)
        return Path(named) if named else config_file()

    def unlock(self, *, create: bool = False) -> tuple[KeySource, str]:
        """The key, and where it lies: `passphrase`, `environment`, `file` or `keyring`. Raises InvalidKey."""
        if self.passphrase is not None:
            return self.passphrase, "passphrase"
        found = find_key(create=create, path=self.key_file)
        return found.key, found.source

    @property
    def ledger_options(self) -> dict[str, Any]:
        """How `Ledger.open` and its siblings are told where the mark is and how long to wait."""
        mark: object = DEFAULT if self.mark is None else None if self.mark == "none" else self.mark
        return {"mark": mark, "wait": self.wait, "allow_filesystem": self.allow_filesystem}

    def open_guard(self, *, create: bool = False, strict: bool = False, late_key: bool = False) -> ForgetGuard:
        """The guard over this ledger. Raises InvalidKey, InvalidInput; with `strict` also LedgerUnavailable.

        With `late_key` the key is looked for when the ledger is opened: while there is none, the ledger is unavailable.
        """
        key = LateKey(self) if late_key and self.passphrase is None else self.unlock(create=create)[0]
        options: dict[str, Any] = {
            "aliases": self.aliases, "embedder": self.model, "past": self.past, "on_hold": self.on_hold,
            "on_defer": self.on_defer, "hold_unrecorded": self.hold_unrecorded, "max_entries": self.max_entries,
            "max_age": self.max_age, "review_size": self.review_size, **self.ledger_options,
        }  # fmt: skip
        return ForgetGuard.open(self.ledger, key=key, create=create, strict=strict, **options)


@dataclass(frozen=True, slots=True)
class LateKey:
    """A key that is looked for each time a ledger is opened with it: a process may start before its user has one."""

    settings: Settings
    kdf: str = "raw"
    cost: tuple[int, int] = (0, 0)

    def derive(self, salt: bytes, passes: int, memory_kib: int) -> bytes:
        """The 32 bytes that wrap the root. Raises LedgerUnavailable (`no-key`)."""
        try:
            return self.settings.unlock()[0].derive(salt, passes, memory_kib)
        except InvalidKey:
            raise LedgerUnavailable.because("no-key") from None


def _read(path: Path, *, required: bool) -> dict[str, Any]:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        if not required:
            return {}
        raise InvalidInput("there is no configuration file at the path that was given") from None
    except OSError:
        raise InvalidInput("the configuration file cannot be read") from None
    import tomllib

    try:
        return tomllib.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        raise InvalidInput("the configuration file is not valid TOML") from None


def _value(name: str, value: object) -> Any:
    reader = _READERS.get(name)
    if reader is None:
        raise InvalidInput("the configuration file has an unknown setting", advice=f"Known are: {', '.join(_READERS)}.")
    try:
        return reader(value)
    except (TypeError, ValueError, KeyError):
        raise InvalidInput(f"the setting {name} has a value that it cannot have") from None


def _path(value: object) -> Path:
    if not isinstance(value, str) or not value or "\0" in value:
        raise TypeError
    return Path(value).expanduser()


def _mark(value: object) -> Path | str:
    return "none" if value == "none" else _path(value)


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(name for part in value.split(",") if (name := part.strip()))
    return alias_list(value)


def _whole(value: object) -> int:
    if isinstance(value, (bool, float)):
        raise TypeError
    number = int(value)  # type: ignore[call-overload]  # anything else raises TypeError, which is the answer
    if number < 0:
        raise ValueError
    return int(number)


def _seconds(value: object) -> float:
    if isinstance(value, bool):
        raise TypeError
    number = float(value)  # type: ignore[arg-type]  # as above
    if not 0 <= number < float("inf"):
        raise ValueError
    return number


def _switch(value: object) -> bool:
    if isinstance(value, bool):
        return value
    return {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}[str(value).lower()]


def _one_of(*choices: str) -> Callable[[object], str]:
    def read(value: object) -> str:
        if value not in choices:
            raise ValueError
        return str(value)

    return read


_READERS: dict[str, Callable[[object], object]] = {
    "ledger": _path,
    "key_file": _path,
    "aliases": _names,
    "model": _path,
    "past": _one_of("drop", "keep"),
    "on_hold": _one_of("review", "keep", "drop"),
    "on_defer": _one_of("block", "keep"),
    "hold_unrecorded": _one_of("keep", "drop"),
    "mark": _mark,
    "max_entries": _whole,
    "max_age": _seconds,
    "review_size": _whole,
    "wait": _seconds,
    "allow_filesystem": _switch,
}
