"""The files of an ONNX model: where they lie, whether they are whole, and the id that their bytes give.

Everything here is done without onnxruntime, so that an absent or cut model is told within milliseconds and not after
a numeric library has been loaded.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from dataclasses import dataclass
from pathlib import Path

from forgetguard.errors import ModelUnavailable

GRAPH_PLACES = ("model.onnx", "onnx/model.onnx")
WEIGHT_SUFFIXES = ("_data", ".data")
DIGEST_LENGTH = 16
DEFAULT_MAX_TOKENS = 256


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The files one model consists of. `weights` are the graph's external data, if it has any."""

    graph: Path
    tokenizer: Path
    weights: tuple[Path, ...]

    @classmethod
    def find(cls, directory: Path) -> ModelFiles:
        """The model in `directory` (model.onnx or onnx/model.onnx, and tokenizer.json). Raises ModelUnavailable."""
        tokenizer = directory / "tokenizer.json"
        for place in GRAPH_PLACES:
            graph = directory / place
            if graph.is_file() and tokenizer.is_file():
                weights = (graph.with_name(graph.name + suffix) for suffix in WEIGHT_SUFFIXES)
                return cls(graph, tokenizer, tuple(path for path in weights if path.is_file()))
        raise ModelUnavailable("the model's files are not there")

    def stamp(self) -> tuple[tuple[int, int], ...]:
        """Size and time of change of every file: equal as long as nobody replaced one."""
        found = [path.stat() for path in (self.graph, self.tokenizer, *self.weights)]
        return tuple((entry.st_size, entry.st_mtime_ns) for entry in found)

    def digest(self, settings: str = "") -> str:
        """A short hash of all bytes that shape a vector; `settings` is whatever the caller changed."""
        total = hashlib.sha256()
        for path in (self.graph, self.tokenizer, *self.weights):
            with path.open("rb") as file:
                total.update(hashlib.file_digest(file, "sha256").digest())
        total.update(settings.encode())
        return total.hexdigest()[:DIGEST_LENGTH]

    def check(self) -> None:
        """Raise ModelUnavailable unless both files look whole: a download that was cut short, or a pointer file."""
        with self.tokenizer.open("rb") as file:
            tokenizer = file.read()
        if not (tokenizer.lstrip()[:1] == b"{" and tokenizer.rstrip()[-1:] == b"}"):
            raise ModelUnavailable("the tokenizer's file is damaged")
        with self.graph.open("rb") as file:
            if self.graph.stat().st_size > 0:
                with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                    if _is_whole_protobuf(data):
                        return
        raise ModelUnavailable("the model's file is damaged")

    def max_tokens(self) -> int:
        """The length the model was made for: sentence_bert_config.json if it says so, else 256.

        Not the tokenizer's own truncation: published files carry the 128 of a training run there.
        """
        try:
            config = json.loads(self.tokenizer.with_name("sentence_bert_config.json").read_bytes())
            length = config["max_seq_length"]
        except (OSError, ValueError, KeyError, TypeError):
            return DEFAULT_MAX_TOKENS
        return length if isinstance(length, int) and length > 0 else DEFAULT_MAX_TOKENS


def _is_whole_protobuf(data: mmap.mmap) -> bool:
    """Whether the top-level fields of an ONNX ModelProto fill the file exactly, its first being the IR version."""
    position, size = 0, len(data)
    if data[0] != 0x08:
        return False
    while position < size:
        tag, position = _varint(data, position)
        wire = tag & 7
        if wire == 0:
            _, position = _varint(data, position)
        elif wire == 1:
            position += 8
        elif wire == 2:
            length, position = _varint(data, position)
            position += length
        elif wire == 5:
            position += 4
        else:
            return False
    return position == size


def _varint(data: mmap.mmap, position: int) -> tuple[int, int]:
    """The number at `position` and the place after it; past the end of a cut file, a place that is not its size."""
    number = shift = 0
    while position < len(data) and shift < 70:
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, position
        shift += 7
    return 0, len(data) + 1
