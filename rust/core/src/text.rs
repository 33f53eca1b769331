//! Text to folded text: one door and one fold.
//!
//! [`clean`] is the only door: it bounds the length. [`fold`] maps every code point through `fold.tsv` (compatibility
//! forms, case, diacritics) and keeps where it came from. No predicates of [`char`]: their classes differ from Python's.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::lexicon;

/// Longest text that is read, in code points; what lies beyond is not looked at.
pub const MAX_TEXT: usize = 1_048_576;

/// What a code point is, from `classes.tsv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(crate) enum Class {
    Upper,
    Letter,
    Digit,
    Space,
    Other,
    Control,
    Emoji,
    Han,
    Hiragana,
    Katakana,
    Hangul,
}

impl Class {
    const ALL: [Self; 11] = [
        Self::Upper,
        Self::Letter,
        Self::Digit,
        Self::Space,
        Self::Other,
        Self::Control,
        Self::Emoji,
        Self::Han,
        Self::Hiragana,
        Self::Katakana,
        Self::Hangul,
    ];

    fn named(name: &str) -> Self {
        match name {
            "upper" => Self::Upper,
            "letter" => Self::Letter,
            "digit" => Self::Digit,
            "space" => Self::Space,
            "other" => Self::Other,
            "control" => Self::Control,
            "emoji" => Self::Emoji,
            "han" => Self::Han,
            "hiragana" => Self::Hiragana,
            "katakana" => Self::Katakana,
            "hangul" => Self::Hangul,
            _ => panic!("classes.tsv names a class that the rules do not know"),
        }
    }

    /// Letter or upper.
    pub(crate) const fn is_letter(self) -> bool {
        matches!(self, Self::Letter | Self::Upper)
    }

    pub(crate) const fn is_digit(self) -> bool {
        matches!(self, Self::Digit)
    }

    /// Letter, upper or digit.
    pub(crate) const fn is_alphanumeric(self) -> bool {
        self.is_letter() || self.is_digit()
    }

    /// Of a script without spaces.
    pub(crate) const fn is_cjk(self) -> bool {
        matches!(self, Self::Han | Self::Hiragana | Self::Katakana | Self::Hangul)
    }
}

const VOICED: char = '\u{3099}';
const SEMIVOICED: char = '\u{309a}';
const VOICED_PAIRS: &str = "かがきぎくぐけげこごさざしじすずせぜそぞただちぢつづてでとどはばひびふぶへべほぼうゔ";
const SEMIVOICED_PAIRS: &str = "はぱひぴふぷへぺほぽ";
const KATAKANA_SHIFT: u32 = 0x60;

/// `text` as both implementations see it: at most [`MAX_TEXT`] code points. A `str` holds no lone surrogates.
#[must_use]
pub fn clean(text: &str) -> &str {
    if text.len() <= MAX_TEXT {
        return text;
    }
    text.char_indices().nth(MAX_TEXT).map_or(text, |(end, _)| &text[..end])
}

/// Folded characters, the class of each, and the index in the cleaned text that each came from.
#[derive(Debug, Default)]
pub(crate) struct Folded {
    pub(crate) chars: Vec<char>,
    pub(crate) classes: Vec<Class>,
    pub(crate) at: Vec<u32>,
    /// The folded characters as one string, and where each of them starts in it (one more than there are characters).
    pub(crate) string: String,
    pub(crate) bytes: Vec<u32>,
}

impl Folded {
    fn with_capacity(size: usize) -> Self {
        Self {
            chars: Vec::with_capacity(size),
            classes: Vec::with_capacity(size),
            at: Vec::with_capacity(size),
            string: String::with_capacity(size),
            bytes: Vec::with_capacity(size + 1),
        }
    }

    fn push(&mut self, char: char, class: Class, at: u32) {
        self.bytes.push(index(self.string.len()));
        self.chars.push(char);
        self.classes.push(class);
        self.at.push(at);
        self.string.push(char);
    }

    fn replace_last(&mut self, char: char) {
        let last = self.chars.len() - 1;
        self.chars[last] = char;
        self.classes[last] = char_class(char);
        self.string.pop();
        self.string.push(char);
    }

    /// The characters from `i` up to `j`.
    pub(crate) fn slice(&self, i: usize, j: usize) -> &str {
        &self.string[self.bytes[i] as usize..self.bytes[j] as usize]
    }
}

/// A count of characters or bytes: [`MAX_TEXT`] keeps all of them far below the limit.
pub(crate) fn index(count: usize) -> u32 {
    u32::try_from(count).expect("a text is bounded")
}

// -- the table ---------------------------------------------------------------------------------------------------------

const BLOCK: usize = 128;
const CODES: usize = 0x11_0000;

/// What one code point folds to, packed: code point or place in the pool, class, shape.
type Packed = u32;
const CODE_BITS: u32 = 21;
const CODE_MASK: u32 = (1 << CODE_BITS) - 1;
const CLASS_MASK: u32 = 0xf;
const SHAPE_BITS: u32 = 30;
const ITSELF: u32 = 0;
const ONE: u32 = 1;
const MANY: u32 = 2;
/// A place in the pool: offset above, length in the low bits.
const LENGTH_BITS: u32 = 6;
const LENGTH_MASK: u32 = (1 << LENGTH_BITS) - 1;

struct FoldTable {
    blocks: Box<[u16]>,
    entries: Vec<[Packed; BLOCK]>,
    pool: Vec<(char, Class)>,
}

/// A folded code point.
enum Target<'a> {
    One(char, Class),
    Many(&'a [(char, Class)]),
}

impl FoldTable {
    fn build() -> Self {
        let mut codes: Vec<Packed> = vec![Class::Other as u32; CODES];
        for &(first, last, class) in CLASS_RANGES.iter() {
            codes[first as usize..=last as usize].fill(class as u32);
        }
        for code in &mut codes {
            *code <<= CODE_BITS;
        }
        let mut pool = Vec::new();
        for [range, folded] in lexicon::FOLD.rows() {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let targets: Vec<char> =
                folded.split(' ').filter(|c| !c.is_empty()).filter_map(|c| char::from_u32(code_point(c))).collect();
            for code in code_point(first)..=code_point(last) {
                let upper = class_of(code) == Class::Upper;
                codes[code as usize] = pack(&targets, upper, &mut pool);
            }
        }
        // The marks count only behind what they complete.
        for mark in [VOICED, SEMIVOICED] {
            codes[mark as usize] = pack(&[], false, &mut pool);
        }
        let mut seen: FxHashMap<[Packed; BLOCK], u16> = FxHashMap::default();
        let mut entries = Vec::new();
        let mut blocks = Vec::with_capacity(CODES / BLOCK);
        for chunk in codes.chunks_exact(BLOCK) {
            let block: [Packed; BLOCK] = chunk.try_into().expect("a chunk is a block");
            blocks.push(*seen.entry(block).or_insert_with(|| {
                entries.push(block);
                u16::try_from(entries.len() - 1).expect("there are fewer blocks than u16 counts")
            }));
        }
        Self { blocks: blocks.into(), entries, pool }
    }

    fn get(&self, char: char) -> Target<'_> {
        let code = char as usize;
        let packed = self.entries[self.blocks[code / BLOCK] as usize][code % BLOCK];
        let class = Class::ALL[(packed >> CODE_BITS & CLASS_MASK) as usize];
        match packed >> SHAPE_BITS {
            ITSELF => Target::One(char, class),
            ONE => Target::One(char::from_u32(packed & CODE_MASK).unwrap_or(char), class),
            _ => {
                let offset = ((packed & CODE_MASK) >> LENGTH_BITS) as usize;
                Target::Many(&self.pool[offset..offset + (packed & LENGTH_MASK) as usize])
            }
        }
    }
}

fn pack(targets: &[char], upper: bool, pool: &mut Vec<(char, Class)>) -> Packed {
    // A letter that a capital folds to counts as the capital, and no other does.
    let class = |char| match char_class(char) {
        Class::Letter | Class::Upper => {
            if upper {
                Class::Upper
            } else {
                Class::Letter
            }
        }
        other => other,
    };
    if let &[char] = targets {
        return ONE << SHAPE_BITS | (class(char) as u32) << CODE_BITS | char as u32;
    }
    let place = index(pool.len()) << LENGTH_BITS | index(targets.len());
    assert!(place <= CODE_MASK && index(targets.len()) <= LENGTH_MASK, "fold.tsv outgrew its table");
    pool.extend(targets.iter().map(|&char| (char, class(char))));
    MANY << SHAPE_BITS | place
}

fn code_point(hexadecimal: &str) -> u32 {
    u32::from_str_radix(hexadecimal, 16).expect("a code point in a lexicon table is not hexadecimal")
}

static FOLD: LazyLock<FoldTable> = LazyLock::new(FoldTable::build);

static CLASS_RANGES: LazyLock<Vec<(u32, u32, Class)>> = LazyLock::new(|| {
    let mut ranges: Vec<_> = lexicon::CLASSES
        .rows()
        .map(|[first, last, name]| (code_point(first), code_point(last), Class::named(name)))
        .collect();
    ranges.sort_unstable_by_key(|range| range.0);
    ranges
});

static ASCII_CLASSES: LazyLock<[Class; 128]> = LazyLock::new(|| {
    let mut code = 0;
    [(); 128].map(|()| {
        code += 1;
        class_of(code - 1)
    })
});

/// The class of a code point; unlisted ones are [`Class::Other`].
pub(crate) fn char_class(char: char) -> Class {
    if char.is_ascii() { ASCII_CLASSES[char as usize] } else { class_of(char as u32) }
}

fn class_of(code: u32) -> Class {
    let after = CLASS_RANGES.partition_point(|range| range.0 <= code);
    match after.checked_sub(1).map(|at| CLASS_RANGES[at]) {
        Some((_, last, class)) if code <= last => class,
        _ => Class::Other,
    }
}

// -- composition -------------------------------------------------------------------------------------------------------

static KANA: LazyLock<FxHashMap<(char, char), char>> = LazyLock::new(|| {
    let mut pairs = FxHashMap::default();
    let shifted = |char| char::from_u32(char as u32 + KATAKANA_SHIFT).expect("katakana follow hiragana");
    for (mark, letters) in [(VOICED, VOICED_PAIRS), (SEMIVOICED, SEMIVOICED_PAIRS)] {
        let letters: Vec<char> = letters.chars().collect();
        for pair in letters.chunks_exact(2) {
            pairs.insert((pair[0], mark), pair[1]);
            pairs.insert((shifted(pair[0]), mark), shifted(pair[1]));
        }
    }
    pairs
});

/// The composed character, if `char` is a kana mark or a Hangul jamo that completes `last`.
fn compose(last: char, char: char) -> Option<char> {
    let (before, code) = (last as u32, char as u32);
    match char {
        VOICED | SEMIVOICED => KANA.get(&(last, char)).copied(),
        '\u{1161}'..='\u{1175}' if ('\u{1100}'..='\u{1112}').contains(&last) => {
            char::from_u32(0xac00 + ((before - 0x1100) * 21 + code - 0x1161) * 28)
        }
        '\u{11a8}'..='\u{11c2}' if ('\u{ac00}'..='\u{d7a3}').contains(&last) && (before - 0xac00) % 28 == 0 => {
            char::from_u32(before + code - 0x11a7)
        }
        _ => None,
    }
}

/// The folded form of a cleaned text.
pub(crate) fn fold(text: &str) -> Folded {
    let plain = &*PLAIN;
    if text.bytes().all(|byte| plain[byte as usize]) {
        return fold_plain(text);
    }
    let table = &*FOLD;
    let mut out = Folded::with_capacity(text.len());
    for (at, char) in text.chars().enumerate() {
        if char >= '\u{1161}' {
            if let Some(composed) = out.chars.last().and_then(|&last| compose(last, unmarked(char))) {
                out.replace_last(composed);
                continue;
            }
        }
        match table.get(unmarked(char)) {
            Target::One(folded, class) => out.push(folded, class, index(at)),
            Target::Many(folded) => {
                for &(folded, class) in folded {
                    out.push(folded, class, index(at));
                }
            }
        }
    }
    out.bytes.push(index(out.string.len()));
    out
}

/// The bytes of ASCII that fold to their small letter or to themselves; most texts hold no others.
static PLAIN: LazyLock<[bool; 256]> = LazyLock::new(|| {
    let mut plain = [false; 256];
    for byte in 0..128_u8 {
        let small = char::from(byte.to_ascii_lowercase());
        plain[byte as usize] = matches!(FOLD.get(char::from(byte)), Target::One(folded, _) if folded == small);
    }
    plain
});

/// The folded form of a text of plain bytes.
fn fold_plain(text: &str) -> Folded {
    let (size, classes) = (index(text.len()), &*ASCII_CLASSES);
    let string = text.to_ascii_lowercase();
    Folded {
        chars: string.bytes().map(char::from).collect(),
        classes: text.bytes().map(|byte| classes[byte as usize]).collect(),
        at: (0..size).collect(),
        string,
        bytes: (0..=size).collect(),
    }
}

/// The half-width voicing marks are the combining ones in another width.
const fn unmarked(char: char) -> char {
    match char {
        '\u{ff9e}' => VOICED,
        '\u{ff9f}' => SEMIVOICED,
        other => other,
    }
}

/// The folded characters alone.
#[must_use]
pub fn fold_text(text: &str) -> String {
    fold(clean(text)).string
}
