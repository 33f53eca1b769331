"""Whose memory it is: the profile, which owns files and databases, and on a gateway the user who writes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from urllib.parse import quote

from forgetguard.errors import MissingExtra
from forgetguard.guard import ForgetGuard
from forgetguard.guard.settings import Settings

NAME = "forgetguard"
"""How everything of ours is called in Hermes: the plugin, its settings, the context engine, the directories."""


@dataclass(frozen=True, slots=True)
class Scope:
    """`home`: the profile's directory (HERMES_HOME). `user`: who writes, as the gateway names them; "" elsewhere."""

    home: Path
    user: str = ""


def current() -> Scope:
    """The scope of the calling thread, by Hermes' own context. Raises MissingExtra."""
    try:
        from gateway.session_context import get_session_env
        from hermes_constants import get_hermes_home
    except ModuleNotFoundError:
        raise MissingExtra.of("hermes") from None
    return Scope(Path(get_hermes_home()), str(get_session_env("HERMES_SESSION_USER_ID", "") or ""))


def ledger_of(home: Path, user: str = "") -> Path:
    """Where the ledger of a profile lies, or that of one user of its gateway."""
    own = home / NAME
    # The prefix: an id may be "." or "..".
    return (own / "users" / f"user-{quote(user, safe='')}" if user else own) / "ledger.sqlite"


class ProfileVaults:
    """A vault a profile, or with `per_user` one a user of its gateway: made when first asked for, under the user's key.

    A profile's memory files and sessions are shared by all who talk to it, and often they are one person on several
    platforms; so one vault a profile is the default.
    """

    def __init__(self, *, per_user: bool = False) -> None:
        self._per_user = per_user
        self._open: dict[Path, ForgetGuard] = {}
        self._lock = Lock()

    def __call__(self, scope: Scope) -> ForgetGuard:
        """The guard of this scope. Raises InvalidKey, InvalidInput; an unreadable ledger gives a guard that defers."""
        path = ledger_of(scope.home, scope.user if self._per_user else "")
        with self._lock:
            if path not in self._open:
                self._open[path] = replace(Settings.load(), ledger=path).open_guard(create=True)
            return self._open[path]
