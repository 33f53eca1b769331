//! Reasons to store: one predicate a code, in the order of `rules.tsv`. Any one that holds: another fact.
//!
//! Each predicate reads an [`Alignment`] and answers one question. None knows of another.

use crate::alignment::{Alignment, Starts, has_unmatched_units, is_name};
use crate::frames::{change, modal, quantifier};
use crate::language::Language;
use crate::lexemes::Kind;
use crate::order::{direction, role};
use crate::parsed::{Parsed, Role, Said};
use crate::subjects::subject;
use crate::words::{Particle, is_particle};

/// Content words of a fact that is so short that a shared word may be a mere modifier elsewhere.
const SHORT_FACT: usize = 3;
const SLOT_SIZE: usize = 2;

const fn is_value(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Number | Kind::Date | Kind::Weekday | Kind::Time | Kind::Phone | Kind::Email | Kind::Url | Kind::Id
    )
}

/// A number, date, time, code or unit stands in each text that the other lacks.
fn value(alignment: &Alignment<'_>) -> bool {
    let dropped = |kind| alignment.dropped().any(|token| token.kind == kind);
    alignment.added().any(|token| is_value(token.kind) && dropped(token.kind)) || has_unmatched_units(alignment)
}

/// A name stands in each text that the other lacks.
fn name(alignment: &Alignment<'_>) -> bool {
    alignment.dropped().any(is_name) && alignment.added().any(is_name)
}

/// An aligned word is negated in one text only, or stands beside its opposite under the same negation.
fn polarity(alignment: &Alignment<'_>) -> bool {
    alignment.fact.iter().zip(&alignment.forward).zip(&alignment.opposite).any(|((fact, at), &opposite)| {
        at.is_some_and(|at| (fact.negated != alignment.candidate[at].negated) != opposite)
    })
}

/// A short fact's word has become a modifier of something else (a vegetarian recipe, a coffee shop).
fn modifier(alignment: &Alignment<'_>) -> bool {
    if alignment.fact.len() > SHORT_FACT || alignment.fact.iter().all(|&token| is_name(token)) {
        return false;
    }
    let parsed = alignment.whole_candidate;
    let added: Starts = alignment.added().collect();
    let kept: Starts = alignment.held().collect();
    let step = if matches!(parsed.language, Language::Pt | Language::Es | Language::Fr) { -1 } else { 1 };
    // The content stands in the order of the text, so each word is looked for from where the last one was.
    let mut place = 0;
    for (&token, &at) in alignment.candidate.iter().zip(&alignment.backward) {
        let Some(at) = at.filter(|_| matches!(token.kind, Kind::Word | Kind::Name) && !token.possessive) else {
            continue;
        };
        place += (place..parsed.len()).position(|i| parsed.at(i).start == token.start).unwrap_or_default();
        let Some(i) = place.checked_add_signed(step).filter(|&i| i < parsed.len()) else { continue };
        if added.contains(parsed.at(i).start) && is_head(parsed.at(i)) {
            let beyond = i.checked_add_signed(step).and_then(|beyond| parsed.get(beyond));
            if beyond.is_some_and(|beyond| kept.contains(beyond.start)) {
                continue;
            }
            return !follows_in_fact(alignment, at, step);
        }
    }
    false
}

/// The place of the token that stands a step from `token`, if there is one.
fn beside(parsed: &Parsed, token: Said<'_>, step: isize) -> Option<usize> {
    let at = parsed.tokens().position(|other| other.start == token.start)?;
    at.checked_add_signed(step).filter(|&i| i < parsed.len())
}

/// A noun that a modifier belongs to; "diet" or "person" add nothing to theirs.
fn is_head(token: Said<'_>) -> bool {
    token.kind == Kind::Word && !is_particle(Particle::LightNoun, token.form)
}

/// The fact's own word already modified something.
fn follows_in_fact(alignment: &Alignment<'_>, i: usize, step: isize) -> bool {
    let parsed = alignment.whole_fact;
    beside(parsed, alignment.fact[i], step)
        .map(|at| parsed.at(at))
        .is_some_and(|token| token.role == Role::Content && token.kind == Kind::Word)
}

/// The two sequences are equal but for one or two words in one place: a new value in the same slot.
pub(crate) fn substitution(alignment: &Alignment<'_>) -> bool {
    let Alignment { fact, candidate, forward, backward, .. } = alignment;
    let (facts, candidates) = (fact.len(), candidate.len());
    let equal = |i: usize, j: usize| match (forward[i], backward[j]) {
        (Some(at), Some(_)) => at == j,
        (None, None) => fact[i].key == candidate[j].key,
        _ => false,
    };
    let shorter = facts.min(candidates);
    let head = (0..shorter).take_while(|&i| equal(i, i)).count();
    let tail = (1..=shorter - head).take_while(|&i| equal(facts - i, candidates - i)).count();
    let slot = 1..=SLOT_SIZE;
    head + tail > 0 && slot.contains(&(facts - head - tail)) && slot.contains(&(candidates - head - tail))
}

/// A question about an alignment.
pub(crate) type Veto = fn(&Alignment<'_>) -> bool;

/// The vetoes in the order of `rules.tsv`, by code.
pub(crate) const VETOES: [(&str, Veto); 10] = [
    ("value", value),
    ("name", name),
    ("polarity", polarity),
    ("subject", subject),
    ("role", role),
    ("direction", direction),
    ("quantifier", quantifier),
    ("modal", modal),
    ("change", change),
    ("modifier", modifier),
];
