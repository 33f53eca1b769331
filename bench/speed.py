#!/usr/bin/env python3
"""What a check costs at any size, beside a scan of every vector: ratios of times taken in one run, on the same data.

    python bench/speed.py [--json] [--full] [--sizes 500,10000] [--model DIR] [--save] [--readme FILE]

Sizes up to 100,000 entries by default, 1,000,000 with --full, up to 10,000 on the Python twin. The facts are those of a
seeded grammar (`sentences.py`), nine candidates in ten are other sentences of it and one restates a fact; vectors are
random, which a scan does not mind. Each size is measured in a process of its own. `check_us`: one text with a given
vector (384 dimensions) through `ForgottenIndex`, `scan_us`: numpy's scan of all vectors for the nearest. The model
(FORGETGUARD_MODEL_DIR, or --model) is needed for `end_to_end` alone. With --save the result goes into `bench/results/`,
and --readme writes the README's table from what lies there. A debug build is refused.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scanning import Scans, bandwidth, normal, one_thread
from sentences import Grammar

from forgetguard.guard import ForgetGuard
from forgetguard.keys import Key
from forgetguard.ledger import Fact, Ledger
from forgetguard.rules import BACKEND, ForgottenIndex, is_forget_request, rules_version, scrub
from forgetguard.values import Entry, Vector

BENCH = Path(__file__).resolve().parent
RESULTS = BENCH / "results"
DIMENSIONS, WIDE = 384, 640
SIZES = {"native": (500, 10_000, 100_000), "python": (500, 10_000)}
FULL = 1_000_000
CANDIDATES, RESTATED = 180, 20
MODEL = "bench"
LOADED = 100_000
"""Entries of the ledger that is loaded."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure checks beside a scan of every vector.")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.add_argument("--full", action="store_true", help=f"{FULL:,} entries, too")
    parser.add_argument("--sizes", metavar="N,…", help="these sizes instead")
    parser.add_argument("--model", type=Path, metavar="DIR", help="a sentence model, for end_to_end")
    parser.add_argument("--twin", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--alone", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--save", action="store_true", help="keep the result in bench/results/")
    parser.add_argument("--readme", type=Path, metavar="FILE", help="write the table of the kept results into it")
    options = parser.parse_args()
    refuse_debug_build()
    sizes = [int(size) for size in options.sizes.split(",")] if options.sizes else [*SIZES[BACKEND]]
    sizes += [FULL] if options.full and BACKEND == "native" else []
    model = options.model or (Path(found) if (found := os.environ.get("FORGETGUARD_MODEL_DIR")) else None)
    if options.alone:
        print(json.dumps(At(options.alone).figures()))
        return 0
    if options.twin:
        print(json.dumps({"check_us": {str(size): At(size).check(3) for size in sizes}}))
        return 0
    result = measure(sizes, model)
    if options.save:
        from speed_table import save

        save(RESULTS, result)
    if options.readme:
        from speed_table import write

        write(options.readme, RESULTS)
    if options.json:
        print(json.dumps(result))
    else:
        print(json.dumps(result, indent=2))
    return 0


def refuse_debug_build() -> None:
    """Raises SystemExit: the times of an unoptimised core say nothing."""
    if BACKEND == "native":
        from forgetguard.rules import _native

        if _native.DEBUG_BUILD:
            raise SystemExit("error: the native core is a debug build; build it with `make native`")


def measure(sizes: Sequence[int], model: Path | None) -> dict[str, Any]:
    """All figures."""
    read = bandwidth()
    result: dict[str, Any] = {
        "schema": "forgetguard-speed",
        "version": 1,
        "backend": BACKEND,
        "rules_version": str(rules_version()),
        "machine": machine(),
        "dimensions": DIMENSIONS,
        "read_gb_s": round(read / 1e9, 2),
    }
    for size in sizes:
        note(f"{size:,} entries")
        for name, figure in alone(size).items():
            result.setdefault(name, {})[str(size)] = figure
    result["floor_us"] = {str(size): round(size * DIMENSIONS * 4 / read * 1e6, 2) for size in sizes}
    result["ratios"] = {
        size: {
            "scan": round(result["scan_us"][size] / check, 2),
            "faiss": round(result["faiss_us"][size] / check, 2),
        }
        for size, check in result["check_us"].items()
    }
    note("everything else")
    result |= small()
    if LOADED in sizes:
        result["load_100k_s"] = load_from_ledger(LOADED)
    if BACKEND == "native":
        result["twin"] = twin(result["check_us"])
    if model is not None:
        from everyday import end_to_end

        note("end to end")
        result["end_to_end"] = end_to_end(model)
    return result


def alone(size: int) -> dict[str, Any]:
    """The figures of one size, in its own process: what another size leaves in the heap would lie in between."""
    return own_process("--alone", str(size), backend=BACKEND)


def own_process(*arguments: str, backend: str) -> dict[str, Any]:
    """What this script answers in another process, on that implementation of the rules."""
    done = subprocess.run(
        [sys.executable, __file__, *arguments],
        env={**os.environ, "FORGETGUARD_BACKEND": backend},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def note(what: str) -> None:
    print(f"… {what}", file=sys.stderr, flush=True)


def machine() -> dict[str, Any]:
    cpu = next((line.split(":")[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")), "")
    return {
        "cpu": cpu or platform.processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "load": round(os.getloadavg()[0], 2),
        "date": time.strftime("%Y-%m-%d"),
    }


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text("utf-8").splitlines()
    except OSError:
        return []


def resident() -> int:
    """Bytes of this process in memory."""
    gc.collect()
    fields = _lines("/proc/self/statm")
    return int(fields[0].split()[1]) * os.sysconf("SC_PAGE_SIZE") if fields else 0


class At:
    """One size: an index, the vectors beside it, and candidates."""

    def __init__(self, size: int, dimensions: int = DIMENSIONS) -> None:
        self.size = size
        texts = list(Grammar(1).sentences(size))
        chance = random.Random(3)
        others = Grammar(2).sentences(CANDIDATES, frozenset(texts))
        self.candidates = [*others, *(again(text) for text in chance.choices(texts, k=RESTATED))]
        chance.shuffle(self.candidates)
        self.vectors = normal(size, dimensions)
        self.asked = normal(len(self.candidates), dimensions, seed=5)
        self.asked_vectors = [Vector.quantise(row, MODEL) for row in self.asked]
        before = resident()
        entries = [
            Entry(text, id=f"{n:032x}", vector=Vector(values, 1 / 127, MODEL))
            for n, (text, values) in enumerate(zip(texts, self._int8(), strict=True))
        ]
        between = resident()
        self.index = ForgottenIndex()
        start = time.perf_counter()
        self.index.add(entries)
        self.build_us = (time.perf_counter() - start) / size * 1e6
        self.bytes = {
            "index_beside_the_vector": (resident() - between) / size - dimensions,
            "entries_beside_the_vector": (between - before) / size - dimensions,
        }
        self.texts = texts

    def _int8(self) -> Iterable[bytes]:
        for start in range(0, self.size, 10_000):
            rows = self.vectors[start : start + 10_000]
            scaled = rows * (127 / np.abs(rows).max(axis=1, keepdims=True))
            yield from (row.tobytes() for row in np.rint(scaled).astype(np.int8))

    def check(self, rounds: int = 5) -> float:
        return times(
            lambda n: self.index.match(self.candidates[n], self.asked_vectors[n]), len(self.candidates), rounds
        )

    def figures(self) -> dict[str, Any]:
        """Times in µs, bytes and shares, by name."""
        return {
            **{f"{name}_us": round(taken, 2) for name, taken in self.against_scans().items()},
            "build_us_an_entry": round(self.build_us, 2),
            "bytes_an_entry": {name: round(count) for name, count in self.bytes.items()},
            "share_a_word": self.share_a_word(),
        }

    def against_scans(self) -> dict[str, float]:
        """Medians in µs; ours and the scans take turns, so that a busy machine touches all alike."""
        scans = Scans(self.vectors)
        few = max(3, min(60, 6_000_000 // self.size))
        embed = _Known(self.candidates, self.asked_vectors)
        ways: dict[str, tuple[Callable[[int], object], int]] = {
            "check": (lambda n: self.index.match(self.candidates[n], self.asked_vectors[n]), len(self.candidates)),
            "words": (lambda n: self.index.match(self.candidates[n]), len(self.candidates)),
            "lazy": (lambda n: self.index.match(self.candidates[n], embed), len(self.candidates)),
            "scan": (lambda n: scans.numpy(self.asked[n]), few),
            "faiss": (lambda n: scans.faiss(self.asked[n]), few),
        }
        taken: dict[str, list[float]] = {name: [] for name in (*ways, "scan alone", "faiss alone")}
        for _ in range(5):
            for name, (way, count) in ways.items():
                taken[name].append(times(way, count, 1))
            with one_thread():
                for name in ("scan", "faiss"):
                    taken[f"{name} alone"].append(times(*ways[name], 1))
        found = {name: statistics.median(medians) for name, medians in taken.items()}
        # A scan is given all threads, or one where that is quicker.
        best_of = {name: min(found[name], found[f"{name} alone"]) for name in ("scan", "faiss")}
        return {name: found[name] for name in ways} | best_of

    def share_a_word(self) -> dict[str, int]:
        """How many entries share a word of more than three letters with a candidate: the median and the most."""
        stands: dict[str, list[int]] = {}
        for n, text in enumerate(self.texts):
            for word in _words(text):
                stands.setdefault(word, []).append(n)
        counts = sorted(
            len(set().union(*(stands.get(word, ()) for word in _words(text)))) for text in self.candidates[:100]
        )
        return {"median": counts[len(counts) // 2], "most": counts[-1]}


def _words(text: str) -> set[str]:
    return {word for word in text.lower().removesuffix(".").split() if len(word) > 3 and word not in ("user", "user's")}


class _Known:
    """An embedder that costs nothing: what is left is ours."""

    model_id = MODEL

    def __init__(self, texts: Sequence[str], vectors: Sequence[Vector]) -> None:
        self._vectors = dict(zip(texts, vectors, strict=True))

    def __call__(self, text: str) -> Vector:
        return self._vectors[text]


def again(text: str) -> str:
    """The same fact in a few other words."""
    return f"{text.replace('User', 'The user', 1)}, as they said"


def times(way: Callable[[int], object], count: int, rounds: int) -> float:
    """The median duration of one call over so many texts, in µs."""
    taken = []
    for _ in range(rounds):
        for n in range(count):
            start = time.perf_counter_ns()
            way(n)
            taken.append(time.perf_counter_ns() - start)
    return statistics.median(taken) / 1e3


def best(way: Callable[[], object], repeats: int) -> float:
    """The shortest of several calls, in seconds: what is above it belongs to the machine's other work."""
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        way()
        taken.append(time.perf_counter() - start)
    return min(taken)


def small() -> dict[str, Any]:
    """What does not hang on the size: 500 entries."""
    at, wide = At(500), At(500, WIDE)
    numbers = [row.astype("f") for row in wide.asked]
    costs = {
        "words": lambda n: wide.index.match(wide.candidates[n]),
        "vector": lambda n: wide.index.match(wide.candidates[n], wide.asked_vectors[n]),
        "buffer": lambda n: wide.index.match(wide.candidates[n], numbers[n]),
    }
    count = len(wide.candidates)
    taken = {name: statistics.median(times(way, count, 1) for _ in range(7)) for name, way in costs.items()}
    summary = ". ".join(at.candidates)
    kilobytes = (summary + ". ") * (1 + 1_000_000 // len(summary))
    few = 3 if BACKEND == "native" else 1
    return {
        "vector_640_adds_us": round(taken["vector"] - taken["words"], 2),
        "buffer_640_adds_us": round(taken["buffer"] - taken["words"], 2),
        "is_forget_request_us": round(times(lambda n: is_forget_request(at.candidates[n]), count, 5), 2),
        "scrub_10kb_ms": round(best(lambda: scrub(summary[:10_000], at.index), 3 * few) * 1e3, 2),
        "scrub_1mb_s": round(best(lambda: scrub(kilobytes[:1_000_000], at.index), few), 3) if few > 1 else None,
        "filter_100_us": round(filter_us(at), 1),
        "guard_check_us": round(guard_us(at), 2),
        "import_ms": round(process_ms(["-c", "import forgetguard"]) - process_ms(["-c", "pass"]), 1),
        "command_line_ms": round(process_ms(["-m", "forgetguard", "--help"]), 1),
    }


def _guard(folder: str, texts: Sequence[str]) -> ForgetGuard:
    guard = ForgetGuard.open(Path(folder, "ledger"), key=Key.generate(), create=True, mark=Path(folder, "mark"))
    guard.forget(texts)
    return guard


def filter_us(at: At) -> float:
    """One batch of a hundred texts."""
    with tempfile.TemporaryDirectory() as folder, _guard(folder, at.texts) as guard:
        return best(lambda: guard.filter(at.candidates[:100]), 15) * 1e6


def guard_us(at: At) -> float:
    """One check through the guard, which asks the ledger whether anything changed."""
    with tempfile.TemporaryDirectory() as folder, _guard(folder, at.texts) as guard:
        return times(lambda n: guard.check(at.candidates[n]), len(at.candidates), 5)


def load_from_ledger(count: int) -> dict[str, float]:
    """Seconds to open a ledger with vectors, and to take its entries into an index."""
    values = [row.tobytes() for row in np.random.default_rng(9).integers(-127, 128, (1000, DIMENSIONS), dtype=np.int8)]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        key, path = Key.generate(), Path(folder, "ledger")
        with Ledger.open(path, key, create=True) as ledger:
            batch: list[Fact] = []
            for n, text in enumerate(Grammar(1).sentences(count), 1):
                batch.append(Fact(text, Vector(values[n % 1000], 1 / 127, MODEL)))
                if n % 1000 == 0:
                    ledger.forget(batch)
                    batch = []
        start = time.perf_counter()
        with Ledger.open(path, key) as ledger:
            entries = ledger.entries()
            opened = time.perf_counter()
            ForgottenIndex().add(entries)
            return {"open": round(opened - start, 2), "index": round(time.perf_counter() - opened, 2)}


def twin(native: dict[str, float]) -> dict[str, Any]:
    """The Python twin's checks, in its own process, and how many times slower it is."""
    sizes = [size for size in native if int(size) in SIZES["python"]]
    if not sizes:
        return {}
    found: dict[str, float] = own_process("--twin", "--sizes", ",".join(sizes), backend="python")["check_us"]
    return {"check_us": found, "slower": {size: round(taken / native[size], 1) for size, taken in found.items()}}


def process_ms(arguments: list[str]) -> float:
    """The quickest of several runs of a Python process."""
    return best(lambda: subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True), 7) * 1e3


if __name__ == "__main__":
    sys.exit(main())
