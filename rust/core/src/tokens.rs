//! Lexemes to typed tokens: what each piece of a sentence is, in the order it was said.
//!
//! [`parse`] is all that matching, requests and clauses read of a text. A token's key is what equal things share.

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::alignment::may_mean;
use crate::cjk;
use crate::frames::find_frames;
use crate::language::Language;
use crate::lexemes::{Kind, Lexeme, scan};
use crate::lexicon::{self, ByWord};
use crate::meanings::meaning_of;
use crate::numerals::cut_numerals;
use crate::order::direction_of;
use crate::parsed::{Draft, Parsed, Role, Said, Token, pack};
use crate::phrases::{clauses, negations, phrases, without_lone_emoji};
use crate::quantities::quantify;
use crate::stems::stem;
use crate::text::{fold, index};
use crate::voice::is_passive;
use crate::wordnet::{rarity, senses_of};
use crate::words::{List, Particle, Relation, is_given_name, is_known, is_listed, is_particle, listed, relation, vote};

/// Characters of a word beyond which it is no word that could be written out.
const LONGEST_WORD: usize = 64;
/// Three words in five make a text shouted.
const SHOUTED: (usize, usize) = (3, 5);
const LABEL_WORDS: usize = 3;
const LEAST_FIRST_NAME: usize = 3;

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
    look_up(&mut tokens, language);
    let mut parsed = pack(&tokens, find_frames(&tokens, language), language, ceased);
    parsed.passive = is_passive(&parsed);
    parsed
}

/// What the rules ask of a token again and again, found once.
fn look_up(tokens: &mut [Draft<'_>], language: Language) {
    for draft in tokens {
        draft.token.direction = direction_of(&draft.form, language);
        let claims = matches!(draft.token.role, Role::Content | Role::Label);
        if claims && may_mean(draft.token.kind) {
            let key = if draft.token.kind == Kind::Name { draft.stem() } else { &*draft.key };
            draft.token.meaning = meaning_of(key, language);
        }
        if claims && draft.token.kind == Kind::Word && language == Language::En {
            draft.token.senses = senses_of(&draft.form, &draft.key);
        }
    }
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
        .or_else(|| if form.as_bytes().contains(&b'\'') { CONTRACTIONS.get(Language::En, form) } else { None })
        .map(|words| &**words)
}

fn expand_word<'a>(mut lexeme: Lexeme<'a>, language: Language, out: &mut Vec<Lexeme<'a>>) {
    if lexeme.text.len() > LONGEST_WORD && lexeme.text.chars().nth(LONGEST_WORD).is_some() {
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
        let Some(at) = lexeme.text.bytes().position(|byte| byte == b'\'') else {
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

/// A label is made of ordinary words, or says who speaks; a name or a relative before a colon is a subject.
fn may_label(draft: &Draft<'_>) -> bool {
    let Token { kind, person, relation, .. } = draft.token;
    kind == Kind::Mark
        || is_particle(Particle::Speaker, &draft.form)
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
            draft.stem = (lexeme.kind != Kind::Mark).then(|| stem_of(&draft.form, language));
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
    let draft = |kind, key, form, stem| {
        let mut draft = Draft { stem, ..Draft::new(kind, key, form, start, end) };
        draft.token.possessive = possessive;
        draft
    };
    let form = &*lexeme.text;
    let listed = listed(form, language);
    let is_in = |list| listed.is_some_and(|listed| listed.is_in(list));
    let stem = listed.map_or_else(|| stem_of(&lexeme.text, language), |listed| listed.stem.clone());
    if is_in(List::User) {
        let mut user = draft(Kind::User, Cow::Borrowed("user"), lexeme.text, Some(stem));
        user.token.role = Role::Stop;
        return user;
    }
    if is_in(List::Stop) && !(capitals && lexeme.shout) {
        let mut stop = draft(Kind::Word, lexeme.text.clone(), lexeme.text, Some(stem));
        (stop.token.role, stop.token.rarity) = (Role::Stop, 0);
        return stop;
    }
    let kin = relation(form, language);
    let person = is_given_name(form);
    if !kin.is_some() && is_name(&lexeme, language, capitals) {
        let mut name = draft(Kind::Name, lexeme.text.clone(), lexeme.text, Some(stem));
        name.token.person = person;
        return name;
    }
    let role = if is_in(List::Soft) { Role::Soft } else { Role::Content };
    let rarity = rarity(form, &stem);
    let mut word = draft(Kind::Word, stem, lexeme.text, None);
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

/// Whether a token names the user by none of the words that do so for everybody.
pub(crate) fn is_alias(token: Said<'_>, language: Language) -> bool {
    token.kind == Kind::User && token.form != "user" && !is_listed(List::User, token.form, language)
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
                let key = std::mem::replace(&mut user.key, Cow::Borrowed("user"));
                user.stem.get_or_insert(key); // a phrase may still hold the word by its own stem
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
