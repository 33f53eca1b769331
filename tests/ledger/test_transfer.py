"""Export, restore, merge, and starting again after a loss."""

from __future__ import annotations

import shutil
import stat
import threading
from pathlib import Path

import pytest

from forgetguard.errors import InvalidInput, LedgerUnavailable, Refused
from forgetguard.keys import Key
from forgetguard.ledger import Fact, Ledger, place


def texts(ledger: Ledger) -> set[str]:
    return {entry.text for entry in ledger.entries()}


def move_away(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def test_an_export_brings_the_ledger_back(path: Path, key: Key, ledger: Ledger, tmp_path: Path) -> None:
    ids = ledger.forget([Fact("one"), Fact("two"), Fact("three")])
    ledger.release(ids[:1])
    segment = tmp_path / "export"
    assert ledger.export(segment) == 5
    assert stat.S_IMODE(segment.stat().st_mode) == 0o600
    assert b"three" not in segment.read_bytes()
    ledger.close()
    move_away(path)
    with pytest.raises(Refused) as caught:
        Ledger.restore(segment, path, key)
    assert caught.value.code == "restore-needs-consent"
    assert not path.exists()
    with Ledger.restore(segment, path, key, accept_loss=True) as restored:
        assert texts(restored) == {"two", "three"}
        restored.forget([Fact("four")])
        assert restored.status().devices == 2
        assert restored.verify().outcome == "ok"
    with Ledger.open(path, key) as again:
        assert texts(again) == {"two", "three", "four"}


def test_a_restore_never_overwrites(path: Path, key: Key, ledger: Ledger, tmp_path: Path) -> None:
    ledger.export(tmp_path / "export")
    with pytest.raises(Refused) as caught:
        Ledger.restore(tmp_path / "export", path, key, accept_loss=True)
    assert caught.value.code == "ledger-exists"


def test_a_stale_wal_file_is_not_read_into_the_restored_ledger(
    path: Path, key: Key, ledger: Ledger, tmp_path: Path
) -> None:
    ledger.forget([Fact("one")])
    ledger.export(tmp_path / "export")
    ledger.forget([Fact("two")])
    shutil.copy(f"{path}-wal", tmp_path / "wal")
    ledger.close()
    move_away(path)
    shutil.copy(tmp_path / "wal", f"{path}-wal")
    with pytest.raises(LedgerUnavailable) as caught:
        Ledger.open(path, key, create=True, mark=None)
    assert caught.value.code == "missing"
    with Ledger.restore(tmp_path / "export", path, key, accept_loss=True) as restored:
        assert texts(restored) == {"one"}
        assert restored.verify().outcome == "ok"


@pytest.mark.parametrize("position", [0, 9, 60, -1])
def test_an_altered_export_is_not_taken(path: Path, key: Key, ledger: Ledger, tmp_path: Path, position: int) -> None:
    ledger.forget([Fact("one")])
    segment = tmp_path / "export"
    ledger.export(segment)
    content = bytearray(segment.read_bytes())
    content[position] ^= 1
    segment.write_bytes(content)
    with pytest.raises((LedgerUnavailable, InvalidInput)):
        Ledger.restore(segment, tmp_path / "restored", key, accept_loss=True)
    with pytest.raises((LedgerUnavailable, InvalidInput)):
        ledger.merge(segment)
    assert not (tmp_path / "restored").exists()


def test_every_truncation_of_an_export_is_noticed(key: Key, ledger: Ledger, tmp_path: Path) -> None:
    ledger.forget([Fact("one")])
    segment = tmp_path / "export"
    ledger.export(segment)
    content = segment.read_bytes()
    for length in range(0, len(content), 37):
        segment.write_bytes(content[:length])
        with pytest.raises((LedgerUnavailable, InvalidInput)):
            Ledger.restore(segment, tmp_path / "restored", key, accept_loss=True)


def test_a_vault_used_on_two_sides_is_forked_and_loses_nothing(
    path: Path, key: Key, ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = ledger.forget([Fact("shared"), Fact("released here"), Fact("erased there")])
    ledger.close()
    # A copy with its mark, as a cloned disk has it.
    there = tmp_path / "there" / "vault" / "ledger.db"
    there.parent.mkdir(parents=True)
    shutil.copy(path, there)
    mark_here, mark_there = tmp_path / "here.mark", tmp_path / "there.mark"
    (mark,) = (tmp_path / "state").rglob("*.mark")
    shutil.copy(mark, mark_here)
    shutil.copy(mark, mark_there)
    with Ledger.open(path, key, mark=mark_here) as here, Ledger.open(there, key, mark=mark_there) as other:
        here.forget([Fact("only here")])
        here.release([shared[1]])
        other.forget([Fact("only there")])
        other.erase([shared[2]])
        here.export(tmp_path / "from-here")
        other.export(tmp_path / "from-there")
        merged = here.merge(tmp_path / "from-there")
        assert merged.forked
        assert merged.unreadable == 0
        other.merge(tmp_path / "from-here")
        assert texts(here) == texts(other) == {"shared", "only here", "only there"}
        assert here.verify().problems == {"forked": 3}
        assert here.status().problems["forked"] > 0
        again = here.merge(tmp_path / "from-there")
        assert (again.added, again.holes) == (0, 0)
        # Both sides write on under device ids of their own.
        here.forget([Fact("later here")])
        other.forget([Fact("later there")])
        other.export(tmp_path / "from-there")
        assert here.merge(tmp_path / "from-there").added == 2
        assert here.verify().problems == {"forked": 3}
        assert texts(here) == {"shared", "only here", "only there", "later here", "later there"}


def test_merging_commutes_and_can_be_repeated(path: Path, key: Key, ledger: Ledger, tmp_path: Path) -> None:
    ids = ledger.forget([Fact("one"), Fact("two"), Fact("three"), Fact("four")])
    ledger.export(tmp_path / "base")
    sides = []
    for name, act in (
        ("a", lambda side: (side.erase(ids[:1]), side.forget([Fact("a")]))),
        ("b", lambda side: (side.release(ids[:2]), side.intend([Fact("b")]))),
        ("c", lambda side: (side.erase(ids[1:2]), side.release(ids[2:3]))),
    ):
        side = Ledger.restore(tmp_path / "base", tmp_path / name, key, accept_loss=True, mark=tmp_path / f"{name}.mark")
        act(side)
        side.export(tmp_path / f"segment-{name}")
        sides.append(side)
    results = set()
    for order in ("abc", "cba", "bacab"):
        target = Ledger.restore(
            tmp_path / "base", tmp_path / order, key, accept_loss=True, mark=tmp_path / f"{order}.mark"
        )
        for name in order:
            target.merge(tmp_path / f"segment-{name}")
        results.add(frozenset((entry.id, entry.text, entry.pending) for entry in target.entries()))
        assert target.verify().outcome == "ok"
        target.close()
    assert len(results) == 1
    assert {text for _, text, _ in results.pop()} == {"four", "a", "b"}
    for side in sides:
        side.close()


def test_a_segment_of_another_vault_or_root_is_refused(path: Path, key: Key, ledger: Ledger, tmp_path: Path) -> None:
    ledger.forget([Fact("one")])
    ledger.export(tmp_path / "before")
    with Ledger.open(tmp_path / "other", key, create=True) as other, pytest.raises(InvalidInput) as caught:
        other.merge(tmp_path / "before")
    assert caught.value.code == "other-vault"
    ledger.rekey(key, new_root=True)
    with pytest.raises(InvalidInput) as caught:
        ledger.merge(tmp_path / "before")
    assert caught.value.code == "other-epoch"
    with pytest.raises(InvalidInput) as caught:
        ledger.merge(tmp_path / "absent")
    assert caught.value.code == "no-export"


def test_accepting_the_loss_of_a_missing_ledger(path: Path, key: Key, ledger: Ledger) -> None:
    ledger.forget([Fact("one")])
    ledger.close()
    move_away(path)
    with Ledger.accept_loss(path, key) as fresh:
        assert fresh.entries() == ()
        fresh.forget([Fact("two")])
    with Ledger.open(path, key) as again:
        assert texts(again) == {"two"}
        assert again.verify().outcome == "ok"


def test_accepting_an_older_copy(path: Path, key: Key, ledger: Ledger, tmp_path: Path) -> None:
    ledger.forget([Fact("one")])
    ledger.close()
    shutil.copy(path, tmp_path / "old")
    with Ledger.open(path, key) as newer:
        newer.forget([Fact("two")])
        newer.export(tmp_path / "export")
    shutil.copy(tmp_path / "old", path)
    with Ledger.accept_loss(path, key) as accepted:
        assert texts(accepted) == {"one"}
        accepted.forget([Fact("three")])
        # Nothing that was lost is in the way of what is written now.
        assert not accepted.merge(tmp_path / "export").forked
        assert texts(accepted) == {"one", "two", "three"}
        assert accepted.verify().outcome == "ok"
    Ledger.open(path, key).close()


def test_what_does_not_open_is_kept_aside(path: Path, key: Key, ledger: Ledger) -> None:
    ledger.forget([Fact("one")])
    ledger.close()
    content = path.read_bytes()
    path.write_bytes(b"\xff" * len(content))
    with Ledger.accept_loss(path, key) as fresh:
        assert fresh.entries() == ()
    assert [one.read_bytes() for one in path.parent.glob("*.lost-*")] == [b"\xff" * len(content)]


@pytest.mark.parametrize("how", ["create", "accept-loss"])
@pytest.mark.parametrize("meanwhile", ["restore", "accept-loss"])
def test_what_is_made_meanwhile_is_not_set_aside(
    path: Path, key: Key, ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, meanwhile: str
) -> None:
    """Between seeing that no ledger stands there and moving away what is left of the old one, another one makes it."""
    ledger.export(tmp_path / "export")
    ledger.close()
    move_away(path)
    for one in (tmp_path / "state" / "forgetguard").iterdir():
        one.unlink()
    set_aside, made = place.set_aside, []

    def make() -> None:
        opened = Ledger.open(path, key, create=True) if how == "create" else Ledger.accept_loss(path, key)
        with opened as other:
            made.extend(other.forget([Fact("two")]))

    maker = threading.Thread(target=make)

    def late(name: str) -> bool:
        monkeypatch.setattr(place, "set_aside", set_aside)
        maker.start()
        maker.join(0.3)
        return set_aside(name)

    monkeypatch.setattr(place, "set_aside", late)
    if meanwhile == "restore":
        Ledger.restore(tmp_path / "export", path, key, accept_loss=True).close()
    else:
        Ledger.accept_loss(path, key).close()
    maker.join()
    with Ledger.open(path, key) as again:
        assert [entry.id for entry in again.entries()] == made
        assert len(made) == 1


def test_a_wrong_key_is_not_a_loss(path: Path, ledger: Ledger) -> None:
    ledger.close()
    with pytest.raises(LedgerUnavailable) as caught:
        Ledger.accept_loss(path, Key.generate())
    assert caught.value.code == "wrong-key"


def test_an_export_replaces_nothing_but_an_export(path: Path, key: Key, ledger: Ledger, tmp_path: Path) -> None:
    ledger.forget([Fact("one")])
    other, link, key_file = tmp_path / "other", tmp_path / "link", tmp_path / "key"
    link.symlink_to(path)
    key_file.write_text("ab" * 32)
    with Ledger.open(other, key, create=True) as second:
        second.forget([Fact("two")])
        for target in (path, Path(f"{path}-wal"), link, other, key_file, tmp_path):
            with pytest.raises(Refused) as caught:
                ledger.export(target)
            assert caught.value.code == "not-an-export"
        second.forget([Fact("three")])
    with Ledger.open(other, key) as second:
        assert texts(second) == {"two", "three"}
    assert key_file.read_text() == "ab" * 32
    ledger.forget([Fact("four")])
    with Ledger.open(path, key) as again:
        assert texts(again) == {"one", "four"}
        again.export(tmp_path / "export")
        again.export(tmp_path / "export")
