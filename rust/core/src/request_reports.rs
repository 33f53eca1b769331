//! Requests that a text reports: someone asked, wanted or said that the assistant should forget.

use crate::language::Language;
use crate::request_places::{
    NOUN, Place, Subject, Wish, any_of, asked, first, framed_kind, has_agent, is_adverb, is_how, is_passive, subject_of,
};
use crate::request_tags::{Tag, bits};
use crate::request_targets::{Target, keeps_doing, target_of};

/// "wants the note that Inês proposed PgBouncer erased": a participle may hang on a word further out.
pub(crate) fn outer_code(place: &Place<'_>) -> &'static str {
    let outer = place.outer();
    if !outer.is_shape("T") || !outer.asks(bits!(Ask | Want)) {
        return "";
    }
    framed_kind(&outer).filter(|&kind| is_passive(&outer) && is_asked(&outer, kind)).map_or("", asked)
}

pub(crate) fn is_asked(place: &Place<'_>, kind: Wish) -> bool {
    let Some(frame) = place.frame else { return false };
    if is_how(place) {
        return false;
    }
    let subject = subject_of(place.tags, frame, place.language);
    let agent = has_agent(place.between()) || (subject == Subject::User && is_me(place, frame));
    if (subject == Subject::Third && !agent) || !may_ask(place, subject) {
        return false;
    }
    if !place.asks(bits!(Ask | Want | Say | Withdraw | Askn)) || is_asked_of_user(place, subject) {
        return false;
    }
    if is_passive(place) {
        return is_asked_passive(place, kind);
    }
    if !is_active_shape(place, agent) || is_own_act(place, agent) {
        return false;
    }
    let elsewhere = if agent { hands_on(place) } else { addresses_other(place) };
    !elsewhere && is_enough(place, kind, agent)
}

/// "The user asked me to …": the assistant speaks.
fn is_me(place: &Place<'_>, frame: usize) -> bool {
    any_of(&place.tags[..frame], bits!(User)) && any_of(first(place.between(), 1), bits!(Mine))
}

/// The assistant does not ask; it is asked ("was told to forget", "you asked me to forget").
fn may_ask(place: &Place<'_>, subject: Subject) -> bool {
    let between = place.between();
    match subject {
        Subject::You => {
            let me = any_of(between, bits!(First | We)) || any_of(first(between, 1), bits!(Mine));
            me && place.asks(bits!(Ask))
        }
        Subject::Agent => place.asking().is_some_and(|tag| tag.is_shape("T") || tag.has(bits!(Agree))),
        _ => true,
    }
}

/// "User was asked to forget", "the assistant asked the user to forget": the user is the one who shall.
fn is_asked_of_user(place: &Place<'_>, subject: Subject) -> bool {
    let before = place.frame.and_then(|frame| frame.checked_sub(1)).map(|before| &place.tags[before]);
    if place.asking().is_some_and(|tag| tag.is_shape("T"))
        && matches!(subject, Subject::User | Subject::Pronoun)
        && before.is_some_and(|tag| tag.has(bits!(Be)))
    {
        return true;
    }
    let mut told = place.between().iter().take_while(|tag| !tag.has(bits!(To | Thatc | Comma)));
    told.any(|tag| tag.has(bits!(User)) && !tag.possessive)
}

fn is_asked_passive(place: &Place<'_>, kind: Wish) -> bool {
    let between = place.between();
    if any_of(between, bits!(And)) && !any_of(between, bits!(Be | Memory | Info)) {
        return false;
    }
    if place.core().has(bits!(Forget | Remember)) {
        return true;
    }
    let target = target_of(place);
    if place.core().has(bits!(Expel)) {
        return target == Target::Memory;
    }
    let pointed = place.asks(bits!(Ask | Askn)) || kind == Wish::NotKeep;
    target >= if pointed { Target::Pointed } else { Target::Named }
}

fn is_active_shape(place: &Place<'_>, agent: bool) -> bool {
    let between = place.between();
    if place.asks(bits!(Withdraw)) {
        return place.is_shape("GINM");
    }
    if place.language != Language::En {
        return place.is_shape("IS") || (place.is_shape("FM") && agent);
    }
    if place.is_shape("MI") {
        return agent || any_of(between, bits!(To | Modal | Quote | Cease | Neg)) || has_to(between);
    }
    if place.is_shape("G") {
        return agent || any_of(between, bits!(Cease | Neg)) || place.asks(bits!(Ask));
    }
    place.is_shape("P") && agent && place.asks(bits!(Want))
}

fn has_to(tags: &[Tag<'_>]) -> bool {
    tags.iter().any(|tag| tag.form == "to" || tag.form.ends_with(" to"))
}

/// Whether the user is the one who forgets or erases: "because they forget", "wants to forget the accident".
fn is_own_act(place: &Place<'_>, agent: bool) -> bool {
    let between = || place.frame.map_or(&place.tags[..place.at], |frame| &place.tags[frame + 1..place.at]);
    let doer = between().iter().rev().find(|tag| !tag.has(bits!(Adv | Neg | Modal | Stop | Cease | To)));
    if doer.is_some_and(|tag| tag.has(bits!(Pron3 | First | User)) && !tag.possessive) {
        return place.language != Language::De || place.is_shape("F");
    }
    if agent || !place.asks(bits!(Want)) {
        return false;
    }
    if any_of(place.between(), bits!(Thatc)) && place.is_shape("S") {
        return false; // "quer que esqueça": the assistant is left out
    }
    place.core().has(bits!(Forget)) || target_of(place) < Target::Memory
}

/// "asked the assistant to remind Rui to delete …": the assistant is asked, but someone else shall do it.
fn hands_on(place: &Place<'_>) -> bool {
    if place.language == Language::De {
        return false;
    }
    let mut inside = false;
    for tag in place.between() {
        if tag.has(bits!(Agent | We)) {
            inside = false;
        } else if tag.has(bits!(To | Thatc)) {
            inside = true;
        } else if inside && tag.has(bits!(Content | Third | Obj3)) && !is_adverb(&tag.form, place.language) {
            return !tag.has(bits!(Adv | Time | Info | Memory | Opener));
        }
    }
    false
}

/// Whether someone other than the assistant is asked: a name, a relation, any noun before the verb.
fn addresses_other(place: &Place<'_>) -> bool {
    let between = place.between();
    for (i, tag) in between.iter().enumerate() {
        if tag.has(bits!(Comma)) || (place.language == Language::De && tag.has(bits!(Thatc | To))) {
            return false;
        }
        if !tag.has(NOUN) || tag.has(bits!(Adv | Time | Info | Memory)) || is_adverb(&tag.form, place.language) {
            continue;
        }
        let before = i.checked_sub(1).map(|before| &between[before]);
        if before.is_none_or(|before| !before.has(bits!(Inside | By)) || before.has(bits!(To | Opener))) {
            return true;
        }
    }
    false
}

/// Whether the verb, with what is erased or kept, is about memory.
fn is_enough(place: &Place<'_>, kind: Wish, agent: bool) -> bool {
    if kind == Wish::NotKeep && keeps_doing(place) {
        return false;
    }
    if place.asks(bits!(Say)) && !place.asks(bits!(Ask)) && !says_to(place) {
        return false;
    }
    let core = place.core();
    if core.has(bits!(Forget)) {
        return true;
    }
    let target = target_of(place);
    if place.asks(bits!(Withdraw)) {
        return target >= Target::Named;
    }
    if core.has(bits!(Remember)) {
        return true;
    }
    if core.has(bits!(Expel)) {
        return target == Target::Memory;
    }
    target >= if agent || kind == Wish::NotKeep { Target::Pointed } else { Target::Named }
}

/// "said to forget", "said the assistant should forget", but not "said it was a night to forget".
fn says_to(place: &Place<'_>) -> bool {
    let between = place.between();
    let is_to = |tag: &Tag<'_>| has_to(std::slice::from_ref(tag));
    let next = between.iter().find(|tag| !tag.has(bits!(Adv | Neg)) || is_to(tag));
    any_of(between, bits!(Modal | Quote)) || next.is_some_and(is_to)
}
