//! Many forgotten facts at once.

use forgetguard_core::{Embedding, Hit, Options, Scale, judge, parse, readings, similar};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::text::Text;

/// A text, its embedding as int8, and the model that made it.
type Row = (Text, Option<PyBackedBytes>, Text);

/// Slot, action, code, why, similarity and coverage.
type Found = (usize, &'static str, &'static str, &'static str, Option<f64>, f64);

fn embedding<'a>(values: Option<&'a [u8]>, model: &'a Text) -> Option<Embedding<'a>> {
    values.map(|values| Embedding { values, model: model.as_ref() })
}

fn scale((mean, deviation): (f64, f64)) -> Scale {
    Scale { mean, deviation }
}

fn options(past: &Text, wordnet: bool) -> Options {
    Options { keeps_past: past.as_ref() == "keep", wordnet }
}

fn found(hit: Hit) -> Found {
    let Hit { slot, decision, similarity } = hit;
    (slot, decision.action.name(), decision.code, decision.why, similarity, decision.coverage)
}

/// Facts by slot, in the order in which they were added.
#[pyclass(module = "forgetguard.rules._native")]
pub(crate) struct Index {
    index: forgetguard_core::Index,
    slots: usize,
}

#[pymethods]
impl Index {
    #[new]
    #[pyo3(signature = (aliases=Vec::new(), past=Text::from("drop"), wordnet=true))]
    fn new(aliases: Vec<Text>, past: Text, wordnet: bool) -> Self {
        let aliases = aliases.into_iter().map(Text::into_string).collect();
        Self { index: forgetguard_core::Index::new(aliases, options(&past, wordnet)), slots: 0 }
    }

    /// The slot of a new fact.
    #[pyo3(signature = (text, values=None, model=Text::from("")))]
    fn add(&mut self, text: Text, values: Option<&[u8]>, model: Text) -> usize {
        self.slots += 1;
        self.index.add(text.as_ref(), embedding(values, &model))
    }

    /// Take a fact out. Its slot is never used again.
    fn remove(&mut self, slot: usize) -> PyResult<()> {
        if slot >= self.slots {
            return Err(PyIndexError::new_err("list index out of range"));
        }
        self.index.remove(slot);
        Ok(())
    }

    /// The first fact in slot order that `text` restates, a drop before a hold.
    #[pyo3(signature = (text, values=None, model=Text::from(""), scale=None))]
    fn r#match(&self, text: Text, values: Option<&[u8]>, model: Text, scale: Option<(f64, f64)>) -> Option<Found> {
        self.index.find(text.as_ref(), embedding(values, &model), scale.map(self::scale)).map(found)
    }

    /// `match` for each row, in order.
    #[pyo3(signature = (rows, scale=None))]
    fn match_many(&self, rows: Vec<Row>, scale: Option<(f64, f64)>) -> Vec<Option<Found>> {
        let scale = scale.map(self::scale);
        rows.iter()
            .map(|(text, values, model)| {
                self.index.find(text.as_ref(), embedding(values.as_deref(), model), scale).map(found)
            })
            .collect()
    }

    /// Whether an embedding of `text` by `model` could change what `match` answers.
    #[pyo3(signature = (text, model=Text::from("")))]
    fn needs_embedding(&self, text: Text, model: Text) -> bool {
        self.index.needs_embedding(text.as_ref(), model.as_ref())
    }
}

/// Action, code, why, similarity and coverage of one candidate and one fact.
#[pyfunction]
pub(crate) fn explain(
    candidate: Row,
    fact: Row,
    scale: Option<(f64, f64)>,
    aliases: Vec<Text>,
    past: Text,
    wordnet: bool,
) -> (&'static str, &'static str, &'static str, Option<f64>, f64) {
    let similarity = match (&candidate, &fact) {
        ((_, Some(a), model), (_, Some(b), other)) if model.as_ref() == other.as_ref() => {
            similar(a, b, scale.map(self::scale))
        }
        _ => None,
    };
    let readings = readings(candidate.0.as_ref(), &aliases);
    let decision = judge(&readings, &parse(fact.0.as_ref(), &aliases), similarity, options(&past, wordnet));
    (decision.action.name(), decision.code, decision.why, similarity, decision.coverage)
}
