//! Requests to forget in Chinese, Japanese and Korean: the slots of `requests`, in languages without spaces or stems.
//!
//! The text is cut into the pieces of `request_cjk.tsv`, longest first; what lies between is content. Chinese asks
//! before its verb, as English does. In Japanese and Korean the verb closes the clause, and its ending says whether it
//! asks.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::language::Language;
use crate::lexemes::{Kind, Lexeme};
use crate::lexicon::{self, ByWord};
use crate::request_places::{Wish, asked, imperative};
use crate::request_tags::{Bits, is_file_name, slots};
use crate::words::vote;

slots! { Slot:
    Forget = "forget",
    Erase = "erase",
    Keep = "keep",
    Strong = "strong",
    Notforget = "notforget",
    Neg = "neg",
    Dont = "dont",
    Negwish = "negwish",
    Ask = "ask",
    Asknoun = "asknoun",
    Want = "want",
    Please = "please",
    Ba = "ba",
    Agent = "agent",
    User = "user",
    First = "first",
    Third = "third",
    Of = "of",
    Memory = "memory",
    Info = "info",
    Said = "said",
    Deictic = "deictic",
    Personal = "personal",
    Credential = "credential",
    Other = "other",
    Habit = "habit",
    How = "how",
    Done = "done",
    Evidence = "evidence",
    Adv = "adv",
    Withdraw = "withdraw",
    ForgetTe = "forget-te",
    ForgetTo = "forget-to",
    EraseTe = "erase-te",
    EraseTo = "erase-to",
    Erased = "erased",
    Erasing = "erasing",
    UnkeepTe = "unkeep-te",
    UnkeepTo = "unkeep-to",
    Ni = "ni",
    Wa = "wa",
    Particle = "particle",
    Comma = "comma",
    Content = "content",
}

macro_rules! bits {
    ($($slot:ident)|+) => { 0 $(| (1 as Bits) << Slot::$slot as u32)+ };
}

const ENDS: &str = ".!?;…。\n";
/// Pieces after which a sentence is cut.
const LONGEST_SENTENCE: usize = 48;
/// Most pieces of a text that asks to erase "that" and names nothing else.
const SHORT: usize = 5;
const HONORIFICS: [&str; 6] = ["さん", "ちゃん", "くん", "様", "氏", "씨"];

/// A piece of text and its slots as bits.
struct Piece {
    form: String,
    slots: Bits,
}

impl Piece {
    fn new(form: &str, slots: Bits) -> Self {
        Self { form: form.to_owned(), slots }
    }

    const fn has(&self, slots: Bits) -> bool {
        self.slots & slots != 0
    }
}

static TABLE: LazyLock<ByWord<Bits>> = LazyLock::new(|| {
    let mut table: ByWord<Bits> = ByWord::default();
    for (language, [form, slot]) in lexicon::REQUEST_CJK.rows_by_language() {
        *table.entry(language, form) |= Slot::bit_of(slot);
    }
    table
});

static LONGEST: LazyLock<FxHashMap<Language, usize>> = LazyLock::new(|| {
    let mut longest = FxHashMap::default();
    for (language, form, _) in TABLE.iter() {
        let known = longest.entry(language).or_insert(0);
        *known = form.chars().count().max(*known);
    }
    longest
});

/// The code of the rule that takes a Chinese, Japanese or Korean text for a request or a note, or "".
pub(crate) fn cjk_code(lexemes: &[Lexeme<'_>]) -> &'static str {
    let Some(language) = script(lexemes) else { return "" };
    for pieces in sentences(lexemes, language) {
        let code = if language == Language::Zh { chinese_code(&pieces) } else { verb_last_code(&pieces) };
        if !code.is_empty() {
            return code;
        }
    }
    ""
}

/// Whether a Chinese, Japanese or Korean text speaks of erasing, or of forgetting on request, at all.
pub(crate) fn cjk_note_words(lexemes: &[Lexeme<'_>]) -> bool {
    let Some(language) = script(lexemes) else { return false };
    let wanted = TE | TO | bits!(Erase | Erased | Erasing);
    let pieces = sentences(lexemes, language);
    pieces.iter().flatten().any(|piece| piece.has(wanted) && !piece.has(bits!(Notforget)))
}

fn script(lexemes: &[Lexeme<'_>]) -> Option<Language> {
    let runs: Vec<Lexeme<'_>> = lexemes.iter().filter(|lexeme| lexeme.kind == Kind::Cjk).cloned().collect();
    (!runs.is_empty()).then(|| vote(&runs)[0])
}

/// The pieces of each sentence; runs that only spaces part are read as one.
fn sentences(lexemes: &[Lexeme<'_>], language: Language) -> Vec<Vec<Piece>> {
    let mut out = Vec::new();
    let mut pieces = Vec::new();
    let mut run = String::new();
    for lexeme in lexemes {
        let text = &*lexeme.text;
        if lexeme.kind == Kind::Cjk {
            run.push_str(text);
            continue;
        }
        cut(&run, language, &mut pieces);
        run.clear();
        if lexeme.kind != Kind::Mark {
            let slots = TABLE.get(language, text).copied().unwrap_or_else(|| other_slot(lexeme));
            pieces.push(Piece::new(text, slots));
        } else if ENDS.contains(text) || pieces.len() >= LONGEST_SENTENCE {
            out.push(std::mem::take(&mut pieces));
        } else if matches!(text, "," | "、" | ":") {
            pieces.push(Piece::new(text, bits!(Comma)));
        }
    }
    cut(&run, language, &mut pieces);
    out.push(pieces);
    out.into_iter().flat_map(chunks).collect()
}

/// A sentence that is too long in parts. Each part is a vector of its own: one that is split again and again would be
/// copied, and would keep its room, as often.
fn chunks(pieces: Vec<Piece>) -> Vec<Vec<Piece>> {
    let mut out = Vec::new();
    let mut rest = pieces.into_iter();
    while rest.len() > 0 {
        out.push(rest.by_ref().take(LONGEST_SENTENCE).collect());
    }
    out
}

fn other_slot(lexeme: &Lexeme<'_>) -> Bits {
    match lexeme.kind {
        _ if is_file_name(lexeme) => bits!(Other),
        Kind::Email | Kind::Phone | Kind::Url | Kind::Id => bits!(Personal),
        _ => bits!(Content),
    }
}

fn cut(run: &str, language: Language, out: &mut Vec<Piece>) {
    let longest = LONGEST.get(&language).copied().unwrap_or(0);
    let bytes: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
    let length = bytes.len() - 1;
    let (mut start, mut i) = (0, 0);
    while i < length {
        let found = (1..=longest.min(length - i)).rev().find_map(|size| {
            let form = &run[bytes[i]..bytes[i + size]];
            TABLE.get(language, form).map(|&slots| (size, form, slots))
        });
        let Some((size, form, slots)) = found else {
            i += 1;
            continue;
        };
        if start < i {
            out.push(Piece::new(&run[bytes[start]..bytes[i]], bits!(Content)));
        }
        out.push(Piece::new(form, slots));
        i += size;
        start = i;
    }
    if start < length {
        out.push(Piece::new(&run[bytes[start]..], bits!(Content)));
    }
}

fn any(pieces: &[Piece], slots: Bits) -> bool {
    pieces.iter().any(|piece| piece.has(slots))
}

/// How surely the pieces name a memory: 0 not, 1 by "that", 2 by a personal detail or an entry, 3 memory itself.
fn named(parts: &[&[Piece]]) -> u8 {
    let has = |slots| parts.iter().any(|pieces| any(pieces, slots));
    let nobodys = has(bits!(Credential)) && !has(bits!(First | User | Agent | Said | Of | Deictic));
    if has(bits!(Memory)) {
        3
    } else if has(bits!(Other)) || nobodys {
        0
    } else if has(bits!(Said | Info | Personal)) {
        2
    } else {
        u8::from(has(bits!(Deictic)))
    }
}

// -- Chinese -----------------------------------------------------------------------------------------------------------

fn chinese_code(pieces: &[Piece]) -> &'static str {
    for (i, piece) in pieces.iter().enumerate() {
        if piece.has(bits!(Asknoun)) && any(pieces, bits!(User | Done | Ask)) {
            return "right-to-erasure";
        }
        if !piece.has(bits!(Forget | Erase | Keep)) || piece.has(bits!(Notforget)) {
            continue;
        }
        let Some(kind) = chinese_kind(pieces, i).filter(|_| !any(&pieces[..i], bits!(How))) else {
            continue;
        };
        if is_chinese_imperative(pieces, i, kind) {
            return imperative(kind);
        }
        if is_chinese_asked(pieces, i, kind) {
            return asked(kind);
        }
        if is_chinese_logged(pieces, i, kind) {
            return "log-erased";
        }
    }
    ""
}

fn clause(pieces: &[Piece], i: usize) -> &[Piece] {
    let start = pieces[..i].iter().rposition(|piece| piece.has(bits!(Comma))).map_or(0, |comma| comma + 1);
    &pieces[start..i]
}

fn chinese_kind(pieces: &[Piece], i: usize) -> Option<Wish> {
    let negated = any(clause(pieces, i), bits!(Neg));
    let piece = &pieces[i];
    if piece.has(bits!(Forget | Erase)) && !negated {
        return Some(if piece.has(bits!(Forget)) { Wish::Forget } else { Wish::Erase });
    }
    (piece.has(bits!(Keep)) && negated).then_some(Wish::NotKeep)
}

fn is_chinese_imperative(pieces: &[Piece], i: usize, kind: Wish) -> bool {
    let (before, after) = (clause(pieces, i), &pieces[i + 1..]);
    let polite = any(before, bits!(Please));
    for (k, piece) in before.iter().enumerate().take_while(|(_, piece)| !piece.has(bits!(Ba))) {
        let follows = before.get(k + 1).is_some_and(|next| next.has(bits!(Please | Ba)));
        if piece.has(bits!(First)) && !follows {
            return false;
        }
        let may_open = bits!(Please | Neg | Adv | Agent | Memory | First | Of | Deictic | Said | Info | Personal);
        if !piece.has(may_open) {
            return false;
        }
    }
    if any(before, bits!(Habit | User | Third)) && !polite {
        return false;
    }
    if kind == Wish::NotKeep && !any(before, bits!(Dont)) {
        return false;
    }
    let target = named(&[before, after]);
    match kind {
        Wish::Forget => {
            polite
                || any(before, bits!(Ba | Agent))
                || after.first().is_none_or(|next| {
                    next.has(bits!(First | Deictic | Said)) || matches!(&*next.form, "吧" | "掉" | "它")
                })
        }
        Wish::Erase => {
            let bare = !polite && !any(before, bits!(Ba));
            let things = bits!(Memory | Said | Personal | Deictic);
            if bare && !any(before, things) && !any(after, things) {
                return false;
            }
            target >= 2 || (target == 1 && pieces.len() <= SHORT)
        }
        Wish::NotKeep => target >= 1 || (pieces[i].has(bits!(Strong)) && !any(before, bits!(First))),
    }
}

fn is_chinese_asked(pieces: &[Piece], i: usize, kind: Wish) -> bool {
    let asks = |piece: &Piece| piece.has(bits!(Ask | Want | Negwish));
    let Some(nearest) = pieces[..i].iter().rposition(asks) else {
        return false;
    };
    let at = pieces[..nearest].iter().rposition(|piece| !asks(piece)).map_or(0, |other| other + 1);
    let (before, between) = (&pieces[..at], &pieces[at..i]);
    let agent = any(between, bits!(Agent));
    if !agent && any(before, bits!(Third | Content)) && !is_users_own(before) {
        return false;
    }
    if any(before, bits!(Neg)) || any(&pieces[..i], bits!(Habit)) {
        return false;
    }
    let object_before = after_ba(between);
    if !agent && any(object_before, bits!(Third | Content | Other | First | User)) {
        return false;
    }
    let target = named(&[&between[object_before.len()..], &pieces[i + 1..]]);
    let passive = any(between, bits!(Done));
    let wish = !any(between, bits!(Ask)) || pieces[at].has(bits!(Want));
    if wish && !agent && !passive {
        return kind != Wish::Forget && target == 3;
    }
    if kind == Wish::Forget {
        return true;
    }
    let least = if agent || kind == Wish::NotKeep { 1 } else { 2 };
    target >= least || (kind == Wish::NotKeep && pieces[i].has(bits!(Strong)))
}

/// Whether the user is the subject: named first, and not as the owner of someone else.
fn is_users_own(pieces: &[Piece]) -> bool {
    for (i, piece) in pieces.iter().enumerate() {
        if piece.has(bits!(User | First)) {
            let follows = &pieces[i + 1..pieces.len().min(i + 3)];
            return !(any(follows, bits!(Third))
                || piece.form.ends_with('的')
                || follows.first().is_some_and(|next| next.has(bits!(Of))));
        }
        if !piece.has(bits!(Adv | Comma | Done)) {
            return false;
        }
    }
    false
}

/// The pieces before the object that stands before its verb (把, 将, 从 …).
fn after_ba(pieces: &[Piece]) -> &[Piece] {
    let opens = |piece: &Piece| piece.has(bits!(Ba | Memory)) || matches!(&*piece.form, "从" | "关于" | "有关" | "被");
    &pieces[..pieces.iter().position(opens).unwrap_or(pieces.len())]
}

fn is_chinese_logged(pieces: &[Piece], i: usize, kind: Wish) -> bool {
    let (before, after) = (clause(pieces, i), &pieces[i + 1..]);
    if any(before, bits!(Habit | Third)) || kind == Wish::NotKeep {
        return false;
    }
    let (agent, evidence) = (any(before, bits!(Agent)), any(pieces, bits!(Evidence)));
    let done = any(before, bits!(Done)) || after.first().is_some_and(|next| next.has(bits!(Done)));
    if kind == Wish::Forget {
        return (agent && any(before, bits!(Done))) || evidence;
    }
    let target = named(&[pieces]);
    if evidence {
        return target >= 2;
    }
    done && target == 3 && !any(before, bits!(Want))
}

// -- Japanese and Korean -----------------------------------------------------------------------------------------------

const TE: Bits = bits!(ForgetTe | EraseTe | UnkeepTe);
const TO: Bits = bits!(ForgetTo | EraseTo | UnkeepTo);
const FORGET: Bits = bits!(ForgetTe | ForgetTo);
const UNKEEP: Bits = bits!(UnkeepTe | UnkeepTo);

fn verb_last_code(pieces: &[Piece]) -> &'static str {
    for (i, piece) in pieces.iter().enumerate() {
        if piece.has(bits!(Notforget)) || !piece.has(TE | TO | bits!(Erased | Erasing)) {
            continue;
        }
        let (before, after) = (&pieces[..i], &pieces[i + 1..]);
        if any(before, bits!(Habit | How)) || after.first().is_some_and(|next| next.has(bits!(How))) {
            continue;
        }
        let kind = if piece.has(FORGET) {
            Wish::Forget
        } else if piece.has(UNKEEP) {
            Wish::NotKeep
        } else {
            Wish::Erase
        };
        let is_asked = any(after, bits!(Ask));
        if piece.has(TE | TO) && asks(piece, after, is_asked) && is_memory(before, kind, is_asked) {
            return if is_asked || piece.has(TO) { asked(kind) } else { imperative(kind) };
        }
        if piece.has(bits!(Erased)) && is_erased(pieces, before) {
            return "log-erased";
        }
        if piece.has(bits!(Erasing)) && is_asked && named(&[before]) >= 2 && !third(before, true) {
            return "asked-removal";
        }
    }
    ""
}

fn asks(piece: &Piece, after: &[Piece], asked: bool) -> bool {
    if piece.has(TE) {
        return after
            .first()
            .is_none_or(|next| next.has(bits!(Please | Comma | Ask)) && !(next.has(bits!(Comma)) && after.len() > 1));
    }
    asked
        || after.is_empty()
        || piece.has(bits!(UnkeepTo))
        || ["ほしい", "欲しい", "べき"].iter().any(|ending| piece.form.ends_with(ending))
}

fn is_memory(before: &[Piece], kind: Wish, asked: bool) -> bool {
    if third(before, asked) && !any(before, bits!(Agent)) {
        return false;
    }
    let target = named(&[before]);
    match kind {
        Wish::Forget => true,
        Wish::NotKeep => target >= 1 || !any(before, bits!(Other | Content)),
        Wish::Erase => {
            let pointed =
                if asked { any(before, bits!(Agent)) } else { before.len() < SHORT && !any(before, bits!(Content)) };
            target >= if pointed { 1 } else { 2 }
        }
    }
}

/// Whether someone other than the user or the assistant asks, is asked, or acts.
fn third(pieces: &[Piece], asked: bool) -> bool {
    for (i, pair) in pieces.windows(2).enumerate() {
        let (piece, follows) = (&pair[0], &pair[1]);
        let person = piece.has(bits!(Third)) || HONORIFICS.iter().any(|ending| piece.form.ends_with(ending));
        if person && follows.has(bits!(Ni | Wa)) && !piece.has(bits!(Agent)) {
            return true;
        }
        if asked
            && piece.has(bits!(Content))
            && follows.has(bits!(Ni))
            && i > 0
            && pieces[i - 1].has(bits!(Wa))
            && !any(&pieces[..i], bits!(User | First))
        {
            return true;
        }
    }
    false
}

fn is_erased(pieces: &[Piece], before: &[Piece]) -> bool {
    if third(before, true) {
        return false;
    }
    let target = named(&[before]);
    let verb = &pieces[before.len()];
    target == 3
        || (target >= 2
            && (any(pieces, bits!(Evidence))
                || any(before, bits!(Agent))
                || verb.form.ends_with("べき")
                || verb.form.ends_with('야')))
}
