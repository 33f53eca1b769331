//! Phrases of several words, and what a negation reaches.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::language::Language;
use crate::lexemes::{Kind, SENTENCE_ENDS};
use crate::lexicon::{self, ByWord};
use crate::parsed::{Draft, Role, Token};
use crate::stems::stem;
use crate::wordnet::rarity;
use crate::words::{Particle, Relation, is_particle, relation};

/// Tokens after a negation word that it reaches, within its clause (RULES section 2.5).
const NEGATION_REACH: usize = 6;
/// Marks that end the reach of a negation, beside those that end a sentence.
const CLAUSE_MARKS: &str = ",()–—";

/// Languages whose negation may stand behind what it negates: it reaches its whole clause.
const fn negates_backward(language: Language) -> bool {
    matches!(language, Language::De | Language::Zh | Language::Ja | Language::Ko)
}

/// Sequences of words by their first word, longest first, with what they stand for.
pub(crate) type Sequences<T> = ByWord<Vec<(Vec<Cow<'static, str>>, T)>>;

fn sort_longest_first<T>(table: &mut Sequences<T>) {
    for found in table.values_mut() {
        found.sort_by_key(|(words, _)| usize::MAX - words.len());
    }
}

/// Rows of words and what they say, by the stems of the words.
pub(crate) fn stemmed_sequences<T>(rows: impl Iterator<Item = (Language, &'static str, T)>) -> Sequences<T> {
    let mut table = Sequences::default();
    for (language, words, said) in rows {
        let keys: Vec<_> = words.split(' ').map(|word| stem(word, language)).collect();
        table.entry(language, keys[0].clone()).push((keys, said));
    }
    sort_longest_first(&mut table);
    table
}

/// Phrases of several words with the key and relation that they say.
static PHRASES: LazyLock<Sequences<(Cow<'static, str>, Relation)>> = LazyLock::new(|| {
    stemmed_sequences(
        lexicon::PHRASES
            .rows_by_language()
            .map(|(language, [words, word])| (language, words, (stem(word, language), relation(word, language)))),
    )
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

/// The tokens with every listed phrase as one word.
pub(crate) fn phrases(mut tokens: Vec<Draft<'_>>, language: Language) -> Vec<Draft<'_>> {
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
            draft.stem = name.then(|| Cow::Owned(stem(&draft.form, language).into_owned()));
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
    let is = |draft: &Draft<'_>, key: &str| draft.token.kind != Kind::Mark && draft.stem() == key;
    starting_with(&PHRASES, language, tokens[0].stem())
        .iter()
        .find(|(keys, _)| {
            let length = keys.len();
            length <= tokens.len() && tokens.iter().zip(keys).all(|(draft, key)| is(draft, key)) && fits(length)
        })
        .map(|(keys, said)| (keys.len(), said))
}

pub(crate) fn clauses(tokens: &mut [Draft<'_>]) {
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
pub(crate) fn negations(tokens: &mut [Draft<'_>], language: Language) -> bool {
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
pub(crate) fn without_lone_emoji(tokens: &mut Vec<Draft<'_>>) {
    if !tokens.iter().all(|draft| matches!(draft.token.kind, Kind::Emoji | Kind::Mark)) {
        tokens.retain(|draft| draft.token.kind != Kind::Emoji);
    }
}
