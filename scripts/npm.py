"""Programs from the npm registry, for tests that run a real host."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

INSTALL_SECONDS = 900


class Skipped(Exception):
    """The test cannot run here; its text says why."""


def install(place: Path, package: str, *, node: Path | None = None) -> None:
    """Install one package below `place`, running none of its scripts. `node`: the directory of the node to use first.

    Raises Skipped where npm or the registry cannot be reached.
    """
    place.mkdir(parents=True, exist_ok=True)
    flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", "--prefix", str(place)]
    path = os.pathsep.join([str(node)] * (node is not None) + [os.environ["PATH"]])
    try:
        subprocess.run(
            ["npm", "install", *flags, package],
            check=True,
            capture_output=True,
            timeout=INSTALL_SECONDS,
            env={**os.environ, "PATH": path},
        )
    except FileNotFoundError:
        raise Skipped("npm is not installed") from None
    except subprocess.TimeoutExpired:
        raise Skipped("the npm registry did not answer in time") from None
    except subprocess.CalledProcessError as error:
        reason = error.stderr.decode("utf-8", "replace").strip().splitlines()
        raise Skipped(f"npm could not install {package}: {reason[0] if reason else 'no reason given'}") from None
