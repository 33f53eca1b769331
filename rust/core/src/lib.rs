//! What counts as a restatement of a forgotten fact.
//!
//! Pure logic: no I/O, no Python, no unsafe code. Every module has a twin of the same name under
//! `python/forgetguard/rules/`, and both answer to the same fixtures; a difference between the two is a fault.

#![forbid(unsafe_code)]

mod version;

pub use version::{RULES_VERSION, rules_version};
