"""The demo's story: one recorded secret, the ways back it has, and what the guard makes of each.

Everything is played for real: the host, the guard, and a ledger in a temporary directory that is removed afterwards.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import ndiff
from importlib import resources
from pathlib import Path
from typing import Any

from forgetguard.demo import extractor
from forgetguard.demo.host import Host
from forgetguard.guard import ForgetGuard
from forgetguard.hooks import Hooks
from forgetguard.keys import Key
from forgetguard.values import Action, Candidate

SECRET = "The staging vault combination is 7741"
MARK = "7741"
STILL_STORED = (
    ("a new value", "The staging vault combination is 5512"),
    ("another subject", "The office safe combination is 4410"),
    ("a word like forget", "User tends to forget appointments"),
)


@dataclass(frozen=True, slots=True)
class WayBack:
    """One way in which a deleted fact returns, played on a host that has forgotten it."""

    name: str
    play: Callable[[Host], None]


def _updates(host: Host) -> None:
    target = host.find("supplier")
    host.write([Candidate(f"{host.facts[target]}, and {SECRET[0].lower()}{SECRET[1:]}", Action.UPDATE, target=target)])


def _retries(host: Host) -> None:
    host.write_failed([Candidate(SECRET)])
    host.retry_all()


WAYS = (
    WayBack("the request to forget, noted", lambda host: host.extract(host.transcript[-1:])),
    WayBack("the turn that said it, read again", Host.compact),
    WayBack("an update of another memory", _updates),
    WayBack("a mirrored copy", lambda host: host.mirror({"profile/3": SECRET})),
    WayBack("a write that waited for its retry", _retries),
    WayBack("the session summary", Host.summarise),
)


@dataclass(frozen=True, slots=True)
class Returned:
    """What a way brought back: the memory, or None."""

    way: str
    memory: str | None = field(repr=False)
    facts: int


@dataclass(frozen=True, slots=True)
class Result:
    """What the replay saw."""

    messages: int
    before: int
    without: tuple[Returned, ...]
    guarded: tuple[Returned, ...]
    stored: tuple[tuple[str, str, bool], ...]
    summary: tuple[str, ...]
    reviewed: int
    released: int
    remembered: tuple[str, bool, bool]

    def as_dict(self) -> dict[str, Any]:
        """Counts for a program."""
        return {
            "messages": self.messages,
            "returned_without": sum(one.memory is not None for one in self.without),
            "returned_with": sum(one.memory is not None for one in self.guarded),
            "ways": [one.way for one in self.without],
            "still_stored": sum(stored for *_, stored in self.stored),
            "reviewed": self.reviewed,
            "released": self.released,
            "remembered": self.remembered[1] and self.remembered[2],
        }

    def lines(self) -> Iterator[str]:
        """The report, at most 40 lines."""
        yield f"Replayed: {self.messages} user messages of two recorded sessions, {self.before} memories made of them."
        yield f'Then the user asks to forget "{SECRET}".'
        yield ""
        yield "1. What comes back without the guard"
        yield from (f"   {one.way:36}{_shown(one.memory)}" for one in self.without)
        yield ""
        yield "2. What does not, with the guard"
        yield from (f"   {one.way:36}{_shown(one.memory)}" for one in self.guarded)
        yield from (f"   {name:36}{'stored' if stored else 'LOST'}: {text}" for name, text, stored in self.stored)
        yield ""
        yield "3. What the summary loses"
        yield from (f"   {line}" for line in self.summary)
        yield ""
        yield "4. What remember brings back"
        text, stored, again = self.remembered
        yield f"   the user says: remember, {text}"
        yield f"   entries released: {self.released}; stored: {_yes(stored)}; next extraction keeps it: {_yes(again)}"
        yield f"   kept for the owner's review in all this: {self.reviewed} candidates"


def replay() -> Result:
    """Play the story without the guard and with it."""
    messages = recorded()
    host = _host(messages, None)
    without = tuple(_played(way, _forgotten(messages, None)) for way in WAYS)
    guarded = []
    for way in WAYS:
        with temporary_guard() as guard:
            guarded.append(_played(way, _forgotten(messages, guard)))
    with temporary_guard() as guard:
        one = _forgotten(messages, guard)
        one.end_session()
        stored = tuple((name, text, _stores(one, text)) for name, text in STILL_STORED)
        # After the first line, the recording as it was summarised before anything was forgotten.
        summary = _differences(extractor.summary(one.transcript), one.summaries[-1] if one.summaries else "")
        reviewed = len(guard.review())
        released = guard.remember(SECRET, dry_run=True).entries
        one.remember(SECRET)
        remembered = one.holds(SECRET)
        del one.facts[one.find(SECRET)]
        one.extract(messages)
        answer = (SECRET, remembered, one.holds(SECRET))
    return Result(
        len(messages), len(host.facts), without, tuple(guarded), stored, summary, reviewed, len(released), answer
    )


def recorded() -> list[str]:
    """What the user said in the recording, in order."""
    data = json.loads(resources.files("forgetguard.demo").joinpath("recording.json").read_text("utf-8"))
    return [message["text"] for message in data["messages"] if message["role"] == "user"]


@contextmanager
def temporary_guard() -> Iterator[ForgetGuard]:
    """A guard with a key and a ledger of its own, gone afterwards; the user's own are not touched."""
    with tempfile.TemporaryDirectory(prefix="forgetguard-demo-") as folder:
        path = Path(folder, "ledger.sqlite")
        options: dict[str, Any] = {"mark": Path(folder, "mark"), "allow_filesystem": True}
        with ForgetGuard.open(path, key=Key.generate(), create=True, strict=True, **options) as guard:
            yield guard


def _host(messages: list[str], guard: ForgetGuard | None) -> Host:
    host = Host(Hooks(guard) if guard is not None else None)
    for message in messages:
        host.hear(message)
    return host


def _forgotten(messages: list[str], guard: ForgetGuard | None) -> Host:
    """A host on which the user has asked to forget the secret; what the request itself left is cleared away."""
    host = _host(messages, guard)
    host.forget(host.find(MARK))
    for name in [name for name, text in host.facts.items() if MARK in text]:
        del host.facts[name]
    return host


def _played(way: WayBack, host: Host) -> Returned:
    way.play(host)
    texts = [*host.facts.values(), *(line for text in host.summaries for line in text.splitlines())]
    return Returned(way.name, next((text for text in texts if MARK in text), None), len(host.facts))


def _stores(host: Host, text: str) -> bool:
    host.write([Candidate(text)])
    return text in host.facts.values()


def _differences(before: str, after: str) -> tuple[str, ...]:
    """The lines of the summary that changed: as they would have been, and as they are."""
    changed = (line for line in ndiff(before.splitlines(), after.splitlines()) if line[0] in "+-")
    return tuple(f"{'would say' if line[0] == '-' else 'says     '}  {line[2:]}" for line in changed)


def _shown(memory: str | None) -> str:
    return "stays away" if memory is None else f'comes back: "{memory.removeprefix("- ")}"'


def _yes(value: bool) -> str:
    return "yes" if value else "NO"
