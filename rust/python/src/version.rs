//! Which rules these are.

use pyo3::pyfunction;

/// The version of the rules that this implementation follows.
#[pyfunction]
pub(crate) fn rules_version() -> &'static str {
    forgetguard_core::rules_version()
}
