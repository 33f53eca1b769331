"""The host's functions with the guard before them. Each maker takes the host's function and answers with the guarded.

The host swallows exceptions and then goes on with what it had, so nothing here raises: where the guard cannot be asked,
an automatic write is not carried out. Every sentence for the model is a constant.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Final

from forgetguard.adapters.contexts import held
from forgetguard.adapters.totalreclaw import crystals
from forgetguard.adapters.totalreclaw.reading import account, stored
from forgetguard.adapters.totalreclaw.seams import Function
from forgetguard.adapters.totalreclaw.waiting import Waiting
from forgetguard.adapters.vaults import Vault, Vaults
from forgetguard.errors import ForgetGuardError
from forgetguard.guard import Decision, ForgetGuard, Use
from forgetguard.values import Action, Candidate, Vector

NOT_SAVED: Final = "Not saved: this was kept out of memory. Do not say that it was saved."
NOT_FORGOTTEN: Final = "Not forgotten: it could not be read or not be recorded, so nothing was deleted."
PASSING: Final = frozenset({Action.DELETE.value, Action.NOOP.value})
"""Actions of an extracted fact that put nothing back."""

log = logging.getLogger("forgetguard")

# These reach through the host's `run_sync`: a call that is handed to a loop takes the caller's context along.
_automatic: ContextVar[bool] = ContextVar("forgetguard_totalreclaw_automatic", default=False)
_shown: ContextVar[bool] = ContextVar("forgetguard_totalreclaw_shown", default=False)
_account: ContextVar[str | None] = ContextVar("forgetguard_totalreclaw_account", default=None)


class Guarded:
    """The makers, over one vault or a function of the account. Thread-safe."""

    def __init__(self, vault: Vault | Callable[[str], Vault]) -> None:
        """Raises InvalidInput where the vault is neither."""
        self._vaults: Vaults[str] = Vaults(vault)
        self._waiting = Waiting()

    # -- the tools -------------------------------------------------------------------------------------------------

    def forget(self, original: Function) -> Function:
        """`totalreclaw_forget`: the fact is read and the intent is written before the host deletes."""

        async def forget(args: dict[str, Any], state: Any, **kwargs: Any) -> Any:
            client, fact_id = state.get_client(), _argument(args, "fact_id")
            if not client or not fact_id:
                return await original(args, state, **kwargs)
            answer = None
            try:
                fact = await stored(client, fact_id)
                guard = self._vaults.hooks(account(client)).guard
                vector = await asyncio.to_thread(_comparable, guard, fact.vector)
                async with AsyncExitStack() as stack:
                    forgetting = await stack.enter_async_context(guard.forgetting(fact.text, vector=vector))
                    answer = await original(args, state, **kwargs)
                    if not _deleted(answer):
                        # The host says "not deleted" also where its chain never answered. Nobody knows, so what was
                        # to be forgotten stays forgotten and pending, until a repeat succeeds or its owner settles it.
                        stack.pop_all()
                if forgetting.state == "committed":
                    await asyncio.to_thread(_settle_earlier, guard, forgetting.ids, fact.text)
            except Exception as error:  # noqa: BLE001 - a vault function raises what it likes
                _failed("a forget", error)
            # What the host has answered stands: it has deleted, or says that it has not.
            return json.dumps({"error": NOT_FORGOTTEN}) if answer is None else answer

        return forget

    def remember(self, original: Function) -> Function:
        """`totalreclaw_remember`: the user asks, so entries are released before the host looks for duplicates.

        Inside a mirrored write (see `unasked`) the same function is an automatic one.
        """

        async def remember(args: dict[str, Any], state: Any, **kwargs: Any) -> Any:
            client, text = state.get_client(), _argument(args, "text")
            if not client or not text:
                return await original(args, state, **kwargs)
            explicit = not _automatic.get()
            try:
                answer = await self._vaults.hooks(account(client)).aremember(text, explicit=explicit)
            except Exception as error:  # noqa: BLE001 - as above
                _failed("a remember", error)
                return _not_saved()
            if not answer.store:
                return _not_saved()
            if explicit and answer.release != "none":
                # The host would leave it to extraction where a recent message holds the same words; that message may
                # be the very request to forget them, and extraction may be waiting for the ledger.
                args = {**args, "force": True}
            return await original(args, state, **kwargs)

        return remember

    def unasked(self, original: Function) -> Function:
        """What goes through `remember` although nobody asked this vault.

        It is the mirror of the built-in memory, and the host's own notes on the progress of an import.
        """
        return _under(_automatic, original)

    # -- what the model is shown -----------------------------------------------------------------------------------

    def shown(self, original: Function) -> Function:
        """What looks something up for the model, through the client's `recall`."""
        return _under(_shown, original)

    def recall(self, original: Function) -> Function:
        """The client's `recall`: what the model is shown goes without what restates.

        The host's own search for duplicates and contradictions sees everything, and so can delete it. Where the guard
        cannot be asked, a read passes.
        """

        async def recall(client: Any, *args: Any, **kwargs: Any) -> Any:
            results = await original(client, *args, **kwargs)
            if not _shown.get():
                return results
            try:
                guard = self._vaults.hooks(account(client)).guard
                return await asyncio.to_thread(_readable, guard, results)
            except Exception as error:  # noqa: BLE001 - as above
                _failed("the check of a read", error)
                return results

        return recall

    # -- what is stored by itself ----------------------------------------------------------------------------------

    def extraction(self, original: Function) -> Function:
        """What extraction found, before contradictions are looked for.

        The list is narrowed in place, in the caller's thread and before there is a coroutine: where looking for
        contradictions fails, the host goes on with the list that it gave.
        """

        def detect_and_resolve_contradictions(new_facts: list[Any], client: Any, *args: Any, **kwargs: Any) -> Any:
            self._narrow(new_facts, client)
            return original(new_facts, client, *args, **kwargs)

        return detect_and_resolve_contradictions

    def _narrow(self, facts: list[Any], client: Any) -> None:
        chosen = [fact for fact in (*self._waiting.take(client), *facts) if _is_known(fact)]
        facts[:] = [fact for fact in chosen if fact.action in PASSING]
        try:
            hooks = self._vaults.hooks(account(client))
            decisions = hooks.extraction(map(_candidate, chosen)).decisions
            decided = [(fact, one.action) for fact, one in zip(chosen, decisions, strict=True)]
            for fact, action in decided:
                if action is Decision.KEEP and fact.reasoning and fact.action not in PASSING:
                    fact.reasoning = hooks.debrief(fact.reasoning).text
            facts[:] = [fact for fact, action in decided if action is Decision.KEEP]
            self._waiting.put(client, [fact for fact, action in decided if action is Decision.DEFER])
        except Exception as error:  # noqa: BLE001 - as above; raising would let everything through
            _failed("an extraction", error)
            self._waiting.put(client, [fact for fact in chosen if fact.action not in PASSING])

    def debrief(self, original: Function) -> Function:
        """`session_debrief` knows whose session it is; `crystal` is not told."""

        def session_debrief(state: Any, *args: Any, **kwargs: Any) -> Any:
            client = state.get_client()
            with held(_account, account(client) if client else None):
                return original(state, *args, **kwargs)

        return session_debrief

    def crystal(self, original: Function) -> Function:
        """The summary of a session: narrative and lists without what restates; None where no narrative is left."""

        async def generate_crystal(*args: Any, **kwargs: Any) -> Any:
            crystal = await original(*args, **kwargs)
            whose = _account.get()
            if crystal is None or (whose is None and not self._vaults.is_one):
                return None
            try:
                # In the loop's own thread: at the end of the process, when most crystals are made, no other will start.
                return crystals.scrubbed(self._vaults.hooks(whose or ""), crystal)
            except Exception as error:  # noqa: BLE001 - as above
                _failed("a crystal", error)
                return None

        return generate_crystal

    def store_imported(self, original: Function) -> Function:
        """What an import wants to store: atomic facts, and the crystals of the imported conversations.

        A dropped fact counts as a skipped duplicate and its conversation as imported. Of a deferred one the host is
        told by an error: the conversation may be imported again.
        """

        async def store_facts_chunked(engine: Any, facts: list[Any]) -> Any:
            chosen = list(facts)
            try:
                hooks = self._vaults.hooks(account(engine._client))
                sieved = await asyncio.to_thread(crystals.sieved, hooks, chosen)
            except Exception as error:  # noqa: BLE001 - as above
                _failed("an import", error)
                return 0, [NOT_SAVED], 0, set()
            count, errors, skipped, conversations = await original(engine, list(sieved.kept))
            failed = [NOT_SAVED] if sieved.deferred else []
            return count, [*errors, *failed], skipped + len(sieved.gone), conversations | sieved.conversations

        return store_facts_chunked


def _is_known(fact: Any) -> bool:
    """Whether a fact can be asked about. One that cannot is not stored, and costs no other its decision."""
    try:
        _candidate(fact)
    except (ValueError, TypeError, AttributeError, ForgetGuardError) as error:
        _failed("an extracted fact", error)
        return False
    return isinstance(fact.text, str)


def _candidate(fact: Any) -> Candidate:
    return Candidate(fact.text, Action(fact.action), target=fact.existing_fact_id)


def _argument(args: dict[str, Any], name: str) -> str:
    """An argument of a tool, as the host reads it; empty where it is not there or no text, which the host answers."""
    value = args.get(name, "")
    return value.strip() if isinstance(value, str) else ""


def _comparable(guard: ForgetGuard, vector: Vector | None) -> Vector | None:
    """The host's vector where the guard has the same model; else None, and the guard goes by its own or by words."""
    return vector if vector is not None and vector.model == guard.status().model else None


def _deleted(answer: Any) -> bool:
    """Whether the tool's JSON says that the fact is gone."""
    try:
        return json.loads(answer).get("deleted") is True
    except (TypeError, ValueError, AttributeError):
        return False


def _settle_earlier(guard: ForgetGuard, committed: tuple[str, ...], text: str) -> None:
    """The fact is gone and its entry stands: what earlier tries left pending for the same fact is called off."""
    left = [entry.id for entry in guard.pending() if entry.text == text and entry.id not in committed]
    if left:
        guard.settle(left, deleted=False)


def _readable(guard: ForgetGuard, results: list[Any]) -> list[Any]:
    """Results of a recall without the clauses that restate; those that still do, or have nothing left, are gone."""
    scrubbed = ((one, guard.scrub(one.text, use=Use.READ)) for one in results)
    left = [replace(one, text=cut.text) if cut.removed else one for one, cut in scrubbed if not cut.empty]
    verdicts = guard.filter(left, text="text", use=Use.READ).verdicts
    return [one for one, verdict in zip(left, verdicts, strict=True) if verdict.action is not Decision.DROP]


def _not_saved() -> str:
    return json.dumps({"stored": False, "blocked": "not_saved", "reason": NOT_SAVED})


def _failed(what: str, error: Exception) -> None:
    cause = error.code if isinstance(error, ForgetGuardError) else type(error).__name__
    log.warning("%s was not carried out: %s", what, cause)


def _under(variable: ContextVar[bool], original: Function) -> Function:
    """The function with the variable true while it runs."""

    async def awaited(*args: Any, **kwargs: Any) -> Any:
        with held(variable, True):
            return await original(*args, **kwargs)

    def called(*args: Any, **kwargs: Any) -> Any:
        with held(variable, True):
            return original(*args, **kwargs)

    return awaited if inspect.iscoroutinefunction(original) else called
