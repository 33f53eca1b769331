//! Numbers, money, units, dates and times: many ways to write them, one key each.
//!
//! `1,200`, `1200`, `1.2k` and `twelve hundred` are the number 1200. A date is `year-month-day` with 0 for what is not
//! said. A time of day or a length of time is seconds. Money and measures are a number followed by a unit, so that the
//! amount and what it is an amount of are compared apart.

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::language::Language;
use crate::lexemes::{Kind, Lexeme};
use crate::lexicon::{self, ByWord, Table};
use crate::words::{Particle, is_particle};

const FIRST_YEAR: u32 = 1900;
/// A bare number from [`FIRST_YEAR`] to this is a year, unless a unit follows.
const LAST_YEAR: u32 = 2099;
/// Number words beyond this are left as they are.
const LARGEST_WORDS: u128 = 1_000_000_000_000_000;
const MOST_LENGTH_DIGITS: usize = 6;
const ANNUAL: [&str; 5] = ["ly", "mente", "ment", "lich", "annual"];

fn seconds(unit: &str) -> Option<u64> {
    Some(match unit {
        "h" => 3600,
        "min" => 60,
        "s" => 1,
        _ => return None,
    })
}

fn mark_unit(mark: &str) -> Option<&'static str> {
    Some(match mark {
        "%" => "percent",
        "°" => "degree",
        _ => return None,
    })
}

const fn has_decimal_point(language: Language) -> bool {
    matches!(language, Language::En | Language::Zh | Language::Ja | Language::Ko)
}

const fn cjk_date_part(sign: char) -> Option<usize> {
    Some(match sign {
        '年' | '년' => 0,
        '月' | '월' => 1,
        '日' | '号' | '일' => 2,
        _ => return None,
    })
}

#[derive(Clone, Copy)]
struct NumberWord {
    value: u128,
    role: &'static str,
}

static NUMBER_WORDS: LazyLock<ByWord<NumberWord>> = LazyLock::new(|| {
    lexicon::NUMBERS
        .rows_by_language()
        .map(|(lang, [word, value, role])| {
            (lang, word, NumberWord { value: value.parse().expect("the value of a number word is a number"), role })
        })
        .collect()
});

#[derive(Clone, Copy)]
struct Unit {
    name: &'static str,
    dimension: &'static str,
}

static UNITS: LazyLock<ByWord<Unit>> = LazyLock::new(|| {
    lexicon::UNITS
        .rows_by_language()
        .map(|(lang, [form, name, dimension])| (lang, form, Unit { name, dimension }))
        .collect()
});

static CURRENCIES: LazyLock<FxHashMap<&'static str, &'static str>> =
    LazyLock::new(|| lexicon::CURRENCIES.rows().map(|[form, code]| (form, code)).collect());

static DIMENSIONS: LazyLock<FxHashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let mut table: FxHashMap<_, _> = lexicon::UNITS.rows().map(|[_, _, unit, dimension]| (unit, dimension)).collect();
    table.extend(lexicon::CURRENCIES.rows().map(|[_, code]| (code, "money")));
    table
});

/// The dimension of a unit; every currency has the dimension `money`, an unknown unit its own.
pub(crate) fn dimension(unit: &str) -> &str {
    DIMENSIONS.get(unit).copied().unwrap_or(unit)
}

#[derive(Clone, Copy)]
struct CalendarWord {
    kind: &'static str,
    value: &'static str,
    ambiguous: bool,
}

static CALENDAR: LazyLock<ByWord<CalendarWord>> = LazyLock::new(|| {
    lexicon::CALENDAR
        .rows_by_language()
        .map(|(lang, [form, kind, value, flag])| (lang, form, CalendarWord { kind, value, ambiguous: flag == "1" }))
        .collect()
});

/// Words and signs that a quantity may open with: few do, and all others are passed over at once.
static OPENINGS: LazyLock<ByWord<()>> = LazyLock::new(|| {
    let words = [lexicon::NUMBERS, lexicon::CALENDAR, lexicon::UNITS].into_iter().flat_map(Table::rows_by_language);
    let signs = CURRENCIES.keys().flat_map(|&form| [form, form.strip_suffix('$').unwrap_or(form)]);
    words.map(|(language, [form])| (language, form, ())).chain(signs.map(|sign| (Language::Any, sign, ()))).collect()
});

fn lookup<T: Copy>(table: &ByWord<T>, language: Language, form: &str) -> Option<T> {
    table.get(language, form).or_else(|| table.get(Language::Any, form)).copied()
}

fn is_clock_word(word: &str) -> bool {
    matches!(word, "am" | "pm") || is_particle(Particle::Clock, word)
}

/// Digits with their separators as one decimal number: no thousands separators, no trailing zeros.
fn canonical(raw: &str, language: Language) -> String {
    let raw: String = raw.chars().filter(|&c| c != ' ' && c != '\'').collect();
    let (sign, raw) = raw.strip_prefix('-').map_or(("", &*raw), |rest| ("-", rest));
    let plain = |part: &str| part.replace([',', '.'], "");
    match raw.rfind([',', '.']) {
        Some(last) if !is_grouping(raw, last, language) => {
            let fraction = raw[last + 1..].trim_end_matches('0');
            let point = if fraction.is_empty() { "" } else { "." };
            [sign, &plain(&raw[..last]), point, fraction].concat()
        }
        _ => [sign, &plain(raw)].concat(),
    }
}

/// Whether the last separator of `raw` separates thousands. Digits are ASCII here, so bytes are characters.
fn is_grouping(raw: &str, last: usize, language: Language) -> bool {
    let comma = raw.as_bytes()[last] == b',';
    let tail = raw.chars().count() - raw[..=last].chars().count();
    if tail != 3 || raw.contains(if comma { '.' } else { ',' }) {
        return false;
    }
    if comma || raw.matches('.').count() > 1 {
        return true;
    }
    !has_decimal_point(language) && last <= 3 && !raw.starts_with('0')
}

/// A decimal number times a power of ten, exactly.
fn shift(number: &str, zeros: usize) -> String {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let moved = format!("{whole}{:0<zeros$}", &fraction[..zeros.min(fraction.len())]);
    let rest = fraction.get(zeros..).unwrap_or("").trim_end_matches('0');
    let moved = match moved.trim_start_matches('0') {
        "" => "0",
        moved => moved,
    };
    if rest.is_empty() { moved.to_owned() } else { format!("{moved}.{rest}") }
}

/// The lexemes with every quantity in its canonical form; all others as they were.
pub(crate) fn quantify(lexemes: Vec<Lexeme<'_>>, language: Language) -> Vec<Lexeme<'_>> {
    let out = Vec::with_capacity(lexemes.len());
    Quantifier { lexemes, language, out }.run()
}

struct Quantifier<'a> {
    lexemes: Vec<Lexeme<'a>>,
    language: Language,
    out: Vec<Lexeme<'a>>,
}

impl<'a> Quantifier<'a> {
    fn run(mut self) -> Vec<Lexeme<'a>> {
        let mut i = 0;
        while i < self.lexemes.len() {
            i = self.step(i);
        }
        self.out
    }

    fn step(&mut self, i: usize) -> usize {
        match self.lexemes[i].kind {
            Kind::Time => return self.clock(i),
            Kind::Date => {
                let key = date_key(&self.lexemes[i].text);
                return self.put(i, i + 1, Kind::Date, key);
            }
            _ => {}
        }
        let readers = [Self::month_date, Self::weekday, Self::cjk_date, Self::amount, Self::rate, Self::currency];
        if self.may_open(&self.lexemes[i]) {
            if let Some(end) = readers.iter().find_map(|reader| reader(self, i)) {
                return end;
            }
        }
        self.out.push(self.lexemes[i].clone());
        i + 1
    }

    fn may_open(&self, lexeme: &Lexeme<'_>) -> bool {
        match lexeme.kind {
            Kind::Word | Kind::Mark => lookup(&OPENINGS, self.language, &lexeme.text).is_some(),
            kind => kind == Kind::Number,
        }
    }

    fn put(&mut self, i: usize, j: usize, kind: Kind, key: impl Into<Cow<'a, str>>) -> usize {
        let (first, end) = (&self.lexemes[i], self.lexemes[j - 1].end);
        self.out.push(Lexeme {
            kind,
            text: key.into(),
            end,
            capital: false,
            shout: false,
            possessive: false,
            ..first.clone()
        });
        j
    }

    fn at(&self, i: usize) -> Option<&Lexeme<'a>> {
        self.lexemes.get(i)
    }

    /// The text of the word or mark at `i`, or "".
    fn word(&self, i: usize) -> &str {
        self.at(i).filter(|lexeme| matches!(lexeme.kind, Kind::Word | Kind::Mark)).map_or("", |lexeme| &*lexeme.text)
    }

    fn is_word(&self, i: usize, class: Particle) -> bool {
        is_particle(class, self.word(i))
    }

    fn table_word<T: Copy>(&self, table: &ByWord<T>, i: usize) -> Option<T> {
        self.at(i)
            .filter(|lexeme| lexeme.kind == Kind::Word)
            .and_then(|lexeme| lookup(table, self.language, &lexeme.text))
    }

    fn number_word(&self, i: usize) -> Option<NumberWord> {
        self.table_word(&NUMBER_WORDS, i)
    }

    fn calendar_word(&self, i: usize) -> Option<CalendarWord> {
        self.table_word(&CALENDAR, i)
    }

    // -- numbers and what they count -----------------------------------------------------------------------------------

    /// The number that starts at `i` in digits or words, and where it ends.
    fn read_number(&self, i: usize) -> Option<(String, usize)> {
        let lexeme = self.at(i)?;
        if lexeme.kind != Kind::Number {
            return self.read_words(i);
        }
        let value = canonical(&lexeme.text, self.language);
        let zeros = self
            .number_word(i + 1)
            .filter(|word| matches!(word.role, "scale" | "multiplier"))
            .and_then(|word| zeros(word.value));
        Some(zeros.map_or_else(|| (value.clone(), i + 1), |zeros| (shift(&value, zeros), i + 2)))
    }

    fn read_words(&self, i: usize) -> Option<(String, usize)> {
        let (mut total, mut group, mut end, mut last) = (0_u128, 0_u128, i, "");
        while let Some(NumberWord { value, role }) = self.number_word(end) {
            let breaks = match role {
                "ordinal" | "multiplier" => true,
                "unit" => last == "unit",
                "ten" => matches!(last, "unit" | "ten"),
                "scale" => last.is_empty(),
                _ => false,
            };
            if breaks {
                break;
            }
            if role == "scale" {
                group = group.max(1) * value;
                if value >= 1000 {
                    total += group;
                    group = 0;
                }
            } else {
                group += value;
            }
            if total + group > LARGEST_WORDS {
                return None;
            }
            last = role;
            end += 1;
            if self.is_word(end, Particle::NumberGlue) && last != "unit" && self.number_word(end + 1).is_some() {
                end += 1;
            }
        }
        while end > i && self.is_word(end - 1, Particle::NumberGlue) {
            end -= 1;
        }
        (end > i).then(|| ((total + group).to_string(), end))
    }

    /// A number with what follows it: a unit, a currency, am or pm, an ordinal ending.
    fn amount(&mut self, i: usize) -> Option<usize> {
        let (value, end) = self.read_number(i)?;
        let word = self.word(end);
        if let Some(follows) = self.at(end) {
            if is_clock_word(word) && is_hour(&value) {
                let hour = half_day(number(&value), word);
                return Some(self.put(i, end + 1, Kind::Time, (hour * 3600).to_string()));
            }
            if follows.joined && is_particle(Particle::OrdinalEnding, word) {
                return Some(self.put(i, end + 1, Kind::Number, value));
            }
        }
        let unit = self.unit(end);
        if unit.is_none() && self.lexemes[i].kind == Kind::Number && is_year(&value) {
            return Some(self.put(i, end, Kind::Date, value + "-0-0"));
        }
        if unit.is_some_and(|(unit, _)| seconds(unit).is_some()) {
            if let Some(end) = self.length(i) {
                return Some(end);
            }
        }
        self.put(i, end, Kind::Number, value);
        Some(unit.map_or(end, |(unit, after)| self.put(end, after, Kind::Unit, unit)))
    }

    /// The unit or currency at `i`, and where it ends.
    fn unit(&self, i: usize) -> Option<(&'static str, usize)> {
        let word = self.word(i);
        if let Some(unit) = mark_unit(word) {
            let scale = self.at(i + 1).is_some_and(|scale| scale.joined && matches!(&*scale.text, "c" | "f"));
            return Some((unit, i + 1 + usize::from(scale)));
        }
        if word.is_empty() {
            return None;
        }
        let unit = lookup(&UNITS, self.language, word).map(|unit| unit.name);
        unit.or_else(|| CURRENCIES.get(word).copied()).map(|unit| (unit, i + 1))
    }

    /// `3 hours 45 minutes 10 seconds` as seconds, if at least two parts stand there.
    fn length(&mut self, i: usize) -> Option<usize> {
        let (mut total, mut parts, mut end, mut j) = (0_u64, 0, i, i);
        while let Some((value, after)) = self.read_number(j) {
            let Some((factor, after_unit)) = self.unit(after).and_then(|(unit, end)| Some((seconds(unit)?, end)))
            else {
                break;
            };
            if value.contains('.') || value.starts_with('-') || value.chars().count() > MOST_LENGTH_DIGITS {
                break;
            }
            (total, parts, end) = (total + number(&value) * factor, parts + 1, after_unit);
            j = end + usize::from(self.is_word(end, Particle::NumberGlue) || self.word(end) == ",");
        }
        (parts > 1).then(|| self.put(i, end, Kind::Time, total.to_string()))
    }

    /// `per month`, `every year`, `monthly`: the unit of a rate.
    fn rate(&mut self, i: usize) -> Option<usize> {
        let word = self.word(i);
        let found = lookup(&UNITS, self.language, word).filter(|unit| matches!(unit.dimension, "period" | "time"))?;
        let adverb = found.dimension == "period" && ANNUAL.iter().any(|ending| word.ends_with(ending));
        let before = i.checked_sub(1).map_or("", |i| self.word(i));
        (adverb || before == "/" || is_particle(Particle::Rate, before))
            .then(|| self.put(i, i + 1, Kind::Unit, found.name))
    }

    /// A currency sign before its number: the number first, then the unit.
    fn currency(&mut self, i: usize) -> Option<usize> {
        if !matches!(self.lexemes[i].kind, Kind::Mark | Kind::Word) {
            return None;
        }
        let sign = &*self.lexemes[i].text;
        let with_dollar = if self.word(i + 1) == "$" { CURRENCIES.get(&*[sign, "$"].concat()).copied() } else { None };
        let (code, start) = match with_dollar {
            Some(code) => (code, i + 2),
            None => (*CURRENCIES.get(sign)?, i + 1),
        };
        let (value, end) = self.read_number(start)?;
        if self.lexemes[start].kind != Kind::Number {
            return None;
        }
        self.put(start, end, Kind::Number, value);
        self.put(i, start, Kind::Unit, code);
        Some(end + usize::from(CURRENCIES.get(self.word(end)) == Some(&code)))
    }

    // -- clocks and calendars ------------------------------------------------------------------------------------------

    fn clock(&mut self, i: usize) -> usize {
        let mut parts = self.lexemes[i].text.split([':', 'h']).map(number);
        let (hour, minutes, rest) = (parts.next(), parts.next(), parts.next());
        let half = self.word(i + 1);
        let hour = half_day(hour.unwrap_or(0), half);
        let total = hour * 3600 + minutes.unwrap_or(0) * 60 + rest.unwrap_or(0);
        let end = i + 1 + usize::from(is_clock_word(half));
        self.put(i, end, Kind::Time, total.to_string())
    }

    fn weekday(&mut self, i: usize) -> Option<usize> {
        let word = self.calendar_word(i).filter(|word| word.kind == "weekday")?;
        (!word.ambiguous || self.lexemes[i].capital).then(|| self.put(i, i + 1, Kind::Weekday, word.value))
    }

    /// A date around a month's name: `5 de marzo`, `March 5th, 2026`, `April 2026`, `June`.
    fn month_date(&mut self, i: usize) -> Option<usize> {
        let (mut day, month_at) = self.day(i).map_or((0, i), |(day, end)| (day, self.glue(end)));
        let word = self.calendar_word(month_at).filter(|word| word.kind == "month")?;
        let mut end = month_at + 1;
        if day == 0 {
            if let Some(after) = self.day_after(end) {
                (day, end) = after;
            }
        }
        let year = self.year(end);
        if word.ambiguous && day == 0 && year.is_none() && !self.month_in_context(month_at) {
            return None;
        }
        let (year, end) = year.unwrap_or_else(|| ("0".to_owned(), end));
        Some(self.put(i, end, Kind::Date, format!("{year}-{}-{day}", word.value)))
    }

    /// Whether an ambiguous name ("may", "march") is a month here: a capital that is not the sentence's.
    fn month_in_context(&self, i: usize) -> bool {
        let lexeme = &self.lexemes[i];
        lexeme.capital && !lexeme.shout && (!lexeme.first || self.word(i + 1) == "is")
    }

    /// A day of a month at `i` (digits, ordinal word or ending) and where it ends.
    fn day(&self, i: usize) -> Option<(u64, usize)> {
        let lexeme = self.at(i)?;
        if lexeme.kind == Kind::Number && lexeme.text.is_ascii() && lexeme.text.len() <= 2 {
            let skip = self.at(i + 1).is_some_and(|ending| {
                ending.joined && (&*ending.text == "." || is_particle(Particle::OrdinalEnding, &ending.text))
            });
            let value = if is_digits(&lexeme.text) { number(&lexeme.text) } else { 0 };
            return (1..=31).contains(&value).then(|| (value, i + 1 + usize::from(skip)));
        }
        let word = self.number_word(i).filter(|word| matches!(word.role, "ordinal" | "unit"))?;
        let value = u64::try_from(word.value).ok().filter(|value| (1..=31).contains(value))?;
        Some((value, i + 1))
    }

    fn day_after(&self, i: usize) -> Option<(u64, usize)> {
        let start = i + usize::from(self.word(i) == "the");
        self.day(start).filter(|&(_, end)| self.unit(end).is_none())
    }

    fn glue(&self, mut i: usize) -> usize {
        while self.is_word(i, Particle::DateGlue) {
            i += 1;
        }
        i
    }

    fn year(&self, i: usize) -> Option<(String, usize)> {
        let at = self.glue(i);
        let lexeme = self.at(at)?;
        (lexeme.kind == Kind::Number && is_year(&lexeme.text) && self.unit(at + 1).is_none())
            .then(|| (lexeme.text.to_string(), at + 1))
    }

    /// `2026年3月5日`: numbers, each joined to the sign of its part.
    fn cjk_date(&mut self, i: usize) -> Option<usize> {
        let (mut parts, mut end, mut rest) = (["0", "0", "0"], i, String::new());
        while let Some(number) = self.at(end).filter(|number| number.kind == Kind::Number && number.text.is_ascii()) {
            let Some(sign) = self.at(end + 1).filter(|sign| sign.kind == Kind::Cjk) else {
                break;
            };
            let mut signs = sign.text.chars();
            let Some(part) = signs.next().and_then(cjk_date_part) else {
                break;
            };
            if part == 0 && !is_year(&number.text) {
                break;
            }
            parts[part] = without_zeros(&number.text);
            end += 2;
            signs.as_str().clone_into(&mut rest);
            if !rest.is_empty() {
                break;
            }
        }
        if end == i {
            return None;
        }
        let key = parts.join("-");
        self.put(i, end, Kind::Date, key);
        if !rest.is_empty() {
            let sign = &self.lexemes[end - 1];
            let length = sign.text.chars().count();
            self.out.push(sign.cut(1, length, Cow::Owned(rest)));
        }
        Some(end)
    }
}

/// How many zeros a power of ten from 10 on has.
fn zeros(value: u128) -> Option<usize> {
    let text = value.to_string();
    (text.len() > 1 && text.trim_matches('0') == "1").then(|| text.len() - 1)
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The value of a few ASCII digits.
fn number(digits: &str) -> u64 {
    digits.bytes().fold(0, |value, digit| value * 10 + u64::from(digit - b'0'))
}

fn without_zeros(digits: &str) -> &str {
    match digits.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    }
}

fn half_day(hour: u64, half: &str) -> u64 {
    match half {
        "am" => hour % 12,
        "pm" => hour % 12 + 12,
        _ => hour,
    }
}

fn is_year(value: &str) -> bool {
    value.len() == 4 && is_digits(value) && (u64::from(FIRST_YEAR)..=u64::from(LAST_YEAR)).contains(&number(value))
}

fn is_hour(value: &str) -> bool {
    (1..=2).contains(&value.len()) && is_digits(value) && number(value) <= 24
}

/// `year-month-day`; where day and month cannot be told apart, the other reading follows after a bar.
fn date_key(raw: &str) -> String {
    let dashed = raw.replace(['/', '.'], "-");
    let parts: Vec<&str> = dashed.trim_matches('-').split('-').map(without_zeros).collect();
    match parts[..] {
        [year, month, day] if year.len() == 4 => return [year, month, day].join("-"),
        [year, month] if year.len() == 4 => return format!("{year}-{month}-0"),
        [month, year] if year.len() == 4 => return format!("{year}-{month}-0"),
        _ => {}
    }
    let (first, second) = (parts[0], parts[1]);
    let year = match parts.get(2) {
        Some(&year) if year.len() < 3 && year != "0" => format!("20{year:0>2}"),
        Some(&year) => year.to_owned(),
        None => "0".to_owned(),
    };
    let mut readings: Vec<String> = [(second, first), (first, second)]
        .into_iter()
        .filter(|(month, day)| number(month) <= 12 && number(day) <= 31)
        .map(|(month, day)| format!("{year}-{month}-{day}"))
        .collect();
    if raw.contains('.') {
        readings.truncate(1);
    }
    readings.dedup();
    if readings.is_empty() { raw.to_owned() } else { readings.join("|") }
}
