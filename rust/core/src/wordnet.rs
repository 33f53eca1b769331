//! What WordNet says of English words: how rare each is, and which senses it has.

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::language::Language;
use crate::lexicon::{self, Number};
use crate::stems::stem;

/// The rarity of a word that does not stand in `rarity.tsv`.
pub(crate) const UNKNOWN_RARITY: u8 = 15;

/// What is known of a word as it stands, and of it as the stem of words. One table holds both, and rarity beside senses:
/// a look into a large table costs more than all that is done with what it finds.
#[derive(Clone, Copy, Default)]
struct Word {
    rarity: Option<u8>,
    senses: Number,
    /// That of the most frequent word with this stem.
    stem_rarity: Option<u8>,
    /// Those of all words with this stem.
    stem_senses: Number,
}

struct WordNet {
    words: FxHashMap<Cow<'static, str>, Word>,
    /// Sets of senses by number, each sorted.
    senses: Vec<Vec<u32>>,
}

impl WordNet {
    fn build() -> Self {
        let mut words: FxHashMap<Cow<'static, str>, Word> = FxHashMap::default();
        for [word, value] in lexicon::RARITY.rows() {
            let rarity = value.parse().expect("a rarity is a small number");
            words.entry(word.into()).or_default().rarity = Some(rarity);
            let of_stem = &mut words.entry(stem(word, Language::En)).or_default().stem_rarity;
            *of_stem = Some(of_stem.map_or(rarity, |least| least.min(rarity)));
        }
        let (mut senses, mut by_stem) = (vec![Vec::new()], FxHashMap::<_, Vec<u32>>::default());
        for [word, codes] in lexicon::SENSES.rows() {
            let set: Vec<u32> = codes.split(' ').map(sense).collect();
            by_stem.entry(stem(word, Language::En)).or_default().extend(&set);
            words.entry(word.into()).or_default().senses = added(&mut senses, set);
        }
        for (stem, set) in by_stem {
            words.entry(stem).or_default().stem_senses = added(&mut senses, set);
        }
        Self { words, senses }
    }

    fn get(&self, word: &str) -> Word {
        self.words.get(word).copied().unwrap_or_default()
    }
}

/// The number of one more set.
fn added(sets: &mut Vec<Vec<u32>>, mut set: Vec<u32>) -> Number {
    set.sort_unstable();
    set.dedup();
    sets.push(set);
    Number::try_from(sets.len() - 1).expect("tables are small")
}

fn sense(code: &str) -> u32 {
    u32::from_str_radix(code, 36).expect("a sense is a short number in base 36")
}

static WORDNET: LazyLock<WordNet> = LazyLock::new(WordNet::build);

/// 0 (most frequent) to 15 (rarest or unknown), from `rarity.tsv`; that of the stem for a form that is not listed.
pub(crate) fn rarity(form: &str, stem: &str) -> u8 {
    let rarity = WORDNET.get(form).rarity.or_else(|| WORDNET.get(stem).stem_rarity);
    rarity.unwrap_or(UNKNOWN_RARITY)
}

/// The number of the senses of a word, by its form or else by its stem.
pub(crate) fn senses_of(form: &str, stem: &str) -> Number {
    match WORDNET.get(form).senses {
        0 => WORDNET.get(stem).stem_senses,
        number => number,
    }
}

/// The senses under a number, sorted.
pub(crate) fn senses(number: Number) -> &'static [u32] {
    &WORDNET.senses[number as usize]
}

/// Whether `form` is one of the words whose rarity is listed.
pub(crate) fn is_word(form: &str) -> bool {
    WORDNET.get(form).rarity.is_some()
}

/// Whether `form` is a word, or the stem of one.
pub(crate) fn is_known(form: &str) -> bool {
    WORDNET.words.contains_key(form)
}
