"""Build `senses.tsv`, `rarity.tsv` and `antonyms.tsv` from WordNet 3.0 and `antonyms_by_hand.tsv`.

    python scripts/build_wordnet.py /usr/share/wordnet [--out DIRECTORY] [--explain WORD WORD]

The directory is that of Debian's package `wordnet-base` (index.*, data.*, cntlist.rev). Afterwards the pairs of
`fixtures/lexicon-pairs-v1.json` are tried and the result is printed.

A word keeps its first sense and, if it was ever tagged in text, its second, in each part of speech that makes up
a tenth of its uses. Two words meet when they share a synset (synonyms, never hypernyms or neighbours) or when one
is derived from the other as an act, a state or a quality (employ, employment; allergic, allergy). Agents and
patients (employer, employee) do not meet their verb: somebody else does it. The package must be importable.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from forgetguard.rules.lexicon import rows
from forgetguard.rules.stems import stem

ROOT = Path(__file__).resolve().parent.parent
LEXICON = ROOT / "python" / "forgetguard" / "rules" / "lexicon"
ANTONYMS_BY_HAND = ROOT / "scripts" / "antonyms_by_hand.tsv"
SENSES_BY_HAND = ROOT / "scripts" / "senses_by_hand.tsv"
PAIRS = ROOT / "fixtures" / "lexicon-pairs-v1.json"
POS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
SENSE_TYPE = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
MOST_LEMMAS = 30_000
SENSES_KEPT = 2
LEAST_SHARE = 0.1
"""A part of speech that makes up less of a word's uses is left out: `like` is no noun here."""
ANTONYM_USES = 2
"""Fewest tagged uses of each side of an antonym pair."""
AGENTS = ("er", "or", "ee", "ist", "ian", "ant", "ent", "eer", "ess", "man", "ism", "ary", "ar", "ship", "hood")
NEGATIVE = ("un", "in", "im", "ir", "il", "dis", "non", "mis", "anti", "ab")
PERSONS = 18
"""WordNet's file of nouns for persons: director and manager, sharing a synset, are still two positions."""
BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"

HEADER = """\
# Source: Princeton WordNet 3.0, Copyright 2006 by Princeton University, All rights reserved; used under the
# WordNet 3.0 license, see WORDNET-LICENSE.txt beside this file. Words folded, single words only.
# Built by scripts/build_wordnet.py from Debian's package wordnet-base.
"""
SENSES_HEADER = (
    """\
# Senses of English words as short numbers (base 36): two words that share one are synonyms or derived from each
# other. What scripts/senses_by_hand.tsv says is added.
"""
    + HEADER
)
RARITY_HEADER = (
    """\
# How rare an English word is: 15 less the bit length of its uses in WordNet's tagged texts. 15 (never seen) is the
# default and not listed.
"""
    + HEADER
)

ANTONYMS_HEADER = (
    """\
# Opposites, as dictionary forms: WordNet's direct antonyms of English words in use, and scripts/antonyms_by_hand.tsv.
"""
    + HEADER
)

Sense = tuple[str, str]
"""Part of speech and byte offset: the name of a synset."""


@dataclass(slots=True)
class Synset:
    words: list[str]
    file: int
    """Number of WordNet's lexicographer file: the field of meaning."""
    links: list[tuple[str, int, Sense, int]] = field(default_factory=list)
    """Pointer symbol, number of the source word (0: all), target synset, number of the target word."""


@dataclass(slots=True)
class WordNet:
    senses: dict[tuple[str, str], list[Sense]]
    synsets: dict[Sense, Synset]
    uses: dict[tuple[str, str], list[int]]
    """Tagged uses of each sense, in the order of the senses."""


def folded(word: str, table: dict[int, str]) -> str:
    return word.translate(table)


def fold_table() -> dict[int, str]:
    table = {}
    for span, target in rows("fold"):
        first, _, last = span.partition("-")
        text = "".join(chr(int(code, 16)) for code in target.split())
        table.update(dict.fromkeys(range(int(first, 16), int(last or first, 16) + 1), text))
    return table


def single(word: str) -> bool:
    return word.isalpha() and word.islower() and len(word) > 1


def read_index(directory: Path) -> dict[tuple[str, str], list[Sense]]:
    senses = {}
    for name, pos in POS.items():
        for line in (directory / f"index.{name}").read_text(encoding="utf-8").split("\n"):
            if not line or line.startswith(" "):
                continue
            parts = line.split()
            count, pointers = int(parts[2]), int(parts[3])
            senses[parts[0], pos] = [(pos, offset) for offset in parts[6 + pointers : 6 + pointers + count]]
    return senses


def read_data(directory: Path) -> dict[Sense, Synset]:
    synsets = {}
    for name, pos in POS.items():
        for line in (directory / f"data.{name}").read_text(encoding="utf-8").split("\n"):
            if not line or line.startswith(" "):
                continue
            parts = line.split(" | ")[0].split()
            count = int(parts[3], 16)
            words = [parts[4 + 2 * i].split("(")[0] for i in range(count)]
            at = 4 + 2 * count
            synset = Synset(words, int(parts[1]))
            for i in range(int(parts[at])):
                symbol, offset, target_pos, numbers = parts[at + 1 + 4 * i : at + 5 + 4 * i]
                target = ("a" if target_pos == "s" else target_pos, offset)
                synset.links.append((symbol, int(numbers[:2], 16), target, int(numbers[2:], 16)))
            synsets[pos, parts[0]] = synset
    return synsets


def read_uses(directory: Path) -> dict[tuple[str, str], list[int]]:
    uses: dict[tuple[str, str], list[int]] = defaultdict(list)
    for line in (directory / "cntlist.rev").read_text(encoding="utf-8").split("\n"):
        if not line:
            continue
        key, number, count = line.split()
        lemma, _, rest = key.partition("%")
        counts = uses[lemma, SENSE_TYPE[rest[0]]]
        counts.extend([0] * (int(number) - len(counts)))
        counts[int(number) - 1] = int(count)
    return uses


def read(directory: Path) -> WordNet:
    return WordNet(read_index(directory), read_data(directory), read_uses(directory))


def uses_of(net: WordNet) -> Counter[str]:
    total: Counter[str] = Counter()
    for (word, _), counts in net.uses.items():
        total[word] += sum(counts)
    return total


def kept_senses(net: WordNet, total: Counter[str]) -> dict[str, list[Sense]]:
    """The senses that a word stands for here, by word; the most used words first."""
    parts: dict[str, list[str]] = defaultdict(list)
    for word, pos in net.senses:
        if single(word):
            parts[word].append(pos)
    chosen = sorted(parts, key=lambda word: (-total[word], word))[:MOST_LEMMAS]
    kept: dict[str, list[Sense]] = {}
    for word in chosen:
        kept[word] = []
        for pos in parts[word]:
            counts = net.uses.get((word, pos), [])
            if total[word] and sum(counts) < LEAST_SHARE * total[word]:
                continue
            found = net.senses[word, pos]
            if word not in net.synsets[found[0]].words:
                continue  # a name: Japan, Japanese
            second = found[1:SENSES_KEPT] if len(counts) > 1 and counts[1] >= LEAST_SHARE * sum(counts) else []
            kept[word] += [sense for sense in found[:1] + second if word in net.synsets[sense].words]
    return kept


def is_agent(word: str, other: str) -> bool:
    """Whether `word` looks like the one who does it, or the one to whom it is done."""
    return word.endswith(AGENTS) and not word.endswith(("ment", "ence")) and word != f"{other}ism"


def is_act_or_quality(derived: str, base: str) -> bool:
    """Whether `derived` names what `base` tells, and not who does it or to whom."""
    if derived == base or is_agent(derived, base) or is_agent(base, derived):
        return False
    if derived.endswith("less") != base.endswith("less"):
        return False
    if derived.startswith(NEGATIVE) and not base.startswith(derived[:2]):
        return False
    if base.startswith(NEGATIVE) and not derived.startswith(base[:2]):
        return False
    return derived[:3] == base[:3]


def derivations(net: WordNet, kept: dict[str, list[Sense]]) -> list[tuple[str, str]]:
    """Pairs of a word and the word of the same root that it is derived from, both in a kept sense."""
    out = set()
    for word, senses in kept.items():
        for sense in senses:
            synset = net.synsets[sense]
            for symbol, source, target, number in synset.links:
                if symbol not in ("+", "\\") or number == 0 or synset.words[source - 1] != word:
                    continue
                other = net.synsets[target].words[number - 1]
                if other in kept and target in kept[other] and is_act_or_quality(word, other):
                    out.add((min(word, other), max(word, other)))
    return sorted(out)


def by_hand(path: Path) -> list[list[str]]:
    lines = [line for line in path.read_text(encoding="utf-8").split("\n") if line and not line.startswith("#")]
    return [line.split("\t") for line in lines[1:]]


def build_senses(net: WordNet, total: Counter[str]) -> dict[str, list[str]]:
    hand: dict[str, list[list[str]]] = defaultdict(list)
    for kind, words in by_hand(SENSES_BY_HAND):
        hand[kind].append(words.split(" "))
    banned = {word for (word,) in hand["banned"]}
    kept = kept_senses(net, total)
    members: dict[str, set[str]] = defaultdict(set)
    for word in kept.keys() - banned:
        for sense in kept[word]:
            if sense[0] != "n" or net.synsets[sense].file != PERSONS:
                members["".join(sense)].add(word)
    for word, other in derivations(net, kept):
        if word not in banned and other not in banned:
            members[f"d{min(word, other, key=lambda w: (len(w), w))}"].update((word, other))
    for number, group in enumerate(hand["joined"]):
        members[f"j{number:04}"].update(group)
    shared = {name: words for name, words in members.items() if len(words) > 1}
    for first, second in hand["split"]:
        shared = {name: words for name, words in shared.items() if not {first, second} <= words}
    table: dict[str, list[str]] = defaultdict(list)
    names = sorted(shared, key=lambda name: (-len(shared[name]), name))
    for number, name in enumerate(names):
        for word in shared[name]:
            table[word].append(base36(number))
    return table


def base36(number: int) -> str:
    digits = ""
    while True:
        number, digit = divmod(number, 36)
        digits = BASE36[digit] + digits
        if not number:
            return digits


def build_rarity(total: Counter[str]) -> dict[str, int]:
    return {word: max(0, 15 - uses.bit_length()) for word, uses in total.items() if uses and single(word)}


def build_antonyms(net: WordNet, total: Counter[str]) -> set[tuple[str, str]]:
    function_words = {row[1] for row in rows("stop") if row[0] == "en"} | {"have", "yes", "second"}
    pairs = set()
    for synset in net.synsets.values():
        for symbol, source, target, number in synset.links:
            if symbol != "!" or not source or not number:
                continue
            first, second = synset.words[source - 1], net.synsets[target].words[number - 1]
            if {first, second} & function_words or not (single(first) and single(second)):
                continue
            if min(total[first], total[second]) >= ANTONYM_USES:
                pairs.add((min(first, second), max(first, second)))
    return pairs


def write(path: Path, header: str, rows: list[str]) -> None:
    path.write_text(header + "\n".join(rows) + "\n", encoding="utf-8", newline="\n")


def antonym_rows(pairs: set[tuple[str, str]], table: dict[int, str]) -> list[str]:
    """The pairs written by hand and those of WordNet, each once."""
    rows = {"\t".join(row) for row in by_hand(ANTONYMS_BY_HAND)}
    rows |= {"\t".join(("en", *sorted((folded(a, table), folded(b, table))))) for a, b in pairs}
    return ["lang\ta\tb", *sorted(rows)]


def check_pairs(directory: Path) -> int:
    """Try the pairs with stems, hand-made synonyms and the senses just written. Returns the number of failures."""

    def table(name: str) -> list[list[str]]:
        path = directory / f"{name}.tsv"
        lines = path.read_text(encoding="utf-8").split("\n") if path.exists() else []
        return [line.split("\t") for line in lines if line and not line.startswith("#")][1:]

    senses: dict[str, set[str]] = defaultdict(set)
    by_stem: dict[str, set[str]] = defaultdict(set)
    for word, numbers in table("senses"):
        senses[word] |= set(numbers.split())
        by_stem[stem(word, "en")] |= set(numbers.split())

    def of(word: str) -> set[str]:
        return senses.get(word) or by_stem.get(stem(word, "en"), set())

    def aligned(a: str, b: str) -> str:
        if stem(a, "en") == stem(b, "en"):
            return "stem"
        return "sense" if of(a) & of(b) else ""

    failures = 0
    cases = json.loads(PAIRS.read_text(encoding="utf-8"))
    for kind, wanted in (("must_not_align", False), ("must_align", True)):
        wrong = [(a, b, aligned(a, b)) for a, b in cases[kind] if bool(aligned(a, b)) != wanted]
        failures += len(wrong)
        print(f"{kind}: {len(cases[kind]) - len(wrong)} of {len(cases[kind])} right", *("/".join(w) for w in wrong))
    return failures


def explain(directory: Path, first: str, second: str) -> None:
    for line in (directory / "senses.tsv").read_text(encoding="utf-8").split("\n"):
        if line.split("\t")[0] in (first, second):
            print(line)


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the tables that come from WordNet.")
    parser.add_argument("wordnet", type=Path)
    parser.add_argument("--out", type=Path, default=LEXICON)
    parser.add_argument("--explain", nargs=2, metavar="WORD", help="print the senses of two words")
    options = parser.parse_args()
    table = fold_table()
    net = read(options.wordnet)
    total = uses_of(net)
    senses = build_senses(net, total)
    rarity = build_rarity(total)
    write(
        options.out / "senses.tsv",
        SENSES_HEADER,
        ["lemma\tsenses", *sorted(f"{folded(word, table)}\t{' '.join(ids)}" for word, ids in senses.items())],
    )
    write(
        options.out / "rarity.tsv",
        RARITY_HEADER,
        ["word\trarity", *sorted(f"{folded(word, table)}\t{value}" for word, value in rarity.items() if value < 15)],
    )
    antonyms = build_antonyms(net, total)
    write(options.out / "antonyms.tsv", ANTONYMS_HEADER, antonym_rows(antonyms, table))
    print(f"senses {len(senses)} words, rarity {len(rarity)}, antonyms {len(antonyms)}")
    check_pairs(options.out)
    if options.explain:
        explain(options.out, *options.explain)


if __name__ == "__main__":
    main()
