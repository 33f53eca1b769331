"""Lexemes to typed tokens: what each piece of a sentence is, in the order it was said.

`parse` is all that matching, requests and clauses read of a text. A token's `key` is what equal things share.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

from forgetguard.rules.cjk import cut
from forgetguard.rules.lexemes import SENTENCE_ENDS, Lexeme, scan
from forgetguard.rules.lexicon import rows
from forgetguard.rules.numerals import cut_numerals
from forgetguard.rules.quantities import quantify
from forgetguard.rules.stems import stem
from forgetguard.rules.wordnet import UNKNOWN_RARITY, rarity
from forgetguard.rules.words import (
    CJK_LANGUAGES,
    is_given_name,
    is_known,
    is_listed,
    particles,
    relation,
    vote,
)

LONGEST_WORD = 64
"""Characters of a word beyond which it is no word that could be written out."""
NEGATION_REACH = 6
"""Tokens after a negation word that it reaches, within its clause (RULES section 2.5)."""
BACKWARD_NEGATION = frozenset({"de", *CJK_LANGUAGES})
"""Languages whose negation may stand behind what it negates: it reaches its whole clause."""
CLAUSE_MARKS = SENTENCE_ENDS + ",()–—"
"""Marks that end the reach of a negation."""
SHOUTED_SHARE = 0.6
LABEL_WORDS = 3
LEAST_FIRST_NAME = 3


@dataclass(frozen=True, slots=True)
class Token:
    """One thing that was said.

    `kind`: user, word, name, cjk, number, unit, date, weekday, time, phone, email, url, id, emoji, mark, negation.
    `key`: what equal tokens share (the stem of a word). `form`: the folded letters. `start`, `end`: code points.
    `role`: content, soft (carries no claim), label (says what a line is about), or stop (a function word).
    `relation`: class of a relation word. `rarity`: 0 frequent to 15 rare.
    `clause`: counts up at marks that end a clause.
    """

    kind: str
    key: str = field(repr=False)
    form: str = field(repr=False)
    start: int
    end: int
    role: str = "content"
    relation: str = ""
    rarity: int = UNKNOWN_RARITY
    clause: int = 0
    possessive: bool = False
    person: bool = False
    negated: bool = False
    privative: bool = False


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text as the rules see it.

    `exact`: equal for texts that differ in case, punctuation and the spelling of quantities only.

    `ceased`: the text says that something was so and is no longer.
    """

    tokens: tuple[Token, ...]
    language: str
    exact: str = field(repr=False)
    ceased: bool = False


@lru_cache(maxsize=4096)
def parse(text: str, aliases: tuple[str, ...] = (), language: str = "") -> Parsed:
    """The typed tokens of a cleaned text. `aliases`: further names of the user. `language`: "" = by vote."""
    lexemes = scan(text)
    language = language or vote(lexemes)[0]
    quantified = quantify(_expand(cut_numerals(lexemes, language), language), language)
    capitals = not _is_shouted(quantified)
    joined = _without_hyphens(quantified)
    tokens = [token for lexeme in joined for token in _tokens(lexeme, language, capitals)]
    tokens = _labels(_phrases(_aliased(tokens, aliases), language))
    tokens, ceased = _negations(_clauses(tokens), language)
    tokens = _without_lone_emoji(tokens)
    exact = " ".join(token.form if token.kind == "word" else token.key for token in tokens if token.kind != "mark")
    return Parsed(tuple(tokens), language, exact, ceased)


# -- words in their full form ------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _contractions() -> dict[tuple[str, str], tuple[str, ...]]:
    return {(lang, form): tuple(expansion.split(" ")) for lang, form, expansion in rows("contractions")}


@lru_cache(maxsize=1)
def _elisions() -> dict[str, str]:
    return {form: full for lang, form, full in rows("contractions") if lang == "fr" and form.endswith("'")}


def _expand(lexemes: list[Lexeme], language: str) -> list[Lexeme]:
    """Contractions and elisions as full words, possessive endings as a flag."""
    out: list[Lexeme] = []
    for lexeme in lexemes:
        if lexeme.kind == "word":
            out.extend(_expand_word(lexeme, language))
        else:
            out.append(lexeme)
    return out


def _expand_word(lexeme: Lexeme, language: str) -> list[Lexeme]:
    if len(lexeme.text) > LONGEST_WORD:
        return [lexeme]  # "l'l'l'…" without end would be cut again and again
    words = _contractions().get((language, lexeme.text)) or _contractions().get(
        ("en", lexeme.text) if "'" in lexeme.text else ("", "")
    )
    if words:
        first = replace(lexeme, text=words[0], shout=False)
        return [first, *(replace(first, text=word, capital=False, first=False) for word in words[1:])]
    head, apostrophe, tail = lexeme.text.partition("'")
    if not apostrophe:
        return [lexeme]
    if head + "'" in _elisions() and len(tail) > 1:
        cut_at = lexeme.start + len(head) + 1
        rest = replace(lexeme, text=tail, start=min(cut_at, lexeme.end - 1), shout=False)
        return [
            replace(lexeme, text=_elisions()[head + "'"], end=cut_at, capital=False, shout=False),
            *_expand_word(rest, language),
        ]
    if tail == "s":
        return [replace(lexeme, text=head, possessive=head not in particles("never-possessive"))]
    return [replace(lexeme, text=head + tail)]


def _without_hyphens(lexemes: list[Lexeme]) -> list[Lexeme]:
    """The lexemes without the hyphens that join words ("left-handed"); a word before "-free" is negated."""
    out: list[Lexeme] = []
    for i, lexeme in enumerate(lexemes):
        inside = lexeme.text == "-" and lexeme.joined and i + 1 < len(lexemes) and lexemes[i + 1].joined
        if not inside:
            out.append(lexeme)
        elif i and lexemes[i + 1].text in particles("privative"):
            out[-1] = replace(out[-1], privative=True)
    return [lexeme for i, lexeme in enumerate(out) if not (i and out[i - 1].privative)]


def _labels(tokens: list[Token]) -> list[Token]:
    """Up to three words before a colon at the start of a line say what the line is about; they carry no claim."""
    out = list(tokens)
    start = 0
    for i, token in enumerate(tokens):
        if token.kind != "mark":
            continue
        if token.form == ":" and all(_may_label(t) for t in tokens[start:i]) and i - start <= LABEL_WORDS:
            out[start:i] = [replace(t, kind="word", role="label", relation="") for t in tokens[start:i]]
        if token.form in ("\n", "-", "*"):
            start = i + 1
        elif token.form != "*":
            start = len(tokens)
    return out


def _may_label(token: Token) -> bool:
    """A label is made of ordinary words, or says who speaks; a name or a relative before a colon is a subject."""
    if token.kind == "mark" or token.form in particles("speaker"):
        return True
    return token.kind == "word" and not token.person and token.relation in ("", "pet", "care")


def _is_shouted(lexemes: list[Lexeme]) -> bool:
    """Whether most words are in capitals, so that a capital says nothing."""
    words = [lexeme for lexeme in lexemes if lexeme.kind == "word" and len(lexeme.text) > 1]
    return len(words) > 1 and sum(lexeme.shout for lexeme in words) >= SHOUTED_SHARE * len(words)


# -- one lexeme, one or more tokens --------------------------------------------------------------------------------


def _tokens(lexeme: Lexeme, language: str, capitals: bool) -> list[Token]:
    if lexeme.kind == "word":
        return [_word(lexeme, language, capitals)]
    if lexeme.kind == "cjk":
        return [
            Token(
                piece.kind,
                piece.text,
                piece.text,
                lexeme.place(piece.start),
                lexeme.place(piece.end - 1) + 1,
                piece.role,
                piece.relation,
            )
            for piece in cut(lexeme.text, language)
        ]
    return [Token(lexeme.kind, _identity(lexeme), lexeme.text, lexeme.start, lexeme.end, possessive=lexeme.possessive)]


def _identity(lexeme: Lexeme) -> str:
    """What equal e-mails, URLs, phone numbers and codes share."""
    text = lexeme.text
    if lexeme.kind == "phone":
        digits = "".join(c for c in text if "0" <= c <= "9")
        return digits[2:] if digits.startswith("00") else digits
    if lexeme.kind == "id":
        return text.replace("-", "").replace("_", "").replace(" ", "")
    if lexeme.kind == "url":
        for prefix in ("https://", "http://", "www."):
            text = text.removeprefix(prefix)
        return text.rstrip("/")
    return text


def _word(lexeme: Lexeme, language: str, capitals: bool) -> Token:
    form = lexeme.text
    token = Token("word", form, form, lexeme.start, lexeme.end, possessive=lexeme.possessive)
    if is_listed("user", form, language):
        return replace(token, kind="user", key="user", role="stop")
    if is_listed("stop", form, language) and not (capitals and lexeme.shout):
        return replace(token, role="stop", rarity=0)
    kin = relation(form, language)
    key = stem(form, language)
    if not kin and _is_name(lexeme, language, capitals):
        return replace(token, kind="name", person=is_given_name(form))
    role = "soft" if is_listed("soft", form, language) else "content"
    return replace(
        token,
        key=key,
        role=role,
        relation=kin,
        rarity=rarity(form, key),
        person=is_given_name(form),
        privative=lexeme.privative,
    )


def _is_name(lexeme: Lexeme, language: str, capitals: bool) -> bool:
    """A capital makes a name, but in German, and at the start of a sentence, only of a word that is no ordinary one."""
    if not (capitals and lexeme.capital):
        return False
    if language == "de":
        return is_given_name(lexeme.text)
    if not lexeme.first:
        return True
    return not is_known(lexeme.text, language)


def is_alias(token: Token, language: str) -> bool:
    """Whether a token names the user by none of the words that do so for everybody."""
    return token.kind == "user" and token.form != "user" and not is_listed("user", token.form, language)


def _aliased(tokens: list[Token], aliases: tuple[str, ...]) -> list[Token]:
    """The tokens with every alias of the user turned into the user."""
    names = [[lexeme.text for lexeme in scan(alias) if lexeme.kind != "mark"] for alias in aliases]
    # A full name is longer than the first name that stands for it, so it is tried first.
    for forms in [*names, *(name[:1] for name in names if len(name) > 1 and len(name[0]) >= LEAST_FIRST_NAME)]:
        i = 0
        while forms and i + len(forms) <= len(tokens):
            if [token.form for token in tokens[i : i + len(forms)]] == forms:
                last = tokens[i + len(forms) - 1]
                user = replace(
                    tokens[i],
                    kind="user",
                    key="user",
                    role="stop",
                    end=last.end,
                    possessive=last.possessive,
                    person=False,
                )
                tokens[i : i + len(forms)] = [user]
            i += 1
    return tokens


# -- phrases and negation --------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def _phrase_table(language: str) -> dict[str, tuple[tuple[tuple[str, ...], str, str], ...]]:
    """Phrases of several words by the key of their first, longest first, with the key and relation that they say."""
    table: dict[str, list[tuple[tuple[str, ...], str, str]]] = {}
    for lang, phrase, word in rows("phrases"):
        if lang == language:
            keys = tuple(stem(part, lang) for part in phrase.split(" "))
            table.setdefault(keys[0], []).append((keys, stem(word, lang), relation(word, lang)))
    return {first: tuple(sorted(found, key=lambda p: -len(p[0]))) for first, found in table.items()}


def _phrases(tokens: list[Token], language: str) -> list[Token]:
    """The tokens with every listed phrase as one word."""
    table = _phrase_table(language)
    endings = _endings(tokens, language)
    out: list[Token] = []
    i = 0
    while i < len(tokens):
        for keys, word, kin in (
            table.get(stem(tokens[i].form, language), ()) if tokens[i].kind in ("word", "name", "unit") else ()
        ):
            span = tokens[i : i + len(keys)]
            if (
                len(span) == len(keys)
                and all(t.kind != "mark" and stem(t.form, language) == k for t, k in zip(span, keys, strict=True))
                and not any(start < i < end or start < i + len(keys) < end for start, end in endings)
            ):
                out.append(
                    replace(
                        span[0],
                        kind="name" if span[0].kind == "name" else "word",
                        key=word,
                        form=" ".join(t.form for t in span),
                        end=span[-1].end,
                        role="content",
                        relation=kin,
                        rarity=rarity(word, word),
                        possessive=span[-1].possessive,
                    )
                )
                i += len(keys)
                break
        else:
            out.append(tokens[i])
            i += 1
    return out


def _endings(tokens: list[Token], language: str) -> list[tuple[int, int]]:
    """Where something is said to have ended ("ya no", "nicht mehr"): a phrase takes in all of that or nothing."""
    table = _negation_table(language)
    found = ((i, *_negation_at(tokens, i, table)) for i in range(len(tokens)))
    return [(i, i + len(words)) for i, words, kind in found if kind == "cease"]


def _clauses(tokens: list[Token]) -> list[Token]:
    clause = 0
    out: list[Token] = []
    for token in tokens:
        if token.kind == "mark" and token.form in CLAUSE_MARKS:
            clause += 1
        out.append(replace(token, clause=clause) if clause else token)
    return out


@lru_cache(maxsize=16)
def _negation_table(language: str) -> dict[str, tuple[tuple[tuple[str, ...], str], ...]]:
    table: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for lang, form, kind in rows("negation"):
        if lang == language:
            words = tuple(form.split(" "))
            table.setdefault(words[0], []).append((words, kind))
    return {first: tuple(sorted(found, key=lambda p: -len(p[0]))) for first, found in table.items()}


def _negations(tokens: list[Token], language: str) -> tuple[list[Token], bool]:
    """The tokens with what a negation reaches marked, and whether something is said to have ended.

    Two negations of one kind do not cancel ("ne … pas"); a verb of refusal under a negation does ("does not avoid").
    """
    table = _negation_table(language)
    out = list(tokens)
    plain, reversed_, ceased = set[int](), set[int](), False
    i = 0
    while i < len(out):
        words, kind = _negation_at(out, i, table)
        if not words:
            i += 1
            continue
        end = i + len(words)
        for j in range(i, end):
            out[j] = replace(out[j], kind="negation", role="stop")
        if kind == "cease":
            ceased = True
        else:
            (plain if kind == "not" else reversed_).update(_reach(out, i, end, language))
        i = end
    if ceased and language == "fr":
        plain.clear()
    reversed_ ^= {i for i, token in enumerate(out) if token.privative}
    negated = plain ^ reversed_
    return [replace(t, negated=True) if i in negated and t.kind != "negation" else t for i, t in enumerate(out)], ceased


def _negation_at(
    tokens: list[Token], i: int, table: dict[str, tuple[tuple[tuple[str, ...], str], ...]]
) -> tuple[tuple[str, ...], str]:
    if tokens[i].kind in ("word", "cjk", "negation") or tokens[i].role == "stop":
        for words, kind in table.get(tokens[i].form, ()):
            if tuple(t.form for t in tokens[i : i + len(words)]) == words:
                return words, kind
    return (), ""


def _reach(tokens: list[Token], start: int, end: int, language: str) -> set[int]:
    clause = tokens[start].clause
    if language in BACKWARD_NEGATION:
        return {i for i, token in enumerate(tokens) if token.clause == clause}
    reached: set[int] = set()
    for i in range(end, min(len(tokens), end + NEGATION_REACH)):
        if tokens[i].clause != clause or tokens[i].form in particles("scope-end"):
            break
        reached.add(i)
    return reached


def _without_lone_emoji(tokens: list[Token]) -> list[Token]:
    """Emoji count only where nothing else is said."""
    if all(token.kind in ("emoji", "mark") for token in tokens):
        return tokens
    return [token for token in tokens if token.kind != "emoji"]
