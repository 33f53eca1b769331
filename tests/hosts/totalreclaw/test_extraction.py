"""What the host stores by itself: facts of a turn, and the crystal of a session."""

from __future__ import annotations

import pytest

from forgetguard.adapters import totalreclaw

FACT = "User is vegetarian"
TURN = "Book a table for tonight; nothing with meat, as I am vegetarian."
CRYSTAL = {
    "narrative": "User is vegetarian. The user planned a trip to Porto.",
    "key_outcomes": ["A flight to Porto was booked", "User is vegetarian"],
    "open_threads": ["User is vegetarian", "Find a hotel in Porto"],
    "lessons": ["User is vegetarian"],
    "topics_discussed": ["Porto", "User is vegetarian"],
    "importance": 8,
}


def session(user, crystal) -> None:
    """A session of five turns, and its end."""
    from totalreclaw.hermes.hooks import on_session_finalize

    user.model.crystal = crystal
    user.state.start_session()
    for day in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"):
        user.turn(f"Are there flights to Porto on {day}, and what do they cost?")
    on_session_finalize(user.state)


class TestFacts:
    @pytest.fixture(autouse=True)
    def forgotten(self, guard, installed):
        guard.forget(FACT)

    def test_a_new_value_and_another_subject_are_stored(self, diogo):
        others = ["User is a pescatarian since June", "User's sister is vegetarian", "User keeps bees"]
        diogo.turn("We talked about food and bees.", FACT, *others)
        assert set(diogo.stored) == set(others)

    def test_a_dropped_update_leaves_its_target(self, diogo, chain):
        diogo.turn("I like to eat out.", "User eats out on Fridays")
        target = diogo.stored["User eats out on Fridays"]
        diogo.turn(TURN, {"text": FACT, "action": "UPDATE", "existingFactId": target})
        assert set(diogo.stored) == {"User eats out on Fridays"} and not chain.deletes

    def test_another_update_is_carried_out(self, diogo, chain):
        diogo.turn("I like to eat out.", "User eats out on Fridays")
        target = diogo.stored["User eats out on Fridays"]
        diogo.turn("Sundays now.", {"text": "User eats out on Sundays", "action": "UPDATE", "existingFactId": target})
        assert set(diogo.stored) == {"User eats out on Sundays"} and chain.deletes == [target]

    def test_a_delete_passes_and_teaches_nothing(self, diogo, guard, chain):
        diogo.turn("I keep bees in the garden.", "User keeps bees")
        target = diogo.stored["User keeps bees"]
        diogo.turn("The bees are gone.", {"text": "User keeps bees", "action": "DELETE", "existingFactId": target})
        assert chain.deletes == [target]
        assert [entry.text for entry in guard.forgotten()] == [FACT]
        diogo.turn("I have bees again!", "User keeps bees")
        assert "User keeps bees" in diogo.stored

    def test_a_delete_of_what_is_forgotten_passes_too(self, diogo, guard, installed, chain):
        installed.uninstall()
        diogo.turn(TURN, FACT)
        with totalreclaw.install(guard):
            diogo.turn("Hm.", {"text": FACT, "action": "DELETE", "existingFactId": diogo.stored[FACT]})
        assert not diogo.stored and len(chain.deletes) == 1

    def test_the_reason_of_a_fact_is_scrubbed(self, diogo):
        diogo.turn("No meat.", {"text": "User orders oat milk", "type": "claim", "reasoning": "User is vegetarian"})
        assert "vegetarian" not in str(diogo.claim("User orders oat milk"))

    def test_what_was_not_stored_can_be_restored_by_its_owner(self, diogo, guard):
        diogo.turn(TURN, FACT)
        assert [item.candidate.text for item in guard.review()] == [FACT]

    def test_a_failing_search_for_contradictions_lets_nothing_through(self, diogo, guard, installed, monkeypatch):
        from totalreclaw.agent import lifecycle

        async def failing(new_facts, client, log=None):
            raise RuntimeError("no")

        installed.uninstall()
        monkeypatch.setattr(lifecycle, "detect_and_resolve_contradictions", failing)
        with totalreclaw.install(guard):
            diogo.turn("We talked about food and bees.", FACT, "User keeps bees")
        assert set(diogo.stored) == {"User keeps bees"}

    @pytest.mark.parametrize("odd", [{"action": "MERGE"}, {"action": None}, {"text": None}, {"text": 5}])
    def test_a_fact_that_cannot_be_asked_about_costs_no_other_its_decision(self, diogo, installed, odd):
        from totalreclaw.agent import lifecycle
        from totalreclaw.agent.extraction import ExtractedFact

        def fact(text: object, action: object = "ADD") -> ExtractedFact:
            return ExtractedFact(text=text, type="claim", importance=8, action=action)

        facts = [fact(FACT), fact(**{"text": "User likes tea", **odd}), fact("User keeps bees")]
        lifecycle.detect_and_resolve_contradictions(facts, diogo.state.get_client()).close()
        assert [one.text for one in facts] == ["User keeps bees"]

    def test_what_the_compaction_is_told_is_what_was_stored(self, diogo):
        from totalreclaw.hermes.memory_provider import TotalReclawMemoryProvider

        diogo.model.facts = [{"text": text, "importance": 8, "type": "claim"} for text in (FACT, "User keeps bees")]
        diogo.state.add_message("user", "I keep bees, and eat no meat, being a vegetarian.")
        told = TotalReclawMemoryProvider(diogo.state).on_pre_compress()
        assert "bees" in told and "vegetarian" not in told


class TestAnUnavailableLedger:
    def test_facts_are_deferred_and_decided_on_later(self, diogo, guard, installed, ledger_away):
        guard.forget(FACT)
        ledger_away()
        diogo.turn("We talked about food and bees.", FACT, "User keeps bees")
        assert not diogo.stored
        ledger_away()
        assert guard.status().ledger == "ok"
        diogo.turn("And about tea.", "User likes green tea")
        assert set(diogo.stored) == {"User keeps bees", "User likes green tea"}

    def test_one_users_deferred_facts_are_not_anothers(self, diogo, ines, guard, installed, ledger_away):
        ledger_away()
        diogo.turn("I keep bees in the garden.", "User keeps bees")
        ledger_away()
        ines.turn("I like green tea a lot.", "User likes green tea")
        assert set(ines.stored) == {"User likes green tea"} and not diogo.stored

    def test_a_delete_still_passes(self, diogo, installed, ledger_away, chain):
        diogo.turn("I keep bees in the garden.", "User keeps bees")
        target = diogo.stored["User keeps bees"]
        ledger_away()
        diogo.turn("The bees are gone.", {"text": "User keeps bees", "action": "DELETE", "existingFactId": target})
        assert chain.deletes == [target]

    def test_a_crystal_is_withheld(self, diogo, installed, ledger_away):
        ledger_away()
        session(diogo, CRYSTAL)
        assert not diogo.stored


class TestCrystals:
    def test_without_the_guard_a_crystal_brings_it_back(self, diogo):
        session(diogo, CRYSTAL)
        assert any("vegetarian" in text for text in diogo.stored)

    def test_narrative_and_lists_are_scrubbed(self, diogo, guard, installed):
        guard.forget(FACT)
        session(diogo, CRYSTAL)
        (text,) = diogo.stored
        claim = diogo.claim(text)
        assert "Porto" in text and "vegetarian" not in str(claim)
        assert claim["metadata"]["key_outcomes"] == ["A flight to Porto was booked"]
        assert claim["metadata"]["open_threads"] == ["Find a hotel in Porto"]
        assert claim["metadata"]["topics_discussed"] == ["Porto"]
        assert claim["metadata"]["lessons"] == []

    def test_the_files_of_a_coding_session_too(self, guard, installed):
        from totalreclaw.agent.debrief import Crystal

        from forgetguard.adapters.totalreclaw.crystals import scrubbed
        from forgetguard.hooks import Hooks

        guard.forget(FACT)
        crystal = Crystal("The parser was mended.", files_affected=["src/parser.py", "User is vegetarian"])
        assert scrubbed(Hooks(guard), crystal).files_affected == ["src/parser.py"]

    def test_without_a_narrative_there_is_none(self, diogo, guard, installed):
        guard.forget(FACT)
        session(diogo, {**CRYSTAL, "narrative": "User is vegetarian."})
        assert not diogo.stored

    def test_the_debrief_tool_is_the_same(self, diogo, guard, installed):
        guard.forget(FACT)
        diogo.model.crystal = CRYSTAL
        for day in ("Monday", "Tuesday", "Wednesday", "Thursday"):
            diogo.turn(f"Are there flights to Porto on {day}, and what do they cost?")
        assert diogo.tool("debrief")["stored"] == 1
        assert "Porto" in str(diogo.stored) and "vegetarian" not in str(diogo.stored)

    def test_each_users_crystal_is_asked_of_their_own_vault(self, diogo, ines, guard, open_guard, tmp_path, key):
        from forgetguard.guard import ForgetGuard

        guard.forget(FACT)
        other = ForgetGuard.open(tmp_path / "other" / "ledger.sqlite", key=key, create=True, strict=True)
        vaults = {diogo.state.get_client().eoa_address.lower(): guard}
        with other, totalreclaw.install(lambda account: vaults.get(account, other)):
            session(diogo, CRYSTAL)
            session(ines, CRYSTAL)
        assert "vegetarian" not in str(diogo.stored) and "vegetarian" in str(ines.stored)

    def test_a_crystal_of_nobody_is_withheld_where_each_user_has_a_vault(self, diogo, guard):
        from totalreclaw.agent import lifecycle
        from totalreclaw.agent.loop_runner import run_sync

        diogo.model.crystal = {"narrative": "The user planned a trip to Porto."}
        messages = [{"role": "user", "content": "Are there flights to Porto?"}] * 8
        with totalreclaw.install(lambda account: guard):
            assert run_sync(lifecycle.generate_crystal(messages, [])) is None
        with totalreclaw.install(guard):
            assert run_sync(lifecycle.generate_crystal(messages, [])).narrative == "The user planned a trip to Porto."
