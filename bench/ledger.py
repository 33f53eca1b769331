"""What the ledger costs, beside a plain unencrypted SQLite insert and beside rewriting one sealed file, in one run.

    python bench/ledger.py             all of it, about two minutes
    python bench/ledger.py --quick     a tenth of the entries

Each figure stands beside what it must reach. Durable means synced before it returns. Where the disk counts, the median;
where only the processor does, the best of several: what is above it belongs to the machine's other work.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from forgetguard.keys import Key
from forgetguard.ledger import Fact, Ledger
from forgetguard.ledger.sealing import seal
from forgetguard.values import Vector

DIMENSIONS = 384
SMALL = 100


def fact(number: int, vector: bool = False) -> Fact:
    """An everyday fact; with a vector of the size that small sentence models give."""
    text = f"User {number} goes running along the river on Tuesday evenings"
    if not vector:
        return Fact(text)
    return Fact(text, Vector(secrets.token_bytes(DIMENSIONS), 0.01, "all-MiniLM-L6-v2"))


def batches(count: int, vector: bool) -> Iterator[list[Fact]]:
    for start in range(0, count, 1000):
        yield [fact(number, vector) for number in range(start, min(count, start + 1000))]


def filled(path: Path, key: Key, count: int, vector: bool = False) -> Ledger:
    """A ledger with this many committed entries."""
    ledger = Ledger.open(path, key, create=True)
    for batch in batches(count, vector):
        ledger.forget(batch)
    return ledger


def timed(action: Callable[[], object], repeats: int) -> list[float]:
    """How long each of several calls took, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return times


def median_ms(action: Callable[[], object], repeats: int) -> float:
    """The median duration of one call, in milliseconds."""
    return statistics.median(timed(action, repeats)) * 1e3


def best_ms(action: Callable[[], object], repeats: int) -> float:
    """The shortest duration of one call, in milliseconds."""
    return min(timed(action, repeats)) * 1e3


def plain_insert(folder: Path, count: int) -> Callable[[], object]:
    """One durable insert into an unencrypted table of this many rows."""
    connection = sqlite3.connect(folder / "plain.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE fact (seq INTEGER PRIMARY KEY, text TEXT)")
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO fact (text) VALUES (?)", [(fact(n).text,) for n in range(count)])
    connection.execute("COMMIT")
    return lambda: connection.execute("INSERT INTO fact (text) VALUES (?)", (fact(0).text,))


def whole_file(folder: Path, count: int) -> Callable[[], object]:
    """Sealing all texts as one file and putting it durably in place of the old one."""
    key, target = secrets.token_bytes(32), folder / "whole"
    texts = [fact(number).text for number in range(count)]

    def rewrite() -> None:
        texts.append(fact(0).text)
        with open(folder / "whole.new", "wb") as stream:
            stream.write(seal(key, "\n".join(texts).encode("utf-8"), b""))
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(folder / "whole.new", target)

    return rewrite


class Report:
    """Prints the rows and remembers whether every line was reached."""

    def __init__(self) -> None:
        self.failed = False

    def row(self, name: str, value: float, unit: str, limit: float | None = None) -> None:
        verdict = ""
        if limit is not None:
            reached = value <= limit
            self.failed |= not reached
            verdict = f"{'at most':>8} {limit:g} {unit}{'' if reached else '   NOT REACHED'}"
        print(f"  {name:<58} {value:>9.3f} {unit:<6}{verdict}", flush=True)


def measure_forget(report: Report, folder: Path, large: int) -> None:
    """Forgetting one fact, small and large, interleaved so that a busy machine touches both alike."""
    repeats = 300
    key = Key.generate()
    places = {count: folder / f"forget-{count}" for count in (SMALL, large)}
    costs: dict[int, list[float]] = {SMALL: [], large: []}
    plain: dict[int, list[float]] = {SMALL: [], large: []}
    ledgers, inserts = {}, {}
    for count, place in places.items():
        place.mkdir()
        ledgers[count] = filled(place / "ledger.db", key, count)
        inserts[count] = plain_insert(place, count)
    for number in range(repeats):
        for count in places:
            one = [fact(number)]
            costs[count].append(median_ms(partial(ledgers[count].forget, one), 1))
            plain[count].append(median_ms(inserts[count], 1))
    typical = {count: statistics.median(times) for count, times in costs.items()}
    for count in places:
        report.row(f"forget, durable, at {count:,} entries", typical[count], "ms")
        report.row(f"  a plain unencrypted insert, at {count:,} rows", statistics.median(plain[count]), "ms")
        report.row(
            f"  rewriting a whole sealed file of {count:,}", median_ms(whole_file(places[count], count), 20), "ms"
        )
    report.row(f"forget at {large:,} entries against one at {SMALL}", typical[large] / typical[SMALL], "times", 1.5)
    for ledger in ledgers.values():
        ledger.close()


def measure_check(report: Report, folder: Path) -> None:
    """Noticing that nothing changed."""
    ledger = filled(folder / "check" / "ledger.db", Key.generate(), 1000)
    ledger.entries()
    time.sleep(1.5)  # a folder that was just written is looked at more closely
    calls = 500
    cost = best_ms(lambda: [ledger.entries() for _ in range(calls)], 50) / calls * 1e3
    report.row("warm check that nothing changed", cost, "µs", 15)
    ledger.close()


def measure_open(report: Report, folder: Path, count: int, limit_ms: float) -> None:
    """Opening: every record unsealed and folded."""
    key, path = Key.generate(), folder / f"open-{count}" / "ledger.db"
    filled(path, key, count, vector=True).close()
    cost = best_ms(lambda: Ledger.open(path, key).close(), 7)
    report.row(f"opening {count:,} entries with {DIMENSIONS}-d vectors", cost, "ms", limit_ms)
    report.row("  the file, per entry", path.stat().st_size / count, "bytes")


def measure_size(report: Report, folder: Path, count: int) -> None:
    """Bytes on disk for a record that holds text alone, everything included."""
    path = folder / "size" / "ledger.db"
    key = Key.generate()
    Ledger.open(path, key, create=True).close()
    empty = path.stat().st_size
    filled(path, key, count).close()
    # `filled` writes one commit for a thousand; counted as if it weighed nothing, which makes the figure larger.
    report.row("a text-only record on disk", (path.stat().st_size - empty) / count, "bytes", 600)


def main(arguments: list[str] | None = None) -> int:
    """Print the table; 1 where a line was not reached."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="a tenth of the entries")
    quick = parser.parse_args(arguments).quick
    large = 10_000 if quick else 100_000
    report = Report()
    print(f"Ledger (SQLite {sqlite3.sqlite_version}, Python {sys.version.split()[0]})")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["XDG_STATE_HOME"] = str(folder / "state")
        measure_forget(report, folder, large)
        measure_check(report, folder)
        measure_open(report, folder, large // 10, 300)
        measure_open(report, folder, large, 3000)
        measure_size(report, folder, large // 10)
    return int(report.failed)


if __name__ == "__main__":
    sys.exit(main())
