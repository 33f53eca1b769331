//! Lexemes to typed tokens: what each piece of a sentence is, in the order it was said.

use forgetguard_core::{clean, parse};
use pyo3::pyfunction;

use crate::text::Text;

type Token = (
    String,
    String,
    String,
    u32,
    u32,
    String,
    String,
    u8,
    u32,
    (bool, bool, bool, bool),
);

/// Language, exact form, whether something ended, and the tokens of a text.
#[pyfunction]
pub(crate) fn tokens(text: Text, aliases: Vec<Text>) -> (&'static str, String, bool, Vec<Token>) {
    let parsed = parse(clean(text.as_ref()), &aliases);
    let tokens = parsed
        .tokens()
        .map(|token| {
            (
                token.kind.name().to_owned(),
                token.key.to_owned(),
                token.form.to_owned(),
                token.start,
                token.end,
                token.role.name().to_owned(),
                token.relation.name().to_owned(),
                token.rarity,
                token.clause,
                (token.possessive, token.person, token.negated, token.privative),
            )
        })
        .collect();
    (parsed.language.code(), parsed.exact().to_owned(), parsed.ceased, tokens)
}
