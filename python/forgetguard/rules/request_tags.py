"""What each word of a text can be in a request to forget: slots, from `request_verbs.tsv` and `request_words.tsv`.

A word has no meaning here beyond its slots, and it may have several ("record" is a thing that is remembered, and a verb
that remembers). The longest phrase wins. How the slots make a request is decided in `requests`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from forgetguard.rules.lexemes import SENTENCE_ENDS, Lexeme
from forgetguard.rules.lexicon import rows
from forgetguard.rules.words import LANGUAGES, particles

SLOTS = (
    # what happens to a memory (request_verbs.tsv)
    "forget",
    "erase",
    "expel",
    "remember",
    "store",
    "removal",
    # who and what
    "user",
    "first",
    "we",
    "agent",
    "your",
    "poss",
    "pron3",
    "obj3",
    "third",
    "deictic",
    "memory",
    "info",
    "stored",
    "allabout",
    "said",
    "personal",
    "credential",
    "other",
    # how it is said
    "ask",
    "want",
    "say",
    "agree",
    "askn",
    "evidence",
    "withdraw",
    "retract",
    "right",
    "exercise",
    "opener",
    "modal",
    "be",
    "neg",
    "cease",
    "to",
    "thatc",
    "about",
    "from",
    "inside",
    "with",
    "by",
    "adv",
    "time",
    "and",
    # what speaks against it
    "question",
    "whether",
    "habit",
    "notforget",
    "update",
    # small words that one rule or another asks for
    "mine",
    "you",
    "system",
    "have",
    "possible",
    "genitive",
    "lead",
    "reflexive",
    # no word of ours
    "comma",
    "quote",
    "stop",
    "content",
)
"""Every slot, in the order of its bit."""
BIT = {name: 1 << i for i, name in enumerate(SLOTS)}
LONGEST_SENTENCE = 96
"""Words after which a sentence is cut: every rule looks at one sentence, so this keeps the whole linear."""
NAMES_OF_THINGS = frozenset({"email", "url", "phone", "id"})
PAST_ACCENTS = {"fr": "éÉ", "es": "éÉóÓ"}
"""Last letters that tell "oublié" from "oublie" and "olvidó" from "olvido", which fold alike."""
SPANISH_CLITICS = ("lo", "la", "los", "las", "le", "les", "me", "te", "se", "nos")
SPANISH_CLITIC_PAIRS = 2


@dataclass(frozen=True, slots=True)
class Tag:
    """A word or phrase: its slots as bits, and its grammatical shapes (letters of `request_verbs.tsv`)."""

    form: str = field(repr=False)
    slots: int
    shape: str = ""
    capital: bool = False
    possessive: bool = False

    def has(self, slots: int) -> bool:
        return self.slots & slots != 0


@dataclass(frozen=True, slots=True)
class _Word:
    """A word before phrases are found. `past`: its last letter has an accent that makes a past of it ("oublié")."""

    form: str
    slots: int = 0
    capital: bool = False
    possessive: bool = False
    past: bool = False


@dataclass(frozen=True, slots=True)
class _Phrase:
    words: tuple[str, ...]
    slots: int
    shape: str


@lru_cache(maxsize=8)
def _phrases(language: str) -> dict[str, tuple[_Phrase, ...]]:
    """The phrases of a language by their first word, longest first; those of the same words are one."""
    found: dict[tuple[str, ...], tuple[int, str]] = {}
    for name in ("request_verbs", "request_words"):
        for lang, form, slot, shape in rows(name):
            if lang == language:
                words = tuple(form.split(" "))
                slots, shapes = found.get(words, (0, ""))
                found[words] = (slots | BIT[slot], shapes + shape)
    for lang, form, _ in rows("relations"):
        if lang == language and " " not in form:
            slots, shapes = found.get((form,), (BIT["content"], ""))
            if not slots & BIT["agent"]:
                found[(form,)] = (slots | BIT["third"], shapes)
    table: dict[str, list[_Phrase]] = {}
    for words, (slots, shapes) in found.items():
        table.setdefault(words[0], []).append(_Phrase(words, slots, shapes))
    return {first: tuple(sorted(group, key=lambda p: (-len(p.words), p.words))) for first, group in table.items()}


@lru_cache(maxsize=8)
def _stop_words(language: str) -> frozenset[str]:
    return frozenset(word for lang, word, _ in rows("stop") if lang == language)


@lru_cache(maxsize=1)
def _core_languages() -> dict[str, tuple[str, ...]]:
    """The languages in which a word begins something that a request needs."""
    wanted = ("right", "retract", "withdraw")
    firsts: dict[str, list[str]] = {}
    for lang, form, *_ in rows("request_verbs"):
        firsts.setdefault(form.split(" ")[0], []).append(lang)
    for lang, form, slot, _ in rows("request_words"):
        if slot in wanted:
            firsts.setdefault(form.split(" ")[0], []).append(lang)
    return {first: tuple(lang for lang in LANGUAGES if lang in langs) for first, langs in firsts.items()}


@lru_cache(maxsize=8)
def _contractions(language: str) -> dict[str, tuple[str, ...]]:
    return {form: tuple(full.split(" ")) for lang, form, full in rows("contractions") if lang == language}


def languages_of(lexemes: list[Lexeme]) -> tuple[str, ...]:
    """The languages whose verbs of forgetting, erasing or keeping stand in the text. Most texts have none."""
    core = _core_languages()
    found: set[str] = set()
    for lexeme in lexemes:
        if lexeme.kind != "word":
            continue
        for part in lexeme.text.split("'") if "'" in lexeme.text else (lexeme.text,):
            found.update(core.get(part, ()))
            if part not in core and "es" not in found and _without_clitics(part):
                found.add("es")
    return tuple(lang for lang in LANGUAGES if lang in found)


def _without_clitics(form: str) -> str:
    """The Spanish verb of ours before its pronouns ("borralo" = "borra", "olvidarmelo" = "olvidar"), or ""."""
    stem = form
    for _ in range(SPANISH_CLITIC_PAIRS):
        for clitic in SPANISH_CLITICS:
            if stem.endswith(clitic) and len(stem) > len(clitic) + 3:
                stem = stem[: len(stem) - len(clitic)]
                break
        else:
            return ""
        if _is_spanish_verb(stem):
            return stem
    return ""


@lru_cache(maxsize=1)
def _spanish_verbs() -> frozenset[str]:
    """Forms that take a pronoun at their end."""
    return frozenset(
        form
        for lang, form, slot, shape in rows("request_verbs")
        if lang == "es" and slot != "removal" and _is_open(shape)
    )


def _is_open(shape: str) -> bool:
    return "M" in shape or "I" in shape or "G" in shape


def _is_spanish_verb(form: str) -> bool:
    return form in _spanish_verbs()


def sentences(text: str, lexemes: list[Lexeme], language: str) -> list[list[Tag]]:
    """The tags of each sentence. A colon ends one too: what follows it can be a request of its own."""
    out: list[list[Tag]] = []
    words: list[_Word] = []
    for lexeme in lexemes:
        if (lexeme.kind == "mark" and lexeme.text in SENTENCE_ENDS) or len(words) >= LONGEST_SENTENCE:
            if words:
                out.append(_tag(words, language))
            words = []
        if lexeme.kind == "mark":
            slot = _mark_slot(lexeme)
            if slot:
                words.append(_Word(lexeme.text, BIT[slot]))
        else:
            words.extend(_words(text, lexeme, language))
    if words:
        out.append(_tag(words, language))
    return out


def is_file_name(lexeme: Lexeme) -> bool:
    """Whether what looks like an address of the web is the name of a file ("main.py")."""
    return lexeme.kind == "url" and lexeme.text.rpartition(".")[2] in particles("file-ending")


def is_english(tags: list[Tag], language: str) -> bool:
    """Whether a sentence read in another language has more stop words of English.

    "Delete the file" is no Portuguese, though "delete" is. The other languages share too many words to be told apart
    in this way.
    """
    if language == "en":
        return False
    words = [word for tag in tags for word in tag.form.split(" ")]
    own, english = _stop_words(language), _stop_words("en")
    return sum(word in english for word in words) > sum(word in own for word in words)


def _mark_slot(lexeme: Lexeme) -> str:
    if lexeme.text in (",", "、", "("):
        return "comma"
    return "quote" if lexeme.text in ('"', "'", "[", "「", "『") and not lexeme.joined else ""


def _words(text: str, lexeme: Lexeme, language: str) -> list[_Word]:
    """The words of a lexeme in their full form: contractions and elisions written out, clitics cut off."""
    if lexeme.kind in NAMES_OF_THINGS:
        return [_Word(lexeme.text, BIT["other" if is_file_name(lexeme) else "personal"])]
    if lexeme.kind != "word":
        return [_Word(lexeme.text, BIT["time"] if lexeme.kind in ("number", "time", "date") else BIT["content"])]
    form, capital = lexeme.text, lexeme.capital
    past = language in PAST_ACCENTS and text[lexeme.end - 1] in PAST_ACCENTS[language]
    full = _contractions(language).get(form)
    if full is None and language == "es" and (stem := _without_clitics(form)) and form not in _phrases(language):
        full = (stem, "lo")
    if full is not None:
        return [_Word(part, capital=capital and i == 0) for i, part in enumerate(full)]
    head, apostrophe, tail = form.partition("'")
    if not apostrophe:
        return [_Word(form, capital=capital, past=past)]
    if tail == "s" and language in ("en", "de"):
        return [_Word(head, capital=capital, possessive=True)]
    heads = _contractions(language).get(head + "'") or (head,)
    tails = [part for part in tail.split("'") if part]
    out = [_Word(part, capital=capital) for part in (*heads, *tails[:-1])]
    return [*out, *(_Word(part, capital=capital, past=past) for part in tails[-1:])]


def _tag(words: list[_Word], language: str) -> list[Tag]:
    table = _phrases(language)
    stops = _stop_words(language)
    out: list[Tag] = []
    i = 0
    while i < len(words):
        word = words[i]
        phrase = None if word.slots else _phrase_at(words, i, table.get(word.form, ()))
        if phrase is None:
            slots = word.slots or (BIT["stop"] if word.form in stops else BIT["content"])
            out.append(Tag(word.form, slots, "", word.capital, word.possessive))
            i += 1
        else:
            last = words[i + len(phrase.words) - 1]
            shape = _past_of(phrase.shape) if last.past else phrase.shape
            out.append(Tag(" ".join(phrase.words), phrase.slots, shape, word.capital, last.possessive))
            i += len(phrase.words)
    return out


def _past_of(shape: str) -> str:
    """Of the shapes that a form without its accent could have, those that it has with it."""
    past = "".join(letter for letter in shape if letter in "PT")
    return past or shape


def _phrase_at(words: list[_Word], i: int, phrases: tuple[_Phrase, ...]) -> _Phrase | None:
    for phrase in phrases:
        if len(phrase.words) <= len(words) - i and all(
            words[i + k].form == form and not words[i + k].slots for k, form in enumerate(phrase.words)
        ):
            return phrase
    return None
