"""Putting the guard into the host's functions, and taking it out again."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, Self

from forgetguard.adapters.totalreclaw import seams
from forgetguard.adapters.totalreclaw.guarded import Guarded
from forgetguard.adapters.totalreclaw.seams import Found, Function, Seam
from forgetguard.adapters.vaults import Vault
from forgetguard.errors import Refused

_LOCK: Final = threading.RLock()
_standing: list[Installation] = []


class Installation:
    """The guard in the host's functions, until `uninstall` or the end of the `with` block. Thread-safe."""

    def __init__(self, vault: Vault | Callable[[str], Vault]) -> None:
        """Raises InvalidInput, MissingExtra, HostChanged; then the host is as it was."""
        guarded = Guarded(vault)
        self.vault = vault
        self._active = True
        self._replaced: list[tuple[Found, Function]] = []
        makers: dict[Seam, Callable[[Function], Function]] = {
            seams.FORGET: guarded.forget,
            seams.REMEMBER: guarded.remember,
            seams.MIRROR: guarded.unasked,
            seams.IMPORT_NOTE: guarded.unasked,
            seams.EXTRACTION: guarded.extraction,
            seams.CRYSTAL: guarded.crystal,
            seams.DEBRIEF: guarded.debrief,
            seams.IMPORT: guarded.store_imported,
            seams.RECALL: guarded.recall,
            seams.RECALL_TOOL: guarded.shown,
            seams.AUTO_RECALL: guarded.shown,
            seams.AUTO_RECALL_ASYNC: guarded.shown,
        }
        for seam, where in seams.found().items():
            wrapper = self._switched(where.original, makers[seam](where.original))
            seams.replace(where, where.original, wrapper)
            self._replaced.append((where, wrapper))

    @property
    def active(self) -> bool:
        """Whether the host is guarded by this installation."""
        return self._active

    def uninstall(self) -> None:
        """Give the host its functions back. A wrapper that somebody kept calls the host's function from now on."""
        with _LOCK:
            self._active = False
            while self._replaced:
                where, wrapper = self._replaced.pop()
                seams.replace(where, wrapper, where.original)
            if self in _standing:
                _standing.remove(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.uninstall()

    def _switched(self, original: Function, guarded: Function) -> Function:
        """The guarded function while this installation stands, and the host's own afterwards."""

        @functools.wraps(original)
        def either(*args: Any, **kwargs: Any) -> Any:
            return (guarded if self._active else original)(*args, **kwargs)

        # From Python 3.12 on it can be said that what is returned is to be awaited, as of the function it stands for.
        mark = getattr(inspect, "markcoroutinefunction", None)
        return mark(either) if mark is not None and inspect.iscoroutinefunction(original) else either


def install(vault: Vault | Callable[[str], Vault]) -> Installation:
    """Guard the TotalReclaw of this process. Once is enough: the same vault again answers with what stands already.

    `vault`: a ForgetGuard, its Hooks, or a function that answers with one for an account. The account is the address of
    its key in lower case (`client.eoa_address`), which is known before the network is asked for anything.
    Raises InvalidInput; MissingExtra without the package; HostChanged where it lacks a place that is hooked; Refused
    where another vault stands already.
    """
    with _LOCK:
        if not _standing:
            _standing.append(Installation(vault))
        if _standing[0].vault is not vault:
            raise Refused("another vault guards this host already", advice="Uninstall that installation first.")
        return _standing[0]
