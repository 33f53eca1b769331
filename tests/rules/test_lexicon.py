"""The word tables: form, folding, uniqueness, size, provenance, and that their builders give them again."""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata
from collections import Counter
from functools import cache
from importlib.resources import files
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from forgetguard.rules import lexicon, quantities
from forgetguard.rules.lexemes import scan
from forgetguard.rules.stems import stem

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
WORDNET = Path("/usr/share/wordnet")
LANGUAGES = {"en", "pt", "es", "fr", "de", "zh", "ja", "ko", "*"}
LIMITS = {"fold": 150_000, "senses": 400_000, "rarity": 250_000, "irregular": 160_000}
LIMIT = 120_000

KEYS = {
    "antonyms": ("lang", "a", "b"),
    "asymmetric": ("lang", "verb"),
    "calendar": ("lang", "form"),
    "change": ("lang", "form"),
    "classes": ("first",),
    "contractions": ("lang", "form"),
    "converse": ("lang", "a", "b"),
    "currencies": ("form",),
    "fold": ("code",),
    "irregular": ("lang", "form"),
    "modals": ("lang", "form"),
    "negation": ("lang", "form"),
    "numbers": ("lang", "word"),
    "quantifiers": ("lang", "form"),
    "rarity": ("word",),
    "relations": ("lang", "form"),
    "senses": ("lemma",),
    "soft": ("lang", "word"),
    "stop": ("lang", "word"),
    "suffix": ("lang", "suffix"),
    "units": ("lang", "form"),
    "user": ("lang", "form"),
}
CLASSES = ("upper", "letter", "digit", "han", "hiragana", "katakana", "hangul", "emoji", "space", "control")
VALUES = {
    ("calendar", "kind"): {"month", "weekday", "relative"},
    ("calendar", "ambiguous"): {"0", "1"},
    ("classes", "class"): set(CLASSES),
    ("modals", "class"): {"wish", "plan", "search", "possible", "fear", "condition"},
    ("negation", "kind"): {"not", "cease", "fail"},
    ("numbers", "role"): {"unit", "ten", "scale", "ordinal", "multiplier"},
    ("quantifiers", "class"): {"all", "some", "most", "none", "any"},
    ("relations", "class"): {"kin", "partner", "social", "work", "pet", "care", "group"},
    ("stop", "weight"): {"0", "1"},
    ("suffix", "again"): {"0", "1"},
}
WORD_COLUMNS = {"lang", "word", "form", "lemma", "verb", "a", "b", "suffix", "replacement", "expansion"}


def text(name: str) -> str:
    return files(lexicon).joinpath(f"{name}.tsv").read_text(encoding="utf-8")


def folding() -> dict[int, str]:
    table = {}
    for span, folded in lexicon.rows("fold"):
        first, _, last = span.partition("-")
        target = "".join(chr(int(code, 16)) for code in folded.split())
        table.update(dict.fromkeys(range(int(first, 16), int(last or first, 16) + 1), target))
    return table


FOLD = folding()


def fold(word: str) -> str:
    return word.translate(FOLD)


@pytest.mark.parametrize("name", lexicon.TABLES)
def test_every_row_has_every_column(name: str) -> None:
    wide = len(lexicon.columns(name))
    assert lexicon.rows(name)
    assert all(len(row) == wide for row in lexicon.rows(name))
    assert "\r" not in text(name)
    assert text(name).endswith("\n")


@pytest.mark.parametrize("name", lexicon.TABLES)
def test_head_names_the_source_and_the_size_is_bounded(name: str) -> None:
    head = [line for line in text(name).split("\n") if line.startswith("#")]
    assert any("# Source" in line for line in head)
    assert any("licen" in line.lower() for line in head)
    assert len(text(name).encode()) < LIMITS.get(name, LIMIT)


@pytest.mark.parametrize("name", KEYS)
def test_keys_are_folded_and_unique(name: str) -> None:
    columns = lexicon.columns(name)
    places = [columns.index(column) for column in KEYS[name]]
    counts = Counter(tuple(row[place] for place in places) for row in lexicon.rows(name))
    assert not [key for key, count in counts.items() if count > 1]
    words = [place for place, column in enumerate(columns) if column in WORD_COLUMNS]
    assert not [row for row in lexicon.rows(name) for place in words if fold(row[place]) != row[place]]
    if "lang" in columns:
        assert {row[columns.index("lang")] for row in lexicon.rows(name)} <= LANGUAGES


@pytest.mark.parametrize(("name", "column"), VALUES)
def test_columns_of_choice_hold_only_known_values(name: str, column: str) -> None:
    place = lexicon.columns(name).index(column)
    assert {row[place] for row in lexicon.rows(name)} <= VALUES[name, column]


def test_unknown_table() -> None:
    with pytest.raises(KeyError):
        lexicon.rows("nothing")


def test_folding_is_idempotent() -> None:
    assert not [hex(code) for code, folded in FOLD.items() if fold(folded) != folded]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("São Straße ŒUVRE Łódź İı", "sao strasse oeuvre lodz ii"),
        ("vege\u200btarian e\u0301 so\u00adft", "vegetarian e soft"),
        ("用戶", "用户"),
        ("\uff76\uff9e", "\u30ab\u3099"),
        ("2½ ３４ ٣", "2 1/2 34 3"),
        ("Google™", "google"),
        ("“a” — ‘b’", "\"a\" - 'b'"),
        ("हिन्दी คิดถึง が 한", "हिन्दी คิดถึง が 한"),
    ],
)
def test_folding(given: str, wanted: str) -> None:
    assert fold(given) == wanted


def test_class_ranges_are_in_order_and_apart() -> None:
    spans = [(int(first, 16), int(last, 16)) for first, last, _ in lexicon.rows("classes")]
    assert all(first <= last for first, last in spans)
    assert all(left[1] < right[0] for left, right in pairwise(spans))


@pytest.mark.parametrize("name", ["stop", "soft", "user"])
def test_word_lists_are_of_one_language_each(name: str) -> None:
    assert not [row for row in lexicon.rows(name) if row[0] == "*"]


@pytest.mark.parametrize("text", ["{}", "{} 5", "5 {}", "a$ {} 5"])
def test_a_word_that_opens_no_quantity_makes_none(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    forms = [(row[0], row[1]) for name in ("numbers", "calendar", "units") for row in lexicon.rows(name)]
    forms += [("en", form) for form, _ in lexicon.rows("currencies")]
    texts = [(lang.replace("*", "en"), scan(text.format(form))) for lang, form in forms]
    found = [quantities.quantify(lexemes, lang) for lang, lexemes in texts]
    monkeypatch.setattr(quantities._Quantifier, "_may_open", lambda *_: True)
    assert found == [quantities.quantify(lexemes, lang) for lang, lexemes in texts]


def test_opposites_are_not_one_word() -> None:
    same = [(lang, a, b) for lang, a, b in lexicon.rows("antonyms") if stem(a, lang) == stem(b, lang)]
    assert not same


def test_converse_words_are_not_one_word() -> None:
    assert not [row for row in lexicon.rows("converse") if stem(row[1], row[0]) == stem(row[2], row[0])]


def test_relations_of_another_sex_or_kind_are_not_one_word() -> None:
    pairs = {
        "en": "sister brother,son daughter,wife husband,uncle aunt,cat dog",
        "pt": "irma irmao,filho filha,tio tia,avo pai,gato cao,primo prima,namorado namorada",
        "es": "hermana hermano,hijo hija,tio tia,abuelo abuela,gato perro,primo prima,novio novia",
        "fr": "soeur frere,fils fille,oncle tante,cousin cousine,chat chien,voisin voisine",
        "de": "schwester bruder,sohn tochter,onkel tante,katze hund,freund freundin,nachbar nachbarin",
    }
    for lang, listed in pairs.items():
        for pair in listed.split(","):
            first, second = pair.split(" ")
            assert stem(first, lang) != stem(second, lang), pair


@pytest.mark.parametrize(
    ("lang", "forms"),
    [
        ("en", "live lives lived living"),
        ("en", "hate hates hated hating"),
        ("en", "plan plans planned planning"),
        ("en", "travel travels travelled traveling"),
        ("en", "city cities"),
        ("pt", "mora moro moram morava morou morar morando"),
        ("pt", "vegetariano vegetariana vegetarianos vegetarianas"),
        ("es", "trabaja trabajo trabajan trabajaba trabajar trabajando"),
        ("es", "prefiere prefiero preferir prefirio"),
        ("fr", "habite habites habitent habitait habiter"),
        ("fr", "vegetarien vegetarienne vegetariens vegetariennes"),
        ("de", "wohnt wohne wohnen wohnte gewohnt"),
        ("de", "arbeitet arbeite arbeiten arbeitete gearbeitet"),
    ],
)
def test_forms_of_one_word_meet(lang: str, forms: str) -> None:
    assert len({stem(fold(form), lang) for form in forms.split()}) == 1


@cache
def senses() -> dict[str, set[str]]:
    """Senses by word, and by stem under the stem with a `=` before it."""
    table: dict[str, set[str]] = {}
    for lemma, numbers in lexicon.rows("senses"):
        for key in (lemma, "=" + stem(lemma, "en")):
            table.setdefault(key, set()).update(numbers.split(" "))
    return table


def senses_of(word: str) -> set[str]:
    return senses().get(word) or senses().get("=" + stem(word, "en"), set())


def aligned(first: str, second: str) -> bool:
    return stem(first, "en") == stem(second, "en") or bool(senses_of(first) & senses_of(second))


def test_pairs_that_must_and_must_not_align() -> None:
    cases = json.loads((ROOT / "fixtures" / "lexicon-pairs-v1.json").read_text(encoding="utf-8"))
    assert len(cases["must_align"]) >= 100
    assert len(cases["must_not_align"]) >= 100
    assert not [pair for pair in cases["must_not_align"] if aligned(*pair)]
    assert not [pair for pair in cases["must_align"] if not aligned(*pair)]


@pytest.mark.parametrize("lang", ["en", "pt", "es", "fr", "de"])
def test_values_of_one_slot_stay_apart(lang: str) -> None:
    cases = json.loads((ROOT / "fixtures" / "lexicon-pairs-v1.json").read_text(encoding="utf-8"))
    for listed in cases["apart"][lang]:
        for first, second in combinations(listed.split(" "), 2):
            assert stem(first, lang) != stem(second, lang), (first, second)
            assert lang != "en" or not aligned(first, second), (first, second)


def built(tmp_path: Path, script: str, *arguments: str) -> dict[str, bytes]:
    command = [sys.executable, str(SCRIPTS / script), *arguments, "--out", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return {path.name: path.read_bytes() for path in tmp_path.iterdir()}


@pytest.mark.skipif(not SCRIPTS.is_dir(), reason="installed without the builders")
@pytest.mark.skipif(unicodedata.unidata_version != "14.0.0", reason="the table is that of Unicode 14")
def test_the_folding_builder_gives_the_same_files(tmp_path: Path) -> None:
    for name, content in built(tmp_path, "build_fold.py").items():
        assert content == files(lexicon).joinpath(name).read_bytes()


@pytest.mark.skipif(not WORDNET.is_dir(), reason="Debian's wordnet-base is not installed")
def test_the_wordnet_builder_gives_the_same_files(tmp_path: Path) -> None:
    found = built(tmp_path, "build_wordnet.py", str(WORDNET))
    assert set(found) == {"senses.tsv", "rarity.tsv", "antonyms.tsv"}
    for name, content in found.items():
        assert content == files(lexicon).joinpath(name).read_bytes()
