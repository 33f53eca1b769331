"""The native implementation of the rules. Use it through `forgetguard.rules`, which chooses the implementation.

Texts are cleaned already (`text.clean`). A text is a `str`, an embedding int8 as `bytes` with its model's name.
"""

from collections.abc import Callable, Sequence
from typing import final

__all__ = [
    "DEBUG_BUILD",
    "Clause",
    "Index",
    "Sentence",
    "__version__",
    "codes",
    "cuts",
    "explain",
    "fold_text",
    "has_narrative",
    "judge",
    "note_words",
    "quantise",
    "request_code",
    "rules_version",
    "sentences",
    "tokens",
    "vetoes",
]

__version__: str
"""The version of the package that this core was built for."""

DEBUG_BUILD: bool
"""True for an unoptimised core, which no benchmark may time."""

_Row = tuple[str, bytes | None, str]
_Scale = tuple[float, float]
_Hit = tuple[int, str, str, str, float | None, float]
_Token = tuple[str, str, str, int, int, str, str, int, int, list[str]]

@final
class Clause:
    """A clause by its place in the text, in code points. Equal clauses are equal, and hash alike.

    `inherits`: position among its sentence's clauses of the one whose subject it takes over; None if it has its own.
    `text`: what it says, behind that subject.
    """

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def inherits(self) -> int | None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Sentence:
    """A sentence (or a list item, or a heading) by its place in the text, without the space around it.

    `line`: where the line or block begins that the sentence fills alone (a list item with its marker), else None.
    """

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def clauses(self) -> tuple[Clause, ...]: ...
    @property
    def line(self) -> int | None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Index:
    """Facts by slot, in the order in which they were added."""

    def __new__(cls, aliases: Sequence[str] = ..., past: str = ..., wordnet: bool = True) -> Index:
        """`aliases`: further names of the user. `past`: drop or keep. `wordnet`: whether words align by sense."""

    def add(self, text: str, values: bytes | None = None, model: str = ...) -> int:
        """The slot of a new fact."""

    def add_many(self, rows: Sequence[_Row]) -> int:
        """The slot of the first of several new facts; the others follow it, in order."""

    def remove(self, slot: int) -> None:
        """Take a fact out. Its slot is never used again. IndexError for a slot that never was."""

    def match(
        self, text: str, values: bytes | None = None, model: str = ..., scale: _Scale | None = None
    ) -> _Hit | None:
        """The first fact in slot order that `text` restates, a drop before a hold.

        `scale`: mean and sd of the model. The answer: slot, action, code, why, similarity, coverage.
        """

    def match_many(self, rows: Sequence[_Row], scale: _Scale | None = None) -> list[_Hit | None]:
        """`match` for each row, in order."""

    def ask_many(self, rows: Sequence[tuple[str, str]]) -> list[tuple[bool, _Hit | None]]:
        """For each text and model: whether its embedding could change the answer; and if not, the answer."""

    def scrub(
        self,
        text: str,
        embed: Callable[[list[str]], Sequence[tuple[bytes, str] | None]] | None = None,
        model: str = ...,
        scale: _Scale | None = None,
    ) -> tuple[list[tuple[int, int, _Hit]], list[tuple[int, int, str]]]:
        """The spans of a text that restate something, and what to cut for them: start, end, and what to put there.

        `embed` is given those texts whose answer an embedding by `model` could change.
        """

    def needs_embedding(self, text: str, model: str = ...) -> bool:
        """Whether an embedding of `text` by `model` could change what `match` answers."""

def codes() -> list[str]:
    """Every code of `rules.tsv` that has a predicate here, in the order in which they are asked."""

def cuts(text: str, aliases: Sequence[str], removed: Sequence[tuple[int, int | None]]) -> list[tuple[int, int, str]]:
    """What to cut so that `text` reads well without some clauses: start, end, and what to put there instead.

    `removed`: pairs of a sentence's position and a clause's in it, or None for all of it.
    """

def explain(
    candidate: _Row, fact: _Row, scale: _Scale | None, aliases: Sequence[str], past: str, wordnet: bool
) -> tuple[str, str, str, float | None, float]:
    """Action, code, why, similarity and coverage of one candidate and one fact."""

def fold_text(text: str) -> str:
    """The folded characters of a text: compatibility forms, case and diacritics are gone."""

def has_narrative(text: str) -> bool:
    """Whether a text says anything beside its headings and list markers."""

def judge(
    candidate: str, fact: str, similarity: float | None, aliases: Sequence[str], past: str, wordnet: bool
) -> tuple[str, str, str, float]:
    """Action, code, why and coverage of one candidate and one fact; `similarity` is on MiniLM's scale."""

def note_words(text: str) -> bool:
    """Whether `text` speaks of erasing, forgetting or not keeping at all."""

def quantise(numbers: object) -> tuple[bytes, float] | None:
    """Signed bytes and scale of an embedding given as bytes of float32, a buffer or a list of floats.

    None for what `values.Vector.quantise` has an error for, or must read.
    """

def request_code(text: str) -> str:
    """The code of the rule that takes `text` for a request to forget or a note, or "" if none does."""

def rules_version() -> str:
    """The version of the rules that this implementation follows."""

def sentences(text: str, aliases: Sequence[str] = ...) -> list[Sentence]:
    """The sentences of a text, in order."""

def tokens(text: str, aliases: Sequence[str]) -> tuple[str, str, bool, list[_Token]]:
    """Language, exact form, whether something is said to have ended, and the tokens of a text.

    A token: kind, key, form, start, end, role, relation, rarity, clause, and those of its flags that are set.
    """

def vetoes(candidate: str, fact: str, aliases: Sequence[str], wordnet: bool) -> list[str]:
    """The codes of all vetoes that hold between a candidate and a fact, neither cut into clauses."""
