"""Small embedding models that the tests make: a word-level tokenizer and a graph that looks vectors up."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "user", "is", "vegetarian", "lives", "in", "lisbon", "porto", "tea")
WIDTH = 8
PAD, CLS, SEP = 0, 2, 3


def table() -> np.ndarray:
    """The vector of every word: what the graph looks up."""
    return np.random.default_rng(7).standard_normal((len(WORDS), WIDTH)).astype(np.float32)


def token_ids(text: str) -> list[int]:
    """What the tokenizer gives, written out a second time."""
    words = [WORDS.index(word) if word in WORDS else 1 for word in text.lower().split()]
    return [CLS, *words, SEP]


def write_tokenizer(folder: Path, *, specials: bool = True) -> None:
    special = {"[CLS]": {"id": "[CLS]", "ids": [CLS], "tokens": ["[CLS]"]}}
    special["[SEP]"] = {"id": "[SEP]", "ids": [SEP], "tokens": ["[SEP]"]}
    template = [
        {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
    ]
    pair = [*template, {"Sequence": {"id": "B", "type_id": 1}}, {"SpecialToken": {"id": "[SEP]", "type_id": 1}}]
    processor = {"type": "TemplateProcessing", "single": template, "pair": pair, "special_tokens": special}
    content = {
        "version": "1.0",
        # As in published files: a training run's truncation, and padding to a fixed length.
        "truncation": {"max_length": 4, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
        "padding": {
            "strategy": {"Fixed": 4},
            "direction": "Right",
            "pad_to_multiple_of": None,
            "pad_id": PAD,
            "pad_type_id": 0,
            "pad_token": "[PAD]",
        },
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": processor if specials else None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {word: i for i, word in enumerate(WORDS)}, "unk_token": "[UNK]"},
    }
    (folder / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")


def write_graph(
    folder: Path,
    *,
    pooled: bool = False,
    pooler: bool = False,
    length: int | str = "l",
    extra_input: str | None = "token_type_ids",
    kind: int = TensorProto.INT64,
    vectors: np.ndarray | None = None,
) -> None:
    """`pooled`: the graph means over the mask itself, as `sentence_embedding`. `pooler`: an output to be ignored."""
    weights = table() if vectors is None else vectors
    initial = [numpy_helper.from_array(weights, "table"), numpy_helper.from_array(np.array([1]), "axis")]
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])]
    states = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["b", length, WIDTH])
    outputs = [states]
    if pooler or pooled:
        name = "sentence_embedding" if pooled else "pooler_output"
        # The maximum, so that a test sees which of the outputs was read.
        nodes.append(helper.make_node("ReduceMax", ["last_hidden_state", "axis"], [name], keepdims=0))
        value = helper.make_tensor_value_info(name, TensorProto.FLOAT, ["b", WIDTH])
        outputs = [value] if pooled else [value, states]
    inputs = [
        helper.make_tensor_value_info(name, kind, ["b", length])
        for name in ("input_ids", "attention_mask", extra_input)
        if name is not None
    ]
    graph = helper.make_graph(nodes, "tiny", inputs, outputs, initial)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 8
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    onnx.checker.check_model(model)


def write_model(folder: Path, **graph: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    write_tokenizer(folder)
    write_graph(folder, **graph)
    return folder
