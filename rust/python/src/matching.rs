//! Does a candidate put a forgotten fact back?

use forgetguard_core::{Options, parse, readings};
use pyo3::pyfunction;

use crate::text::Text;

/// Action, code, why and coverage of one candidate and one fact; `similarity` is on MiniLM's scale.
#[pyfunction]
pub(crate) fn judge(
    candidate: Text,
    fact: Text,
    similarity: Option<f64>,
    aliases: Vec<Text>,
    past: Text,
    wordnet: bool,
) -> (&'static str, &'static str, &'static str, f64) {
    let options = Options { keeps_past: past.as_ref() == "keep", wordnet };
    let (candidate, fact) = (readings(candidate.as_ref(), &aliases), parse(fact.as_ref(), &aliases));
    let decision = forgetguard_core::judge(&candidate, &fact, similarity, options);
    (decision.action.name(), decision.code, decision.why, decision.coverage)
}

/// The codes of all vetoes that hold between a candidate and a fact, neither cut into clauses.
#[pyfunction]
pub(crate) fn vetoes(candidate: Text, fact: Text, aliases: Vec<Text>, wordnet: bool) -> Vec<&'static str> {
    let (candidate, fact) = (parse(candidate.as_ref(), &aliases), parse(fact.as_ref(), &aliases));
    forgetguard_core::vetoes(&candidate, &fact, wordnet)
}

/// Every code of `rules.tsv` that has a predicate here, in the order in which they are asked.
#[pyfunction]
pub(crate) fn codes() -> Vec<&'static str> {
    forgetguard_core::codes()
}
