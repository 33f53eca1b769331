//! Numbers, units and weekdays inside Chinese, Japanese and Korean runs, cut out so that `quantities` can read them.

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::language::Language;
use crate::lexemes::{Kind, Lexeme};
use crate::lexicon;

const DATE_SIGNS: &str = "年月日号년월일";
const MYRIAD: u128 = 10_000;
/// Most characters of one numeral, so that its value is a number of ordinary size.
const LONGEST_NUMERAL: usize = 16;
const CJK_LANGUAGES: [Language; 3] = [Language::Zh, Language::Ja, Language::Ko];

/// Numeral characters with their values; 10, 100 and 1000 multiply what stands before, larger ones the whole.
static DIGITS: LazyLock<FxHashMap<char, u128>> = LazyLock::new(|| {
    let mut table = FxHashMap::default();
    for (language, [word, value]) in lexicon::NUMBERS.rows_by_language() {
        let mut chars = word.chars();
        if let (Language::Zh | Language::Ja, Some(char), None) = (language, chars.next(), chars.next()) {
            table.insert(char, value.parse().expect("the value of a number word is a number"));
        }
    }
    table
});

/// Words of a language by their first character, longest first.
type Forms = FxHashMap<char, Vec<&'static str>>;

fn longest_first(forms: impl Iterator<Item = &'static str>) -> Forms {
    let mut table: Forms = FxHashMap::default();
    for form in forms {
        table.entry(form.chars().next().expect("a word is not empty")).or_default().push(form);
    }
    for found in table.values_mut() {
        found.sort_by_key(|form| (usize::MAX - form.chars().count(), *form));
    }
    table
}

/// Units and currencies that may follow a number.
static MEASURES: LazyLock<[Forms; CJK_LANGUAGES.len()]> = LazyLock::new(|| {
    CJK_LANGUAGES.map(|language| {
        let units = lexicon::UNITS.rows_by_language().filter(move |row| row.0 == language).map(|(_, [form])| form);
        let currencies = lexicon::CURRENCIES.rows().map(|[form]| form).filter(|form| *form >= "\u{3000}");
        longest_first(units.chain(currencies))
    })
});

static WEEKDAYS: LazyLock<[Forms; CJK_LANGUAGES.len()]> = LazyLock::new(|| {
    CJK_LANGUAGES.map(|language| {
        let days = lexicon::CALENDAR.rows_by_language();
        longest_first(
            days.filter(|&(lang, [_, kind])| lang == language && kind == "weekday").map(|(_, [form, _])| form),
        )
    })
});

/// The lexemes with every numeral, unit behind a number, and weekday of a CJK run on its own.
pub(crate) fn cut_numerals(lexemes: Vec<Lexeme<'_>>, language: Language) -> Vec<Lexeme<'_>> {
    let Some(language) = CJK_LANGUAGES.iter().position(|&cut| cut == language) else {
        return lexemes;
    };
    let mut out: Vec<Lexeme<'_>> = Vec::with_capacity(lexemes.len());
    for lexeme in lexemes {
        if lexeme.kind == Kind::Cjk {
            let after_number = lexeme.joined && out.last().is_some_and(|last| last.kind == Kind::Number);
            Cutter::new(lexeme, language).cut(after_number, &mut out);
        } else {
            out.push(lexeme);
        }
    }
    out
}

/// One run, with the place of each of its characters.
struct Cutter<'a> {
    lexeme: Lexeme<'a>,
    bytes: Vec<usize>,
    measures: &'static Forms,
    weekdays: &'static Forms,
}

impl<'a> Cutter<'a> {
    fn new(lexeme: Lexeme<'a>, language: usize) -> Self {
        let bytes = lexeme.text.char_indices().map(|(at, _)| at).chain([lexeme.text.len()]).collect();
        Self { lexeme, bytes, measures: &MEASURES[language], weekdays: &WEEKDAYS[language] }
    }

    fn len(&self) -> usize {
        self.bytes.len() - 1
    }

    fn rest(&self, i: usize) -> &str {
        &self.lexeme.text[self.bytes[i]..]
    }

    /// The pieces of the run, in order. A date sign stays with the run: `quantities` reads dates whole.
    fn cut(&self, after_number: bool, out: &mut Vec<Lexeme<'a>>) {
        let (mut start, mut i) = (0, 0);
        if after_number {
            i = self.measure(i, out);
            start = i;
        }
        while i < self.len() {
            let Some((kind, text, end)) = self.special(i) else {
                i += 1;
                continue;
            };
            self.run(start, i, out);
            out.push(self.piece(kind, text, i, end));
            i = if kind == Kind::Number { self.measure(end, out) } else { end };
            start = i;
        }
        self.run(start, self.len(), out);
    }

    /// Puts the unit at `i`, if one stands there, and answers where it ends.
    fn measure(&self, i: usize, out: &mut Vec<Lexeme<'a>>) -> usize {
        let rest = self.rest(i);
        match prefix(rest, self.measures).filter(|_| !rest.starts_with(|c| DATE_SIGNS.contains(c))) {
            Some(unit) => {
                let end = i + unit.chars().count();
                out.push(self.piece(Kind::Word, Cow::Borrowed(unit), i, end));
                end
            }
            None => i,
        }
    }

    fn run(&self, start: usize, end: usize, out: &mut Vec<Lexeme<'a>>) {
        if start < end {
            let (from, to) = (self.bytes[start], self.bytes[end]);
            let text = match self.lexeme.text {
                Cow::Borrowed(text) => Cow::Borrowed(&text[from..to]),
                Cow::Owned(ref text) => Cow::Owned(text[from..to].to_owned()),
            };
            out.push(self.piece(Kind::Cjk, text, start, end));
        }
    }

    /// Kind, text and end of the weekday or numeral at `i`.
    fn special(&self, i: usize) -> Option<(Kind, Cow<'a, str>, usize)> {
        let rest = self.rest(i);
        if let Some(day) = prefix(rest, self.weekdays) {
            return Some((Kind::Word, Cow::Borrowed(day), i + day.chars().count()));
        }
        let numeral: Vec<u128> = rest.chars().map_while(|c| DIGITS.get(&c).copied()).take(LONGEST_NUMERAL).collect();
        let end = i + numeral.len();
        if numeral.is_empty() || (numeral.len() == 1 && prefix(self.rest(end), self.measures).is_none()) {
            return None;
        }
        Some((Kind::Number, Cow::Owned(value(&numeral).to_string()), end))
    }

    fn piece(&self, kind: Kind, text: Cow<'a, str>, start: usize, end: usize) -> Lexeme<'a> {
        let mut piece = self.lexeme.cut(start, end, text);
        if kind != Kind::Cjk {
            piece.at = Vec::new();
        }
        Lexeme { kind, joined: piece.joined || start > 0, ..piece }
    }
}

fn value(numeral: &[u128]) -> u128 {
    let (mut total, mut section, mut digit) = (0, 0, 0);
    for &value in numeral {
        if value < 10 {
            digit = if value > 0 || digit == 0 { value } else { digit * 10 };
        } else if value < MYRIAD {
            section += digit.max(1) * value;
            digit = 0;
        } else {
            total += (section + digit).max(1) * value;
            (section, digit) = (0, 0);
        }
    }
    total + section + digit
}

fn prefix(text: &str, forms: &Forms) -> Option<&'static str> {
    forms.get(&text.chars().next()?)?.iter().find(|form| text.starts_with(**form)).copied()
}
