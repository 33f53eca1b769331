"""Compare the stems of `irregular.tsv` and `suffix.tsv` with an oracle: which words fall together?

    python scripts/check_stems.py [--list LANG=FILE ...] [--words 20000] [--show 30] [LANG ...]

Development only; the package must be importable. Needs `snowballstemmer`. With `simplemma` and `wordfreq` installed
the words are the most frequent of the language and a dictionary of lemmas is a second oracle. Otherwise give a word
list a language (Debian: wamerican, wportuguese, wspanish, wfrench, wngerman), one word a line.

precision = pairs of words that we put together and an oracle does too / pairs that we put together.
recall = pairs that the lemma dictionary (or snowball, without it) puts together and we do too / its pairs.
"""

from __future__ import annotations

import argparse
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from forgetguard.rules.lexicon import rows
from forgetguard.rules.stems import stem

LANGUAGES = {"en": "english", "pt": "portuguese", "es": "spanish", "fr": "french", "de": "german"}
Key = Callable[[str], str]
Pair = tuple[str, str]


def folding() -> dict[int, str]:
    table = {}
    for span, folded in rows("fold"):
        first, _, last = span.partition("-")
        text = "".join(chr(int(code, 16)) for code in folded.split())
        table.update(dict.fromkeys(range(int(first, 16), int(last or first, 16) + 1), text))
    return table


def our_key(lang: str) -> Key:
    """The same steps as `forgetguard.rules.words.stem`, on unfolded words."""
    fold = folding()
    return lambda word: stem(word.translate(fold), lang)


def snowball_key(lang: str) -> Key:
    import snowballstemmer  # type: ignore[import-untyped,unused-ignore]

    stemmer = snowballstemmer.stemmer(LANGUAGES[lang])
    return lambda word: str(stemmer.stemWord(word))


def lemma_key(lang: str) -> Key | None:
    try:
        import simplemma  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return None
    return lambda word: str(simplemma.lemmatize(word, lang=lang)).lower()


def frequent_words(lang: str, count: int) -> list[str]:
    import wordfreq  # type: ignore[import-not-found,unused-ignore]

    return [word for word in wordfreq.top_n_list(lang, count) if word.isalpha() and len(word) > 2]


def without_function_words(lang: str, words: list[str]) -> list[str]:
    fold = folding()
    listed = {row[1] for table in ("stop", "user", "negation", "soft") for row in rows(table) if row[0] == lang}
    return [word for word in dict.fromkeys(words) if word.translate(fold) not in listed]


def pairs(words: Iterable[str], key: Key) -> set[Pair]:
    classes = defaultdict(set)
    for word in words:
        classes[key(word)].add(word)
    return {pair for members in classes.values() for pair in itertools.combinations(sorted(members), 2)}


def report(lang: str, words: list[str], show: int) -> None:
    fold = folding()
    ours = {pair for pair in pairs(words, our_key(lang)) if pair[0].translate(fold) != pair[1].translate(fold)}
    snowball = pairs(words, snowball_key(lang))
    lemma = lemma_key(lang)
    lemmas = pairs(words, lemma) if lemma else snowball
    wanted = {pair for pair in lemmas if pair[0].translate(fold) != pair[1].translate(fold)}
    agreed = ours & (lemmas | snowball)
    print(
        f"{lang}: {len(words)} words, {len(ours)} pairs together, precision {len(agreed) / max(1, len(ours)):.3f},"
        f" recall {len(ours & wanted) / max(1, len(wanted)):.3f} (snowball's own recall"
        f" {len(snowball & wanted) / max(1, len(wanted)):.3f}, precision"
        f" {len(snowball & lemmas) / max(1, len(snowball)):.3f})"
    )
    rank = {word: place for place, word in enumerate(words)}
    for title, found in (("only ours", ours - agreed), ("missed", wanted - ours)):
        first = sorted(found, key=lambda pair: max(rank[pair[0]], rank[pair[1]]))[:show]
        if first:
            print(f"  {title}:", ", ".join("/".join(pair) for pair in first))


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare our stems with snowballstemmer's.")
    parser.add_argument("languages", nargs="*", default=list(LANGUAGES), metavar="LANG")
    parser.add_argument("--list", action="append", default=[], metavar="LANG=FILE", help="word list of a language")
    parser.add_argument("--words", type=int, default=20000, help="how many words of a language")
    parser.add_argument("--show", type=int, default=0, help="examples of disagreement to print")
    options = parser.parse_args()
    lists = dict(item.split("=", 1) for item in options.list)
    for lang in options.languages:
        if lang in lists:
            lines = Path(lists[lang]).read_text(encoding="utf-8").split("\n")
            words = [line.strip().lower() for line in lines if line.strip().isalpha()][: options.words]
        else:
            words = frequent_words(lang, options.words)
        report(lang, without_function_words(lang, words), options.show)


if __name__ == "__main__":
    main()
