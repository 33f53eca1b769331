//! Many forgotten facts at once: only those that a candidate could restate are decided ([`crate::postings`]).

use crate::matching::{ANCHOR_SIMILARITY, Action, Decision, Options, judge};
use crate::parallel::in_parallel;
use crate::parsed::Parsed;
use crate::postings::{Features, Hope, Postings, Question, features_of};
use crate::readings::{Reading, readings};
use crate::text::index;
use crate::tokens::parse;

/// Facts that are read at one time: their texts and their tokens stand in memory together.
const BATCH: usize = 8192;
/// Bytes that memory hands over at one time.
const CACHE_LINE: usize = 64;

/// MiniLM's null distribution over unrelated facts, mean and sd: the scale on which every line is stated.
const OFFSET: f64 = 0.358;
const SLOPE: f64 = 0.169;
const INT8_LIMIT: f64 = 127.0;

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

/// What a text without an embedding is answered, or that an embedding could change it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// As [`Index::find`] without an embedding.
    Found(Option<Hit>),
    /// An embedding could change what [`Index::find`] answers.
    Wanted,
}

/// Facts by slot, in the order in which they were added. Texts are cleaned already ([`crate::clean`]).
#[derive(Debug, Default)]
pub struct Index {
    aliases: Vec<String>,
    options: Options,
    facts: Vec<Option<Fact>>,
    models: Vec<String>,
    postings: Postings,
}

impl Index {
    /// An empty index. `aliases`: further names of the user.
    #[must_use]
    pub fn new(aliases: Vec<String>, options: Options) -> Self {
        Self { aliases, options, ..Self::default() }
    }

    /// Further names of the user.
    #[must_use]
    pub fn aliases(&self) -> &[String] {
        &self.aliases
    }

    /// The slot of a new fact.
    pub fn add(&mut self, text: &str, embedding: Option<Embedding<'_>>) -> usize {
        let parsed = parse(text, &self.aliases);
        let features = features_of(&parsed, self.options.wordnet);
        self.insert(parsed, &features, embedding)
    }

    /// The slot of the first of several new facts; the others follow it, in order. Reads them on every core.
    pub fn add_many(&mut self, facts: &[(&str, Option<Embedding<'_>>)]) -> usize {
        let first = self.facts.len();
        for batch in facts.chunks(BATCH) {
            let read = in_parallel(batch, |(text, _)| {
                let parsed = parse(text, &self.aliases);
                let features = features_of(&parsed, self.options.wordnet);
                (parsed, features)
            });
            for ((parsed, features), &(_, embedding)) in read.into_iter().zip(batch) {
                self.insert(parsed, &features, embedding);
            }
        }
        first
    }

    fn insert(&mut self, parsed: Parsed, features: &Features, embedding: Option<Embedding<'_>>) -> usize {
        let slot = self.facts.len();
        self.postings.add(index(slot), features);
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
        self.postings.remove(index(slot), &features_of(&fact.parsed, self.options.wordnet));
    }

    /// The first fact in slot order that `text` restates, a drop before a hold.
    #[must_use]
    pub fn find(&self, text: &str, embedding: Option<Embedding<'_>>, scale: Option<Scale>) -> Option<Hit> {
        self.find_read(&readings(text, &self.aliases), embedding, scale)
    }

    /// The same for a text that is read already.
    pub(crate) fn find_read(
        &self,
        candidate: &[Reading],
        embedding: Option<Embedding<'_>>,
        scale: Option<Scale>,
    ) -> Option<Hit> {
        let embedding = embedding.filter(|embedding| !embedding.values.is_empty());
        let norm_of_candidate = embedding.map_or(0, |embedding| norm(embedding.values));
        let model = embedding.and_then(|embedding| self.known_model(embedding.model));
        let mut held = None;
        self.each_related(candidate, model.is_some(), |slot, fact, hope| {
            let similarity = match (embedding, &fact.values) {
                (Some(embedding), Some(values)) if Some(fact.model) == model => {
                    scaled(embedding.values, norm_of_candidate, values, fact.norm, scale)
                }
                _ => None,
            };
            if hope == Hope::Similarity && similarity.is_none_or(|similarity| similarity < ANCHOR_SIMILARITY) {
                return None;
            }
            let decision = judge(candidate, &fact.parsed, similarity, self.options);
            let hit = Hit { slot, decision, similarity };
            match decision.action {
                Action::Drop => return Some(hit),
                Action::Hold => held = held.or(Some(hit)),
                Action::Store => {}
            }
            None
        })
        .or(held)
    }

    /// Whether an embedding of `text` by `model` could change what [`Self::find`] answers.
    #[must_use]
    pub fn needs_embedding(&self, text: &str, model: &str) -> bool {
        self.ask_read(&readings(text, &self.aliases), model) == Answer::Wanted
    }

    /// What [`Self::find`] answers without an embedding, if none by `model` could change it.
    #[must_use]
    pub fn ask(&self, text: &str, model: &str) -> Answer {
        self.ask_read(&readings(text, &self.aliases), model)
    }

    /// The same for a text that is read already.
    pub(crate) fn ask_read(&self, candidate: &[Reading], model: &str) -> Answer {
        let model = self.known_model(model);
        let is_wanted = self.each_related(candidate, model.is_some(), |_, fact, hope| {
            let judged = |similarity| judge(candidate, &fact.parsed, similarity, self.options);
            let compared = fact.values.is_some() && Some(fact.model) == model;
            if hope == Hope::Similarity {
                return (compared && judged(Some(1.0)).action != Action::Store).then_some(true);
            }
            if !compared {
                return (judged(None).action == Action::Drop).then_some(false);
            }
            let low = judged(Some(-1.0));
            if low != judged(Some(1.0)) {
                return Some(true);
            }
            (low.action == Action::Drop).then_some(false)
        });
        if is_wanted == Some(true) { Answer::Wanted } else { Answer::Found(self.find_read(candidate, None, None)) }
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

    /// The first answer about the facts that some reading may restate, asked in slot order.
    fn each_related<T>(
        &self,
        candidate: &[Reading],
        compared: bool,
        mut ask: impl FnMut(usize, &Fact, Hope) -> Option<T>,
    ) -> Option<T> {
        let question = Question::new(candidate, self.options.wordnet, compared);
        self.postings.each(&question, |found| {
            if compared {
                self.fetch(found);
            }
            found.iter().find_map(|&(slot, hope)| {
                let fact = self.facts[slot as usize].as_ref()?;
                ask(slot as usize, fact, hope)
            })
        })
    }

    /// Read a little of each vector that is about to be compared: so memory answers for many of them at one time, and
    /// not for one after the other.
    fn fetch(&self, found: &[(u32, Hope)]) {
        let near = found.iter().filter(|(_, hope)| *hope == Hope::Similarity);
        let vectors = near.filter_map(|&(slot, _)| self.facts[slot as usize].as_ref()?.values.as_deref());
        let read = |values: &[u8]| values.iter().step_by(CACHE_LINE).fold(0, |all, byte| all ^ byte);
        std::hint::black_box(vectors.fold(0, |all, values| all ^ read(values)));
    }
}

// -- similarity --------------------------------------------------------------------------------------------------------

fn norm(values: &[u8]) -> u32 {
    dot(values, values).unsigned_abs()
}

fn signed(byte: u8) -> i16 {
    i16::from(i8::from_ne_bytes([byte]))
}

/// The int8 form of an embedding and its scale: the greatest is 127, a tie goes to the even one.
///
/// None for a vector that is empty, all zero, or not finite: the caller has an error for each.
#[must_use]
pub fn quantise(floats: &[f64]) -> Option<(Vec<u8>, f64)> {
    if !floats.iter().all(|float| float.is_finite()) {
        return None;
    }
    let scale = floats.iter().fold(0.0, |most: f64, float| most.max(float.abs())) / INT8_LIMIT;
    let values = floats.iter().map(|float| (float / scale).round_ties_even());
    #[allow(clippy::cast_possible_truncation)] // a whole number that is small enough
    let byte = |value: f64| (value.abs() <= INT8_LIMIT).then_some((value as i8).to_ne_bytes()[0]);
    Some((values.map(byte).collect::<Option<Vec<u8>>>()?, scale)).filter(|_| scale > 0.0)
}

/// The dot product of signed bytes: an exact integer.
fn dot(a: &[u8], b: &[u8]) -> i32 {
    // A product of two signed bytes fits 16 bits, of which processors multiply twice as many at one time as of 32.
    a.iter().zip(b).map(|(&x, &y)| i32::from(signed(x) * signed(y))).sum()
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
