//! The checks whose instructions `bench/counts.py` counts: `counted FACTS CANDIDATES`, two files with a text a line.

use std::env::args;
use std::fs::read_to_string;

use forgetguard_core::{Index, Options};

/// The one function in which valgrind counts.
#[inline(never)]
fn counted(index: &Index, texts: &[&str]) -> usize {
    texts.iter().filter(|text| index.find(text, None, None).is_some()).count()
}

fn main() {
    let [facts, candidates] = [1, 2].map(|n| args().nth(n).expect("usage: counted FACTS CANDIDATES"));
    let [facts, candidates] = [facts, candidates].map(|path| read_to_string(path).expect("the file can be read"));
    let mut index = Index::new(Vec::new(), Options::default());
    let facts: Vec<_> = facts.lines().map(|text| (text, None)).collect();
    index.add_many(&facts);
    let texts: Vec<&str> = candidates.lines().collect();
    // Once before: the tables of words are read at their first use.
    let before = texts.iter().filter(|text| index.needs_embedding(text, "")).count();
    println!("{} of {} restate a fact, {before} need an embedding", counted(&index, &texts), texts.len());
}
