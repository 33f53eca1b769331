"""An index answers as asking every fact would, on both implementations, whatever its bounds pass over."""

from __future__ import annotations

import json
import random
from importlib import import_module
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from forgetguard.embedder import Calibration
from forgetguard.errors import InvalidVector
from forgetguard.rules import BACKEND, ForgottenIndex, match_forgotten, scrub
from forgetguard.rules.vectors import Embedding, alike, similar
from forgetguard.values import Entry, Vector
from growth import grows_linearly

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
ROUNDS = 60
ALIASES = ("Marta Sequeira",)
MODEL = "m"
SCALE = (0.1, 0.12)
# What a bound may miss: initials, codes, numbers by their end, labels, characters, repeated words, many words.
PITFALLS = (
    "User's manager is J. Okafor",
    "Manager: Joana Okafor",
    "Weight: 94 kg",
    "User weighs 94 kg",
    "User's phone number is +351 912 345 678",
    "Call 912345678",
    "The licence key is AB-1234-XY",
    "User moved in May 2019",
    "User moved on 3 May 2019",
    "用户住在里斯本",
    "用户喜欢喝咖啡和茶",
    "ユーザーはコーヒーが好きです",
    "User likes coffee",
    "coffee",
    "User drinks coffee coffee coffee coffee",
    "Forget that User likes coffee",
    "User asked the assistant to delete the note about the bakery in Porto",
    "User no longer works at Nordvik, and moved to Bergen with Rita",
    "User works at Nordvik and lives in Oslo; Rita, a nurse, likes opera, sushi, chess, tennis, jazz, hiking, "
    "skiing, sailing, pottery, gardening, baking, painting, cycling, running, knitting and astronomy",
    "Rita likes astronomy",
    "User hates MongoDB",
    "User hates Mongo",
    "",
    "—",
)


CASES = [json.loads(line) for line in (FIXTURES / "cases" / "pairs-dev.jsonl").read_text("utf-8").splitlines()]
FACTS = [fact["text"] for fact in json.loads((FIXTURES / "everyday-facts-v1.json").read_text("utf-8"))["facts"]]
TEXTS = [*FACTS, *(case[part] for case in CASES for part in ("forgotten", "candidate")), *PITFALLS]


@pytest.fixture(scope="module", params=["_python", "_native"])
def rules(request: pytest.FixtureRequest) -> ModuleType:
    try:
        return import_module(f"forgetguard.rules.{request.param}")
    except ModuleNotFoundError:
        pytest.skip("the native core is not built here")


def vector(chance: random.Random) -> bytes:
    """Mostly six dimensions; a few are zero or of another length, so that nothing can be compared with them."""
    length = chance.choice([6] * 8 + [4])
    return bytes(chance.randrange(256) if chance.random() < 0.95 else 0 for _ in range(length))


def one_by_one(rules: ModuleType, rows: list[Any], asked: Any, options: tuple[str, bool]) -> Any:
    """The first row that every question in turn drops, else holds."""
    text, values, model = asked
    held = None
    for slot, (fact, own, own_model) in enumerate(rows):
        near = None
        if values and own and model == own_model:
            near = similar(Embedding.of(values, model), Embedding.of(own, model), SCALE)
        action, code, why, coverage = rules.judge(text, fact, near, ALIASES, *options)
        hit = (slot, action, code, why, near, coverage)
        if action == "drop":
            return hit
        if action == "hold" and held is None:
            held = hit
    return held


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_answers_as_every_fact_in_turn(rules: ModuleType, seed: int) -> None:
    chance = random.Random(seed)
    options = (chance.choice(["drop", "keep"]), chance.random() < 0.7)
    pairs = [(case["forgotten"], case["candidate"]) for case in chance.sample(CASES, 12)]
    facts = [*chance.sample(PITFALLS, 8), *chance.sample(FACTS, 5), *(fact for fact, _ in pairs)]
    chance.shuffle(facts)
    rows = [
        (text, vector(chance) if chance.random() < 0.6 else None, chance.choice([MODEL, MODEL, "n"])) for text in facts
    ]
    index = rules.Index(ALIASES, *options)
    index.add_many(rows[: len(rows) // 2])
    for row in rows[len(rows) // 2 :]:
        index.add(*row)
    texts = [*(candidate for _, candidate in pairs), *chance.sample(PITFALLS, 6), *chance.sample(FACTS, 2)]
    # A longer text of several clauses, too.
    texts.append(". ".join(chance.sample(texts, 3)))
    asked = [(text, vector(chance) if chance.random() < 0.6 else None, MODEL) for text in texts]
    expected = [one_by_one(rules, rows, one, options) for one in asked]
    assert [index.match(*one, SCALE) for one in asked] == expected
    assert index.match_many(asked, SCALE) == expected


EQUAL, NEAR, HALF = (b"\x7f\x00", b"\x7f\x00"), (b"\x7f\x00", b"\x66\x4c"), (b"\x7f\x00", b"\x40\x6e")
"""Two embeddings with a cosine of 1, 0.8 and 0.5."""


@pytest.mark.parametrize(
    ("fact", "text", "vectors", "models", "code"),
    [
        ("User ate an apple for lunch", "User works at Apple", EQUAL, "mm", "anchor"),
        ("The gate code is AB-1234", "AB-1234 still opens it, said the neighbour from Porto", EQUAL, "mm", "id"),
        ("User's number is 912345678", "Call 912345678 about the boiler in the cellar", EQUAL, "mm", "id"),
        (
            "User proposed using Rust for the parser",
            "The weather in Oslo was mild yesterday, and user recommended that the parser be written in Rust",
            HALF,
            "mm",
            "clause",
        ),
        (
            "Inês proposed PgBouncer for connection pooling",
            "PgBouncer was Inês's idea for pooling connections",
            NEAR,
            "mm",
            "anchor",
        ),
        (
            "Inês proposed PgBouncer for connection pooling",
            "PgBouncer was Inês's idea for pooling connections",
            HALF,
            "mn",
            "anchor",
        ),
        ("用户在里斯本的医院做护士", "里斯本的护士都很忙", EQUAL, "mm", "anchor"),
    ],
)
def test_a_bound_lets_through_what_is_just_a_match(
    rules: ModuleType, fact: str, text: str, vectors: tuple[bytes, bytes], models: str, code: str
) -> None:
    row, asked = (fact, vectors[0], models[0]), (text, vectors[1], models[1])
    near = similar(Embedding.of(*row[1:]), Embedding.of(*asked[1:]), None)
    decision = rules.judge(text, fact, near, ALIASES, "drop", True)
    assert decision[1] == code
    assert decision[0] != "store"
    index = rules.Index(ALIASES)
    index.add(*row)
    assert index.match(*asked) == (0, *decision[:3], near, decision[3])


def test_half_a_vector_tells_no_more_than_the_whole() -> None:
    chance = random.Random(5)
    for _ in range(2_000):
        size = chance.choice([1, 2, 3, 6, 7])
        a, b = (Embedding.of(bytes(chance.randrange(256) for _ in range(size)), MODEL) for _ in range(2))
        scale, least = chance.choice([None, SCALE]), chance.uniform(-0.99, 1)
        whole = similar(a, b, scale)
        assert alike(a, b, least, scale) == (whole if whole is not None and whole >= least else None)
        if whole is not None and whole > -1:
            assert alike(a, b, whole, scale) == whole


@pytest.mark.parametrize("seed", range(ROUNDS // 2))
def test_an_embedding_that_is_not_needed_changes_nothing(rules: ModuleType, seed: int) -> None:
    chance = random.Random(seed)
    cases = chance.sample(CASES, 20)
    rows = [(case["forgotten"], vector(chance), MODEL) for case in cases]
    index = rules.Index(ALIASES)
    index.add_many(rows)
    asked = [*(case["candidate"] for case in cases), *(row[0] for row in rows[:5]), *chance.sample(PITFALLS, 5)]
    for text, (wanted, hit) in zip(asked, index.ask_many([(text, MODEL) for text in asked]), strict=True):
        assert wanted == index.needs_embedding(text, MODEL)
        if wanted:
            continue
        plain = index.match(text)
        assert hit == plain
        for extreme in (vector(chance), *(row[1] for row in rows[:5]), bytes([127] * 6), bytes([129] * 6)):
            near = index.match(text, extreme, MODEL, SCALE)
            assert (near and near[:4]) == (plain and plain[:4])


def test_what_is_taken_out_is_not_found(rules: ModuleType) -> None:
    index = rules.Index(ALIASES)
    first = index.add_many([(text, None, "") for text in PITFALLS])
    for slot in range(first, len(PITFALLS), 2):
        index.remove(slot)
        index.remove(slot)
    left = [(text, None, "") for text in PITFALLS]
    for slot, text in enumerate(PITFALLS):
        found = index.match(text)
        assert found is None or found[0] % 2 == 1
        if slot % 2:
            expected = one_by_one(rules, left[1::2], (text, None, ""), ("drop", True))
            assert (found and found[1:]) == (expected and expected[1:])


def test_many_texts_are_answered_as_each_alone(rules: ModuleType) -> None:
    """More texts than one core is given."""
    index = rules.Index()
    index.add_many([(text, None, "") for text in TEXTS[:300]])
    rows = [(text, None, "") for text in TEXTS[:300:2]]
    assert index.match_many(rows) == [index.match(*row) for row in rows]


def test_public_index_answers_as_the_one_shot() -> None:
    chance = random.Random(7)
    calibration = Calibration(MODEL, SCALE[0], SCALE[1])
    entries = [Entry(text, id=str(n), vector=Vector(vector(chance), 1.0, MODEL)) for n, text in enumerate(TEXTS[:60])]
    index = ForgottenIndex()
    index.add(entries[:30])
    index.add([*entries[20:], entries[0]])
    assert len(index) == len(entries)
    asked = [Vector(vector(chance), 1.0, MODEL) for _ in range(40)]
    found = index.match_many(TEXTS[40:80], asked, calibration=calibration)
    for text, near, match in zip(TEXTS[40:80], asked, found, strict=True):
        assert match == match_forgotten(text, near, entries, calibration=calibration)


def test_an_embedder_is_asked_only_where_it_matters() -> None:
    entries = [Entry("User's sister Rita is vegetarian", id="1", vector=Vector(b"\x01\x7f", 1.0, MODEL))]
    index = ForgottenIndex()
    index.add(entries)
    calls: list[str] = []

    def embed(text: str) -> Vector:
        calls.append(text)
        return Vector(b"\x01\x7f", 1.0, MODEL)

    embed.model_id = MODEL  # type: ignore[attr-defined]
    texts = ["Glaciers melt", "User's sister Rita is vegetarian and lives in Porto", entries[0].text]
    found = index.match_many(texts, [embed] * 3)
    assert [match and match.kind for match in found] == [None, "superset", "exact"]
    assert calls == [texts[1]]


def test_scrub_asks_for_what_it_needs_and_no_more() -> None:
    index = ForgottenIndex()
    index.add([Entry("User's sister Rita is vegetarian", id="1", vector=Vector(b"\x01\x7f", 1.0, MODEL))])
    calls: list[str] = []

    def embed(text: str) -> Vector | None:
        calls.append(text)
        return None

    embed.model_id = MODEL  # type: ignore[attr-defined]
    text = "Glaciers melt. User's sister Rita is a strict vegetarian from Porto. It rained."
    found = scrub(text, index, embedder=embed)  # type: ignore[arg-type]
    assert found.text == "Glaciers melt. It rained."
    assert calls == ["User's sister Rita is a strict vegetarian from Porto."]


@pytest.mark.parametrize(
    "numbers", [[0.5, -1.0, 0.25], [1.0], [127.0, 0.5, 1.5, -2.5], [1e-300, 5e-301], [3, 4], [], [0.0], [float("nan")]]
)
def test_an_embedding_is_quantised_alike(rules: ModuleType, numbers: list[float]) -> None:
    from array import array

    def result(given: object, way: Any) -> object:
        try:
            found = way(given)
        except (InvalidVector, OverflowError) as error:
            return type(error)
        return (found.values, found.scale) if isinstance(found, Vector) else found

    for given in (numbers, array("d", numbers), array("f", numbers), array("f", numbers).tobytes()):
        expected = result(given, Vector.quantise)
        found = result(given, rules.quantise)
        assert found in (None, expected)
        if rules.__name__.endswith("_native") and isinstance(expected, tuple):
            assert found == expected


def test_random_initials_meet(rules: ModuleType) -> None:
    for fact, text in product(("User's manager is J. Okafor",), ("User's manager is Joana Okafor",)):
        index = rules.Index()
        index.add(fact)
        assert (index.match(text) or ())[1:4] == rules.judge(text, fact, None, (), "drop", True)[:3]


@pytest.mark.parametrize("piece", ["a. ", "word", "a-", "1-", "a@b", "- a\n", "User is vegetarian. ", "https://a/"])
def test_long_texts_take_linear_time(piece):
    index = ForgottenIndex()
    index.add([Entry("User is vegetarian", id="e")])
    assert grows_linearly(lambda text: scrub(text, index), piece, 40_000 if BACKEND == "native" else 10_000)
