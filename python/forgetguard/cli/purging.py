"""What the commands around a purge share: where host and home are, selectors, JSON on stdout."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from forgetguard.cli.console import write
from forgetguard.directories import config_file
from forgetguard.provenance import ProvenanceStore
from forgetguard.purge import Home, Host, Selection, read_host, recorded
from forgetguard.purge.selection import origin_classes, parse_since

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Place:
    """Where the host is described, and where the purge keeps what is its own."""

    description: Path
    home: Home

    def host(self) -> Host:
        """The host. Raises InvalidInput."""
        return read_host(self.description)

    def recorded(self) -> Host:
        """The host, once its provenance store is there. Raises InvalidInput, StoreUnreadable."""
        return recorded(self.host())

    def store(self) -> ProvenanceStore:
        """The host's provenance store. Raises InvalidInput, StoreUnreadable."""
        lineage = self.recorded().lineage
        assert isinstance(lineage, ProvenanceStore)
        return lineage


def placed(command: Command) -> Command:
    """Adds --host and --home; the function gets a `Place` first."""

    @click.option("--host", "description", type=click.Path(path_type=Path), envvar="FORGETGUARD_PURGE_HOST",
                  help="TOML file with a [purge] table, if not the configuration file.")  # fmt: skip
    @click.option("--home", type=click.Path(path_type=Path), help="Directory of key, journal and receipts.")
    @wraps(command)
    def call(*args: Any, description: Path | None, home: Path | None, **kwargs: Any) -> Any:
        found = description or config_file()
        return command(*args, Place(found, Home(home) if home else Home.default()), **kwargs)

    return call  # type: ignore[return-value]  # click calls it by keyword, as it would the original


def place(command: Command) -> Command:
    """The same, with --json."""

    @click.option("--json", "as_json", is_flag=True, help="JSON also for errors; the rest is JSON in any case.")
    @wraps(command)
    def call(*args: Any, as_json: bool, **kwargs: Any) -> Any:
        del as_json  # read by `main`, which prints errors
        return command(*args, **kwargs)

    return placed(call)  # type: ignore[return-value]  # as above


def selectors(command: Command) -> Command:
    """Adds the selectors; the function gets a `Selection`, or None when there is none."""

    @click.option("--session", multiple=True, help="Session id or key, exact.")
    @click.option("--participant", multiple=True, help="Id of someone who took part, exact.")
    @click.option("--hook-source", multiple=True, help="Source of hook content, such as gmail.")
    @click.option("--channel", multiple=True, help="Channel, exact.")
    @click.option("--chat-type", multiple=True, help="direct, group or channel.")
    @click.option("--origin-class", multiple=True, help="owner, agent, untrusted or system.")
    @click.option("--since", help="Only sessions that began at this ISO date or later.")
    @click.option("--allow-unresolved", is_flag=True, help="Bar ids that are not known here.")
    @click.option("--union", is_flag=True, help="All that any selector names, narrow and wide ones together.")
    @wraps(command)
    def call(*args: Any, since: str | None, allow_unresolved: bool, union: bool, **kwargs: Any) -> Any:
        names = ("session", "participant", "hook_source", "channel", "chat_type", "origin_class")
        given: dict[str, tuple[str, ...]] = {name: kwargs.pop(name) for name in names}
        start = None if since is None else parse_since(since)
        selection = None
        if any(given.values()) or start is not None:
            session, participant, hook_source, channel, chat_type, origin_class = given.values()
            classes = origin_classes(origin_class)
            selection = Selection(
                session, participant, hook_source, channel, chat_type, classes, start, allow_unresolved, union
            )
        return command(*args, selection=selection, **kwargs)

    return call  # type: ignore[return-value]  # as above


def show(body: Mapping[str, object]) -> None:
    """One JSON object, indented: reports are read by people too."""
    write(json.dumps(body, indent=1, ensure_ascii=False) + "\n")


def shown(schema: str, **fields: object) -> None:
    """`show` with schema and version."""
    show({"schema": f"forgetguard.{schema}", "version": 1, **fields})
