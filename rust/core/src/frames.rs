//! The frame around the claim: how much of it, whether it is real, whether it has changed.

use std::sync::LazyLock;

use crate::alignment::{Alignment, Starts, is_name};
use crate::language::Language;
use crate::lexemes::Kind;
use crate::lexicon::{self, Table};
use crate::parsed::{Draft, Frame, Framing, Parsed};
use crate::phrases::{Sequences, starting_with, stemmed_sequences};
use crate::voice::is_past;

impl Framing {
    /// A bit for what it frames: how much, whether it is real, whether it has changed.
    const fn sort(self) -> u8 {
        match self {
            Self::All | Self::Some | Self::Other => 1,
            Self::Modal => 2,
            Self::Change => 4,
        }
    }
}

/// Frames of one or more words, longest first, in one table, so that a word is looked up once; their sorts are kept apart.
static FRAMES: LazyLock<Sequences<Framing>> = LazyLock::new(|| {
    let quantity = |class| match class {
        "all" => Framing::All,
        "some" => Framing::Some,
        _ => Framing::Other,
    };
    let quantities =
        lexicon::QUANTIFIERS.rows_by_language().map(|(language, [form, class])| (language, form, quantity(class)));
    let framed =
        |table: Table, framing| table.rows_by_language().map(move |(language, [form])| (language, form, framing));
    stemmed_sequences(
        quantities.chain(framed(lexicon::MODALS, Framing::Modal)).chain(framed(lexicon::CHANGE, Framing::Change)),
    )
});

/// Start and class of every frame in the text: at one place the longest of each sort.
pub(crate) fn find_frames(drafts: &[Draft<'_>], language: Language) -> Box<[Frame]> {
    let keys: Vec<&str> = drafts.iter().map(frame_key).collect();
    let mut out = Vec::new();
    for (i, key) in keys.iter().enumerate().filter(|(_, key)| !key.is_empty()) {
        let mut sorts = 0;
        for (words, framing) in starting_with(&FRAMES, language, key) {
            let fits = keys.get(i..i + words.len()).is_some_and(|keys| words.iter().eq(keys));
            if fits && sorts & framing.sort() == 0 {
                sorts |= framing.sort();
                out.push(Frame { start: drafts[i].token.start, framing: *framing });
            }
        }
    }
    out.into()
}

/// The stem of a word, or the word that a phrase stands for.
fn frame_key<'a>(draft: &'a Draft<'_>) -> &'a str {
    match draft.token.kind {
        Kind::Word | Kind::Negation => draft.stem(),
        _ => "",
    }
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
