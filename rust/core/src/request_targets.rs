//! What a request erases, or wants not kept: a memory, something the user told, or a thing of the world.

use crate::language::Language;
use crate::request_places::{FILLER, KEEP, Place, any_of, first, has_agent, is_passive, is_romance, is_shall_be, last};
use crate::request_tags::{Bits, Tag, bits};

/// How surely it is a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// Not.
    None,
    /// A bare "that".
    Pointed,
    /// A personal detail or an entry.
    Named,
    /// Memory itself.
    Memory,
}

const OBJECT_ENDS: Bits = bits!(Comma | And | Thatc | About | Inside | With);
const NOUNS: Bits = bits!(Deictic | Personal | Other | Info);
const SPOKEN_OF: Bits = bits!(Comma | Thatc | About);
/// Words that make of "passwords" those of somebody, or some that were spoken of.
const OWNED: Bits = bits!(Poss | Your | Mine | First | Deictic | Stop);
const REMEMBERED: Bits = bits!(Memory | Said | Info | Allabout | Thatc);
/// What may stand beside a bare "that" as what is erased.
const BESIDE_THAT: Bits = FILLER | bits!(Deictic | Agent | Thatc | Comma);
const OBJECT_BEGINS: Bits = bits!(Poss | Your | Deictic | Stop | Personal | Info | Stored | Allabout | Said | Content);
const FACT_SUBJECT: Bits = bits!(User | First | Pron3 | Poss);
/// Words between a word like "stored" or "on" and the thing that it speaks of.
const NAMED_WITHIN: usize = 3;

/// How surely what is erased, or not kept, is a memory.
pub(crate) fn target_of(place: &Place<'_>) -> Target {
    if any_of(&place.tags[..place.at], bits!(Memory)) || any_of(place.after(), bits!(Memory)) {
        return Target::Memory;
    }
    let (near, taken_from) = object(place);
    if let Some(taken_from) = taken_from {
        return container(taken_from, near);
    }
    let whole = &place.tags[place.begin()..];
    if any_of(near, bits!(Other)) {
        return Target::None;
    }
    if any_of(whole, bits!(Said)) || is_fact_clause(place) {
        return Target::Memory;
    }
    if is_outside(place) {
        return Target::None;
    }
    if any_of(whole, bits!(Allabout)) {
        return if place.core().has(bits!(Expel)) { Target::Named } else { Target::Memory };
    }
    if is_stored_thing(whole) {
        return Target::Memory;
    }
    if is_named(near, place) {
        return Target::Named;
    }
    let pointed = any_of(near, bits!(Deictic)) && near.iter().all(|tag| tag.has(BESIDE_THAT));
    if pointed { Target::Pointed } else { Target::None }
}

/// What something is taken from: the assistant's notes are memory, a letter or a phone is not.
fn container(tags: &[Tag<'_>], near: &[Tag<'_>]) -> Target {
    if any_of(tags, bits!(Other)) {
        return Target::None;
    }
    if tags.iter().any(|tag| matches!(&*tag.form, "records" | "notes" | "facts")) {
        return Target::Memory;
    }
    if any_of(tags, bits!(Your | Agent)) {
        return if any_of(tags, bits!(Content)) { Target::Named } else { Target::Memory };
    }
    let entries = any_of(tags, bits!(Info)) && any_of(tags, bits!(Poss)) && !any_of(near, bits!(Other));
    if entries || any_of(tags, bits!(Allabout | Said)) { Target::Named } else { Target::None }
}

/// The words that name what is erased, up to the first preposition; and what it is taken from, if that is said.
fn object<'a>(place: &Place<'a>) -> (&'a [Tag<'a>], Option<&'a [Tag<'a>]>) {
    let tags = place.tags;
    let mut end = place.at + 1;
    if place.is_shape("N") && place.next_is(bits!(About | From)) {
        end += 1; // "deletion of their address"
    }
    while end < tags.len() && (!tags[end].has(OBJECT_ENDS) || tags[end].has(NOUNS)) && !takes_from(place, end) {
        end += 1;
    }
    let taken_from = (end..tags.len())
        .take_while(|&k| !tags[k].has(bits!(Comma)))
        .find(|&k| takes_from(place, k))
        .map(|k| until_boundary(&tags[k + 1..]));
    let near = if is_object_before(place) { place.between() } else { &tags[(place.at + 1).min(end)..end] };
    (near, taken_from)
}

fn until_boundary<'t, 'a>(tags: &'t [Tag<'a>]) -> &'t [Tag<'a>] {
    let end = tags.iter().position(|tag| tag.has(bits!(Comma | And | With | Thatc)));
    &tags[..end.unwrap_or(tags.len())]
}

/// Whether a preposition of taking away stands at `i`. Romance "de" is a genitive as often, so it does not count.
fn takes_from(place: &Place<'_>, i: usize) -> bool {
    place.tags[i].has(bits!(From)) && (place.language == Language::En || place.tags[i].form == "aus")
}

/// Whether what is erased stands before the verb: a passive, or German.
fn is_object_before(place: &Place<'_>) -> bool {
    if place.language == Language::De {
        return !place.is_shape("M") || is_passive(place);
    }
    if !place.is_shape("T") {
        return false;
    }
    if place.language == Language::En {
        return is_passive(place) || !place.next_is(OBJECT_BEGINS);
    }
    !place.is_shape("M") || any_of(last(place.between(), 3), bits!(Be))
}

/// "in the repo", "on my laptop": where it would be kept, or stands, is no memory.
fn is_outside(place: &Place<'_>) -> bool {
    let tags = place.tags;
    let start = if place.language == Language::De { place.begin() } else { place.at + 1 };
    for (i, tag) in tags.iter().enumerate().skip(start) {
        if tag.has(bits!(Inside)) {
            let container = until_boundary(&tags[i + 1..]);
            if any_of(container, bits!(Other)) {
                let object = tags.get(place.at + 1..i).unwrap_or_default();
                let spoken_of = tag.has(bits!(About)) && any_of(object, bits!(Info));
                return !spoken_of && !any_of(container, bits!(Your | Agent));
            }
        } else if tag.has(SPOKEN_OF) {
            return false;
        }
    }
    false
}

/// "forget the deadline, it moved to May": a thing of the world has a new value, and nothing is to be unlearnt.
pub(crate) fn is_updated(place: &Place<'_>) -> bool {
    let after = place.after();
    let Some(i) = after.iter().position(|tag| tag.has(bits!(Update))) else { return false };
    let thing = &after[..i];
    let told = thing.iter().any(|tag| tag.has(REMEMBERED) && tag.form != "das");
    if told || !any_of(thing, bits!(Other | Content)) {
        return false;
    }
    any_of(thing, bits!(Other)) || !any_of(thing, bits!(Personal | Poss | Your | Mine | User))
}

/// "keep asking": no memory in it.
pub(crate) fn keeps_doing(place: &Place<'_>) -> bool {
    place.core().form.starts_with("ke") && place.after().first().is_some_and(|tag| tag.form.ends_with("ing"))
}

/// "delete that I live in Lisbon": what is erased is told as a sentence.
fn is_fact_clause(place: &Place<'_>) -> bool {
    for pair in place.after().windows(2).take(NAMED_WITHIN) {
        let (tag, next) = (&pair[0], &pair[1]);
        if tag.has(bits!(Thatc)) && !(place.language == Language::De && tag.form == "das") {
            return next.has(FACT_SUBJECT) || is_romance(place.language);
        }
        if tag.has(bits!(Content | Other)) {
            return false;
        }
    }
    false
}

/// "the stored phone number", "saved information about …".
fn is_stored_thing(tags: &[Tag<'_>]) -> bool {
    tags.iter().enumerate().filter(|(_, tag)| tag.has(bits!(Stored))).any(|(i, _)| {
        let things = first(&tags[i + 1..], NAMED_WITHIN);
        let things = things.iter().take_while(|tag| !tag.has(bits!(Other)));
        things.into_iter().any(|tag| tag.has(bits!(Personal | Info | Allabout)))
    })
}

fn is_named(tags: &[Tag<'_>], place: &Place<'_>) -> bool {
    if place.core().has(bits!(Store)) && place.core().form != "keep" && is_mine(tags, place) {
        return true;
    }
    let personal = any_of(tags, bits!(Personal)) && !is_anyones(tags, place);
    if personal && (place.core().has(KEEP) || is_owned(tags, place)) {
        return true;
    }
    if !any_of(tags, bits!(Info)) {
        return false;
    }
    place.core().has(KEEP)
        || any_of(place.tags, bits!(Evidence))
        || (is_shall_be(place) && any_of(place.tags, bits!(Stored | User | Poss)))
        || speaks_of_something(place)
}

/// "do not log my sleep": spoken to the assistant, of whatever is the speaker's.
fn is_mine(tags: &[Tag<'_>], place: &Place<'_>) -> bool {
    place.frame.is_none() && any_of(first(tags, 2), bits!(Mine))
}

/// "never log passwords": nobody's in particular, so a rule of how to work.
fn is_anyones(tags: &[Tag<'_>], place: &Place<'_>) -> bool {
    if !place.core().has(bits!(Store)) || has_agent(place.between()) || any_of(tags, OWNED) {
        return false;
    }
    let owned = |tag: &Tag<'_>| tag.has(bits!(Personal)) || tag.possessive;
    tags.iter().filter(|tag| owned(tag)).all(|tag| tag.has(bits!(Credential)))
}

/// Whether a personal detail is somebody's. Languages with articles for possessives need no word for it.
fn is_owned(tags: &[Tag<'_>], place: &Place<'_>) -> bool {
    place.language != Language::En
        || has_agent(place.between())
        || any_of(tags, bits!(Poss | Your))
        || tags.iter().any(|tag| tag.possessive)
}

/// "the note about my ex", but not "the note on the fridge".
fn speaks_of_something(place: &Place<'_>) -> bool {
    let tags = place.tags;
    let about = tags.windows(2).position(|pair| pair[0].has(bits!(Info)) && pair[1].has(bits!(About | Thatc)));
    about.is_some_and(|i| {
        tags[i + 1].form != "on"
            || place.language != Language::En
            || has_agent(place.between())
            || any_of(first(&tags[i + 2..], NAMED_WITHIN), bits!(Personal))
    })
}
