"""What the host leaves on disk, as the host itself writes it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from forgetguard.adapters.totalreclaw import PLACES
from forgetguard.errors import StoreUnreadable

FACT = "User is vegetarian"
PLACE = {place.name: place for place in PLACES}


@pytest.fixture
def root(tmp_path, diogo):
    return tmp_path / ".totalreclaw"


def found(name: str, root) -> dict[str, str]:
    return {kept.key: kept.text for kept in PLACE[name].find(root)}


def test_each_place_is_cleared_or_says_what_to_do():
    assert len(PLACE) == len(PLACES)
    assert all(place.keeps and (place.erase is not None or place.instead) for place in PLACES)


def test_nothing_is_found_where_there_is_nothing(tmp_path):
    assert not any(list(place.find(tmp_path / "absent")) for place in PLACES)


def test_messages_that_wait_for_extraction_are_found(root):
    from totalreclaw.agent.pending_drain import enqueue_messages

    said = [{"role": "user", "content": FACT}, {"role": "assistant", "content": "Noted."}]
    enqueue_messages("0xabc", said, session_id="s")
    (root / ".pending_extract.x.tmp").write_bytes((root / ".pending_extract.jsonl").read_bytes() + b"{cut off\n\n")
    expected = {"line 1, message 1": FACT, "line 1, message 2": "Noted."}
    assert found("pending-extraction", root) == expected
    assert found("pending-left-over", root) == {**expected, "line 2": "{cut off"}


def test_what_waits_is_extracted_through_the_guard(diogo, root, guard, installed):
    from totalreclaw.agent.pending_drain import drain_pending, enqueue_messages
    from totalreclaw.hermes.hooks import _drain_into_state

    guard.forget(FACT)
    enqueue_messages("0xabc", [{"role": "user", "content": "I am vegetarian, as you know."}], session_id="s")
    diogo.model.facts = [{"text": FACT, "type": "preference", "importance": 8, "source": "user"}]
    assert _drain_into_state(diogo.state, drain_pending("0xabc", with_meta=True)) == 1
    assert not diogo.stored and not found("pending-extraction", root)


def test_an_export_loses_what_restates_and_keeps_the_rest(diogo, root, monkeypatch):
    from totalreclaw.hermes import tools

    monkeypatch.setattr(tools, "EXPORT_INLINE_MAX_BYTES", 10)
    diogo.turn("I am vegetarian and keep bees.", FACT, "User keeps bees")
    export = diogo.tool("export")["export_path"]
    kept = list(PLACE["exports"].find(root))
    assert sorted(one.text for one in kept) == [FACT, "User keeps bees"]
    assert PLACE["exports"].erase(root, [one for one in kept if one.text == FACT]) == 1
    assert list(found("exports", root).values()) == ["User keeps bees"]
    with open(export) as file:
        left = json.load(file)
    assert left["count"] == 1 and "vegetarian" not in json.dumps(left["facts"])
    assert stat.S_IMODE(os.stat(export).st_mode) == 0o600
    assert PLACE["exports"].erase(root, kept[:1] if kept[0].text == FACT else kept[1:]) == 0


def test_errors_of_an_import_are_found(root, diogo):
    from totalreclaw.imports.state import ImportState, record_imported_conversations, write_import_state

    error = "Extraction failed for chunk 'User is vegetarian': TimeoutError()"
    write_import_state(ImportState("i", "chatgpt", "failed", "", "", errors=[error]))
    record_imported_conversations("chatgpt", ["c"])
    assert found("import-errors", root) == {"error 1": error}


def test_what_is_not_as_the_host_writes_it_is_looked_at_and_never_cut(root):
    files = {"exports": "exports/totalreclaw-export-1.json", "import-errors": "import-state/i.json"}
    for place, name in files.items():
        file = root / name
        file.parent.mkdir(parents=True)
        file.write_text(f'{{"facts": [{{"text": "{FACT}')
        (kept,) = PLACE[place].find(root)
        assert FACT in kept.text
    assert PLACE["exports"].erase(root, list(PLACE["exports"].find(root))) == 0
    assert FACT in (root / "exports" / "totalreclaw-export-1.json").read_text()


def test_what_cannot_be_read_is_not_clean(root, monkeypatch):
    (root / "exports").mkdir(parents=True)
    (root / "exports" / "totalreclaw-export-1.json").write_text("{}")

    def refuse(*_, **__):
        raise PermissionError

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(StoreUnreadable):
        list(PLACE["exports"].find(root))


def test_a_link_is_not_followed(root, tmp_path):
    (root / "exports").mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text(json.dumps({"facts": [{"id": "1", "text": FACT}]}))
    (root / "exports" / "totalreclaw-export-3.json").symlink_to(elsewhere)
    assert found("exports", root) == {}


def test_doctor_reports_and_clears(root, guard):
    from forgetguard.adapters.surveying import clear, survey

    (root / "exports").mkdir(parents=True)
    export = {"count": 2, "facts": [{"id": "1", "text": FACT}, {"id": "2", "text": "User keeps bees"}]}
    (root / "exports" / "totalreclaw-export-1.json").write_text(json.dumps(export))
    guard.forget(FACT)
    (told,) = [one for one in survey(PLACES, root, guard) if one.place.name == "exports"]
    assert (told.items, len(told.restating)) == (2, 1)
    cleared = clear(told, root, guard)
    assert (cleared.items, cleared.removed, len(cleared.restating)) == (1, 1, 0)


def test_a_text_does_not_show(root):
    from totalreclaw.agent.pending_drain import enqueue_messages

    enqueue_messages("0xabc", [{"role": "user", "content": FACT}])
    (kept,) = PLACE["pending-extraction"].find(root)
    assert "vegetarian" not in repr(kept)
