//! Requests that the text itself makes: a verb in the imperative, opened by nothing or by words of request.

use crate::language::Language;
use crate::request_places::{BOUNDARY, FILLER, Place, Wish, any_of, is_pro_drop, is_romance};
use crate::request_tags::{Tag, bits};
use crate::request_targets::{Target, keeps_doing, target_of};

/// Most words of a text that asks to erase "that" and names nothing else.
const SINGLE_VERBS: usize = 4;

pub(crate) fn is_imperative(place: &Place<'_>, kind: Wish) -> bool {
    let Some((polite, begin)) = opening(place) else {
        return false;
    };
    if !is_imperative_shape(place, kind, polite) {
        return false;
    }
    let tags = place.tags;
    if begin > 0 && !(polite || speaks(tags) || place.next_is(bits!(Deictic))) {
        return false;
    }
    if is_romance(place.language) && !polite && any_of(&tags[begin..], bits!(Habit)) {
        return false; // "olvida" is also "forgets"
    }
    if kind == Wish::Forget {
        let to = place.next_is(bits!(To)) && place.language == Language::En;
        return !to && !is_title(&tags[begin..]);
    }
    if place.core().has(bits!(Remember)) {
        let ceases = any_of(&tags[begin..place.at], bits!(Cease));
        return polite || ceases || !place.next_is(bits!(Question | Whether));
    }
    if kind == Wish::NotKeep && keeps_doing(place) {
        return false;
    }
    target_of(place) >= imperative_target(place, kind)
}

fn imperative_target(place: &Place<'_>, kind: Wish) -> Target {
    if place.core().has(bits!(Expel)) {
        return Target::Memory;
    }
    let alone = place.after().iter().all(|tag| tag.has(bits!(Deictic) | FILLER));
    if kind == Wish::NotKeep || (alone && place.tags.len() <= SINGLE_VERBS) { Target::Pointed } else { Target::Named }
}

/// Whether words of request open the clause, and where it begins; none where something else stands before the verb.
fn opening(place: &Place<'_>) -> Option<(bool, usize)> {
    let (mut polite, mut i) = (false, place.at);
    while i > 0 {
        let tag = &place.tags[i - 1];
        if tag.has(bits!(Opener)) {
            polite = true;
        } else if tag.has(BOUNDARY) {
            break;
        } else if tag.has(bits!(Reflexive)) && i < place.at {
            return None; // "no se puede": nobody is asked
        } else if !tag.has(bits!(Adv | Neg | Cease | Time | Lead)) {
            return None;
        }
        i -= 1;
    }
    Some((polite, i))
}

fn is_imperative_shape(place: &Place<'_>, kind: Wish, polite: bool) -> bool {
    if kind == Wish::NotKeep && is_pro_drop(place.language) && !place.is_shape("SI") {
        return polite || place.next_is(bits!(Deictic)); // "no guarda" is "does not keep"
    }
    place.is_shape("M")
        || (kind == Wish::NotKeep && place.is_shape("SIG") && place.at > 0)
        || (polite && place.is_shape("ISG"))
        || (kind == Wish::Erase && place.language != Language::En && place.is_shape("I"))
}

/// Whether someone speaks for themselves, rather than of "the user".
fn speaks(tags: &[Tag<'_>]) -> bool {
    !any_of(tags, bits!(User)) && any_of(tags, bits!(First | Your | Opener | Mine))
}

/// "Forget Paris": every word has its capital, as in the title of a work.
fn is_title(tags: &[Tag<'_>]) -> bool {
    let words = || tags.iter().filter(|tag| !tag.has(bits!(Comma | Quote)));
    words().nth(1).is_some() && words().all(|tag| tag.capital)
}
