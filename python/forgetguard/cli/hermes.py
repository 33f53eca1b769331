"""Setting up the plugin for Hermes Agent."""

from __future__ import annotations

from pathlib import Path

import click

from forgetguard.cli.console import emit, say, tell

NEXT = """\
Next, where Hermes runs (forgetguard must be installed in its environment):
  hermes plugins enable forgetguard --no-allow-tool-override
With a memory provider:
  hermes config set plugins.entries.forgetguard.provider NAME
  hermes config set memory.provider forgetguard
To have compaction summaries checked:
  hermes config set context.engine forgetguard"""


@click.group()
def hermes() -> None:
    """Set up the plugin for Hermes Agent."""


@hermes.command()
@click.option("--home", type=click.Path(path_type=Path), help="The Hermes home, if not HERMES_HOME or ~/.hermes.")
@click.option("--uninstall", is_flag=True, help="Take away what install wrote; config.yaml is left to you.")
@click.option("--json", "as_json", is_flag=True, help="JSON on stdout.")
def install(home: Path | None, uninstall: bool, as_json: bool) -> None:
    """Write the plugin directory plugins/forgetguard, and say what was written; others' files are never touched."""
    from forgetguard.adapters.hermes import install as room

    changed = (room.uninstall if uninstall else room.install)(room.hermes_home(home))
    word = "removed" if uninstall else "wrote"
    if as_json:
        done, left = ([str(path) for path in paths] for paths in (changed.done, changed.left))
        emit("hermes-install", **{"removed" if uninstall else "written": done, "left": left})
        return
    for path in changed.done:
        say(f"{word:8} {path}")
    for path in changed.left:
        say(f"{'left':8} {path}")
    if not uninstall:
        tell(NEXT)
