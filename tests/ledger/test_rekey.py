"""Changing the key: the old one or the new one always opens, and what is under the old root goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from forgetguard.errors import LedgerUnavailable
from forgetguard.keys import Key, KeySource, Passphrase
from forgetguard.ledger import Fact, Ledger, ReviewItem, log
from forgetguard.ledger.header import wrap_root
from forgetguard.values import Candidate

NEW = Key.from_bytes(b"n" * 32)


def opens(path: Path, key: KeySource) -> bool:
    try:
        Ledger.open(path, key).close()
    except LedgerUnavailable as error:
        assert error.code == "wrong-key"
        return False
    return True


@pytest.mark.parametrize("new_root", [False, True])
def test_the_new_key_opens_and_the_old_one_does_not(path: Path, key: Key, ledger: Ledger, new_root: bool) -> None:
    ledger.forget([Fact("one"), Fact("two")])
    ledger.review.add(ReviewItem("hold", Candidate("restated")))
    assert ledger.rekey(NEW, new_root=new_root) == "done"
    assert [entry.text for entry in ledger.entries()] == ["one", "two"]
    ledger.forget([Fact("three")])
    ledger.close()
    assert not opens(path, key)
    with Ledger.open(path, NEW) as again:
        assert [entry.text for entry in again.entries()] == ["one", "two", "three"]
        assert [item.text for item in again.review.list()] == ["restated"]
        assert again.status().epoch == (2 if new_root else 1)
        assert again.verify().problems == {}


def test_another_process_goes_on_after_a_rekey_and_not_after_a_new_root(path: Path, key: Key, ledger: Ledger) -> None:
    with Ledger.open(path, key) as other:
        ledger.rekey(NEW)
        other.forget([Fact("one")])
        ledger.rekey(key, new_root=True)
        other.forget([Fact("two")])
        ledger.rekey(NEW, new_root=True)
        with pytest.raises(LedgerUnavailable) as caught:
            other.forget([Fact("three")])
        assert caught.value.code == "wrong-key"
    assert [entry.text for entry in ledger.entries()] == ["one", "two"]


def test_of_two_that_rekey_at_once_only_the_one_whose_key_opens_is_done(path: Path, key: Key, ledger: Ledger) -> None:
    theirs = Key.from_bytes(b"t" * 32)
    with Ledger.open(path, key) as other:
        with pytest.raises(LedgerUnavailable) as caught:
            ledger.rekey(NEW, confirm=lambda: other.rekey(theirs))
        assert caught.value.code == "wrong-key"
    ledger.close()
    assert not opens(path, key)
    assert not opens(path, NEW)
    assert opens(path, theirs)


def test_a_rekey_that_fails_takes_back_only_its_own_wrap(path: Path, key: Key, ledger: Ledger) -> None:
    theirs = Key.from_bytes(b"t" * 32)
    with Ledger.open(path, key) as other:

        def refuse() -> None:
            core = ledger._core
            with core.writing() as transaction:
                header = core.header.with_next(core.keys, wrap_root(core.keys, theirs))
                log.write_header(transaction.connection, header.to_row())
            raise RuntimeError("the keyring said no")

        with pytest.raises(RuntimeError):
            other.rekey(NEW, confirm=refuse)
    ledger.close()
    assert opens(path, key)
    assert opens(path, theirs)


def test_a_process_with_an_older_key_does_not_undo_a_rekey(path: Path, key: Key, ledger: Ledger) -> None:
    with Ledger.open(path, key) as other:
        ledger.rekey(NEW)
        other.forget([Fact("one")])
        with pytest.raises(LedgerUnavailable) as caught:
            other.rekey(Key.from_bytes(b"t" * 32))
        assert caught.value.code == "wrong-key"
    ledger.close()
    assert opens(path, NEW)


@pytest.mark.parametrize("new_root", [False, True])
def test_a_refused_confirmation_leaves_the_old_key(path: Path, key: Key, ledger: Ledger, new_root: bool) -> None:
    ledger.forget([Fact("one")])

    def refuse() -> None:
        raise RuntimeError("the keyring said no")

    with pytest.raises(RuntimeError):
        ledger.rekey(NEW, new_root=new_root, confirm=refuse)
    ledger.forget([Fact("two")])
    ledger.close()
    assert opens(path, key)
    assert not opens(path, NEW)


def test_both_keys_open_until_the_new_one_is_confirmed(path: Path, key: Key, ledger: Ledger) -> None:
    ledger.forget([Fact("one")])
    seen = []

    def look() -> None:
        seen.append(opens(path, key))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ledger.rekey(NEW, confirm=look)
    assert seen == [True]


def test_an_interrupted_rekey_is_finished_by_whoever_opens_with_the_new_key(
    path: Path, key: Key, ledger: Ledger
) -> None:
    core = ledger._core
    with core.writing() as transaction:
        header = core.header.with_next(core.keys, wrap_root(core.keys, NEW))
        log.write_header(transaction.connection, header.to_row())
    assert ledger.status().rekey_unfinished
    ledger.close()
    assert opens(path, key)
    assert opens(path, NEW)
    assert not opens(path, key)
    with Ledger.open(path, NEW) as again:
        assert not again.status().rekey_unfinished


def test_a_passphrase_and_its_cost_stand_in_the_header(path: Path) -> None:
    with Ledger.open(path, Passphrase("correct horse", passes=1, memory_kib=8192), create=True) as ledger:
        ledger.forget([Fact("one")])
        assert ledger.status().key == "argon2id"
    with Ledger.open(path, Passphrase("correct horse")) as again:
        assert len(again.entries()) == 1
        again.rekey(NEW)
    for wrong in (Passphrase("wrong horse"), Passphrase("correct horse")):
        assert not opens(path, wrong)
    assert opens(path, NEW)
