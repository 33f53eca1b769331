//! What a candidate and a fact have in common: each word beside the word that says the same.
//!
//! Words align by equal key or form, by initial, by a shared sense, or as opposites. Alignment is by membership, not one
//! to one: a word that a text repeats adds nothing.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::language::Language;
use crate::lexemes::Kind;
use crate::lexicon::Number;
use crate::meanings::{self, Meaning, meet};
use crate::parsed::{Parsed, Role, Said};
use crate::quantities::dimension;
use crate::wordnet;
use crate::words::{Particle, Relation, particles};

const NAME_WEIGHT: u32 = 15;
/// Two phone numbers are one if one ends with the other and shares at least this many digits.
pub(crate) const SUFFIX_DIGITS: usize = 7;
/// Least letters of a name that may stand for one with an ending.
const LEAST_VARIANT: usize = 4;
/// Three in five: the share of the bigrams of a CJK text that must stand in the other for its loose characters to count.
const CJK_SHARED: (usize, usize) = (3, 5);

/// The content tokens of both texts, and which of them say the same.
///
/// `forward[i]`: index in `candidate` of what fact token i aligns with; `backward` the other way. `opposite[i]`: fact
/// token i aligns with its antonym.
#[derive(Debug)]
pub(crate) struct Alignment<'a> {
    pub(crate) fact: Vec<Said<'a>>,
    pub(crate) candidate: Vec<Said<'a>>,
    pub(crate) forward: Vec<Option<usize>>,
    pub(crate) backward: Vec<Option<usize>>,
    pub(crate) opposite: Vec<bool>,
    pub(crate) whole_fact: &'a Parsed,
    pub(crate) whole_candidate: &'a Parsed,
}

impl<'a> Alignment<'a> {
    /// Content tokens of the fact that the candidate does not hold.
    pub(crate) fn dropped(&self) -> impl Iterator<Item = Said<'a>> {
        self.fact.iter().zip(&self.forward).filter(|(_, at)| at.is_none()).map(|(&token, _)| token)
    }

    /// Content tokens of the candidate that the fact does not hold.
    pub(crate) fn added(&self) -> impl Iterator<Item = Said<'a>> {
        self.candidate.iter().zip(&self.backward).filter(|(_, at)| at.is_none()).map(|(&token, _)| token)
    }

    /// Content tokens of the fact that the candidate holds.
    pub(crate) fn kept(&self) -> impl Iterator<Item = Said<'a>> {
        self.pairs().map(|(token, _)| token)
    }

    /// Content tokens of the candidate that the fact holds.
    pub(crate) fn held(&self) -> impl Iterator<Item = Said<'a>> {
        self.candidate.iter().zip(&self.backward).filter(|(_, at)| at.is_some()).map(|(&token, _)| token)
    }

    /// Each content token of the fact that the candidate holds, with what it aligns with.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (Said<'a>, Said<'a>)> {
        self.fact.iter().zip(&self.forward).filter_map(|(&token, at)| Some((token, self.candidate[(*at)?])))
    }

    /// Share of the fact's weight that the candidate holds, and of the candidate's that the fact holds.
    pub(crate) fn coverage(&self) -> (f64, f64) {
        (share(&self.fact, &self.forward), share(&self.candidate, &self.backward))
    }
}

/// Places of tokens, by which some of them are found again.
pub(crate) struct Starts(Vec<u32>);

impl<'a> FromIterator<Said<'a>> for Starts {
    fn from_iter<I: IntoIterator<Item = Said<'a>>>(tokens: I) -> Self {
        let mut starts: Vec<u32> = tokens.into_iter().map(|token| token.start).collect();
        starts.sort_unstable();
        Self(starts)
    }
}

impl Starts {
    pub(crate) fn last(&self) -> Option<u32> {
        self.0.last().copied()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn contains(&self, start: u32) -> bool {
        self.0.binary_search(&start).is_ok()
    }
}

/// A name, or a word that is a common first name ("petra" in lower case).
pub(crate) fn is_name(token: Said<'_>) -> bool {
    token.kind == Kind::Name || (token.kind == Kind::Word && token.person && !token.relation.is_some())
}

/// How much a token says: rarity of a word, the most for names, numbers and codes.
pub(crate) fn weight(token: Said<'_>) -> u32 {
    1 + if token.kind == Kind::Word { u32::from(token.rarity) } else { NAME_WEIGHT }
}

fn share(tokens: &[Said<'_>], aligned: &[Option<usize>]) -> f64 {
    let (mut total, mut held) = (0, 0);
    for (&token, at) in tokens.iter().zip(aligned) {
        let weight = weight(token);
        total += weight;
        held += if at.is_some() { weight } else { 0 };
    }
    if total == 0 { 0.0 } else { f64::from(held) / f64::from(total) }
}

/// Whether a token carries a claim.
pub(crate) fn is_content(token: Said<'_>) -> bool {
    token.role == Role::Content && !matches!(token.kind, Kind::Mark | Kind::Negation | Kind::User)
}

/// The tokens that carry a claim, and the labels that are one in `other` ("Weight: 94 kg" beside "weighs 94 kg").
fn content_beside<'a>(parsed: &'a Parsed, other: &Parsed) -> Vec<Said<'a>> {
    let claimed = |label: Said<'_>| other.tokens().any(|t| t.role == Role::Content && t.key == label.key);
    let claims = |token: Said<'_>| is_content(token) || (is_label(token) && claimed(token));
    parsed.tokens().filter(|&token| claims(token)).collect()
}

/// Whether a token is a word of a label.
pub(crate) fn is_label(token: Said<'_>) -> bool {
    token.role == Role::Label && !matches!(token.kind, Kind::Mark | Kind::Negation | Kind::User)
}

/// The content of `candidate` beside that of `fact`.
pub(crate) fn align<'a>(candidate: &'a Parsed, fact: &'a Parsed, wordnet: bool) -> Alignment<'a> {
    let (facts, candidates) = (content_beside(fact, candidate), content_beside(candidate, fact));
    let mut out = Alignment {
        forward: vec![None; facts.len()],
        backward: vec![None; candidates.len()],
        opposite: vec![false; facts.len()],
        fact: facts,
        candidate: candidates,
        whole_fact: fact,
        whole_candidate: candidate,
    };
    for (i, &f) in out.fact.iter().enumerate() {
        for (j, &c) in out.candidate.iter().enumerate() {
            if is_same(f, c) {
                out.forward[i].get_or_insert(j);
                out.backward[j].get_or_insert(i);
            }
        }
    }
    align_parts(&mut out);
    if candidate.language == fact.language {
        align_meanings(&mut out, candidate.language, wordnet);
    }
    let (forward, backward) = (&mut out.forward, &mut out.backward);
    align_characters(&out.fact, &out.candidate, forward);
    align_characters(&out.candidate, &out.fact, backward);
    out
}

/// Words that are left over, by shared sense or as antonyms.
fn align_meanings(alignment: &mut Alignment<'_>, language: Language, wordnet: bool) {
    let Alignment { fact, candidate, forward, backward, opposite, .. } = alignment;
    for (i, &f) in fact.iter().enumerate() {
        if forward[i].is_some() || !means(f) {
            continue;
        }
        for (j, &c) in candidate.iter().enumerate() {
            if backward[j].is_some() || !means(c) {
                continue;
            }
            let related = is_related(f, c, language, wordnet);
            if related || are_opposite(f, c) {
                (forward[i], backward[j], opposite[i]) = (Some(j), Some(i), !related);
                break;
            }
        }
    }
}

/// Kinds of tokens that may have a synonym or an opposite.
pub(crate) const fn may_mean(kind: Kind) -> bool {
    matches!(kind, Kind::Word | Kind::Name | Kind::Cjk)
}

/// Whether a token is one of which a table says something.
fn means(token: Said<'_>) -> bool {
    may_mean(token.kind) && (token.meaning != 0 || token.senses != 0)
}

fn is_same(f: Said<'_>, c: Said<'_>) -> bool {
    match (f.kind, c.kind) {
        (Kind::Word | Kind::Name, Kind::Word | Kind::Name) => {
            f.key == c.key || f.form == c.form || is_short_for(f, c) || is_short_for(c, f)
        }
        (Kind::Date, Kind::Date) => dates_agree(f.key, c.key),
        (Kind::Phone | Kind::Number, Kind::Phone | Kind::Number) => numbers_agree(f.key, c.key),
        _ => f.kind == c.kind && f.key == c.key,
    }
}

fn is_single(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some() && chars.next().is_none()
}

/// An initial, or a name without an ending: its plural, a product's kind ("Witnesses", "MongoDB").
fn is_short_for(short: Said<'_>, long: Said<'_>) -> bool {
    if short.kind != Kind::Name || !long.form.starts_with(short.form) {
        return false;
    }
    (long.kind == Kind::Name && is_single(short.form)) || name_variants(long.form).any(|name| name == short.form)
}

static NAME_ENDINGS: LazyLock<Vec<&'static str>> = LazyLock::new(|| particles(Particle::NameEnding));

/// A name without each ending that it may have.
pub(crate) fn name_variants(form: &str) -> impl Iterator<Item = &str> {
    let shorter = NAME_ENDINGS.iter().filter_map(|ending| form.strip_suffix(ending));
    shorter.filter(|name| name.chars().count() >= LEAST_VARIANT)
}

fn numbers_agree(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    a.len().min(b.len()) >= SUFFIX_DIGITS && (a.ends_with(b) || b.ends_with(a))
}

/// Whether some reading of both dates agrees in every part that both give, and shares one.
fn dates_agree(a: &str, b: &str) -> bool {
    a.split('|').any(|x| b.split('|').any(|y| parts_agree(x, y)))
}

fn parts_agree(a: &str, b: &str) -> bool {
    let mut both = a.split('-').zip(b.split('-')).filter(|&(x, y)| x != "0" && y != "0").peekable();
    both.peek().is_some() && both.all(|(x, y)| x == y)
}

// -- meanings ----------------------------------------------------------------------------------------------------------

/// The meanings of the words that a token may align with by its own.
pub(crate) fn related_meanings(token: Said<'_>) -> &'static [Number] {
    meanings::related_to(token.meaning)
}

/// What the tables say of a token's stem.
pub(crate) fn meaning(token: Said<'_>) -> &'static Meaning {
    meanings::meaning(token.meaning)
}

/// The WordNet senses of a token, sorted; none for a relation word of people and animals.
pub(crate) fn senses(token: Said<'_>) -> &'static [u32] {
    if is_person(token) { &[] } else { wordnet::senses(token.senses) }
}

fn is_related(f: Said<'_>, c: Said<'_>, language: Language, wordnet: bool) -> bool {
    meet(&meaning(f).groups, &meaning(c).groups, |group| group)
        || meet(&meaning(f).converse, &meaning(c).converse, |number| -number)
        || (wordnet && language == Language::En && meet(senses(f), senses(c), |sense| sense) && !are_opposite(f, c))
}

/// Relation words of people and animals have no synonyms in WordNet that are safe; offices ("manager") do.
fn is_person(token: Said<'_>) -> bool {
    !matches!(token.relation, Relation::None | Relation::Work | Relation::Care)
}

/// Whether the words are antonyms, directly or through a synonym of one of them.
fn are_opposite(f: Said<'_>, c: Said<'_>) -> bool {
    meet(&meaning(f).antonyms, &meaning(c).antonyms, |number| -number)
}

// -- scripts without spaces --------------------------------------------------------------------------------------------

/// A lone CJK character beside a longer piece that holds it, where neither is in the other text as it stands.
fn align_parts(alignment: &mut Alignment<'_>) {
    let Alignment { fact, candidate, forward, backward, .. } = alignment;
    for (i, f) in fact.iter().enumerate().filter(|(_, token)| token.kind == Kind::Cjk) {
        for (j, c) in candidate.iter().enumerate().filter(|(_, token)| token.kind == Kind::Cjk) {
            let part = (is_single(f.key) || is_single(c.key)) && (f.key.contains(c.key) || c.key.contains(f.key));
            if part && forward[i].is_none() && backward[j].is_none() {
                (forward[i], backward[j]) = (Some(j), Some(i));
            }
        }
    }
}

/// A CJK piece whose characters all stand in the other text aligns too, if most bigrams there are shared.
fn align_characters(left: &[Said<'_>], right: &[Said<'_>], aligned: &mut [Option<usize>]) {
    let pieces = || left.iter().enumerate().filter(|(_, token)| token.kind == Kind::Cjk);
    let count = pieces().count();
    let shared = pieces().filter(|&(i, _)| aligned[i].is_some()).count();
    if count == 0 || shared * CJK_SHARED.1 < CJK_SHARED.0 * count {
        return;
    }
    let others = || right.iter().enumerate().filter(|(_, token)| token.kind == Kind::Cjk);
    let characters: FxHashSet<char> = others().flat_map(|(_, token)| token.form.chars()).collect();
    let first = others().next().map(|(j, _)| j);
    for (i, token) in pieces() {
        if aligned[i].is_none() && token.form.chars().all(|c| characters.contains(&c)) {
            aligned[i] = first;
        }
    }
}

/// Whether both texts hold units of one dimension that the other does not.
pub(crate) fn has_unmatched_units(alignment: &Alignment<'_>) -> bool {
    let dropped = || alignment.dropped().filter(|token| token.kind == Kind::Unit);
    alignment
        .added()
        .filter(|token| token.kind == Kind::Unit)
        .any(|added| dropped().any(|unit| dimension(unit.key) == dimension(added.key)))
}
