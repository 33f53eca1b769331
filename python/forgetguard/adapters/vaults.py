"""Whose vault a write belongs to. One vault a user: a process that serves many gives a function of the host's scope."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from forgetguard.errors import InvalidInput
from forgetguard.guard import ForgetGuard
from forgetguard.hooks import Hooks

Scope = TypeVar("Scope")
Vault = ForgetGuard | Hooks


class Vaults(Generic[Scope]):
    """What an adapter is given as `vault`: one guard (or its hooks) for everything, or a function of the scope.

    The scope is the host's own word for whose memory it is (a namespace, a user id, a profile). The function is asked
    each time and should answer with the same guard for the same user; where it raises, nothing is stored.
    """

    def __init__(self, vault: Vault | Callable[[Scope], Vault]) -> None:
        if not isinstance(vault, (ForgetGuard, Hooks)) and not callable(vault):
            raise InvalidInput("the vault is neither a ForgetGuard, nor Hooks, nor a function that answers with one")
        self._given = vault

    @property
    def is_one(self) -> bool:
        """Whether one guard is for everything, whatever the scope."""
        return isinstance(self._given, (ForgetGuard, Hooks))

    def hooks(self, scope: Scope) -> Hooks:
        """The hooks over the vault of this scope. Raises InvalidInput, and whatever the function raises."""
        vault = self._given if isinstance(self._given, (ForgetGuard, Hooks)) else self._given(scope)
        if isinstance(vault, ForgetGuard):
            return Hooks(vault)
        if isinstance(vault, Hooks):
            return vault
        raise InvalidInput("the vault function answered with neither a ForgetGuard nor Hooks")
