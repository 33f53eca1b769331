"""The policy table: what happens while the ledger is unavailable, on a guard that was open and on a fresh one."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
import time
from types import SimpleNamespace

import pytest

from forgetguard.errors import LedgerFull, LedgerUnavailable
from forgetguard.guard import Decision, ForgetGuard
from forgetguard.guard import vault as vault_module
from forgetguard.keys import Key
from forgetguard.ledger import Ledger
from forgetguard.values import Candidate

FACT = "User is vegetarian"


def sides(path):
    return [path.with_name(path.name + end) for end in ("-wal", "-shm")]


def missing(path, key):
    for one in (path, *sides(path)):
        one.unlink(missing_ok=True)


def replaced(path, key):
    other = path.with_name("other")
    ForgetGuard.open(other, key=key, create=True, mark=None).close()
    for one in sides(path):
        one.unlink(missing_ok=True)
    os.replace(other, path)


def emptied(path, key):
    os.truncate(path, 0)
    for one in sides(path):
        one.unlink(missing_ok=True)


def a_directory(path, key):
    missing(path, key)
    path.mkdir()


def garbage(path, key):
    missing(path, key)
    path.write_bytes(b"not a database at all" * 1000)


BREAK = [missing, replaced, emptied, a_directory, garbage]


@pytest.fixture(params=BREAK, ids=lambda one: one.__name__)
def breakage(request):
    return request.param


@pytest.fixture(params=["open", "fresh"])
def broken(request, open_guard, path, key, breakage):
    """A function that gives a guard with these options whose ledger is broken."""

    def make(**options):
        guard = open_guard(**options)
        guard.forget(FACT)
        if request.param == "fresh":
            guard.close()
        breakage(path, key)
        return guard if request.param == "open" else open_guard(**{"strict": False, "create": False, **options})

    return make


def test_an_automatic_write_is_deferred(broken):
    guard = broken()
    verdict = guard.check("User likes tea")
    assert (verdict.action, verdict.degraded) == (Decision.DEFER, True)
    assert verdict.reason in LedgerUnavailable.CAUSES
    assert guard.filter([FACT, "User likes tea"]).deferred == (FACT, "User likes tea")
    assert not guard.still_current(verdict)


def test_or_stored_where_the_host_says_so(broken):
    verdict = broken(on_defer="keep").check("User likes tea")
    assert (verdict.action, verdict.degraded) == (Decision.KEEP, True)


def test_a_summary_is_withheld(broken):
    guard = broken()
    done = guard.scrub("User likes tea.")
    assert (done.text, done.empty, done.degraded) == ("", True, True)
    assert guard.scrub_tree({"a": "User likes tea."}).empty
    assert guard.check("x", use="summary").action is Decision.DROP


def test_a_read_goes_on_and_is_flagged(broken):
    guard = broken()
    assert guard.check("User likes tea", use="read").degraded
    assert guard.filter(["User likes tea"], use="read").kept == ("User likes tea",)
    done = guard.scrub("User likes tea.", use="read")
    assert (done.text, done.degraded) == ("User likes tea.", True)


def test_an_explicit_remember_stores_and_its_release_waits(broken):
    guard = broken()
    done = guard.remember(FACT)
    assert (done.store, done.release) == (True, "pending")
    assert guard.status().releases_waiting == 1
    assert guard.remember(FACT, dry_run=True).release == "pending"
    assert guard.status().releases_waiting == 1


def test_forgetting_raises_before_anything_is_deleted(broken):
    guard = broken()
    deleted = []
    for call in (
        lambda: guard.forget("User likes tea", delete=lambda: deleted.append(1)),
        lambda: guard.forget("User likes tea"),
        lambda: guard.release("0" * 32),
        lambda: guard.sweep(["User likes tea"]),
        guard.forgotten,
        guard.pending,
        guard.review,
    ):
        with pytest.raises(LedgerUnavailable):
            call()
    assert deleted == []


def test_the_status_says_why(broken):
    status = broken().status()
    assert status.degraded
    assert status.ledger in LedgerUnavailable.CAUSES


def test_a_strict_opening_raises(open_guard, path, key, breakage):
    open_guard().forget(FACT)
    breakage(path, key)
    with pytest.raises(LedgerUnavailable):
        open_guard(create=False)
    with pytest.raises(LedgerUnavailable):
        open_guard(create=True)


def test_another_key_is_unavailable_and_not_empty(open_guard):
    open_guard().forget(FACT)
    guard = open_guard(key=Key.generate(), strict=False)
    assert guard.status().ledger == "wrong-key"
    assert guard.check("User likes tea").action is Decision.DEFER


def test_an_older_copy_is_unavailable_and_not_taken_for_the_ledger(open_guard, path, tmp_path):
    guard = open_guard()
    guard.forget("User owns a boat")
    guard.close()
    shutil.copytree(path.parent, tmp_path / "copy")
    guard = open_guard()
    guard.forget(FACT)
    guard.close()
    missing(path, None)
    shutil.copytree(tmp_path / "copy", path.parent, dirs_exist_ok=True)
    guard = open_guard(strict=False)
    assert guard.status().ledger == "rolled-back"
    assert guard.check(FACT).action is Decision.DEFER
    with pytest.raises(LedgerUnavailable):
        guard.forget("User likes tea")


def test_a_lock_that_is_held_too_long_stops_a_forget_and_no_check(open_guard, path):
    guard = open_guard(wait=0.05)
    guard.forget(FACT)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        assert not guard.check(FACT).kept
        with pytest.raises(LedgerUnavailable) as caught:
            guard.forget("User likes tea")
        assert caught.value.code == "locked"
        assert not guard.record(Candidate(FACT), guard.check(FACT))
        assert guard.remember(FACT).release == "pending"
    finally:
        other.close()
    assert guard.check(FACT).kept
    guard.forget("User likes tea")


def test_a_closed_guard_defers(guard):
    guard.forget(FACT)
    guard.close()
    assert guard.check(FACT).reason == "closed"
    assert guard.status().ledger == "closed"


@pytest.fixture
def no_pause(monkeypatch):
    monkeypatch.setattr(vault_module, "RETRY_SECONDS", 0.0)


def test_a_ledger_that_comes_back_is_used_again(open_guard, path, tmp_path, no_pause):
    guard = open_guard()
    guard.forget(FACT)
    away = tmp_path / "away"
    guard.with_ledger(lambda ledger: ledger.export(tmp_path / "segment"))
    os.rename(path.parent, away)
    assert guard.check(FACT).action is Decision.DEFER
    os.rename(away, path.parent)
    assert guard.check(FACT).action is Decision.DROP


def test_a_thread_whose_ledger_another_one_opened_anew_goes_on(open_guard, path, tmp_path, no_pause):
    """One thread finds the ledger replaced, opens it anew and closes the old opening, in which another thread is."""
    guard = open_guard()
    guard.forget(FACT)
    guard.close()
    guard = open_guard()
    shutil.copytree(path.parent, tmp_path / "copy")
    missing(path, None)
    calls = []

    def look(ledger):
        calls.append(ledger)
        if len(calls) == 1:
            for file in (tmp_path / "copy").iterdir():
                shutil.copy(file, path.parent)
            other = threading.Thread(target=guard.check, args=(FACT,))
            other.start()
            other.join()
        return [entry.text for entry in ledger.entries()]

    assert guard.with_ledger(look) == [FACT]
    assert calls[0] is not calls[1]


def test_a_copy_that_is_put_back_is_opened_anew(open_guard, path, tmp_path, no_pause):
    guard = open_guard()
    guard.forget(FACT)
    guard.close()
    guard = open_guard()
    assert not guard.check(FACT).kept
    shutil.copytree(path.parent, tmp_path / "copy")
    missing(path, None)
    assert guard.check(FACT).action is Decision.DEFER
    for one in (tmp_path / "copy").iterdir():
        shutil.copy2(one, path.parent / one.name)
    assert guard.check(FACT).action is Decision.DROP


def test_a_fresh_guard_finds_its_ledger_later(open_guard, path, tmp_path, no_pause):
    open_guard().forget(FACT)
    os.rename(path.parent, tmp_path / "away")
    guard = open_guard(create=False, strict=False)
    assert guard.check(FACT).action is Decision.DEFER
    os.rename(tmp_path / "away", path.parent)
    assert guard.check(FACT).action is Decision.DROP


def test_a_ledger_is_made_once_and_never_again(open_guard, path, no_pause):
    guard = open_guard(mark=None)
    guard.forget(FACT)
    missing(path, None)
    for _ in range(2):
        assert guard.check(FACT).action is Decision.DEFER
    assert not path.exists()


def test_without_a_mark_a_replaced_ledger_is_not_taken_for_the_right_one(open_guard, path, key, no_pause):
    guard = open_guard(mark=None)
    guard.forget(FACT)
    replaced(path, key)
    for _ in range(2):
        assert guard.check(FACT).action is Decision.DEFER


def test_opening_is_tried_once_a_second_and_no_more(open_guard, path, monkeypatch):
    guard = open_guard(create=False, strict=False)
    calls = []

    def missing_still(create):
        calls.append(create)
        raise LedgerUnavailable.because("missing")

    monkeypatch.setattr(guard._vault, "_open", missing_still)
    last = guard._vault._retry_at - vault_module.RETRY_SECONDS
    for later, tries in ((0.0, 0), (0.999, 0), (1.0, 1), (1.999, 1), (2.0, 2)):
        monkeypatch.setattr(vault_module, "time", SimpleNamespace(monotonic=lambda later=later: last + later + 1e-6))
        for _ in range(50):
            assert guard.check("User likes tea").action is Decision.DEFER
        assert len(calls) == tries


def test_the_release_is_done_at_the_next_chance(open_guard, path, tmp_path, no_pause):
    guard = open_guard()
    guard.forget(FACT)
    os.rename(path.parent, tmp_path / "away")
    assert guard.remember(FACT).release == "pending"
    os.rename(tmp_path / "away", path.parent)
    assert guard.check(FACT).kept
    assert guard.forgotten() == ()
    assert guard.status().releases_waiting == 0


def test_what_is_forgotten_after_the_remember_stays_forgotten(open_guard, path, tmp_path, no_pause):
    guard = open_guard()
    os.rename(path.parent, tmp_path / "away")
    guard.remember(FACT)
    os.rename(tmp_path / "away", path.parent)
    time.sleep(0.01)
    open_guard().forget(FACT)
    assert not guard.check(FACT).kept


def test_a_commit_that_fails_leaves_the_entry_pending(open_guard, path, tmp_path, no_pause):
    guard = open_guard()
    with guard.forgetting(FACT) as forgetting:
        os.rename(path.parent, tmp_path / "away")
    assert forgetting.state == "pending"
    os.rename(tmp_path / "away", path.parent)
    assert [entry.pending for entry in guard.forgotten()] == [True]
    assert not guard.check(FACT).kept


def test_a_full_disk_makes_a_release_wait_and_stops_no_check(open_guard, monkeypatch):
    guard = open_guard()
    guard.forget(FACT)

    def full(*_: object) -> None:
        raise LedgerFull("no space", code="disk-full")

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "release", full)
        done = guard.remember(FACT)
        assert (done.store, done.release) == (True, "pending")
        assert guard.check("User likes tea").kept
        assert guard.scrub("User likes tea").text == "User likes tea"
        assert guard.remember(FACT).release == "pending"
    assert guard.check(FACT).kept
    assert guard.forgotten() == ()
