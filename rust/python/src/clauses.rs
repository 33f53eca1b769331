//! Where a text's sentences, list items and clauses begin and end, and how a text reads without some of them.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::text::Text;

/// A clause by its place in the text.
#[pyclass(frozen, eq, hash, get_all, module = "forgetguard.rules._native")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Clause {
    start: u32,
    end: u32,
    text: String,
    inherits: Option<usize>,
}

/// A sentence (or a list item, or a heading) by its place in the text, and its clauses.
#[pyclass(frozen, eq, hash, module = "forgetguard.rules._native")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Sentence {
    #[pyo3(get)]
    start: u32,
    #[pyo3(get)]
    end: u32,
    clauses: Vec<Clause>,
    #[pyo3(get)]
    line: Option<u32>,
}

#[pymethods]
impl Sentence {
    #[getter]
    fn clauses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.clauses.iter().cloned())
    }
}

impl From<forgetguard_core::Clause> for Clause {
    fn from(clause: forgetguard_core::Clause) -> Self {
        let forgetguard_core::Clause { start, end, text, inherits } = clause;
        Self { start, end, text, inherits }
    }
}

impl From<forgetguard_core::Sentence> for Sentence {
    fn from(sentence: forgetguard_core::Sentence) -> Self {
        let forgetguard_core::Sentence { start, end, clauses, line } = sentence;
        Self { start, end, clauses: clauses.into_iter().map(Clause::from).collect(), line }
    }
}

/// The sentences of a cleaned text, in order.
#[pyfunction]
#[pyo3(signature = (text, aliases=Vec::new()))]
pub(crate) fn sentences(text: Text, aliases: Vec<Text>) -> Vec<Sentence> {
    forgetguard_core::sentences(text.as_ref(), &aliases).into_iter().map(Sentence::from).collect()
}

/// What to cut so that `text` reads well without some clauses.
#[pyfunction]
pub(crate) fn cuts(text: Text, aliases: Vec<Text>, removed: Vec<(usize, Option<usize>)>) -> Vec<forgetguard_core::Cut> {
    forgetguard_core::cuts(text.as_ref(), &aliases, &removed)
}

/// Whether a text says anything beside its headings and list markers.
#[pyfunction]
pub(crate) fn has_narrative(text: Text) -> bool {
    forgetguard_core::has_narrative(text.as_ref())
}
