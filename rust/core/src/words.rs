//! Words: which language, and what the lists say of each.

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::language::Language;
use crate::lexemes::{Kind, Lexeme};
use crate::lexicon::{self, ByWord, Parts, Table};
use crate::stems::{is_irregular, stem};
use crate::wordnet;

/// Languages that the vote chooses between; the first wins a tie.
pub(crate) const LANGUAGES: [Language; 5] = [Language::En, Language::Pt, Language::Es, Language::Fr, Language::De];
/// What a stop word's vote weighs beside that of another word.
const STOP_VOTES: u32 = 2;
/// Tables whose words vote beside the stop words and negations, with half their weight.
const VOTING_TABLES: [Table; 7] = [
    lexicon::USER,
    lexicon::CONTRACTIONS,
    lexicon::RELATIONS,
    lexicon::SOFT,
    lexicon::NUMBERS,
    lexicon::CALENDAR,
    lexicon::UNITS,
];

/// With what weight each listed word votes for each language.
static VOTES: LazyLock<FxHashMap<&'static str, [u32; LANGUAGES.len()]>> = LazyLock::new(|| {
    let mut votes: FxHashMap<_, [u32; LANGUAGES.len()]> = FxHashMap::default();
    for (language, [word, weight]) in lexicon::STOP.rows_by_language() {
        if let Some(at) = place(language).filter(|_| weight == "1") {
            votes.entry(word).or_default()[at] = STOP_VOTES;
        }
    }
    for (language, [word]) in lexicon::NEGATION.rows_by_language() {
        if let Some(at) = place(language) {
            votes.entry(word).or_default()[at] = STOP_VOTES;
        }
    }
    for table in VOTING_TABLES {
        for (language, [word]) in table.rows_by_language() {
            if let Some(at) = place(language) {
                let counted = &mut votes.entry(word).or_default()[at];
                *counted = (*counted).max(1);
            }
        }
    }
    votes
});

fn place(language: Language) -> Option<usize> {
    LANGUAGES.iter().position(|&voted| voted == language)
}

/// The languages that a text may be in, the likeliest first; for CJK the one of its script.
///
/// Listed words vote; among languages with equally many votes the text's inflected words put one first.
pub(crate) fn vote(lexemes: &[Lexeme<'_>]) -> Vec<Language> {
    let runs = || lexemes.iter().filter(|lexeme| lexeme.kind == Kind::Cjk).flat_map(|lexeme| lexeme.text.chars());
    let words = || lexemes.iter().filter(|lexeme| lexeme.kind == Kind::Word);
    let characters = runs().count();
    if characters > 0 && 2 * characters > words().count() {
        let language = if runs().any(|c| ('\u{ac00}'..='\u{d7a3}').contains(&c)) {
            Language::Ko
        } else if runs().any(|c| ('\u{3041}'..='\u{30ff}').contains(&c)) {
            Language::Ja
        } else {
            Language::Zh
        };
        return vec![language];
    }
    let mut counts = [0; LANGUAGES.len()];
    for part in words().flat_map(|word| Parts::of(&word.text, b'\'')) {
        if let Some(found) = VOTES.get(part) {
            for (count, votes) in counts.iter_mut().zip(found) {
                *count += votes;
            }
        }
    }
    let most = counts.into_iter().max().unwrap_or(0);
    // A single listed word that is no stop word proves nothing ("chose" is French, and English).
    let mut leading: Vec<(Language, usize)> = LANGUAGES
        .into_iter()
        .zip(counts)
        .filter(|&(_, count)| count == most || most < STOP_VOTES)
        .map(|(language, count)| (language, count as usize))
        .collect();
    if leading.len() > 1 {
        for (language, count) in &mut leading {
            *count += words().filter(|word| is_word_of(&word.text, *language)).count();
        }
        leading.sort_by_key(|&(_, count)| usize::MAX - count);
    }
    leading.into_iter().map(|(language, _)| language).collect()
}

/// Whether the tables of ordinary words and of irregular forms know a word of this language.
fn is_word_of(word: &str, language: Language) -> bool {
    is_irregular(word, language) || (language == Language::En && wordnet::is_word(word))
}

// -- lists -------------------------------------------------------------------------------------------------------------

/// A word list.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(crate) enum List {
    Stop,
    Soft,
    User,
}

/// What the lists say of a word: which hold it, a bit each, and its stem, kept since most words of a text are listed.
#[derive(Default)]
pub(crate) struct Listed {
    lists: u8,
    pub(crate) stem: Cow<'static, str>,
}

impl Listed {
    pub(crate) const fn is_in(&self, list: List) -> bool {
        self.lists & 1 << list as u8 != 0
    }
}

static LISTS: LazyLock<ByWord<Listed>> = LazyLock::new(|| {
    let mut table: ByWord<Listed> = ByWord::default();
    for (list, words) in [(List::Stop, lexicon::STOP), (List::Soft, lexicon::SOFT), (List::User, lexicon::USER)] {
        for (language, [word]) in words.rows_by_language() {
            let listed = table.entry(language, word);
            listed.lists |= 1 << list as u8;
            listed.stem = stem(word, language);
        }
    }
    table
});

/// What the lists of this language say of a word, if it stands in any.
pub(crate) fn listed(form: &str, language: Language) -> Option<&'static Listed> {
    LISTS.get(language, form)
}

/// Whether a word stands in a list of this language.
pub(crate) fn is_listed(list: List, form: &str, language: Language) -> bool {
    listed(form, language).is_some_and(|listed| listed.is_in(list))
}

macro_rules! particle_classes {
    ($($class:ident = $name:literal),* $(,)?) => {
        /// A class of `particles.tsv`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Particle { $($class),* }

        impl Particle {
            fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$class),)* _ => None }
            }
        }
    };
}

particle_classes! {
    Abbreviation = "abbreviation",
    Agent = "agent",
    Article = "article",
    Be = "be",
    Clock = "clock",
    Comparison = "comparison",
    Complement = "complement",
    Conjunction = "conjunction",
    Consequence = "consequence",
    DateGlue = "date-glue",
    Determiner = "determiner",
    FileEnding = "file-ending",
    Genitive = "genitive",
    LightNoun = "light-noun",
    NameEnding = "name-ending",
    NeverPossessive = "never-possessive",
    NumberGlue = "number-glue",
    Oblique = "oblique",
    OrdinalEnding = "ordinal-ending",
    Pair = "pair",
    Party = "party",
    Possessive = "possessive",
    Premise = "premise",
    Preposition = "preposition",
    Privative = "privative",
    Pronoun = "pronoun",
    Rate = "rate",
    Relative = "relative",
    Role = "role",
    ScopeEnd = "scope-end",
    Somebodys = "somebodys",
    Speaker = "speaker",
    Subordinator = "subordinator",
    Third = "third",
    Werden = "werden",
}

/// The classes of each function word, a bit each.
static PARTICLES: LazyLock<FxHashMap<&'static str, u64>> = LazyLock::new(|| {
    let mut table = FxHashMap::default();
    for [class, form] in lexicon::PARTICLES.rows() {
        if let Some(class) = Particle::named(class) {
            *table.entry(form).or_default() |= 1 << class as u64;
        }
    }
    table
});

/// The function words of this class.
pub(crate) fn particles(class: Particle) -> Vec<&'static str> {
    lexicon::PARTICLES.rows().filter(|&[name, _]| Particle::named(name) == Some(class)).map(|[_, form]| form).collect()
}

/// Whether `form` is a function word of this class.
pub(crate) fn is_particle(class: Particle, form: &str) -> bool {
    is_any_particle(&[class], form)
}

/// Whether `form` is a function word of one of these classes.
pub(crate) fn is_any_particle(classes: &[Particle], form: &str) -> bool {
    let wanted = classes.iter().fold(0, |wanted, &class| wanted | 1 << class as u64);
    PARTICLES.get(form).is_some_and(|classes| classes & wanted != 0)
}

/// The class of a relation word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Relation {
    /// No relation word.
    #[default]
    None,
    /// Family.
    Kin,
    /// Husband, wife, partner.
    Partner,
    /// Friends, neighbours.
    Social,
    /// Boss, colleague.
    Work,
    /// Doctor, teacher.
    Care,
    /// An animal of the house.
    Pet,
    /// Team, company.
    Group,
}

impl Relation {
    /// Its name in the tables and fixtures; "" for none.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Kin => "kin",
            Self::Partner => "partner",
            Self::Social => "social",
            Self::Work => "work",
            Self::Care => "care",
            Self::Pet => "pet",
            Self::Group => "group",
        }
    }

    /// Whether it is one.
    #[must_use]
    pub const fn is_some(self) -> bool {
        !matches!(self, Self::None)
    }

    pub(crate) fn named(name: &str) -> Self {
        match name {
            "kin" => Self::Kin,
            "partner" => Self::Partner,
            "social" => Self::Social,
            "work" => Self::Work,
            "care" => Self::Care,
            "pet" => Self::Pet,
            "group" => Self::Group,
            _ => panic!("relations.tsv names a class that the rules do not know"),
        }
    }
}

static RELATIONS: LazyLock<ByWord<Relation>> = LazyLock::new(|| {
    lexicon::RELATIONS.rows_by_language().map(|(lang, [form, class])| (lang, form, Relation::named(class))).collect()
});

/// The class of a relation word (kin, partner, work, pet …).
pub(crate) fn relation(form: &str, language: Language) -> Relation {
    RELATIONS.get(language, form).copied().unwrap_or_default()
}

// -- names ---------------------------------------------------------------------------------------------------------------

static NAMES: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| lexicon::NAMES.rows().map(|[name]| name).collect());

/// Whether `form` is a common first name of a person.
pub(crate) fn is_given_name(form: &str) -> bool {
    NAMES.contains(form)
}

/// English words of the tables; WordNet's stand in a table of their own.
static LISTED: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    let tables = [lexicon::IRREGULAR, lexicon::RELATIONS, lexicon::NEGATION, lexicon::UNITS, lexicon::NUMBERS];
    let rows = tables.into_iter().flat_map(Table::rows_by_language);
    rows.filter(|&(language, _)| language == Language::En).map(|(_, [form])| form).collect()
});

fn is_ordinary(form: &str) -> bool {
    LISTED.contains(form) || wordnet::is_known(form)
}

/// Whether an English word is an ordinary one, so that a capital at the start of a sentence makes no name of it.
pub(crate) fn is_known(form: &str, language: Language) -> bool {
    if is_given_name(form) {
        return false;
    }
    language != Language::En || is_ordinary(form) || is_ordinary(&stem(form, Language::En))
}
