"""How long a purge takes, and how much memory: 1,000,000 lines of notes, 100,000 rows with full-text search.

    python bench/purge.py [--lines N] [--rows N]

Prints plan, apply and verify in seconds with the peak memory of the process, beside a plain `in` loop over the same
files for the same texts. The limits that must hold: plan 20 s, apply 60 s, verify 60 s, 500 MB.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forgetguard.purge import Host

LIMITS = {"plan": 20.0, "apply": 60.0, "verify": 60.0, "megabytes": 500.0}
SESSIONS = 100  # the purged one holds a hundredth of everything
LINES_A_NOTE = 1000
BEGINNINGS = ("bra", "cle", "dro", "fin", "gul", "hor", "jal", "kem")
MIDDLES = ("ba", "do", "ki", "mu", "ne", "pi", "ro", "su")
ENDS = ("", "n", "sta", "ble", "ver", "t")
WORDS = [a + b + c for a in BEGINNINGS for b in MIDDLES for c in ENDS]


def text(number: int) -> str:
    """A memory's sentence, the same for the same number."""
    chosen = random.Random(number)
    return f"User said that {' '.join(chosen.choice(WORDS) for _ in range(9))} is number {number}"


def build(root: Path, lines: int, rows: int) -> None:
    """Notes in which every fourth line is a memory, a table with external-content FTS5, and their lineage."""
    from forgetguard.provenance import ProvenanceStore, Session
    from forgetguard.provenance.origins import record
    from forgetguard.provenance.schema import writing
    from forgetguard.values import Origin, OriginClass

    notes = root / "notes"
    notes.mkdir()
    store = ProvenanceStore(root / "main.provenance.sqlite", "main")
    for number in range(SESSIONS):
        store.record_session(Session(f"session-{number}", f"agent:main:{number}", "main"))
    connection = store._connection()
    with writing(connection):
        for note in range(lines // LINES_A_NOTE):
            with (notes / f"{note:05}.md").open("w") as stream:
                for block in range(LINES_A_NOTE // 4):
                    number = note * LINES_A_NOTE + block
                    stream.write(f"<!-- forgetguard:n{number} -->\n- {text(number)}\n")
                    stream.write(f"A line written by hand, number {number}.\n\n")
                    session = f"session-{number % SESSIONS}"
                    record(connection, f"n{number}", [Origin("main", session, "", OriginClass.OWNER, 1.0)])
        for number in range(rows):
            session = f"session-{number % SESSIONS}"
            record(connection, f"m{number}", [Origin("main", session, "", OriginClass.OWNER, 1.0)])
    store.close()
    database = sqlite3.connect(root / "memory.db", isolation_level=None)
    database.executescript(
        """PRAGMA journal_mode=WAL;
        CREATE TABLE memories(id TEXT PRIMARY KEY, text TEXT);
        CREATE VIRTUAL TABLE memories_fts USING fts5(text, content='memories');
        """
    )
    database.execute("BEGIN")
    database.executemany("INSERT INTO memories VALUES (?,?)", ((f"m{n}", text(10_000_000 + n)) for n in range(rows)))
    database.execute("INSERT INTO memories_fts(memories_fts) VALUES('rebuild')")
    database.execute("COMMIT")
    database.close()


def host(root: Path) -> Host:
    from forgetguard.provenance import ProvenanceStore
    from forgetguard.purge import Host
    from forgetguard.purge.surfaces import MarkdownFolder, SqliteTable

    store = ProvenanceStore(root / "main.provenance.sqlite", "main")
    surfaces = (SqliteTable("memories", root / "memory.db", "memories"), MarkdownFolder("notes", root / "notes"))
    return Host("bench", store, surfaces)


def step(root: Path, name: str) -> dict[str, float]:
    """One step in this process, timed."""
    from forgetguard.purge import Home, Order, Selection, apply, make_plan
    from forgetguard.purge.needles import Needles
    from forgetguard.purge.surfaces import Targets
    from forgetguard.purge.verify import verify

    begun = time.perf_counter()
    moments: dict[str, float] = {}
    if name == "plan":
        plan = make_plan(host(root), Selection(sessions=("session-7",)))
        counts = plan.survey.counts() if plan.survey else {}
        print(f"  found {counts}", file=sys.stderr)
    elif name == "apply":
        plan = make_plan(host(root), Selection(sessions=("session-7",)))
        begun = time.perf_counter()
        order = Order(observe=lambda event, status: moments.setdefault(f"{event}/{status}", time.perf_counter()))
        report = apply(host(root), plan, Home(root / "purge"), order).as_json()
        print(f"  result {report['result']}", file=sys.stderr)
    else:
        gone = list(range(7, 10_000_000, SESSIONS))[: int((root / "gone").read_text())]
        needles = Needles.of(text(number) for number in gone)
        targets = Targets(frozenset({"session-7"}), frozenset(), frozenset(f"n{n}" for n in gone), needles)
        begun = time.perf_counter()
        print(f"  {verify(host(root), targets).status.value}, {len(needles)} needles", file=sys.stderr)
    seconds = time.perf_counter() - begun
    names = [key.removesuffix("/started") for key in moments if key.endswith("/started")]
    for one in names:
        if f"{one}/done" in moments:
            print(f"  {one} {moments[f'{one}/done'] - moments[f'{one}/started']:.2f} s", file=sys.stderr)
    return {"seconds": seconds, "megabytes": peak_megabytes()}


def peak_megabytes() -> float:
    """The largest resident size of this process or of a child of it."""
    sizes = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return max(sizes) / (1024.0 * (1024.0 if sys.platform == "darwin" else 1.0))


def plain_loop(root: Path, texts: list[str]) -> float:
    """The seconds of the obvious loop: every text in every file."""
    begun = time.perf_counter()
    encoded = [one.encode() for one in texts]
    hits = 0
    for path in sorted((root / "notes").iterdir()):
        content = path.read_bytes()
        hits += sum(one in content for one in encoded)
    print(f"  {hits} hits", file=sys.stderr)
    return time.perf_counter() - begun


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--step", choices=["plan", "apply", "verify"], help=argparse.SUPPRESS)
    parser.add_argument("--root", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step:
        print(json.dumps(step(given.root, given.step)))
        return 0
    with tempfile.TemporaryDirectory(prefix="forgetguard-bench-") as directory:
        return compare(Path(directory), given.lines, given.rows)


def compare(root: Path, lines: int, rows: int) -> int:
    """Build, run each step in a process of its own, print, and say whether the limits held."""
    begun = time.perf_counter()
    build(root, lines, rows)
    memories = [n * LINES_A_NOTE + block for n in range(lines // LINES_A_NOTE) for block in range(LINES_A_NOTE // 4)]
    gone = [number for number in memories if number % SESSIONS == 7]
    (root / "gone").write_text(str(len(gone)))
    print(f"{lines} lines, {rows} rows, built in {time.perf_counter() - begun:.0f} s; {finder()}", file=sys.stderr)
    too_slow = []
    for name in ("plan", "apply", "verify"):
        done = subprocess.run(
            [sys.executable, __file__, "--step", name, "--root", str(root)], stdout=subprocess.PIPE, check=True
        )
        measured = json.loads(done.stdout)
        took, peak = measured["seconds"], measured["megabytes"]
        print(f"purge {name:7} {took:7.2f} s (limit {LIMITS[name]:.0f})   {peak:5.0f} MB (limit 500)")
        if measured["seconds"] > LIMITS[name] or measured["megabytes"] > LIMITS["megabytes"]:
            too_slow.append(name)
    naive = plain_loop(root, [text(number) for number in gone])
    print(f"plain `in` loop     {naive:7.2f} s: {len(gone)} exact texts in the notes alone, after the purge")
    return 1 if too_slow else 0


def finder() -> str:
    """Which search this machine has."""
    from forgetguard.purge.rawscan import Finder

    return "ahocorasick-rs" if Finder([b"x"])._automaton is not None else "no ahocorasick-rs: the plain search"


if __name__ == "__main__":
    raise SystemExit(main())
