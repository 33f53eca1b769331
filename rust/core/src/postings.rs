//! Which of many facts could a candidate restate? An inverted index, and bounds on what two texts can have in common.
//!
//! A fact's token that can align with a candidate's has a feature in common with it. So what an entry's postings say of it bounds from
//! above what it has in common with the candidate, and [`Question`] passes over an entry only where no kind of match is
//! left: the index answers as asking every fact would.

use std::array::from_fn;
use std::cell::Cell;
use std::hash::Hasher;
use std::ops::{Range, RangeInclusive};

use rustc_hash::{FxHashMap, FxHasher};

use crate::alignment::{
    SUFFIX_DIGITS, is_content, is_label, may_mean, name_variants, related_meanings, senses, weight,
};
use crate::lexemes::Kind;
use crate::matching::{ANCHOR_SHARE, ANCHOR_WORDS, CLAUSE_SHARE, NOTE_SHARE, RARE, WORDS_SHARE};
use crate::parsed::{Parsed, Role, Said};
use crate::readings::Reading;

/// Bits of an entry's account: its own tokens in the low ones, the candidate's above them, then an equal exact form.
const FACT_BITS: u32 = 16;
const CANDIDATE_BITS: u32 = 15;
const EXACT: u32 = 1 << 31;
/// The bit that a fact's last tokens share, if it has so many.
const LAST: u16 = 1 << (FACT_BITS - 1);
/// Bits of a posting that number the token; the others are the slot.
const TOKEN_BITS: u32 = 4;
const TOKEN: u32 = (1 << TOKEN_BITS) - 1;
/// Slots whose accounts are kept at one time: they fit a core's own cache.
const BLOCK: usize = 1 << 15;
/// Accounts that a word has a bit for.
const WORD: usize = u64::BITS as usize;
/// What a share may lose to rounding before it is compared with its line.
const SLACK: f64 = 0.0005;

/// What a fact is found by: its exact form, and the features of each token beside its number; the weights of its tokens.
#[derive(Debug)]
pub(crate) struct Features {
    exact: u64,
    found_by: Vec<(Box<[u64]>, u32)>,
    shape: Shape,
}

/// The weights of a fact's tokens: less one, in four bits each; the last bits stand for all that follow.
///
/// `optional`: tokens that count only if the candidate says them too; `total` is the weight of the others.
#[derive(Clone, Copy, Debug, Default)]
struct Shape {
    weights: u64,
    total: u32,
    count: u16,
    optional: u16,
}

impl Shape {
    fn add(&mut self, token: Said<'_>) {
        let weight = weight(token);
        let bit = self.next();
        if bit < FACT_BITS - 1 {
            self.weights |= u64::from(weight - 1) << (bit * 4);
        }
        if is_optional(token) {
            self.optional |= 1 << bit;
        } else {
            self.total += weight;
        }
        self.count = self.count.saturating_add(1);
    }

    /// The bit of the next token.
    fn next(self) -> u32 {
        u32::from(self.count).min(FACT_BITS - 1)
    }

    /// The weight of a token; the last bit may weigh as much as the whole.
    fn weight_at(self, bit: u32) -> u32 {
        if bit < FACT_BITS - 1 { 1 + self.nibble(bit) } else { self.total }
    }

    #[allow(clippy::cast_possible_truncation)] // four bits
    fn nibble(self, bit: u32) -> u32 {
        (self.weights >> (bit * 4)) as u32 & 15
    }

    /// The weight of these tokens.
    fn held(self, tokens: u16) -> u32 {
        ones(tokens.into()).map(|bit| self.weight_at(bit)).sum()
    }

    fn is_one_word(self) -> bool {
        u32::from(self.count) < FACT_BITS && u32::from(self.count) <= self.optional.count_ones() + 1
    }

    fn outline(self) -> Outline {
        let all = if u32::from(self.count) < FACT_BITS { (1 << self.count) - 1 } else { u16::MAX };
        let enough = (NOTE_SHARE - SLACK) * f64::from(self.total);
        let strong = ones(all.into()).filter(|&bit| f64::from(self.weight_at(bit)) >= enough);
        Outline { required: all & !self.optional, strong: strong.fold(0, |strong, bit| strong | 1 << bit) }
    }
}

/// What is asked of a shape for most facts, apart from the rest: so it stays in the processor's cache.
///
/// `required`: the tokens that a text must hold to hold the whole fact. `strong`: those that weigh enough alone for a
/// match that goes by weight.
#[derive(Clone, Copy, Debug)]
struct Outline {
    required: u16,
    strong: u16,
}

/// The places of the bits that are set.
fn ones(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (bit < u64::BITS).then_some(bit)
    })
}

/// Numbers that are found by one key, in order. Most keys belong to one fact.
#[derive(Debug)]
enum List {
    One(u32),
    Many(Vec<u32>),
}

impl List {
    fn all(&self) -> &[u32] {
        match self {
            Self::One(number) => std::slice::from_ref(number),
            Self::Many(numbers) => numbers,
        }
    }

    fn push(&mut self, number: u32) {
        match self {
            Self::One(first) => *self = Self::Many(vec![*first, number]),
            Self::Many(numbers) => numbers.push(number),
        }
    }

    /// Without the numbers of a range; whether none are left.
    fn remove(&mut self, gone: &RangeInclusive<u32>) -> bool {
        match self {
            Self::One(number) => gone.contains(number),
            Self::Many(numbers) => {
                let start = numbers.partition_point(|number| number < gone.start());
                let end = numbers.partition_point(|number| number <= gone.end());
                numbers.drain(start..end);
                numbers.is_empty()
            }
        }
    }
}

/// Lists by key.
#[derive(Debug, Default)]
struct Lists(FxHashMap<u64, List>);

impl Lists {
    fn get(&self, key: u64) -> &[u32] {
        self.0.get(&key).map_or(&[], List::all)
    }

    fn push(&mut self, key: u64, number: u32) {
        self.0.entry(key).and_modify(|list| list.push(number)).or_insert(List::One(number));
    }

    fn remove(&mut self, key: u64, gone: &RangeInclusive<u32>) {
        if self.0.get_mut(&key).is_some_and(|list| list.remove(gone)) {
            self.0.remove(&key);
        }
    }
}

/// A token as facts have it: its features, and its postings in order, each a slot and the number of the token in it.
///
/// A word has several features, and most facts with one of them say that word: so each is listed once, not once a
/// feature.
#[derive(Debug)]
struct Term {
    features: Box<[u64]>,
    postings: List,
}

/// An inverted index: facts by what they can be found by.
#[derive(Debug, Default)]
pub(crate) struct Postings {
    /// Slots by exact form.
    exact: Lists,
    /// Terms by feature.
    by_feature: Lists,
    terms: Vec<Option<Term>>,
    shapes: Vec<Shape>,
    outlines: Vec<Outline>,
}

impl Postings {
    /// Take in the fact of the next slot.
    pub(crate) fn add(&mut self, slot: u32, features: &Features) {
        assert!(slot < 1 << (u32::BITS - TOKEN_BITS), "an index holds 268 million facts");
        self.exact.push(features.exact, slot << TOKEN_BITS);
        for (token, number) in &features.found_by {
            let posting = slot << TOKEN_BITS | number;
            if let Some(term) = self.term(token) {
                self.terms[term as usize].as_mut().expect("a term that is found stands").postings.push(posting);
            } else {
                let term = crate::text::index(self.terms.len());
                token.iter().for_each(|&feature| self.by_feature.push(feature, term));
                self.terms.push(Some(Term { features: token.clone(), postings: List::One(posting) }));
            }
        }
        self.shapes.push(features.shape);
        self.outlines.push(features.shape.outline());
    }

    /// Take a fact out; its slot stays empty.
    pub(crate) fn remove(&mut self, slot: u32, features: &Features) {
        let gone = slot << TOKEN_BITS..=slot << TOKEN_BITS | TOKEN;
        self.exact.remove(features.exact, &gone);
        for (token, _) in &features.found_by {
            // A term that two tokens have is gone with the first.
            let Some(term) = self.term(token) else { continue };
            if self.terms[term as usize].as_mut().is_some_and(|term| term.postings.remove(&gone)) {
                self.terms[term as usize] = None;
                token.iter().for_each(|&feature| self.by_feature.remove(feature, &(term..=term)));
            }
        }
        self.shapes[slot as usize] = Shape::default();
    }

    /// The term with just these features.
    fn term(&self, features: &[u64]) -> Option<u32> {
        let same = |term: &&u32| self.terms[**term as usize].as_ref().is_some_and(|term| *term.features == *features);
        self.by_feature.get(*features.first()?).iter().find(same).copied()
    }

    /// The postings from a slot on that a question asks for, each list with its bits of an account.
    fn asked(&self, question: &Question, start: usize) -> Vec<(&[u32], u32)> {
        let of_feature =
            |&(feature, bit): &(u64, u32)| self.by_feature.get(feature).iter().map(move |&term| (term, bit));
        let mut terms: Vec<(u32, u32)> = question.features.iter().flat_map(of_feature).collect();
        terms.sort_unstable_by_key(|&(term, _)| term);
        terms.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 |= if is_same { next.1 } else { 0 };
            is_same
        });
        let found =
            terms.iter().filter_map(|&(term, bits)| Some((self.terms[term as usize].as_ref()?.postings.all(), bits)));
        let exact = question.exact.iter().map(|&exact| (self.exact.get(exact), EXACT));
        found.chain(exact).map(|(list, bits)| (from(list, start), bits)).filter(|(list, _)| !list.is_empty()).collect()
    }

    /// The first answer about the slots whose facts the candidate may restate: asked in order, some at one time.
    pub(crate) fn each<T>(
        &self,
        question: &Question,
        slots: Range<usize>,
        mut ask: impl FnMut(&[(u32, Hope)]) -> Option<T>,
    ) -> Option<T> {
        let mut lists = self.asked(question, slots.start);
        let mut accounts = ACCOUNTS.take();
        let (mut answer, mut worth, mut found) = (None, Vec::new(), Vec::new());
        let mut known = Known([(0, 0); Known::SIZE]);
        for start in slots.clone().step_by(BLOCK) {
            let outlines = &self.outlines[start..slots.end.min(start + BLOCK)];
            if !accounts.fill(&mut lists, start, outlines.len(), question.hopeful) {
                continue;
            }
            worth.extend(accounts.hopeful().filter_map(|(place, bits)| {
                let left = question.left_for(bits, outlines[place], &mut known);
                (left != 0).then_some((start + place, bits, left))
            }));
            accounts.clear();
            // Each is read once without being looked at: so memory answers for many of them at one time.
            std::hint::black_box(worth.iter().fold(0, |all, &(slot, ..)| all ^ self.shapes[slot].total));
            let shaped = worth.drain(..).filter_map(|(slot, bits, left)| {
                Some((crate::text::index(slot), may_match(bits, left, self.shapes[slot])?))
            });
            found.clear();
            found.extend(shaped);
            answer = ask(&found);
            if answer.is_some() {
                break;
            }
        }
        ACCOUNTS.set(accounts);
        answer
    }
}

/// A list's postings from a slot on. Before the first there are none: to search for them would read the list all over.
fn from(list: &[u32], slot: usize) -> &[u32] {
    let before = |&posting: &u32| ((posting >> TOKEN_BITS) as usize) < slot;
    if slot == 0 { list } else { &list[list.partition_point(before)..] }
}

// -- accounts ----------------------------------------------------------------------------------------------------------

thread_local! {
    /// All zero between two questions.
    static ACCOUNTS: Cell<Accounts> = const { Cell::new(Accounts { bits: Vec::new(), hopeful: Vec::new() }) };
}

/// What each fact of a block has in common with the candidate, and which of them have enough to be looked at.
#[derive(Default)]
struct Accounts {
    bits: Vec<u32>,
    /// A bit for each fact.
    hopeful: Vec<u64>,
}

impl Accounts {
    /// Add a block's postings, and take them off the lists; whether there were any.
    fn fill(&mut self, lists: &mut Vec<(&[u32], u32)>, start: usize, count: usize, hopeful: u32) -> bool {
        if self.bits.len() < count {
            self.bits.resize(count, 0);
            self.hopeful.resize(count.div_ceil(WORD), 0);
        }
        let (accounts, hopefuls) = (&mut self.bits[..count], &mut self.hopeful);
        let mut any = false;
        lists.retain_mut(|(list, bits)| {
            let own: [u32; 1 << TOKEN_BITS] = from_fn(|token| if *bits == EXACT { EXACT } else { *bits | 1 << token });
            // One token beside one is too little, unless it may be enough alone: most facts share no more.
            let hopeful = if bits.is_power_of_two() { hopeful } else { u32::MAX };
            let mut read = 0;
            for &posting in *list {
                let place = (posting >> TOKEN_BITS) as usize - start;
                let (Some(account), Some(word)) = (accounts.get_mut(place), hopefuls.get_mut(place / WORD)) else {
                    break;
                };
                let (before, more) = (*account, own[(posting & TOKEN) as usize]);
                *account = before | more;
                *word |= u64::from(before != 0 || more & hopeful != 0) << (place % WORD);
                read += 1;
            }
            any |= read > 0;
            *list = &list[read..];
            !list.is_empty()
        });
        any
    }

    /// The facts that are worth a look, in order.
    fn hopeful(&self) -> impl Iterator<Item = (usize, u32)> {
        self.hopeful.iter().enumerate().flat_map(|(n, &word)| {
            ones(word).map(move |bit| n * WORD + bit as usize).map(|place| (place, self.bits[place]))
        })
    }

    fn clear(&mut self) {
        self.bits.fill(0);
        self.hopeful.fill(0);
    }
}

// -- the question ------------------------------------------------------------------------------------------------------

/// A candidate's readings as sets of tokens, each with a bit: one that they share has one bit.
#[derive(Debug)]
pub(crate) struct Question {
    exact: Vec<u64>,
    features: Vec<(u64, u32)>,
    readings: Vec<Tokens>,
    /// Tokens of kinds that may be a code.
    codes: u32,
    /// Bits that may be enough alone.
    hopeful: u32,
    is_request: bool,
    /// Whether there may be a similarity.
    pub(crate) compared: bool,
}

#[derive(Debug)]
struct Tokens {
    bits: u32,
    required: u32,
    weights: [u32; CANDIDATE_BITS as usize],
    total: u32,
    clause: bool,
}

impl Question {
    /// `compared`: there may be a similarity.
    pub(crate) fn new(candidate: &[Reading], wordnet: bool, compared: bool) -> Self {
        let mut out = Self {
            exact: candidate.iter().map(|reading| feature(b'x', reading.parsed.exact())).collect(),
            features: Vec::with_capacity(64),
            readings: Vec::with_capacity(candidate.len()),
            codes: 0,
            hopeful: EXACT | u32::from(LAST),
            is_request: candidate[0].request,
            compared,
        };
        let mut known: FxHashMap<Identity<'_>, u32> = FxHashMap::default();
        let mut hashes = Vec::new();
        for reading in candidate {
            let mut tokens = Tokens {
                bits: 0,
                required: 0,
                weights: [0; CANDIDATE_BITS as usize],
                total: 0,
                clause: reading.clause,
            };
            for token in claims(&reading.parsed) {
                let next = crate::text::index(known.len()) % CANDIDATE_BITS;
                let place = *known.entry(identity(token)).or_insert_with(|| {
                    let bit = 1 << (FACT_BITS + next);
                    hashes.clear();
                    features(token, wordnet, &mut hashes);
                    hashes.extend(initial(token, INITIAL_OF_ASKED));
                    if may_mean(token.kind) {
                        hashes.extend(related_meanings(token).iter().map(|&meaning| numbered(b'm', meaning)));
                    }
                    hashes.sort_unstable();
                    hashes.dedup();
                    out.features.extend(hashes.iter().map(|&hash| (hash, bit)));
                    if may_be_code(token.kind) {
                        out.codes |= bit;
                    }
                    next
                });
                tokens.bits |= 1 << (FACT_BITS + place);
                tokens.weights[place as usize] += weight(token);
                if !is_optional(token) {
                    tokens.required |= 1 << (FACT_BITS + place);
                    tokens.total += weight(token);
                }
            }
            out.readings.push(tokens);
        }
        for place in FACT_BITS..FACT_BITS + CANDIDATE_BITS {
            out.hopeful |= if out.left(1 << place) == 0 { 0 } else { 1 << place };
        }
        out
    }

    /// Which kinds of match are left for a fact that has at most this in common with the candidate, its weights aside.
    #[allow(clippy::cast_possible_truncation)] // the low bits are the fact's
    fn left_for(&self, bits: u32, outline: Outline, known: &mut Known) -> u8 {
        let own = bits as u16;
        if bits & EXACT != 0 || own & outline.required == outline.required {
            return WHOLE;
        }
        let left = known.of(bits >> FACT_BITS, || self.left(bits));
        let is_weak = own & own.wrapping_sub(1) == 0 && own & outline.strong == 0;
        if is_weak { left & SUBSET } else { left }
    }

    /// Which kinds of match are left for a fact that holds these of the candidate's tokens.
    fn left(&self, bits: u32) -> u8 {
        let mut left = if self.is_request || bits & self.codes != 0 { NAMED } else { 0 };
        for reading in &self.readings {
            let common = bits & reading.bits;
            if common == 0 {
                continue;
            }
            if common & reading.required == reading.required {
                left |= if reading.clause { SUBSET_OF_CLAUSE } else { SUBSET }; // nothing is added
            }
            let (held, total) = (f64::from(reading.held(common)), f64::from(reading.total));
            if held >= (WORDS_SHARE - SLACK) * total {
                left |= ANCHOR;
            }
            // The similarity is of the whole text; where it is high enough for an anchor, a clause has none.
            if self.compared && !reading.clause && held >= (ANCHOR_SHARE - SLACK) * total {
                left |= NEAR_ANCHOR;
            }
        }
        left
    }
}

/// What a fact has to be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hope {
    /// Some kind of match, be the similarity what it may.
    Words,
    /// An anchor of the whole text, for which the embeddings must be alike.
    Similarity,
}

/// What is left for a fact if its weights allow.
#[allow(clippy::cast_possible_truncation)] // the low bits are the fact's
fn may_match(bits: u32, left: u8, shape: Shape) -> Option<Hope> {
    if left & WHOLE != 0 {
        return Some(Hope::Words); // exact, superset
    }
    let own = bits as u16;
    let held = f64::from(shape.held(own)) / f64::from(shape.total.max(1));
    if left & NAMED != 0 && held >= NOTE_SHARE - SLACK {
        return Some(Hope::Words); // note; id, which leaves at most two others beside the code that weighs as much as any
    }
    let several = own & LAST != 0 || own.count_ones() > 1;
    let rare = || ones(own.into()).any(|bit| shape.weight_at(bit) > u32::from(RARE));
    let is_long = usize::from(shape.count) >= ANCHOR_WORDS;
    if (left & SUBSET != 0 && (several || rare()))
        || (left & SUBSET_OF_CLAUSE != 0 && several && held >= CLAUSE_SHARE - SLACK)
        || (left & ANCHOR != 0 && is_long && held >= WORDS_SHARE - SLACK)
    {
        return Some(Hope::Words);
    }
    (left & NEAR_ANCHOR != 0 && is_long && held >= ANCHOR_SHARE - SLACK).then_some(Hope::Similarity)
}

/// Kinds of match: a request or a code names it, the candidate or a clause of it adds nothing, both say much of it, both
/// say enough of it for embeddings that are alike.
const NAMED: u8 = 1;
const SUBSET: u8 = 2;
const SUBSET_OF_CLAUSE: u8 = 4;
const ANCHOR: u8 = 8;
const NEAR_ANCHOR: u8 = 16;
/// The candidate says all of the fact.
const WHOLE: u8 = 32;

/// What is left for the sets of tokens that were asked about last: most facts hold one of a few.
struct Known([(u32, u8); Self::SIZE]);

impl Known {
    const SIZE: usize = 64;

    #[allow(clippy::cast_possible_truncation)] // a few bits are left
    fn of(&mut self, tokens: u32, left: impl FnOnce() -> u8) -> u8 {
        let place = tokens.wrapping_mul(0x9e37_79b9) >> (u32::BITS - Self::SIZE.ilog2());
        let known = &mut self.0[place as usize];
        if known.0 != tokens {
            *known = (tokens, left());
        }
        known.1
    }
}

impl Tokens {
    fn held(&self, bits: u32) -> u32 {
        ones(((bits & !EXACT) >> FACT_BITS).into()).map(|place| self.weights[place as usize]).sum()
    }
}

/// What tokens with the same features share.
type Identity<'a> = (Kind, &'a str, &'a str, u32, u32, bool);

fn identity(token: Said<'_>) -> Identity<'_> {
    (token.kind, token.key, token.form, token.meaning, token.senses, senses(token).is_empty())
}

/// The tokens that carry a claim, and those that carry one beside a text that says the same.
fn claims(parsed: &Parsed) -> impl Iterator<Item = Said<'_>> {
    parsed.tokens().filter(|&token| is_content(token) || is_label(token))
}

/// Whether a token claims nothing by itself.
fn is_optional(token: Said<'_>) -> bool {
    token.role != Role::Content
}

/// Kinds of a candidate's tokens that may align with a code.
const fn may_be_code(kind: Kind) -> bool {
    matches!(kind, Kind::Number | Kind::Phone | Kind::Email | Kind::Url | Kind::Id)
}

// -- features ----------------------------------------------------------------------------------------------------------

/// What a fact can be found by. Two texts that share nothing may share a hash: then one more is decided.
pub(crate) fn features_of(parsed: &Parsed, wordnet: bool) -> Features {
    let mut found_by = Vec::new();
    let mut shape = Shape::default();
    for token in claims(parsed) {
        let mut hashes = Vec::new();
        features(token, wordnet, &mut hashes);
        hashes.extend(initial(token, INITIAL_OF_FACT));
        if may_mean(token.kind) && token.meaning != 0 {
            hashes.push(numbered(b'm', token.meaning));
        }
        found_by.push((hashes.into_boxed_slice(), shape.next()));
        shape.add(token);
    }
    if shape.is_one_word() {
        // Known by its bit, so that no other fact has to be looked at for one token that both texts hold.
        shape = Shape { count: u16::MAX, optional: !LAST, ..shape };
        for (_, number) in &mut found_by {
            *number = FACT_BITS - 1;
        }
    }
    Features { exact: feature(b'x', parsed.exact()), found_by, shape }
}

fn features(token: Said<'_>, wordnet: bool, out: &mut Vec<u64>) {
    out.push(feature(b'k', token.key));
    if token.form != token.key {
        out.push(feature(b'k', token.form));
    }
    if matches!(token.kind, Kind::Name | Kind::Word) {
        out.extend(name_variants(token.form).map(|short| feature(b'k', short)));
    }
    if wordnet && may_mean(token.kind) {
        out.extend(senses(token).iter().map(|&sense| numbered(b's', sense)));
    }
    match token.kind {
        Kind::Date => {
            for reading in token.key.split('|') {
                let parts = b"YMD".iter().zip(reading.split('-')).filter(|&(_, value)| value != "0");
                out.extend(parts.map(|(&part, value)| feature(part, value)));
            }
        }
        Kind::Phone | Kind::Number if token.key.len() >= SUFFIX_DIGITS => {
            out.push(feature(b'p', &token.key[token.key.len() - SUFFIX_DIGITS..]));
        }
        Kind::Cjk => out.extend(token.form.chars().map(|char| numbered(b'h', char as u32))),
        _ => {}
    }
}

/// Sorts of features of a lone initial and of a longer name: the first meets the second of the other text.
const INITIAL_OF_FACT: [u8; 2] = *b"ij";
const INITIAL_OF_ASKED: [u8; 2] = *b"ji";

fn initial(token: Said<'_>, [lone, longer]: [u8; 2]) -> Option<u64> {
    let mut chars = token.form.chars();
    let first = chars.next().filter(|_| token.kind == Kind::Name)?;
    Some(numbered(if chars.next().is_some() { longer } else { lone }, first as u32))
}

fn feature(sort: u8, text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u8(sort);
    hasher.write(text.as_bytes());
    hasher.finish()
}

fn numbered(sort: u8, number: u32) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u8(sort);
    hasher.write_u32(number);
    hasher.finish()
}
