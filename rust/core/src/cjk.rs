//! Chinese, Japanese and Korean runs: no spaces, so words of the tables are cut out and the rest becomes bigrams.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::language::Language;
use crate::lexemes::Kind;
use crate::lexicon;
use crate::parsed::Role;
use crate::text::{Class, char_class};
use crate::words::Relation;

/// A piece of a run: `kind` user, cjk or negation; `start` and `end` count characters of the run.
#[derive(Debug)]
pub(crate) struct Piece<'a> {
    pub(crate) kind: Kind,
    pub(crate) text: &'a str,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) role: Role,
    pub(crate) relation: Relation,
}

type Word = (Kind, Role, Relation);

struct Words {
    words: FxHashMap<&'static str, Word>,
    longest: usize,
}

impl Words {
    /// What the tables say of the words of a language. Earlier tables win.
    fn of(language: Language) -> Self {
        let mut words: FxHashMap<&'static str, Word> = FxHashMap::default();
        for (table, kind) in [(lexicon::USER, Kind::User), (lexicon::NEGATION, Kind::Negation)] {
            for (_, [word]) in table.rows_by_language().filter(|row| row.0 == language) {
                words.entry(word).or_insert((kind, Role::Stop, Relation::None));
            }
        }
        for (_, [word, class]) in lexicon::RELATIONS.rows_by_language().filter(|row| row.0 == language) {
            words.entry(word).or_insert((Kind::Cjk, Role::Content, Relation::named(class)));
        }
        for (table, role) in [(lexicon::CJK, Role::Stop), (lexicon::SOFT, Role::Soft)] {
            for (_, [word]) in table.rows_by_language().filter(|row| row.0 == language) {
                words.entry(word).or_insert((Kind::Cjk, role, Relation::None));
            }
        }
        let synonyms = lexicon::SYNONYMS.rows_by_language().filter(|row| row.0 == language);
        for word in synonyms.flat_map(|(_, [synonyms])| synonyms.split(' ')) {
            words.entry(word).or_insert((Kind::Cjk, Role::Content, Relation::None));
        }
        let longest = words.keys().map(|word| word.chars().count()).max().unwrap_or(0);
        Self { words, longest }
    }
}

static CHINESE: LazyLock<Words> = LazyLock::new(|| Words::of(Language::Zh));
static JAPANESE: LazyLock<Words> = LazyLock::new(|| Words::of(Language::Ja));
static KOREAN: LazyLock<Words> = LazyLock::new(|| Words::of(Language::Ko));
/// The words of other languages are not of these scripts.
static NONE: LazyLock<Words> = LazyLock::new(|| Words { words: FxHashMap::default(), longest: 0 });

fn words(language: Language) -> &'static Words {
    match language {
        Language::Zh => &CHINESE,
        Language::Ja => &JAPANESE,
        Language::Ko => &KOREAN,
        _ => &NONE,
    }
}

/// A run with the place of each of its characters.
struct Run<'a> {
    text: &'a str,
    bytes: Vec<usize>,
    language: Language,
}

/// The pieces of a run, in order: words of the tables, and overlapping bigrams of what lies between.
pub(crate) fn cut(text: &str, language: Language) -> Vec<Piece<'_>> {
    let bytes = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    Run { text, bytes, language }.cut()
}

impl<'a> Run<'a> {
    fn len(&self) -> usize {
        self.bytes.len() - 1
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        &self.text[self.bytes[start]..self.bytes[end]]
    }

    fn cut(&self) -> Vec<Piece<'a>> {
        let mut out = Vec::new();
        let (mut start, mut i) = (0, 0);
        while i < self.len() {
            let Some((end, (kind, role, relation))) = self.word_at(i) else {
                i += 1;
                continue;
            };
            self.bigrams(start, i, &mut out);
            let text = if kind == Kind::User { "user" } else { self.slice(i, end) };
            out.push(Piece { kind, text, start: i, end, role, relation });
            i = end;
            start = i;
        }
        self.bigrams(start, self.len(), &mut out);
        out
    }

    /// The longest word of the tables at `i`. In Korean a user word opens its run, an ending closes it.
    fn word_at(&self, i: usize) -> Option<(usize, Word)> {
        let Words { words, longest } = words(self.language);
        (1..=(*longest).min(self.len() - i)).rev().find_map(|size| {
            let found = *words.get(self.slice(i, i + size))?;
            (self.language != Language::Ko || self.fits_korean(i, size, found)).then_some((i + size, found))
        })
    }

    /// An ending closes its run; other words open it, and a pronoun of one syllable only with an ending behind it.
    fn fits_korean(&self, i: usize, size: usize, word: Word) -> bool {
        let is_ending = |(kind, role, _): Word| kind == Kind::Cjk && role == Role::Stop;
        if size == self.len() {
            return true;
        }
        if is_ending(word) {
            return i > 0 && i + size == self.len();
        }
        let followed =
            || words(self.language).words.get(self.slice(size, self.len())).is_some_and(|&word| is_ending(word));
        i == 0 && (size > 1 || word.0 != Kind::User || followed())
    }

    fn bigrams(&self, start: usize, end: usize, out: &mut Vec<Piece<'a>>) {
        if end - start == 1 {
            out.push(self.piece(start, end));
        } else if end > start {
            out.extend((start..end - 1).map(|i| self.piece(i, i + 2)));
        }
    }

    /// A bigram of Hiragana alone is grammar in Japanese: it never decides.
    fn piece(&self, start: usize, end: usize) -> Piece<'a> {
        let text = self.slice(start, end);
        let soft = self.language == Language::Ja && text.chars().all(|c| char_class(c) == Class::Hiragana);
        let role = if soft { Role::Soft } else { Role::Content };
        Piece { kind: Kind::Cjk, text, start, end, role, relation: Relation::None }
    }
}
