"""Made-up everyday facts for large ledgers: a seeded grammar over a vocabulary whose words are as frequent as in text.

The words of each list are drawn by Zipf's law, as Mandelbrot gave it: the n-th is used in proportion to 1 / (n + 2.7).
So a few words stand in thousands of facts, and most in few, as in a real ledger of that size. Every fact is another.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import accumulate

from forgetguard.rules.lexicon import rows

SHIFT = 2.7
FRAMES = (
    "User {verb} {thing} {when}",
    "User {verb} {thing} and {thing}",
    "User {verb} {quality} {thing} in {place}",
    "User {verb} {thing} with {name} {when}",
    "User's {relation} {name} {verb} {thing}",
    "User's {relation} {name} {verb} {quality} {thing} in {place}",
    "User's {relation} lives in {place} and {verb} {thing}",
    "{name} from {place} {verb} {quality} {thing}",
    "{name} {verb} {thing} for the {thing} of User's {relation}",
    "User's {thing} cost {number} euros in {place}",
    "User's {quality} {thing} is due on {number} {month}",
    "User keeps the {thing} in the {quality} {thing}",
    "User and {name} {verb} {thing} every {day}",
    "User moved from {place} to {place} because of the {thing}",
    "User has {number} {quality} {thing}s",
    "User is allergic to {thing} and {verb} {thing}",
)


def _split(words: str) -> list[str]:
    return words.split("|" if "|" in words else " ")


VERBS = _split(
    "likes loves dislikes prefers enjoys collects buys sells needs wants makes plays studies teaches reads paints "
    "repairs restores rents owns hates avoids misses plans books borrows cooks grows designs drives follows imports "
    "inherited keeps launched maintains orders organises photographs practises presents produces promised recommends "
    "records researches reviews rides runs sews ships sketches sponsors stores supports tests tracks trades trains "
    "translates uses visits volunteers watches writes"
)
RELATIONS = _split(
    "wife husband son daughter sister brother mother father friend boss colleague neighbour cousin aunt uncle "
    "grandmother grandfather roommate manager partner teacher doctor landlord niece nephew stepfather godmother"
)
PLACES = _split(
    "London Paris Berlin Lisbon Porto Madrid Rome Vienna Oslo Bergen Dublin Prague Warsaw Athens Helsinki Munich Lyon "
    "Seville Ghent Utrecht Zurich Geneva Milan Turin Naples Krakow Gdansk Tartu Riga Vilnius Boston Chicago Seattle "
    "Denver Austin Toronto Montreal Osaka Kyoto Sapporo Busan Taipei Hanoi Jakarta Perth Hobart Wellington Nairobi "
    "Accra Lagos Tunis Cairo Haifa Izmir Tbilisi Yerevan Baku Almaty Quito Lima Cusco Bogota Medellin Recife"
)
TIMES = _split(
    "every morning|every week|at weekends|on Tuesdays|on Sundays|in summer|in winter|after work|before breakfast|"
    "since 2019|since 2021|until next year|twice a month|on holiday|in the evening|during lunch"
)
MONTHS = _split("January February March April May June July August September October November December")
DAYS = _split("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
QUALITIES = _split(
    "old new small red big green black white blue good young long dark warm cold quiet modern cheap local organic "
    "vintage wooden spicy fresh electric heavy portable rare Italian Japanese Greek handmade famous narrow sharp "
    "second-hand silver striped wild yellow ancient broken ceramic copper crooked dusty foldable frozen hollow"
)
UNUSUAL = 3
"""Letters beyond which a word of the lexicon is taken for a thing."""


class Grammar:
    """Sentences by a seed: the same ones everywhere."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        things = [word for word, rarity in sorted(_words(), key=lambda row: (int(row[1]), row[0]))]
        names = [row[0].capitalize() for row in rows("names")]
        numbers = [str(n) for n in range(2, 400)]
        lists = {
            "verb": VERBS,
            "thing": things,
            "quality": QUALITIES,
            "relation": RELATIONS,
            "name": names,
            "place": PLACES,
            "when": TIMES,
            "number": numbers,
            "month": MONTHS,
            "day": DAYS,
        }
        self._lists = {name: _Zipf(words) for name, words in lists.items()}
        self._frames = [_parts(frame) for frame in FRAMES]

    def sentences(self, count: int, without: frozenset[str] = frozenset()) -> Iterator[str]:
        """So many different sentences, none of them in `without`."""
        seen = set(without)
        while count:
            text = self._sentence()
            if text not in seen:
                seen.add(text)
                count -= 1
                yield text

    def _sentence(self) -> str:
        drawn = self._chance.random
        parts = self._chance.choice(self._frames)
        return "".join(self._lists[part].word(drawn()) if at % 2 else part for at, part in enumerate(parts))


class _Zipf:
    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._sums = list(accumulate(1 / (n + SHIFT) for n in range(1, len(words) + 1)))

    def word(self, chance: float) -> str:
        return self._words[bisect(self._sums, chance * self._sums[-1])]


def _parts(frame: str) -> list[str]:
    """Text and names of lists, in turn."""
    return frame.replace("}", "{").split("{")


def _words() -> Iterator[tuple[str, str]]:
    """Words that may name a thing, with how rare each is."""
    stop = {row[1] for row in rows("stop")} | {row[1] for row in rows("soft")}
    for word, rarity, *_ in rows("rarity"):
        if len(word) > UNUSUAL and word.isalpha() and word not in stop:
            yield word, rarity
