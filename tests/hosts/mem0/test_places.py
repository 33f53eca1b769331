"""What mem0's delete leaves in its SQLite file, found and removed."""

from __future__ import annotations

import hashlib

import pytest
from mem0 import Memory

from forgetguard.adapters.mem0 import PLACES
from forgetguard.errors import StoreUnreadable

TURN = "I am vegetarian; nothing with meat."
DIOGO = {"user_id": "diogo"}


@pytest.fixture
def kept(config, tmp_path):
    with Memory.from_config(config) as memory:
        memory.add(TURN, **DIOGO)
        memory.delete_all(**DIOGO)
        memory.add("I like green tea", infer=False, user_id="ines")
    return {place.name: place for place in PLACES}, tmp_path


def found(place, path) -> list[str]:
    return sorted(one.text for one in place.find(path))


def test_both_tables_are_read_and_no_byte_changes(kept):
    places, folder = kept
    file = folder / "history.db"
    before = hashlib.sha256(file.read_bytes()).digest()
    assert found(places["history"], folder) == ["I like green tea", "User is vegetarian", "User is vegetarian"]
    assert found(places["messages"], file) == [TURN]
    assert hashlib.sha256(file.read_bytes()).digest() == before
    assert {one.path for one in places["messages"].find(folder)} == {file}


def test_what_is_chosen_goes_with_its_bytes(kept):
    places, folder = kept
    for place in places.values():
        assert place.erase is not None
        chosen = [one for one in place.find(folder) if "vegetarian" in one.text]
        assert place.erase(folder, chosen) == len(chosen)
        assert place.erase(folder, chosen) == 0
    assert found(places["history"], folder) == ["I like green tea"]
    assert b"vegetarian" not in (folder / "history.db").read_bytes()


def test_nothing_is_there_where_mem0_never_was(tmp_path):
    for place in PLACES:
        assert list(place.find(tmp_path)) == list(place.find(tmp_path / "absent")) == []
        assert place.erase is not None
        assert place.erase(tmp_path, []) == 0


def test_what_is_no_database_says_so(tmp_path):
    (tmp_path / "history.db").write_text("not a database, and longer than a hundred bytes" * 9)
    with pytest.raises(StoreUnreadable):
        list(PLACES[0].find(tmp_path))
