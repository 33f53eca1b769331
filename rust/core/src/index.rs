//! Many forgotten facts at once: only those that a candidate could restate are decided ([`crate::postings`]).

use std::ops::Range;

use crate::features::{Features, features_of};
use crate::matching::{ANCHOR_SIMILARITY, Action, Decision, Options, judge};
use crate::parallel::{by_part, in_parallel};
use crate::parsed::Parsed;
use crate::postings::Postings;
use crate::question::{Hope, Question};
use crate::readings::{Reading, readings};
use crate::text::index;
use crate::tokens::parse;
use crate::vectors::{Embedding, Scale, Vectors};

/// Facts that are read at one time: their texts and their tokens stand in memory together.
const BATCH: usize = 8192;
/// Facts for which another thread is worth its start, which takes as long as a few thousand of them.
const SPLIT: usize = 1 << 17;

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
    facts: Vec<Option<Parsed>>,
    vectors: Vectors,
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
        self.vectors.push(embedding);
        self.facts.push(Some(parsed));
        slot
    }

    /// Take a fact out. Its slot is never used again; one that does not exist is passed over.
    pub fn remove(&mut self, slot: usize) {
        let Some(parsed) = self.facts.get_mut(slot).and_then(Option::take) else {
            return;
        };
        self.vectors.remove(slot);
        self.postings.remove(index(slot), &features_of(&parsed, self.options.wordnet));
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
        let asked = embedding.and_then(|embedding| self.vectors.asked(embedding, scale));
        let asked = asked.as_ref();
        self.first_related(candidate, asked.is_some(), |slot, hope| {
            let similarity = match (asked.and_then(|asked| self.vectors.beside(slot, asked)), hope) {
                (None, Hope::Similarity) => return Told::Nothing,
                (None, _) => None,
                (Some(beside), Hope::Words) => Some(beside.similarity()),
                (Some(beside), _) => match beside.alike(ANCHOR_SIMILARITY) {
                    None => return Told::Nothing,
                    alike => alike,
                },
            };
            // Not before: most are told apart by their embeddings, and the fact lies elsewhere in memory.
            let Some(fact) = &self.facts[slot] else { return Told::Nothing };
            let decision = judge(candidate, fact, similarity, self.options);
            let hit = Hit { slot, decision, similarity };
            match decision.action {
                Action::Drop => Told::Last(hit),
                Action::Hold => Told::IfNoneIsLast(hit),
                Action::Store => Told::Nothing,
            }
        })
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
        let model = self.vectors.known_model(model);
        let is_wanted = self.first_related(candidate, model.is_some(), |slot, hope| {
            let Some(fact) = &self.facts[slot] else { return Told::Nothing };
            let judged = |similarity| judge(candidate, fact, similarity, self.options);
            let compared = model.is_some() && self.vectors.model(slot) == model;
            if hope == Hope::Similarity || (hope == Hope::Anchor && compared) {
                let is_wanted = compared && judged(Some(1.0)).action != Action::Store;
                return if is_wanted { Told::Last(true) } else { Told::Nothing };
            }
            let low = judged(compared.then_some(-1.0));
            let high = if compared { judged(Some(1.0)) } else { low };
            if low != high {
                return Told::Last(true);
            }
            if low.action == Action::Drop { Told::Last(false) } else { Told::Nothing }
        });
        if is_wanted == Some(true) { Answer::Wanted } else { Answer::Found(self.find_read(candidate, None, None)) }
    }

    /// The first answer about the facts that some reading may restate, in slot order.
    fn first_related<T: Send>(
        &self,
        candidate: &[Reading],
        compared: bool,
        ask: impl Fn(usize, Hope) -> Told<T> + Sync,
    ) -> Option<T> {
        let question = Question::new(candidate, self.options.wordnet, compared);
        let parts = by_part(self.facts.len(), SPLIT, |slots| self.first_of(&question, slots, &ask));
        let (last, otherwise): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        last.into_iter().chain(otherwise).flatten().next()
    }

    /// The last answer about some of the facts, and what holds if there is none.
    fn first_of<T>(
        &self,
        question: &Question,
        slots: Range<usize>,
        ask: impl Fn(usize, Hope) -> Told<T>,
    ) -> (Option<T>, Option<T>) {
        let mut otherwise = None;
        let last = self.postings.each(question, slots, |found| {
            if question.compared {
                let near = found.iter().filter(|(_, hope)| *hope != Hope::Words);
                self.vectors.fetch(near.map(|&(slot, _)| slot as usize));
            }
            found.iter().find_map(|&(slot, hope)| {
                match ask(slot as usize, hope) {
                    Told::Last(answer) => return Some(answer),
                    Told::IfNoneIsLast(answer) => otherwise = otherwise.take().or(Some(answer)),
                    Told::Nothing => {}
                }
                None
            })
        });
        (last, otherwise)
    }
}

/// What one fact says about a candidate: nothing is asked after the last answer.
enum Told<T> {
    Last(T),
    IfNoneIsLast(T),
    Nothing,
}
