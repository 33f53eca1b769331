//! What the assistant did or shall do about a memory, and logs of what was erased.

use crate::language::Language;
use crate::request_places::{
    KEEP, Place, Subject, Wish, any_of, clause_before, first, has_agent, is_how, is_negated, is_plain_passive,
    is_shall_be, subject_of,
};
use crate::request_tags::bits;
use crate::request_targets::{Target, target_of};

/// Words after "by" among which the one who did it stands.
const DOER_WITHIN: usize = 3;

pub(crate) fn is_said_of_assistant(place: &Place<'_>, kind: Wish) -> bool {
    let tags = place.tags;
    let promised = place.frame.is_some_and(|frame| {
        tags[frame].has(bits!(Agree)) && subject_of(tags, frame, place.language) == Subject::Agent
    });
    if !promised && !is_agents_own(place) {
        return is_first_person_log(place, kind);
    }
    let before = place.before();
    if any_of(before, bits!(Habit)) || is_how(place) || (place.next_is(bits!(To)) && place.language == Language::En) {
        return false;
    }
    let settled = promised || any_of(before, bits!(Modal | Be | Have));
    let evidence = any_of(tags, bits!(Evidence));
    let core = place.core();
    if core.has(bits!(Forget | Remember)) {
        return (settled && (promised || place.is_shape("TIMGS")))
            || evidence
            || (kind == Wish::NotKeep && any_of(before, bits!(Cease)));
    }
    let needed = if core.has(bits!(Expel)) { Target::Memory } else { Target::Named };
    (settled || evidence || (place.is_shape("PT") && kind == Wish::Erase)) && target_of(place) >= needed
}

/// Whether the assistant is the subject of the verb. A German verb may stand far from it, behind a modal.
fn is_agents_own(place: &Place<'_>) -> bool {
    if place.frame.is_some_and(|frame| frame >= place.start) {
        return false;
    }
    if place.language == Language::De {
        let before = clause_before(place.tags, place.at);
        if let Some(i) = before.iter().position(|tag| tag.has(bits!(Modal | Have))) {
            return has_agent(&before[..i]) && !any_of(&before[..i], bits!(User | Third));
        }
    }
    subject_of(place.tags, place.at, place.language) == Subject::Agent
}

/// "I have forgotten your address", "I will no longer remember that you …": the assistant speaks.
fn is_first_person_log(place: &Place<'_>, kind: Wish) -> bool {
    let (before, behind) = (place.before(), &place.tags[place.at..]);
    if !any_of(before, bits!(First)) {
        return false;
    }
    if kind == Wish::NotKeep {
        // "I can't remember your name" says nothing of a memory that is given up.
        let is_memory =
            place.core().has(bits!(Remember)) || (place.core().has(KEEP) && target_of(place) >= Target::Named);
        return is_memory && any_of(place.tags, bits!(Cease | Evidence)) && any_of(behind, bits!(Your | You));
    }
    if !place.is_shape("PT") {
        return false;
    }
    let yours = any_of(behind, bits!(Your));
    let target = target_of(place);
    if any_of(place.tags, bits!(Evidence)) && target >= Target::Pointed {
        return true;
    }
    if place.core().has(bits!(Forget)) {
        return yours && any_of(before, bits!(Have));
    }
    target == Target::Memory || (yours && target >= Target::Named)
}

/// A memory as what was erased: "Memory entry about Lisbon removed", "the record has been erased as requested".
pub(crate) fn is_logged(place: &Place<'_>) -> bool {
    if !place.is_shape("TP") || is_how(place) {
        return false;
    }
    let (tags, core) = (place.tags, place.core());
    let negated = is_negated(place, clause_before(tags, place.at));
    if core.has(KEEP) {
        let noted = any_of(tags, bits!(Evidence)) && is_plain_passive(place);
        let told = is_shall_be(place) || noted;
        return negated && told && is_subject_memory(place, core.has(bits!(Remember)));
    }
    if negated || is_by_other(place) {
        return false;
    }
    let (evidence, target) = (any_of(tags, bits!(Evidence)), target_of(place));
    if core.has(bits!(Forget)) {
        if is_shall_be(place) && is_subject_memory(place, true) {
            return true;
        }
        let noted = place.at <= 1 && any_of(first(tags, 1), bits!(Quote));
        return is_plain_passive(place) && (evidence || target == Target::Memory || noted);
    }
    if !is_plain_passive(place) {
        let subject = subject_of(tags, place.at, place.language);
        return target == Target::Memory && matches!(subject, Subject::User | Subject::None | Subject::Agent);
    }
    if target == Target::Memory {
        return !any_of(&tags[..place.at], bits!(Obj3));
    }
    if core.has(bits!(Expel)) {
        return false;
    }
    if evidence {
        return target >= Target::Named || !any_of(tags, bits!(Content | Other));
    }
    target == Target::Named && is_shall_be(place) && any_of(&tags[..place.at], bits!(Info))
}

/// "was deleted by a ransomware attack".
fn is_by_other(place: &Place<'_>) -> bool {
    let after = place.after();
    for (i, _) in after.iter().enumerate().filter(|(_, tag)| tag.has(bits!(By)) && !tag.has(bits!(From))) {
        for doer in first(&after[i + 1..], DOER_WITHIN) {
            if doer.has(bits!(User | Agent | We | Askn | Evidence | Poss)) {
                return false;
            }
            if doer.has(bits!(Content | Third | Other)) {
                return true;
            }
        }
    }
    false
}

/// Whether what shall be forgotten or not kept, before its verb, is "this", or something personal.
fn is_subject_memory(place: &Place<'_>, pointed: bool) -> bool {
    let before = place.clause();
    !any_of(before, bits!(Other | Content | Third))
        && (any_of(before, bits!(Personal | Info | Memory | Allabout | Said))
            || (pointed && any_of(before, bits!(Deictic))))
}
