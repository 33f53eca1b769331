//! What the tables of synonyms, converses and antonyms say of a word.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::language::Language;
use crate::lexicon::{self, ByWord, Number, Table};
use crate::stems::stem;

/// What the tables of synonyms, converses and antonyms say of a stem.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meaning {
    /// Its synonym groups, sorted.
    pub(crate) groups: Vec<u32>,
    /// The numbers of its converse pairs, sorted; the two ends have opposite signs.
    pub(crate) converse: Vec<i32>,
    /// The same for antonyms, those of its synonyms with them.
    pub(crate) antonyms: Vec<i32>,
}

struct Meanings {
    numbers: ByWord<Number>,
    found: Vec<Meaning>,
    /// The meanings of the words that each may align with, sorted; itself among them.
    related: Vec<Box<[Number]>>,
}

impl Meanings {
    fn build() -> Self {
        let groups = synonym_groups();
        let mut members: FxHashMap<u32, Vec<(Language, &str)>> = FxHashMap::default();
        for (language, word, numbers) in groups.iter() {
            for &number in numbers {
                members.entry(number).or_default().push((language, word));
            }
        }
        let (antonyms, converse) = (pairs(lexicon::ANTONYMS), pairs(lexicon::CONVERSE));
        let mut found: ByWord<Meaning> = ByWord::default();
        for (language, word, numbers) in groups.iter() {
            found.entry(language, word.to_owned()).groups.clone_from(numbers);
        }
        for (language, word, numbers) in converse.iter() {
            found.entry(language, word.to_owned()).converse.clone_from(numbers);
        }
        for (language, word, numbers) in antonyms.iter() {
            found.entry(language, word.to_owned()).antonyms.extend(numbers);
            for group in groups.get(language, word).into_iter().flatten() {
                for &(_, synonym) in &members[group] {
                    found.entry(language, synonym.to_owned()).antonyms.extend(numbers);
                }
            }
        }
        let mut table = Self { numbers: ByWord::default(), found: vec![Meaning::default()], related: Vec::new() };
        for (language, word, meaning) in found.iter() {
            table.numbers.insert(language, word.to_owned(), number_of(table.found.len()));
            let mut meaning = meaning.clone();
            meaning.antonyms.sort_unstable();
            meaning.antonyms.dedup();
            table.found.push(meaning);
        }
        table.related = related(&table.found);
        table
    }
}

/// For each meaning those that share a group with it, or stand at the other end of a pair.
fn related(meanings: &[Meaning]) -> Vec<Box<[Number]>> {
    let ends = |meaning: &Meaning| {
        let groups = meaning.groups.iter().map(|&group| ('g', i64::from(group))).collect::<Vec<_>>();
        let pairs = |sort, numbers: &[i32]| numbers.iter().map(|&n| (sort, i64::from(n))).collect::<Vec<_>>();
        [groups, pairs('c', &meaning.converse), pairs('a', &meaning.antonyms)].concat()
    };
    let mut members: FxHashMap<(char, i64), Vec<Number>> = FxHashMap::default();
    for (number, meaning) in meanings.iter().enumerate() {
        for end in ends(meaning) {
            members.entry(end).or_default().push(number_of(number));
        }
    }
    let others = |meaning: &Meaning| {
        let turned = ends(meaning).into_iter().map(|(sort, n)| (sort, if sort == 'g' { n } else { -n }));
        let mut found: Vec<Number> = turned.filter_map(|end| members.get(&end)).flatten().copied().collect();
        found.sort_unstable();
        found.dedup();
        found.into_boxed_slice()
    };
    meanings.iter().map(others).collect()
}

fn number_of(count: usize) -> Number {
    Number::try_from(count).expect("tables are small")
}

/// The synonym groups of each stem, sorted.
fn synonym_groups() -> ByWord<Vec<u32>> {
    let mut table: ByWord<Vec<u32>> = ByWord::default();
    for (number, (language, [lemmas])) in lexicon::SYNONYMS.rows_by_language().enumerate() {
        for lemma in lemmas.split(' ') {
            let groups = table.entry(language, stem(lemma, language));
            if groups.last() != Some(&number_of(number)) {
                groups.push(number_of(number));
            }
        }
    }
    table
}

/// The numbers of the pairs that each stem stands in, sorted: one end of a pair has the negative of the other's.
fn pairs(table: Table) -> ByWord<Vec<i32>> {
    let mut found: ByWord<Vec<i32>> = ByWord::default();
    for (number, (language, [a, b])) in (1_i32..).zip(table.rows_by_language()) {
        found.entry(language, stem(a, language)).push(number);
        found.entry(language, stem(b, language)).push(-number);
    }
    for numbers in found.values_mut() {
        numbers.sort_unstable();
        numbers.dedup();
    }
    found
}

static MEANINGS: LazyLock<Meanings> = LazyLock::new(Meanings::build);

/// The number of what the tables say of a stem.
pub(crate) fn meaning_of(stem: &str, language: Language) -> Number {
    MEANINGS.numbers.get(language, stem).copied().unwrap_or(0)
}

/// What stands under a number.
pub(crate) fn meaning(number: Number) -> &'static Meaning {
    &MEANINGS.found[number as usize]
}

/// The numbers of the words that one may align with by its meaning.
pub(crate) fn related_to(number: Number) -> &'static [Number] {
    &MEANINGS.related[number as usize]
}

static CONVERSE: LazyLock<ByWord<Vec<i32>>> = LazyLock::new(|| pairs(lexicon::CONVERSE));

/// Whether two verbs say the same with the roles exchanged (lend, borrow).
pub(crate) fn are_converse(a: &str, b: &str, language: Language) -> bool {
    let numbers = |key| CONVERSE.get(language, key).map_or(&[][..], |numbers| numbers);
    let of_a = numbers(a);
    !of_a.is_empty() && meet(of_a, numbers(b), |number| -number)
}

/// Whether some number of `a`, turned, is one of `b`. The lists are short.
pub(crate) fn meet<T: Copy + PartialEq>(a: &[T], b: &[T], turned: impl Fn(T) -> T) -> bool {
    a.iter().any(|&number| b.contains(&turned(number)))
}
