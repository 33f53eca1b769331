"""The user's own directories, by the XDG rules, and how a file takes its place in a directory, durably."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path


def config_directory() -> Path:
    """`$XDG_CONFIG_HOME/forgetguard`, by default under `~/.config`."""
    return _own("XDG_CONFIG_HOME", ".config")


def data_directory() -> Path:
    """`$XDG_DATA_HOME/forgetguard`, by default under `~/.local/share`."""
    return _own("XDG_DATA_HOME", ".local/share")


def state_directory() -> Path:
    """`$XDG_STATE_HOME/forgetguard`, by default under `~/.local/state`."""
    return _own("XDG_STATE_HOME", ".local/state")


def cache_directory() -> Path:
    """`$XDG_CACHE_HOME/forgetguard`, by default under `~/.cache`."""
    return _own("XDG_CACHE_HOME", ".cache")


def config_file() -> Path:
    """The configuration file that is read where no other one is named."""
    return config_directory() / "config.toml"


def _own(variable: str, default: str) -> Path:
    base = os.environ.get(variable)
    return (Path(base) if base else Path.home() / default) / "forgetguard"


@contextmanager
def locked(handle: int, *, shared: bool = False) -> Iterator[None]:
    """A lock between processes on an open file, where the system has one. Raises OSError: its file system has none.

    It goes with the process. It is given back by name, and not only by closing: a child that was forked meanwhile has
    the same file open, and would keep the lock for as long as it lives.
    """
    try:
        import fcntl
    except ModuleNotFoundError:  # Windows
        yield
        return
    fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(handle, fcntl.LOCK_UN)


@contextmanager
def alone_in(path: Path) -> Iterator[None]:
    """A lock between processes on a directory, for those who first look at what stands in it and then act.

    It leaves no file. Where there is no such lock (Windows, no directory, some file systems), nothing is held.
    """
    with ExitStack() as stack:
        with suppress(OSError):
            handle = os.open(path, os.O_RDONLY)
            stack.callback(os.close, handle)
            stack.enter_context(locked(handle))
        yield


def sync_directory(path: Path) -> None:
    """Make a new name in a directory durable. Where the system cannot (Windows), nothing happens."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


def write_whole(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Put a file of this content at `path`, in the place of one that is there: whole or not at all. Raises OSError."""
    import tempfile  # a hook that only reads must not wait for it

    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".new")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.chmod(name, mode)
            os.fsync(stream.fileno())
        os.replace(name, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise
    sync_directory(path.parent)
