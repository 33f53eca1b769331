//! Does a candidate put a forgotten fact back?

use forgetguard_core::{Options, clean, parse};
use pyo3::pyfunction;

use crate::text::Text;

/// Action, code and coverage of one candidate and one fact, neither cut into clauses.
#[pyfunction]
#[pyo3(signature = (candidate, fact, similarity, aliases, keeps_past, wordnet, clause))]
pub(crate) fn decide(
    candidate: Text,
    fact: Text,
    similarity: Option<f64>,
    aliases: Vec<Text>,
    keeps_past: bool,
    wordnet: bool,
    clause: bool,
) -> (&'static str, &'static str, f64) {
    let (candidate, fact) = (
        parse(clean(candidate.as_ref()), &aliases),
        parse(clean(fact.as_ref()), &aliases),
    );
    let options = Options { keeps_past, wordnet };
    let decision = forgetguard_core::decide(&candidate, &fact, similarity, options, clause);
    (decision.action.name(), decision.code, decision.coverage)
}

/// The codes of all vetoes that hold between a candidate and a fact.
#[pyfunction]
pub(crate) fn vetoes(candidate: Text, fact: Text, aliases: Vec<Text>, wordnet: bool) -> Vec<&'static str> {
    let (candidate, fact) = (
        parse(clean(candidate.as_ref()), &aliases),
        parse(clean(fact.as_ref()), &aliases),
    );
    forgetguard_core::vetoes(&candidate, &fact, wordnet)
}
