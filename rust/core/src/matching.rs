//! Does a candidate put a forgotten fact back? [`decide`] answers for one fact; it is pure and total.
//!
//! The order of the questions, their codes and their lines stand in `rules.tsv`; each code is one predicate, here or in
//! `vetoes`. A candidate of several clauses is asked whole first, then clause by clause.

use std::sync::LazyLock;

use crate::alignment::{Alignment, align};
use crate::language::Language;
use crate::lexemes::Kind;
use crate::lexicon;
use crate::parsed::{Parsed, Said};
use crate::readings::Reading;
use crate::vetoes::{VETOES, substitution};

/// Least content words of a fact that an anchor may match; a surer match needs [`SURE_WORDS`].
pub(crate) const ANCHOR_WORDS: usize = 3;
const SURE_WORDS: usize = 4;
pub(crate) const ANCHOR_SIMILARITY: f64 = 0.72;
/// Least share of either text's content weight that an anchor has in common.
pub(crate) const ANCHOR_SHARE: f64 = 0.35;
/// The same where a text is not in English.
const FOREIGN_SHARE: f64 = 0.5;
/// The same where there is no embedding.
pub(crate) const WORDS_SHARE: f64 = 0.6;
/// Least share of a fact's content weight that a request to forget or a deletion note names (RULES section 2.10).
pub(crate) const NOTE_SHARE: f64 = 0.3333;
/// Least share of a fact's content weight that a clause says again if it says no more than that.
pub(crate) const CLAUSE_SHARE: f64 = 0.3333;
pub(crate) const RARE: u8 = 8;
/// Least digits of a bare number that is a code and no amount.
const LONG_NUMBER: usize = 9;
/// Least characters of a code that belongs to one thing only ("v2" does not).
pub(crate) const LONG_ID: usize = 6;
/// Most content words beside its codes that a fact about a code has.
pub(crate) const ID_COMPANIONS: usize = 2;

/// What to do with a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It restates the fact: do not store it.
    Drop,
    /// Likely: do not store it, ask the user.
    Hold,
    /// It does not.
    Store,
}

impl Action {
    /// Its name in the fixtures.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Drop => "drop",
            Self::Hold => "hold",
            Self::Store => "store",
        }
    }
}

/// What the owner of the rules may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether "used to be so" is another fact than "is so".
    pub keeps_past: bool,
    /// Whether words may align by a shared sense.
    pub wordnet: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { keeps_past: false, wordnet: true }
    }
}

/// The answer about one candidate and one fact.
///
/// `code`: the kind that matched, or the veto or absence that let it through. For a clause that matched, `code` is
/// `clause` and `why` what the clause is; else both are the same. `coverage`: the larger share of content weight that
/// the two texts have in common, 0 to 1, rounded to 1e-4.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// What to do.
    pub action: Action,
    /// Which rule said so.
    pub code: &'static str,
    /// Which rule said so inside a clause.
    pub why: &'static str,
    /// How much the texts share.
    pub coverage: f64,
}

impl Decision {
    const fn new(action: Action, code: &'static str, coverage: f64) -> Self {
        Self { action, code, why: code, coverage }
    }

    const fn store(code: &'static str, coverage: f64) -> Self {
        Self::new(Action::Store, code, coverage)
    }
}

/// The least similarity of each kind that has one.
struct Lines {
    subset: f64,
    clause: f64,
    superset: f64,
    anchor_drop: f64,
    anchor_hold: f64,
    anchor_foreign: f64,
    unlike_hold: f64,
    /// The least coverage of an anchor where there is no embedding.
    words_anchor_hold: f64,
}

static LINES: LazyLock<Lines> = LazyLock::new(|| {
    let row = |code: &str| {
        let mut rows = lexicon::RULES.rows();
        let [_, _, model, words]: [&str; 4] = rows.find(|row| row[1] == code).expect("rules.tsv lacks a code");
        (model, words)
    };
    let number = |cell: &str| cell.parse().expect("a line of rules.tsv is a number");
    let line = |code| number(row(code).0);
    Lines {
        subset: line("subset"),
        clause: line("clause"),
        superset: line("superset"),
        anchor_drop: line("anchor-drop"),
        anchor_hold: line("anchor-hold"),
        anchor_foreign: line("anchor-foreign"),
        unlike_hold: line("unlike-hold"),
        words_anchor_hold: number(row("anchor-hold").1),
    }
});

/// [`decide`] for the whole candidate and, if that stores, for each of its clauses; the first that drops, else holds.
///
/// A text that may be in more than one language is read in the fact's, if that is one of them.
#[must_use]
pub fn judge(candidate: &[Reading], fact: &Parsed, similarity: Option<f64>, options: Options) -> Decision {
    let wholes = candidate.iter().take_while(|reading| !reading.clause).count();
    let own = candidate[..wholes].iter().find(|reading| reading.parsed.language == fact.language);
    let own = &own.unwrap_or(&candidate[0]).parsed;
    if candidate[0].request {
        let share = note_share(own, fact, options);
        if share >= NOTE_SHARE {
            return Decision::new(Action::Drop, "note", share);
        }
    }
    let whole = decide(own, fact, similarity, options, false);
    if whole.action == Action::Drop {
        return whole;
    }
    let mut held = (whole.action == Action::Hold).then_some(whole);
    for reading in &candidate[wholes..] {
        let part = decide(&reading.parsed, fact, for_clause(similarity), options, true);
        let part = Decision { code: "clause", ..part };
        match part.action {
            Action::Drop => return part,
            Action::Hold => held = held.or(Some(part)),
            Action::Store => {}
        }
    }
    held.unwrap_or(whole)
}

/// The embedding is of the whole text: below the line of clauses it says so, above it says nothing of one clause.
fn for_clause(similarity: Option<f64>) -> Option<f64> {
    similarity.filter(|&similarity| similarity < LINES.clause)
}

/// The share of a fact's content weight that a request to forget names.
fn note_share(candidate: &Parsed, fact: &Parsed, options: Options) -> f64 {
    rounded(align(candidate, fact, options.wordnet).coverage().0)
}

/// Whether `candidate` restates `fact`. `similarity`: on MiniLM's scale, or none where there is no embedding.
///
/// `clause`: the candidate is one clause of a longer text; a single shared word is then not enough for a subset.
#[must_use]
pub fn decide(candidate: &Parsed, fact: &Parsed, similarity: Option<f64>, options: Options, clause: bool) -> Decision {
    if !candidate.exact().is_empty() && candidate.exact() == fact.exact() {
        return Decision::new(Action::Drop, "exact", 1.0);
    }
    let alignment = align(candidate, fact, options.wordnet);
    if alignment.kept().next().is_none() {
        return Decision::store("unrelated", 0.0);
    }
    let (of_fact, of_candidate) = alignment.coverage();
    let coverage = rounded(of_fact.max(of_candidate));
    if is_about_id(&alignment) {
        return Decision::new(Action::Drop, "id", coverage);
    }
    if has_ceased(&alignment, options) {
        return Decision::store("ceased", coverage);
    }
    match VETOES.iter().find(|(_, holds)| holds(&alignment)) {
        Some(&(code, _)) => Decision::store(code, coverage),
        None => kind(&alignment, similarity, coverage, clause),
    }
}

/// A share to four decimals, a tie to the even one: as Python rounds.
fn rounded(share: f64) -> f64 {
    // A product that is no tie after rounding was none before: exact where the distance to a tie is not tiny.
    let scaled = share * 10_000.0;
    if (scaled.fract() - 0.5).abs() > 1e-6 {
        return scaled.round() / 10_000.0;
    }
    format!("{share:.4}").parse().unwrap_or(share)
}

fn kind(alignment: &Alignment<'_>, similarity: Option<f64>, coverage: f64, clause: bool) -> Decision {
    if is_subset(alignment, clause) {
        if alignment.dropped().next().is_none() {
            return Decision::new(Action::Drop, "subset", coverage);
        }
        return by_similarity("subset", similarity, LINES.subset, coverage);
    }
    if is_superset(alignment) {
        return by_similarity("superset", similarity, LINES.superset, coverage);
    }
    if substitution(alignment) {
        return Decision::store("substitution", coverage);
    }
    if alignment.fact.len() < ANCHOR_WORDS {
        return Decision::store("different", coverage);
    }
    anchor(alignment, similarity, coverage)
}

fn by_similarity(code: &'static str, similarity: Option<f64>, line: f64, coverage: f64) -> Decision {
    let action = match similarity {
        Some(similarity) if similarity >= line => Action::Drop,
        Some(similarity) if similarity >= LINES.unlike_hold => Action::Hold,
        Some(_) => Action::Store,
        None => Action::Drop,
    };
    Decision::new(action, code, coverage)
}

/// Enough in common for the two to be one claim in other words.
fn anchor(alignment: &Alignment<'_>, similarity: Option<f64>, coverage: f64) -> Decision {
    let (of_fact, of_candidate) = alignment.coverage();
    let smaller = of_fact.min(of_candidate);
    let different = Decision::store("different", coverage);
    if !alignment.kept().any(is_claim) {
        return different;
    }
    let Some(similarity) = similarity else {
        let likely = smaller >= WORDS_SHARE && coverage >= LINES.words_anchor_hold;
        return if likely { Decision::new(Action::Hold, "anchor", coverage) } else { different };
    };
    let score = similarity + 0.5 * coverage;
    let (line, share) =
        if is_english(alignment) { (LINES.anchor_hold, ANCHOR_SHARE) } else { (LINES.anchor_foreign, FOREIGN_SHARE) };
    // Written as in the Python twin, so that a similarity that is no number gets the same answer.
    if similarity < ANCHOR_SIMILARITY || smaller < share || score < line {
        return different;
    }
    let sure = is_english(alignment) && alignment.fact.len() >= SURE_WORDS && score >= LINES.anchor_drop;
    Decision::new(if sure { Action::Drop } else { Action::Hold }, "anchor", coverage)
}

/// A word that says something of somebody: no name, relation or quantity.
pub(crate) fn is_claim(token: Said<'_>) -> bool {
    matches!(token.kind, Kind::Word | Kind::Cjk | Kind::Id | Kind::Email | Kind::Url | Kind::Phone)
        && !token.relation.is_some()
}

fn is_english(alignment: &Alignment<'_>) -> bool {
    alignment.whole_fact.language == Language::En && alignment.whole_candidate.language == Language::En
}

/// It was so once: a restatement if nothing new is said, unless the owner wants the past kept; or it was, and is.
fn has_ceased(alignment: &Alignment<'_>, options: Options) -> bool {
    if alignment.whole_fact.ceased {
        return !alignment.whole_candidate.ceased && !alignment.candidate.iter().any(|token| token.negated);
    }
    alignment.whole_candidate.ceased && (options.keeps_past || alignment.added().next().is_some())
}

/// The texts share a code, and the fact says little beside it.
fn is_about_id(alignment: &Alignment<'_>) -> bool {
    let shared = alignment.kept().filter(|&token| is_code(token)).count();
    shared > 0 && alignment.fact.len() - shared <= ID_COMPANIONS
}

fn is_code(token: Said<'_>) -> bool {
    match token.kind {
        Kind::Number => token.key.chars().count() >= LONG_NUMBER,
        Kind::Email | Kind::Phone | Kind::Url | Kind::Id => token.key.chars().count() >= LONG_ID,
        _ => false,
    }
}

fn is_subset(alignment: &Alignment<'_>, clause: bool) -> bool {
    if alignment.added().next().is_some() {
        return false;
    }
    let mut kept = alignment.kept().filter(|token| token.kind != Kind::Name);
    if clause && kept.all(|token| token.relation.is_some()) {
        return false;
    }
    if clause && alignment.coverage().0 < CLAUSE_SHARE {
        return false;
    }
    if alignment.kept().nth(1).is_some() || alignment.dropped().next().is_none() {
        return true;
    }
    let mut kept = alignment.kept().filter(|token| token.kind != Kind::Name);
    !clause && kept.any(|token| token.kind != Kind::Word || token.rarity >= RARE)
}

fn is_superset(alignment: &Alignment<'_>) -> bool {
    alignment.dropped().next().is_none() && alignment.fact.iter().any(|token| token.kind != Kind::Name)
}

/// The codes of all vetoes that hold between a candidate and a fact, in order.
#[must_use]
pub fn vetoes(candidate: &Parsed, fact: &Parsed, wordnet: bool) -> Vec<&'static str> {
    let alignment = align(candidate, fact, wordnet);
    VETOES.iter().filter(|(_, holds)| holds(&alignment)).map(|&(code, _)| code).collect()
}

/// Codes of `rules.tsv` that are asked before the vetoes, and after them; each is a kind, a line or a reason of its own.
const BEFORE_VETOES: [&str; 4] = ["exact", "note", "id", "ceased"];
const AFTER_VETOES: [&str; 8] =
    ["subset", "superset", "unlike-hold", "clause", "substitution", "anchor-drop", "anchor-hold", "anchor-foreign"];

/// Every code of `rules.tsv` that has a predicate here, in the order in which they are asked.
#[must_use]
pub fn codes() -> Vec<&'static str> {
    let vetoes = VETOES.iter().map(|&(code, _)| code);
    BEFORE_VETOES.into_iter().chain(vetoes).chain(AFTER_VETOES).collect()
}
