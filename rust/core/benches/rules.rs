//! How long one parse, one decision, one request and one check against many facts take: `cargo bench -p forgetguard-core`.

#![allow(missing_docs)] // the macros of criterion make public functions

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, criterion_group, criterion_main};
use forgetguard_core::{Embedding, Index, Options, Scale, decide, judge, parse, readings, request_code};
use serde_json::Value;

const NO_ALIASES: [&str; 0] = [];
const SENTENCE: &str = "User's sister Rita is vegetarian and runs a bakery in Porto";
const SCALE: Scale = Scale { mean: 0.358, deviation: 0.169 };

fn facts(count: usize) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/everyday-facts-v1.json");
    let data: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("the fixture is there"))
        .expect("the fixture is JSON");
    let facts: Vec<&str> =
        data["facts"].as_array().expect("a list").iter().filter_map(|fact| fact["text"].as_str()).collect();
    // More facts than the fixture has: the same ones about other people.
    let names = ["User", "Ana", "Rui", "Petra", "Tom"];
    let of_all = names.iter().flat_map(|name| facts.iter().map(move |fact| fact.replacen("User", name, 1)));
    of_all.take(count).collect()
}

fn one(criterion: &mut Criterion) {
    criterion.bench_function("parse", |b| b.iter(|| parse(black_box(SENTENCE), &NO_ALIASES)));
    criterion.bench_function("readings", |b| b.iter(|| readings(black_box(SENTENCE), &NO_ALIASES)));
    criterion.bench_function("request", |b| {
        b.iter(|| request_code(black_box("User asked the assistant to forget where they live")));
    });
    let (fact, candidate) = (parse("User has a vegetarian sister", &NO_ALIASES), parse(SENTENCE, &NO_ALIASES));
    criterion.bench_function("decide", |b| {
        b.iter(|| decide(black_box(&candidate), black_box(&fact), Some(0.8), Options::default(), false));
    });
    let candidate = readings(SENTENCE, &NO_ALIASES);
    criterion.bench_function("judge", |b| {
        b.iter(|| judge(black_box(&candidate), black_box(&fact), Some(0.8), Options::default()));
    });
}

fn many(criterion: &mut Criterion) {
    let vector: Vec<u8> = (0..384_u32).map(|i| (i % 251).to_le_bytes()[0]).collect();
    let embedding = Some(Embedding { values: &vector, model: "model" });
    for count in [50, 500] {
        let facts = facts(count);
        let mut index = Index::new(Vec::new(), Options::default());
        for fact in &facts {
            index.add(fact, embedding);
        }
        let mut texts = facts.iter().cycle().map(|fact| fact.replacen("User", "Marta", 1));
        criterion.bench_function(&format!("check {} facts", facts.len()), |b| {
            b.iter(|| index.find(black_box(&texts.next().expect("a cycle")), embedding, Some(SCALE)));
        });
    }
}

criterion_group!(benches, one, many);
criterion_main!(benches);
