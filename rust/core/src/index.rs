//! Many forgotten facts at once: only those that share something with a candidate are decided.
//!
//! [`features`] gives two tokens that can align a feature in common, so the index answers as asking every fact would.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};

use crate::alignment::{SUFFIX_DIGITS, content, may_mean, meaning, name_variants, senses};
use crate::lexemes::Kind;
use crate::matching::{Action, Decision, Options, judge};
use crate::readings::{Reading, readings};
use crate::text::index;
use crate::tokens::{Parsed, Said, parse};

/// MiniLM's null distribution over unrelated facts, mean and sd: the scale on which every line is stated.
const OFFSET: f64 = 0.358;
const SLOPE: f64 = 0.169;

/// An embedding as int8, and the model that made it.
#[derive(Clone, Copy, Debug)]
pub struct Embedding<'a> {
    /// Signed bytes, one a dimension.
    pub values: &'a [u8],
    /// Vectors of different models are never compared.
    pub model: &'a str,
}

/// Mean and sd of a model's null distribution.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// The mean.
    pub mean: f64,
    /// The standard deviation, more than 0.
    pub deviation: f64,
}

/// The fact in `slot` is restated. `similarity` is none where no embedding was compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Which fact.
    pub slot: usize,
    /// By which rule, how surely.
    pub decision: Decision,
    /// On MiniLM's scale.
    pub similarity: Option<f64>,
}

#[derive(Debug)]
struct Fact {
    parsed: Parsed,
    values: Option<Box<[u8]>>,
    model: u32,
    norm: u32,
}

/// The slots of one feature, in order. Most features belong to one fact.
#[derive(Debug)]
enum Posting {
    One(u32),
    Many(Vec<u32>),
}

impl Posting {
    fn slots(&self) -> &[u32] {
        match self {
            Self::One(slot) => std::slice::from_ref(slot),
            Self::Many(slots) => slots,
        }
    }
}

/// Facts by slot, in the order in which they were added. Texts are cleaned already ([`crate::clean`]).
#[derive(Debug, Default)]
pub struct Index {
    aliases: Vec<String>,
    options: Options,
    facts: Vec<Option<Fact>>,
    models: Vec<String>,
    postings: FxHashMap<u64, Posting>,
}

impl Index {
    /// An empty index. `aliases`: further names of the user.
    #[must_use]
    pub fn new(aliases: Vec<String>, options: Options) -> Self {
        Self { aliases, options, ..Self::default() }
    }

    /// The slot of a new fact.
    pub fn add(&mut self, text: &str, embedding: Option<Embedding<'_>>) -> usize {
        let parsed = parse(text, &self.aliases);
        let slot = self.facts.len();
        for feature in features_of(&parsed, self.options.wordnet) {
            self.postings
                .entry(feature)
                .and_modify(|posting| match posting {
                    Posting::One(first) => *posting = Posting::Many(vec![*first, index(slot)]),
                    Posting::Many(slots) => slots.push(index(slot)),
                })
                .or_insert(Posting::One(index(slot)));
        }
        let values = embedding.map(|embedding| Box::from(embedding.values));
        let norm = embedding.map_or(0, |embedding| norm(embedding.values));
        let model = self.model_number(embedding.map_or("", |embedding| embedding.model));
        self.facts.push(Some(Fact { parsed, values, model, norm }));
        slot
    }

    /// Take a fact out. Its slot is never used again; one that does not exist is passed over.
    pub fn remove(&mut self, slot: usize) {
        let Some(fact) = self.facts.get_mut(slot).and_then(Option::take) else {
            return;
        };
        for feature in features_of(&fact.parsed, self.options.wordnet) {
            let Some(posting) = self.postings.get_mut(&feature) else {
                continue;
            };
            if let Posting::Many(slots) = posting {
                slots.retain(|&other| other as usize != slot);
                if !slots.is_empty() {
                    continue;
                }
            }
            self.postings.remove(&feature);
        }
    }

    /// The first fact in slot order that `text` restates, a drop before a hold.
    #[must_use]
    pub fn find(&self, text: &str, embedding: Option<Embedding<'_>>, scale: Option<Scale>) -> Option<Hit> {
        let candidate = readings(text, &self.aliases);
        let embedding = embedding.filter(|embedding| !embedding.values.is_empty());
        let norm_of_candidate = embedding.map_or(0, |embedding| norm(embedding.values));
        let model = embedding.and_then(|embedding| self.known_model(embedding.model));
        let mut held = None;
        for (slot, fact) in self.related(&candidate) {
            let similarity = match (embedding, &fact.values) {
                (Some(embedding), Some(values)) if Some(fact.model) == model => {
                    scaled(embedding.values, norm_of_candidate, values, fact.norm, scale)
                }
                _ => None,
            };
            let decision = judge(&candidate, &fact.parsed, similarity, self.options);
            let hit = Hit { slot, decision, similarity };
            match decision.action {
                Action::Drop => return Some(hit),
                Action::Hold => held = held.or(Some(hit)),
                Action::Store => {}
            }
        }
        held
    }

    /// Whether an embedding of `text` by `model` could change what [`Self::find`] answers.
    #[must_use]
    pub fn needs_embedding(&self, text: &str, model: &str) -> bool {
        let candidate = readings(text, &self.aliases);
        let model = self.known_model(model);
        for (_, fact) in self.related(&candidate) {
            let judged = |similarity| judge(&candidate, &fact.parsed, similarity, self.options);
            if fact.values.is_none() || Some(fact.model) != model {
                if judged(None).action == Action::Drop {
                    return false;
                }
                continue;
            }
            let low = judged(Some(-1.0));
            if low != judged(Some(1.0)) {
                return true;
            }
            if low.action == Action::Drop {
                return false;
            }
        }
        false
    }

    fn known_model(&self, model: &str) -> Option<u32> {
        self.models.iter().position(|known| known == model).map(index)
    }

    fn model_number(&mut self, model: &str) -> u32 {
        self.known_model(model).unwrap_or_else(|| {
            self.models.push(model.to_owned());
            index(self.models.len() - 1)
        })
    }

    /// The facts that share a feature with some reading, in slot order.
    fn related(&self, candidate: &[Reading]) -> impl Iterator<Item = (usize, &Fact)> {
        let mut seen = vec![0_u64; self.facts.len().div_ceil(64)];
        for feature in candidate.iter().flat_map(|reading| features_of(&reading.parsed, self.options.wordnet)) {
            for &slot in self.postings.get(&feature).map_or(&[][..], Posting::slots) {
                seen[slot as usize / 64] |= 1 << (slot % 64);
            }
        }
        let slots = seen.into_iter().enumerate().flat_map(|(block, bits)| {
            let mut bits = bits;
            std::iter::from_fn(move || {
                let bit = bits.trailing_zeros() as usize;
                bits &= bits.wrapping_sub(1);
                (bit < 64).then_some(block * 64 + bit)
            })
        });
        slots.filter_map(|slot| Some((slot, self.facts[slot].as_ref()?)))
    }
}

// -- features ----------------------------------------------------------------------------------------------------------

/// What a text can be found by, each once. Two texts that share nothing may share a hash: then one more is decided.
fn features_of(parsed: &Parsed, wordnet: bool) -> Vec<u64> {
    let mut out = vec![feature(b'x', parsed.exact())];
    for token in content(parsed) {
        features(token, wordnet, &mut out);
    }
    out.sort_unstable();
    out.dedup();
    out
}

fn features(token: Said<'_>, wordnet: bool, out: &mut Vec<u64>) {
    out.push(feature(b'k', token.key));
    out.push(feature(b'k', token.form));
    if token.kind == Kind::Name {
        out.extend(name_variants(token.form).map(|short| feature(b'k', short)));
    }
    if may_mean(token.kind) {
        let meaning = meaning(token);
        out.extend(meaning.groups.iter().map(|&group| numbered(b'g', group)));
        out.extend(meaning.converse.iter().map(|&pair| numbered(b'c', pair.unsigned_abs())));
        out.extend(meaning.antonyms.iter().map(|&pair| numbered(b'a', pair.unsigned_abs())));
        if wordnet {
            out.extend(senses(token).iter().map(|&sense| numbered(b's', sense)));
        }
    }
    match token.kind {
        Kind::Date => {
            for reading in token.key.split('|') {
                let parts = b"ymd".iter().zip(reading.split('-')).filter(|&(_, value)| value != "0");
                out.extend(parts.map(|(&part, value)| feature(part, value)));
            }
        }
        Kind::Phone | Kind::Number if token.key.len() >= SUFFIX_DIGITS => {
            out.push(feature(b'p', &token.key[token.key.len() - SUFFIX_DIGITS..]));
        }
        Kind::Cjk => out.extend(token.form.chars().map(|char| numbered(b'h', char as u32))),
        _ => {}
    }
}

fn feature(sort: u8, text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u8(sort);
    hasher.write(text.as_bytes());
    hasher.finish()
}

fn numbered(sort: u8, number: u32) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u8(sort);
    hasher.write_u32(number);
    hasher.finish()
}

// -- similarity --------------------------------------------------------------------------------------------------------

fn norm(values: &[u8]) -> u32 {
    dot(values, values).unsigned_abs()
}

fn signed(byte: u8) -> i32 {
    i32::from(i8::from_ne_bytes([byte]))
}

/// The dot product of signed bytes: an exact integer.
fn dot(a: &[u8], b: &[u8]) -> i32 {
    a.iter().zip(b).map(|(&x, &y)| signed(x) * signed(y)).sum()
}

/// Cosine of two int8 vectors on MiniLM's scale, rounded to 1e-4; none if their lengths differ.
///
/// The dot product is an exact integer, so it is the same on every machine. Without a scale the cosine is used as it is.
#[must_use]
pub fn similar(a: &[u8], b: &[u8], scale: Option<Scale>) -> Option<f64> {
    scaled(a, norm(a), b, norm(b), scale)
}

fn scaled(a: &[u8], norm_a: u32, b: &[u8], norm_b: u32, scale: Option<Scale>) -> Option<f64> {
    if a.len() != b.len() || norm_a == 0 || norm_b == 0 {
        return None;
    }
    #[allow(clippy::cast_precision_loss)] // rounded as Python rounds an integer before its root
    let length = ((u64::from(norm_a) * u64::from(norm_b)) as f64).sqrt();
    let mut cosine = f64::from(dot(a, b)) / length;
    if let Some(Scale { mean, deviation }) = scale {
        cosine = OFFSET + SLOPE * (cosine - mean) / deviation;
    }
    // Not `clamp`: what is no number becomes 1, as in the Python twin.
    let most = if cosine < 1.0 { cosine } else { 1.0 };
    Some(rounded(if most > -1.0 { most } else { -1.0 }))
}

/// To 1e-4, half away from zero: the same in every language.
fn rounded(number: f64) -> f64 {
    let size = (number.abs() * 10_000.0 + 0.5).trunc() / 10_000.0;
    if number >= 0.0 { size } else { -size }
}
