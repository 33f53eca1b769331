"""Many texts at once: filter and sweep, over JSON lines."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import click

from forgetguard.cli.console import Progress, emit, excerpt, say, stdout, tell
from forgetguard.cli.options import USES, Common, common, need_stdin
from forgetguard.errors import InvalidText, Refused
from forgetguard.guard import Decision, ForgetGuard, Verdict

BATCH = 256  # lines of a file that are decided at once; a pipe is passed on line by line
MAX_LINE = 64 * 1024 * 1024  # bytes


@dataclass(frozen=True, slots=True)
class Line:
    """One line as it came: its number from 1, its bytes, and its text (None for a blank line)."""

    number: int
    raw: bytes = field(repr=False)
    text: str | None = field(repr=False)


class _Stream(click.File):
    """click's own, but for a standard input that is closed."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> IO[Any]:
        if value == "-":
            need_stdin()
        return super().convert(value, param, ctx)


@click.command("filter")
@click.argument("file", required=False, type=_Stream("rb"), default="-")
@click.option("--text", "name", default="text", show_default=True, help="The field that holds the text.")
@click.option("--use", type=USES, default="write", show_default=True, help="What the texts are wanted for.")
@common
def filter_(common: Common, file: IO[bytes], name: str, use: str) -> None:
    """Pass on those JSON lines of FILE (or stdin) that may be stored, byte for byte and in order.

    A line is an object with the text in a field, or a string. What is dropped or held is counted on stderr. A line that
    cannot be read ends the command, and nothing from it on is passed. With --json, a verdict for each line instead.
    """
    counts = dict.fromkeys(Decision, 0)
    with common.guard() as guard:
        for batch, verdicts in _decided(guard, file, name, use):
            for line, verdict in zip(batch, verdicts, strict=True):
                if verdict is not None:
                    counts[verdict.action] += 1
                _pass_on(common, line, verdict)
            stdout().buffer.flush()
    tell(", ".join(f"{_WORDS[decision]} {count}" for decision, count in counts.items() if count or decision != "defer"))


@click.command()
@click.argument(
    "file", required=False, type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True), default="-"
)
@click.option("--text", "name", default="text", show_default=True, help="The field that holds the text.")
@click.option("--yes", is_flag=True, help="Rewrite FILE without the lines that are surely restatements (drop).")
@common
def sweep(common: Common, file: Path, name: str, yes: bool) -> int:
    """Find the JSON lines of FILE (or stdin) that restate a forgotten fact: what is stored and should not be.

    A preview, unless --yes: exit code 1 where something was found, 0 where nothing was.
    """
    if yes and str(file) == "-":
        raise Refused("stdin cannot be rewritten", advice="Name the file.")
    if str(file) == "-":
        need_stdin()
    found, kept = 0, []
    before = _identity(file) if yes else None
    with common.guard() as guard, click.open_file(str(file), "rb") as stream:
        for batch, verdicts in _decided(guard, stream, name, "write"):
            for line, verdict in zip(batch, verdicts, strict=True):
                if verdict is not None and not verdict.kept:
                    found += 1
                    _show(common, line, verdict)
                if yes and (verdict is None or verdict.action is not Decision.DROP):
                    kept.append(line.raw)
    if yes and found:
        _rewrite(file, b"".join(kept), before)
    tell(f"found {found}" + (" and removed those to drop" if yes and found else ""))
    return 1 if found and not yes else 0


_WORDS = {Decision.KEEP: "kept", Decision.DROP: "dropped", Decision.HOLD: "held", Decision.DEFER: "deferred"}


def _decided(
    guard: ForgetGuard, stream: IO[bytes], name: str, use: str
) -> Iterator[tuple[list[Line], list[Verdict | None]]]:
    """The lines with their verdicts, batch by batch."""
    size = _size(stream)
    progress, position = Progress(size), 0
    for batch in _batches(stream, name, BATCH if size is not None else 1):
        verdicts = iter(guard.filter([line.text for line in batch if line.text is not None], use=use).verdicts)
        yield batch, [next(verdicts) if line.text is not None else None for line in batch]
        position += sum(len(line.raw) for line in batch)
        progress.at(position, batch[-1].number)
    progress.done()


def _batches(stream: IO[bytes], name: str, size: int) -> Iterator[list[Line]]:
    batch: list[Line] = []
    number = 0
    while raw := stream.readline(MAX_LINE + 1):
        number += 1
        try:
            batch.append(Line(number, raw, _text(raw, name)))
        except InvalidText as error:
            if batch:
                yield batch
            advice = f"Nothing was done with line {number}, nor with any after it."
            raise InvalidText(f"line {number}: {error}", advice=advice) from None
        if len(batch) >= size:
            yield batch
            batch = []
    if batch:
        yield batch


def _text(raw: bytes, name: str) -> str | None:
    """The text of a line. Raises InvalidText."""
    if len(raw) > MAX_LINE:
        raise InvalidText("longer than 64 MiB")
    if not raw.strip():
        return None
    try:
        item = json.loads(raw.decode("utf-8-sig"), parse_int=float)  # int() refuses the longest numbers
    except UnicodeDecodeError:
        raise InvalidText("not valid UTF-8") from None
    except (ValueError, RecursionError):
        raise InvalidText("not valid JSON") from None
    text = item.get(name) if isinstance(item, dict) else item
    if not isinstance(text, str):
        raise InvalidText("no text in the field that --text names")
    return text


def _pass_on(common: Common, line: Line, verdict: Verdict | None) -> None:
    if common.as_json:
        if verdict is not None:
            entry = verdict.entry.id if verdict.entry is not None else None
            emit("filter", line=line.number, action=verdict.action.value, reason=verdict.reason, entry=entry)
    elif verdict is None or verdict.kept:
        stdout().buffer.write(line.raw)


def _show(common: Common, line: Line, verdict: Verdict) -> None:
    entry = verdict.entry.id if verdict.entry is not None else None
    if common.as_json:
        emit("sweep", line=line.number, action=verdict.action.value, reason=verdict.reason, entry=entry)
    else:
        say(f"line {line.number}: {verdict.action.value} ({verdict.reason})  {excerpt(line.text or '', 120)}")


def _size(stream: IO[bytes]) -> int | None:
    """The size of a regular file, or None for a pipe or a terminal."""
    try:
        status = os.fstat(stream.fileno())
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _identity(path: Path) -> tuple[int, ...]:
    """What changes when somebody writes to the file. Raises Refused for what is no file."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise Refused("only a regular file can be rewritten", advice="Name the file that holds the memories.")
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _rewrite(path: Path, content: bytes, before: tuple[int, ...] | None) -> None:
    """The new content, whole or not at all, with the mode of the old file.

    Raises Refused where the file is no longer as it was `before` it was read: what was added since would be lost.
    """
    import tempfile

    target = path.resolve()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if _identity(target) != before:
            raise Refused("the file changed while it was read", advice="Nothing was changed; sweep it again.")
        os.chmod(name, stat.S_IMODE(target.stat().st_mode))
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise
