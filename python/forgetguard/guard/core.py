"""ForgetGuard: the one object a host talks to.

Guarantees (each has a test that fails when it is broken)
1. `check`, `filter`, `scrub`, `sweep` and `still_current` write nothing to the ledger.
2. A call sees what any thread and any process acknowledged before it.
3. Forgetting is written down, synced, before the host is told to delete; where a text cannot be read, nothing is.
4. While the ledger is unavailable the table in `guard.policy` holds; it is never taken for an empty ledger.
5. No text of a memory in a log record, an error or a `repr`.

Safe to share between threads; usable on both sides of a fork.
"""

from __future__ import annotations

import logging
import os
import weakref
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from forgetguard.errors import ForgetGuardError, InvalidInput, LedgerFull, LedgerUnavailable
from forgetguard.guard import opening, reading, trees
from forgetguard.guard.deciding import Decider
from forgetguard.guard.embedding import Embedding
from forgetguard.guard.forgetting import Forgetting, Intent
from forgetguard.guard.live import LiveIndex
from forgetguard.guard.opening import KeyLike, LedgerOptions, PathLike
from forgetguard.guard.policy import DeferSetting, OnHold, Policy, UnrecordedSetting
from forgetguard.guard.reading import Fetch, Text
from forgetguard.guard.releases import Waiting, WaitingReleases, before
from forgetguard.guard.twins import twin
from forgetguard.guard.vault import Vault
from forgetguard.guard.verdicts import (
    TOO_LONG,
    Decision,
    Filtered,
    Finding,
    Forgot,
    Remembered,
    Scrubbed,
    ScrubbedTree,
    Use,
    Verdict,
)
from forgetguard.ledger import DEFAULT, DEFAULT_REVIEW_SIZE, DEFAULT_WAIT, Ledger, ReviewItem
from forgetguard.rules import BACKEND
from forgetguard.values import Candidate, Entry, Origin, Vector

if TYPE_CHECKING:
    from forgetguard.embedder import Calibration, Embedder
    from forgetguard.guard.reembedding import Reembedded
    from forgetguard.guard.report import GuardStatus

log = logging.getLogger("forgetguard")
Item = TypeVar("Item")


class ForgetGuard:
    """Keeps what was forgotten from being stored again. Make one with `ForgetGuard.open`; a context manager."""

    def __init__(self, vault: Vault, live: LiveIndex, decider: Decider, embedding: Embedding, policy: Policy) -> None:
        self.policy = policy
        self._vault = vault
        self._live = live
        self._decider = decider
        self._embedding = embedding
        self._waiting = WaitingReleases()
        self._unrecorded = 0
        _ALL.add(self)

    @classmethod
    def open(
        cls,
        path: PathLike | None = None,
        *,
        key: KeyLike = None,
        create: bool = False,
        strict: bool = False,
        aliases: Iterable[str] = (),
        embedder: Embedder | PathLike | None = None,
        calibration: Calibration | None = None,
        past: str = "drop",
        on_hold: OnHold = "review",
        on_defer: DeferSetting = "block",
        hold_unrecorded: UnrecordedSetting = "keep",
        mark: Any = DEFAULT,
        max_entries: int | None = None,
        max_age: float | None = None,
        review_size: int = DEFAULT_REVIEW_SIZE,
        wait: float = DEFAULT_WAIT,
        allow_filesystem: bool = False,
    ) -> Self:
        """A guard over the ledger at `path` (by default the user's own); `create` makes one where there never was one.

        `key`: 32 bytes, a Key or Passphrase, or the Path of a key file; without it the user's own key.
        `aliases`: the user's names, so that "Diogo is vegetarian" is about the user. `embedder`: optional; a callable
        that makes vectors, or the directory of an ONNX model; `calibration`: its own, where it is known already.
        `past`: "drop" takes "is no longer vegetarian" for a restatement, "keep" does not. `on_hold`, `on_defer` and
        `hold_unrecorded`: see `guard.policy`. What else there is goes to `Ledger.open`.

        A ledger that cannot be opened gives a guard that defers: see `guard.policy`. With `strict` it raises instead.
        Raises InvalidKey, InvalidInput.
        """
        options = LedgerOptions(mark, max_entries, max_age, review_size, wait, allow_filesystem)
        policy = Policy(on_hold, on_defer, hold_unrecorded)
        source = opening.key_source(key, create=create)
        open_ledger = opening.opener(opening.ledger_path(path), source, options)
        vault = Vault(open_ledger, create=create, has_mark=options.has_mark)
        settings = (opening.alias_list(aliases), past)
        embedding = Embedding(opening.model(embedder), calibration)
        live = LiveIndex(vault, *settings)
        guard = cls(vault, live, Decider(live, embedding, policy, settings), embedding, policy)
        try:
            vault.call(lambda ledger: ledger.version)
        except LedgerUnavailable:
            if strict:
                raise
        return guard

    # -- deciding: nothing is written ------------------------------------------------------------------------------

    def check(self, text: str | Candidate, *, vector: object = None, use: Use | str = Use.WRITE) -> Verdict:
        """Whether the text may be stored (or, with `use`, go into a summary or an answer). Raises InvalidInput."""
        return self._decide([reading.as_candidate(text, self._vector(vector))], Use(use))[0]

    def filter(
        self,
        items: Iterable[Item],
        *,
        text: str | Callable[[Any], object] | None = None,
        use: Use | str = Use.WRITE,
    ) -> Filtered[Item]:
        """`check` for many: the items kept, dropped, held and deferred, each in order.

        `text`: the key, attribute or callable that gives an item's text; not needed for texts and candidates.
        """
        chosen = reading.many(items)
        read = reading.text_of(text)
        verdicts = self._decide([reading.as_candidate(read(item)) for item in chosen], Use(use))
        sorted_out: dict[Decision, list[Item]] = {decision: [] for decision in Decision}
        for item, verdict in zip(chosen, verdicts, strict=True):
            sorted_out[verdict.action].append(item)
        kept, dropped, held, deferred = (tuple(sorted_out[decision]) for decision in Decision)
        return Filtered(kept, dropped, held, deferred, tuple(verdicts))

    def scrub(self, text: str, *, use: Use | str = Use.SUMMARY) -> Scrubbed:
        """The text without the clauses that restate something forgotten; `.empty` when no narrative is left."""
        given = reading.as_candidate(text).text
        self._settle_waiting()
        return self._decider.scrub(given, Use(use))

    def scrub_tree(self, value: object, *, use: Use | str = Use.SUMMARY) -> ScrubbedTree:
        """`scrub` for every string in a structure of dicts, lists and tuples; keys stay as they are."""
        return trees.scrub_tree(value, lambda text: self.scrub(text, use=use))

    def still_current(self, verdict: Verdict) -> bool:
        """Whether nothing was forgotten or released since that changes the verdict: for hosts that can undo a write.

        A verdict that was made without the ledger is never current. Where the ledger cannot be asked, the answer is no.
        """
        if verdict.degraded:
            return False
        try:
            return self._decider.still_current(verdict)
        except LedgerUnavailable:
            return False

    def sweep(
        self, items: Iterable[Item], *, text: str | Callable[[Any], object] | None = None
    ) -> tuple[Finding[Item], ...]:
        """What is stored already and restates something forgotten, or is too long to be told (`too-long`).

        Nothing is deleted. Raises LedgerUnavailable.
        """
        chosen = reading.many(items)
        verdicts = self.filter(chosen, text=text).verdicts
        for verdict in verdicts:
            if verdict.degraded and verdict.reason != TOO_LONG:
                raise LedgerUnavailable.because(verdict.reason)
        pairs = enumerate(zip(chosen, verdicts, strict=True))
        return tuple(Finding(at, item, verdict) for at, (item, verdict) in pairs if not verdict.kept)

    # -- forgetting and remembering --------------------------------------------------------------------------------

    def forget(
        self,
        text: Text | Iterable[Text] | None = None,
        *,
        ids: Sequence[str] | None = None,
        fetch: Fetch | None = None,
        vector: object = None,
        delete: Callable[[], object] | None = None,
        among: Iterable[object] = (),
        among_text: str | Callable[[Any], object] | None = None,
        reason: str = "user",
        origin: Origin | None = None,
    ) -> Forgot:
        """Record, durably, that these facts are forgotten. Only then may the host delete them.

        Give the text (or several), or the host's `ids` and `fetch`, which answers with the text of an id (and its
        vector); all are read before anything is recorded. `delete` is called between intent and commit; if it raises,
        nothing is forgotten. `among`: what the host has stored; `found` says what of it restates the facts.
        Raises TextUnreadable, InvalidText, LedgerFull, LedgerUnavailable: the host must not delete then.
        """
        if delete is None:
            made, _ = self._intent(text, ids, fetch, vector, reason, origin, committed=True)()
        else:
            with self.forgetting(text, ids=ids, fetch=fetch, vector=vector, reason=reason, origin=origin) as forgetting:
                delete()
            made = forgetting.ids
        return Forgot(made, self.sweep(among, text=among_text))

    def would_find(
        self,
        text: Text | Iterable[Text],
        among: Iterable[Item],
        *,
        among_text: str | Callable[[Any], object] | None = None,
    ) -> tuple[Finding[Item], ...]:
        """What of `among` restates these facts, before they are forgotten: a preview, which asks no ledger.

        `verdict.entry.id` is the place of the fact among the facts. Raises InvalidText.
        """
        chosen, read = reading.many(among), reading.text_of(among_text)
        texts = [reading.as_candidate(read(item)).text for item in chosen]
        verdicts = self._decider.restating(reading.as_facts(text), texts)
        pairs = enumerate(zip(chosen, verdicts, strict=True))
        return tuple(Finding(at, item, verdict) for at, (item, verdict) in pairs if not verdict.kept)

    def forgetting(
        self,
        text: Text | Iterable[Text] | None = None,
        *,
        ids: Sequence[str] | None = None,
        fetch: Fetch | None = None,
        vector: object = None,
        reason: str = "user",
        origin: Origin | None = None,
    ) -> Forgetting:
        """The same around the host's own deletion, as a context manager (also `async with`): see `guard.forgetting`."""
        return Forgetting(self._vault, self._intent(text, ids, fetch, vector, reason, origin, committed=False))

    def settle(self, ids: Sequence[str], *, deleted: bool) -> None:
        """Say of pending entries whether the host had deleted: commit, or abort. Raises UnknownEntry."""
        chosen = tuple(ids)
        self._vault.call(lambda ledger: ledger.commit(chosen) if deleted else ledger.abort(chosen))

    def remember(self, text: str | Candidate, *, vector: object = None, dry_run: bool = False) -> Remembered:
        """The user asks, explicitly, to remember: release every entry that the text restates.

        Call it before any duplicate check of the host's; then store the fact. While the ledger is unavailable the
        answer is to store, and the release is done at the next chance. A mirrored or automatic write never comes here.
        """
        given = reading.as_candidate(text, self._vector(vector))
        try:
            self._settle_waiting(raising=True)
            entries = self._decider.matching(given.text, given.vector)
            if entries:
                self.release(entries, dry_run=dry_run)
            return Remembered("done" if entries else "none", entries, dry_run)
        except (LedgerUnavailable, LedgerFull) as error:
            if not dry_run:
                self._waiting.add(given.text, given.vector)
            log.warning("a release waits for the ledger: %s", error.code)
            return Remembered("pending", (), dry_run)

    def release(self, entries: Entry | str | Iterable[Entry | str], *, dry_run: bool = False) -> tuple[str, ...]:
        """End the protection of these entries (ids or entries), in one step; the ids that were active.

        Raises UnknownEntry, LedgerUnavailable; then nothing was released.
        """
        given = (entries,) if isinstance(entries, (Entry, str)) else tuple(entries)
        ids = tuple(one.id if isinstance(one, Entry) else one for one in given)
        released = self._vault.call(lambda ledger: ledger.release(ids, dry_run))
        if not dry_run:
            log.info("released: %d", len(released))
        return released

    # -- the owner's view ------------------------------------------------------------------------------------------

    def forgotten(self) -> tuple[Entry, ...]:
        """Every active entry, in ledger order. For the owner alone. Raises LedgerUnavailable."""
        return self._vault.call(lambda ledger: ledger.entries())

    def pending(self) -> tuple[Entry, ...]:
        """Entries whose deletion was begun and neither confirmed nor called off. Raises LedgerUnavailable."""
        return self._vault.call(lambda ledger: ledger.pending())

    def review(self) -> tuple[ReviewItem, ...]:
        """What hooks dropped and held, oldest first. For the owner alone. Raises LedgerUnavailable."""
        return self._vault.call(lambda ledger: ledger.review.list())

    def review_counts(self) -> dict[str, int]:
        """How many items of the review queue each entry caught, most first. Raises LedgerUnavailable."""
        return self._vault.call(lambda ledger: ledger.review.counts())

    def restore(self, item: ReviewItem | str, *, store: Callable[[Candidate], object] | None = None) -> Candidate:
        """Hand a dropped or held candidate back, and take it off the queue.

        With `store` it is handed to that first: if it raises, the item stays. The entry that caught it stays active;
        `release` ends that. Raises UnknownEntry, LedgerUnavailable.
        """
        name = item.id if isinstance(item, ReviewItem) else item
        found = self._vault.call(lambda ledger: ledger.review.get(name))
        if store is not None:
            store(found.candidate)
        self._vault.call(lambda ledger: ledger.review.remove(name))
        return found.candidate

    def record(self, candidate: Candidate, verdict: Verdict, action: Decision | None = None) -> bool:
        """Keep a dropped or held candidate for its owner; whether it was kept. For hooks.

        `action`: what became of it, where that is not the verdict's. A failure is counted and never raised.
        """
        entry = verdict.entry.id if verdict.entry is not None else ""
        item = ReviewItem((action or verdict.action).value, candidate, entry, verdict.reason)
        try:
            kept = self._vault.call(lambda ledger: ledger.review.add(item)) is not None
        except ForgetGuardError as error:
            kept = False
            log.warning("a candidate could not be kept for review: %s, %s", item.action, error.code)
        self._unrecorded += not kept
        return kept

    def status(self) -> GuardStatus:
        """Counts and codes, no text. Never raises for an unavailable ledger: `ledger` says why."""
        from forgetguard.guard.report import guard_status

        return guard_status(self._vault, self._decider, self._embedding, len(self._waiting), self._unrecorded)

    def reembed(self, progress: Callable[[int, int], object] | None = None) -> Reembedded:
        """Give every entry a vector of the model in use, after it changed: see `guard.reembedding`.

        Raises ModelUnavailable, LedgerUnavailable.
        """
        from forgetguard.guard import reembedding

        return reembedding.reembed(self._vault, self._embedding, progress)

    def with_ledger(self, operation: Callable[[Ledger], Item]) -> Item:
        """Run `operation` on the open ledger, for verify, export and the like. Raises LedgerUnavailable."""
        return self._vault.call(operation)

    def close(self) -> None:
        """Close the ledger. Later calls answer as for an unavailable one (`closed`)."""
        self._vault.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ForgetGuard, {BACKEND} rules>"

    acheck = twin(check)
    afilter = twin(filter)
    ascrub = twin(scrub)
    ascrub_tree = twin(scrub_tree)
    astill_current = twin(still_current)
    asweep = twin(sweep)
    aforget = twin(forget)
    awould_find = twin(would_find)
    asettle = twin(settle)
    aremember = twin(remember)
    arelease = twin(release)
    aforgotten = twin(forgotten)
    apending = twin(pending)
    areview = twin(review)
    areview_counts = twin(review_counts)
    arestore = twin(restore)
    astatus = twin(status)
    areembed = twin(reembed)
    aclose = twin(close)

    # -- inside ----------------------------------------------------------------------------------------------------

    def _vector(self, given: object) -> Vector | None:
        """A vector, quantised if it came as numbers, which are then taken for the embedder's model's."""
        return given if given is None or isinstance(given, Vector) else Vector.quantise(given, self._embedding.model)

    def _decide(self, candidates: Sequence[Candidate], use: Use) -> list[Verdict]:
        self._settle_waiting()
        return self._decider.decide(candidates, use)

    def _intent(
        self,
        text: Text | Iterable[Text] | None,
        ids: Sequence[str] | None,
        fetch: Fetch | None,
        vector: object,
        reason: str,
        origin: Origin | None,
        *,
        committed: bool,
    ) -> Intent:
        """A call that reads every fact and records those that do not stand already: all ids, and the new ones."""
        if (text is None) == (ids is None) or (ids is None) != (fetch is None):
            raise InvalidInput("give either the text, or ids together with fetch")

        def intend() -> tuple[tuple[str, ...], tuple[str, ...]]:
            self._settle_waiting()
            if ids is not None and fetch is not None:
                facts = reading.fetch_facts(ids, fetch, self._vector)
            else:
                facts = reading.as_facts(text if text is not None else (), self._vector(vector))
            known = self._decider.standing(facts)
            fresh = self._decider.with_vectors(
                [fact for fact, entry in zip(facts, known, strict=True) if entry is None]
            )
            record = Ledger.forget if committed else Ledger.intend
            made = self._vault.call(lambda ledger: record(ledger, fresh, reason, origin))
            log.info("forgotten: %d", len(made))
            new = iter(made)
            return tuple(entry if entry is not None else next(new) for entry in known), made

        return intend

    def _settle_waiting(self, raising: bool = False) -> None:
        """Do the releases that waited for the ledger."""
        if not len(self._waiting):
            return
        try:
            self._waiting.settle(self._release_late)
        except (LedgerUnavailable, LedgerFull):
            if raising:
                raise

    def _release_late(self, waiting: Waiting) -> None:
        ids = before(waiting, self._decider.matching(waiting.text, waiting.vector))
        if ids:
            self.release(ids)


_ALL: weakref.WeakSet[ForgetGuard] = weakref.WeakSet()


def _after_fork_in_child() -> None:
    for guard in list(_ALL):
        guard._waiting.renew_lock()
        guard._embedding.renew_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
