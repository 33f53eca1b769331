"""Documents of many facts: a field that restates something together with its name is cut, and the rest stays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from forgetguard.adapters.langgraph.documents import said_of

_GONE = object()


def without_fields(value: Mapping[str, Any], restating: Callable[[Sequence[str]], Collection[str]]) -> dict[str, Any]:
    """A copy without the fields that restate. A text becomes empty, as when it is cut by itself; all else goes.

    `restating` answers with those of the texts that do.
    """
    cut = restating(tuple(dict.fromkeys(_said(value))))
    return {name: "" if new is _GONE else new for name, new in _kept(value, cut).items()} if cut else dict(value)


def _said(value: object) -> list[str]:
    if isinstance(value, Mapping):
        return [said for name, inner in value.items() for said in (*said_of(name, inner), *_said(inner))]
    return [said for one in value for said in _said(one)] if isinstance(value, (list, tuple)) else []


def _kept(value: Mapping[str, Any], cut: Collection[str]) -> dict[str, Any]:
    fields = {name: _field(name, inner, cut) for name, inner in value.items()}
    return {name: new for name, new in fields.items() if new is not _GONE or isinstance(value[name], str)}


def _field(name: str, value: Any, cut: Collection[str]) -> Any:
    if isinstance(value, Mapping):
        return {key: "" if new is _GONE else new for key, new in _kept(value, cut).items()}
    if isinstance(value, (list, tuple)):
        kept = [new for one in value if (new := _field(name, one, cut)) is not _GONE]
        return kept if isinstance(value, list) else tuple(kept)
    return _GONE if any(said in cut for said in said_of(name, value)) else value
