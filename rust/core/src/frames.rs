//! The frame around the claim: how much of it, whether it is real, whether it has changed.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::alignment::{Alignment, Starts, is_name};
use crate::language::Language;
use crate::lexemes::Kind;
use crate::lexicon::{self, Table};
use crate::parsed::{Parsed, Said};
use crate::phrases::{Sequences, starting_with, stemmed_sequences};
use crate::voice::is_past;
use crate::words::stem;

/// What a frame does to what it frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Framing {
    All,
    Some,
    /// Another quantity: most, none, any.
    Other,
    Modal,
    Change,
}

/// A frame and where it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    start: u32,
    framing: Framing,
}

fn frames(table: Table, framing: impl Fn(&str) -> Framing) -> Sequences<Framing> {
    let rows = table.rows_by_language().map(|(language, [form])| (language, [form, ""]));
    stemmed_sequences(rows, |_, class| framing(class))
}

/// Frames of one or more words by table, longest first.
static FRAMES: LazyLock<[Sequences<Framing>; 3]> = LazyLock::new(|| {
    let quantity = |_, class: &str| match class {
        "all" => Framing::All,
        "some" => Framing::Some,
        _ => Framing::Other,
    };
    [
        stemmed_sequences(lexicon::QUANTIFIERS.rows_by_language(), quantity),
        frames(lexicon::MODALS, |_| Framing::Modal),
        frames(lexicon::CHANGE, |_| Framing::Change),
    ]
});

/// Start and class of every frame in the text, table by table.
pub(crate) fn find_frames(parsed: &Parsed) -> Box<[Frame]> {
    let keys: Vec<Cow<'_, str>> = parsed
        .tokens()
        .map(|token| match token.kind {
            Kind::Word | Kind::Negation => frame_key(token, parsed.language),
            _ => Cow::Borrowed(""),
        })
        .collect();
    let mut out = Vec::new();
    for table in &*FRAMES {
        for (i, (key, token)) in keys.iter().zip(parsed.tokens()).enumerate().filter(|(_, (key, _))| !key.is_empty()) {
            let found = starting_with(table, parsed.language, key);
            if let Some(&(_, framing)) = found.iter().find(|(words, _)| keys[i..].starts_with(words)) {
                out.push(Frame { start: token.start, framing });
            }
        }
    }
    out.into()
}

/// The stem of a word, or of the word that a phrase stands for.
fn frame_key(token: Said<'_>, language: Language) -> Cow<'_, str> {
    if token.form.contains(' ') { Cow::Borrowed(token.key) } else { stem(token.form, language) }
}

fn starts(parsed: &Parsed, framing: Framing) -> impl Iterator<Item = u32> {
    parsed.frames.iter().filter(move |frame| frame.framing == framing).map(|frame| frame.start)
}

fn has(parsed: &Parsed, framing: Framing) -> bool {
    starts(parsed, framing).next().is_some()
}

/// All in one text is some in the other.
pub(crate) fn quantifier(alignment: &Alignment<'_>) -> bool {
    let (fact, candidate) = (alignment.whole_fact, alignment.whole_candidate);
    let turned = |one, other| has(fact, one) && has(candidate, other) && !has(candidate, one);
    turned(Framing::All, Framing::Some) || turned(Framing::Some, Framing::All)
}

/// The candidate only wishes, seeks or considers what the fact states, or states as done what the fact wishes.
pub(crate) fn modal(alignment: &Alignment<'_>) -> bool {
    let (fact, candidate) = (alignment.whole_fact, alignment.whole_candidate);
    if has(fact, Framing::Modal) {
        return !has(candidate, Framing::Modal) && is_told_as_done(alignment);
    }
    if !has(candidate, Framing::Modal) {
        return false;
    }
    let claims: Starts = alignment.held().filter(|&token| !is_name(token)).collect();
    let said = |start| {
        candidate
            .tokens()
            .filter(|token| token.start == start)
            .any(|token| fact.tokens().any(|other| other.form == token.form))
    };
    starts(candidate, Framing::Modal)
        .filter(|&start| !claims.contains(start) && !said(start))
        .any(|start| claims.last().is_none_or(|last| start < last))
}

/// An aligned English verb stands in the past in the candidate only.
fn is_told_as_done(alignment: &Alignment<'_>) -> bool {
    alignment.whole_candidate.language == Language::En
        && alignment.pairs().any(|(fact, candidate)| is_past(candidate) && !is_past(fact))
}

/// What the candidate adds is a change: a new state, not the old one.
pub(crate) fn change(alignment: &Alignment<'_>) -> bool {
    if has(alignment.whole_fact, Framing::Change) || !has(alignment.whole_candidate, Framing::Change) {
        return false;
    }
    let added: Starts = alignment.added().collect();
    starts(alignment.whole_candidate, Framing::Change).any(|start| added.contains(start))
}
