//! Is a text a request to forget, or a note that something was deleted?
//!
//! Slots, not word sequences: a verb of forgetting, erasing or (under a negation) keeping; a memory or the assistant as
//! its target or agent; and a request, an imperative or a log form around it. The rules are tried at each such verb, in
//! this order; the first that holds gives its code.
//!
//! ```text
//! imperative-forget, imperative-erase, imperative-not-keep    the text itself asks
//! asked-forget, asked-erase, asked-not-keep                   it tells that the user asked
//! assistant-forget, assistant-erase, assistant-not-keep       it tells what the assistant did or shall do
//! log-erased                                                  something remembered was erased, or shall be
//! asked-removal, log-removal                                  the same as a noun ("requested removal")
//! right-to-erasure, withdrew, retracted                       phrases that need no verb of their own
//! ```
//!
//! What is not one: a third person asks or is asked, the user forgets or erases something of their own, the verb is
//! negated ("don't forget"), the question is how, what is erased is no memory (an account, a photo, sugar), what is not
//! kept is kept out of something else (a repository, a log), or a thing of the world has a new value ("forget the
//! deadline, it moved").

use crate::language::Language;
use crate::lexemes::{Lexeme, scan};
use crate::request_cjk::{cjk_code, cjk_note_words};
use crate::request_places::{
    BOUNDARY, FILLER, KEEP, LOSE, NOUN, Place, Subject, Wish, any_of, clause_before, first, framed_kind, has_agent,
    is_adverb, is_negated, is_passive, is_plain_passive, is_pro_drop, is_romance, is_shall_be, kind_of, last,
    subject_of,
};
use crate::request_tags::{Tag, bits, is_english, languages_of, sentences};
use crate::request_targets::{Target, is_updated, target_of};
use crate::text::{clean, fold};

/// Most words of a text that asks to erase "that" and names nothing else.
const SINGLE_VERBS: usize = 4;
/// Words after "by" among which the one who did it stands.
const DOER_WITHIN: usize = 3;

/// The code of the rule that takes `text` for a request or a note, or "" if none does.
#[must_use]
pub fn request_code(text: &str) -> &'static str {
    let text = clean(text);
    code_of(text, &scan(text, &fold(text)))
}

/// The same for a text that is scanned already.
pub(crate) fn code_of(text: &str, lexemes: &[Lexeme<'_>]) -> &'static str {
    let languages: Vec<Language> = languages_of(lexemes).collect();
    for &language in &languages {
        for tags in sentences(text, lexemes, language) {
            if languages.contains(&Language::En) && is_english(&tags, language) {
                continue;
            }
            let code = sentence_code(&tags, language);
            if !code.is_empty() {
                return code;
            }
        }
    }
    cjk_code(lexemes)
}

/// Whether `text` speaks of erasing, forgetting or not keeping at all: with much of a fact, it is a note about it.
///
/// A negated verb, and a user who forgets something out of habit or by mistake, do not count.
#[must_use]
pub fn note_words(text: &str) -> bool {
    let text = clean(text);
    let folded = fold(text);
    let lexemes = scan(text, &folded);
    languages_of(&lexemes).any(|language| {
        sentences(text, &lexemes, language)
            .iter()
            .any(|tags| (0..tags.len()).any(|i| is_note_word(&Place::new(tags, i, language))))
    }) || cjk_note_words(&lexemes)
}

fn is_note_word(place: &Place<'_>) -> bool {
    let core = place.core();
    if core.has(bits!(Removal)) {
        return true;
    }
    let kind = if core.has(LOSE | KEEP) { framed_kind(place) } else { None };
    match kind {
        Some(Wish::Forget) => place.is_shape("MIST") && !any_of(place.tags, bits!(Habit | Notforget)),
        Some(Wish::Erase) => core.has(bits!(Erase)),
        Some(Wish::NotKeep) => core.has(bits!(Remember)),
        None => false,
    }
}

fn sentence_code(tags: &[Tag<'_>], language: Language) -> &'static str {
    if any_of(tags, bits!(Notforget)) {
        return "";
    }
    for (i, tag) in tags.iter().enumerate() {
        let mut code = "";
        if tag.has(LOSE | KEEP) {
            code = verb_code(&Place::new(tags, i, language));
        }
        if code.is_empty() && tag.has(bits!(Removal)) {
            code = noun_code(&Place::new(tags, i, language));
        }
        if !code.is_empty() {
            return code;
        }
    }
    phrase_code(tags, language)
}

fn verb_code(place: &Place<'_>) -> &'static str {
    if place.core().has(bits!(Forget)) && is_updated(place) {
        return "";
    }
    if let Some(kind) = kind_of(place).filter(|&kind| is_imperative(place, kind)) {
        return imperative(kind);
    }
    let kind = framed_kind(place);
    if let Some(kind) = kind.filter(|&kind| is_asked(place, kind)) {
        return asked(kind);
    }
    let outer = outer_code(place);
    if !outer.is_empty() {
        return outer;
    }
    match kind.filter(|&kind| is_said_of_assistant(place, kind)) {
        Some(Wish::Forget) => "assistant-forget",
        Some(Wish::Erase) => "assistant-erase",
        Some(Wish::NotKeep) => "assistant-not-keep",
        None if is_logged(place) => "log-erased",
        None => "",
    }
}

pub(crate) const fn imperative(kind: Wish) -> &'static str {
    match kind {
        Wish::Forget => "imperative-forget",
        Wish::Erase => "imperative-erase",
        Wish::NotKeep => "imperative-not-keep",
    }
}

pub(crate) const fn asked(kind: Wish) -> &'static str {
    match kind {
        Wish::Forget => "asked-forget",
        Wish::Erase => "asked-erase",
        Wish::NotKeep => "asked-not-keep",
    }
}

// -- the text itself asks ----------------------------------------------------------------------------------------------

fn is_imperative(place: &Place<'_>, kind: Wish) -> bool {
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

/// "keep asking": no memory in it.
fn keeps_doing(place: &Place<'_>) -> bool {
    place.core().form.starts_with("ke") && place.after().first().is_some_and(|tag| tag.form.ends_with("ing"))
}

// -- the user asked ----------------------------------------------------------------------------------------------------

/// "wants the note that Inês proposed PgBouncer erased": a participle may hang on a word further out.
fn outer_code(place: &Place<'_>) -> &'static str {
    let outer = place.outer();
    if !outer.is_shape("T") || !outer.asks(bits!(Ask | Want)) {
        return "";
    }
    framed_kind(&outer).filter(|&kind| is_passive(&outer) && is_asked(&outer, kind)).map_or("", asked)
}

fn is_asked(place: &Place<'_>, kind: Wish) -> bool {
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

/// "asked how to delete …"; "asked whether you can forget" is a request, "whether you forget" none.
fn is_how(place: &Place<'_>) -> bool {
    let between = place.between();
    if any_of(between, bits!(Question)) {
        return true;
    }
    // "would appreciate it if you forgot"
    !place.asks(bits!(Want)) && any_of(between, bits!(Whether)) && !any_of(between, bits!(Modal))
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

// -- the assistant did or shall, and logs ------------------------------------------------------------------------------

fn is_said_of_assistant(place: &Place<'_>, kind: Wish) -> bool {
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

/// "I have forgotten your address": the assistant speaks.
fn is_first_person_log(place: &Place<'_>, kind: Wish) -> bool {
    let before = place.before();
    if kind == Wish::NotKeep || !any_of(before, bits!(First)) || !place.is_shape("PT") {
        return false;
    }
    let yours = any_of(&place.tags[place.at..], bits!(Your));
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
fn is_logged(place: &Place<'_>) -> bool {
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

// -- nouns and phrases -------------------------------------------------------------------------------------------------

/// "requested removal", "asked for the deletion of their address".
fn noun_code(place: &Place<'_>) -> &'static str {
    let tags = place.tags;
    let target = target_of(place);
    let others = bits!(Content | Other | Third);
    if let Some(frame) = place.frame {
        let before = clause_before(tags, frame);
        if !place.asks(bits!(Ask | Askn | Want)) || is_how(place) || any_of(before, bits!(Neg)) {
            return "";
        }
        let foreign = any_of(place.between(), others) && !has_agent(place.between());
        let bare = !any_of(place.after(), others) && !place.asks(bits!(Want));
        let third = subject_of(tags, frame, place.language) == Subject::Third;
        if !third && !foreign && (target >= Target::Named || bare) {
            return "asked-removal";
        }
    }
    let evidence = any_of(tags, bits!(Evidence));
    let first = !any_of(&tags[..place.at], !FILLER);
    if (target == Target::Memory && (first || evidence)) || (target >= Target::Named && evidence) {
        return "log-removal";
    }
    ""
}

/// "scratch that", but not "scratch that meeting".
fn is_open_end(tags: &[Tag<'_>], i: usize) -> bool {
    let plain = tags.get(i + 1).is_none_or(|next| !next.has(bits!(Content | Other | Info)));
    plain || !tags[i].form.ends_with(" that")
}

fn phrase_code(tags: &[Tag<'_>], language: Language) -> &'static str {
    if !any_of(tags, bits!(Right | Withdraw | Retract)) {
        return "";
    }
    for (i, tag) in tags.iter().enumerate() {
        if tag.has(bits!(Right)) {
            let doer = tags.iter().position(|other| other.has(bits!(Exercise | Ask)));
            let owner = i.checked_sub(1).map(|before| &tags[before]);
            let users = owner.is_some_and(|owner| owner.possessive && owner.has(bits!(User)));
            if doer.is_some_and(|doer| users || subject_of(tags, doer, language) != Subject::Third) {
                return "right-to-erasure";
            }
        }
        if subject_of(tags, i, language) == Subject::Third {
            continue;
        }
        if tag.has(bits!(Withdraw)) && any_of(&tags[i..], bits!(Memory)) {
            return "withdrew";
        }
        if tag.has(bits!(Retract)) && !any_of(last(&tags[..i], 2), bits!(Neg)) && is_open_end(tags, i) {
            return "retracted";
        }
    }
    ""
}
