"""Requests to forget in Chinese, Japanese and Korean: the slots of `requests`, in languages without spaces or stems.

The text is cut into the pieces of `request_cjk.tsv`, longest first; what lies between is content. Chinese asks before
its verb, as English does. In Japanese and Korean the verb closes the clause, and its ending says whether it asks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from forgetguard.rules.lexemes import Lexeme
from forgetguard.rules.lexicon import rows
from forgetguard.rules.request_tags import is_file_name
from forgetguard.rules.words import vote

SLOTS = (
    "forget",
    "erase",
    "keep",
    "strong",
    "notforget",
    "neg",
    "dont",
    "negwish",
    "ask",
    "asknoun",
    "want",
    "please",
    "ba",
    "agent",
    "user",
    "first",
    "third",
    "of",
    "memory",
    "info",
    "said",
    "deictic",
    "personal",
    "credential",
    "other",
    "habit",
    "how",
    "done",
    "evidence",
    "adv",
    "withdraw",
    "forget-te",
    "forget-to",
    "erase-te",
    "erase-to",
    "erased",
    "erasing",
    "unkeep-te",
    "unkeep-to",
    "ni",
    "wa",
    "particle",
    "comma",
    "content",
)
BIT = {name: 1 << i for i, name in enumerate(SLOTS)}
ENDS = ".!?;…。\n"
LONGEST_SENTENCE = 48
"""Pieces after which a sentence is cut."""
SHORT = 5
"""Most pieces of a text that asks to erase "that" and names nothing else."""
HONORIFICS = ("さん", "ちゃん", "くん", "様", "氏", "씨")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text and its slots as bits."""

    form: str = field(repr=False)
    slots: int

    def has(self, slots: int) -> bool:
        return self.slots & slots != 0


def _bits(*names: str) -> int:
    bits = 0
    for name in names:
        bits |= BIT[name]
    return bits


@lru_cache(maxsize=4)
def _table(language: str) -> dict[str, int]:
    table: dict[str, int] = {}
    for lang, form, slot in rows("request_cjk"):
        if lang == language:
            table[form] = table.get(form, 0) | BIT[slot]
    return table


@lru_cache(maxsize=4)
def _longest(language: str) -> int:
    return max((len(form) for form in _table(language)), default=0)


def cjk_code(lexemes: list[Lexeme]) -> str:
    """The code of the rule that takes a Chinese, Japanese or Korean text for a request or a note, or ""."""
    if not any(lexeme.kind == "cjk" for lexeme in lexemes):
        return ""
    language = _script(lexemes)
    for pieces in _sentences(lexemes, language):
        code = _chinese_code(pieces) if language == "zh" else _verb_last_code(pieces)
        if code:
            return code
    return ""


def cjk_note_words(lexemes: list[Lexeme]) -> bool:
    """Whether a Chinese, Japanese or Korean text speaks of erasing, or of forgetting on request, at all."""
    if not any(lexeme.kind == "cjk" for lexeme in lexemes):
        return False
    wanted = TE | TO | _bits("erase", "erased", "erasing")
    return any(
        piece.has(wanted) and not piece.has(BIT["notforget"])
        for pieces in _sentences(lexemes, _script(lexemes))
        for piece in pieces
    )


def _script(lexemes: list[Lexeme]) -> str:
    return vote([lexeme for lexeme in lexemes if lexeme.kind == "cjk"])[0]


def _sentences(lexemes: list[Lexeme], language: str) -> list[list[Piece]]:
    """The pieces of each sentence; runs that only spaces part are read as one."""
    out: list[list[Piece]] = []
    pieces: list[Piece] = []
    run = ""
    for lexeme in lexemes:
        if lexeme.kind == "cjk":
            run += lexeme.text
            continue
        pieces.extend(_cut(run, language))
        run = ""
        if lexeme.kind == "mark":
            if lexeme.text in ENDS or len(pieces) >= LONGEST_SENTENCE:
                out.append(pieces)
                pieces = []
            elif lexeme.text in (",", "、", ":"):
                pieces.append(Piece(lexeme.text, BIT["comma"]))
        else:
            pieces.append(Piece(lexeme.text, _table(language).get(lexeme.text, _other_slot(lexeme))))
    pieces.extend(_cut(run, language))
    out.append(pieces)
    return [part for whole in out for part in _chunks(whole)]


def _chunks(pieces: list[Piece]) -> list[list[Piece]]:
    return [pieces[i : i + LONGEST_SENTENCE] for i in range(0, len(pieces), LONGEST_SENTENCE)]


def _other_slot(lexeme: Lexeme) -> int:
    if is_file_name(lexeme):
        return BIT["other"]
    return BIT["personal"] if lexeme.kind in ("email", "phone", "url", "id") else BIT["content"]


def _cut(run: str, language: str) -> list[Piece]:
    table, longest = _table(language), _longest(language)
    out: list[Piece] = []
    start = i = 0
    while i < len(run):
        size = min(longest, len(run) - i)
        while size and run[i : i + size] not in table:
            size -= 1
        if not size:
            i += 1
            continue
        if start < i:
            out.append(Piece(run[start:i], BIT["content"]))
        out.append(Piece(run[i : i + size], table[run[i : i + size]]))
        i += size
        start = i
    if start < len(run):
        out.append(Piece(run[start:], BIT["content"]))
    return out


def _any(pieces: list[Piece], slots: int) -> bool:
    return any(piece.has(slots) for piece in pieces)


def _named(pieces: list[Piece]) -> int:
    """How surely the pieces name a memory: 0 not, 1 by "that", 2 by a personal detail or an entry, 3 memory itself."""
    if _any(pieces, BIT["memory"]):
        return 3
    owned = _any(pieces, _bits("first", "user", "agent", "said", "of", "deictic"))
    nobodys = _any(pieces, BIT["credential"]) and not owned
    if _any(pieces, BIT["other"]) or nobodys:
        return 0
    if _any(pieces, _bits("said", "info", "personal")):
        return 2
    return 1 if _any(pieces, BIT["deictic"]) else 0


# -- Chinese ---------------------------------------------------------------------------------------------------------


def _chinese_code(pieces: list[Piece]) -> str:
    for i, piece in enumerate(pieces):
        if piece.has(BIT["asknoun"]) and _any(pieces, _bits("user", "done", "ask")):
            return "right-to-erasure"
        if not piece.has(_bits("forget", "erase", "keep")) or piece.has(BIT["notforget"]):
            continue
        kind = _chinese_kind(pieces, i)
        if not kind or _any(pieces[:i], BIT["how"]):
            continue
        if _chinese_imperative(pieces, i, kind):
            return "imperative-" + kind
        if _chinese_asked(pieces, i, kind):
            return "asked-" + kind
        if _chinese_logged(pieces, i, kind):
            return "log-erased"
    return ""


def _clause_start(pieces: list[Piece], i: int) -> int:
    while i > 0 and not pieces[i - 1].has(BIT["comma"]):
        i -= 1
    return i


def _chinese_kind(pieces: list[Piece], i: int) -> str:
    negated = _any(pieces[_clause_start(pieces, i) : i], BIT["neg"])
    if pieces[i].has(_bits("forget", "erase")) and not negated:
        return "forget" if pieces[i].has(BIT["forget"]) else "erase"
    return "not-keep" if pieces[i].has(BIT["keep"]) and negated else ""


def _chinese_imperative(pieces: list[Piece], i: int, kind: str) -> bool:
    start = _clause_start(pieces, i)
    before, after = pieces[start:i], pieces[i + 1 :]
    polite = _any(before, BIT["please"])
    for k, piece in enumerate(before):
        if piece.has(BIT["ba"]):
            break
        if piece.has(BIT["first"]) and not (k + 1 < len(before) and before[k + 1].has(_bits("please", "ba"))):
            return False
        if not piece.has(
            _bits("please", "neg", "adv", "agent", "memory", "first", "of", "deictic", "said", "info", "personal")
        ):
            return False
    if _any(before, _bits("habit", "user", "third")) and not polite:
        return False
    if kind == "not-keep" and not _any(before, BIT["dont"]):
        return False
    target = _named(before + after)
    if kind == "forget":
        return (
            polite
            or _any(before, _bits("ba", "agent"))
            or (bool(after) and after[0].has(_bits("first", "deictic", "said")))
            or _ends(after)
        )
    if kind == "erase":
        bare = not polite and not _any(before, BIT["ba"])
        if bare and not _any(before + after, _bits("memory", "said", "personal", "deictic")):
            return False
        return target >= 2 or (target == 1 and len(pieces) <= SHORT)
    return target >= 1 or (pieces[i].has(BIT["strong"]) and not _any(before, BIT["first"]))


def _ends(pieces: list[Piece]) -> bool:
    return not pieces or pieces[0].form in ("吧", "掉", "它")


def _chinese_asked(pieces: list[Piece], i: int, kind: str) -> bool:
    at = -1
    for j in range(i - 1, -1, -1):
        if pieces[j].has(_bits("ask", "want", "negwish")):
            at = j
            break
    if at < 0:
        return False
    while at > 0 and pieces[at - 1].has(_bits("ask", "want", "negwish")):
        at -= 1
    before, between = pieces[:at], pieces[at:i]
    agent = _any(between, BIT["agent"])
    if not agent and _any(before, _bits("third", "content")) and not _is_users_own(before):
        return False
    if _any(before, BIT["neg"]) or _any(pieces[:i], BIT["habit"]):
        return False
    object_before = _after_ba(between)
    if not agent and _any(object_before, _bits("third", "content", "other", "first", "user")):
        return False
    target = _named(between[len(object_before) :] + pieces[i + 1 :])
    passive = _any(between, BIT["done"])
    wish = not _any(between, BIT["ask"]) or pieces[at].has(BIT["want"])
    if wish and not agent and not passive:
        return kind != "forget" and target == 3
    if kind == "forget":
        return True
    return target >= (1 if agent or kind == "not-keep" else 2) or (kind == "not-keep" and pieces[i].has(BIT["strong"]))


def _is_users_own(pieces: list[Piece]) -> bool:
    """Whether the user is the subject: named first, and not as the owner of someone else."""
    for i, piece in enumerate(pieces):
        if piece.has(_bits("user", "first")):
            follows = pieces[i + 1 : i + 3]
            return not (
                _any(follows, BIT["third"])
                or piece.form.endswith("的")
                or (bool(follows) and follows[0].has(BIT["of"]))
            )
        if not piece.has(_bits("adv", "comma", "done")):
            return False
    return False


def _after_ba(pieces: list[Piece]) -> list[Piece]:
    """The pieces before the object that stands before its verb (把, 将, 从 …)."""
    for i, piece in enumerate(pieces):
        if piece.has(_bits("ba", "memory")) or piece.form in ("从", "关于", "有关", "被"):
            return pieces[:i]
    return pieces


def _chinese_logged(pieces: list[Piece], i: int, kind: str) -> bool:
    start = _clause_start(pieces, i)
    before, after = pieces[start:i], pieces[i + 1 :]
    if _any(before, _bits("habit", "third")) or kind == "not-keep":
        return False
    agent, evidence = _any(before, BIT["agent"]), _any(pieces, BIT["evidence"])
    done = _any(before, BIT["done"]) or (bool(after) and after[0].has(BIT["done"]))
    if kind == "forget":
        return (agent and _any(before, BIT["done"])) or evidence
    target = _named(pieces)
    if evidence:
        return target >= 2
    return done and target == 3 and not _any(before, BIT["want"])


# -- Japanese and Korean ---------------------------------------------------------------------------------------------

TE = _bits("forget-te", "erase-te", "unkeep-te")
TO = _bits("forget-to", "erase-to", "unkeep-to")
FORGET = _bits("forget-te", "forget-to")
UNKEEP = _bits("unkeep-te", "unkeep-to")


def _verb_last_code(pieces: list[Piece]) -> str:
    for i, piece in enumerate(pieces):
        if piece.has(BIT["notforget"]) or not piece.has(TE | TO | _bits("erased", "erasing")):
            continue
        before, after = pieces[:i], pieces[i + 1 :]
        if _any(before, _bits("habit", "how")) or (after and after[0].has(BIT["how"])):
            continue
        kind = "forget" if piece.has(FORGET) else "not-keep" if piece.has(UNKEEP) else "erase"
        asked = _any(after, BIT["ask"])
        if piece.has(TE | TO) and _asks(piece, after, asked) and _is_memory(before, kind, asked):
            return ("asked-" if asked or piece.has(TO) else "imperative-") + kind
        if piece.has(BIT["erased"]) and _is_erased(pieces, before):
            return "log-erased"
        if piece.has(BIT["erasing"]) and asked and _named(before) >= 2 and not _third(before):
            return "asked-removal"
    return ""


def _asks(piece: Piece, after: list[Piece], asked: bool) -> bool:
    if piece.has(TE):
        return not after or (
            after[0].has(_bits("please", "comma", "ask")) and not (after[0].has(BIT["comma"]) and len(after) > 1)
        )
    return asked or not after or piece.has(BIT["unkeep-to"]) or piece.form.endswith(("ほしい", "欲しい", "べき"))


def _is_memory(before: list[Piece], kind: str, asked: bool) -> bool:
    if _third(before, asked) and not _any(before, BIT["agent"]):
        return False
    if kind == "forget":
        return True
    target = _named(before)
    if kind == "not-keep":
        return target >= 1 or not _any(before, _bits("other", "content"))
    pointed = _any(before, BIT["agent"]) if asked else len(before) < SHORT and not _any(before, BIT["content"])
    return target >= (1 if pointed else 2)


def _third(pieces: list[Piece], asked: bool = True) -> bool:
    """Whether someone other than the user or the assistant asks, is asked, or acts."""
    for i, piece in enumerate(pieces):
        follows = pieces[i + 1] if i + 1 < len(pieces) else None
        if follows is None:
            break
        person = piece.has(BIT["third"]) or piece.form.endswith(HONORIFICS)
        if person and follows.has(_bits("ni", "wa")) and not piece.has(BIT["agent"]):
            return True
        if (
            asked
            and piece.has(BIT["content"])
            and follows.has(BIT["ni"])
            and i > 0
            and pieces[i - 1].has(BIT["wa"])
            and not _any(pieces[:i], _bits("user", "first"))
        ):
            return True
    return False


def _is_erased(pieces: list[Piece], before: list[Piece]) -> bool:
    if _third(before):
        return False
    target = _named(before)
    return target == 3 or (
        target >= 2
        and (
            _any(pieces, BIT["evidence"])
            or _any(before, BIT["agent"])
            or pieces[len(before)].form.endswith(("べき", "야"))
        )
    )
