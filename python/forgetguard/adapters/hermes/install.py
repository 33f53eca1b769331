"""The plugin directory `$HERMES_HOME/plugins/forgetguard/`: where Hermes looks for memory providers.

The entry point of the package is enough for everything but the memory provider; Hermes 0.19 finds those in directories
only. What stands there is two small files that import this package, so an upgrade of it needs no new install.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from forgetguard.adapters.hermes.scope import NAME
from forgetguard.directories import write_whole
from forgetguard.errors import InvalidInput, Refused
from forgetguard.version import VERSION

MARK = "Written by `forgetguard hermes install`"

# `kind` is said, for Hermes takes a directory that mentions memory providers for nothing else otherwise.
MANIFEST = f"""\
# {MARK}; `--uninstall` takes it away.
name: forgetguard
version: "{VERSION}"
description: A fact that the user asked to forget stays forgotten.
kind: standalone
"""
MODULE = f'''\
"""{MARK}; `--uninstall` takes it away. It calls register_memory_provider."""

from forgetguard.adapters.hermes import register

__all__ = ["register"]
'''
FILES: Mapping[str, str] = {"plugin.yaml": MANIFEST, "__init__.py": MODULE}


@dataclass(frozen=True, slots=True)
class Changed:
    """What an installation did: files written or removed, and files that needed nothing."""

    done: tuple[Path, ...]
    left: tuple[Path, ...]


def hermes_home(given: Path | None = None) -> Path:
    """The home that was given, HERMES_HOME, or where Hermes lies by default. Raises InvalidInput: it is not there."""
    home = given or _from_environment()
    if not home.is_dir():
        raise InvalidInput(
            "there is no Hermes home at this path",
            advice="Run `hermes` once, set HERMES_HOME, or give --home (a profile's home lies under profiles/).",
        )
    return home


def _from_environment() -> Path:
    named = os.environ.get("HERMES_HOME", "").strip()
    if named:
        return Path(named)
    local = os.environ.get("LOCALAPPDATA", "").strip()
    return Path(local) / "hermes" if os.name == "nt" and local else Path.home() / ".hermes"


def install(home: Path) -> Changed:
    """Write the directory; files that are as they should be are left. Raises Refused where others' files stand."""
    folder = home / "plugins" / NAME
    _own(folder)
    folder.mkdir(parents=True, exist_ok=True)
    missing = tuple(folder / name for name, text in FILES.items() if _read(folder / name) != text)
    for path in missing:
        write_whole(path, FILES[path.name].encode())  # Hermes may be starting
    return Changed(missing, tuple(folder / name for name in FILES if folder / name not in missing))


def uninstall(home: Path) -> Changed:
    """Remove what `install` wrote, and the directory where nothing else is in it. Raises Refused as `install` does."""
    folder = home / "plugins" / NAME
    _own(folder)
    there = tuple(folder / name for name in FILES if (folder / name).exists())
    compiled = tuple(folder.glob("__pycache__/__init__.*.pyc"))
    for path in (*there, *compiled):
        path.unlink()
    for emptied in (folder / "__pycache__", folder):
        if emptied.is_dir() and not any(emptied.iterdir()):
            emptied.rmdir()
    return Changed(there, tuple(sorted(folder.iterdir())) if folder.is_dir() else ())


def _own(folder: Path) -> None:
    """Raises Refused where the directory, or a file in it of a name of ours, is somebody else's."""
    foreign = [path for path in (folder, *(folder / name for name in FILES)) if path.is_symlink()]
    foreign += [path for name in FILES if not _is_own(_read(path := folder / name))]
    if foreign or (folder.exists() and not folder.is_dir()):
        raise Refused(
            "another plugin lies where forgetguard's would",
            advice="Look at plugins/forgetguard in the Hermes home, move what is yours, and run it again.",
        )


def _is_own(text: str | None) -> bool:
    """Whether a file of this text, or none, may be written over."""
    return text is None or MARK in text


def _read(path: Path) -> str | None:
    """The text of a file; None where there is none. What is no text is nobody's we know."""
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        return "?"
