//! What could a candidate restate? Bounds on what a fact and a candidate can have in common.
//!
//! A token of a fact that can align with one of a candidate has a feature in common with it ([`crate::features`]). So the
//! tokens that share one bound from above what two texts have in common, and a fact is passed over only where no kind of
//! match is left.

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::alignment::{may_mean, related_meanings, senses, weight};
use crate::features::{
    FACT_BITS, INITIAL_OF_ASKED, LAST, SLACK, Shape, claims, feature, features, initial, is_optional, numbered, ones,
};
use crate::lexemes::Kind;
use crate::matching::{ANCHOR_SHARE, CLAUSE_SHARE, ID_COMPANIONS, LONG_ID, NOTE_SHARE, RARE, WORDS_SHARE};
use crate::parsed::Said;
use crate::readings::Reading;

/// Bits of an account: a fact's own tokens in the low ones, the candidate's above them, then an equal exact form.
const CANDIDATE_BITS: u32 = 15;
pub(crate) const EXACT: u32 = 1 << 31;

/// A candidate's readings as sets of tokens, each with a bit: one that they share has one bit.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) exact: Vec<u64>,
    pub(crate) features: Vec<(u64, u32)>,
    readings: Vec<Tokens>,
    /// Tokens that may align with a code.
    codes: u32,
    /// Bits that may be enough alone.
    pub(crate) hopeful: u32,
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
        let mut known: FxHashMap<Identity<'_>, u32> = FxHashMap::with_capacity_and_hasher(16, FxBuildHasher);
        let mut hashes = Vec::with_capacity(16);
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
                    if may_be_code(token) {
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

    /// What is left for a fact that has at most this in common with the candidate.
    #[allow(clippy::cast_possible_truncation)] // the low bits are the fact's
    pub(crate) fn may_match(&self, bits: u32, shape: Shape, known: &mut Known) -> Option<Hope> {
        let own = bits as u16;
        if bits & EXACT != 0 || own & shape.required == shape.required {
            return Some(Hope::Words); // exact, superset
        }
        let mut left = known.of(bits >> FACT_BITS, || self.left(bits));
        let several = own & LAST != 0 || own & own.wrapping_sub(1) != 0;
        if !several && own & shape.strong == 0 {
            left &= SUBSET;
        }
        if own & shape.anchors == 0 {
            left &= !(ANCHOR | ANCHOR_OF_CLAUSE | NEAR_ANCHOR);
        }
        if left == 0 {
            return None;
        }
        let held = shape.share(own);
        if left & NAMED != 0 && held >= NOTE_SHARE - SLACK {
            // note; id, which leaves at most two others beside the code that weighs as much as any
            return Some(Hope::Words);
        }
        let rare = || ones(own.into()).any(|bit| shape.weight_at(bit) > u32::from(RARE));
        if (left & SUBSET != 0 && (several || rare()))
            || (left & SUBSET_OF_CLAUSE != 0 && several && held >= CLAUSE_SHARE - SLACK)
            || (left & ANCHOR_OF_CLAUSE != 0 && held >= WORDS_SHARE - SLACK)
        {
            return Some(Hope::Words);
        }
        if left & ANCHOR != 0 && held >= WORDS_SHARE - SLACK {
            return Some(Hope::Anchor);
        }
        (left & NEAR_ANCHOR != 0 && held >= ANCHOR_SHARE - SLACK).then_some(Hope::Similarity)
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
                left |= if reading.clause { ANCHOR_OF_CLAUSE } else { ANCHOR };
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
    /// An anchor of the whole text: where there are embeddings, they must be alike.
    Anchor,
    /// The same by fewer words: there must be embeddings.
    Similarity,
}

/// Kinds of match that are left: a request or a code names the fact.
const NAMED: u8 = 1;
/// The candidate adds nothing.
const SUBSET: u8 = 2;
/// A clause of it adds nothing.
const SUBSET_OF_CLAUSE: u8 = 4;
/// The candidate and the fact both say much of each other.
const ANCHOR: u8 = 8;
/// A clause and the fact do.
const ANCHOR_OF_CLAUSE: u8 = 16;
/// The candidate and the fact say enough of each other for embeddings that are alike.
const NEAR_ANCHOR: u8 = 32;
// The tokens of a fact that are strong alone are those for the least of all shares; a code and its companions weigh alike
// at most.
const _: () = assert!(NOTE_SHARE <= CLAUSE_SHARE && NOTE_SHARE <= ANCHOR_SHARE && ANCHOR_SHARE <= WORDS_SHARE);
const _: () = assert!(ID_COMPANIONS <= 2 && NOTE_SHARE <= 1.0 / 3.0);

/// What is left for the sets of tokens that were asked about last: most facts hold one of a few.
pub(crate) struct Known([(u32, u8); Self::SIZE]);

impl Default for Known {
    fn default() -> Self {
        Self([(0, 0); Self::SIZE])
    }
}

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

/// Whether a candidate's token may align with a code: only with an equal one, or one that shares seven digits with it,
/// so it is no shorter than [`LONG_ID`].
fn may_be_code(token: Said<'_>) -> bool {
    matches!(token.kind, Kind::Number | Kind::Phone | Kind::Email | Kind::Url | Kind::Id)
        && token.key.chars().count() >= LONG_ID
}
