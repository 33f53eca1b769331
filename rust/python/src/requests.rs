//! Is a text a request to forget, or a note that something was deleted?

use pyo3::pyfunction;

use crate::text::Text;

/// The code of the rule that takes `text` for a request or a note, or "" if none does.
#[pyfunction]
pub(crate) fn request_code(text: Text) -> &'static str {
    forgetguard_core::request_code(text.as_ref())
}

/// Whether `text` speaks of erasing, forgetting or not keeping at all.
#[pyfunction]
pub(crate) fn note_words(text: Text) -> bool {
    forgetguard_core::note_words(text.as_ref())
}
