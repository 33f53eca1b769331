//! A candidate as it is judged: whole, and clause by clause, each clause with the subject that it takes over.

use std::borrow::Cow;

use crate::language::Language;
use crate::lexemes::scan;
use crate::parsed::Parsed;
use crate::requests::{code_of, request_code};
use crate::sentences::sentences_of_parsed;
use crate::text::fold;
use crate::tokens::{is_alias, parse, parse_lexemes};
use crate::words::vote;

/// Most code points of a text that is read in more than one language.
const SHORT_TEXT: usize = 80;

/// One way to read a candidate: the whole text in one language, or one clause of it.
///
/// `request`: the whole text is a request to forget, or a note that something was deleted.
#[derive(Clone, Debug)]
pub struct Reading {
    /// What is said.
    pub parsed: Parsed,
    /// Whether it is one clause.
    pub clause: bool,
    /// Whether it is a request or a note.
    pub request: bool,
}

/// The whole of a cleaned text first, in every language that it may be in, then its clauses if it has more than one.
#[must_use]
pub fn readings<S: AsRef<str>>(text: &str, aliases: &[S]) -> Vec<Reading> {
    let folded = fold(text);
    let lexemes = scan(text, &folded);
    let languages = vote(&lexemes);
    let parsed = parse_lexemes(lexemes.clone(), aliases, languages[0]);
    let code = match addressed(text, &parsed) {
        Cow::Borrowed(text) => code_of(text, &lexemes),
        Cow::Owned(text) => request_code(&text),
    };
    let sentences = sentences_of_parsed(text, aliases, &parsed);
    let reading = |parsed, clause| Reading { parsed, clause, request: false };
    let mut out = vec![Reading { request: !code.is_empty(), ..reading(parsed, false) }];
    for &language in other_languages(text, &languages) {
        out.push(reading(parse_lexemes(lexemes.clone(), aliases, language), false));
    }
    let clauses = || sentences.iter().flat_map(|sentence| &sentence.clauses);
    if clauses().nth(1).is_some() {
        out.extend(clauses().map(|clause| reading(parse(&clause.text, aliases), true)));
    }
    out
}

/// Further languages that a few words may be in; none for a longer text.
fn other_languages<'a>(text: &str, languages: &'a [Language]) -> &'a [Language] {
    if text.chars().nth(SHORT_TEXT).is_none() { &languages[1..] } else { &[] }
}

/// The text with every alias of the user replaced by the word that requests know.
fn addressed<'a>(text: &'a str, parsed: &Parsed) -> Cow<'a, str> {
    // A word of the user in a script without spaces stands in the tables of requests as it is.
    let mut aliases = parsed.tokens().filter(|&token| is_alias(token, parsed.language)).peekable();
    if aliases.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut last = 0;
    for alias in aliases {
        out.extend(&chars[last..(alias.start as usize).max(last)]);
        out.push_str(if alias.possessive { "User's" } else { "User" });
        last = alias.end as usize;
    }
    out.extend(&chars[last..]);
    Cow::Owned(out)
}
