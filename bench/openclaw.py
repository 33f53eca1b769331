"""A synthetic OpenClaw state of the size that the adapter is made for: time and memory of plan and apply.

    python bench/openclaw.py [--lines 1000000] [--chunks 100000] [--files 2000] [--sessions 1000] [--selected 1]
                             [--keep DIR]

The schema is the recorded one (fixtures/openclaw); rows, vectors (384-d), corpus and notes are made up. Plan and apply
run in processes of their own, so that the peak memory is theirs alone. The recorded state itself is planned first: what
that takes is what a person waits for after the import. `--selected` is how many of the sessions are purged at once.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests")]

LIMITS = {"recorded": 0.3, "plan": 20.0, "apply": 60.0, "megabytes": 500.0}
DIMENSIONS = 384
WORDS = [f"{a}{b}" for a in ("har", "lan", "mor", "tel", "vis", "qua", "ros", "bel", "cor", "nim")
         for b in ("bour", "tern", "ning", "egraph", "count", "drant", "emary", "fry", "sair", "bus")]  # fmt: skip


def sentence(chance: random.Random, number: int) -> str:
    return f"{' '.join(chance.choice(WORDS) for _ in range(9))} {number}."


def make(root: Path, lines: int, chunks: int, files: int, sessions: int) -> list[str]:
    """Fill the recorded state; its sessions."""
    import apsw
    import sqlite_vec

    from adapters.openclaw.recording import unpack

    unpack(root)
    chance = random.Random(1)
    ids = [str(uuid.UUID(int=chance.getrandbits(128))) for _ in range(sessions)]
    said: dict[str, list[str]] = {one: [] for one in ids}
    corpus = root / "workspace/memory/.dreams/session-corpus"
    days = 365
    number = 0
    for day in range(days):
        rows = []
        for _ in range(lines // days + (day < lines % days)):
            one = ids[number % sessions]
            text = (
                f"User: {sentence(chance, number)}"
                if number % 2
                else "Assistant: Understood, I will keep that in mind."
            )
            said[one].append(text)
            rows.append(f"[main/sessions/main/{one}#L{number}] {text}")
            number += 1
        (corpus / f"{2020 + day // 28 // 12:04}-{day // 28 % 12 + 1:02}-{day % 28 + 1:02}.txt").write_text(
            "\n".join(rows) + "\n"
        )
    for name in range(files):
        folder = root / "workspace/memory" / f"{name // 100:02}"
        folder.mkdir(exist_ok=True)
        body = [f"- {sentence(chance, name * 1000 + row)}" for row in range(60)]
        if name % 10 == 0:
            body.append(f"- Noted: {said[ids[name % sessions]][1]}")
        (folder / f"note-{name}.md").write_text("\n".join(body) + "\n")
    agent = apsw.Connection(str(root / "agents/main/agent/openclaw-agent.sqlite"))
    agent.enable_load_extension(True)
    agent.load_extension(sqlite_vec.loadable_path())
    agent.execute("DROP TABLE memory_index_chunks_vec")
    columns = f"id TEXT PRIMARY KEY, embedding FLOAT[{DIMENSIONS}]"
    agent.execute(f"CREATE VIRTUAL TABLE memory_index_chunks_vec USING vec0({columns})")
    agent.execute("PRAGMA synchronous=OFF")
    with agent:
        windows(agent, ids)
        for row in range(chunks):
            one = ids[row % sessions]
            mine = row % 2 == 0
            path = f"sessions/main/{one}.jsonl" if mine else f"memory/{row % files // 100:02}/note-{row % files}.md"
            texts = (
                [said[one][(row + n) % len(said[one])] for n in range(6)]
                if mine
                else [sentence(chance, row * 7 + n) for n in range(6)]
            )
            chunk(agent, row, path, "sessions" if mine else "memory", "\n".join(texts))
        for key in range(50_000):
            origin = (f"memory:claim:{key:012x}", "main", ids[key % sessions], "agent:main:x", "owner", 1)
            agent.execute("INSERT INTO memory_entry_origins VALUES (?,?,?,?,?,?)", origin)
    agent.close()
    return ids


def windows(agent: Any, ids: list[str]) -> None:
    for number, one in enumerate(ids):
        key = f"agent:main:s{number}"
        agent.execute(
            "INSERT INTO session_nodes(session_key, current_session_id, entry_json, updated_at) VALUES (?,?,'{}',1)",
            (key, one),
        )
        agent.execute(
            "INSERT INTO session_windows(session_id, session_key, created_at, updated_at) VALUES (?,?,1,1)", (one, key)
        )


def chunk(agent: Any, row: int, path: str, source: str, text: str) -> None:
    digest = hashlib.sha256(f"{row}{text}".encode()).hexdigest()
    name = hashlib.sha256(f"{path}{row}".encode()).hexdigest()
    floats = [((row * 31 + n * 17) % 997) / 997 for n in range(DIMENSIONS)]
    execute = agent.execute
    doubles, singles = struct.pack(f"<{DIMENSIONS}d", *floats), struct.pack(f"<{DIMENSIONS}f", *floats)
    columns = "id, path, source, start_line, end_line, hash, model, text, embedding, updated_at"
    execute(
        f"INSERT INTO memory_index_chunks({columns}) VALUES (?,?,?,1,2,?,'m',?,?,1)",
        (name, path, source, digest, text, doubles),
    )
    execute("INSERT INTO memory_index_chunks_vec(id, embedding) VALUES (?,?)", (name, singles))
    execute("INSERT OR IGNORE INTO memory_embedding_cache VALUES ('p','m','k',?,?,?,1)", (digest, doubles, DIMENSIONS))


def measure(step: str, root: Path, sessions: tuple[str, ...]) -> None:
    """Run one step in this process and print what it took."""
    from forgetguard.adapters.openclaw import State, forget, plan_forget, preview_forget
    from forgetguard.purge import Home, Order, Selection

    last = [time.perf_counter()]

    def observe(name: str, status: str) -> None:
        now = time.perf_counter()
        if status != "started":
            print(f"  {name:22} {now - last[0]:6.2f} s", file=sys.stderr)
        last[0] = now

    home = Home(root.parent / "home")
    begin = time.perf_counter()
    made = plan_forget(State(root, (root.parent / "tmp",)).agent("main"), Selection(sessions=sessions), home=home)
    planned = time.perf_counter() - begin
    if step == "plan":
        done = preview_forget(made)
        seconds = planned
    else:
        begin = time.perf_counter()
        done = forget(made, home, Order(observe=observe))
        seconds = time.perf_counter() - begin
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
    ours = done.body["forgetguard"]
    assert isinstance(ours, dict)
    print(json.dumps({"seconds": round(seconds, 2), "megabytes": round(peak, 1), "exit": done.exit_code,
                      "result": ours["result"], "artifacts": done.body["artifacts"]}))  # fmt: skip


def recorded_state(base: Path) -> int:
    """Plan the recorded state after the import; 1 where it takes longer than it may."""
    from adapters.openclaw.recording import ALICE, unpack
    from forgetguard.adapters.openclaw import State, plan_forget
    from forgetguard.purge import Selection

    shutil.rmtree(base / "recorded", ignore_errors=True)
    agent = State(unpack(base / "recorded"), (base / "tmp",)).agent("main")
    begin = time.perf_counter()
    plan_forget(agent, Selection(sessions=(ALICE,)))
    seconds = time.perf_counter() - begin
    good = seconds <= LIMITS["recorded"]
    print(f"recorded state: planned in {1000 * seconds:.0f} ms (limit {1000 * LIMITS['recorded']:.0f})  "
          f"{'ok' if good else 'OVER'}")  # fmt: skip
    return int(not good)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, count in (
        ("lines", 1_000_000),
        ("chunks", 100_000),
        ("files", 2000),
        ("sessions", 1000),
        ("selected", 1),
    ):
        parser.add_argument(f"--{name}", type=int, default=count)
    parser.add_argument("--keep", type=Path, help="make the state here, and use it again if it is there")
    parser.add_argument("--step", nargs=3, metavar=("STEP", "DIR", "SESSIONS"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step:
        measure(given.step[0], Path(given.step[1]), tuple(given.step[2].split(",")))
        return 0
    base = given.keep or Path(tempfile.mkdtemp(prefix="forgetguard-bench-"))
    try:
        root, marker = base / "state", base / "sessions"
        if not marker.exists():
            base.mkdir(parents=True, exist_ok=True)
            begin = time.perf_counter()
            marker.write_text("\n".join(make(root, given.lines, given.chunks, given.files, given.sessions)))
            print(f"made in {time.perf_counter() - begin:.0f} s", file=sys.stderr)
        size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
        print(f"state: {given.lines} corpus lines, {given.chunks} chunks, {given.files} files, {size / 1e6:.0f} MB")
        worst = recorded_state(base)
        chosen = ",".join(marker.read_text().split()[: given.selected])
        for step in ("plan", "apply"):
            command = [sys.executable, __file__, "--step", step, str(root), chosen]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            sys.stderr.write(done.stderr)
            told = json.loads(done.stdout)
            good = told["seconds"] <= LIMITS[step] and told["megabytes"] <= LIMITS["megabytes"]
            worst |= not good
            print(f"{step:6} {told['seconds']:7.2f} s (limit {LIMITS[step]:.0f})  peak {told['megabytes']:6.1f} MB"
                  f" (limit {LIMITS['megabytes']:.0f})  {told['result']}  {'ok' if good else 'OVER'}")  # fmt: skip
        return worst
    finally:
        if given.keep is None:
            shutil.rmtree(base)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    sys.exit(main())
