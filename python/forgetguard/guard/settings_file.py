"""Writing one setting into the configuration file, and leaving everything else in it as it was, comments too."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path

from forgetguard.directories import alone_in, write_whole
from forgetguard.errors import InvalidInput

_TABLE = re.compile(r"\s*\[")


def write_setting(path: Path, name: str, value: str) -> None:
    """Set `name` in the file at `path`, which is made (0600) where there is none; whole or not at all.

    Raises InvalidInput where the file is not valid TOML, or written in a way that cannot be edited line by line; then
    nothing was changed. Raises OSError.
    """
    target = Path(os.path.realpath(path))
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Alone: of two that write a setting each, the second would write the file without the first one's.
    with alone_in(target.parent):
        try:
            before = target.read_bytes().decode("utf-8")
            mode = target.stat().st_mode & 0o777
        except FileNotFoundError:
            before, mode = "", 0o600
        except UnicodeDecodeError:
            raise _unfit() from None
        write_whole(target, with_setting(before, name, value).encode("utf-8"), mode=mode)


def with_setting(content: str, name: str, value: str) -> str:
    """The content of a configuration file with this setting in it. Raises InvalidInput."""
    before = _parsed(content)
    lines = content.splitlines(keepends=True)
    end = next((at for at, line in enumerate(lines) if _TABLE.match(line)), len(lines))
    written = f"{name} = {json.dumps(value, ensure_ascii=False)}\n"
    at = next((at for at, line in enumerate(lines[:end]) if re.match(rf"\s*{re.escape(name)}\s*=", line)), None)
    if at is not None:
        lines[at] = written
    else:
        if end and not lines[end - 1].endswith("\n"):
            lines[end - 1] += "\n"
        lines.insert(end, written)
    after = "".join(lines)
    # A value over several lines, or a key within quotes, is not met by editing lines: what came of it is looked at.
    if _parsed(after) != {**before, name: value}:
        raise _unfit()
    return after


def _parsed(content: str) -> dict[str, object]:
    try:
        return tomllib.loads(content)
    except tomllib.TOMLDecodeError:
        raise _unfit() from None


def _unfit() -> InvalidInput:
    return InvalidInput(
        "the configuration file cannot be edited by the program; nothing was changed",
        code="configuration",
        advice='Write the setting into it by hand (`model = "DIR"`), above the first table.',
    )
