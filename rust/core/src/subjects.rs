//! Who is spoken of: another person, a new relation, or a subject that is gone.

use crate::alignment::{Alignment, Starts, is_name};
use crate::lexemes::Kind;
use crate::parsed::{Parsed, Role, Said};
use crate::words::{Particle, Relation, is_particle};

const SKIPPED_BEFORE: usize = 3;

/// Somebody else is spoken of: a new relation, a new name as subject, or the fact's own subject is gone.
pub(crate) fn subject(alignment: &Alignment<'_>) -> bool {
    if alignment.dropped().any(|t| t.relation.is_some()) && alignment.added().any(|t| t.relation.is_some()) {
        return true;
    }
    new_relation(alignment)
        || new_name(alignment)
        || lost_subject(alignment)
        || new_possession(alignment)
        || newly_is(alignment)
}

/// A relation that the fact lacks, but beside the subject, as what the subject is, or as the agent of a passive.
fn new_relation(alignment: &Alignment<'_>) -> bool {
    let parsed = alignment.whole_candidate;
    if alignment.whole_fact.passive && !parsed.passive {
        return false;
    }
    let (claim, told) = (first_claim(alignment), told(alignment));
    let added: Starts = alignment.added().filter(|token| token.relation.is_some() && token.start >= told).collect();
    let other = |(i, token): (usize, Said<'_>)| {
        added.contains(token.start)
            && !is_oblique(parsed, i)
            && !is_predicate(parsed, i)
            && (token.start < claim || token.kind == Kind::Cjk || is_somebodys(parsed, i))
    };
    !added.is_empty() && parsed.tokens().enumerate().any(other)
}

/// Whether a relation is a certain person: somebody's, or behind a definite article or the word for an agent.
fn is_somebodys(parsed: &Parsed, i: usize) -> bool {
    let first = i.saturating_sub(SKIPPED_BEFORE);
    let mut near = (first..parsed.len().min(i + 1 + SKIPPED_BEFORE)).map(|at| parsed.at(at));
    near.any(|token| token.kind == Kind::User || token.possessive || is_particle(Particle::Somebodys, token.form))
        || (first..i).any(|at| is_particle(Particle::Agent, parsed.at(at).form))
}

/// Whether a form of *be* stands before token `i`, with at most an article between ("is a pupil").
fn is_predicate(parsed: &Parsed, i: usize) -> bool {
    let mut before = (0..i).rev().map(|before| parsed.at(before)).peekable();
    before.next_if(|token| is_particle(Particle::Article, token.form));
    before.next().is_some_and(|token| is_particle(Particle::Be, token.form))
}

/// The fact is about the user, the candidate about something of the user's that the fact lacks.
fn new_possession(alignment: &Alignment<'_>) -> bool {
    let parsed = alignment.whole_candidate;
    let user = |parsed: &Parsed| parsed.tokens().position(|token| token.kind == Kind::User);
    let (Some(fact), Some(at)) = (user(alignment.whole_fact), user(parsed)) else { return false };
    if alignment.whole_fact.at(fact).possessive || !parsed.at(at).possessive {
        return false;
    }
    let added: Starts = alignment.added().filter(|token| token.kind == Kind::Word).collect();
    let head = parsed.tokens().skip(at + 1).take_while(|token| added.contains(token.start)).last();
    let last_claim = alignment.held().map(|token| token.start).max();
    head.is_some_and(|head| last_claim.is_some_and(|claim| head.start < claim))
}

/// The user is said to be what the fact has them deal with ("is a lawyer" beside "meets the lawyer").
fn newly_is(alignment: &Alignment<'_>) -> bool {
    let (fact, candidate) = (alignment.whole_fact, alignment.whole_candidate);
    for (i, token) in candidate.tokens().enumerate() {
        // Of several that stand in one place the last counts, as in the twin's table.
        let offices = alignment.pairs().filter(|(f, _)| matches!(f.relation, Relation::Work | Relation::Care));
        let Some((office, _)) = offices.filter(|(_, c)| c.start == token.start).last() else { continue };
        if !is_predicate(candidate, before_modifiers(candidate, i)) {
            continue;
        }
        let Some(at) = fact.tokens().position(|other| other.start == office.start) else { continue };
        let modifiers = before_modifiers(fact, at);
        // The noun itself is one of the last three.
        let near = (modifiers.saturating_sub(2)..modifiers).chain([at]);
        let in_role = near.into_iter().any(|j| is_particle(Particle::Role, fact.at(j).form));
        return !(is_predicate(fact, modifiers) || in_role);
    }
    false
}

/// Where the content words begin that modify the noun at `i`.
fn before_modifiers(parsed: &Parsed, i: usize) -> usize {
    let modifies = |token: Said<'_>| token.role == Role::Content && matches!(token.kind, Kind::Word | Kind::Name);
    (0..i).rev().take_while(|&before| modifies(parsed.at(before))).last().unwrap_or(i)
}

/// Whether `with`, `and` or the like stands before the noun phrase that token `i` heads.
fn is_oblique(parsed: &Parsed, i: usize) -> bool {
    for j in (i.saturating_sub(1 + SKIPPED_BEFORE)..i).rev() {
        let token = parsed.at(j);
        if is_particle(Particle::Oblique, token.form) {
            return true;
        }
        if matches!(token.kind, Kind::Mark | Kind::Negation) {
            return false;
        }
    }
    false
}

/// Where the candidate's first aligned word that names nobody starts.
fn first_claim(alignment: &Alignment<'_>) -> u32 {
    let claims = alignment.held().filter(|&token| !is_name(token) && !token.relation.is_some());
    claims.map(|token| token.start).min().unwrap_or(0)
}

/// Where what is told of the user begins, as who tells it is not spoken of ("Ana noted that the user …"); or 0.
fn told(alignment: &Alignment<'_>) -> u32 {
    let parsed = alignment.whole_candidate;
    let claim = first_claim(alignment);
    let names_user = |i: usize| (i + 1..i + 3).filter_map(|at| parsed.get(at)).any(|token| token.kind == Kind::User);
    let mut before = parsed.tokens().enumerate().take_while(|(_, token)| token.start < claim);
    before
        .find(|&(i, token)| is_particle(Particle::Complement, token.form) && names_user(i))
        .map_or(0, |(_, token)| token.start)
}

/// A name that the fact lacks stands before the claim and behind no preposition, or as the agent of a passive.
fn new_name(alignment: &Alignment<'_>) -> bool {
    let parsed = alignment.whole_candidate;
    if alignment.whole_fact.passive != parsed.passive {
        return false;
    }
    let told = told(alignment);
    let added: Starts = alignment.added().filter(|&token| is_name(token) && token.start >= told).collect();
    if !added.is_empty() {
        let claim = first_claim(alignment);
        let other = |(i, token): (usize, Said<'_>)| {
            added.contains(token.start) && ((is_bare(parsed, i) && token.start < claim) || is_agent(parsed, i))
        };
        if parsed.tokens().enumerate().any(other) {
            return true;
        }
    }
    cjk_other_subject(alignment)
}

/// What stands before the names that end with token `i`.
fn before_names(parsed: &Parsed, mut i: usize) -> Option<Said<'_>> {
    while i > 0 && is_name(parsed.at(i - 1)) {
        i -= 1;
    }
    i.checked_sub(1).map(|before| parsed.at(before))
}

/// No preposition or other function word stands directly before the name (articles of other names do not occur).
fn is_bare(parsed: &Parsed, i: usize) -> bool {
    before_names(parsed, i).is_none_or(|before| {
        before.role != Role::Stop || before.kind == Kind::Mark || is_particle(Particle::Complement, before.form)
    })
}

fn is_agent(parsed: &Parsed, i: usize) -> bool {
    before_names(parsed, i).is_some_and(|before| is_particle(Particle::Agent, before.form))
}

/// The fact speaks of the user; the candidate does not, and begins with something else.
fn cjk_other_subject(alignment: &Alignment<'_>) -> bool {
    let has = |parsed: &Parsed, kind| parsed.tokens().any(|token| token.kind == kind);
    has(alignment.whole_candidate, Kind::Cjk)
        && !has(alignment.whole_candidate, Kind::User)
        && has(alignment.whole_fact, Kind::User)
        && alignment.backward.first() == Some(&None)
}

/// The participants that open a text, up to its first claim: the user, names, relations.
pub(crate) fn subject_of(parsed: &Parsed) -> Vec<Said<'_>> {
    let mut out = Vec::new();
    for (i, token) in parsed.tokens().enumerate() {
        if token.kind == Kind::Mark {
            continue;
        }
        if token.kind == Kind::User || token.relation.is_some() || (is_name(token) && is_bare(parsed, i)) {
            out.push(token);
        } else if token.role == Role::Content && !is_name(token) {
            break;
        }
    }
    out
}

/// The fact is about a relation or a named person; the candidate leaves them out and has a subject of its own.
fn lost_subject(alignment: &Alignment<'_>) -> bool {
    let mut opening = subject_of(alignment.whole_fact);
    opening.retain(|token| token.kind != Kind::User);
    if opening.is_empty() {
        return false;
    }
    let kept: Starts = alignment.kept().collect();
    !opening.iter().any(|token| kept.contains(token.start)) && !subject_of(alignment.whole_candidate).is_empty()
}
