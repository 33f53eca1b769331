//! Lexemes to typed tokens: what each piece of a sentence is, in the order it was said.

use forgetguard_core::{Said, parse};
use pyo3::pyfunction;

use crate::text::Text;

/// The folded characters of a text.
#[pyfunction]
pub(crate) fn fold_text(text: Text) -> String {
    forgetguard_core::fold_text(text.as_ref())
}

/// Kind, key, form, start, end, role, relation, rarity, clause, and the flags of a token.
type Token = (&'static str, String, String, u32, u32, &'static str, &'static str, u8, u32, Vec<&'static str>);

/// Language, exact form, whether something is said to have ended, and the tokens of a cleaned text.
#[pyfunction]
pub(crate) fn tokens(text: Text, aliases: Vec<Text>) -> (&'static str, String, bool, Vec<Token>) {
    let parsed = parse(text.as_ref(), &aliases);
    let tokens = parsed.tokens().map(token).collect();
    (parsed.language.code(), parsed.exact().to_owned(), parsed.ceased, tokens)
}

fn token(token: Said<'_>) -> Token {
    let flags = [
        ("possessive", token.possessive),
        ("person", token.person),
        ("negated", token.negated),
        ("privative", token.privative),
    ];
    (
        token.kind.name(),
        token.key.to_owned(),
        token.form.to_owned(),
        token.start,
        token.end,
        token.role.name(),
        token.relation.name(),
        token.rarity,
        token.clause,
        flags.into_iter().filter(|flag| flag.1).map(|flag| flag.0).collect(),
    )
}
