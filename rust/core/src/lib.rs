//! What counts as a restatement of a forgotten fact.
//!
//! Pure logic: no I/O, no Python, no unsafe code. Every module has a twin of the same name under
//! `python/forgetguard/rules/`, and both answer to the same fixtures; a difference between the two is a fault.

#![forbid(unsafe_code)]

mod alignment;
mod blocks;
mod cjk;
mod clauses;
mod cuts;
mod features;
mod frames;
mod index;
mod language;
mod lexemes;
mod lexicon;
mod matching;
mod meanings;
mod numerals;
mod order;
mod parallel;
mod parsed;
mod phrases;
mod postings;
mod quantities;
mod question;
mod readings;
mod request_cjk;
mod request_imperatives;
mod request_logs;
mod request_places;
mod request_reports;
mod request_tags;
mod request_targets;
mod requests;
mod scrubbing;
mod sentences;
mod stems;
mod subjects;
mod text;
mod tokens;
mod vectors;
mod version;
mod vetoes;
mod voice;
mod wordnet;
mod words;

pub use clauses::Clause;
pub use cuts::{Cut, cuts};
pub use index::{Answer, Hit, Index};
pub use language::Language;
pub use lexemes::Kind;
pub use matching::{Action, Decision, Options, codes, decide, judge, vetoes};
pub use parsed::{Parsed, Role, Said, Token};
pub use readings::{Reading, readings};
pub use requests::{note_words, request_code};
pub use scrubbing::{Embed, Embedded, Embedder, Restated};
pub use sentences::{Sentence, has_narrative, sentences};
pub use text::{MAX_TEXT, clean, fold_text};
pub use tokens::parse;
pub use vectors::{Embedding, Scale, quantise, similar};
pub use version::{RULES_VERSION, rules_version};
pub use words::Relation;
