"""The host for these tests. Its package, and what came with it, is imported where a fixture is used."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from forgetguard.adapters import totalreclaw
from forgetguard.guard import ForgetGuard
from guarding import guard, home, key, open_guard, path  # noqa: F401 - fixtures
from hosts.scripted_model import ScriptedModel, embed, said

if TYPE_CHECKING:
    from hosts.totalreclaw.chain import Chain

DIOGO = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"
INES = "legal winner thank year wave sausage worth useful legal winner thank yellow"
CRYSTALLISE = "You are crystallising"


@dataclass
class Model:
    """What the scripted model answers: the next extraction's facts, and the session's crystal."""

    facts: list[dict[str, Any]] = field(default_factory=list)
    crystal: dict[str, Any] | None = None

    def __call__(self, request: dict[str, Any]) -> str:
        if CRYSTALLISE in said(request, "system"):
            return json.dumps(self.crystal)
        return json.dumps({"topics": [], "facts": self.facts})


@dataclass
class User:
    """One user of the host: its state as the plugin has it, and its tools as a model calls them."""

    state: Any
    model: Model
    phrase: str

    def turn(self, text: str, *facts: dict[str, Any] | str, answer: str = "All right then.") -> None:
        """A turn is over: the host extracts, and the model finds these facts in it."""
        from totalreclaw.hermes.hooks import ingest_turn

        self.model.facts = [told(fact) for fact in facts]
        ingest_turn(self.state, text, answer)

    def tool(self, name: str, **args: Any) -> dict[str, Any]:
        """Call a tool of the host through its memory provider; what it answers."""
        from totalreclaw.hermes.memory_provider import TotalReclawMemoryProvider

        return json.loads(TotalReclawMemoryProvider(self.state).handle_tool_call(f"totalreclaw_{name}", args))

    @property
    def stored(self) -> dict[str, str]:
        """What is in the vault: text -> id."""
        from totalreclaw.agent.loop_runner import run_sync

        return {fact["text"]: fact["id"] for fact in run_sync(self.state.get_client().export_all())}

    def claim(self, text: str) -> dict[str, Any]:
        """Everything that the vault holds about one fact, deciphered."""
        from totalreclaw.agent.loop_runner import run_sync
        from totalreclaw.crypto import decrypt
        from totalreclaw.operations import FACT_BY_ID_QUERY

        client = self.state.get_client()
        fact = run_sync(client.relay.query_subgraph(FACT_BY_ID_QUERY, {"id": self.stored[text]}))["data"]["fact"]
        blob = base64.b64encode(bytes.fromhex(fact["encryptedBlob"].removeprefix("0x"))).decode()
        return json.loads(decrypt(blob, client.keys.encryption_key))


def told(fact: dict[str, Any] | str) -> dict[str, Any]:
    """A fact as the model writes it down."""
    given = {"text": fact} if isinstance(fact, str) else fact
    return {"type": "preference", "importance": 8, "action": "ADD", "source": "user", **given}


class _Tokenizer:
    def __call__(self, text: str, **_: Any) -> dict[str, Any]:
        import numpy

        letters = numpy.array([[ord(letter) for letter in text]])
        return {"input_ids": letters, "attention_mask": numpy.ones_like(letters)}


class _Session:
    """In place of the ONNX model, whose weights are not here: words that are shared make vectors near."""

    def get_outputs(self) -> list[Any]:
        return [type("Output", (), {"name": "sentence_embedding"})]

    def run(self, _names: Any, feed: dict[str, Any]) -> list[Any]:
        import numpy

        text = "".join(map(chr, feed["input_ids"][0]))
        return [numpy.array([embed(text, 640)], dtype=numpy.float32)]


@pytest.fixture
def installed(guard: ForgetGuard) -> Iterator[totalreclaw.Installation]:  # noqa: F811 - the fixture
    with totalreclaw.install(guard) as installation:
        yield installation


@pytest.fixture
def ledger_away(path: Path) -> Callable[[], None]:  # noqa: F811 - the fixture
    """Takes the ledger away, and puts it back when it is called again."""
    away = path.with_suffix(".away")

    def move() -> None:
        there, to = (path, away) if path.exists() else (away, path)
        there.rename(to)

    return move


@pytest.fixture
def chain(monkeypatch: pytest.MonkeyPatch) -> Chain:
    """The servers; every socket of the HTTP client but those to 127.0.0.1 ends there."""
    import httpx

    from hosts.totalreclaw.chain import Chain

    made = Chain()
    through = httpx.AsyncHTTPTransport.handle_async_request

    async def handle(transport: Any, request: httpx.Request) -> httpx.Response:
        if request.url.host == "127.0.0.1":
            return await through(transport, request)
        await request.aread()
        return made.answer(request)

    monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", handle)
    return made


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    """The scripted model, as the host is told to use it."""
    with ScriptedModel(Model()) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        monkeypatch.setenv("OPENAI_MODEL", "gpt-4o-mini")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        yield server


@pytest.fixture
def model(served: ScriptedModel) -> Model:
    assert isinstance(served.script, Model)
    return served.script


@pytest.fixture
def user(
    chain: Chain,
    model: Model,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., User]:
    """Makes users. Everything of the host's lies under the test's own directory."""
    for name in ("TOTALRECLAW_RECOVERY_PHRASE", "TOTALRECLAW_SERVER_URL", "TOTALRECLAW_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("TOTALRECLAW_EXTRACT_INTERVAL", "1")
    from totalreclaw import embedding
    from totalreclaw.hermes.state import PluginState
    from totalreclaw.imports import state as imports

    monkeypatch.setattr(embedding, "_session", _Session())
    monkeypatch.setattr(embedding, "_tokenizer", _Tokenizer())
    monkeypatch.setattr(imports, "IMPORT_STATE_DIR", tmp_path / ".totalreclaw" / "import-state")

    def make(phrase: str = DIOGO) -> User:
        return User(PluginState(recovery_phrase=phrase, server_url="https://api.totalreclaw.xyz"), model, phrase)

    return make


@pytest.fixture
def diogo(user: Callable[..., User]) -> User:
    return user(DIOGO)


@pytest.fixture
def ines(user: Callable[..., User]) -> User:
    return user(INES)
