"""mem0, offline: its model is a script, its vectors lie in a local Qdrant, its telemetry is off."""

from __future__ import annotations

import json
import os
import re
import tempfile

import pytest

# Read when mem0 is imported.
os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=tempfile.mkdtemp(prefix="mem0-"))

from guarding import guard, home, key, open_guard, path  # noqa: F401 - fixtures
from hosts.offline import offline  # noqa: F401 - fixture
from hosts.scripted_model import ScriptedModel, said

FACTS = {
    "nothing with meat": "User is vegetarian",
    "no meat for my sister": "User's sister is vegetarian",
    "vegan now": "User is vegan",
    "green tea": "User likes green tea",
}


def extractor(request: dict) -> str:
    """A model that finds a fact wherever a turn that tells it stands in what it is shown: new, replayed or stored."""
    told = said(request, "user")
    if "Create procedural memory" in told:
        return "The agent searched for a restaurant. The user is vegetarian. It booked a table for two."
    stored = [fact for fact in FACTS.values() if re.search(rf"\b{fact}\b", told)]
    found = dict.fromkeys([*stored, *(fact for words, fact in FACTS.items() if words in told)])
    return json.dumps({"memory": [{"id": str(n), "text": text} for n, text in enumerate(found)]})


@pytest.fixture
def model():
    with ScriptedModel(extractor) as one:
        yield one


@pytest.fixture
def config(model, tmp_path) -> dict:
    service = {"model": "scripted", "api_key": "none", "openai_base_url": model.base_url}
    vectors = {"path": str(tmp_path / "qdrant"), "embedding_model_dims": 256, "collection_name": "memories"}
    return {
        "llm": {"provider": "openai", "config": service},
        "embedder": {"provider": "openai", "config": {**service, "embedding_dims": 256}},
        "vector_store": {"provider": "qdrant", "config": vectors},
        "history_db_path": str(tmp_path / "history.db"),
    }
