"""Folded text to lexemes: where one piece ends and the next begins, before any of them means something.

One pass, linear in the text. Patterns are tried in a fixed order at each place: e-mail, URL, time, date, phone, number,
code, word. What a lexeme means (a name, the user, a sum of money) is decided in `tokens`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

from forgetguard.rules.lexicon import rows
from forgetguard.rules.text import CJK, DIGIT, EMOJI, LETTER, SPACE, UPPER, Folded, fold

LINE_ENDS = "\n\r\v\f\x85\u2028\u2029"
SENTENCE_ENDS = ".!?:;…。!?:;．\n"
PHONE_DIGITS = 7
"""Fewest digits of a phone number that starts with + or 00; without such a start, 9 digits in groups."""
LOCAL_PHONE_DIGITS = 9
GROUPS, GROUP_DIGITS = 3, 6
"""Least groups and digits of a code that is written in groups."""


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A piece of text before it means anything.

    `kind`: word, number, time, date, phone, id, email, url, cjk, emoji, mark (punctuation).
    `capital`: the first letter was upper case. `shout`: all of two or more letters were.
    `first`: no word stands before it in its sentence. `joined`: no space stands before it.
    `possessive`: it ended in 's. `privative`: -free followed. `start` and `end` count code points of the cleaned text.
    `at`: of a run, where each of its characters stands, unless they stand one behind the other as in the cleaned text
    ("ｶﾞ" is one character).
    From `quantities` on, the kinds number, unit, date, weekday and time carry a canonical key as their text.
    """

    kind: str
    text: str = field(repr=False)
    start: int
    end: int
    capital: bool = False
    shout: bool = False
    first: bool = False
    joined: bool = False
    possessive: bool = False
    privative: bool = False
    at: tuple[int, ...] = ()

    def place(self, n: int) -> int:
        """Where character `n` of the text of a run stands in the cleaned text."""
        return self.at[n] if self.at else self.start + n

    def cut(self, start: int, end: int) -> Lexeme:
        """The characters of a run from `start` up to `end`."""
        at = self.at[start:end]
        return replace(self, text=self.text[start:end], start=self.place(start), end=self.place(end - 1) + 1, at=at)


@lru_cache(maxsize=1)
def number_endings() -> frozenset[str]:
    """Letters that may follow a number without a space: units, ordinal endings, am and pm, k and m."""
    units = {form for _, form, _, _ in rows("units")} | {form for form, _ in rows("currencies")}
    return frozenset(units) | {
        "st",
        "nd",
        "rd",
        "th",
        "k",
        "m",
        "mn",
        "bn",
        "am",
        "pm",
        "h",
        "o",
        "a",
        "e",
        "er",
        "eme",
    }


def scan(text: str) -> list[Lexeme]:
    """The lexemes of a cleaned text, in order."""
    return _Scanner(text, fold(text)).run()


class _Scanner:
    """Walks the folded characters once. The `no_…_before` keep the walk linear: no such pattern begins before them."""

    def __init__(self, text: str, folded: Folded) -> None:
        self.text = text
        self.chars = folded.chars
        self.classes = folded.classes
        self.at = folded.at
        self.size = len(folded.chars)
        self.no_email_before = 0
        self.no_phone_before = 0
        self.no_code_before = 0
        self.no_groups_before = 0
        self.no_domain_before = 0
        self.out: list[Lexeme] = []
        self.first = True
        self.joined = False

    def run(self) -> list[Lexeme]:
        i = 0
        while i < self.size:
            kind = self.classes[i]
            if kind == SPACE or self.chars[i] == " ":
                if self.text[self.at[i]] in LINE_ENDS:
                    self._emit("mark", i, i + 1, "\n")
                self.joined = False
                i += 1
            elif kind in (LETTER, UPPER, DIGIT):
                i = self._alphanumeric(i)
            elif kind in CJK:
                i = self._emit("cjk", i, self._while(i, CJK))
            elif kind == EMOJI:
                i = self._emit("emoji", i, i + 1)
            else:
                i = self._mark(i)
        return self.out

    def _emit(self, kind: str, i: int, j: int, text: str | None = None) -> int:
        piece = self.chars[i:j] if text is None else text
        classes = self.classes[i:j]
        letters = [c for c in classes if c in (LETTER, UPPER)]
        word = kind == "word"
        dense = kind != "cjk" or self.at[j - 1] - self.at[i] == j - 1 - i
        self.out.append(
            Lexeme(
                kind,
                piece,
                self.at[i],
                self.at[j - 1] + 1,
                capital=bool(letters) and letters[0] == UPPER,
                shout=len(letters) > 1 and LETTER not in letters,
                first=self.first,
                joined=self.joined,
                at=() if dense else tuple(self.at[i:j]),
            )
        )
        if kind == "mark":
            if piece in SENTENCE_ENDS and not self._after_initial():
                self.first = True
        elif word or kind == "cjk":
            self.first = False
        self.joined = True
        return j

    def _after_initial(self) -> bool:
        """A full stop after a lone capital ("S. Almeida") ends no sentence."""
        before = self.out[-2] if len(self.out) > 1 else None
        return before is not None and before.kind == "word" and len(before.text) == 1 and before.capital

    def _while(self, i: int, kinds: str) -> int:
        while i < self.size and self.classes[i] in kinds:
            i += 1
        return i

    def _is(self, i: int, kinds: str) -> bool:
        return i < self.size and self.classes[i] in kinds

    def _char(self, i: int) -> str:
        return self.chars[i] if i < self.size else ""

    def _mark(self, i: int) -> int:
        char = self.chars[i]
        if char in "+(" and (end := self._phone(i)):
            return self._emit("phone", i, end)
        if char == "-" and self._is(i + 1, DIGIT) and not self.joined and (end := self._number(i + 1)):
            return self._emit("number", i, end)
        return self._emit("mark", i, i + 1)

    def _alphanumeric(self, i: int) -> int:
        for kind, pattern in (("email", self._email), ("url", self._url), ("id", self._grouped)):
            if end := pattern(i):
                return self._emit(kind, i, end)
        if self.classes[i] != DIGIT:
            return self._word_or_code(i)
        for kind, pattern in (("time", self._time), ("date", self._date), ("phone", self._phone)):
            if end := pattern(i):
                return self._emit(kind, i, end)
        end = self._number(i)
        if self._is(end, LETTER + UPPER):
            letters = self._while(end, LETTER + UPPER)
            ending = self.chars[end:letters]
            if ending not in number_endings() or (self._is(letters, DIGIT) and ending != "h"):
                return self._emit("id", i, self._code(i))
        elif self._char(end) in ("-", "_") and self._is(end + 1, DIGIT + UPPER) and i >= self.no_code_before:
            code = self._code(i)
            if any(c in (LETTER, UPPER) for c in self.classes[i:code]):
                return self._emit("id", i, code)
            self.no_code_before = code
        return self._emit("number", i, end)

    def _word_or_code(self, i: int) -> int:
        end = self._while(i, LETTER + UPPER)
        while self._char(end) == "'" and self._is(end + 1, LETTER + UPPER):
            end = self._while(end + 1, LETTER + UPPER)
        follows = end + 1 if self._char(end) in ("-", "_") else end
        if self._is(follows, DIGIT):
            return self._emit("id", i, self._code(i))
        if plate := self._plate(i, end):
            return self._emit("id", i, plate)
        if self.chars[i : follows + 4] == "e-mail":
            end = self._while(follows, LETTER + UPPER)
            return self._emit("word", i, end, self.chars[i:end].replace("-", ""))
        return self._emit("word", i, end)

    def _grouped(self, i: int) -> int:
        """End of a code written in groups of two to five capitals and digits ("NL91 ABNA 0417 1643 00"), or 0."""
        if i < self.no_groups_before:
            return 0
        end, groups, digits, letters, j = 0, 0, 0, 0, i
        while True:
            k = self._while(j, UPPER + DIGIT)
            if not 2 <= k - j <= 5 or self._is(k, LETTER):
                break
            digits += self.classes[j:k].count(DIGIT)
            letters += self.classes[j:k].count(UPPER)
            end, groups = k, groups + 1
            if self._char(k) != " ":
                break
            j = k + 1
        if groups >= GROUPS and digits >= GROUP_DIGITS and letters:
            return end
        self.no_groups_before = end  # what begins later in the same groups has fewer of everything
        return 0

    def _plate(self, i: int, end: int) -> int:
        """End of two to four capitals, a space and three to six digits ("KXR 4471"), or 0; money and years are none."""
        if not 2 <= end - i <= 4 or LETTER in self.classes[i:end] or self._char(end) != " ":
            return 0
        digits = self._digits(end + 1, 3, 6)
        if not digits or self._is(digits, LETTER + UPPER) or self._char(digits) in (",", ".", ":", "/", "-", "%"):
            return 0
        year = digits - end - 1 == 4 and self.chars[end + 1 : end + 3] in ("19", "20")
        return 0 if year or self.chars[i:end] in number_endings() else digits

    def _code(self, i: int) -> int:
        """End of letters, digits, and single - or _ between them."""
        while True:
            i = self._while(i, LETTER + UPPER + DIGIT)
            if not (self._char(i) in ("-", "_") and self._is(i + 1, LETTER + UPPER + DIGIT)):
                return i
            i += 1

    def _email(self, i: int) -> int:
        if i < self.no_email_before:
            return 0
        j = i
        while self._is(j, LETTER + UPPER + DIGIT) or self._char(j) in (".", "_", "%", "+", "-"):
            j += 1
        if self._char(j) != "@":
            self.no_email_before = j
            return 0
        end, _ = self._domain(j + 1)
        if not end:
            self.no_email_before = j + 1
        return end

    def _domain(self, i: int) -> tuple[int, int]:
        """End of a host name with at least one dot, or 0; and how far that was looked for."""
        dots, j = 0, i
        while True:
            label = j
            while self._is(j, LETTER + UPPER + DIGIT) or (self._char(j) == "-" and j > label):
                j += 1
            if j == label:
                return (j - 1 if dots > 1 else 0), j
            if self._char(j) != ".":
                return (j if dots else 0), j
            dots += 1
            j += 1

    def _url(self, i: int) -> int:
        rest = self.chars[i : i + 8]
        if not (rest.startswith(("http://", "https://", "www."))):
            return self._bare_domain(i)
        j = i
        while j < self.size and self.classes[j] not in SPACE + CJK and self.chars[j] not in ' "<>':
            j += 1
        while self.chars[j - 1] in ".,;:!?)]'":
            j -= 1
        return j if j > i + len("www.") else 0

    def _bare_domain(self, i: int) -> int:
        """End of a host name that nothing marks as one ("example.org/page"): small letters around every dot."""
        if i < self.no_domain_before:
            return 0
        end, looked_at = self._domain(i)
        if not end:
            self.no_domain_before = looked_at
            return 0
        labels = self.chars[i:end].split(".")
        if self.classes[end - len(labels[-1]) : end].strip(LETTER) or self._char(end) == "(":
            self.no_domain_before = end
            return 0
        short = max((n for n, label in enumerate(labels) if len(label) < 2), default=-1)
        if short >= 0:
            self.no_domain_before = i + sum(len(label) + 1 for label in labels[: short + 1])
            return 0
        while self._char(end) == "/":
            end = self._while(end + 1, LETTER + UPPER + DIGIT)
        return end

    def _digits(self, i: int, least: int, most: int) -> int:
        """End of a run of `least` to `most` digits that no further digit follows, or 0."""
        end = self._while(i, DIGIT)
        return end if least <= end - i <= most else 0

    def _time(self, i: int) -> int:
        end = self._digits(i, 1, 2)
        if end and self._char(end) == "h" and (minutes := self._digits(end + 1, 2, 2)):
            return minutes
        if not end or self._char(end) != ":":
            return 0
        end = self._digits(end + 1, 2, 2)
        if end and self._char(end) == ":":
            return self._digits(end + 1, 2, 2)
        return end

    def _date(self, i: int) -> int:
        one = self._digits(i, 1, 4)
        separator = self._char(one) if one else ""
        if separator not in ("-", "/", "."):
            return 0
        two = self._digits(one + 1, 1, 4)
        if not two:
            return 0
        first, second = one - i, two - one - 1
        three = self._digits(two + 1, 1, 4) if self._char(two) == separator else 0
        if three:
            third = three - two - 1
            year_first = first == 4 and second <= 2 and third <= 2
            year_last = first <= 2 and second <= 2 and third in (2, 4)
            return three if year_first or year_last else 0
        if self._char(two) == separator and separator == "." and first <= 2 and second == 2:
            return two + 1
        if separator == "/" and first <= 2 and second in (1, 2, 4) and self._char(two) != "/":
            return two
        return two if separator == "-" and first == 4 and second == 2 and self._char(two) != "-" else 0

    def _phone(self, i: int) -> int:
        """+ or 00 and 7 or more digits, or 9 or more digits in groups of two or more."""
        if i < self.no_phone_before:
            return 0
        marked = self._char(i) == "+" or self.chars[i : i + 2] == "00" or self.chars[i : i + 2] in ("(+", "(0")
        digits, groups, j, end = 0, 0, i, i
        while j < self.size:
            if self.classes[j] == DIGIT:
                k = self._while(j, DIGIT)
                if (not marked and k - j < 2) or k - j > 15 or digits + k - j > 15:
                    break
                digits, groups, j, end = digits + k - j, groups + 1, k, k
            elif self.chars[j] in "+()- " and (j - end) < 2 + (j == i):
                j += 1
            else:
                break
        enough = digits >= PHONE_DIGITS if marked else digits >= LOCAL_PHONE_DIGITS and groups > 1
        if enough and not self._is(end, LETTER + UPPER):
            return end
        self.no_phone_before = end
        return 0

    def _number(self, i: int) -> int:
        """Digits, with thousands separated by , . ' or a space, and decimals."""
        end = self._while(i, DIGIT)
        while self._char(end) in (",", ".", "'", " ") and self._is(end + 1, DIGIT):
            group = self._while(end + 1, DIGIT)
            spaced = self._char(end) in ("'", " ")
            if spaced and not (group - end == 4 and end - i <= 7 and self._while(i, DIGIT) - i <= 3):
                break
            end = group
        return end
