//! The word data of the rules: tab-separated tables, shared with the Python twin, compiled in.
//!
//! A table starts with comment lines, then a row of column names, then the rows; see `lexicon/__init__.py`.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::language::Language;

macro_rules! tables {
    ($($name:ident = $file:literal),* $(,)?) => {
        $(pub(crate) const $name: Table = Table(include_str!(
            concat!("../../../python/forgetguard/rules/lexicon/", $file, ".tsv")
        ));)*
    };
}

/// A number that stands for a place in a table; 0 for none.
pub(crate) type Number = u32;

/// The text of one table.
#[derive(Clone, Copy)]
pub(crate) struct Table(&'static str);

tables! {
    ANTONYMS = "antonyms",
    ASYMMETRIC = "asymmetric",
    CALENDAR = "calendar",
    CHANGE = "change",
    CJK = "cjk",
    CLASSES = "classes",
    CONTRACTIONS = "contractions",
    CONVERSE = "converse",
    CURRENCIES = "currencies",
    DIRECTION = "direction",
    FOLD = "fold",
    IRREGULAR = "irregular",
    MODALS = "modals",
    NAMES = "names",
    NEGATION = "negation",
    NUMBERS = "numbers",
    PARTICLES = "particles",
    PHRASES = "phrases",
    QUANTIFIERS = "quantifiers",
    RARITY = "rarity",
    RELATIONS = "relations",
    REQUEST_CJK = "request_cjk",
    REQUEST_VERBS = "request_verbs",
    REQUEST_WORDS = "request_words",
    RULES = "rules",
    SENSES = "senses",
    SOFT = "soft",
    STOP = "stop",
    SUFFIX = "suffix",
    SYNONYMS = "synonyms",
    UNITS = "units",
    USER = "user",
}

impl Table {
    fn lines(self) -> impl Iterator<Item = &'static str> {
        Parts::of(self.0, b'\n').filter(|line| !line.is_empty() && !line.starts_with('#')).skip(1)
    }

    /// The first `N` cells of every row, in file order. Panics where a row is shorter: the tables are part of the build.
    pub(crate) fn rows<const N: usize>(self) -> impl Iterator<Item = [&'static str; N]> {
        self.lines().map(|line| {
            let mut cells = Parts::of(line, b'\t');
            std::array::from_fn(|_| cells.next().expect("a row of a lexicon table is too short"))
        })
    }

    /// The same for a table whose first column is a language: rows of languages that the rules do not know are left out.
    pub(crate) fn rows_by_language<const N: usize>(self) -> impl Iterator<Item = (Language, [&'static str; N])> {
        self.lines().filter_map(|line| {
            let mut cells = Parts::of(line, b'\t');
            let language = Language::from_code(cells.next()?)?;
            Some((language, std::array::from_fn(|_| cells.next().expect("a row of a lexicon table is too short"))))
        })
    }
}

/// The parts of a text between ASCII separators, as `str::split` has them.
///
/// Cells and words are short, and for those a plain look at each byte is several times as quick: the tables are read
/// while a host waits for the first answer of a process.
pub(crate) struct Parts<'a> {
    rest: Option<&'a str>,
    separator: u8,
}

impl<'a> Parts<'a> {
    pub(crate) fn of(text: &'a str, separator: u8) -> Self {
        debug_assert!(separator.is_ascii(), "a part would end inside a character");
        Self { rest: Some(text), separator }
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest?;
        let Some(end) = rest.bytes().position(|byte| byte == self.separator) else {
            return self.rest.take();
        };
        self.rest = Some(&rest[end + 1..]);
        Some(&rest[..end])
    }
}

/// What the tables say of a word in a language.
#[derive(Debug)]
pub(crate) struct ByWord<T>([FxHashMap<Cow<'static, str>, T>; Language::COUNT]);

impl<T> Default for ByWord<T> {
    fn default() -> Self {
        Self(std::array::from_fn(|_| FxHashMap::default()))
    }
}

impl<T> ByWord<T> {
    /// What is said of `word` in this very language.
    pub(crate) fn get(&self, language: Language, word: &str) -> Option<&T> {
        self.0[language as usize].get(word)
    }

    pub(crate) fn contains(&self, language: Language, word: &str) -> bool {
        self.get(language, word).is_some()
    }

    pub(crate) fn insert(&mut self, language: Language, word: impl Into<Cow<'static, str>>, value: T) {
        self.0[language as usize].insert(word.into(), value);
    }

    pub(crate) fn entry(&mut self, language: Language, word: impl Into<Cow<'static, str>>) -> &mut T
    where
        T: Default,
    {
        self.0[language as usize].entry(word.into()).or_default()
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().flat_map(FxHashMap::values_mut)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Language, &str, &T)> {
        self.0
            .iter()
            .zip(Language::ALL)
            .flat_map(|(words, language)| words.iter().map(move |(word, value)| (language, &**word, value)))
    }
}

impl<T, W: Into<Cow<'static, str>>> FromIterator<(Language, W, T)> for ByWord<T> {
    fn from_iter<I: IntoIterator<Item = (Language, W, T)>>(rows: I) -> Self {
        let mut table = Self::default();
        for (language, word, value) in rows {
            table.insert(language, word, value);
        }
        table
    }
}
