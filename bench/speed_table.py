"""Results of `speed.py` that are kept, and the README's table made from them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

START, END = "<!-- bench:start -->", "<!-- bench:end -->"


def save(folder: Path, result: dict[str, Any]) -> None:
    """Keep a result: one file an implementation."""
    folder.mkdir(exist_ok=True)
    path = folder / f"speed-{result['backend']}.json"
    path.write_text(json.dumps(result, indent=2) + "\n", "utf-8")


def write(readme: Path, folder: Path) -> None:
    """Put the table of the kept native result between the README's marks. Raises SystemExit where it has none."""
    content = readme.read_text("utf-8")
    before, start, rest = content.partition(START)
    _, end, after = rest.partition(END)
    if not (start and end):
        raise SystemExit(f"error: {readme.name} has no {START} … {END}")
    text = table(json.loads((folder / "speed-native.json").read_text("utf-8")))
    readme.write_text(f"{before}{START}\n{text}\n{END}{after}", "utf-8")


def table(result: dict[str, Any]) -> str:
    """Times and ratios by size, then the figures that have no size."""
    machine = result["machine"]
    rows = [
        ["entries", "check", "numpy scan", "FAISS flat", "against numpy", "share a word, median"],
        ["---:"] * 6,
        *(_row(result, size) for size in result["check_us"]),
    ]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    where = f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}, numpy {machine['numpy']}"
    about = [
        f"Medians, {result['dimensions']} dimensions, native core, {where}; load {machine['load']} when it began.",
        "A check has a vector given and is asked through `ForgottenIndex`; a scan finds the nearest of all vectors.",
    ]
    return "\n".join([" ".join(about), "", *lines, "", *_others(result)])


def _row(result: dict[str, Any], size: str) -> list[str]:
    check, scan = result["check_us"][size], result["scan_us"][size]
    times = [duration(result[f"{name}_us"][size]) for name in ("check", "scan", "faiss")]
    return [f"{int(size):,}", *times, ratio(scan / check), f"{result['share_a_word'][size]['median']:,}"]


def ratio(times: float) -> str:
    return f"{times:.0f} times faster" if times >= 10 else f"{times:.1f} times" + (" faster" if times >= 1 else "")


def duration(us: float) -> str:
    if us < 1000:
        return f"{us:.0f} µs"
    return f"{us / 1000:.1f} ms" if us < 1e6 else f"{us / 1e6:.2f} s"


def _others(result: dict[str, Any]) -> Sequence[str]:
    lines = [
        f"A vector of 640 dimensions adds {max(result['vector_640_adds_us'], 0.0):.0f} µs to a check at 500 entries; "
        f"a numpy row, quantised on the way, {result['buffer_640_adds_us']:.0f} µs. `filter` of 100 texts: "
        f"{duration(result['filter_100_us'])}; `scrub` of 10 kB: {result['scrub_10kb_ms']:.1f} ms; "
        f"`is_forget_request`: {duration(result['is_forget_request_us'])}; `import forgetguard`: "
        f"{result['import_ms']:.0f} ms.",
    ]
    if found := result.get("end_to_end"):
        lines.append(
            f"Text to verdict with MiniLM, {found['entries']} entries, everyday facts: {found['ratio']:.0f} times "
            f"faster than embedding every text and scanning; {found['share_embedded']:.1%} of the texts needed one."
        )
    if found := result.get("twin", {}).get("slower"):
        parts = ", ".join(f"{slower:.0f} times at {int(size):,}" for size, slower in found.items())
        lines.append(f"The Python twin is slower: {parts} entries.")
    largest = max(result["bytes_an_entry"], key=int)
    size = result["bytes_an_entry"][largest]["index_beside_the_vector"]
    if int(largest) >= 100_000:
        lines.append(f"The index takes {size:,} bytes an entry beside its vector at {int(largest):,}.")
    return [" ".join(lines)]
