"""Sentence embeddings by an ONNX model in a local directory (extra `onnx`): no network, no download."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forgetguard.embedder.files import ModelFiles
from forgetguard.errors import InvalidText, InvalidVector, ModelUnavailable
from forgetguard.values import Vector

INSTALL_ADVICE = "Install the extra: pip install 'forgetguard[onnx]'."
# A token stands for far fewer characters than this, so nothing the model would read is cut; it bounds the
# tokenizer's time on a text of any length.
CHARACTERS_PER_TOKEN = 32
POOLED_OUTPUT = "sentence_embedding"
KNOWN_INPUTS = {"input_ids", "attention_mask", "token_type_ids", "position_ids"}
INPUT_KINDS = {"tensor(int64)": "int64", "tensor(int32)": "int32"}


class OnnxEmbedder:
    """A sentence embedding model on disk: `OnnxEmbedder(directory)(["a text"])` gives one `Vector` a text.

    Serves both kinds of graph: one that returns token states (they are averaged over the attention mask) and one that
    returns the pooled sentence vector. Vectors have unit length before they are quantised. Texts are cut at
    `max_tokens` (default: what the model's files say, else 256).

    Constructing costs nothing; files are read at the first use. Safe to share between threads and across fork.
    Raises ModelUnavailable, at use, when a file is missing or damaged or the extra is not installed. A failure is
    remembered until a file changes, so asking again costs microseconds.
    """

    def __init__(self, model_dir: str | os.PathLike[str], *, max_tokens: int | None = None) -> None:
        self._directory = Path(model_dir)
        self._max_tokens = max_tokens
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._model_id: str | None = None
        self._stamp: object = None
        self._model: _Model | None = None
        self._failure: tuple[object, ModelUnavailable] | None = None

    def __repr__(self) -> str:
        return f"OnnxEmbedder(loaded={self._model is not None})"

    @property
    def model_id(self) -> str:
        """`onnx-` and a hash of the model's files (and of `max_tokens` if it was given). Reads them once."""
        if self._model_id is None:
            with self._guard():
                self._open(load=False)
        assert self._model_id is not None
        return self._model_id

    def load(self) -> None:
        """Load the model now, instead of at the first text. Raises ModelUnavailable."""
        self._loaded()

    def __call__(self, texts: Sequence[str], /) -> list[Vector]:
        """One vector a text. Raises InvalidText if a text is not a str or has nothing to embed."""
        if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
            raise InvalidText("an embedder takes a sequence of str")
        if not texts:
            return []
        model, name = self._loaded(), self.model_id
        # One run a text: in a graph that quantises its activations, neighbours and padding move a sentence's vector
        # (all-MiniLM-L6-v2 int8 in a batch of 40: cosine 0.993 to itself), and a forgotten fact must meet its own.
        return [_quantise(model.embed(_clean(text)), name) for text in texts]

    def _loaded(self) -> _Model:
        if self._model is None:
            with self._guard():
                self._open(load=True)
        assert self._model is not None
        return self._model

    def _guard(self) -> threading.Lock:
        # A child that was forked while another thread loaded the model would wait for ever on a copy of its lock.
        if self._process != os.getpid():
            self._process, self._lock = os.getpid(), threading.Lock()
        return self._lock

    def _open(self, *, load: bool) -> None:
        """Fill `_model_id` and, if asked, `_model`; remember a failure. Called with the lock held."""
        stamp: object = None
        failure: ModelUnavailable | None = None
        try:
            files = ModelFiles.find(self._directory)
            stamp = files.stamp()
            if self._failure is not None and self._failure[0] == stamp:
                failure = self._failure[1]
            else:
                self._read(files, stamp, load=load)
        except ModelUnavailable as error:
            failure = error
        except Exception:  # noqa: BLE001 - two libraries' own exceptions, of many classes
            failure = ModelUnavailable("the model cannot be loaded")
        if failure is None:
            return
        self._failure = (stamp, failure) if stamp is not None else None
        # Raised outside the except block: the cause is a library's exception, whose text is not ours to vouch for.
        raise ModelUnavailable(str(failure), advice=failure.advice)

    def _read(self, files: ModelFiles, stamp: object, *, load: bool) -> None:
        # Until the model is loaded its files may be replaced; afterwards the id stays that of what runs.
        if self._model_id is None or self._stamp != stamp:
            files.check()
            settings = "" if self._max_tokens is None else f"max_tokens={self._max_tokens}"
            self._model_id, self._stamp = f"onnx-{files.digest(settings)}", stamp
        if load and self._model is None:
            self._model = _Model.open(files, self._max_tokens or files.max_tokens())


@dataclass(frozen=True, slots=True)
class _Model:
    """A loaded graph with its tokenizer. Runs in the calling thread only: no pools that a fork would break."""

    numpy: Any
    session: Any
    tokenizer: Any
    inputs: dict[str, str]
    output: str
    pooled: bool
    max_tokens: int
    width: int | None
    """The length every row must have, if the graph was exported with a fixed one."""
    pad: int

    @classmethod
    def open(cls, files: ModelFiles, max_tokens: int) -> _Model:
        numpy, onnxruntime, tokenizers = _libraries()
        tokenizer = tokenizers.Tokenizer.from_file(str(files.tokenizer))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(str(files.graph), options, providers=["CPUExecutionProvider"])
        inputs = {entry.name: entry.type for entry in session.get_inputs()}
        if not {"input_ids"} <= inputs.keys() <= KNOWN_INPUTS:
            raise ModelUnavailable("the graph's inputs are not those of a sentence embedding model")
        output, pooled = _choose_output(session.get_outputs())
        width = next(entry.shape for entry in session.get_inputs() if entry.name == "input_ids")[-1]
        if not isinstance(width, int):
            width = None
        pad = (tokenizer.padding or {}).get("pad_id", 0)
        tokenizer.no_padding()
        max_tokens = min(max_tokens, width or max_tokens)
        tokenizer.enable_truncation(max_tokens)
        return cls(numpy, session, tokenizer, inputs, output, pooled, max_tokens, width, pad)

    def embed(self, text: str) -> list[float]:
        """The unit vector of one text. Raises InvalidText if it has no tokens, ModelUnavailable if the graph fails."""
        try:
            # `encode`, not `encode_batch`: the latter starts a thread pool that does not survive a fork.
            ids = self.tokenizer.encode(text[: self.max_tokens * CHARACTERS_PER_TOKEN]).ids
            vector = self._run(ids) if ids else []
        except Exception:  # noqa: BLE001 - two libraries' own exceptions, of many classes
            vector = None
        if vector is None:
            raise ModelUnavailable("the model failed on a text")
        if not vector:
            raise InvalidText("a text without tokens cannot be embedded")
        return vector

    def _run(self, ids: list[int]) -> list[float]:
        np = self.numpy
        length = self.width or len(ids)
        mask = np.zeros((1, length), dtype=np.int64)
        mask[0, : len(ids)] = 1
        row = np.full((1, length), self.pad, dtype=np.int64)
        row[0, : len(ids)] = ids
        values = {
            "input_ids": row,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(row),
            "position_ids": np.arange(length, dtype=np.int64)[None, :],
        }
        feed = {name: values[name].astype(INPUT_KINDS[kind]) for name, kind in self.inputs.items()}
        (states,) = self.session.run([self.output], feed)
        vector = states[0].astype(np.float64)
        if not self.pooled:
            vector = vector[mask[0] == 1].mean(axis=0)
        with np.errstate(all="ignore"):
            unit: list[float] = (vector / np.linalg.norm(vector)).tolist()
        return unit


def _libraries() -> tuple[Any, Any, Any]:
    absent = False
    try:
        import numpy
        import onnxruntime
        import tokenizers
    except ModuleNotFoundError:
        absent = True
    if absent:
        raise ModelUnavailable("the extra `onnx` is not installed", advice=INSTALL_ADVICE)
    return numpy, onnxruntime, tokenizers


def _choose_output(outputs: Sequence[Any]) -> tuple[str, bool]:
    """The output to read and whether it is pooled: `sentence_embedding`, else the token states, else one of rank 2.

    Token states come before other pooled outputs, because BERT's `pooler_output` is not an embedding of the sentence.
    """
    ranks = {entry.name: len(entry.shape) for entry in outputs}
    if ranks.get(POOLED_OUTPUT) == 2:
        return POOLED_OUTPUT, True
    for wanted in (3, 2):
        for name, rank in ranks.items():
            if rank == wanted:
                return name, rank == 2
    raise ModelUnavailable("the graph's outputs are not those of a sentence embedding model")


def _clean(text: str) -> str:
    """`text` without what a tokenizer cannot encode: a lone surrogate becomes U+FFFD."""
    if text.isascii():
        return text
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)


def _quantise(numbers: list[float], name: str) -> Vector:
    try:
        return Vector.quantise(numbers, name)
    except InvalidVector:
        raise ModelUnavailable("the model gave a vector that cannot be used") from None
