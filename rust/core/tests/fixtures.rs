//! The fixtures that both implementations answer to, asked of the core alone. `tests/rules/` asks them of both.

use std::path::Path;

use forgetguard_core::{
    Kind, Options, Parsed, RULES_VERSION, Role, Said, codes, cuts, fold_text, judge, parse, readings, request_code,
    sentences,
};
use serde_json::{Value, json};

const NO_ALIASES: [&str; 0] = [];

fn read(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name);
    let data: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("the fixture is there"))
        .expect("the fixture is JSON");
    assert_eq!(data["count"].as_u64(), data["cases"].as_array().map(|cases| cases.len() as u64), "{name}: count");
    data
}

fn cases(data: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let cases = data["cases"].as_array().expect("a list of cases");
    cases.iter().map(|case| (case["id"].as_str().expect("an id"), case))
}

fn string<'a>(case: &'a Value, field: &str) -> &'a str {
    case[field].as_str().expect("a string")
}

fn names(case: &Value) -> Vec<&str> {
    case["aliases"].as_array().map(|names| names.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
}

fn said(parsed: &Parsed) -> impl Iterator<Item = Said<'_>> {
    parsed.tokens().filter(|token| token.kind != Kind::Mark)
}

fn keys(parsed: &Parsed) -> Vec<&str> {
    said(parsed).filter(|token| token.role == Role::Content).map(|token| token.key).collect()
}

/// What the core says where a case expects something under this name.
fn answer(case: &Value, name: &str, expected: &Value) -> Value {
    let text = string(case, "text");
    let parsed = parse(text, &names(case));
    let asked = |kind: Kind| case["only"].as_array().is_none_or(|only| only.contains(&json!(kind.name())));
    let other = || parse(expected.as_str().expect("another text"), &NO_ALIASES);
    let if_it_holds = |holds: bool| if holds { expected.clone() } else { Value::Null };
    let of_forms = |answer: &dyn Fn(Said<'_>) -> Value| {
        let forms = expected.as_object().expect("answers by form");
        forms
            .keys()
            .map(|form| (form.clone(), said(&parsed).find(|t| t.form == form).map_or(Value::Null, answer)))
            .collect()
    };
    match name {
        "folded" => json!(fold_text(text)),
        "language" => json!(parsed.language.code()),
        "ceased" => json!(parsed.ceased),
        "same" => if_it_holds(other().exact() == parsed.exact()),
        "differs" => if_it_holds(other().exact() != parsed.exact()),
        "same_keys" => if_it_holds(keys(&other()) == keys(&parsed)),
        "tokens" => said(&parsed).filter(|t| asked(t.kind)).map(|t| json!([t.kind.name(), t.key])).collect(),
        "negated" => said(&parsed).filter(|t| t.negated && t.role == Role::Content).map(|t| json!(t.form)).collect(),
        "possessive" => said(&parsed).filter(|t| t.possessive).map(|t| json!(t.form)).collect(),
        "roles" => of_forms(&|token| json!(token.role.name())),
        "spans" => of_forms(&|token| json!([token.start, token.end])),
        _ => panic!("a case expects something that is not known: {name}"),
    }
}

#[test]
fn texts_are_read_as_the_fixture_says() {
    let data = read("text-v1.json");
    assert_eq!(data["rules_version"], RULES_VERSION);
    for (id, case) in cases(&data) {
        let expectations = case.as_object().expect("a case").iter();
        for (name, expected) in
            expectations.filter(|(name, _)| !["id", "why", "text", "aliases", "only"].contains(&name.as_str()))
        {
            assert_eq!(&answer(case, name, expected), expected, "{id}: {name}");
        }
    }
}

#[test]
fn pairs_are_judged_as_the_fixture_says() {
    let data = read("matching-v1.json");
    assert_eq!(data["rules_version"], RULES_VERSION);
    for (id, case) in cases(&data) {
        let options = Options { keeps_past: case["past"] == "keep", wordnet: true };
        let (candidate, fact) =
            (readings(string(case, "candidate"), &names(case)), parse(string(case, "fact"), &names(case)));
        let decision = judge(&candidate, &fact, case["similarity"].as_f64(), options);
        assert_eq!((decision.action.name(), decision.code), (string(case, "action"), string(case, "code")), "{id}");
    }
}

#[test]
fn requests_are_told_as_the_fixture_says() {
    let data = read("requests-v1.json");
    for (id, case) in cases(&data) {
        assert_eq!(request_code(string(case, "text")), string(case, "code"), "{id}");
    }
}

#[test]
fn every_code_of_the_table_has_its_predicate() {
    let table = include_str!("../../../python/forgetguard/rules/lexicon/rules.tsv");
    let rows = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    let listed: Vec<&str> = rows.filter_map(|row| row.split('\t').nth(1)).collect();
    assert_eq!(codes(), listed);
}

#[test]
fn a_text_without_anything_has_no_clauses_and_nothing_to_cut() {
    assert!(sentences("", &NO_ALIASES).is_empty());
    assert!(cuts("User is vegetarian. Ana sings.", &NO_ALIASES, &[]).is_empty());
}
