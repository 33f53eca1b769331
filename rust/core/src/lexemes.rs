//! Folded text to lexemes: where one piece ends and the next begins, before any of them means something.
//!
//! One pass, linear in the text. Patterns are tried in a fixed order at each place: e-mail, URL, time, date, phone,
//! number, code, word. What a lexeme means (a name, the user, a sum of money) is decided in `tokens`.

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::lexicon;
use crate::text::{Class, Folded, index};

pub(crate) const SENTENCE_ENDS: &str = ".!?:;…。!?:;．\n";
/// Fewest digits of a phone number that starts with + or 00; without such a start, [`LOCAL_PHONE_DIGITS`] in groups.
const PHONE_DIGITS: usize = 7;
const LOCAL_PHONE_DIGITS: usize = 9;
const MOST_PHONE_DIGITS: usize = 15;
/// Least groups and digits of a code that is written in groups.
const GROUPS: usize = 3;
const GROUP_DIGITS: usize = 6;

/// What a lexeme or a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// The user.
    User,
    /// A word.
    Word,
    /// The name of a person or thing.
    Name,
    /// A piece of a run without spaces.
    Cjk,
    /// A number.
    Number,
    /// A unit or currency.
    Unit,
    /// A date, or a part of one.
    Date,
    /// A day of the week.
    Weekday,
    /// A time of day or a length of time.
    Time,
    /// A phone number.
    Phone,
    /// An e-mail address.
    Email,
    /// The address of a page.
    Url,
    /// A code.
    Id,
    /// An emoji.
    Emoji,
    /// Punctuation.
    Mark,
    /// A word of negation.
    Negation,
}

impl Kind {
    /// Its name in the fixtures.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Word => "word",
            Self::Name => "name",
            Self::Cjk => "cjk",
            Self::Number => "number",
            Self::Unit => "unit",
            Self::Date => "date",
            Self::Weekday => "weekday",
            Self::Time => "time",
            Self::Phone => "phone",
            Self::Email => "email",
            Self::Url => "url",
            Self::Id => "id",
            Self::Emoji => "emoji",
            Self::Mark => "mark",
            Self::Negation => "negation",
        }
    }
}

/// A piece of text before it means anything.
///
/// `capital`: the first letter was upper case. `shout`: all of two or more letters were. `first`: no word stands before
/// it in its sentence. `joined`: no space stands before it. `possessive`: it ended in 's. `privative`: -free followed.
/// `at`: of a run, where each of its characters stands, unless they stand one behind the other as in the cleaned text
/// ("ｶﾞ" is one character). `start` and `end` count code points of the cleaned text. From `quantities` on, the kinds number, unit, date, weekday
/// and time carry a canonical key as their text.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // answers about one piece, as in the Python twin
pub(crate) struct Lexeme<'a> {
    pub(crate) kind: Kind,
    pub(crate) text: Cow<'a, str>,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) capital: bool,
    pub(crate) shout: bool,
    pub(crate) first: bool,
    pub(crate) joined: bool,
    pub(crate) possessive: bool,
    pub(crate) privative: bool,
    pub(crate) at: Vec<u32>,
}

impl Lexeme<'_> {
    /// Where character `n` of the text of a run stands in the cleaned text.
    pub(crate) fn place(&self, n: usize) -> u32 {
        self.at.get(n).copied().unwrap_or_else(|| self.start + index(n))
    }

    /// The characters of a run from `start` up to `end`, whose text is `text`.
    pub(crate) fn cut<'a>(&self, start: usize, end: usize, text: Cow<'a, str>) -> Lexeme<'a> {
        let at = self.at.get(start..end).unwrap_or_default().to_vec();
        let (start, end) = (self.place(start), self.place(end - 1) + 1);
        let Self { kind, capital, shout, first, joined, possessive, privative, .. } = *self;
        Lexeme { kind, text, start, end, capital, shout, first, joined, possessive, privative, at }
    }
}

/// Letters that may follow a number without a space: units, ordinal endings, am and pm, k and m.
static NUMBER_ENDINGS: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    let units = lexicon::UNITS.rows().map(|[_, form]| form);
    let currencies = lexicon::CURRENCIES.rows().map(|[form]| form);
    let endings =
        ["st", "nd", "rd", "th", "k", "m", "mn", "bn", "am", "pm", "h", "o", "a", "e", "er", "eme"].into_iter();
    units.chain(currencies).chain(endings).collect()
});

const fn ends_line(char: char) -> bool {
    matches!(char, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The lexemes of a cleaned text and its folded form, in order.
pub(crate) fn scan<'a>(text: &str, folded: &'a Folded) -> Vec<Lexeme<'a>> {
    let (size, holds) = (folded.chars.len(), |mark| folded.string.contains(mark));
    let line_ends = text.chars().enumerate().filter(|&(_, c)| ends_line(c)).map(|(at, _)| index(at)).collect();
    Scanner {
        folded,
        line_ends,
        size,
        // A text without the mark has none: most hold neither.
        no_email_before: if holds('@') { 0 } else { size },
        no_phone_before: 0,
        no_code_before: 0,
        no_groups_before: 0,
        no_domain_before: if holds('.') { 0 } else { size },
        out: Vec::with_capacity(size / 4 + 4),
        first: true,
        joined: false,
    }
    .run()
}

/// Walks the folded characters once. The `no_…_before` keep the walk linear: no such pattern begins before them.
struct Scanner<'a> {
    folded: &'a Folded,
    /// Where the cleaned text has line ends, which fold to spaces.
    line_ends: Vec<u32>,
    size: usize,
    no_email_before: usize,
    no_phone_before: usize,
    no_code_before: usize,
    no_groups_before: usize,
    no_domain_before: usize,
    out: Vec<Lexeme<'a>>,
    first: bool,
    joined: bool,
}

type Pattern<'a> = fn(&mut Scanner<'a>, usize) -> Option<usize>;

impl<'a> Scanner<'a> {
    fn run(mut self) -> Vec<Lexeme<'a>> {
        let mut i = 0;
        while i < self.size {
            let class = self.folded.classes[i];
            i = if class == Class::Space || self.folded.chars[i] == ' ' {
                if self.line_ends.binary_search(&self.folded.at[i]).is_ok() {
                    self.emit(Kind::Mark, i, i + 1, Some("\n"));
                }
                self.joined = false;
                i + 1
            } else if class.is_alphanumeric() {
                self.alphanumeric(i)
            } else if class.is_cjk() {
                let end = self.run_of(i, Class::is_cjk);
                self.emit(Kind::Cjk, i, end, None)
            } else if class == Class::Emoji {
                self.emit(Kind::Emoji, i, i + 1, None)
            } else {
                self.mark(i)
            };
        }
        self.out
    }

    fn emit(&mut self, kind: Kind, i: usize, j: usize, text: Option<&'static str>) -> usize {
        let folded = self.folded;
        self.emit_as(kind, i, j, Cow::Borrowed(text.unwrap_or_else(|| folded.slice(i, j))))
    }

    fn emit_as(&mut self, kind: Kind, i: usize, j: usize, text: Cow<'a, str>) -> usize {
        let mut letters = self.folded.classes[i..j].iter().filter(|class| class.is_letter());
        let capital = letters.next() == Some(&Class::Upper);
        let mut rest = letters.peekable();
        let shout = capital && rest.peek().is_some() && rest.all(|&class| class == Class::Upper);
        let (first, last) = (self.folded.at[i], self.folded.at[j - 1]);
        let dense = kind != Kind::Cjk || (last - first) as usize == j - 1 - i;
        let ends_sentence = kind == Kind::Mark && SENTENCE_ENDS.contains(&*text);
        self.out.push(Lexeme {
            kind,
            text,
            start: first,
            end: last + 1,
            capital,
            shout,
            first: self.first,
            joined: self.joined,
            possessive: false,
            privative: false,
            at: if dense { Vec::new() } else { self.folded.at[i..j].to_vec() },
        });
        if ends_sentence {
            if !self.after_initial() {
                self.first = true;
            }
        } else if matches!(kind, Kind::Word | Kind::Cjk) {
            self.first = false;
        }
        self.joined = true;
        j
    }

    /// A full stop after a lone capital ("S. Almeida") ends no sentence.
    fn after_initial(&self) -> bool {
        let before = self.out.len().checked_sub(2).map(|at| &self.out[at]);
        before.is_some_and(|lexeme| lexeme.kind == Kind::Word && lexeme.text.chars().count() == 1 && lexeme.capital)
    }

    fn run_of(&self, i: usize, belongs: impl Fn(Class) -> bool) -> usize {
        self.folded.classes[i..].iter().position(|&class| !belongs(class)).map_or(self.size, |length| i + length)
    }

    fn is(&self, i: usize, belongs: impl Fn(Class) -> bool) -> bool {
        self.folded.classes.get(i).is_some_and(|&class| belongs(class))
    }

    fn char(&self, i: usize) -> Option<char> {
        self.folded.chars.get(i).copied()
    }

    fn char_in(&self, i: usize, set: &str) -> bool {
        self.char(i).is_some_and(|char| set.contains(char))
    }

    fn slice(&self, i: usize, j: usize) -> &'a str {
        self.folded.slice(i, j.min(self.size))
    }

    fn mark(&mut self, i: usize) -> usize {
        if self.char_in(i, "+(") {
            if let Some(end) = self.phone(i) {
                return self.emit(Kind::Phone, i, end, None);
            }
        }
        if self.char(i) == Some('-') && self.is(i + 1, Class::is_digit) && !self.joined {
            let end = self.number(i + 1);
            return self.emit(Kind::Number, i, end, None);
        }
        self.emit(Kind::Mark, i, i + 1, None)
    }

    fn first_of(&mut self, i: usize, patterns: &[(Kind, Pattern<'a>)]) -> Option<(Kind, usize)> {
        patterns.iter().find_map(|&(kind, pattern)| pattern(self, i).map(|end| (kind, end)))
    }

    fn alphanumeric(&mut self, i: usize) -> usize {
        let patterns: [(Kind, Pattern<'a>); 3] =
            [(Kind::Email, Self::email), (Kind::Url, Self::url), (Kind::Id, Self::grouped)];
        if let Some((kind, end)) = self.first_of(i, &patterns) {
            return self.emit(kind, i, end, None);
        }
        if !self.folded.classes[i].is_digit() {
            return self.word_or_code(i);
        }
        let patterns: [(Kind, Pattern<'a>); 3] =
            [(Kind::Time, Self::time), (Kind::Date, Self::date), (Kind::Phone, Self::phone)];
        if let Some((kind, end)) = self.first_of(i, &patterns) {
            return self.emit(kind, i, end, None);
        }
        let end = self.number(i);
        if self.is(end, Class::is_letter) {
            let letters = self.run_of(end, Class::is_letter);
            let ending = self.slice(end, letters);
            if !NUMBER_ENDINGS.contains(ending) || (self.is(letters, Class::is_digit) && ending != "h") {
                let code = self.code(i);
                return self.emit(Kind::Id, i, code, None);
            }
        } else if self.char_in(end, "-_")
            && self.is(end + 1, |c| matches!(c, Class::Digit | Class::Upper))
            && i >= self.no_code_before
        {
            let code = self.code(i);
            if self.folded.classes[i..code].iter().any(|class| class.is_letter()) {
                return self.emit(Kind::Id, i, code, None);
            }
            self.no_code_before = code;
        }
        self.emit(Kind::Number, i, end, None)
    }

    fn word_or_code(&mut self, i: usize) -> usize {
        let mut end = self.run_of(i, Class::is_letter);
        while self.char(end) == Some('\'') && self.is(end + 1, Class::is_letter) {
            end = self.run_of(end + 1, Class::is_letter);
        }
        let follows = if self.char_in(end, "-_") { end + 1 } else { end };
        if self.is(follows, Class::is_digit) {
            let code = self.code(i);
            return self.emit(Kind::Id, i, code, None);
        }
        if let Some(plate) = self.plate(i, end) {
            return self.emit(Kind::Id, i, plate, None);
        }
        if self.slice(i, follows + 4) == "e-mail" {
            end = self.run_of(follows, Class::is_letter);
            let joined = self.slice(i, end).replace('-', "");
            return self.emit_as(Kind::Word, i, end, Cow::Owned(joined));
        }
        self.emit(Kind::Word, i, end, None)
    }

    /// End of a code written in groups of two to five capitals and digits ("NL91 ABNA 0417 1643 00").
    fn grouped(&mut self, i: usize) -> Option<usize> {
        if i < self.no_groups_before {
            return None;
        }
        let (mut end, mut groups, mut digits, mut letters, mut j) = (0, 0, 0, 0, i);
        loop {
            let k = self.run_of(j, |class| matches!(class, Class::Upper | Class::Digit));
            if !(2..=5).contains(&(k - j)) || self.is(k, |class| class == Class::Letter) {
                break;
            }
            let group_digits = self.folded.classes[j..k].iter().filter(|class| class.is_digit()).count();
            (digits, letters) = (digits + group_digits, letters + k - j - group_digits);
            (end, groups) = (k, groups + 1);
            if self.char(k) != Some(' ') {
                break;
            }
            j = k + 1;
        }
        if groups >= GROUPS && digits >= GROUP_DIGITS && letters > 0 {
            return Some(end);
        }
        self.no_groups_before = end; // what begins later in the same groups has fewer of everything
        None
    }

    /// End of two to four capitals, a space and three to six digits ("KXR 4471"); money and years are none.
    fn plate(&self, i: usize, end: usize) -> Option<usize> {
        if !(2..=4).contains(&(end - i))
            || self.folded.classes[i..end].contains(&Class::Letter)
            || self.char(end) != Some(' ')
        {
            return None;
        }
        let digits = self.digits(end + 1, 3, 6)?;
        if self.is(digits, Class::is_letter) || self.char_in(digits, ",.:/-%") {
            return None;
        }
        let year = digits - end - 1 == 4 && matches!(self.slice(end + 1, end + 3), "19" | "20");
        (!year && !NUMBER_ENDINGS.contains(self.slice(i, end))).then_some(digits)
    }

    /// End of letters, digits, and single - or _ between them.
    fn code(&self, mut i: usize) -> usize {
        loop {
            i = self.run_of(i, Class::is_alphanumeric);
            if !(self.char_in(i, "-_") && self.is(i + 1, Class::is_alphanumeric)) {
                return i;
            }
            i += 1;
        }
    }

    fn email(&mut self, i: usize) -> Option<usize> {
        if i < self.no_email_before {
            return None;
        }
        let mut j = i;
        while self.is(j, Class::is_alphanumeric) || self.char_in(j, "._%+-") {
            j += 1;
        }
        if self.char(j) != Some('@') {
            self.no_email_before = j;
            return None;
        }
        let (end, _) = self.domain(j + 1);
        if end.is_none() {
            self.no_email_before = j + 1;
        }
        end
    }

    /// End of a host name with at least one dot, and how far it was looked for.
    fn domain(&self, i: usize) -> (Option<usize>, usize) {
        let (mut dots, mut j) = (0, i);
        loop {
            let label = j;
            while self.is(j, Class::is_alphanumeric) || (self.char(j) == Some('-') && j > label) {
                j += 1;
            }
            if j == label {
                return ((dots > 1).then(|| j - 1), j);
            }
            if self.char(j) != Some('.') {
                return ((dots > 0).then_some(j), j);
            }
            dots += 1;
            j += 1;
        }
    }

    fn url(&mut self, i: usize) -> Option<usize> {
        let rest = self.slice(i, i + 8);
        if !["http://", "https://", "www."].iter().any(|start| rest.starts_with(start)) {
            return self.bare_domain(i);
        }
        let mut j = i;
        while self.is(j, |class| class != Class::Space && !class.is_cjk()) && !self.char_in(j, " \"<>") {
            j += 1;
        }
        while self.char_in(j - 1, ".,;:!?)]'") {
            j -= 1;
        }
        (j > i + "www.".len()).then_some(j)
    }

    /// End of a host name that nothing marks as one ("example.org/page"): small letters around every dot.
    fn bare_domain(&mut self, i: usize) -> Option<usize> {
        if i < self.no_domain_before {
            return None;
        }
        let (found, looked_at) = self.domain(i);
        let Some(mut end) = found else {
            self.no_domain_before = looked_at;
            return None;
        };
        let dots = || (i..end).filter(|&at| self.folded.chars[at] == '.');
        let last = dots().next_back().map_or(i, |dot| dot + 1);
        let small = self.folded.classes[last..end].iter().all(|&class| class == Class::Letter);
        if !small || self.char(end) == Some('(') {
            self.no_domain_before = end;
            return None;
        }
        let (mut start, mut behind_short) = (i, None);
        for stop in dots().chain([end]) {
            if stop - start < 2 {
                behind_short = Some(stop + 1);
            }
            start = stop + 1;
        }
        if let Some(behind) = behind_short {
            self.no_domain_before = behind;
            return None;
        }
        while self.char(end) == Some('/') {
            end = self.run_of(end + 1, Class::is_alphanumeric);
        }
        Some(end)
    }

    /// End of a run of `least` to `most` digits that no further digit follows.
    fn digits(&self, i: usize, least: usize, most: usize) -> Option<usize> {
        let end = self.run_of(i, Class::is_digit);
        (least..=most).contains(&(end - i)).then_some(end)
    }

    fn time(&mut self, i: usize) -> Option<usize> {
        let hours = self.digits(i, 1, 2)?;
        if self.char(hours) == Some('h') {
            return self.digits(hours + 1, 2, 2);
        }
        if self.char(hours) != Some(':') {
            return None;
        }
        let minutes = self.digits(hours + 1, 2, 2)?;
        if self.char(minutes) == Some(':') {
            return self.digits(minutes + 1, 2, 2);
        }
        Some(minutes)
    }

    fn date(&mut self, i: usize) -> Option<usize> {
        let one = self.digits(i, 1, 4)?;
        let separator = self.char(one).filter(|&c| "-/.".contains(c))?;
        let two = self.digits(one + 1, 1, 4)?;
        let (first, second) = (one - i, two - one - 1);
        let separated = self.char(two) == Some(separator);
        let three = if separated { self.digits(two + 1, 1, 4) } else { None };
        if let Some(three) = three {
            let third = three - two - 1;
            let year_first = first == 4 && second <= 2 && third <= 2;
            let year_last = first <= 2 && second <= 2 && (third == 2 || third == 4);
            return (year_first || year_last).then_some(three);
        }
        if separated && separator == '.' && first <= 2 && second == 2 {
            return Some(two + 1);
        }
        if separator == '/' && first <= 2 && matches!(second, 1 | 2 | 4) && self.char(two) != Some('/') {
            return Some(two);
        }
        (separator == '-' && first == 4 && second == 2 && self.char(two) != Some('-')).then_some(two)
    }

    /// + or 00 and 7 or more digits, or 9 or more digits in groups of two or more.
    fn phone(&mut self, i: usize) -> Option<usize> {
        if i < self.no_phone_before {
            return None;
        }
        let marked = self.char(i) == Some('+') || matches!(self.slice(i, i + 2), "00" | "(+" | "(0");
        let (mut digits, mut groups, mut j, mut end) = (0, 0, i, i);
        while j < self.size {
            if self.folded.classes[j].is_digit() {
                let k = self.run_of(j, Class::is_digit);
                if (!marked && k - j < 2) || k - j > MOST_PHONE_DIGITS || digits + k - j > MOST_PHONE_DIGITS {
                    break;
                }
                (digits, groups, j, end) = (digits + k - j, groups + 1, k, k);
            } else if self.char_in(j, "+()- ") && j - end < 2 + usize::from(j == i) {
                j += 1;
            } else {
                break;
            }
        }
        let enough = if marked { digits >= PHONE_DIGITS } else { digits >= LOCAL_PHONE_DIGITS && groups > 1 };
        if enough && !self.is(end, Class::is_letter) {
            return Some(end);
        }
        self.no_phone_before = end;
        None
    }

    /// Digits, with thousands separated by , . ' or a space, and decimals.
    fn number(&self, i: usize) -> usize {
        let whole = self.run_of(i, Class::is_digit);
        let mut end = whole;
        while self.char_in(end, ",.' ") && self.is(end + 1, Class::is_digit) {
            let group = self.run_of(end + 1, Class::is_digit);
            let spaced = self.char_in(end, "' ");
            if spaced && !(group - end == 4 && end - i <= 7 && whole - i <= 3) {
                break;
            }
            end = group;
        }
        end
    }
}
