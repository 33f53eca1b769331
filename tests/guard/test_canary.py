"""A fact that is found nowhere: in no file, no log, no error and no `repr`, after everything was done with it."""

from __future__ import annotations

import asyncio
import logging
import pickle
import traceback

import pytest

from forgetguard.errors import ForgetGuardError
from forgetguard.hooks import Hooks
from forgetguard.provenance import ProvenanceStore, Session
from forgetguard.values import Action, Candidate, Vector

CANARY = "User's grandmother Quillifax hides marmalade"
WORDS = ("quillifax", "marmalade")


def everything(guard, seen):
    """The whole flow; every object and error that it gives goes into `seen`."""
    store = ProvenanceStore(guard.with_ledger(lambda ledger: ledger.path) + ".prov", "agent")
    hooks, session = Hooks(guard, sessions=store), Session("s1", "agent:main:s1", "agent")

    def keep(value):
        seen.append(value)
        return value

    def fail(call):
        try:
            keep(call())
        except Exception as error:  # noqa: BLE001 - whatever it is, it must not quote the fact
            keep(error)
            keep("".join(traceback.format_exception_only(error)))

    keep(guard.forget(CANARY, vector=Vector.quantise([1.0, 2.0], "m")))
    keep(guard.check(CANARY))
    keep(guard.check(Candidate(f"{CANARY}!", Action.UPDATE)))
    keep(guard.filter([CANARY, {"a": 1}], text=lambda item: item if isinstance(item, str) else "tea"))
    keep(guard.scrub(f"{CANARY}. Tea was had."))
    keep(guard.scrub_tree({"a": [CANARY]}))
    keep(guard.sweep([CANARY]))
    keep(hooks.extraction([CANARY, f"User asked to forget that {CANARY}"], session=session))
    keep(hooks.debrief(f"- {CANARY}\n- tea", session=session))
    keep(hooks.remember(CANARY, explicit=False))
    keep(guard.remember(CANARY, dry_run=True))
    keep(guard.review())
    keep(guard.review_counts())
    keep(guard.forgotten())
    keep(guard.status())
    keep(guard)
    keep(hooks)
    with guard.forgetting(f"{CANARY} at night") as forgetting:
        keep(forgetting)
        keep(guard.pending())
    fail(lambda: guard.forget(ids=[CANARY], fetch=lambda name: 1 / 0))
    fail(lambda: guard.forget(ids=["a"], fetch=lambda name: [CANARY]))
    fail(lambda: guard.forget([CANARY, None]))
    fail(lambda: guard.check(CANARY, vector=[float("nan")]))
    fail(lambda: guard.filter([{"text": CANARY}], text="no"))
    fail(lambda: guard.release(CANARY))
    fail(lambda: guard.restore(CANARY))
    fail(lambda: guard.settle([CANARY], deleted=True))
    fail(lambda: asyncio.run(guard.acheck(None)))
    keep(guard.restore(guard.review()[0]))
    keep(hooks.remember(CANARY, explicit=True))
    guard.forget(CANARY)
    guard.with_ledger(lambda ledger: ledger.export(ledger.path + ".segment"))
    guard.close()
    keep(guard.check(CANARY))
    keep(guard.scrub(CANARY))
    keep(guard.remember(CANARY))
    keep(hooks.extraction([CANARY]))
    fail(lambda: guard.forget(CANARY))


@pytest.mark.filterwarnings("ignore")
def test_it_is_found_nowhere(open_guard, home, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    seen: list[object] = []
    everything(open_guard(), seen)
    shown = "\n".join([*map(repr, seen), *map(str, seen), caplog.text, *capfd.readouterr()]).casefold()
    assert caplog.records
    assert [word for word in WORDS if word in shown] == []
    files = [path for path in home.rglob("*") if path.is_file()]
    assert len(files) >= 3
    needles = [form for word in WORDS for form in (word.encode(), word.title().encode(), word.encode("utf-16-le"))]
    assert [(path.name, needle) for path in files for needle in needles if needle in path.read_bytes()] == []


def test_no_error_of_ours_carries_its_cause(guard):
    with pytest.raises(ForgetGuardError) as caught:
        guard.forget(ids=["a"], fetch=lambda name: int(CANARY))
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    assert WORDS[0] not in str(pickle.dumps(str(caught.value))).casefold()
