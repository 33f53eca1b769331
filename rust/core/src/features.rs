//! What a fact is found by: features of its tokens, and what they weigh.
//!
//! Two tokens that can align have a feature in common, on whichever side they stand.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::alignment::{SUFFIX_DIGITS, is_content, is_label, may_mean, name_variants, senses, weight};
use crate::lexemes::Kind;
use crate::matching::{ANCHOR_WORDS, NOTE_SHARE, is_claim};
use crate::parsed::{Parsed, Role, Said};

/// Bits for the tokens of a fact.
pub(crate) const FACT_BITS: u32 = 16;
/// The bit that a fact's last tokens share, if it has so many.
pub(crate) const LAST: u16 = 1 << (FACT_BITS - 1);
/// What a share may lose to rounding before it is compared with its line.
pub(crate) const SLACK: f64 = 0.0005;

/// What a fact is found by: its exact form, and the features of each token beside its number; what its tokens weigh.
#[derive(Debug)]
pub(crate) struct Features {
    pub(crate) exact: u64,
    pub(crate) found_by: Vec<(Box<[u64]>, u32)>,
    pub(crate) shape: Shape,
}

/// What is known of a fact's tokens, a bit or four for each, in 16 bytes: many shapes are looked at for one text. The last
/// bit stands for all that follow.
///
/// `required`: the tokens that a text must hold to hold the whole fact. `strong`: those that weigh enough alone for a
/// match that goes by weight. `anchors`: those of which an anchor holds one; none in a fact too short for an anchor.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shape {
    /// Less one, in four bits each.
    weights: u64,
    /// The weight of those that count even if the candidate does not say them.
    total: u16,
    pub(crate) required: u16,
    pub(crate) strong: u16,
    pub(crate) anchors: u16,
}

impl Shape {
    fn add(&mut self, token: Said<'_>, bit: u32) {
        // From 1 to 16: one and a rarity, or one and the weight of a name.
        let weight = weight(token);
        if bit < FACT_BITS - 1 {
            self.weights |= u64::from(weight - 1) << (bit * 4);
        }
        if !is_optional(token) {
            // Where it saturates, a share comes out too large: one more fact is decided.
            self.total = self.total.saturating_add(u16::try_from(weight).unwrap_or(u16::MAX));
            self.required |= 1 << bit;
        }
        if is_claim(token) {
            self.anchors |= 1 << bit;
        }
    }

    /// The weight of a token; the last bit may weigh as much as the whole.
    pub(crate) fn weight_at(self, bit: u32) -> u32 {
        if bit < FACT_BITS - 1 { 1 + self.nibble(bit) } else { self.total.into() }
    }

    #[allow(clippy::cast_possible_truncation)] // four bits
    fn nibble(self, bit: u32) -> u32 {
        (self.weights >> (bit * 4)) as u32 & 15
    }

    /// The share of the whole weight that these tokens have.
    pub(crate) fn share(self, tokens: u16) -> f64 {
        let held: u32 = ones(tokens.into()).map(|bit| self.weight_at(bit)).sum();
        f64::from(held) / f64::from(self.total.max(1))
    }
}

/// The places of the bits that are set.
pub(crate) fn ones(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (bit < u64::BITS).then_some(bit)
    })
}

/// The tokens that carry a claim, and those that carry one beside a text that says the same.
pub(crate) fn claims(parsed: &Parsed) -> impl Iterator<Item = Said<'_>> {
    parsed.tokens().filter(|&token| is_content(token) || is_label(token))
}

/// Whether a token claims nothing by itself.
pub(crate) fn is_optional(token: Said<'_>) -> bool {
    token.role != Role::Content
}

/// What a fact can be found by. Two texts that share nothing may share a hash: then one more is decided.
pub(crate) fn features_of(parsed: &Parsed, wordnet: bool) -> Features {
    let mut found_by = Vec::new();
    let mut shape = Shape::default();
    let mut optional = 0;
    for (count, token) in (0..).zip(claims(parsed)) {
        let mut hashes = Vec::new();
        features(token, wordnet, &mut hashes);
        hashes.extend(initial(token, INITIAL_OF_FACT));
        if may_mean(token.kind) && token.meaning != 0 {
            hashes.push(numbered(b'm', token.meaning));
        }
        let bit = FACT_BITS.min(count + 1) - 1;
        found_by.push((hashes.into_boxed_slice(), bit));
        shape.add(token, bit);
        optional += usize::from(is_optional(token));
    }
    if found_by.len() < ANCHOR_WORDS {
        shape.anchors = 0;
    }
    if found_by.len() < FACT_BITS as usize && found_by.len() <= optional + 1 {
        // Known by its bit, so that no other fact has to be looked at for one token that both texts hold: any such token
        // holds the whole fact, and nothing else is asked of it.
        (shape.required, shape.anchors) = (LAST, 0);
        for (_, number) in &mut found_by {
            *number = FACT_BITS - 1;
        }
    }
    let strong = found_by.iter().filter(|&&(_, bit)| shape.share(1 << bit) >= NOTE_SHARE - SLACK);
    shape.strong = strong.fold(0, |strong, (_, bit)| strong | 1 << bit);
    Features { exact: feature(b'x', parsed.exact()), found_by, shape }
}

pub(crate) fn features(token: Said<'_>, wordnet: bool, out: &mut Vec<u64>) {
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
pub(crate) const INITIAL_OF_FACT: [u8; 2] = *b"ij";
pub(crate) const INITIAL_OF_ASKED: [u8; 2] = *b"ji";

pub(crate) fn initial(token: Said<'_>, [lone, longer]: [u8; 2]) -> Option<u64> {
    let mut chars = token.form.chars();
    let first = chars.next().filter(|_| token.kind == Kind::Name)?;
    Some(numbered(if chars.next().is_some() { longer } else { lone }, first as u32))
}

pub(crate) fn feature(sort: u8, text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u8(sort);
    hasher.write(text.as_bytes());
    hasher.finish()
}

pub(crate) fn numbered(sort: u8, number: u32) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u8(sort);
    hasher.write_u32(number);
    hasher.finish()
}
