//! A verb of forgetting, erasing or keeping in its sentence: who acts, who asks, and whether it is negated.

use crate::language::Language;
use crate::request_tags::{Bits, Tag, bits};

pub(crate) const LOSE: Bits = bits!(Forget | Erase | Expel);
pub(crate) const KEEP: Bits = bits!(Remember | Store);
const FRAME: Bits = bits!(Ask | Want | Say | Agree | Withdraw);
const USER: Bits = bits!(User | First);
const PERSON: Bits = bits!(User | First | We | Agent | Pron3 | Obj3 | Third);
const NEGATION: Bits = bits!(Neg | Cease);
pub(crate) const BOUNDARY: Bits = bits!(Comma | And | Quote);
/// Words that may stand between a subject and its verb.
pub(crate) const FILLER: Bits =
    bits!(Adv | Opener | Stop | Time | Be | Have | Modal | Neg | Cease | To | Lead | Reflexive);
/// What can be addressed, and is not the assistant.
pub(crate) const NOUN: Bits = bits!(Content | Third | Personal | Other | Obj3);
const NO_SUBJECT: Bits = FILLER | bits!(Question | Poss | Your | Deictic | Habit | Withdraw | Right | Retract | By);
const CLAUSE_MARKS: Bits = bits!(Comma | And);

pub(crate) const fn is_pro_drop(language: Language) -> bool {
    matches!(language, Language::Pt | Language::Es)
}

pub(crate) const fn is_romance(language: Language) -> bool {
    matches!(language, Language::Pt | Language::Es | Language::Fr)
}

/// Whether one of the tags fills one of the slots.
pub(crate) fn any_of(tags: &[Tag<'_>], slots: Bits) -> bool {
    tags.iter().any(|tag| tag.has(slots))
}

/// What a verb asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    Forget,
    Erase,
    NotKeep,
}

/// The code of what the text itself asks for.
pub(crate) const fn imperative(kind: Wish) -> &'static str {
    match kind {
        Wish::Forget => "imperative-forget",
        Wish::Erase => "imperative-erase",
        Wish::NotKeep => "imperative-not-keep",
    }
}

/// The code of what the user asked for, as a text tells it.
pub(crate) const fn asked(kind: Wish) -> &'static str {
    match kind {
        Wish::Forget => "asked-forget",
        Wish::Erase => "asked-erase",
        Wish::NotKeep => "asked-not-keep",
    }
}

/// A verb (or its noun) in its sentence.
///
/// `frame`: index of the word that asks. `start`: index of the first word of the verb's clause.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) tags: &'a [Tag<'a>],
    pub(crate) at: usize,
    pub(crate) language: Language,
    pub(crate) frame: Option<usize>,
    pub(crate) start: usize,
}

impl<'a> Place<'a> {
    /// The place of the verb at `at`, with the nearest word that asks.
    pub(crate) fn new(tags: &'a [Tag<'a>], at: usize, language: Language) -> Self {
        Self { tags, at, language, frame: frame_before(tags, at), start: at - clause_before(tags, at).len() }
    }

    /// The same verb under the next word that asks, further out.
    pub(crate) fn outer(self) -> Self {
        Self { frame: self.frame.and_then(|frame| frame_before(self.tags, frame)), ..self }
    }

    pub(crate) fn core(&self) -> &'a Tag<'a> {
        &self.tags[self.at]
    }

    /// The word that asks.
    pub(crate) fn asking(&self) -> Option<&'a Tag<'a>> {
        self.frame.map(|frame| &self.tags[frame])
    }

    /// Whether the word that asks fills one of the slots.
    pub(crate) fn asks(&self, slots: Bits) -> bool {
        self.asking().is_some_and(|tag| tag.has(slots))
    }

    /// What stands between the word that asks (or the start of the clause) and the verb.
    pub(crate) fn between(&self) -> &'a [Tag<'a>] {
        &self.tags[self.begin()..self.at]
    }

    pub(crate) fn begin(&self) -> usize {
        self.frame.map_or(self.start, |frame| frame + 1)
    }

    /// What stands before the verb in its clause; a quotation in it is part of its subject.
    pub(crate) fn clause(&self) -> &'a [Tag<'a>] {
        before_marks(self.tags, self.at, CLAUSE_MARKS)
    }

    pub(crate) fn before(&self) -> &'a [Tag<'a>] {
        &self.tags[self.start..self.at]
    }

    pub(crate) fn after(&self) -> &'a [Tag<'a>] {
        &self.tags[self.at + 1..]
    }

    pub(crate) fn is_shape(&self, letters: &str) -> bool {
        self.core().is_shape(letters)
    }

    pub(crate) fn next_is(&self, slots: Bits) -> bool {
        self.after().first().is_some_and(|tag| tag.has(slots))
    }
}

fn frame_before(tags: &[Tag<'_>], at: usize) -> Option<usize> {
    (0..at).rev().find(|&frame| asks(tags, frame))
}

fn asks(tags: &[Tag<'_>], i: usize) -> bool {
    tags[i].has(FRAME)
        || (tags[i].has(bits!(Askn)) && tags.get(i + 1).is_some_and(|next| next.has(bits!(To | Thatc | Stop | From))))
}

/// The words before `at` in its clause.
pub(crate) fn clause_before<'a>(tags: &'a [Tag<'a>], at: usize) -> &'a [Tag<'a>] {
    before_marks(tags, at, BOUNDARY)
}

fn before_marks<'a>(tags: &'a [Tag<'a>], at: usize, marks: Bits) -> &'a [Tag<'a>] {
    let start = tags[..at].iter().rposition(|tag| tag.has(marks)).map_or(0, |mark| mark + 1);
    &tags[start..at]
}

/// Whether the assistant is named.
pub(crate) fn has_agent(tags: &[Tag<'_>]) -> bool {
    tags.iter().any(|tag| tag.has(bits!(Agent | We)) && !tag.possessive)
}

/// Whether a word has the ending of an adverb.
pub(crate) fn is_adverb(form: &str, language: Language) -> bool {
    let ending = match language {
        Language::En => "ly",
        Language::Pt | Language::Es => "mente",
        Language::Fr => "ment",
        _ => return false,
    };
    form.ends_with(ending) && form.chars().count() > ending.len() + 2
}

/// "asked how to delete …"; "asked whether you can forget" is a request, "whether you forget" none.
pub(crate) fn is_how(place: &Place<'_>) -> bool {
    let between = place.between();
    if any_of(between, bits!(Question)) {
        return true;
    }
    // "would appreciate it if you forgot"
    !place.asks(bits!(Want)) && any_of(between, bits!(Whether)) && !any_of(between, bits!(Modal))
}

/// The last few of some tags.
pub(crate) fn last<'t, 'a>(tags: &'t [Tag<'a>], count: usize) -> &'t [Tag<'a>] {
    &tags[tags.len().saturating_sub(count)..]
}

/// The first few of some tags.
pub(crate) fn first<'t, 'a>(tags: &'t [Tag<'a>], count: usize) -> &'t [Tag<'a>] {
    &tags[..tags.len().min(count)]
}

// -- negation ----------------------------------------------------------------------------------------------------------

/// What the verb asks for by itself; none where it says the opposite.
pub(crate) fn kind_of(place: &Place<'_>) -> Option<Wish> {
    kind(place, is_negated(place, place.before()))
}

/// The same under the word that asks, with a negated wish counted in ("does not want the assistant to remember").
pub(crate) fn framed_kind(place: &Place<'_>) -> Option<Wish> {
    let Some(frame) = place.frame else {
        return kind_of(place);
    };
    let before = any_of(clause_before(place.tags, frame), NEGATION);
    if place.asks(bits!(Withdraw)) {
        return kind(place, !is_negated(place, place.between()));
    }
    if !place.asks(bits!(Want)) {
        if before && !place.asks(bits!(Agree)) {
            return None;
        }
        return kind(place, is_negated(place, place.between()));
    }
    let between = match place.between() {
        // "ne veut plus": one negation in two words
        [first, rest @ ..]
            if before && place.language == Language::Fr && first.has(bits!(Neg)) && first.form != "ne" =>
        {
            rest
        }
        between => between,
    };
    kind(place, is_negated(place, between) != before)
}

/// Whether the verb is negated: among `tags` before it, or behind it where the language puts it there.
pub(crate) fn is_negated(place: &Place<'_>, tags: &[Tag<'_>]) -> bool {
    if any_of(tags, NEGATION) {
        return true;
    }
    if !matches!(place.language, Language::De | Language::Fr) {
        return false;
    }
    for tag in place.after() {
        if tag.has(bits!(Comma | And)) || (tag.has(bits!(Thatc)) && !tag.has(bits!(Deictic))) {
            return false;
        }
        if tag.has(bits!(Neg)) && tag.form != "plus" {
            return true;
        }
    }
    false
}

fn kind(place: &Place<'_>, negated: bool) -> Option<Wish> {
    let core = place.core();
    if core.has(LOSE) && !negated {
        return Some(if core.has(bits!(Forget)) { Wish::Forget } else { Wish::Erase });
    }
    (core.has(KEEP) && negated).then_some(Wish::NotKeep)
}

// -- who acts ----------------------------------------------------------------------------------------------------------

/// Who does what a word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    User,
    Agent,
    You,
    Pronoun,
    /// It is left out.
    None,
    Third,
}

/// Who does what the word at `at` says.
pub(crate) fn subject_of(tags: &[Tag<'_>], at: usize, language: Language) -> Subject {
    if let Some(owner) = at.checked_sub(1).map(|before| &tags[before]) {
        if tags[at].has(bits!(Askn)) && owner.possessive {
            return if owner.has(bits!(User)) { Subject::User } else { Subject::Third };
        }
    }
    for i in (0..at).rev() {
        let tag = &tags[i];
        if tag.has(BOUNDARY) {
            return head(&tags[..i]);
        }
        if tag.has(USER) {
            return if is_owner(tags, i) { Subject::Third } else { Subject::User };
        }
        if tag.has(bits!(Agent)) && !tag.possessive {
            return agent(tag);
        }
        if tag.has(bits!(Askn | Removal | Evidence)) {
            return Subject::None;
        }
        if tag.has(bits!(Pron3)) {
            return Subject::Pronoun;
        }
        if !tag.has(NO_SUBJECT) && !is_adverb(&tag.form, language) {
            return Subject::Third;
        }
    }
    Subject::None
}

/// The assistant; but a text that speaks to it ("you") tells nothing of it, and any machine is a "system".
fn agent(tag: &Tag<'_>) -> Subject {
    if tag.has(bits!(You)) {
        return Subject::You;
    }
    if tag.has(bits!(System)) { Subject::Third } else { Subject::Agent }
}

/// Whether the user at `i` only owns the subject: "User's son", "o filho do utilizador".
fn is_owner(tags: &[Tag<'_>], i: usize) -> bool {
    if tags[i].possessive {
        return true;
    }
    let owned = (1..=2).any(|k| i >= k && tags[i - k].has(bits!(Genitive)));
    owned && !any_of(&tags[..i], bits!(Askn | Removal | Evidence))
}

/// The subject of a sentence whose later clause leaves it out.
fn head(tags: &[Tag<'_>]) -> Subject {
    for (i, tag) in tags.iter().enumerate() {
        if tag.has(USER) {
            let owner = tag.possessive && tags.get(i + 1).is_some_and(|next| next.has(bits!(Third)));
            return if owner { Subject::Third } else { Subject::User };
        }
        if tag.has(bits!(Agent)) && !tag.possessive {
            return agent(tag);
        }
        if tag.has(bits!(Third)) && !any_of(&tags[..i], bits!(Content)) {
            return Subject::Third;
        }
    }
    Subject::None
}

// -- voice -------------------------------------------------------------------------------------------------------------

/// Under a word that asks: "to be deleted", "their address removed", "que se borre", "gelöscht wird".
pub(crate) fn is_passive(place: &Place<'_>) -> bool {
    let between = place.between();
    if place.language == Language::En {
        return place.is_shape("T")
            && (any_of(between, bits!(Be))
                || has_patient(between)
                || (place.frame.is_some() && any_of(between, bits!(Have))));
    }
    let reflexive = place.at > 0 && place.tags[place.at - 1].has(bits!(Reflexive));
    if is_pro_drop(place.language) && place.is_shape("SI") && reflexive {
        // "se lembre": the verb's own pronoun
        return !(place.core().has(bits!(Remember)) && has_agent(between));
    }
    if !place.is_shape("T") {
        return false;
    }
    if place.language == Language::De {
        let after = first(place.after(), 2);
        return any_of(after, bits!(Be))
            || after.iter().any(|tag| matches!(&*tag.form, "haben" | "sehen"))
            || !place.is_shape("FI");
    }
    any_of(last(between, 3), bits!(Be)) || !place.is_shape("SIM")
}

fn has_patient(tags: &[Tag<'_>]) -> bool {
    any_of(tags, bits!(Content | Personal | Info | Memory | Deictic | Other | Allabout | Said | Neg))
}

/// "should be deleted", "needs to be removed"; what will or can be deleted is no request.
pub(crate) fn is_shall_be(place: &Place<'_>) -> bool {
    if !place.is_shape("T") {
        return false;
    }
    let before = clause_before(place.tags, place.at);
    let has = |slots| before.iter().any(|tag| tag.has(slots) && !tag.has(bits!(Possible)));
    if place.language == Language::De {
        return (has(bits!(Modal)) && place.next_is(bits!(Be))) || place.next_is(bits!(Modal));
    }
    has(bits!(Modal)) && has(bits!(Be))
}

/// A participle with what was erased before it ("record erased"), or first in its sentence ("Deleted: …").
pub(crate) fn is_plain_passive(place: &Place<'_>) -> bool {
    if !place.is_shape("T") {
        return false;
    }
    let before = place.clause();
    if any_of(last(before, 4), bits!(Be)) || !any_of(before, !FILLER) {
        return true;
    }
    let patient = any_of(before, bits!(Memory | Info | Personal | Allabout | Said | Right));
    let doer = last(before, 2).iter().any(|tag| tag.has(PERSON) && !tag.possessive && !tag.has(bits!(Personal)));
    let ends = bits!(Comma | Evidence | With | Inside | By | Adv | From | And | Be | Time);
    patient && !doer && (place.after().is_empty() || place.next_is(ends))
}
