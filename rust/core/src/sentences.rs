//! Where a text's sentences begin and end, each with its clauses.
//!
//! A list item and a heading are sentences, too. Spans do not overlap and stand in order. Time is linear in the text.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::blocks::{Chars, NUMBER_DIGITS, blocks};
use crate::clauses::{CJK_ENDS, Clause, ENDS, clauses};
use crate::lexemes::Kind;
use crate::lexicon;
use crate::parallel::in_parallel;
use crate::parsed::{Parsed, Role};
use crate::text::{Class, char_class, fold_text, index};
use crate::tokens::parse;
use crate::words::{Particle, is_particle};

const NO_ALIASES: [&str; 0] = [];
const CLOSERS: &str = "\"'”’»)]}」』*_";

/// A sentence (or a list item, or a heading) by its place in the text, without the space around it, and its clauses.
///
/// `line`: where the line or block begins that the sentence fills alone (a list item with its marker).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sentence {
    /// Where it starts.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// Its clauses, in order.
    pub clauses: Vec<Clause>,
    /// Where its line begins, if it fills one.
    pub line: Option<u32>,
}

/// The sentences of a cleaned text, in order.
#[must_use]
pub fn sentences<S: AsRef<str>>(text: &str, aliases: &[S]) -> Vec<Sentence> {
    sentences_of(&Chars::new(text), aliases, None)
}

/// The same for a text that is parsed already.
pub(crate) fn sentences_of_parsed<S: AsRef<str>>(text: &str, aliases: &[S], whole: &Parsed) -> Vec<Sentence> {
    sentences_of(&Chars::new(text), aliases, Some(whole))
}

/// The same, on every core, with the text's characters.
pub(crate) fn plan<'a>(text: &'a str, aliases: &[String]) -> (Chars<'a>, Vec<Sentence>) {
    let chars = Chars::new(text);
    let sentences = in_parallel(&spans(&chars), |span| sentence(&chars, aliases, None, span));
    (chars, sentences)
}

/// The same for a text's characters, and for its parse where there is one.
pub(crate) fn sentences_of<S: AsRef<str>>(text: &Chars<'_>, aliases: &[S], whole: Option<&Parsed>) -> Vec<Sentence> {
    spans(text).iter().map(|span| sentence(text, aliases, whole, span)).collect()
}

/// Where a sentence stands, and where its line begins, if it fills one.
type SentenceSpan = (usize, usize, Option<u32>);

fn spans(text: &Chars<'_>) -> Vec<SentenceSpan> {
    let mut out = Vec::new();
    for block in blocks(text) {
        let found = sentence_spans(text, block.body, block.end);
        let alone = (block.item && found.len() == 1).then(|| index(block.start));
        out.extend(found.into_iter().map(|(start, end)| (start, end, alone)));
    }
    out
}

fn sentence<S: AsRef<str>>(
    text: &Chars<'_>,
    aliases: &[S],
    whole: Option<&Parsed>,
    &(start, end, line): &SentenceSpan,
) -> Sentence {
    let clauses = match whole {
        Some(parsed) if start == 0 && end == text.len() => clauses(text, start, end, parsed),
        _ => clauses(text, start, end, &parse(text.slice(start, end), aliases)),
    };
    Sentence { start: index(start), end: index(end), clauses, line }
}

/// Whether a text says anything beside its headings and list markers.
#[must_use]
pub fn has_narrative(text: &str) -> bool {
    let chars = Chars::new(text);
    let says = |text: &str| {
        parse(text, &NO_ALIASES).tokens().any(|token| token.role == Role::Content && token.kind != Kind::Mark)
    };
    let (mut last, mut heading) = (0, false);
    // One after the other: mostly the first says something.
    spans(&chars).iter().any(|span| {
        let sentence = sentence(&chars, &NO_ALIASES, None, span);
        let start = sentence.start as usize;
        // A line is looked at once, however many sentences it has.
        let line = (last..start).rev().find(|&at| chars.ends_line(at)).map_or(0, |at| at + 1);
        if line > 0 || last == 0 {
            heading = chars.letters[chars.skip_space(line, start)] == '#';
        }
        last = start;
        !heading && sentence.clauses.iter().any(|clause| says(&clause.text))
    })
}

// -- where one ends ---------------------------------------------------------------------------------------------------

static MONTHS: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    lexicon::CALENDAR.rows().filter(|[_, _, kind]| *kind == "month").map(|[_, form, _]| form).collect()
});

fn sentence_spans(text: &Chars<'_>, start: usize, end: usize) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let (mut begin, mut i) = (start, start);
    while i < end {
        if text.is_in(i, CJK_ENDS) || (text.is_in(i, ENDS) && ends_sentence(text, begin, i, end)) {
            i += 1;
            while i < end && (text.is_in(i, CLOSERS) || text.is_in(i, ENDS) || text.is_in(i, CJK_ENDS)) {
                i += 1;
            }
            out.push((begin, i));
            i = text.skip_space(i, end);
            begin = i;
        } else {
            i += 1;
        }
    }
    if begin < end {
        let mut last = end;
        while last > begin && text.is_space(last - 1) {
            last -= 1;
        }
        out.push((begin, last));
    }
    out.retain(|(i, j)| i < j);
    out
}

/// Whether the mark at `i` ends the sentence that began at `begin`.
fn ends_sentence(text: &Chars<'_>, begin: usize, i: usize, end: usize) -> bool {
    let mut after = i + 1;
    while after < end && (text.is_in(after, CLOSERS) || text.is_in(after, ENDS)) {
        after += 1;
    }
    if after < end && !text.is_space(after) {
        return false;
    }
    if text.letters[i] != '.' {
        return true;
    }
    let mut word = i;
    while word > begin && (text.classes[word - 1].is_alphanumeric() || text.letters[word - 1] == '.') {
        word -= 1;
    }
    let before = fold_text(text.slice(word, i));
    let length = before.chars().count();
    if is_particle(Particle::Abbreviation, &before) || (length == 1 && text.classes[word] == Class::Upper) {
        return false;
    }
    if (1..NUMBER_DIGITS).contains(&length) && before.chars().all(|c| char_class(c).is_digit()) {
        return !(word == begin || MONTHS.contains(&*next_word(text, after, end)));
    }
    true
}

fn next_word(text: &Chars<'_>, i: usize, end: usize) -> String {
    let i = text.skip_space(i, end);
    let length = text.classes[i..end].iter().take_while(|class| class.is_letter()).count();
    let parsed = parse(text.slice(i, i + length), &NO_ALIASES);
    parsed.get(0).map(|token| token.form.to_owned()).unwrap_or_default()
}
