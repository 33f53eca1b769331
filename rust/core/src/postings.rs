//! Which of many facts could a candidate restate? An inverted index: the answer is that of asking every fact.

use std::array::from_fn;
use std::cell::Cell;
use std::ops::{Range, RangeInclusive};

use rustc_hash::FxHashMap;

use crate::features::{Features, Shape, ones};
use crate::question::{EXACT, Hope, Known, Question};

/// Bits of a posting that number the token; the others are the slot.
const TOKEN_BITS: u32 = 4;
const TOKEN: u32 = (1 << TOKEN_BITS) - 1;
/// Slots whose accounts are kept at one time: they fit a core's own cache.
const BLOCK: usize = 1 << 15;
/// Accounts that a word has a bit for.
const WORD: usize = u64::BITS as usize;

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
        let mut terms: Vec<(u32, u32)> = Vec::with_capacity(2 * question.features.len());
        for &(feature, bit) in &question.features {
            terms.extend(self.by_feature.get(feature).iter().map(|&term| (term, bit)));
        }
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
        let (mut answer, mut found) = (None, Vec::new());
        let mut known = Known::default();
        for start in slots.clone().step_by(BLOCK) {
            let shapes = &self.shapes[start..slots.end.min(start + BLOCK)];
            if !accounts.fill(&mut lists, start, shapes.len(), question.hopeful) {
                continue;
            }
            found.clear();
            found.extend(accounts.hopeful().filter_map(|(place, bits)| {
                Some((crate::text::index(start + place), question.may_match(bits, shapes[place], &mut known)?))
            }));
            accounts.clear();
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
                let Some(account) = accounts.get_mut(place) else {
                    break;
                };
                let (before, more) = (*account, own[(posting & TOKEN) as usize]);
                *account = before | more;
                if before != 0 || more & hopeful != 0 {
                    hopefuls[place / WORD] |= 1 << (place % WORD);
                }
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
