"""OnnxEmbedder: both kinds of graph, one vector for one text, and what a missing or damaged model does."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto

from embedder import tiny
from forgetguard.embedder import OnnxEmbedder
from forgetguard.errors import InvalidText, ModelUnavailable
from forgetguard.values import Vector

SECRET = "user is vegetarian"
# Seconds of this process's own work, for reading and checking some kilobytes: others on the machine count for nothing.
SOON = 0.25


def expected(numbers: np.ndarray, name: str) -> Vector:
    numbers = numbers.astype(np.float64)
    return Vector.quantise(numbers / np.linalg.norm(numbers), name)


def rows(ids: list[int]) -> np.ndarray:
    return tiny.table()[ids].astype(np.float64)


def states(text: str) -> np.ndarray:
    return rows(tiny.token_ids(text))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny.write_model(tmp_path / "model")


def test_token_states_are_averaged(folder: Path) -> None:
    embedder = OnnxEmbedder(folder)
    assert embedder([SECRET]) == [expected(states(SECRET).mean(axis=0), embedder.model_id)]


def test_a_pooled_output_is_used_as_it_is(tmp_path: Path) -> None:
    embedder = OnnxEmbedder(tiny.write_model(tmp_path, pooled=True))
    assert embedder([SECRET]) == [expected(states(SECRET).max(axis=0), embedder.model_id)]


def test_token_states_come_before_a_pooler(tmp_path: Path) -> None:
    embedder = OnnxEmbedder(tiny.write_model(tmp_path, pooler=True))
    assert embedder([SECRET]) == [expected(states(SECRET).mean(axis=0), embedder.model_id)]


def test_padding_of_a_fixed_length_does_not_count(tmp_path: Path) -> None:
    embedder = OnnxEmbedder(tiny.write_model(tmp_path, length=6))
    assert embedder([SECRET]) == [expected(states(SECRET).mean(axis=0), embedder.model_id)]
    long = "user is vegetarian lives in lisbon"
    kept = rows([*tiny.token_ids(long)[:5], tiny.SEP])
    assert embedder([long]) == [expected(kept.mean(axis=0), embedder.model_id)]


@pytest.mark.parametrize("extra_input", [None, "token_type_ids", "position_ids"])
@pytest.mark.parametrize("kind", [TensorProto.INT64, TensorProto.INT32])
def test_the_inputs_that_graphs_have(tmp_path: Path, extra_input: str | None, kind: int) -> None:
    embedder = OnnxEmbedder(tiny.write_model(tmp_path, extra_input=extra_input, kind=kind))
    assert embedder([SECRET])[0].values == expected(states(SECRET).mean(axis=0), "").values


def test_a_text_has_one_vector_whatever_stands_beside_it(folder: Path) -> None:
    embedder = OnnxEmbedder(folder)
    texts = [SECRET, "tea", "user lives in porto", SECRET, "user " * 300]
    together = embedder(texts)
    assert together == [embedder([text])[0] for text in texts]
    assert together == OnnxEmbedder(folder)(tuple(texts))
    assert embedder([]) == []


def test_truncation(folder: Path) -> None:
    words = "user lives in lisbon tea is vegetarian"
    cut = [*tiny.token_ids(words)[:4], tiny.SEP]
    short = OnnxEmbedder(folder, max_tokens=5)
    assert short([words]) == [expected(rows(cut).mean(axis=0), short.model_id)]
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 5}')
    assert OnnxEmbedder(folder)([words])[0].values == short([words])[0].values
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": "many"')
    by_default = OnnxEmbedder(folder)
    assert by_default([words]) == [expected(states(words).mean(axis=0), by_default.model_id)]
    assert by_default(["tea " * 254]) == by_default(["tea " * 900])
    assert by_default(["tea " * 253]) != by_default(["tea " * 900])


def test_a_megabyte_of_text_is_cut_before_it_is_read(folder: Path) -> None:
    embedder = OnnxEmbedder(folder)
    embedder.load()
    start = time.process_time()
    embedder(["tea " * 250_000])
    assert time.process_time() - start < SOON


def test_the_id_is_that_of_the_files(folder: Path, tmp_path: Path) -> None:
    name = OnnxEmbedder(folder).model_id
    assert name.startswith("onnx-")
    assert OnnxEmbedder(str(tiny.write_model(tmp_path / "copy"))).model_id == name
    assert OnnxEmbedder(folder, max_tokens=64).model_id != name
    (folder / "model.onnx_data").write_bytes(b"weights")
    assert OnnxEmbedder(folder).model_id != name
    assert OnnxEmbedder(tiny.write_model(tmp_path / "other", pooled=True)).model_id != name
    tokenizer = tmp_path / "copy" / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text() + "\n")
    assert OnnxEmbedder(tmp_path / "copy").model_id != name


def test_the_hub_layout_is_found(folder: Path) -> None:
    name = OnnxEmbedder(folder).model_id
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    embedder = OnnxEmbedder(folder)
    assert embedder.model_id == name
    assert embedder([SECRET])[0].model == name


def test_lone_surrogates_are_one_replacement_character(folder: Path) -> None:
    embedder = OnnxEmbedder(folder)
    assert embedder(["tea \ud800"]) == embedder(["tea \ufffd"])
    assert embedder(["ção 🍕"])[0].model == embedder.model_id


@pytest.mark.parametrize("texts", ["a text, not a list", [SECRET, 5], [None], [b"bytes"]])
def test_what_is_not_a_sequence_of_str(folder: Path, texts: object) -> None:
    with pytest.raises(InvalidText):
        OnnxEmbedder(folder)(texts)


def test_a_text_without_tokens(folder: Path) -> None:
    tiny.write_tokenizer(folder, specials=False)
    with pytest.raises(InvalidText, match="without tokens"):
        OnnxEmbedder(folder)(["  "])


def test_a_vector_that_cannot_be_used(tmp_path: Path) -> None:
    for name, number in (("zero", 0.0), ("nan", np.nan)):
        vectors = np.full((len(tiny.WORDS), tiny.WIDTH), number, dtype=np.float32)
        with pytest.raises(ModelUnavailable, match="cannot be used"):
            OnnxEmbedder(tiny.write_model(tmp_path / name, vectors=vectors))([SECRET])


def test_a_graph_that_fails_on_a_text_tells_nothing_of_it(folder: Path) -> None:
    tiny.write_graph(folder, vectors=tiny.table()[:5])
    with pytest.raises(ModelUnavailable) as caught:
        OnnxEmbedder(folder)([SECRET])
    error = caught.value
    assert SECRET not in f"{error!r}{error.advice}{error.__context__!r}{error.__cause__!r}"
    assert error.__context__ is None


def damage(folder: Path, how: str) -> None:
    graph, tokenizer = folder / "model.onnx", folder / "tokenizer.json"
    if how == "no folder":
        graph.unlink()
        tokenizer.unlink()
        folder.rmdir()
    elif how.startswith("no "):
        (folder / how.removeprefix("no ")).unlink()
    elif how == "empty graph":
        graph.write_bytes(b"")
    elif how == "cut graph":
        graph.write_bytes(graph.read_bytes()[:-40])
    elif how == "pointer":
        graph.write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 22765842\n")
    elif how == "scrambled graph":
        graph.write_bytes(graph.read_bytes().replace(b"Gather", b"Gathxr"))
    elif how == "noise":
        graph.write_bytes(b"\x08\x08" + bytes(range(256)) * 50)
    elif how == "cut tokenizer":
        tokenizer.write_bytes(tokenizer.read_bytes()[:-40])
    elif how == "other tokenizer":
        tokenizer.write_text("{}")
    elif how == "binary tokenizer":
        tokenizer.write_bytes(b"\xff\xfe\x00")


DAMAGES = ["no folder", "no model.onnx", "no tokenizer.json", "empty graph", "cut graph", "pointer", "noise"]
DAMAGES += ["scrambled graph", "cut tokenizer", "other tokenizer", "binary tokenizer"]


@pytest.mark.parametrize("how", DAMAGES)
def test_a_missing_or_damaged_model_is_told_at_once(folder: Path, how: str) -> None:
    OnnxEmbedder(folder).load()
    damage(folder, how)
    embedder = OnnxEmbedder(folder)
    for _ in range(2):
        start = time.process_time()
        with pytest.raises(ModelUnavailable) as caught:
            embedder([SECRET])
        assert time.process_time() - start < SOON
        assert caught.value.__context__ is None
        assert str(folder) not in str(caught.value)
        assert SECRET not in repr(caught.value)


def test_a_model_that_is_put_right_is_used(folder: Path) -> None:
    damage(folder, "cut graph")
    embedder = OnnxEmbedder(folder)
    with pytest.raises(ModelUnavailable):
        embedder.model_id  # noqa: B018 - reading it is the test
    tiny.write_graph(folder)
    assert len(embedder([SECRET])) == 1


def test_graphs_of_another_kind(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="inputs"):
        OnnxEmbedder(tiny.write_model(tmp_path, extra_input="pixel_values")).load()


def run(code: str, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env=environment)
    assert done.stderr == ""
    return done.stdout.strip()


def test_importing_and_constructing_load_no_library_and_cost_nothing(folder: Path) -> None:
    code = """
import sys, time
import forgetguard.embedder
start = time.process_time()
embedder = forgetguard.embedder.OnnxEmbedder(sys.argv[1])
spent = time.process_time() - start
loaded = {"numpy", "onnxruntime", "tokenizers"} & sys.modules.keys()
embedder.model_id
loaded |= {"numpy", "onnxruntime", "tokenizers"} & sys.modules.keys()
print(spent < 0.005, sorted(loaded))
"""
    assert run(code, str(folder)) == "True []"


def test_a_missing_model_costs_no_library(folder: Path) -> None:
    code = """
import sys
from forgetguard.embedder import OnnxEmbedder
from forgetguard.errors import ModelUnavailable
try:
    OnnxEmbedder(sys.argv[1])(["a text"])
except ModelUnavailable as error:
    print(error.code, "onnxruntime" in sys.modules)
"""
    damage(folder, "cut graph")
    assert run(code, str(folder)) == "model-unavailable False"


def test_without_the_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ModelUnavailable, match="not installed") as caught:
        OnnxEmbedder(folder)([SECRET])
    assert "forgetguard[onnx]" in caught.value.advice


def test_many_threads_share_one_embedder(folder: Path) -> None:
    embedder = OnnxEmbedder(folder)
    wanted = OnnxEmbedder(folder)([SECRET, "tea"])
    found: list[list[Vector]] = []
    start = threading.Barrier(8)

    def work() -> None:
        start.wait()
        found.extend(embedder([SECRET, "tea"]) for _ in range(10))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert found == [wanted] * 80


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_goes_on(folder: Path) -> None:
    code = """
import os, sys, warnings
warnings.simplefilter("ignore")
from forgetguard.embedder import OnnxEmbedder
embedder, fresh = OnnxEmbedder(sys.argv[1]), OnnxEmbedder(sys.argv[1])
wanted = embedder(["user is vegetarian"])
fresh._lock.acquire()
child = os.fork()
if child == 0:
    os._exit(0 if embedder(["user is vegetarian"]) == wanted == fresh(["user is vegetarian"]) else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert run(code, str(folder)) == "0"


def test_repr_tells_no_path(folder: Path) -> None:
    assert str(folder) not in repr(OnnxEmbedder(folder))
