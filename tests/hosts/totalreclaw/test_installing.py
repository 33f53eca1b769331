"""Putting the guard in and taking it out: everywhere, once, and all or nothing."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from forgetguard.adapters import totalreclaw
from forgetguard.adapters.totalreclaw import seams
from forgetguard.errors import HostChanged, InvalidInput, Refused

FACT = "User is vegetarian"
BORROWED = (
    "totalreclaw.agent.lifecycle.detect_and_resolve_contradictions",
    "totalreclaw.agent.lifecycle.generate_crystal",
    "totalreclaw.agent.lifecycle.session_debrief",
    "totalreclaw.agent.session_debrief",
    "totalreclaw.agent.contradiction.detect_and_resolve_contradictions",
    "totalreclaw.agent.debrief.generate_crystal",
    "totalreclaw.hermes.hooks._session_debrief",
    "totalreclaw.agent.recall.auto_recall",
    "totalreclaw.agent.auto_recall",
    "totalreclaw.agent.auto_recall_async",
    "totalreclaw.hermes.hooks.auto_recall",
    "totalreclaw.hermes.tools.recall",
    "totalreclaw.hermes.import_tools._persist_import_memory",
    "totalreclaw.hermes.tools._persist_import_memory",
    "totalreclaw.hermes.tools.forget",
    "totalreclaw.hermes.tools.remember",
)
"""Names by which the host's modules hold what is replaced; where one copied it from another, both are here."""


def held() -> dict[str, object]:
    """What stands at each of these names, and in the classes."""
    from totalreclaw.client import TotalReclaw
    from totalreclaw.hermes.memory_provider import TotalReclawMemoryProvider
    from totalreclaw.imports.engine import ImportEngine

    split = (name.rpartition(".") for name in BORROWED)
    functions = {f"{module}.{name}": getattr(sys.modules[module], name) for module, _, name in split}
    methods = (TotalReclawMemoryProvider.on_memory_write, ImportEngine._store_facts_chunked, TotalReclaw.recall)
    return {**functions, **{method.__qualname__: method for method in methods}}


@pytest.fixture(autouse=True)
def imported():
    seams.found()


def test_every_copy_is_replaced_and_given_back(guard):
    before = held()
    with totalreclaw.install(guard) as installation:
        during = held()
        assert installation.active and not [name for name in before if before[name] is during[name]]
    assert held() == before and not installation.active


def test_no_copy_in_the_host_is_left_out(guard):
    originals = {id(where.original) for where in seams.found().values()}
    with totalreclaw.install(guard):
        host = [module for name, module in sys.modules.items() if name.partition(".")[0] == "totalreclaw"]
        assert not [module for module in host for value in vars(module).values() if id(value) in originals]


def test_the_same_vault_again_is_the_same_installation(guard):
    with totalreclaw.install(guard) as first:
        wrapped = held()
        assert totalreclaw.install(guard) is first
        assert held() == wrapped
        first.uninstall()
        first.uninstall()
    with totalreclaw.install(guard) as second:
        assert second is not first and second.active


def test_another_vault_is_refused(guard):
    with totalreclaw.install(guard) as first:
        with pytest.raises(Refused):
            totalreclaw.install(lambda account: guard)
        assert first.active


def test_what_is_no_vault_is_refused_and_nothing_replaced():
    before = held()
    with pytest.raises(InvalidInput):
        totalreclaw.install("vault")
    assert held() == before


def test_many_threads_make_one_installation(guard):
    made = []
    threads = [threading.Thread(target=lambda: made.append(totalreclaw.install(guard))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 8 and len(set(map(id, made))) == 1
    made[0].uninstall()


def test_the_tools_that_the_plugin_registered_before_are_guarded_too(diogo, guard, monkeypatch):
    from totalreclaw import hermes, onboarding
    from totalreclaw.agent.loop_runner import run_sync
    from totalreclaw.hermes import auto_migrate

    class Context:
        def __init__(self):
            self.tools = {}

        def register_tool(self, *, name, handler, **_):
            self.tools[name] = handler

        def register_hook(self, name, handler):
            """Hooks go through the same functions as the turns of the other tests."""

    monkeypatch.setattr(hermes, "get_shared_state", lambda: diogo.state)
    monkeypatch.setattr(onboarding, "maybe_emit_welcome", lambda **_: None)
    monkeypatch.setattr(auto_migrate, "maybe_migrate", lambda: None)
    context = Context()
    hermes.register(context)
    diogo.turn("I am vegetarian, as you know.", FACT)
    with totalreclaw.install(guard):
        run_sync(context.tools["totalreclaw_forget"]({"fact_id": diogo.stored[FACT]}))
    assert [entry.text for entry in guard.forgotten()] == [FACT]


def test_a_copy_that_was_kept_passes_through_afterwards(diogo, guard):
    from totalreclaw.agent.loop_runner import run_sync
    from totalreclaw.hermes import tools

    guard.forget(FACT)
    with totalreclaw.install(guard):
        kept = tools.remember
    run_sync(kept({"text": FACT}, diogo.state))
    assert FACT in diogo.stored and guard.forgotten()


def test_a_seam_that_is_not_there_is_named_and_nothing_is_replaced(guard, monkeypatch):
    from totalreclaw.imports.engine import ImportEngine

    monkeypatch.delattr(ImportEngine, "_store_facts_chunked")
    assert totalreclaw.missing() == ("totalreclaw.imports.engine.ImportEngine._store_facts_chunked",)
    before = {name: getattr(sys.modules[name.rpartition(".")[0]], name.rpartition(".")[2]) for name in BORROWED}
    with pytest.raises(HostChanged) as caught:
        totalreclaw.install(guard)
    assert "_store_facts_chunked" in caught.value.advice
    assert all(getattr(sys.modules[n.rpartition(".")[0]], n.rpartition(".")[2]) is before[n] for n in before)


def test_a_seam_with_other_parameters_is_not_that_seam(guard, monkeypatch):
    from totalreclaw.hermes import tools

    async def forget(fact_id, state):
        """Another function of that name."""

    monkeypatch.setattr(tools, "forget", forget)
    assert totalreclaw.missing() == ("totalreclaw.hermes.tools.forget",)


def test_a_value_that_is_read_and_is_gone_is_named(monkeypatch):
    from totalreclaw import operations

    monkeypatch.delattr(operations, "FACT_BY_ID_QUERY")
    assert totalreclaw.missing() == ("totalreclaw.operations.FACT_BY_ID_QUERY",)


def test_the_tested_version_lacks_nothing():
    assert totalreclaw.missing() == ()


def test_without_the_package_it_can_be_imported_and_says_what_to_install():
    code = """
import sys
sys.modules["totalreclaw"] = None
from forgetguard.adapters import totalreclaw
from forgetguard.errors import MissingExtra
for use in (totalreclaw.missing, lambda: totalreclaw.HostEmbedder()(["tea"])):
    try:
        use()
    except MissingExtra as error:
        assert "forgetguard[totalreclaw]" in error.advice
    else:
        raise SystemExit("it was not noticed")
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
