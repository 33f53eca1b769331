"""The session corpus: what sessions said, a line each, and the evidence that everything else is found by.

    [<agent>/<session path>#L<record>] <snippet>

So it is erased last, with a line count that may reach millions: a file is read whole, and only what was found is kept.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from forgetguard.adapters.openclaw.keys import session_of_file, session_of_path, without_role
from forgetguard.adapters.openclaw.layout import Agent
from forgetguard.adapters.openclaw.lineage import SHARING
from forgetguard.errors import Refused
from forgetguard.purge.needles import SHORTEST, Needles, decode, fold
from forgetguard.purge.rawscan import raw_form
from forgetguard.purge.surfaces import file_tools as files
from forgetguard.purge.surfaces.protocol import Artefact, Declaration, Erased, Finding, Standing, Surface, Targets, Work

FOLDER = "memory/.dreams/session-corpus"
SUFFIXES = (".txt", ".md")
SHORTEST_SNIPPET = 12  # characters; the host writes nothing shorter
_SEPARATOR = b"\n\xff\n"  # stands in no UTF-8 text, so nothing is found across two lines
_LINE = re.compile(rb"^\[([^\]\n]*)#L[^\]\n]*\] ([^\n]*)", re.MULTILINE)
_ROLES = (b"User: ", b"Assistant: ")
_Stamp = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a selected session: its bytes in the file, and what it says."""

    start: int
    end: int
    snippet: bytes = field(repr=False)

    @property
    def text(self) -> str:
        return self.snippet.decode("utf-8", "replace")


def stamp(path: Path) -> _Stamp:
    """What changes when a file does."""
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def plain(snippet: bytes) -> bytes:
    """A snippet without its role."""
    for role in _ROLES:
        if snippet.startswith(role):
            return snippet[len(role) :]
    return snippet


class Corpus:
    """The corpus of a workspace, as one agent's purge sees it. What was found in a file is kept until it changes."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.root = agent.workspace / FOLDER
        self._lines: dict[tuple[Path, _Stamp, frozenset[str]], tuple[Line, ...]] = {}
        self._hits: dict[tuple[Path, _Stamp, frozenset[str]], frozenset[int]] = {}
        self._sessions: dict[bytes, str | None] = {}
        self._hits_of: Needles | None = None
        self._said: dict[tuple[frozenset[str], tuple[object, ...]], dict[bytes, bool]] = {}

    def is_inside(self) -> bool:
        """Whether there is a corpus, and no link leads to it out of the workspace."""
        return self.root.is_dir() and self.root.resolve().is_relative_to(self.agent.workspace.resolve())

    def walk(self) -> tuple[tuple[files.FoundFile, ...], tuple[Finding, ...]]:
        """The files of the corpus, and what is in the way."""
        if not self.root.is_dir():
            return (), ()
        if not self.is_inside():
            return (), (Finding(Standing.REFUSED, FOLDER, "symlink-outside"),)
        found, findings = files.walk(self.root, SUFFIXES)
        placed = tuple(files.FoundFile(one.path, f"{FOLDER}/{one.place}", one.linked) for one in found)
        return placed, findings

    def lines(self, file: files.FoundFile, sessions: frozenset[str]) -> tuple[Line, ...]:
        """The lines of these sessions."""
        key = (file.path, stamp(file.path), sessions)
        if key not in self._lines:
            self._lines[key] = tuple(self.selected(file.path.read_bytes(), sessions))
        return self._lines[key]

    def selected(self, content: bytes, sessions: frozenset[str]) -> Iterator[Line]:
        """The lines of these sessions in the content of a file."""
        if sessions:
            for start, end, mine, snippet in self._each(content, sessions):
                if mine:
                    yield Line(start, end, snippet)

    def _each(self, content: bytes, sessions: frozenset[str]) -> Iterator[tuple[int, int, bool, bytes]]:
        """(first byte, byte after the last, whether it is of these sessions, snippet) of every line of the corpus."""
        for line in _LINE.finditer(content):
            mine = self._session(line[1]) in sessions
            yield line.start(), min(line.end() + 1, len(content)), mine, line[2].rstrip(b"\r")

    def _of_others(self, content: bytes, sessions: frozenset[str]) -> Iterator[bytes]:
        """What lines of other sessions say, each sentence once."""
        told = {snippet for place, snippet in _LINE.findall(content) if self._session(place) not in sessions}
        return (snippet.rstrip(b"\r") for snippet in told)

    def _session(self, place: bytes) -> str | None:
        if place not in self._sessions:
            agent, _, path = place.decode("utf-8", "replace").partition("/")
            mine = agent == self.agent.name
            self._sessions[place] = (session_of_path(path, agent) or session_of_file(path)) if mine else None
        return self._sessions[place]

    def said(self, sessions: frozenset[str]) -> dict[bytes, bool]:
        """Every snippet of these sessions, and whether a session that stays said the same (with any role)."""
        found = self.walk()[0]
        key = (sessions, tuple((one.path, stamp(one.path)) for one in found))
        if key not in self._said:
            own = {line.snippet: False for one in found for line in self.lines(one, sessions)}
            own = {snippet: False for snippet in own if len(snippet.decode("utf-8", "replace")) >= SHORTEST_SNIPPET}
            claims = {plain(snippet) for snippet in own}
            others: set[bytes] = set()
            for one in found if claims else ():
                others |= claims.intersection(map(plain, self._of_others(one.path.read_bytes(), sessions)))
            self._said = {key: {snippet: plain(snippet) in others for snippet in own}}
        return self._said[key]

    def others_hold(self, file: files.FoundFile, targets: Targets) -> frozenset[int]:
        """The numbers of the needles that lines of other sessions hold."""
        if self._hits_of is not targets.needles:
            self._hits_of = targets.needles
            self._hits.clear()
        key = (file.path, stamp(file.path), targets.sessions)
        if key not in self._hits:
            self._hits[key] = frozenset(self._held(file.path.read_bytes(), targets))
        return self._hits[key]

    def _held(self, content: bytes, targets: Targets) -> set[int]:
        ascii_lines: list[bytes] = []
        other_lines: list[bytes] = []
        for snippet in self._of_others(content, targets.sessions):
            (ascii_lines if snippet.isascii() else other_lines).append(snippet)
        hits = targets.needles.hits_folded(raw_form(_SEPARATOR.join(ascii_lines)))
        for line in other_lines:
            hits |= targets.needles.hits(line.decode("utf-8", "replace"))
        return hits


def needle_text(claim: str) -> str | None:
    """The text to look for again; None where it is too short to tell anything by: then only its place was erased."""
    return claim if len(fold(claim)) >= SHORTEST else None


def sharing(place: str, needles: Needles, hits: Iterable[int]) -> Iterator[tuple[str, str]]:
    """One text for all needles that a place of other sessions holds."""
    words = "\n".join(needles.items[number].folded.decode("utf-8", "replace") for number in sorted(hits))
    if words:
        yield SHARING + place, words


class CorpusSurface(Surface):
    """Lines of selected sessions; a file that is left blank goes altogether, as with the host."""

    name = "corpus"

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def declares(self) -> Declaration:
        return Declaration("openclaw.corpus", (f"files:{FOLDER}",), (), ("disk-blocks",), ("replace",), evidence=True)

    def find(self, targets: Targets) -> Iterator[Artefact | Finding]:
        found, findings = self.corpus.walk()
        yield from findings
        for file in found:
            yield from self._artefacts(file.place, self.corpus.lines(file, targets.sessions))

    def _artefacts(self, place: str, lines: Iterable[Line]) -> Iterator[Artefact]:
        first = True
        for line in lines:
            if first:
                yield Artefact("sessionCorpusFiles", place, place)
                first = False
            name = hashlib.sha256(line.snippet).hexdigest()
            yield Artefact("sessionCorpusLines", place, name, needle_text(without_role(line.text)))

    def erase(self, targets: Targets, work: Work) -> Erased:
        changed: list[Path] = []
        count = 0
        if work.resumed and self.corpus.is_inside():
            files.sweep(self.corpus.root)
        for file in self.corpus.walk()[0]:
            content = file.path.read_bytes()
            lines = tuple(self.corpus.selected(content, targets.sessions))
            if lines:
                work.saw(self._artefacts(file.place, lines))
                prehash = files.digest(content)
                work.touching(file.place, prehash)
                put(file.path, files.without(content, ((one.start, one.end) for one in lines)), prehash)
                changed.append(file.path)
                count += len(lines)
        files.settle(changed)
        return Erased({"sessionCorpusFiles": len(changed), "sessionCorpusLines": count})

    def residue(self, targets: Targets) -> Iterator[Finding]:
        found, findings = self.corpus.walk()
        yield from findings
        for one in findings:
            if one.standing is Standing.REFUSED:  # the evidence that all else is found by was not read
                yield Finding(Standing.CANNOT_PROVE, one.place, one.code)
        for file in found:
            if self.corpus.lines(file, targets.sessions):
                yield Finding(Standing.RESIDUE, file.place, "session")
            elif targets.needles and targets.needles.holds(decode(file.path.read_bytes())):
                yield Finding(Standing.RESIDUE, file.place, "text")

    def holding(self, targets: Targets) -> Iterator[tuple[str, str]]:
        for file in self.corpus.walk()[0]:
            yield from sharing(file.place, targets.needles, self.corpus.others_hold(file, targets))


def put(path: Path, content: bytes, prehash: bytes) -> None:
    """Replace a file; one that is left blank is removed at once, so that no kill leaves an empty one behind.

    Raises Refused if it is no longer what was read.
    """
    if content.removeprefix(files.BOM).strip():
        files.replace(path, content, prehash)
        return
    if files.digest(path.read_bytes()) != prehash:
        raise Refused("a file changed while it was being purged", code="file-changed")
    path.unlink()
