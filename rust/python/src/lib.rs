//! The extension module `forgetguard.rules._native`: argument parsing, one call into the core, error mapping.

#![allow(clippy::needless_pass_by_value)] // pyo3 hands arguments over by value

mod clauses;
mod index;
mod matching;
mod requests;
mod text;
mod tokens;
mod version;

/// A check makes a few hundred small allocations; with the system's allocator they take a tenth of its time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The native implementation of the rules. Use it through `forgetguard.rules`, which chooses the implementation.
#[pyo3::pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::clauses::{Clause, Sentence, cuts, has_narrative, sentences};
    #[pymodule_export]
    use super::index::{Index, explain, quantise};
    #[pymodule_export]
    use super::matching::{codes, judge, vetoes};
    #[pymodule_export]
    use super::requests::{note_words, request_code};
    #[pymodule_export]
    use super::tokens::{fold_text, tokens};
    #[pymodule_export]
    use super::version::rules_version;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // The package compares this with its own version, so a core left over from an older build is refused.
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        // A benchmark refuses to time an unoptimised core.
        module.add("DEBUG_BUILD", cfg!(debug_assertions))
    }
}
