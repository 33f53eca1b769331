"""`forgetguard model`: a model is looked at before it is used, named in the configuration, and entries follow it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnxruntime")
tiny = pytest.importorskip("embedder.tiny")

FACT = "User is vegetarian"


@pytest.fixture
def model(tmp_path: Path) -> Callable[..., Path]:
    """Makes a small model; another seed, another model."""

    def make(seed: int = 1) -> Path:
        vectors = np.random.default_rng(seed).standard_normal((len(tiny.WORDS), tiny.WIDTH)).astype(np.float32)
        return tiny.write_model(tmp_path / f"model-{seed}", vectors=vectors)

    return make


def configuration(home: Path) -> Path:
    return home / "config/forgetguard/config.toml"


def listed(run) -> dict[str, tuple[bool, int | None]]:
    return {one["id"]: (one["in_use"], one["entries"]) for one in run("model", "list", "--json").json[0]["models"]}


def test_adding_a_model_sets_it_in_use(ready, home, model):
    folder = model()
    configuration(home).write_text('# mine\naliases = ["Diogo"]\n\n[purge]\nx = 1\n')
    done = ready("model", "add", str(folder), "--json")
    assert done.code == 0, done.err
    (made,) = done.json
    assert made["dimensions"] == 8 and made["id"].startswith("onnx-") and 0 < made["sd"] < 1
    assert configuration(home).read_text().startswith("# mine\n")
    assert tomllib.loads(configuration(home).read_text()) == {
        "aliases": ["Diogo"], "model": str(folder), "purge": {"x": 1},
    }  # fmt: skip
    (status,) = ready("doctor", "--json").json
    assert (status["model"], status["words_only"]) == (made["id"], 1)
    (status,) = ready("ledger", "status", "--json").json
    assert (status["model"], status["words_only"]) == (made["id"], 1)
    assert listed(ready) == {made["id"]: (True, 0)}


def test_entries_follow_the_model(ready, model):
    one = ready("model", "add", str(model(1)), "--json").json[0]["id"]
    ready("forget", given="User lives in Lisbon")
    done = ready("model", "reembed", "--json")
    assert (done.code, done.json[0]["made"], done.json[0]["entries"]) == (0, 1, 2)
    assert FACT not in done.out + done.err
    two = ready("model", "add", str(model(2)), "--json").json[0]["id"]
    assert listed(ready) == {two: (True, 0), one: (False, 2)}
    assert ready("doctor", "--json").json[0]["words_only"] == 2
    assert ready("model", "reembed", "--json").json[0]["made"] == 2
    assert ready("model", "reembed", "--json").json[0]["made"] == 0
    assert listed(ready) == {two: (True, 2), one: (False, 0)}
    assert ready("doctor", "--json").json[0]["words_only"] == 0
    assert ready("ledger", "verify").code == 0


def test_what_is_forgotten_stays_so_while_the_vectors_are_of_another_model(ready, model):
    ready("model", "add", str(model(1)))
    ready("model", "reembed")
    ready("model", "add", str(model(2)))
    assert ready("check", "--json", given="The user is a vegetarian").json[0]["action"] == "drop"


@pytest.mark.parametrize("broken", ["absent", "no tokenizer", "cut", "no graph", "all alike"])
def test_a_model_that_cannot_be_used_is_not_set_in_use(ready, home, model, tmp_path, broken):
    folder = model()
    if broken == "absent":
        folder = tmp_path / "nowhere"
    elif broken == "no tokenizer":
        (folder / "tokenizer.json").unlink()
    elif broken == "cut":
        (folder / "model.onnx").write_bytes((folder / "model.onnx").read_bytes()[:-9])
    elif broken == "no graph":
        (folder / "model.onnx").write_bytes(b"")
    else:
        tiny.write_graph(folder, vectors=np.ones((len(tiny.WORDS), tiny.WIDTH), dtype=np.float32))
    done = ready("model", "add", str(folder), "--json")
    assert (done.code, done.json[0]["error"]["code"]) == (1, "model-unavailable")
    assert not configuration(home).exists()


@pytest.mark.parametrize("content", ["nonsense =", "model = [\n'x',\n]\n", "'model' = 'x'\n", b"\xff"])
def test_a_configuration_that_cannot_be_edited_is_left_alone(ready, home, model, content):
    path = configuration(home)
    raw = content if isinstance(content, bytes) else content.encode()
    folder = model()
    path.write_bytes(raw)
    done = ready("model", "add", str(folder))
    assert done.code == 2
    assert path.read_bytes() == raw
    assert sorted(path.parent.iterdir()) == sorted([path, path.parent / "key"])


def test_a_configuration_of_ones_own_is_the_one_that_is_written(ready, home, model):
    own = home / "own.toml"
    own.write_text("past = 'keep'")
    folder = model()
    assert ready("model", "add", str(folder), "--config", str(own)).code == 0
    assert tomllib.loads(own.read_text()) == {"past": "keep", "model": str(folder)}
    assert not configuration(home).exists()
    assert ready("model", "add", str(folder), FORGETGUARD_CONFIG=str(own), FORGETGUARD_MODEL="x").err.count("wins") == 1


def test_calibrating_changes_nothing_but_the_calibration(ready, home, model):
    done = ready("model", "calibrate", str(model()), "--json")
    assert done.code == 0 and {"mean", "sd", "dimensions", "id"} <= done.json[0].keys()
    assert not configuration(home).exists()
    assert listed(ready) == {done.json[0]["id"]: (False, 0)}


def test_without_a_model_there_is_nothing_to_embed_with(ready):
    done = ready("model", "reembed", "--json")
    assert (done.code, done.json[0]["error"]["code"]) == (1, "model-unavailable")
    assert ready("model", "list").out == "none: words alone decide\n"
    assert ready("doctor", "--json").json[0]["words_only"] == 0


def test_a_model_that_broke_is_told(ready, model):
    folder = model()
    ready("model", "add", str(folder))
    (folder / "model.onnx").unlink()
    done = ready("model", "list")
    assert done.code == 1 and "problem: model-unavailable" in done.out
    assert ready("model", "reembed").code == 1
    assert ready("doctor", "--json").json[0]["words_only"] == 1


def test_the_list_works_without_the_ledger(cli, model):
    done = cli("model", "calibrate", str(model()), "--json")
    assert listed(cli) == {done.json[0]["id"]: (False, None)}


def test_a_run_that_was_cut_off_is_finished_by_the_next_one(ready, model, monkeypatch):
    from forgetguard.ledger import Ledger

    ready("forget", "--lines", given="\n".join(f"User lives in town{n}" for n in range(40)))
    ready("model", "add", str(model()))
    recorded = Ledger.embed
    calls = []

    def fail_at_the_second(self, vectors):
        calls.append(len(vectors))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return recorded(self, vectors)

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "embed", fail_at_the_second)
        assert ready("model", "reembed").code != 0
    assert ready("doctor", "--json").json[0]["words_only"] == 41 - calls[0]
    assert ready("model", "reembed", "--json").json[0]["made"] == 41 - calls[0]


def test_a_model_in_use_that_is_gone_is_told(ready, model, tmp_path):
    folder = model()
    assert ready("model", "add", str(folder)).code == 0
    assert "cannot be used" not in ready("doctor").err
    folder.rename(tmp_path / "gone")
    told = ready("doctor").err
    assert "[model-unavailable]" in told and "reembed" not in told  # no model to give vectors by
    listed = ready("model", "list")
    assert listed.code == 1 and "`forgetguard model add DIR`" in listed.err


def test_a_model_whose_extra_is_not_installed_is_told(ready, model, monkeypatch):
    folder = model()
    assert ready("model", "add", str(folder)).code == 0
    monkeypatch.setattr("forgetguard.guard.models.find_spec", lambda name: None if name == "onnxruntime" else name)
    assert "[model-unavailable]" in ready("doctor").err
    done = ready("model", "list")
    assert done.code == 1 and "problem: model-unavailable" in done.out


def test_how_many_entries_have_a_vector(ready, model):
    ready("model", "add", str(model()))
    ready("model", "reembed")
    assert ready("model", "reembed").out.startswith("1 of 1 entries have a vector of ")


@pytest.mark.parametrize("command", [("doctor",), ("ledger", "status")])
def test_the_state_is_told_in_words(ready, command):
    out = ready(*command).out
    assert not any(line.split()[-1] in ("None", "{}", "True", "False") for line in out.splitlines())
    assert all(len(line.split()) > 1 for line in out.splitlines())
