//! How a text reads without some of its sentences and clauses.
//!
//! Guarantees: spans do not overlap and stand in order; [`cuts`] with nothing to remove is empty.

use rustc_hash::FxHashMap;

use crate::blocks::{Chars, blocks};
use crate::clauses::Clause;
use crate::sentences::{Sentence, sentences_of};
use crate::text::{Class, index};

/// What to cut from a text: start, end, and what to put there instead.
pub type Cut = (u32, u32, String);

/// What to cut so that `text` reads well without some clauses.
///
/// `removed`: pairs of a sentence's position and a clause's in it, or none for all of it; a position that does not exist
/// is passed over. The spans are in order and do not overlap.
#[must_use]
pub fn cuts<S: AsRef<str>>(text: &str, aliases: &[S], removed: &[(usize, Option<usize>)]) -> Vec<Cut> {
    let chars = Chars::new(text);
    cuts_of_plan(&chars, &sentences_of(&chars, aliases, None), removed)
}

/// The same for a text whose sentences are known.
pub(crate) fn cuts_of_plan(chars: &Chars<'_>, plan: &[Sentence], removed: &[(usize, Option<usize>)]) -> Vec<Cut> {
    let mut gone: FxHashMap<usize, Vec<Option<usize>>> = FxHashMap::default();
    let exists = |at: usize, clause: Option<usize>| {
        plan.get(at).is_some_and(|sentence| clause.is_none_or(|clause| clause < sentence.clauses.len()))
    };
    for &(at, clause) in removed.iter().filter(|&&(at, clause)| exists(at, clause)) {
        gone.entry(at).or_default().push(clause);
    }
    for clauses in gone.values_mut() {
        clauses.sort_unstable();
        clauses.dedup();
    }
    let whole: Vec<bool> = plan
        .iter()
        .enumerate()
        .map(|(at, sentence)| {
            gone.get(&at).is_some_and(|clauses| clauses.contains(&None) || clauses.len() == sentence.clauses.len())
        })
        .collect();
    let (mut spans, taken) = whole_blocks(chars, plan, &whole);
    for (at, sentence) in plan.iter().enumerate().filter(|(at, _)| !taken[*at]) {
        let Some(clauses) = gone.get(&at) else { continue };
        if whole[at] {
            let (start, end) = whole_of(chars, sentence);
            spans.push((start, end, String::new()));
        } else {
            let clauses: Vec<usize> = clauses.iter().copied().flatten().collect();
            parts(chars, sentence, &clauses, &mut spans);
        }
    }
    spans.sort_unstable();
    disjoint(spans)
}

type Span = (usize, usize, String);

/// The lines of items and paragraphs whose sentences all go, and which sentences those are.
///
/// A paragraph between blank lines takes one of them along.
fn whole_blocks(text: &Chars<'_>, plan: &[Sentence], whole: &[bool]) -> (Vec<Span>, Vec<bool>) {
    let (mut spans, mut taken) = (Vec::new(), vec![false; plan.len()]);
    let mut at = 0;
    for block in blocks(text) {
        let first = at;
        while at < plan.len() && (plan[at].start as usize) < block.end {
            at += 1;
        }
        if at == first || whole[first..at].contains(&false) {
            continue;
        }
        let mut stop = line_end(text, block.end);
        if !block.item && is_blank_before(text, block.start) && is_blank(text, stop) {
            stop = line_end(text, stop);
        }
        spans.push((block.start, stop, String::new()));
        taken[first..at].fill(true);
    }
    (spans, taken)
}

/// Whether an empty line begins at `i`.
fn is_blank(text: &Chars<'_>, mut i: usize) -> bool {
    while i < text.len() && text.is_space(i) && !text.ends_line(i) {
        i += 1;
    }
    i < text.len() && text.ends_line(i)
}

/// Whether the text begins at `i`, or an empty line ends there.
fn is_blank_before(text: &Chars<'_>, i: usize) -> bool {
    if i == 0 {
        return true;
    }
    let crlf = i >= 2 && text.letters[i - 2] == '\r' && text.letters[i - 1] == '\n';
    let before = i - 1 - usize::from(crlf);
    before == 0 || text.ends_line(before - 1)
}

/// Neighbours may both claim the space between them: the first has it.
fn disjoint(spans: Vec<Span>) -> Vec<Cut> {
    let mut last = 0;
    spans
        .into_iter()
        .map(|(start, end, instead)| {
            let start = start.max(last);
            last = end.max(last);
            (index(start), index(last), instead)
        })
        .collect()
}

/// What goes with a sentence: an item takes its line, another the space behind it, or before it at the end.
fn whole_of(text: &Chars<'_>, sentence: &Sentence) -> (usize, usize) {
    let (mut start, mut end) = (sentence.start as usize, sentence.end as usize);
    if let Some(line) = sentence.line {
        return (line as usize, line_end(text, end));
    }
    let is_gap = |i: usize| text.is_space(i) && !text.ends_line(i);
    while end < text.len() && is_gap(end) {
        end += 1;
    }
    if end < text.len() && !text.ends_line(end) {
        return (start, end);
    }
    if start == 0 || text.ends_line(start - 1) {
        return (start, line_end(text, end));
    }
    while start > 0 && is_gap(start - 1) {
        start -= 1;
    }
    (start, end)
}

fn line_end(text: &Chars<'_>, mut i: usize) -> usize {
    while i < text.len() && !text.ends_line(i) {
        i += 1;
    }
    let crlf = i + 1 < text.len() && text.letters[i] == '\r' && text.letters[i + 1] == '\n';
    (i + 1 + usize::from(crlf)).min(text.len())
}

/// The spans of removed clauses with the marks that joined them, and what stands there instead.
fn parts(text: &Chars<'_>, sentence: &Sentence, gone: &[usize], out: &mut Vec<Span>) {
    let clauses = &sentence.clauses;
    let leading = gone.iter().enumerate().take_while(|&(n, &clause)| n == clause).count();
    if leading > 0 {
        let (start, end) = (clauses[0].start as usize, clauses[leading].start as usize);
        if clauses[leading].inherits.is_some_and(|owner| owner < leading) {
            let Clause { start: own, end: stop, text: said, .. } = &clauses[leading];
            let taken_over = said.len() - text.slice(*own as usize, *stop as usize).len();
            out.push((start, end, said[..taken_over].to_owned()));
        } else if text.classes[start] == Class::Upper && text.classes[end] == Class::Letter {
            out.push((start, end + 1, capital(text.letters[end])));
        } else {
            out.push((start, end, String::new()));
        }
    }
    for &n in gone.iter().filter(|&&n| n > leading) {
        out.push((clauses[n - 1].end as usize, clauses[n].end as usize, String::new()));
    }
}

/// The capital of a Latin, Greek or Cyrillic letter; in others Python and Rust follow different Unicode versions.
fn capital(char: char) -> String {
    match char {
        ..'\u{180}' | '\u{370}'..'\u{530}' => char.to_uppercase().collect(),
        other => other.to_string(),
    }
}
