//! Many forgotten facts at once.

use forgetguard_core::{Answer, Embedded, Embedder, Embedding, Hit, Options, Scale, judge, parse, readings, similar};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::text::Text;

/// A text, its embedding as int8, and the model that made it.
type Row = (Text, Option<PyBackedBytes>, Text);

/// Slot, action, code, why, similarity and coverage.
type Found = (usize, &'static str, &'static str, &'static str, Option<f64>, f64);

/// Start, end, and what is restated there.
type Removed = (u32, u32, Found);

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

fn embedded(rows: &[Row]) -> Vec<(&str, Option<Embedding<'_>>)> {
    rows.iter().map(|(text, values, model)| (text.as_ref(), embedding(values.as_deref(), model))).collect()
}

/// What Python's embedder makes of some texts: as many rows of values and model.
fn embeddings(py: Python<'_>, embed: &Py<PyAny>, texts: &[&str]) -> PyResult<Vec<Embedded>> {
    let made: Vec<Option<(PyBackedBytes, Text)>> = embed.call1(py, (texts.to_vec(),))?.extract(py)?;
    let owned = made.into_iter().map(|made| made.map(|(values, model)| (values.to_vec(), model.into_string())));
    Ok(owned.collect())
}

/// Signed bytes and scale of an embedding; none for what is no row of finite floats, or all zero.
#[pyfunction]
pub(crate) fn quantise<'py>(numbers: &Bound<'py, PyAny>) -> Option<(Bound<'py, PyBytes>, f64)> {
    let floats = floats(numbers)?;
    let (values, scale) = forgetguard_core::quantise(&floats)?;
    Some((PyBytes::new(numbers.py(), &values), scale))
}

fn floats(numbers: &Bound<'_, PyAny>) -> Option<Vec<f64>> {
    let py = numbers.py();
    if let Ok(bytes) = numbers.cast::<PyBytes>() {
        let chunks = bytes.as_bytes().chunks_exact(4);
        let is_whole = chunks.remainder().is_empty();
        let floats = chunks.map(|chunk| Some(f32::from_ne_bytes(chunk.try_into().ok()?).into()));
        return if is_whole { floats.collect() } else { None };
    }
    if let Ok(buffer) = PyBuffer::<f32>::get(numbers) {
        let floats = buffer.to_vec(py).ok()?;
        return (buffer.dimensions() == 1).then(|| floats.into_iter().map(f64::from).collect());
    }
    if let Ok(buffer) = PyBuffer::<f64>::get(numbers) {
        return if buffer.dimensions() == 1 { buffer.to_vec(py).ok() } else { None };
    }
    numbers.cast::<pyo3::types::PyList>().ok()?.extract().ok()
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

    /// The slot of the first of several new facts; the others follow it, in order.
    fn add_many(&mut self, py: Python<'_>, rows: Vec<Row>) -> usize {
        self.slots += rows.len();
        let index = &mut self.index;
        py.detach(|| index.add_many(&embedded(&rows)))
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
    fn r#match(
        &self,
        py: Python<'_>,
        text: Text,
        values: Option<&[u8]>,
        model: Text,
        scale: Option<(f64, f64)>,
    ) -> Option<Found> {
        let hit = py.detach(|| self.index.find(text.as_ref(), embedding(values, &model), scale.map(self::scale)));
        hit.map(found)
    }

    /// `match` for each row, in order.
    #[pyo3(signature = (rows, scale=None))]
    fn match_many(&self, py: Python<'_>, rows: Vec<Row>, scale: Option<(f64, f64)>) -> Vec<Option<Found>> {
        let hits = py.detach(|| self.index.find_many(&embedded(&rows), scale.map(self::scale)));
        hits.into_iter().map(|hit| hit.map(found)).collect()
    }

    /// For each text and model: whether its embedding could change the answer; and if not, the answer.
    fn ask_many(&self, py: Python<'_>, rows: Vec<(Text, Text)>) -> Vec<(bool, Option<Found>)> {
        let rows: Vec<(&str, &str)> = rows.iter().map(|(text, model)| (text.as_ref(), model.as_ref())).collect();
        let answers = py.detach(|| self.index.ask_many(&rows));
        let plain = |answer| match answer {
            Answer::Wanted => (true, None),
            Answer::Found(hit) => (false, hit.map(found)),
        };
        answers.into_iter().map(plain).collect()
    }

    /// The spans of a text that restate something, and what to cut for them. `embed` is given texts, and embeds them.
    #[pyo3(signature = (text, embed=None, model=Text::from(""), scale=None))]
    fn scrub(
        &self,
        py: Python<'_>,
        text: Text,
        embed: Option<Py<PyAny>>,
        model: Text,
        scale: Option<(f64, f64)>,
    ) -> PyResult<(Vec<Removed>, Vec<forgetguard_core::Cut>)> {
        let (restated, cuts) = py.detach(|| {
            let mut asked = |texts: &[&str]| match &embed {
                Some(embed) => Python::attach(|py| embeddings(py, embed, texts)),
                None => Ok(Vec::new()),
            };
            let embedder = embed.is_some().then_some(Embedder { model: model.as_ref(), embed: &mut asked });
            self.index.scrub(text.as_ref(), embedder, scale.map(self::scale))
        })?;
        Ok((restated.into_iter().map(|one| (one.start, one.end, found(one.hit))).collect(), cuts))
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
