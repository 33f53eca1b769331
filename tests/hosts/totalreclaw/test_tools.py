"""Forget and remember, through the host's own tools and its own turns."""

from __future__ import annotations

import json
import logging

import pytest

from forgetguard.adapters import totalreclaw
from forgetguard.adapters.totalreclaw import NOT_FORGOTTEN, NOT_SAVED, guarded
from forgetguard.guard import ForgetGuard

FACT = "User is vegetarian"
TURN = "Book a table for tonight; nothing with meat, as I am vegetarian."


def forgotten(guard: ForgetGuard) -> list[str]:
    return [entry.text for entry in guard.forgotten()]


def mirrored(user, text: str) -> None:
    """What the host is told when its agent's built-in memory was written to."""
    from totalreclaw.hermes.memory_provider import TotalReclawMemoryProvider

    TotalReclawMemoryProvider(user.state).on_memory_write("add", "user", text)


class TestThreeParts:
    def test_without_the_guard_it_comes_back(self, diogo):
        diogo.turn(TURN, FACT)
        assert diogo.tool("forget", fact_id=diogo.stored[FACT])["deleted"]
        assert not diogo.stored
        diogo.turn(TURN, FACT)
        assert FACT in diogo.stored

    def test_with_the_guard_it_does_not(self, diogo, guard, installed):
        diogo.turn(TURN, FACT)
        assert diogo.tool("forget", fact_id=diogo.stored[FACT])["deleted"]
        diogo.turn(TURN, FACT)
        diogo.turn("I want you to forget that I am vegetarian.", "User wants it forgotten that they are vegetarian")
        assert not diogo.stored
        assert forgotten(guard) == [FACT] and not guard.pending()

    def test_remember_brings_it_back(self, diogo, guard, installed):
        diogo.turn(TURN, FACT)
        diogo.tool("forget", fact_id=diogo.stored[FACT])
        assert diogo.tool("remember", text=FACT)["stored"]
        assert FACT in diogo.stored and not guard.forgotten()


class TestForget:
    @pytest.fixture(autouse=True)
    def stored_once(self, diogo, installed):
        diogo.turn(TURN, FACT)

    def test_the_intent_stands_before_the_host_deletes(self, diogo, guard, chain, monkeypatch):
        seen = []
        send = chain._bundler

        def bundler(method, params):
            seen.append([entry.text for entry in guard.pending()])
            return send(method, params)

        monkeypatch.setattr(chain, "_bundler", bundler)
        diogo.tool("forget", fact_id=diogo.stored[FACT])
        assert seen and all(pending == [FACT] for pending in seen)

    def test_a_text_that_cannot_be_read_is_not_deleted(self, diogo, ines, guard, chain):
        ines.turn("I keep bees in the garden.", "User keeps bees")
        for fact_id in ("no-such-fact", ines.stored["User keeps bees"]):
            assert diogo.tool("forget", fact_id=fact_id) == {"error": NOT_FORGOTTEN}
        assert not chain.deletes and not guard.forgotten()

    def test_a_server_that_is_down_deletes_nothing(self, diogo, guard, chain):
        fact_id = diogo.stored[FACT]
        chain.broken.add("/v1/subgraph")
        assert diogo.tool("forget", fact_id=fact_id) == {"error": NOT_FORGOTTEN}
        assert not chain.deletes and not guard.forgotten()

    def test_a_ledger_that_is_unavailable_deletes_nothing(self, diogo, chain, ledger_away):
        ledger_away()
        assert diogo.tool("forget", fact_id=diogo.stored[FACT]) == {"error": NOT_FORGOTTEN}
        assert not chain.deletes and FACT in diogo.stored

    def test_where_the_host_cannot_say_it_stays_pending_until_a_repeat_succeeds(self, diogo, guard, chain):
        fact_id = diogo.stored[FACT]
        chain.broken.add("/v1/bundler")
        assert diogo.tool("forget", fact_id=fact_id)["deleted"] is False
        assert [entry.text for entry in guard.pending()] == [FACT]
        chain.broken.clear()
        assert diogo.tool("forget", fact_id=fact_id)["deleted"] is True
        assert forgotten(guard) == [FACT] and not guard.pending()

    def test_what_fails_after_the_host_deleted_does_not_change_its_answer(self, diogo, guard, monkeypatch):
        def failing(*_):
            raise RuntimeError

        monkeypatch.setattr(guarded, "_settle_earlier", failing)
        assert diogo.tool("forget", fact_id=diogo.stored[FACT])["deleted"] is True
        assert forgotten(guard) == [FACT]

    def test_what_the_host_refuses_is_its_own_answer(self, diogo):
        assert diogo.tool("forget", fact_id="  ") == {"error": "No fact_id provided"}

    def test_nothing_is_quoted(self, diogo, ledger_away, caplog):
        fact_id = diogo.stored[FACT]
        ledger_away()
        caplog.clear()
        diogo.tool("forget", fact_id=fact_id)
        ours = [record.getMessage() for record in caplog.records if record.name == "forgetguard"]
        assert ours and not any("vegetarian" in line for line in ours)


class TestTheHostsOwnTombstones:
    def test_pin_retype_and_scope_teach_nothing(self, diogo, guard, installed, chain):
        diogo.turn(TURN, FACT)
        for tool, given in (("pin", {}), ("retype", {"new_type": "claim"}), ("set_scope", {"new_scope": "health"})):
            answer = diogo.tool(tool, fact_id=diogo.stored[FACT], **given)
            assert "error" not in answer, answer
        assert len(chain.deletes) >= 3
        assert not guard.forgotten() and not guard.pending()


class TestRemember:
    @pytest.fixture(autouse=True)
    def forgotten_before(self, guard, installed):
        guard.forget(FACT)

    def test_it_releases_before_the_duplicate_check(self, diogo, guard):
        diogo.turn(f"Please forget this: {FACT}.")
        assert diogo.state.manual_remember_is_dup_of_pending(FACT)
        assert diogo.tool("remember", text=FACT)["stored"] is True
        assert FACT in diogo.stored and not guard.forgotten()

    def test_the_duplicate_check_is_the_hosts_own_otherwise(self, diogo):
        diogo.turn("User keeps bees, by the way.")
        assert diogo.tool("remember", text="User keeps bees")["suppressed"]

    def test_a_mirrored_write_neither_stores_nor_releases(self, diogo, guard):
        mirrored(diogo, FACT)
        mirrored(diogo, "User keeps bees")
        assert set(diogo.stored) == {"User keeps bees"}
        assert forgotten(guard) == [FACT]

    def test_a_mirrored_write_gets_past_the_host_unguarded(self, diogo, installed):
        installed.uninstall()
        mirrored(diogo, FACT)
        assert FACT in diogo.stored

    def test_the_hosts_note_on_an_import_releases_nothing(self, diogo, guard):
        from totalreclaw.agent.loop_runner import run_sync
        from totalreclaw.hermes.import_tools import _persist_import_memory

        run_sync(_persist_import_memory(diogo.state, FACT))
        run_sync(_persist_import_memory(diogo.state, "Import imp-1 from chatgpt is running"))
        assert set(diogo.stored) == {"Import imp-1 from chatgpt is running"}
        assert forgotten(guard) == [FACT]

    def test_where_the_ledger_is_unavailable_it_stores_and_releases_later(self, diogo, guard, ledger_away):
        diogo.turn(f"Please forget this: {FACT}.")
        ledger_away()
        assert diogo.tool("remember", text=FACT)["stored"] is True
        ledger_away()
        assert FACT in diogo.stored
        guard.check("anything")
        assert not guard.forgotten()

    def test_a_mirrored_write_is_told_constantly(self, diogo, guard):
        from totalreclaw.agent.loop_runner import run_sync
        from totalreclaw.hermes import tools

        mirrored = guarded.Guarded(guard).unasked(tools.remember)
        answer = run_sync(mirrored({"text": FACT}, diogo.state))
        assert json.loads(answer) == {"stored": False, "blocked": "not_saved", "reason": NOT_SAVED}


class TestWhoseVault:
    @pytest.fixture
    def guards(self, open_guard, tmp_path, key, diogo, ines):
        def of(name: str) -> ForgetGuard:
            return ForgetGuard.open(tmp_path / name / "ledger.sqlite", key=key, create=True, strict=True)

        made = {user.state.get_client().eoa_address.lower(): of(name) for user, name in ((diogo, "d"), (ines, "i"))}
        yield made
        for one in made.values():
            one.close()

    def test_one_users_vault_does_not_touch_anothers(self, diogo, ines, guards):
        with totalreclaw.install(guards.__getitem__):
            for user in (diogo, ines):
                user.turn(TURN, FACT)
            diogo.tool("forget", fact_id=diogo.stored[FACT])
            for user in (diogo, ines):
                user.turn(TURN, FACT)
        assert FACT not in diogo.stored and FACT in ines.stored
        assert [len(one.forgotten()) for one in guards.values()] == [1, 0]

    def test_an_account_is_the_same_with_a_phrase_and_with_a_bundle(self, diogo):
        from totalreclaw.bundle import derive_bundle_from_mnemonic
        from totalreclaw.client import TotalReclaw

        from forgetguard.adapters.totalreclaw.reading import account

        bundle = derive_bundle_from_mnemonic(diogo.phrase, 100, "tests", "0x" + "1" * 40)
        assert account(TotalReclaw.from_bundle(bundle)) == account(diogo.state.get_client())

    def test_a_user_without_a_vault_stores_and_deletes_nothing(self, diogo, ines, guards, chain, caplog):
        diogo.turn(TURN, FACT)
        guards.pop(diogo.state.get_client().eoa_address.lower()).close()
        caplog.set_level(logging.WARNING, "forgetguard")
        with totalreclaw.install(guards.__getitem__):
            diogo.turn("I keep bees.", "User keeps bees")
            assert diogo.tool("forget", fact_id=diogo.stored[FACT]) == {"error": NOT_FORGOTTEN}
            assert diogo.tool("remember", text="User likes tea")["stored"] is False
            mirrored(diogo, "User likes jazz")
            assert set(diogo.stored) == {FACT} and not chain.deletes
            diogo.turn("Not any more.", {"text": FACT, "action": "DELETE", "existingFactId": diogo.stored[FACT]})
        assert not diogo.stored
