//! What each word of a text can be in a request to forget: slots, from `request_verbs.tsv` and `request_words.tsv`.
//!
//! A word has no meaning here beyond its slots, and it may have several ("record" is a thing that is remembered, and a
//! verb that remembers). The longest phrase wins. How the slots make a request is decided in `requests`.

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::language::Language;
use crate::lexemes::{Kind, Lexeme, SENTENCE_ENDS};
use crate::lexicon::{self, ByWord, Parts};
use crate::tokens::{contraction_in, part};
use crate::words::{LANGUAGES, List, Particle, is_listed, is_particle};

/// Slots, a bit each.
pub(crate) type Bits = u128;

/// Names slots and gives each a bit.
macro_rules! slots {
    ($all:ident: $($slot:ident = $name:literal),* $(,)?) => {
        /// A slot, by the number of its bit.
        #[derive(Clone, Copy)]
        #[repr(u32)]
        #[allow(clippy::enum_variant_names)] // the names are the tables'
        pub(crate) enum $all { $($slot),* }

        impl $all {
            /// The bit of a slot of the tables.
            pub(crate) fn bit_of(name: &str) -> $crate::request_tags::Bits {
                match name {
                    $($name => 1 << Self::$slot as u32,)*
                    _ => panic!("a request table names a slot that the rules do not know"),
                }
            }
        }
    };
}
pub(crate) use slots;

slots! { Slot:
    // what happens to a memory (request_verbs.tsv)
    Forget = "forget",
    Erase = "erase",
    Expel = "expel",
    Remember = "remember",
    Store = "store",
    Removal = "removal",
    // who and what
    User = "user",
    First = "first",
    We = "we",
    Agent = "agent",
    Your = "your",
    Poss = "poss",
    Pron3 = "pron3",
    Obj3 = "obj3",
    Third = "third",
    Deictic = "deictic",
    Memory = "memory",
    Info = "info",
    Stored = "stored",
    Allabout = "allabout",
    Said = "said",
    Personal = "personal",
    Credential = "credential",
    Other = "other",
    // how it is said
    Ask = "ask",
    Want = "want",
    Say = "say",
    Agree = "agree",
    Askn = "askn",
    Evidence = "evidence",
    Withdraw = "withdraw",
    Retract = "retract",
    Right = "right",
    Exercise = "exercise",
    Opener = "opener",
    Modal = "modal",
    Be = "be",
    Neg = "neg",
    Cease = "cease",
    To = "to",
    Thatc = "thatc",
    About = "about",
    From = "from",
    Inside = "inside",
    With = "with",
    By = "by",
    Adv = "adv",
    Time = "time",
    And = "and",
    // what speaks against it
    Question = "question",
    Whether = "whether",
    Habit = "habit",
    Notforget = "notforget",
    Update = "update",
    // small words that one rule or another asks for
    Mine = "mine",
    You = "you",
    System = "system",
    Have = "have",
    Possible = "possible",
    Genitive = "genitive",
    Lead = "lead",
    Reflexive = "reflexive",
    // no word of ours
    Comma = "comma",
    Quote = "quote",
    Stop = "stop",
    Content = "content",
}

/// The bits of some slots.
macro_rules! bits {
    ($($slot:ident)|+) => { 0 $(| (1 as $crate::request_tags::Bits) << $crate::request_tags::Slot::$slot as u32)+ };
}
pub(crate) use bits;

/// Words after which a sentence is cut: every rule looks at one sentence, so this keeps the whole linear.
const LONGEST_SENTENCE: usize = 96;
const SPANISH_CLITICS: [&str; 10] = ["lo", "la", "los", "las", "le", "les", "me", "te", "se", "nos"];
const SPANISH_CLITIC_PAIRS: usize = 2;
const LEAST_VERB: usize = 3;

/// Grammatical shapes as bits, one a letter of `request_verbs.tsv`.
pub(crate) const fn shapes(letters: &str) -> u32 {
    let letters = letters.as_bytes();
    let (mut bits, mut i) = (0, 0);
    while i < letters.len() {
        bits |= 1 << (letters[i] - b'A');
        i += 1;
    }
    bits
}

/// A word or phrase: its slots as bits, and its grammatical shapes.
#[derive(Clone, Debug)]
pub(crate) struct Tag<'a> {
    pub(crate) form: Cow<'a, str>,
    pub(crate) slots: Bits,
    pub(crate) shape: u32,
    pub(crate) capital: bool,
    pub(crate) possessive: bool,
}

impl Tag<'_> {
    pub(crate) const fn has(&self, slots: Bits) -> bool {
        self.slots & slots != 0
    }

    pub(crate) const fn is_shape(&self, letters: &str) -> bool {
        self.shape & shapes(letters) != 0
    }
}

/// A word before phrases are found. `past`: its last letter has an accent that makes a past of it ("oublié").
#[derive(Default)]
struct Word<'a> {
    form: Cow<'a, str>,
    slots: Bits,
    capital: bool,
    possessive: bool,
    past: bool,
}

impl<'a> Word<'a> {
    fn plain(form: Cow<'a, str>, capital: bool) -> Self {
        Self { form, capital, ..Self::default() }
    }

    fn filling(form: Cow<'a, str>, slots: Bits) -> Self {
        Self { form, slots, ..Self::default() }
    }
}

struct Phrase {
    form: &'static str,
    words: Vec<&'static str>,
    slots: Bits,
    shape: u32,
}

/// The phrases of a language by their first word, longest first; those of the same words are one.
static PHRASES: LazyLock<ByWord<Vec<Phrase>>> = LazyLock::new(|| {
    let mut found: FxHashMap<(Language, &'static str), (Bits, u32)> = FxHashMap::default();
    for table in [lexicon::REQUEST_VERBS, lexicon::REQUEST_WORDS] {
        for (language, [form, slot, shape]) in table.rows_by_language() {
            let (slots, shape_bits) = found.entry((language, form)).or_default();
            *slots |= Slot::bit_of(slot);
            *shape_bits |= shapes(shape);
        }
    }
    for (language, [form]) in lexicon::RELATIONS.rows_by_language().filter(|(_, [form])| !form.contains(' ')) {
        let known = found.entry((language, form)).or_insert((bits!(Content), 0));
        if known.0 & bits!(Agent) == 0 {
            known.0 |= bits!(Third);
        }
    }
    let mut table: ByWord<Vec<Phrase>> = ByWord::default();
    for ((language, form), (slots, shape)) in found {
        let words: Vec<&'static str> = form.split(' ').collect();
        table.entry(language, words[0]).push(Phrase { form, words, slots, shape });
    }
    for phrases in table.values_mut() {
        phrases.sort_by(|a, b| (b.words.len(), &a.words).cmp(&(a.words.len(), &b.words)));
    }
    table
});

/// The languages, a bit each, in which a word begins something that a request needs.
static CORE_LANGUAGES: LazyLock<FxHashMap<&'static str, u32>> = LazyLock::new(|| {
    let mut firsts = FxHashMap::default();
    let mut add = |language: Language, form: &'static str| {
        let first = form.split(' ').next().unwrap_or("");
        *firsts.entry(first).or_default() |= 1 << language as u32;
    };
    for (language, [form]) in lexicon::REQUEST_VERBS.rows_by_language() {
        add(language, form);
    }
    for (language, [form, slot]) in lexicon::REQUEST_WORDS.rows_by_language() {
        if matches!(slot, "right" | "retract" | "withdraw") {
            add(language, form);
        }
    }
    firsts
});

/// The languages whose verbs of forgetting, erasing or keeping stand in the text. Most texts have none.
pub(crate) fn languages_of(lexemes: &[Lexeme<'_>]) -> impl Iterator<Item = Language> + use<> {
    let spanish = 1 << Language::Es as u32;
    let mut found = 0_u32;
    let words = lexemes.iter().filter(|lexeme| lexeme.kind == Kind::Word);
    for part in words.flat_map(|word| Parts::of(&word.text, b'\'')) {
        match CORE_LANGUAGES.get(part) {
            Some(languages) => found |= languages,
            None if found & spanish == 0 && without_clitics(part).is_some() => found |= spanish,
            None => {}
        }
    }
    LANGUAGES.into_iter().filter(move |&language| found & 1 << language as u32 != 0)
}

/// The Spanish verb of ours before its pronouns ("borralo" = "borra", "olvidarmelo" = "olvidar").
fn without_clitics(form: &str) -> Option<&str> {
    let mut stem = form;
    for _ in 0..SPANISH_CLITIC_PAIRS {
        if !stem.ends_with(['o', 'a', 's', 'e']) {
            return None;
        }
        let length = stem.chars().count();
        let clitic =
            SPANISH_CLITICS.iter().find(|clitic| stem.ends_with(**clitic) && length > clitic.len() + LEAST_VERB)?;
        stem = &stem[..stem.len() - clitic.len()];
        if SPANISH_VERBS.contains(stem) {
            return Some(stem);
        }
    }
    None
}

/// Spanish forms that take a pronoun at their end.
static SPANISH_VERBS: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    lexicon::REQUEST_VERBS
        .rows_by_language()
        .filter(|(language, _)| *language == Language::Es)
        .filter(|(_, [_, slot, shape])| *slot != "removal" && shape.contains(['M', 'I', 'G']))
        .map(|(_, [form, _, _])| form)
        .collect()
});

/// Whether a last letter tells "oublié" from "oublie" and "olvidó" from "olvido", which fold alike.
const fn makes_past(letter: char, language: Language) -> bool {
    match language {
        Language::Fr => matches!(letter, 'é' | 'É'),
        Language::Es => matches!(letter, 'é' | 'É' | 'ó' | 'Ó'),
        _ => false,
    }
}

/// The tags of each sentence. A colon ends one too: what follows it can be a request of its own.
pub(crate) fn sentences<'a>(text: &str, lexemes: &[Lexeme<'a>], language: Language) -> Vec<Vec<Tag<'a>>> {
    let accented = matches!(language, Language::Fr | Language::Es);
    let letters: Vec<char> = if accented { text.chars().collect() } else { Vec::new() };
    let past =
        |lexeme: &Lexeme<'_>| letters.get(lexeme.end as usize - 1).is_some_and(|&letter| makes_past(letter, language));
    let mut out = Vec::new();
    let mut words: Vec<Word<'a>> = Vec::new();
    for lexeme in lexemes {
        let ends = lexeme.kind == Kind::Mark && SENTENCE_ENDS.contains(&*lexeme.text);
        if ends || words.len() >= LONGEST_SENTENCE {
            if !words.is_empty() {
                out.push(tag(&words, language));
            }
            words.clear();
        }
        if lexeme.kind != Kind::Mark {
            add_words(lexeme, language, past(lexeme), &mut words);
        } else if let Some(slots) = mark_slot(lexeme) {
            words.push(Word::filling(lexeme.text.clone(), slots));
        }
    }
    if !words.is_empty() {
        out.push(tag(&words, language));
    }
    out
}

/// Whether what looks like an address of the web is the name of a file ("main.py").
pub(crate) fn is_file_name(lexeme: &Lexeme<'_>) -> bool {
    let ending = lexeme.text.rsplit_once('.').map_or(&*lexeme.text, |(_, ending)| ending);
    lexeme.kind == Kind::Url && is_particle(Particle::FileEnding, ending)
}

/// Whether a sentence read in another language has more stop words of English.
///
/// "Delete the file" is no Portuguese, though "delete" is. The other languages share too many words to be told apart in
/// this way.
pub(crate) fn is_english(tags: &[Tag<'_>], language: Language) -> bool {
    let count = |language| {
        let words = tags.iter().flat_map(|tag| tag.form.split(' '));
        words.filter(|word| is_listed(List::Stop, word, language)).count()
    };
    language != Language::En && count(Language::En) > count(language)
}

fn mark_slot(lexeme: &Lexeme<'_>) -> Option<Bits> {
    match &*lexeme.text {
        "," | "、" | "(" => Some(bits!(Comma)),
        "\"" | "'" | "[" | "「" | "『" if !lexeme.joined => Some(bits!(Quote)),
        _ => None,
    }
}

/// The words of a lexeme in their full form: contractions and elisions written out, clitics cut off.
fn add_words<'a>(lexeme: &Lexeme<'a>, language: Language, past: bool, out: &mut Vec<Word<'a>>) {
    let slots = match lexeme.kind {
        Kind::Word => 0,
        _ if is_file_name(lexeme) => bits!(Other),
        Kind::Email | Kind::Url | Kind::Phone | Kind::Id => bits!(Personal),
        Kind::Number | Kind::Time | Kind::Date => bits!(Time),
        _ => bits!(Content),
    };
    if slots != 0 {
        out.push(Word::filling(lexeme.text.clone(), slots));
        return;
    }
    let (form, capital) = (&lexeme.text, lexeme.capital);
    if let Some(full) = contraction_in(form, language) {
        let parts = full.iter().enumerate();
        out.extend(parts.map(|(i, &part)| Word::plain(Cow::Borrowed(part), capital && i == 0)));
        return;
    }
    if language == Language::Es && PHRASES.get(language, form).is_none() {
        if let Some(stem) = without_clitics(form) {
            let length = stem.len();
            out.push(Word::plain(part(form, 0, length), capital));
            out.push(Word::plain(Cow::Borrowed("lo"), false));
            return;
        }
    }
    let Some(at) = form.find('\'') else {
        out.push(Word { past, ..Word::plain(form.clone(), capital) });
        return;
    };
    if &form[at + 1..] == "s" && matches!(language, Language::En | Language::De) {
        out.push(Word { possessive: true, ..Word::plain(part(form, 0, at), capital) });
        return;
    }
    match contraction_in(&form[..=at], language) {
        Some(heads) => out.extend(heads.iter().map(|&head| Word::plain(Cow::Borrowed(head), capital))),
        None => out.push(Word::plain(part(form, 0, at), capital)),
    }
    let heads = out.len();
    let mut start = at + 1;
    for tail in form[at + 1..].split('\'') {
        if !tail.is_empty() {
            out.push(Word::plain(part(form, start, start + tail.len()), capital));
        }
        start += tail.len() + 1;
    }
    if let Some(last) = out[heads..].last_mut() {
        last.past = past;
    }
}

fn tag<'a>(words: &[Word<'a>], language: Language) -> Vec<Tag<'a>> {
    let mut out = Vec::with_capacity(words.len());
    let mut i = 0;
    while i < words.len() {
        let word = &words[i];
        if let Some(phrase) = phrase_at(&words[i..], language) {
            let last = &words[i + phrase.words.len() - 1];
            out.push(Tag {
                form: Cow::Borrowed(phrase.form),
                slots: phrase.slots,
                shape: if last.past { past_of(phrase.shape) } else { phrase.shape },
                capital: word.capital,
                possessive: last.possessive,
            });
            i += phrase.words.len();
            continue;
        }
        let slots = match word.slots {
            0 if is_listed(List::Stop, &word.form, language) => bits!(Stop),
            0 => bits!(Content),
            slots => slots,
        };
        let Word { capital, possessive, .. } = *word;
        out.push(Tag { form: word.form.clone(), slots, shape: 0, capital, possessive });
        i += 1;
    }
    out
}

/// Of the shapes that a form without its accent could have, those that it has with it.
const fn past_of(shape: u32) -> u32 {
    let past = shape & shapes("PT");
    if past == 0 { shape } else { past }
}

fn phrase_at(words: &[Word<'_>], language: Language) -> Option<&'static Phrase> {
    if words[0].slots != 0 {
        return None;
    }
    PHRASES.get(language, &words[0].form)?.iter().find(|phrase| {
        phrase.words.len() <= words.len()
            && phrase.words.iter().zip(words).all(|(form, word)| word.form == *form && word.slots == 0)
    })
}
