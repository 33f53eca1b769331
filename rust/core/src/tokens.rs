//! Lexemes to typed tokens: what each piece of a sentence is, in the order it was said.
//!
//! [`parse`] is all that matching, requests and clauses read of a text. A token's key is what equal things share.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::alignment::{Number, may_mean, meaning_of, senses_of};
use crate::cjk;
use crate::frames::{Frame, find_frames};
use crate::language::Language;
use crate::lexemes::{Kind, Lexeme, SENTENCE_ENDS, scan};
use crate::lexicon::{self, ByWord};
use crate::numerals::cut_numerals;
use crate::order::{Direction, direction_of};
use crate::quantities::quantify;
use crate::text::{fold, index};
use crate::voice::is_passive;
use crate::words::{
    List, Particle, Relation, UNKNOWN_RARITY, is_given_name, is_known, is_listed, is_particle, rarity, relation, stem,
    vote,
};

/// Characters of a word beyond which it is no word that could be written out.
const LONGEST_WORD: usize = 64;
/// Tokens after a negation word that it reaches, within its clause (RULES section 2.5).
const NEGATION_REACH: usize = 6;
/// Marks that end the reach of a negation, beside those that end a sentence.
const CLAUSE_MARKS: &str = ",()–—";
/// Three words in five make a text shouted.
const SHOUTED: (usize, usize) = (3, 5);
const LABEL_WORDS: usize = 3;
const LEAST_FIRST_NAME: usize = 3;

/// Languages whose negation may stand behind what it negates: it reaches its whole clause.
const fn negates_backward(language: Language) -> bool {
    matches!(language, Language::De | Language::Zh | Language::Ja | Language::Ko)
}

/// How much a token claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Role {
    /// It carries a claim.
    Content,
    /// It carries none (have, mention, probably).
    Soft,
    /// It says what a line is about.
    Label,
    /// A function word.
    Stop,
}

impl Role {
    /// Its name in the fixtures.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Soft => "soft",
            Self::Label => "label",
            Self::Stop => "stop",
        }
    }
}

/// One thing that was said, less its letters: they stand in the [`Parsed`] that holds it.
///
/// `start` and `end` count code points of the cleaned text. `rarity`: 0 frequent to 15 rare. `clause` counts up at marks
/// that end a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // answers about one token, as in the Python twin
pub struct Token {
    /// Where the token starts.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// In which clause it stands.
    pub clause: u32,
    key: Span,
    form: Span,
    /// What it is.
    pub kind: Kind,
    /// How much it claims.
    pub role: Role,
    /// The class of a relation word.
    pub relation: Relation,
    /// How rare it is.
    pub rarity: u8,
    /// Whether it ended in 's.
    pub possessive: bool,
    /// Whether it is a common first name.
    pub person: bool,
    /// Whether a negation reaches it.
    pub negated: bool,
    /// Whether -free followed.
    pub privative: bool,
    /// What stands on which side of it.
    pub(crate) direction: Direction,
    /// What the tables of synonyms and antonyms say of its stem, and WordNet of it.
    pub(crate) meaning: Number,
    pub(crate) senses: Number,
}

/// Bytes of the letters of a [`Parsed`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Span {
    start: u32,
    end: u32,
}

/// A token with its letters: `key` is what equal tokens share (the stem of a word), `form` the folded letters.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    token: &'a Token,
    /// What equal tokens share.
    pub key: &'a str,
    /// The folded letters.
    pub form: &'a str,
}

impl Deref for Said<'_> {
    type Target = Token;

    fn deref(&self) -> &Token {
        self.token
    }
}

/// A text as the rules see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The exact form, then the letters of tokens that do not stand in it.
    letters: Box<str>,
    tokens: Box<[Token]>,
    exact: u32,
    /// What the rules ask of a text again and again, found once.
    pub(crate) frames: Box<[Frame]>,
    pub(crate) passive: bool,
    /// The language by vote.
    pub language: Language,
    /// The text says that something was so and is no longer.
    pub ceased: bool,
}

impl Parsed {
    /// Equal for texts that differ in case, punctuation and the spelling of quantities only.
    #[must_use]
    pub fn exact(&self) -> &str {
        &self.letters[..self.exact as usize]
    }

    /// How many tokens there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The token at `i`.
    #[must_use]
    pub fn at(&self, i: usize) -> Said<'_> {
        self.said(&self.tokens[i])
    }

    /// The token at `i`, if there is one.
    #[must_use]
    pub fn get(&self, i: usize) -> Option<Said<'_>> {
        self.tokens.get(i).map(|token| self.said(token))
    }

    /// The tokens in order.
    #[must_use]
    pub fn tokens(&self) -> impl DoubleEndedIterator<Item = Said<'_>> + ExactSizeIterator {
        self.tokens.iter().map(|token| self.said(token))
    }

    fn said<'a>(&'a self, token: &'a Token) -> Said<'a> {
        let letters = |span: Span| &self.letters[span.start as usize..span.end as usize];
        Said { token, key: letters(token.key), form: letters(token.form) }
    }
}

/// The typed tokens of a cleaned text; `aliases` are further names of the user.
#[must_use]
pub fn parse<S: AsRef<str>>(text: &str, aliases: &[S]) -> Parsed {
    let folded = fold(text);
    let lexemes = scan(text, &folded);
    let language = vote(&lexemes)[0];
    parse_lexemes(lexemes, aliases, language)
}

/// The same for a text that is scanned already, read in this language.
pub(crate) fn parse_lexemes<S: AsRef<str>>(lexemes: Vec<Lexeme<'_>>, aliases: &[S], language: Language) -> Parsed {
    let quantified = quantify(expand(cut_numerals(lexemes, language), language), language);
    let capitals = !is_shouted(&quantified);
    let mut tokens = Vec::with_capacity(quantified.len());
    for lexeme in without_hyphens(quantified) {
        add_tokens(lexeme, language, capitals, &mut tokens);
    }
    let mut tokens = phrases(aliased(tokens, aliases), language);
    labels(&mut tokens);
    clauses(&mut tokens);
    let ceased = negations(&mut tokens, language);
    without_lone_emoji(&mut tokens);
    pack(&tokens, language, ceased)
}

/// A token in the making, with its letters.
#[derive(Clone, Debug)]
struct Draft<'a> {
    token: Token,
    key: Cow<'a, str>,
    form: Cow<'a, str>,
}

impl<'a> Draft<'a> {
    fn new(kind: Kind, key: Cow<'a, str>, form: Cow<'a, str>, start: u32, end: u32) -> Self {
        let token = Token {
            start,
            end,
            clause: 0,
            key: Span::default(),
            form: Span::default(),
            kind,
            role: Role::Content,
            relation: Relation::None,
            rarity: UNKNOWN_RARITY,
            possessive: false,
            person: false,
            negated: false,
            privative: false,
            direction: Direction::None,
            meaning: 0,
            senses: 0,
        };
        Self { token, key, form }
    }
}

fn pack(drafts: &[Draft<'_>], language: Language, ceased: bool) -> Parsed {
    let mut letters = String::with_capacity(drafts.iter().map(|draft| draft.form.len() + 2).sum());
    let mut tokens: Vec<Token> = drafts.iter().map(|draft| draft.token).collect();
    let add = |letters: &mut String, text: &str| {
        let start = index(letters.len());
        letters.push_str(text);
        Span { start, end: index(letters.len()) }
    };
    let mut first = true;
    for (token, draft) in tokens.iter_mut().zip(drafts).filter(|(token, _)| token.kind != Kind::Mark) {
        if !first {
            letters.push(' ');
        }
        first = false;
        if token.kind == Kind::Word {
            token.form = add(&mut letters, &draft.form);
        } else {
            token.key = add(&mut letters, &draft.key);
        }
    }
    let exact = index(letters.len());
    for (token, draft) in tokens.iter_mut().zip(drafts) {
        // The other one of the two is mostly the same letters, or a part of them.
        let (known, have, want, open) = match token.kind {
            Kind::Word => (token.form, &draft.form, &draft.key, &mut token.key),
            Kind::Mark => {
                token.key = add(&mut letters, &draft.key);
                (token.key, &draft.key, &draft.form, &mut token.form)
            }
            _ => (token.key, &draft.key, &draft.form, &mut token.form),
        };
        *open = if have.starts_with(&**want) {
            Span { start: known.start, end: known.start + index(want.len()) }
        } else {
            add(&mut letters, want)
        };
    }
    for (token, draft) in tokens.iter_mut().zip(drafts) {
        token.direction = direction_of(&draft.form, language);
        let claims = matches!(token.role, Role::Content | Role::Label);
        if claims && may_mean(token.kind) {
            let key = if token.kind == Kind::Name { stem(&draft.form, language) } else { Cow::Borrowed(&*draft.key) };
            token.meaning = meaning_of(&key, language);
        }
        if claims && token.kind == Kind::Word && language == Language::En {
            token.senses = senses_of(&draft.form, &draft.key);
        }
    }
    let mut parsed = Parsed {
        letters: letters.into(),
        tokens: tokens.into(),
        exact,
        frames: Box::default(),
        passive: false,
        language,
        ceased,
    };
    parsed.frames = find_frames(&parsed);
    parsed.passive = is_passive(&parsed);
    parsed
}

// -- words in their full form ------------------------------------------------------------------------------------------

static CONTRACTIONS: LazyLock<ByWord<Vec<&'static str>>> = LazyLock::new(|| {
    lexicon::CONTRACTIONS
        .rows_by_language()
        .map(|(lang, [form, expansion])| (lang, form, expansion.split(' ').collect()))
        .collect()
});

/// French prefixes that end in an apostrophe, without it.
static ELISIONS: LazyLock<FxHashMap<&'static str, &'static str>> = LazyLock::new(|| {
    lexicon::CONTRACTIONS
        .rows_by_language()
        .filter(|&(lang, _)| lang == Language::Fr)
        .filter_map(|(_, [form, full])| Some((form.strip_suffix('\'')?, full)))
        .collect()
});

/// The full form of a contraction of this very language.
pub(crate) fn contraction_in(form: &str, language: Language) -> Option<&'static [&'static str]> {
    CONTRACTIONS.get(language, form).map(|words| &**words)
}

/// Contractions and elisions as full words, possessive endings as a flag.
fn expand(lexemes: Vec<Lexeme<'_>>, language: Language) -> Vec<Lexeme<'_>> {
    let mut out = Vec::with_capacity(lexemes.len() + 4);
    for lexeme in lexemes {
        if lexeme.kind == Kind::Word {
            expand_word(lexeme, language, &mut out);
        } else {
            out.push(lexeme);
        }
    }
    out
}

fn contraction(form: &str, language: Language) -> Option<&'static [&'static str]> {
    CONTRACTIONS
        .get(language, form)
        .or_else(|| if form.contains('\'') { CONTRACTIONS.get(Language::En, form) } else { None })
        .map(|words| &**words)
}

fn expand_word<'a>(mut lexeme: Lexeme<'a>, language: Language, out: &mut Vec<Lexeme<'a>>) {
    if lexeme.text.chars().nth(LONGEST_WORD).is_some() {
        out.push(lexeme); // "l'l'l'…" without end would be cut again and again
        return;
    }
    loop {
        if let Some(words) = contraction(&lexeme.text, language) {
            let first = Lexeme { text: Cow::Borrowed(words[0]), shout: false, ..lexeme };
            out.push(first.clone());
            out.extend(words[1..].iter().map(|&word| Lexeme {
                text: Cow::Borrowed(word),
                capital: false,
                first: false,
                ..first.clone()
            }));
            return;
        }
        let Some(at) = lexeme.text.find('\'') else {
            out.push(lexeme);
            return;
        };
        let (head, tail) = (part(&lexeme.text, 0, at), part(&lexeme.text, at + 1, lexeme.text.len()));
        if let Some(&full) = ELISIONS.get(&*head).filter(|_| tail.chars().nth(1).is_some()) {
            let cut_at = lexeme.start + index(head.chars().count()) + 1;
            let rest = Lexeme { text: tail, start: cut_at.min(lexeme.end - 1), shout: false, ..lexeme.clone() };
            out.push(Lexeme { text: Cow::Borrowed(full), end: cut_at, capital: false, shout: false, ..lexeme });
            lexeme = rest;
            continue;
        }
        if tail == "s" {
            let possessive = !is_particle(Particle::NeverPossessive, &head);
            out.push(Lexeme { text: head, possessive, ..lexeme });
        } else {
            out.push(Lexeme { text: Cow::Owned([&*head, &*tail].concat()), ..lexeme });
        }
        return;
    }
}

/// A part of a text that borrows where the text does.
pub(crate) fn part<'a>(text: &Cow<'a, str>, start: usize, end: usize) -> Cow<'a, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[start..end]),
        Cow::Owned(text) => Cow::Owned(text[start..end].to_owned()),
    }
}

/// The lexemes without the hyphens that join words ("left-handed"); a word before "-free" is negated.
fn without_hyphens(lexemes: Vec<Lexeme<'_>>) -> Vec<Lexeme<'_>> {
    if !lexemes.iter().any(|lexeme| lexeme.text == "-") {
        return lexemes;
    }
    let mut out: Vec<Lexeme<'_>> = Vec::with_capacity(lexemes.len());
    for (i, lexeme) in lexemes.iter().enumerate() {
        let follows = lexemes.get(i + 1).filter(|next| next.joined && lexeme.joined && lexeme.text == "-");
        match (follows, out.last_mut()) {
            (None, _) => out.push(lexeme.clone()),
            (Some(next), Some(last)) if is_particle(Particle::Privative, &next.text) => last.privative = true,
            _ => {}
        }
    }
    let mut after_privative = false;
    out.retain(|lexeme| !std::mem::replace(&mut after_privative, lexeme.privative));
    out
}

/// Up to three words before a colon at the start of a line say what the line is about; they carry no claim.
fn labels(tokens: &mut [Draft<'_>]) {
    let mut start = 0;
    for i in 0..tokens.len() {
        if tokens[i].token.kind != Kind::Mark {
            continue;
        }
        let starts_item = matches!(&*tokens[i].form, "\n" | "-" | "*");
        if tokens[i].form == ":" && i <= start + LABEL_WORDS && tokens[start.min(i)..i].iter().all(may_label) {
            for draft in &mut tokens[start.min(i)..i] {
                (draft.token.kind, draft.token.role, draft.token.relation) = (Kind::Word, Role::Label, Relation::None);
            }
        }
        start = if starts_item { i + 1 } else { tokens.len() };
    }
}

/// A label is made of ordinary words; a name or a relative before a colon is a subject.
fn may_label(draft: &Draft<'_>) -> bool {
    let Token { kind, person, relation, .. } = draft.token;
    kind == Kind::Mark
        || (kind == Kind::Word && !person && matches!(relation, Relation::None | Relation::Pet | Relation::Care))
}

/// Whether most words are in capitals, so that a capital says nothing.
fn is_shouted(lexemes: &[Lexeme<'_>]) -> bool {
    let words = || lexemes.iter().filter(|lexeme| lexeme.kind == Kind::Word && lexeme.text.chars().nth(1).is_some());
    let (count, shouted) = (words().count(), words().filter(|word| word.shout).count());
    count > 1 && shouted * SHOUTED.1 >= SHOUTED.0 * count
}

// -- one lexeme, one or more tokens ------------------------------------------------------------------------------------

fn add_tokens<'a>(lexeme: Lexeme<'a>, language: Language, capitals: bool, out: &mut Vec<Draft<'a>>) {
    match lexeme.kind {
        Kind::Word => out.push(word(lexeme, language, capitals)),
        Kind::Cjk => match &lexeme.text {
            &Cow::Borrowed(text) => out.extend(
                cjk::cut(text, language).iter().map(|piece| cjk_token(piece, &lexeme, Cow::Borrowed(piece.text))),
            ),
            Cow::Owned(text) => out.extend(
                cjk::cut(text, language)
                    .iter()
                    .map(|piece| cjk_token(piece, &lexeme, Cow::Owned(piece.text.to_owned()))),
            ),
        },
        _ => {
            let mut draft = Draft::new(lexeme.kind, identity(&lexeme), lexeme.text, lexeme.start, lexeme.end);
            draft.token.possessive = lexeme.possessive;
            out.push(draft);
        }
    }
}

fn cjk_token<'a>(piece: &cjk::Piece<'_>, run: &Lexeme<'_>, text: Cow<'a, str>) -> Draft<'a> {
    let (start, end) = (run.place(piece.start), run.place(piece.end - 1) + 1);
    let mut draft = Draft::new(piece.kind, text.clone(), text, start, end);
    (draft.token.role, draft.token.relation) = (piece.role, piece.relation);
    draft
}

/// What equal e-mails, URLs, phone numbers and codes share.
fn identity<'a>(lexeme: &Lexeme<'a>) -> Cow<'a, str> {
    let text = &*lexeme.text;
    match lexeme.kind {
        Kind::Phone => {
            let digits: String = text.chars().filter(char::is_ascii_digit).collect();
            Cow::Owned(digits.strip_prefix("00").map_or(digits.clone(), str::to_owned))
        }
        Kind::Id => Cow::Owned(text.replace(['-', '_', ' '], "")),
        Kind::Url => {
            let mut start = 0;
            for prefix in ["https://", "http://", "www."] {
                if text[start..].starts_with(prefix) {
                    start += prefix.len();
                }
            }
            let end = start + text[start..].trim_end_matches('/').len();
            part(&lexeme.text, start, end)
        }
        _ => lexeme.text.clone(),
    }
}

fn word(lexeme: Lexeme<'_>, language: Language, capitals: bool) -> Draft<'_> {
    let Lexeme { start, end, possessive, privative, .. } = lexeme;
    let draft = |kind, key, form| {
        let mut draft = Draft::new(kind, key, form, start, end);
        draft.token.possessive = possessive;
        draft
    };
    let form = &*lexeme.text;
    if is_listed(List::User, form, language) {
        let mut user = draft(Kind::User, Cow::Borrowed("user"), lexeme.text);
        user.token.role = Role::Stop;
        return user;
    }
    if is_listed(List::Stop, form, language) && !(capitals && lexeme.shout) {
        let mut stop = draft(Kind::Word, lexeme.text.clone(), lexeme.text);
        (stop.token.role, stop.token.rarity) = (Role::Stop, 0);
        return stop;
    }
    let kin = relation(form, language);
    let person = is_given_name(form);
    if !kin.is_some() && is_name(&lexeme, language, capitals) {
        let mut name = draft(Kind::Name, lexeme.text.clone(), lexeme.text);
        name.token.person = person;
        return name;
    }
    let role = if is_listed(List::Soft, form, language) { Role::Soft } else { Role::Content };
    let key = stem_of(&lexeme.text, language);
    let rarity = rarity(form, &key);
    let mut word = draft(Kind::Word, key, lexeme.text);
    word.token = Token { role, relation: kin, rarity, person, privative, ..word.token };
    word
}

/// The stem of a text, which borrows where the text does.
fn stem_of<'a>(text: &Cow<'a, str>, language: Language) -> Cow<'a, str> {
    match text {
        Cow::Borrowed(text) => stem(text, language),
        Cow::Owned(text) => Cow::Owned(stem(text, language).into_owned()),
    }
}

/// A capital makes a name, but in German, and at the start of a sentence, only of a word that is no ordinary one.
fn is_name(lexeme: &Lexeme<'_>, language: Language, capitals: bool) -> bool {
    if !(capitals && lexeme.capital) {
        return false;
    }
    if language == Language::De {
        return is_given_name(&lexeme.text);
    }
    !lexeme.first || !is_known(&lexeme.text, language)
}

/// The tokens with every alias of the user turned into the user.
fn aliased<'a, S: AsRef<str>>(mut tokens: Vec<Draft<'a>>, aliases: &[S]) -> Vec<Draft<'a>> {
    let names: Vec<Vec<String>> = aliases.iter().map(|alias| name_forms(alias.as_ref())).collect();
    let first_names = names
        .iter()
        .filter(|name| name.len() > 1 && name[0].chars().count() >= LEAST_FIRST_NAME)
        .map(|name| &name[..1]);
    // A full name is longer than the first name that stands for it, so it is tried first.
    for forms in names.iter().map(|name| &**name).chain(first_names).filter(|forms| !forms.is_empty()) {
        let mut i = 0;
        while i + forms.len() <= tokens.len() {
            let span = &tokens[i..i + forms.len()];
            if span.iter().map(|draft| &*draft.form).eq(forms.iter().map(|form| &**form)) {
                let last = span[span.len() - 1].token;
                let user = &mut tokens[i];
                user.key = Cow::Borrowed("user");
                user.token = Token {
                    kind: Kind::User,
                    role: Role::Stop,
                    end: last.end,
                    possessive: last.possessive,
                    person: false,
                    ..user.token
                };
                tokens.drain(i + 1..i + forms.len());
            }
            i += 1;
        }
    }
    tokens
}

fn name_forms(alias: &str) -> Vec<String> {
    let folded = fold(alias);
    let lexemes = scan(alias, &folded);
    lexemes.iter().filter(|lexeme| lexeme.kind != Kind::Mark).map(|lexeme| lexeme.text.to_string()).collect()
}

// -- phrases and negation ----------------------------------------------------------------------------------------------

/// Sequences of words by their first word, longest first, with what they stand for.
pub(crate) type Sequences<T> = ByWord<Vec<(Vec<Cow<'static, str>>, T)>>;

fn sort_longest_first<T>(table: &mut Sequences<T>) {
    for found in table.values_mut() {
        found.sort_by_key(|(words, _)| usize::MAX - words.len());
    }
}

/// Rows `lang, words, value` by the stems of their words.
pub(crate) fn stemmed_sequences<T>(
    rows: impl Iterator<Item = (Language, [&'static str; 2])>,
    value: impl Fn(Language, &'static str) -> T,
) -> Sequences<T> {
    let mut table = Sequences::default();
    for (language, [words, meaning]) in rows {
        let keys: Vec<_> = words.split(' ').map(|word| stem(word, language)).collect();
        table.entry(language, keys[0].clone()).push((keys, value(language, meaning)));
    }
    sort_longest_first(&mut table);
    table
}

/// Phrases of several words with the key and relation that they say.
static PHRASES: LazyLock<Sequences<(Cow<'static, str>, Relation)>> = LazyLock::new(|| {
    stemmed_sequences(lexicon::PHRASES.rows_by_language(), |language, word| {
        (stem(word, language), relation(word, language))
    })
});

static NEGATIONS: LazyLock<Sequences<&'static str>> = LazyLock::new(|| {
    let mut table = Sequences::default();
    for (language, [form, kind]) in lexicon::NEGATION.rows_by_language() {
        let words: Vec<_> = form.split(' ').map(Cow::Borrowed).collect();
        table.entry(language, words[0].clone()).push((words, kind));
    }
    sort_longest_first(&mut table);
    table
});

pub(crate) fn starting_with<'a, T>(
    table: &'a Sequences<T>,
    language: Language,
    first: &str,
) -> &'a [(Vec<Cow<'static, str>>, T)] {
    table.get(language, first).map_or(&[], |found| &**found)
}

/// The stem of a token's form.
fn form_stem<'b>(draft: &'b Draft<'_>, language: Language) -> Cow<'b, str> {
    if draft.token.kind == Kind::Word && draft.token.role != Role::Stop {
        return Cow::Borrowed(&draft.key);
    }
    stem(&draft.form, language)
}

/// The tokens with every listed phrase as one word.
fn phrases(mut tokens: Vec<Draft<'_>>, language: Language) -> Vec<Draft<'_>> {
    let endings = endings(&tokens, language);
    let splits = |at: usize| endings.iter().any(|&(start, end)| start < at && at < end);
    let (mut i, mut joined) = (0, 0);
    while i < tokens.len() {
        let fits = |length: usize| !splits(i + joined) && !splits(i + joined + length);
        if let Some((length, (word, kin))) = phrase_at(&tokens[i..], language, fits) {
            let span = &tokens[i..i + length];
            let form = span.iter().map(|draft| &*draft.form).collect::<Vec<_>>().join(" ");
            let Token { end, possessive, .. } = span[length - 1].token;
            let draft = &mut tokens[i];
            draft.key = Cow::Borrowed(word);
            draft.form = Cow::Owned(form);
            let name = draft.token.kind == Kind::Name;
            draft.token = Token {
                end,
                kind: if name { Kind::Name } else { Kind::Word },
                role: Role::Content,
                relation: *kin,
                rarity: rarity(word, word),
                possessive,
                ..draft.token
            };
            tokens.drain(i + 1..i + length);
            joined += length - 1;
        }
        i += 1;
    }
    tokens
}

/// Where something is said to have ended ("ya no", "nicht mehr"): a phrase takes in all of that or nothing.
fn endings(tokens: &[Draft<'_>], language: Language) -> Vec<(usize, usize)> {
    let found = (0..tokens.len()).filter_map(|i| Some((i, negation_at(&tokens[i..], language)?)));
    found.filter(|(_, (_, kind))| *kind == "cease").map(|(i, (length, _))| (i, i + length)).collect()
}

/// The length of the longest phrase that starts here and fits, and what it says.
fn phrase_at(
    tokens: &[Draft<'_>],
    language: Language,
    fits: impl Fn(usize) -> bool,
) -> Option<(usize, &'static (Cow<'static, str>, Relation))> {
    if !matches!(tokens[0].token.kind, Kind::Word | Kind::Name | Kind::Unit) {
        return None;
    }
    let is = |draft: &Draft<'_>, key: &str| draft.token.kind != Kind::Mark && form_stem(draft, language) == key;
    starting_with(&PHRASES, language, &form_stem(&tokens[0], language))
        .iter()
        .find(|(keys, _)| {
            let length = keys.len();
            length <= tokens.len() && tokens.iter().zip(keys).all(|(draft, key)| is(draft, key)) && fits(length)
        })
        .map(|(keys, said)| (keys.len(), said))
}

fn clauses(tokens: &mut [Draft<'_>]) {
    let mut clause = 0;
    for draft in tokens {
        if draft.token.kind == Kind::Mark
            && (SENTENCE_ENDS.contains(&*draft.form) || CLAUSE_MARKS.contains(&*draft.form))
        {
            clause += 1;
        }
        draft.token.clause = clause;
    }
}

const PLAIN: u8 = 1;
const REVERSED: u8 = 2;

/// Marks what a negation reaches, and says whether something is said to have ended.
///
/// Two negations of one kind do not cancel ("ne … pas"); a verb of refusal under a negation does ("does not avoid").
fn negations(tokens: &mut [Draft<'_>], language: Language) -> bool {
    let mut reached = vec![0_u8; tokens.len()];
    let mut ceased = false;
    let mut i = 0;
    while i < tokens.len() {
        let Some((length, kind)) = negation_at(&tokens[i..], language) else {
            i += 1;
            continue;
        };
        let end = i + length;
        for draft in &mut tokens[i..end] {
            (draft.token.kind, draft.token.role) = (Kind::Negation, Role::Stop);
        }
        match kind {
            "cease" => ceased = true,
            "not" => reach(tokens, i, end, language, &mut reached, PLAIN),
            _ => reach(tokens, i, end, language, &mut reached, REVERSED),
        }
        i = end;
    }
    let counted = if ceased && language == Language::Fr { REVERSED } else { PLAIN | REVERSED };
    for (draft, reached) in tokens.iter_mut().zip(reached) {
        let reached = if draft.token.privative { reached & counted ^ REVERSED } else { reached & counted };
        draft.token.negated = draft.token.kind != Kind::Negation && matches!(reached, PLAIN | REVERSED);
    }
    ceased
}

/// The length and kind of the longest negation that starts here.
fn negation_at(tokens: &[Draft<'_>], language: Language) -> Option<(usize, &'static str)> {
    let Token { kind, role, .. } = tokens[0].token;
    if !matches!(kind, Kind::Word | Kind::Cjk | Kind::Negation) && role != Role::Stop {
        return None;
    }
    starting_with(&NEGATIONS, language, &tokens[0].form)
        .iter()
        .find(|(words, _)| {
            words.len() <= tokens.len() && tokens.iter().zip(words).all(|(draft, word)| draft.form == *word)
        })
        .map(|&(ref words, kind)| (words.len(), kind))
}

fn reach(tokens: &[Draft<'_>], start: usize, end: usize, language: Language, reached: &mut [u8], sort: u8) {
    let clause = tokens[start].token.clause;
    if negates_backward(language) {
        // A clause that is reached is reached whole: once is enough.
        if reached[start] & sort == 0 {
            let first = tokens[..start].iter().rposition(|draft| draft.token.clause != clause).map_or(0, |at| at + 1);
            for (draft, reached) in tokens[first..].iter().zip(&mut reached[first..]) {
                if draft.token.clause != clause {
                    break;
                }
                *reached |= sort;
            }
        }
        return;
    }
    for (draft, reached) in tokens[end..].iter().zip(&mut reached[end..]).take(NEGATION_REACH) {
        if draft.token.clause != clause || is_particle(Particle::ScopeEnd, &draft.form) {
            break;
        }
        *reached |= sort;
    }
}

/// Emoji count only where nothing else is said.
fn without_lone_emoji(tokens: &mut Vec<Draft<'_>>) {
    if !tokens.iter().all(|draft| matches!(draft.token.kind, Kind::Emoji | Kind::Mark)) {
        tokens.retain(|draft| draft.token.kind != Kind::Emoji);
    }
}
