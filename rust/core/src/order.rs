//! Who does what to whom, and what stands before what.

use std::sync::LazyLock;

use crate::alignment::{Alignment, is_name};
use crate::language::Language;
use crate::lexemes::Kind;
use crate::lexicon::{self, ByWord};
use crate::meanings::are_converse;
use crate::parsed::{Direction, Parsed, Role, Said};
use crate::stems::stem;
use crate::words::{Particle, Relation, is_particle};

static ASYMMETRIC: LazyLock<ByWord<()>> = LazyLock::new(|| {
    lexicon::ASYMMETRIC.rows_by_language().map(|(lang, [verb])| (lang, stem(verb, lang), ())).collect()
});

fn is_listed(verb: Said<'_>, language: Language) -> bool {
    ASYMMETRIC.contains(language, verb.key)
}

/// Who does what to whom is turned round, or one verb stands for its converse with nobody exchanged.
pub(crate) fn role(alignment: &Alignment<'_>) -> bool {
    let people = shared_participants(alignment);
    let converse = is_converse(alignment);
    let passive = alignment.whole_fact.passive != alignment.whole_candidate.passive;
    let &[(fact_one, candidate_one), (fact_two, candidate_two), ..] = &*people else {
        return converse && !passive;
    };
    if !converse && !is_asymmetric(alignment, fact_one, fact_two) {
        return false;
    }
    let turned = (candidate_one.start > candidate_two.start) != possessor_first(candidate_one, candidate_two);
    if passive && !keeps_verb(alignment) {
        return false;
    }
    turned != (passive != (converse && !is_of_nouns(alignment)))
}

/// Whether every aligned asymmetric verb is the same word in both: only then does the voice tell who acts.
fn keeps_verb(alignment: &Alignment<'_>) -> bool {
    let language = alignment.whole_fact.language;
    let mut verbs = alignment.pairs().filter(|&(fact, _)| is_listed(fact, language)).peekable();
    verbs.peek().is_some() && verbs.all(|(fact, candidate)| fact.key == candidate.key)
}

/// Whether a verb of the fact is aligned with its converse (lend with borrow).
fn is_converse(alignment: &Alignment<'_>) -> bool {
    let language = alignment.whole_fact.language;
    alignment.pairs().any(|(fact, candidate)| are_converse(fact.key, candidate.key, language))
}

/// Whether the converse words are relations, one of them the user's ("my landlord is X", "I am a tenant of X").
fn is_of_nouns(alignment: &Alignment<'_>) -> bool {
    let (fact, candidate) = (alignment.whole_fact, alignment.whole_candidate);
    alignment.pairs().any(|(f, c)| {
        f.relation.is_some() && are_converse(f.key, c.key, fact.language) && is_users(fact, f) != is_users(candidate, c)
    })
}

/// Whether the user possesses a relation: a user right before it, with its possessive.
fn is_users(parsed: &Parsed, relation: Said<'_>) -> bool {
    let before = parsed.tokens().rev().find(|token| token.start < relation.start && token.kind != Kind::Mark);
    before.is_some_and(|before| before.kind == Kind::User)
}

/// Whether the two cannot be exchanged: a listed verb, any that stands between them, or a comparison ("than").
fn is_asymmetric(alignment: &Alignment<'_>, one: Said<'_>, two: Said<'_>) -> bool {
    let language = alignment.whole_fact.language;
    let mut between = alignment.whole_fact.tokens().filter(|token| one.start < token.start && token.start < two.start);
    if matches!(language, Language::Zh | Language::Ja | Language::Ko)
        || between.any(|token| is_particle(Particle::Comparison, token.form))
    {
        return true;
    }
    let verbs = || alignment.fact.iter().copied().filter(|&token| token.kind == Kind::Word && !is_name(token));
    verbs().any(|verb| is_listed(verb, language))
        || (is_somebody(one) == is_somebody(two) && verbs().any(|verb| is_between(verb, one, two)))
}

/// The one that comes first possesses the office of the other ("Pedro's manager is Ana").
fn possessor_first(one: Said<'_>, two: Said<'_>) -> bool {
    let (first, second) = if one.start < two.start { (one, two) } else { (two, one) };
    first.possessive && !second.possessive
}

/// Subject, verb, object with nothing between them.
fn is_between(verb: Said<'_>, one: Said<'_>, two: Said<'_>) -> bool {
    one.end + 1 == verb.start && verb.end + 1 == two.start
}

/// The user, relations and names that both texts hold and in the order of the fact.
///
/// A possessor is no participant of its own ("the user's landlord" is one).
fn shared_participants<'a>(alignment: &Alignment<'a>) -> Vec<(Said<'a>, Said<'a>)> {
    let mut found: Vec<_> = alignment
        .pairs()
        .filter(|&(fact, _)| {
            (is_name(fact) && takes_part(alignment.whole_fact, fact)) || is_related_person(fact.relation)
        })
        .collect();
    if let (Some(fact), Some(candidate)) = (first_user(alignment.whole_fact), first_user(alignment.whole_candidate)) {
        found.push((fact, candidate));
    }
    found.sort_by_key(|(fact, _)| fact.start);
    found
}

fn is_related_person(relation: Relation) -> bool {
    !matches!(relation, Relation::None | Relation::Pet)
}

/// A person, or a name that stands where persons do: first, or behind a word like to, from and by.
fn takes_part(parsed: &Parsed, token: Said<'_>) -> bool {
    if token.person {
        return true;
    }
    let mut before = parsed.tokens().rev().filter(|other| other.start < token.start && other.kind != Kind::Mark);
    let before = before.find(|&other| !is_name(other));
    before.is_none_or(|before| {
        before.role == Role::Content
            || is_particle(Particle::Party, before.form)
            || is_particle(Particle::Complement, before.form)
    })
}

fn is_somebody(token: Said<'_>) -> bool {
    token.kind == Kind::User || token.person || token.relation.is_some()
}

/// The first mention of the user that possesses no relation.
fn first_user(parsed: &Parsed) -> Option<Said<'_>> {
    let related = parsed.tokens().any(|token| is_related_person(token.relation));
    let mut users = parsed.tokens().enumerate().filter(|(_, token)| token.kind == Kind::User);
    users.find(|&(i, _)| !(related && possesses(parsed, i))).map(|(_, user)| user)
}

/// A possessive form or pronoun, or in CJK a user right before a relation or the particle of possession.
fn possesses(parsed: &Parsed, i: usize) -> bool {
    let user = parsed.at(i);
    user.possessive
        || is_particle(Particle::Possessive, user.form)
        || parsed.get(i + 1).is_some_and(|following| {
            following.kind == Kind::Cjk
                && (following.relation.is_some() || is_particle(Particle::Genitive, following.form))
        })
}

// -- directions --------------------------------------------------------------------------------------------------------

static DIRECTIONS: LazyLock<ByWord<Direction>> = LazyLock::new(|| {
    lexicon::DIRECTION
        .rows_by_language()
        .map(|(lang, [form, class])| {
            let direction = match class {
                "before" => Direction::Before,
                "after" => Direction::After,
                "over" => Direction::Over,
                "source" => Direction::Source,
                "goal" => Direction::Goal,
                _ => panic!("direction.tsv names a class that the rules do not know"),
            };
            (lang, form, direction)
        })
        .collect()
});

pub(crate) fn direction_of(form: &str, language: Language) -> Direction {
    DIRECTIONS.get(language, form).copied().unwrap_or_default()
}

/// What stands before and after, over and under, from and to, is exchanged.
pub(crate) fn direction(alignment: &Alignment<'_>) -> bool {
    alignment.whole_fact.language == alignment.whole_candidate.language
        // A converse verb exchanges from and to itself: "lent to" is "borrowed from".
        && ((ends_exchanged(alignment) && !is_converse(alignment)) || sides_exchanged(alignment))
}

/// The class of the direction word directly before a token.
fn direction_before(parsed: &Parsed, token: Said<'_>) -> Direction {
    let mut last = Direction::None;
    for other in parsed.tokens().take_while(|other| other.start < token.start) {
        if other.direction != Direction::None {
            last = other.direction;
        } else if other.role != Role::Stop || other.kind == Kind::Mark {
            last = Direction::None;
        }
    }
    last
}

fn ends_exchanged(alignment: &Alignment<'_>) -> bool {
    let has_end =
        |parsed: &Parsed| parsed.tokens().any(|token| matches!(token.direction, Direction::Source | Direction::Goal));
    has_end(alignment.whole_fact)
        && has_end(alignment.whole_candidate)
        && alignment.pairs().any(|(fact, candidate)| {
            matches!(
                (direction_before(alignment.whole_fact, fact), direction_before(alignment.whole_candidate, candidate)),
                (Direction::Source, Direction::Goal) | (Direction::Goal, Direction::Source)
            )
        })
}

fn side_word(parsed: &Parsed) -> Option<(usize, Said<'_>)> {
    parsed.tokens().enumerate().find(|(_, token)| {
        matches!(token.direction, Direction::Before | Direction::After | Direction::Over) && token.kind != Kind::Name
    })
}

/// Where the sides of the direction word part, and whether what stands before that is on its near side.
fn sides(parsed: &Parsed, at: usize) -> (u32, bool) {
    let fronted = !parsed.tokens().take(at).any(|token| token.role == Role::Content);
    let comma = parsed.tokens().skip(at).find(|token| token.kind == Kind::Mark && token.form == ",");
    match comma {
        Some(comma) if fronted => (comma.start, false),
        _ => (parsed.at(at).start, true),
    }
}

fn sides_exchanged(alignment: &Alignment<'_>) -> bool {
    let (fact, candidate) = (alignment.whole_fact, alignment.whole_candidate);
    let (Some((fact_at, fact_word)), Some((candidate_at, candidate_word))) = (side_word(fact), side_word(candidate))
    else {
        return false;
    };
    if (fact_word.direction == Direction::Over) != (candidate_word.direction == Direction::Over) {
        return false;
    }
    let near = |token: Said<'_>, (limit, before): (u32, bool)| (token.start < limit) == before;
    let (fact_sides, candidate_sides) = (sides(fact, fact_at), sides(candidate, candidate_at));
    let (mut crosses, mut returns, mut stays_near, mut stays_far) = (false, false, false, false);
    for (f, c) in alignment.pairs() {
        match (near(f, fact_sides), near(c, candidate_sides)) {
            (true, false) => crosses = true,
            (false, true) => returns = true,
            (true, true) => stays_near = true,
            (false, false) => stays_far = true,
        }
    }
    let exchanged = crosses && returns;
    if fact_word.direction == candidate_word.direction {
        return exchanged;
    }
    stays_near && stays_far && !exchanged
}
