"""What a file surface is built from: walking without leaving the workspace, lines as bytes, atomic replacement.

Bytes in, bytes out: line endings, byte order mark, invalid UTF-8 and every untouched line survive.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from forgetguard.directories import sync_directory
from forgetguard.errors import Refused, StoreUnreadable
from forgetguard.purge.needles import Needles, decode, fold
from forgetguard.purge.surfaces.protocol import Finding, Standing

BOM = b"\xef\xbb\xbf"
WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")
_WIDE = dict(zip(WIDE_BOMS, ("utf-16-le", "utf-16-be"), strict=True))
LEFTOVER = ".forgetguard-tmp"


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A regular file of a workspace: `place` is its path from the root, with `/`. `linked`: it has names outside."""

    path: Path
    place: str
    linked: bool = False


def walk(root: Path, suffixes: Sequence[str]) -> tuple[tuple[FoundFile, ...], tuple[Finding, ...]]:
    """The files with these suffixes (in any case), sorted by place, and what is in the way.

    Symbolic links are not followed: one that leads out of the workspace, or whose target cannot be told, is reported
    (`symlink-outside`); one that stays inside leads to a file that is found by itself.
    """
    files: list[tuple[Path, str, os.stat_result]] = []
    findings: list[Finding] = []
    base = root.resolve()
    for folder, _, names in _folders(base, findings):
        for name in names:
            path = folder / name
            place = path.relative_to(base).as_posix()
            try:
                found = path.lstat()
            except FileNotFoundError:
                continue  # the host removed it meanwhile
            if stat.S_ISLNK(found.st_mode):
                if not _inside(path, base):
                    findings.append(Finding(Standing.REFUSED, place, "symlink-outside"))
            elif stat.S_ISREG(found.st_mode) and name.lower().endswith(tuple(suffixes)):
                files.append((path, place, found))
    seen = Counter((found.st_dev, found.st_ino) for _, _, found in files)
    kept = (
        FoundFile(path, place, found.st_nlink > seen[found.st_dev, found.st_ino])
        for path, place, found in sorted(files, key=lambda item: item[1])
    )
    return tuple(kept), tuple(findings)


def in_the_way(root: Path, suffixes: Sequence[str]) -> tuple[Finding, ...]:
    """The findings of `walk`. Raises StoreUnreadable where there is no folder: a wrong path is not an empty one."""
    if not root.is_dir():
        raise StoreUnreadable("a folder of notes is missing", code="missing")
    return walk(root, suffixes)[1]


def _folders(base: Path, findings: list[Finding]) -> Iterator[tuple[Path, list[str], list[str]]]:
    def unreadable(error: OSError) -> None:
        place = Path(error.filename or base).relative_to(base).as_posix()
        findings.append(Finding(Standing.CANNOT_PROVE, place, "unreadable-folder", retry=True))

    for folder, folders, names in os.walk(base, onerror=unreadable, followlinks=False):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        yield Path(folder), folders, sorted([*names, *links])


def _inside(path: Path, base: Path) -> bool:
    try:
        return path.resolve(strict=True).is_relative_to(base)
    except (OSError, RuntimeError):
        return not path.exists()  # a link to nothing leads nowhere; a loop cannot be told


def digest(content: bytes) -> bytes:
    """What tells whether a file is still what was read."""
    return hashlib.sha256(content).digest()


def replace(path: Path, content: bytes, prehash: bytes) -> None:
    """Put `content` in the file's place at once, with its mode and owner.

    Raises Refused if the file changed meanwhile.
    """
    found = path.stat()
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=LEFTOVER)  # a name may be as long as names get
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            os.fchmod(stream.fileno(), stat.S_IMODE(found.st_mode))
            with suppress(PermissionError):
                os.fchown(stream.fileno(), found.st_uid, found.st_gid)
            stream.flush()
            os.fsync(stream.fileno())
        if digest(path.read_bytes()) != prehash:
            raise Refused("a file changed while it was being purged", code="file-changed")
        os.replace(name, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise


def as_utf8(content: bytes) -> bytes | None:
    """The content of a UTF-16 file in UTF-8, its byte order mark too; None where that cannot be turned back exactly."""
    encoding = _wide(content)
    if encoding is None:
        return content
    with suppress(UnicodeError):
        text = content.decode(encoding, "surrogatepass")
        if text.encode(encoding, "surrogatepass") == content:
            return text.encode("utf-8", "surrogatepass")
    return None


def as_it_was(utf8: bytes, original: bytes) -> bytes:
    """What `as_utf8` gave, or a part of it, in the encoding of the original."""
    encoding = _wide(original)
    return utf8 if encoding is None else utf8.decode("utf-8", "surrogatepass").encode(encoding, "surrogatepass")


def _wide(content: bytes) -> str | None:
    return next((encoding for mark, encoding in _WIDE.items() if content.startswith(mark)), None)


def linked_elsewhere(files: Iterable[FoundFile]) -> Iterator[Finding]:
    """A finding a file that has another name outside the workspace, which keeps the old content."""
    return (Finding(Standing.CANNOT_PROVE, one.place, "hard-link-elsewhere") for one in files if one.linked)


def settle(paths: Iterable[Path]) -> None:
    """Make the replacements of these files durable, with one sync a folder."""
    for folder in {path.parent for path in paths}:
        sync_directory(folder)


def sweep(root: Path) -> int:
    """Remove what an interrupted `replace` left behind; how many files."""
    count = 0
    for folder, _, names in os.walk(root):
        for name in names:
            if name.endswith(LEFTOVER):
                os.unlink(os.path.join(folder, name))
                count += 1
    return count


@contextmanager
def folder_lock(root: Path, seconds: float = 30.0) -> Iterator[None]:
    """Keep other purges out of a workspace without a lock of its own: a lock on the folder itself, which makes no file.

    Where the system has none, this does nothing. Raises Refused when another holds it for that long.
    """
    try:
        import fcntl
    except ModuleNotFoundError:
        yield
        return
    from forgetguard.purge.waiting import wait_for

    handle = os.open(root, os.O_RDONLY)
    try:
        wait_for(lambda: fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB), seconds, "workspace-busy")
        yield
    finally:
        os.close(handle)


Span = tuple[int, int]


def marked(
    content: bytes, marker: re.Pattern[bytes], wanted: Collection[str] | None = None
) -> Iterator[tuple[str, int, int]]:
    """(key, first byte, byte after the last) of every marked memory, or of those with the `wanted` keys.

    A marker with text on its line marks that line; a marker alone marks the next line with text, blank lines between
    included, unless another marker or a heading comes first. Indented lines after it belong to it.
    """
    end_of_line = line_end(content)
    for match in marker.finditer(content):
        key = match.group(1).decode("utf-8", "replace")
        if wanted is None or key in wanted:
            yield key, *_block(content, match, marker, end_of_line)


def line_end(content: bytes) -> bytes:
    """What ends the lines: a line feed, or in very old files a carriage return alone."""
    return b"\n" if b"\n" in content or b"\r" not in content else b"\r"


def _block(content: bytes, match: re.Match[bytes], marker: re.Pattern[bytes], mark: bytes) -> Span:
    start = content.rfind(mark, 0, match.start()) + 1
    end = _next(content, match.end(), mark)
    if not (content[start : match.start()].removeprefix(BOM) + content[match.end() : end]).strip():
        text = end
        while text < len(content) and not content[text : _next(content, text, mark)].strip():
            text = _next(content, text, mark)
        if text == len(content) or content[text : _next(content, text, mark)].lstrip().startswith((b"<!--", b"#")):
            return start, end
        end = _next(content, text, mark)
    while content[end : end + 1] in (b" ", b"\t"):
        following = _next(content, end, mark)
        if not content[end:following].strip() or marker.search(content, end, following):
            break
        end = following
    return start, end


def _next(content: bytes, position: int, mark: bytes) -> int:
    """Where the next line begins."""
    found = content.find(mark, position)
    return len(content) if found < 0 else found + 1


def lines_holding(lines: Sequence[bytes], needles: Needles) -> set[int]:
    """The numbers of the lines over which a needle stands, wrapped ones with all their lines."""
    folded = [fold(decode(line)) for line in lines]
    ends, size = [], 0
    for line in folded:
        size += len(line) + 1
        ends.append(size)
    whole = b" " + b" ".join(folded) + b" "
    held: set[int] = set()
    for number in needles.hits_folded(b" ".join(part for part in folded if part)):
        held.update(_spans(whole, ends, needles.items[number].folded))
    return held


def _spans(whole: bytes, ends: Sequence[int], pattern: bytes) -> Iterator[int]:
    # Empty lines leave two blanks in a row, so words are matched with any number of blanks between them.
    words = re.compile(rb" +".join(map(re.escape, pattern.split(b" "))))
    for match in words.finditer(whole):
        first = bisect_right(ends, match.start() - 1)
        last = bisect_right(ends, match.end() - 2)
        yield from range(first, last + 1)


def without(content: bytes, spans: Iterable[Span]) -> bytes:
    """What stays, byte for byte; a byte order mark stays too."""
    kept, position = [], 0
    for start, end in sorted(spans):
        kept.append(content[position:start])
        position = max(position, end)
    rest = b"".join([*kept, content[position:]])
    return BOM + rest if content.startswith(BOM) and not rest.startswith(BOM) else rest
