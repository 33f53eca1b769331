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
use crate::request_imperatives::is_imperative;
use crate::request_logs::{is_logged, is_said_of_assistant};
use crate::request_places::{
    FILLER, KEEP, LOSE, Place, Subject, Wish, any_of, asked, clause_before, framed_kind, has_agent, imperative, is_how,
    kind_of, last, subject_of,
};
use crate::request_reports::{is_asked, outer_code};
use crate::request_tags::{Tag, bits, is_english, languages_of, sentences};
use crate::request_targets::{Target, is_updated, target_of};
use crate::text::{clean, fold};

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
