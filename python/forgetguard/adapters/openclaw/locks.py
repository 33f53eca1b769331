"""The host's own locks, and whether its gateway is at work. A lock that cannot be taken is a refusal, never forced.

    locks/memory-promotion-<hash>.lock    a file that names its owner; the host refuses to go on over a stale one
    short-term-locks                      a row that names its owner; the host takes over one of a dead process when it
                                          is older than a minute, and so does this
    <database>.reindex-lock.sqlite        held exclusively while an index is rebuilt

What a killed purge of ours left behind is told by its owner's name and taken over at once.
"""

from __future__ import annotations

import json
import os
import re
import socket
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from forgetguard.adapters.openclaw import database
from forgetguard.adapters.openclaw.layout import AGENT_VERSIONS, SHARED_VERSIONS, Agent, State
from forgetguard.adapters.openclaw.processes import is_alive, start_time
from forgetguard.adapters.openclaw.stored import mapping_of
from forgetguard.errors import Refused
from forgetguard.provenance.schema import Connection, has_table, writing
from forgetguard.purge.surfaces.sqlite_tools import is_sqlite_error
from forgetguard.purge.waiting import STEP_SECONDS

WAIT_SECONDS = 5.0
STALE_SECONDS = 60.0
OURS = "forgetguard"
LOCKS = "short-term-locks"
DEFAULT_PORT = 18789
_PID = re.compile(rb'(?:^\s*|"pid"\s*:\s*|"owner"\s*:\s*")(\d+)')


def check(agent: Agent) -> None:
    """Everything that must hold before a byte is written. Raises Refused, StoreUnreadable."""
    for one in (agent, *agent.mates):
        database.check_version(one.database, AGENT_VERSIONS)
    database.check_version(agent.state.shared, SHARED_VERSIONS)
    signs = gateway_signs(agent.state)
    if signs:
        raise Refused(
            "the host's gateway is running",
            code="host-running",
            advice="Stop it (`openclaw gateway stop`), then repeat.",
        )
    for path in _lock_files(agent):
        _look(path)
    for one in (agent, *agent.mates):
        with _reindexing(one):
            pass
    with database.reading(agent.state.shared) as connection:
        if any(not _may_take(row) for row in _rows(connection, agent)):
            raise _busy()


def gateway_signs(state: State) -> tuple[str, ...]:
    """What says that a gateway is at work, as codes: lock files, leases, boot records of live processes, its port."""
    found = [
        f"lock:{path.name}" for path in sorted((state.root / "tmp").glob("openclaw*/gateway.*.lock")) if _held(path)
    ]
    with database.reading(state.shared) as connection:
        for table, sql in _OWNERS.items():
            if has_table(connection, table) and any(is_alive(int(pid), when) for pid, when in connection.execute(sql)):
                found.append(f"table:{table}")
    port = state.setting("gateway", "port")
    if _listens(port if isinstance(port, int) else DEFAULT_PORT):
        found.append("port")
    return tuple(found)


_OWNERS = {
    "agent_database_leases": "SELECT owner_pid, owner_start_time FROM agent_database_leases",
    "gateway_boot_lifecycle": "SELECT pid, NULL FROM gateway_boot_lifecycle WHERE completed_at_ms IS NULL",
}


def _listens(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=0.3):
            return True
    except (OSError, OverflowError):
        return False


@contextmanager
def exclusive(agent: Agent, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the host's locks. Raises Refused when one is not free within `wait` seconds."""
    with ExitStack() as stack:
        stack.enter_context(_promotion(agent, wait))
        for one in (agent, *agent.mates):
            stack.enter_context(_reindexing(one))
        stack.enter_context(_short_term(agent, wait))
        yield


def _busy() -> Refused:
    return Refused(
        "the host holds a lock on this workspace",
        code="host-busy",
        advice="Let it finish and repeat. If its process is gone, start the host once: it clears its own locks.",
    )


def _lock_files(agent: Agent) -> tuple[Path, Path]:
    target = agent.promotion_lock
    return target.with_name(target.name + ".lock"), target


def _held(path: Path) -> bool:
    """Whether a lock file names a live process."""
    try:
        content = path.read_bytes()
    except OSError:
        return path.exists()
    match = _PID.search(content)
    return match is None or is_alive(int(match.group(1)), _field(content, "starttime", "startTime"))


def _field(content: bytes, *names: str) -> object:
    read = mapping_of(content) or {}
    return next((read[name] for name in names if name in read), None)


def _look(path: Path) -> None:
    """Raises Refused unless the lock is free, or was left by a purge that was killed."""
    if path.exists() and (_held(path) or not _is_ours(path)):
        raise _busy()


def _is_ours(path: Path) -> bool:
    try:
        return _field(path.read_bytes(), "owner") == OURS
    except OSError:
        return False


@contextmanager
def _promotion(agent: Agent, wait: float) -> Iterator[None]:
    path, bare = _lock_files(agent)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    token = uuid.uuid4().hex
    payload = {
        "pid": os.getpid(),
        "createdAt": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()),
        "starttime": start_time(os.getpid()),
        "owner": OURS,
        "token": token,
    }

    def take() -> None:
        _look(bare)
        _look(path)
        path.unlink(missing_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as stream:
            json.dump(payload, stream)

    _patiently(take, wait)
    try:
        yield
    finally:
        with suppress(OSError):
            if _field(path.read_bytes(), "token") == token:
                path.unlink()


def _patiently(take: Callable[[], None], wait: float) -> None:
    end = time.monotonic() + wait
    while True:
        try:
            return take()
        except (Refused, FileExistsError):
            if time.monotonic() >= end:
                raise _busy() from None
        time.sleep(STEP_SECONDS)


@contextmanager
def _reindexing(agent: Agent) -> Iterator[None]:
    """The lock of a rebuild, where the host has made one: held exclusively, and no row in it is touched."""
    path = agent.database.with_name(agent.database.name + ".reindex-lock.sqlite")
    if not path.is_file():
        yield
        return
    apsw = database.library()
    try:
        connection: Any = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        connection.execute("BEGIN EXCLUSIVE")
    except Exception as error:
        if not is_sqlite_error(error):
            raise
        raise _busy() from None
    try:
        yield
    finally:
        connection.close()


@contextmanager
def _short_term(agent: Agent, wait: float) -> Iterator[None]:
    owner = f"{os.getpid()}:{OURS}-{uuid.uuid4()}"
    keys = sorted(agent.workspace_keys)

    def take() -> None:
        with database.erasing(agent.state.shared) as connection, writing(connection):
            if any(not _may_take(row) for row in _rows(connection, agent)):
                raise _busy()
            now = int(time.time() * 1000)
            value = {"owner": owner, "acquiredAt": now, "ownerStartTime": start_time(os.getpid())}
            text = json.dumps({key: one for key, one in value.items() if one is not None}, separators=(",", ":"))
            for key in keys:
                connection.execute("INSERT OR REPLACE INTO plugin_state_entries VALUES (?,?,?,?,?,NULL)",
                                   ("memory-core", LOCKS, key, text, now))  # fmt: skip

    _patiently(take, wait)
    try:
        yield
    finally:
        with database.erasing(agent.state.shared) as connection, writing(connection):
            connection.execute(
                "DELETE FROM plugin_state_entries WHERE plugin_id='memory-core' AND namespace=? AND"
                " CASE WHEN json_valid(value_json) THEN json_extract(value_json, '$.owner') END=?",
                (LOCKS, owner),
            )


def _rows(connection: Connection, agent: Agent) -> Iterator[dict[str, object]]:
    for key in sorted(agent.workspace_keys):
        for (text,) in connection.execute(
            "SELECT value_json FROM plugin_state_entries WHERE plugin_id='memory-core' AND namespace=? AND entry_key=?",
            (LOCKS, key),
        ):
            yield mapping_of(text) or {}  # an unreadable one belongs to somebody


def _may_take(row: dict[str, object]) -> bool:
    owner, acquired = str(row.get("owner", "")), row.get("acquiredAt")
    pid, _, rest = owner.partition(":")
    dead = pid.isdigit() and not is_alive(int(pid), row.get("ownerStartTime"))
    if rest.startswith(f"{OURS}-"):
        return dead
    age = time.time() - acquired / 1000 if isinstance(acquired, (int, float)) else 0.0
    return age > STALE_SECONDS and (dead or not pid.isdigit())
