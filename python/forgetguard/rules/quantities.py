"""Numbers, money, units, dates and times: many ways to write them, one key each.

`1,200`, `1200`, `1.2k` and `twelve hundred` are the number 1200. A date is `year-month-day` with 0 for
what is not said.
A time of day or a length of time is seconds. Money and measures are a number followed by a unit, so that the amount and
what it is an amount of are compared apart.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache

from forgetguard.rules.lexemes import Lexeme
from forgetguard.rules.lexicon import rows
from forgetguard.rules.words import particles

FIRST_YEAR, LAST_YEAR = 1900, 2099
"""A bare number in this range is a year, unless a unit follows."""
LARGEST_WORDS = 10**15
"""Number words beyond this are left as they are."""
SECONDS = {"h": 3600, "min": 60, "s": 1}
MARK_UNITS = {"%": "percent", "°": "degree"}
DECIMAL_POINT = frozenset({"en", "zh", "ja", "ko"})
CJK_DATE_PARTS = {"年": 0, "月": 1, "日": 2, "号": 2, "년": 0, "월": 1, "일": 2}


@lru_cache(maxsize=1)
def _number_words() -> dict[tuple[str, str], tuple[int, str]]:
    return {(lang, word): (int(value), role) for lang, word, value, role in rows("numbers")}


@lru_cache(maxsize=1)
def _units() -> dict[tuple[str, str], tuple[str, str]]:
    return {(lang, form): (unit, dimension) for lang, form, unit, dimension in rows("units")}


@lru_cache(maxsize=1)
def dimensions() -> dict[str, str]:
    """The dimension of each unit; every currency has the dimension `money`."""
    return dict(_units().values()) | {code: "money" for _, code in rows("currencies")}


@lru_cache(maxsize=1)
def _currencies() -> dict[str, str]:
    return {row[0]: row[1] for row in rows("currencies")}


@lru_cache(maxsize=1)
def _clock_words() -> frozenset[str]:
    return particles("clock") | {"am", "pm"}


@lru_cache(maxsize=1)
def _calendar() -> dict[tuple[str, str], tuple[str, int, bool]]:
    return {(lang, form): (kind, int(value), flag == "1") for lang, form, kind, value, flag in rows("calendar")}


@cache
def _openings(language: str) -> frozenset[str]:
    """Words and signs that a quantity may open with: few do, and all others are passed over at once."""
    forms = (form for table in (_number_words(), _calendar(), _units()) for form in table)
    words = (word for lang, word in forms if lang in (language, "*"))
    return frozenset((*words, *_currencies(), *(sign.removesuffix("$") for sign in _currencies())))


def canonical(raw: str, language: str) -> str:
    """Digits with their separators as one decimal number: no thousands separators, no trailing zeros."""
    raw = raw.replace(" ", "").replace("'", "")
    sign, raw = ("-", raw[1:]) if raw.startswith("-") else ("", raw)
    last = max(raw.rfind(","), raw.rfind("."))
    if last >= 0 and not _is_grouping(raw, last, language):
        whole, fraction = raw[:last], raw[last + 1 :].rstrip("0")
        whole = whole.replace(",", "").replace(".", "")
        return sign + whole + ("." + fraction if fraction else "")
    return sign + raw.replace(",", "").replace(".", "")


def _is_grouping(raw: str, last: int, language: str) -> bool:
    """Whether the last separator of `raw` separates thousands."""
    mark, tail = raw[last], len(raw) - last - 1
    if tail != 3 or (mark == "," and "." in raw) or (mark == "." and "," in raw):
        return False
    if raw.count(mark) > 1 or mark == ",":
        return True
    return language not in DECIMAL_POINT and last <= 3 and not raw.startswith("0")


def shift(number: str, zeros: int) -> str:
    """A decimal number times a power of ten, exactly."""
    whole, _, fraction = number.partition(".")
    fraction = fraction.ljust(zeros, "0")
    rest = fraction[zeros:].rstrip("0")
    return ((whole + fraction[:zeros]).lstrip("0") or "0") + ("." + rest if rest else "")


def quantify(lexemes: list[Lexeme], language: str) -> list[Lexeme]:
    """The lexemes with every quantity in its canonical form; all others as they were."""
    return _Quantifier(lexemes, language).run()


class _Quantifier:
    def __init__(self, lexemes: list[Lexeme], language: str) -> None:
        self.lexemes = lexemes
        self.language = language
        self.out: list[Lexeme] = []

    def run(self) -> list[Lexeme]:
        i = 0
        while i < len(self.lexemes):
            i = self._step(i)
        return self.out

    def _step(self, i: int) -> int:
        lexeme = self.lexemes[i]
        if lexeme.kind == "time":
            return self._clock(i)
        if lexeme.kind == "date":
            return self._put(i, i + 1, "date", _date_key(lexeme.text))
        readers = (self._month_date, self._weekday, self._cjk_date, self._amount, self._rate, self._currency)
        for reader in readers if self._may_open(lexeme) else ():
            if end := reader(i):
                return end
        self.out.append(lexeme)
        return i + 1

    def _may_open(self, lexeme: Lexeme) -> bool:
        if lexeme.kind in ("word", "mark"):
            return lexeme.text in _openings(self.language)
        return lexeme.kind == "number"

    def _put(self, i: int, j: int, kind: str, key: str) -> int:
        first, last = self.lexemes[i], self.lexemes[j - 1]
        self.out.append(replace(first, kind=kind, text=key, end=last.end, capital=False, shout=False, possessive=False))
        return j

    def _at(self, i: int) -> Lexeme | None:
        return self.lexemes[i] if 0 <= i < len(self.lexemes) else None

    def _word(self, i: int) -> str:
        lexeme = self._at(i)
        return lexeme.text if lexeme is not None and lexeme.kind in ("word", "mark") else ""

    def _lookup(self, table: dict[tuple[str, str], tuple[str, str]], form: str) -> tuple[str, str] | None:
        return table.get((self.language, form)) or table.get(("*", form))

    def _number_word(self, i: int) -> tuple[int, str] | None:
        lexeme = self._at(i)
        if lexeme is None or lexeme.kind != "word":
            return None
        table = _number_words()
        return table.get((self.language, lexeme.text)) or table.get(("*", lexeme.text))

    def _calendar_word(self, i: int) -> tuple[str, int, bool] | None:
        lexeme = self._at(i)
        if lexeme is None or lexeme.kind != "word":
            return None
        table = _calendar()
        return table.get((self.language, lexeme.text)) or table.get(("*", lexeme.text))

    # -- numbers and what they count ---------------------------------------------------------------------------

    def _read_number(self, i: int) -> tuple[str, int]:
        """The number that starts at `i` in digits or words, and where it ends; ("", i) if none does."""
        lexeme = self._at(i)
        if lexeme is None:
            return "", i
        if lexeme.kind == "number":
            value, i = canonical(lexeme.text, self.language), i + 1
            factor = self._number_word(i)
            if factor and factor[1] in ("scale", "multiplier") and (zeros := _zeros(factor[0])):
                return shift(value, zeros), i + 1
            return value, i
        return self._read_words(i)

    def _read_words(self, i: int) -> tuple[str, int]:
        total, group, end, last = 0, 0, i, ""
        while (word := self._number_word(end)) is not None:
            value, role = word
            if (
                role == "ordinal"
                or role == "multiplier"
                or (role == last == "unit")
                or (role == "ten" and last in ("unit", "ten"))
            ):
                break
            if role == "scale":
                if last == "":
                    break
                group = (group or 1) * value
                if value >= 1000:
                    total, group = total + group, 0
            else:
                group += value
            if total + group > LARGEST_WORDS:
                return "", i
            last, end = role, end + 1
            glue = self._word(end)
            if glue in particles("number-glue") and self._number_word(end + 1) and last != "unit":
                end += 1
        while end > i and self._word(end - 1) in particles("number-glue"):
            end -= 1
        return (str(total + group), end) if end > i else ("", i)

    def _amount(self, i: int) -> int:
        """A number with what follows it: a unit, a currency, am or pm, an ordinal ending."""
        value, end = self._read_number(i)
        if end == i:
            return 0
        follows = self._at(end)
        word = self._word(end)
        if follows is not None and word in _clock_words() and _is_hour(value):
            hour = int(value) % 12 + 12 * (word == "pm") if word in ("am", "pm") else int(value)
            return self._put(i, end + 1, "time", str(hour * 3600))
        if follows is not None and follows.joined and word in particles("ordinal-ending"):
            return self._put(i, end + 1, "number", value)
        unit, after = self._unit(end)
        if not unit and self.lexemes[i].kind == "number" and _is_year(value):
            return self._put(i, end, "date", f"{value}-0-0")
        if unit in SECONDS and (length := self._length(i)):
            return length
        self._put(i, end, "number", value)
        return self._put(end, after, "unit", unit) if unit else end

    def _unit(self, i: int) -> tuple[str, int]:
        """The unit or currency at `i`, and where it ends; ("", i) if none stands there."""
        follows = self._at(i)
        word = self._word(i)
        if follows is None or not word:
            return "", i
        if word in MARK_UNITS:
            scale = self._at(i + 1)
            return MARK_UNITS[word], i + 1 + (scale is not None and scale.joined and scale.text in ("c", "f"))
        found = self._lookup(_units(), word)
        if found:
            return found[0], i + 1
        code = _currencies().get(word)
        return (code, i + 1) if code else ("", i)

    def _length(self, i: int) -> int:
        """`3 hours 45 minutes 10 seconds` as seconds; 0 unless at least two parts stand there."""
        total, parts, end, j = 0, 0, i, i
        while True:
            value, after = self._read_number(j)
            unit, after_unit = self._unit(after) if after > j else ("", j)
            if unit not in SECONDS or "." in value or len(value) > 6 or value.startswith("-"):
                break
            total, parts, end = total + int(value) * SECONDS[unit], parts + 1, after_unit
            j = end + (self._word(end) in particles("number-glue") | {","})
        return self._put(i, end, "time", str(total)) if parts > 1 else 0

    def _rate(self, i: int) -> int:
        """`per month`, `every year`, `monthly`: the unit of a rate."""
        found = self._lookup(_units(), self._word(i))
        if not found or found[1] not in ("period", "time"):
            return 0
        adverb = found[1] == "period" and self._word(i).endswith(("ly", "mente", "ment", "lich", "annual"))
        before = self._word(i - 1)
        return self._put(i, i + 1, "unit", found[0]) if adverb or before in particles("rate") or before == "/" else 0

    def _currency(self, i: int) -> int:
        """A currency sign before its number: the number first, then the unit."""
        if self.lexemes[i].kind not in ("mark", "word"):
            return 0
        sign, start = self.lexemes[i].text, i + 1
        if self._word(i + 1) == "$" and sign + "$" in _currencies():
            sign, start = sign + "$", i + 2
        code = _currencies().get(sign)
        if not code:
            return 0
        value, end = self._read_number(start)
        if end == start or self.lexemes[start].kind != "number":
            return 0
        self._put(start, end, "number", value)
        return max(end, self._put(i, start, "unit", code)) + (_currencies().get(self._word(end)) == code)

    # -- clocks and calendars ----------------------------------------------------------------------------------

    def _clock(self, i: int) -> int:
        parts = [int(part) for part in self.lexemes[i].text.replace("h", ":").split(":")]
        half = self._word(i + 1)
        hour = parts[0] % 12 + 12 * (half == "pm") if half in ("am", "pm") else parts[0]
        seconds = hour * 3600 + parts[1] * 60 + (parts[2] if len(parts) > 2 else 0)
        return self._put(i, i + 1 + (half in _clock_words()), "time", str(seconds))

    def _weekday(self, i: int) -> int:
        word = self._calendar_word(i)
        if word is None or word[0] != "weekday" or (word[2] and not self.lexemes[i].capital):
            return 0
        return self._put(i, i + 1, "weekday", str(word[1]))

    def _month_date(self, i: int) -> int:
        """A date around a month's name: `5 de marzo`, `March 5th, 2026`, `April 2026`, `June`."""
        day, month_at = self._day(i)
        month_at = self._glue(month_at) if day else i
        word = self._calendar_word(month_at)
        if word is None or word[0] != "month":
            return 0
        end, year = month_at + 1, "0"
        if not day:
            day, end = self._day_after(end)
        year, end = self._year(end)
        if word[2] and not day and year == "0" and not self._month_in_context(month_at):
            return 0
        return self._put(i, end, "date", f"{year}-{word[1]}-{day or 0}")

    def _month_in_context(self, i: int) -> bool:
        """Whether an ambiguous name ("may", "march") is a month here: a capital that is not the sentence's."""
        lexeme = self.lexemes[i]
        return lexeme.capital and not lexeme.shout and (not lexeme.first or self._word(i + 1) == "is")

    def _day(self, i: int) -> tuple[int, int]:
        """A day of a month at `i` (digits, ordinal word or ending) and where it ends; (0, i) if none."""
        lexeme = self._at(i)
        if lexeme is None:
            return 0, i
        if lexeme.kind == "number" and lexeme.text.rstrip(".").isascii() and len(lexeme.text) <= 2:
            ending = self._at(i + 1)
            skip = ending is not None and ending.joined and ending.text in particles("ordinal-ending") | {"."}
            value = int(lexeme.text) if all("0" <= c <= "9" for c in lexeme.text) else 0
            return (value, i + 1 + skip) if 1 <= value <= 31 else (0, i)
        word = self._number_word(i)
        return (word[0], i + 1) if word and word[1] in ("ordinal", "unit") and 1 <= word[0] <= 31 else (0, i)

    def _day_after(self, i: int) -> tuple[int, int]:
        start = i + 1 if self._word(i) == "the" else i
        day, end = self._day(start)
        unit, _ = self._unit(end)
        return (day, end) if day and not unit else (0, i)

    def _glue(self, i: int) -> int:
        while self._word(i) in particles("date-glue"):
            i += 1
        return i

    def _year(self, i: int) -> tuple[str, int]:
        at = self._glue(i)
        lexeme = self._at(at)
        if lexeme is not None and lexeme.kind == "number" and _is_year(lexeme.text) and not self._unit(at + 1)[0]:
            return lexeme.text, at + 1
        return "0", i

    def _cjk_date(self, i: int) -> int:
        """`2026年3月5日`: numbers, each joined to the sign of its part."""
        parts, end = ["0", "0", "0"], i
        rest = ""
        while (number := self._at(end)) is not None and number.kind == "number":
            sign = self._at(end + 1)
            if sign is None or sign.kind != "cjk" or sign.text[0] not in CJK_DATE_PARTS or not number.text.isascii():
                break
            if CJK_DATE_PARTS[sign.text[0]] == 0 and not _is_year(number.text):
                break
            parts[CJK_DATE_PARTS[sign.text[0]]] = number.text.lstrip("0") or "0"
            end += 2
            rest = sign.text[1:]
            if rest:
                break
        if end == i:
            return 0
        self._put(i, end, "date", "-".join(parts))
        if rest:
            sign = self.lexemes[end - 1]
            self.out.append(sign.cut(1, len(sign.text)))
        return end


def _zeros(value: int) -> int:
    text = str(value)
    return len(text) - 1 if text.strip("0") == "1" else 0


def _is_year(value: str) -> bool:
    return len(value) == 4 and all("0" <= c <= "9" for c in value) and FIRST_YEAR <= int(value) <= LAST_YEAR


def _is_hour(value: str) -> bool:
    return 1 <= len(value) <= 2 and all("0" <= c <= "9" for c in value) and int(value) <= 24


def _date_key(raw: str) -> str:
    """`year-month-day`; where day and month cannot be told apart, the other reading follows after a bar."""
    parts = [p.lstrip("0") or "0" for p in raw.replace("/", "-").replace(".", "-").strip("-").split("-")]
    if len(parts) == 3 and len(parts[0]) == 4:
        return "-".join(parts)
    if len(parts) == 2 and len(parts[0]) == 4:
        return f"{parts[0]}-{parts[1]}-0"
    if len(parts) == 2 and len(parts[1]) == 4:
        return f"{parts[1]}-{parts[0]}-0"
    first, second = parts[0], parts[1]
    year = parts[2] if len(parts) == 3 else "0"
    year = "20" + year.rjust(2, "0") if 0 < len(year) < 3 and year != "0" else year
    readings = [f"{year}-{m}-{d}" for m, d in ((second, first), (first, second)) if int(m) <= 12 and int(d) <= 31]
    if "." in raw:
        readings = readings[:1]
    return "|".join(dict.fromkeys(readings)) or raw
