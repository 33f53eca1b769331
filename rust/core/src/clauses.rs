//! Where a text's sentences, list items and clauses begin and end, and how a text reads without some of them.
//!
//! Guarantees: spans do not overlap and stand in order; [`cuts`] with nothing to remove is empty. Time is linear in the
//! text.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::alignment::is_content;
use crate::language::Language;
use crate::lexemes::Kind;
use crate::lexicon;
use crate::parallel::in_parallel;
use crate::parsed::{Parsed, Role, Said};
use crate::text::{Class, char_class, fold_text, index};
use crate::tokens::parse;
use crate::words::{Particle, is_particle};

const ENDS: &str = ".!?…";
const CJK_ENDS: &str = "。！？｡";
const CLOSERS: &str = "\"'”’»)]}」』*_";
const COMMAS: &str = ",;，；、､—–";
const BULLETS: &str = "-*+•·–—‣◦";
const NO_ALIASES: [&str; 0] = [];
/// Least content words of a clause of its own; one is enough behind a subject or a form of be.
const CLAUSE_WORDS: usize = 2;
/// Words among which the verb of a clause stands.
const VERB_WITHIN: usize = 3;
/// Tokens from its start within which a clause has said something; a limit, so that the time stays linear.
const CLAUSE_REACH: usize = 16;
/// Most digits before the full stop or bracket of a numbered item.
const NUMBER_DIGITS: usize = 3;

/// A clause by its place in the text, in code points.
///
/// `inherits`: position among its sentence's clauses of the one whose subject it takes over; none if it has its own.
/// `text`: what it says, behind that subject.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Clause {
    /// Where it starts.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// What it says.
    pub text: String,
    /// Whose subject it takes over.
    pub inherits: Option<usize>,
}

/// A sentence (or a list item, or a heading) by its place in the text, without the space around it, and its clauses.
///
/// `line`: where the line or block begins that the sentence fills alone (a list item with its marker).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sentence {
    /// Where it starts.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// Its clauses, in order.
    pub clauses: Vec<Clause>,
    /// Where its line begins, if it fills one.
    pub line: Option<u32>,
}

/// What to cut from a text: start, end, and what to put there instead.
pub type Cut = (u32, u32, String);

/// A text with the class and place of each of its characters.
pub(crate) struct Chars<'a> {
    text: &'a str,
    letters: Vec<char>,
    classes: Vec<Class>,
    bytes: Vec<usize>,
}

impl<'a> Chars<'a> {
    fn new(text: &'a str) -> Self {
        let letters: Vec<char> = text.chars().collect();
        let classes = letters.iter().map(|&c| char_class(c)).collect();
        let bytes = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        Self { text, letters, classes, bytes }
    }

    fn len(&self) -> usize {
        self.letters.len()
    }

    pub(crate) fn slice(&self, start: usize, end: usize) -> &'a str {
        &self.text[self.bytes[start]..self.bytes[end.max(start)]]
    }

    fn is_in(&self, i: usize, set: &str) -> bool {
        set.contains(self.letters[i])
    }

    fn is_space(&self, i: usize) -> bool {
        self.classes[i] == Class::Space
    }

    fn ends_line(&self, i: usize) -> bool {
        matches!(self.letters[i], '\n' | '\r')
    }

    fn skip_space(&self, mut i: usize, end: usize) -> usize {
        while i < end && self.is_space(i) {
            i += 1;
        }
        i
    }
}

/// The sentences of a cleaned text, in order.
#[must_use]
pub fn sentences<S: AsRef<str>>(text: &str, aliases: &[S]) -> Vec<Sentence> {
    sentences_of(&Chars::new(text), aliases, None)
}

/// The same for a text that is parsed already.
pub(crate) fn sentences_of_parsed<S: AsRef<str>>(text: &str, aliases: &[S], whole: &Parsed) -> Vec<Sentence> {
    sentences_of(&Chars::new(text), aliases, Some(whole))
}

/// The same, on every core, with the text's characters.
pub(crate) fn plan<'a>(text: &'a str, aliases: &[String]) -> (Chars<'a>, Vec<Sentence>) {
    let chars = Chars::new(text);
    let sentences = in_parallel(&spans(&chars), |span| sentence(&chars, aliases, None, span));
    (chars, sentences)
}

fn sentences_of<S: AsRef<str>>(text: &Chars<'_>, aliases: &[S], whole: Option<&Parsed>) -> Vec<Sentence> {
    spans(text).iter().map(|span| sentence(text, aliases, whole, span)).collect()
}

/// Where a sentence stands, and where its line begins, if it fills one.
type SentenceSpan = (usize, usize, Option<u32>);

fn spans(text: &Chars<'_>) -> Vec<SentenceSpan> {
    let mut out = Vec::new();
    for block in blocks(text) {
        let found = sentence_spans(text, block.body, block.end);
        let alone = (block.item && found.len() == 1).then(|| index(block.start));
        out.extend(found.into_iter().map(|(start, end)| (start, end, alone)));
    }
    out
}

fn sentence<S: AsRef<str>>(
    text: &Chars<'_>,
    aliases: &[S],
    whole: Option<&Parsed>,
    &(start, end, line): &SentenceSpan,
) -> Sentence {
    let clauses = match whole {
        Some(parsed) if start == 0 && end == text.len() => clauses(text, start, end, parsed),
        _ => clauses(text, start, end, &parse(text.slice(start, end), aliases)),
    };
    Sentence { start: index(start), end: index(end), clauses, line }
}

// -- lines and blocks --------------------------------------------------------------------------------------------------

/// Start and end of each line, without its line end.
fn lines(text: &Chars<'_>) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut start = 0;
    for i in (0..text.len()).filter(|&i| text.ends_line(i)) {
        if !(text.letters[i] == '\n' && i > 0 && text.letters[i - 1] == '\r') {
            out.push((start, i));
        }
        start = i + 1;
    }
    out.push((start, text.len()));
    out
}

/// Where the words of a line begin, behind indentation and markers, and whether a marker makes it an item.
fn marker(text: &Chars<'_>, start: usize, end: usize) -> (usize, bool) {
    let (mut i, mut item) = (text.skip_space(start, end), false);
    while i < end && text.is_in(i, ">#|") {
        item = true;
        i = text.skip_space(i + 1, end);
    }
    if i < end && text.is_in(i, BULLETS) && (i + 1 == end || text.is_space(i + 1)) {
        (i, item) = (text.skip_space(i + 1, end), true);
    } else {
        let digits = text.classes[i..end].iter().take(NUMBER_DIGITS).take_while(|class| class.is_digit()).count();
        let j = i + digits;
        if digits > 0 && j + 1 < end && text.is_in(j, ".)") && text.is_space(j + 1) {
            (i, item) = (text.skip_space(j + 1, end), true);
        }
    }
    if i + 3 <= text.len() && matches!(text.slice(i, i + 3), "[ ]" | "[x]" | "[X]") {
        i = text.skip_space(i + 3, end);
    }
    (i, item)
}

/// An item with its indented lines, or a paragraph; `body` is where its words begin.
#[derive(Clone, Copy)]
struct Block {
    start: usize,
    body: usize,
    end: usize,
    item: bool,
}

fn blocks(text: &Chars<'_>) -> Vec<Block> {
    let mut out: Vec<Block> = Vec::new();
    for (start, end) in lines(text) {
        let (body, item) = marker(text, start, end);
        if body == end {
            if !out.is_empty() {
                out.push(Block { start: end, body: end, end, item: false });
            }
            continue;
        }
        let indented = body > start && text.is_space(start);
        match out.last_mut() {
            Some(last) if !item && last.body < last.end && (indented || !last.item) => last.end = end,
            _ => out.push(Block { start, body, end, item }),
        }
    }
    out.retain(|block| block.body < block.end);
    out
}

// -- sentences ---------------------------------------------------------------------------------------------------------

static MONTHS: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    lexicon::CALENDAR.rows().filter(|[_, _, kind]| *kind == "month").map(|[_, form, _]| form).collect()
});

fn sentence_spans(text: &Chars<'_>, start: usize, end: usize) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let (mut begin, mut i) = (start, start);
    while i < end {
        if text.is_in(i, CJK_ENDS) || (text.is_in(i, ENDS) && ends_sentence(text, begin, i, end)) {
            i += 1;
            while i < end && (text.is_in(i, CLOSERS) || text.is_in(i, ENDS) || text.is_in(i, CJK_ENDS)) {
                i += 1;
            }
            out.push((begin, i));
            i = text.skip_space(i, end);
            begin = i;
        } else {
            i += 1;
        }
    }
    if begin < end {
        let mut last = end;
        while last > begin && text.is_space(last - 1) {
            last -= 1;
        }
        out.push((begin, last));
    }
    out.retain(|(i, j)| i < j);
    out
}

/// Whether the mark at `i` ends the sentence that began at `begin`.
fn ends_sentence(text: &Chars<'_>, begin: usize, i: usize, end: usize) -> bool {
    let mut after = i + 1;
    while after < end && (text.is_in(after, CLOSERS) || text.is_in(after, ENDS)) {
        after += 1;
    }
    if after < end && !text.is_space(after) {
        return false;
    }
    if text.letters[i] != '.' {
        return true;
    }
    let mut word = i;
    while word > begin && (text.classes[word - 1].is_alphanumeric() || text.letters[word - 1] == '.') {
        word -= 1;
    }
    let before = fold_text(text.slice(word, i));
    let length = before.chars().count();
    if is_particle(Particle::Abbreviation, &before) || (length == 1 && text.classes[word] == Class::Upper) {
        return false;
    }
    if (1..NUMBER_DIGITS).contains(&length) && before.chars().all(|c| char_class(c).is_digit()) {
        return !(word == begin || MONTHS.contains(&*next_word(text, after, end)));
    }
    true
}

fn next_word(text: &Chars<'_>, i: usize, end: usize) -> String {
    let i = text.skip_space(i, end);
    let length = text.classes[i..end].iter().take_while(|class| class.is_letter()).count();
    let parsed = parse(text.slice(i, i + length), &NO_ALIASES);
    parsed.get(0).map(|token| token.form.to_owned()).unwrap_or_default()
}

// -- clauses -----------------------------------------------------------------------------------------------------------

/// A sentence with its tokens.
struct Spoken<'a> {
    text: Chars<'a>,
    tokens: Vec<Said<'a>>,
    language: Language,
}

/// The clauses of one sentence: cut at commas and conjunctions where both sides say something.
fn clauses(text: &Chars<'_>, start: usize, end: usize, parsed: &Parsed) -> Vec<Clause> {
    let own = text.slice(start, end);
    let whole = || vec![Clause { start: index(start), end: index(end), text: own.to_owned(), inherits: None }];
    if !parsed.tokens().any(|token| token.kind == Kind::Mark || is_particle(Particle::Conjunction, token.form)) {
        return whole();
    }
    let spoken = Spoken { text: Chars::new(own), tokens: parsed.tokens().collect(), language: parsed.language };
    let mut clauses = spoken.clauses();
    if clauses.len() < 2 {
        return whole();
    }
    for clause in &mut clauses {
        clause.start += index(start);
        clause.end += index(start);
    }
    clauses
}

impl Spoken<'_> {
    fn clauses(&self) -> Vec<Clause> {
        let pieces = self.pieces();
        let mut out: Vec<Clause> = Vec::with_capacity(pieces.len());
        let (mut owner, mut subject_of_owner, mut predicate) = (None, String::new(), String::new());
        for (n, &(i, j)) in pieces.iter().enumerate() {
            let words = if n > 0 { self.words(i, j) } else { &self.tokens[i..j] };
            let begin = words[0].start as usize;
            let stop = self.tokens.get(j).map_or(self.text.len(), |next| next.start as usize);
            let stop = trim_joint(&self.text, begin, stop);
            let own = self.text.slice(begin, stop);
            let (text, inherits) = match owner {
                Some(owner) if !opens_with_subject(words) => {
                    if self.language == Language::En && !self.opens_with_verb(words) {
                        if predicate.is_empty() {
                            let Clause { start, end, .. } = out[owner];
                            predicate = with_verb(self.text.slice(start as usize, end as usize), &subject_of_owner);
                        }
                        ([&*predicate, own].concat(), Some(owner))
                    } else {
                        ([&*subject_of_owner, own].concat(), Some(owner))
                    }
                }
                _ => {
                    (owner, subject_of_owner) = (Some(n), subject(own));
                    predicate.clear();
                    (own.to_owned(), None)
                }
            };
            out.push(Clause { start: index(begin), end: index(stop), text, inherits });
        }
        out
    }

    /// The tokens of each clause, by their first and the one behind their last.
    fn pieces(&self) -> Vec<(usize, usize)> {
        let joints = self.joints();
        let mut out = Vec::new();
        let (mut first, mut listing) = (0, false);
        for (n, &i) in joints.iter().enumerate() {
            let following = joints.get(n + 1).copied().unwrap_or(self.tokens.len());
            let right = self.words(i, following);
            if is_clause(&self.tokens[first..i.min(first + CLAUSE_REACH)])
                && is_clause(right)
                && (!listing || says_who(right))
            {
                out.push((first, i));
                (first, listing) = (i, false);
            } else {
                listing = self.tokens[i].kind == Kind::Mark;
            }
        }
        out.push((first, self.tokens.len()));
        out
    }

    /// Whether an English piece opens with a verb: "works in finance", but not "strong coffee".
    fn opens_with_verb(&self, tokens: &[Said<'_>]) -> bool {
        for &token in tokens.iter().take(VERB_WITHIN) {
            if token.kind == Kind::Negation || is_verb(&self.text, token) {
                return true;
            }
            if token.role == Role::Content {
                return false;
            }
        }
        false
    }

    /// Where a clause may begin: at a comma, semicolon or dash, or at a conjunction with no comma before it.
    ///
    /// None begins in quotes or brackets, between numbers, or behind "between".
    fn joints(&self) -> Vec<usize> {
        let mut out: Vec<usize> = Vec::new();
        let (mut depth, mut quoted, mut paired) = (0_usize, false, false);
        for (i, &token) in self.tokens.iter().enumerate() {
            if token.kind == Kind::Mark {
                quoted ^= token.form == "\"";
                if "([{«".contains(token.form) {
                    depth += 1;
                } else if ")]}»".contains(token.form) {
                    depth = depth.saturating_sub(1);
                }
                if (COMMAS.contains(token.form) || self.is_dash(token)) && !quoted && depth == 0 {
                    paired = false;
                    if !self.is_between_amounts(i) {
                        out.push(i);
                    }
                }
            } else if is_particle(Particle::Pair, token.form) {
                paired = true;
            } else if i > 0 && self.is_conjunction(token) {
                let between = paired || self.is_between_amounts(i);
                if !quoted && depth == 0 && !between && out.last() != Some(&(i - 1)) {
                    out.push(i);
                }
                paired = false;
            }
        }
        out
    }

    fn is_between_amounts(&self, i: usize) -> bool {
        let is_amount = |token: &Said<'_>| {
            matches!(token.kind, Kind::Number | Kind::Unit | Kind::Date | Kind::Weekday | Kind::Time)
        };
        i > 0 && is_amount(&self.tokens[i - 1]) && self.tokens.get(i + 1).is_some_and(is_amount)
    }

    /// A conjunction of one letter is one in its own language only, and without an accent ("e" joins, "é" does not).
    fn is_conjunction(&self, token: Said<'_>) -> bool {
        if !is_particle(Particle::Conjunction, token.form) {
            return false;
        }
        let own = match token.form {
            "e" => self.language == Language::Pt,
            "o" | "y" => self.language == Language::Es,
            form => return form.chars().nth(1).is_some(),
        };
        own && self.text.letters[token.start as usize].is_ascii()
    }

    /// A long dash with a space on both sides.
    fn is_dash(&self, token: Said<'_>) -> bool {
        let (start, end) = (token.start as usize, token.end as usize);
        self.text.is_in(start, "–—")
            && start > 0
            && end < self.text.len()
            && self.text.is_space(start - 1)
            && self.text.is_space(end)
    }

    /// The tokens behind the comma and the conjunction that open a piece.
    fn words(&self, start: usize, end: usize) -> &[Said<'_>] {
        let tokens = &self.tokens[start..end];
        let last = tokens.len().saturating_sub(1);
        let opening = |token: &&Said<'_>| token.kind == Kind::Mark || self.is_conjunction(**token);
        &tokens[tokens[..last].iter().take_while(opening).count()..]
    }
}

/// Whether an English word has the form of a verb; some plurals have it too.
fn is_verb(sentence: &Chars<'_>, token: Said<'_>) -> bool {
    if token.kind != Kind::Word {
        return false;
    }
    let (form, key) = (token.form, token.key);
    if is_be(token) || form.ends_with("ed") || (form.ends_with('s') && !form.ends_with("ss")) {
        return true;
    }
    if (token.start as usize..token.end as usize).any(|i| sentence.is_space(i)) {
        return true; // a listed phrase ("moved to") stands under the word that it means
    }
    let most = key.char_indices().next_back().map_or("", |(last, _)| &key[..last]);
    token.role != Role::Stop && !form.starts_with(most)
}

/// The subject of a clause with its verb, for a piece that has neither ("User likes" for "strong coffee").
fn with_verb(clause: &str, subject: &str) -> String {
    let chars = Chars::new(clause);
    let length = subject.chars().count();
    let parsed = parse(clause, &NO_ALIASES);
    let mut words = parsed.tokens().filter(|token| token.start as usize >= length).take(VERB_WITHIN);
    match words.find(|&token| is_verb(&chars, token)) {
        Some(verb) => [chars.slice(0, verb.end as usize), " "].concat(),
        None => subject.to_owned(),
    }
}

/// The end of a clause without the space, commas and full stops behind it.
fn trim_joint(text: &Chars<'_>, start: usize, mut end: usize) -> usize {
    let is_joint = |i: usize| text.is_in(i, COMMAS) || text.is_in(i, ENDS) || text.is_in(i, CJK_ENDS);
    while end > start && (text.is_space(end - 1) || is_joint(end - 1)) {
        end -= 1;
    }
    end
}

fn is_be(token: Said<'_>) -> bool {
    is_particle(Particle::Be, token.form)
}

/// Whether a piece says something of its own: two content words, or one behind a subject or a form of be.
fn is_clause(tokens: &[Said<'_>]) -> bool {
    let Some(&first) = tokens.first() else { return false };
    if opens_with_preposition(tokens) {
        return false;
    }
    let words = || tokens.iter().filter(|&&token| is_content(token) && is_word(token));
    let count = words().count();
    let others = words().any(|token| token.kind != Kind::Name);
    let is_something = count > 0 && tokens.iter().any(|&token| is_be(token));
    if !others && !is_something {
        return false;
    }
    count >= CLAUSE_WORDS || opens_with_subject(tokens) || is_be(first)
}

/// Whether a piece begins as an adverbial does ("In the planning meeting, …"): it claims nothing by itself.
fn opens_with_preposition(tokens: &[Said<'_>]) -> bool {
    let first = tokens.iter().find(|token| token.kind != Kind::Mark);
    first.is_some_and(|first| first.kind == Kind::Word && is_particle(Particle::Preposition, first.form))
}

/// Whether a token is more than a lone letter ("e.g.").
fn is_word(token: Said<'_>) -> bool {
    token.kind != Kind::Word || token.form.chars().nth(1).is_some()
}

/// Whether a piece behind a list ("apples, pears and …") is a clause: it names the user, or has a form of be.
fn says_who(tokens: &[Said<'_>]) -> bool {
    tokens[0].kind == Kind::User || tokens.iter().any(|&token| is_be(token))
}

/// Whether the first words name somebody or something: the user, a name, a relation, a pronoun, or an article.
fn opens_with_subject(tokens: &[Said<'_>]) -> bool {
    let first = tokens[0];
    matches!(first.kind, Kind::User | Kind::Name)
        || first.relation.is_some()
        || first.person
        || is_particle(Particle::Determiner, first.form)
}

/// Whether a text says anything beside its headings and list markers.
#[must_use]
pub fn has_narrative(text: &str) -> bool {
    let chars = Chars::new(text);
    let says = |text: &str| {
        parse(text, &NO_ALIASES).tokens().any(|token| token.role == Role::Content && token.kind != Kind::Mark)
    };
    let (mut last, mut heading) = (0, false);
    // One after the other: mostly the first says something.
    spans(&chars).iter().any(|span| {
        let sentence = sentence(&chars, &NO_ALIASES, None, span);
        let start = sentence.start as usize;
        // A line is looked at once, however many sentences it has.
        let line = (last..start).rev().find(|&at| chars.ends_line(at)).map_or(0, |at| at + 1);
        if line > 0 || last == 0 {
            heading = chars.letters[chars.skip_space(line, start)] == '#';
        }
        last = start;
        !heading && sentence.clauses.iter().any(|clause| says(&clause.text))
    })
}

// -- cutting -----------------------------------------------------------------------------------------------------------

/// What to cut so that `text` reads well without some clauses.
///
/// `removed`: pairs of a sentence's position and a clause's in it, or none for all of it; a position that does not exist
/// is passed over. The spans are in order and do not overlap.
#[must_use]
pub fn cuts<S: AsRef<str>>(text: &str, aliases: &[S], removed: &[(usize, Option<usize>)]) -> Vec<Cut> {
    let chars = Chars::new(text);
    cuts_of_plan(&chars, &sentences_of(&chars, aliases, None), removed)
}

/// The same for a text whose sentences are known.
pub(crate) fn cuts_of_plan(chars: &Chars<'_>, plan: &[Sentence], removed: &[(usize, Option<usize>)]) -> Vec<Cut> {
    let mut gone: FxHashMap<usize, Vec<Option<usize>>> = FxHashMap::default();
    for &(at, clause) in removed {
        gone.entry(at).or_default().push(clause);
    }
    for clauses in gone.values_mut() {
        clauses.sort_unstable();
        clauses.dedup();
    }
    let whole: Vec<bool> = plan
        .iter()
        .enumerate()
        .map(|(at, sentence)| {
            gone.get(&at).is_some_and(|clauses| clauses.contains(&None) || clauses.len() == sentence.clauses.len())
        })
        .collect();
    let (mut spans, taken) = whole_blocks(chars, plan, &whole);
    for (at, sentence) in plan.iter().enumerate().filter(|(at, _)| !taken[*at]) {
        let Some(clauses) = gone.get(&at) else { continue };
        if whole[at] {
            let (start, end) = whole_of(chars, sentence);
            spans.push((start, end, String::new()));
        } else {
            let clauses: Vec<usize> = clauses.iter().copied().flatten().collect();
            parts(chars, sentence, &clauses, &mut spans);
        }
    }
    spans.sort_unstable();
    disjoint(spans)
}

type Span = (usize, usize, String);

/// The lines of items and paragraphs whose sentences all go, and which sentences those are.
///
/// A paragraph between blank lines takes one of them along.
fn whole_blocks(text: &Chars<'_>, plan: &[Sentence], whole: &[bool]) -> (Vec<Span>, Vec<bool>) {
    let (mut spans, mut taken) = (Vec::new(), vec![false; plan.len()]);
    let mut at = 0;
    for block in blocks(text) {
        let first = at;
        while at < plan.len() && (plan[at].start as usize) < block.end {
            at += 1;
        }
        if at == first || whole[first..at].contains(&false) {
            continue;
        }
        let mut stop = line_end(text, block.end);
        if !block.item && is_blank_before(text, block.start) && is_blank(text, stop) {
            stop = line_end(text, stop);
        }
        spans.push((block.start, stop, String::new()));
        taken[first..at].fill(true);
    }
    (spans, taken)
}

/// Whether an empty line begins at `i`.
fn is_blank(text: &Chars<'_>, mut i: usize) -> bool {
    while i < text.len() && text.is_space(i) && !text.ends_line(i) {
        i += 1;
    }
    i < text.len() && text.ends_line(i)
}

/// Whether the text begins at `i`, or an empty line ends there.
fn is_blank_before(text: &Chars<'_>, i: usize) -> bool {
    if i == 0 {
        return true;
    }
    let crlf = i >= 2 && text.letters[i - 2] == '\r' && text.letters[i - 1] == '\n';
    let before = i - 1 - usize::from(crlf);
    before == 0 || text.ends_line(before - 1)
}

/// Neighbours may both claim the space between them: the first has it.
fn disjoint(spans: Vec<Span>) -> Vec<Cut> {
    let mut last = 0;
    spans
        .into_iter()
        .map(|(start, end, instead)| {
            let start = start.max(last);
            last = end.max(last);
            (index(start), index(last), instead)
        })
        .collect()
}

/// What goes with a sentence: an item takes its line, another the space behind it, or before it at the end.
fn whole_of(text: &Chars<'_>, sentence: &Sentence) -> (usize, usize) {
    let (mut start, mut end) = (sentence.start as usize, sentence.end as usize);
    if let Some(line) = sentence.line {
        return (line as usize, line_end(text, end));
    }
    let is_gap = |i: usize| text.is_space(i) && !text.ends_line(i);
    while end < text.len() && is_gap(end) {
        end += 1;
    }
    if end < text.len() && !text.ends_line(end) {
        return (start, end);
    }
    if start == 0 || text.ends_line(start - 1) {
        return (start, line_end(text, end));
    }
    while start > 0 && is_gap(start - 1) {
        start -= 1;
    }
    (start, end)
}

fn line_end(text: &Chars<'_>, mut i: usize) -> usize {
    while i < text.len() && !text.ends_line(i) {
        i += 1;
    }
    let crlf = i + 1 < text.len() && text.letters[i] == '\r' && text.letters[i + 1] == '\n';
    (i + 1 + usize::from(crlf)).min(text.len())
}

/// The spans of removed clauses with the marks that joined them, and what stands there instead.
fn parts(text: &Chars<'_>, sentence: &Sentence, gone: &[usize], out: &mut Vec<Span>) {
    let clauses = &sentence.clauses;
    let leading = gone.iter().enumerate().take_while(|&(n, &clause)| n == clause).count();
    if leading > 0 {
        let (start, end) = (clauses[0].start as usize, clauses[leading].start as usize);
        if clauses[leading].inherits.is_some_and(|owner| owner < leading) {
            let Clause { start: own, end: stop, text: said, .. } = &clauses[leading];
            let taken_over = said.len() - text.slice(*own as usize, *stop as usize).len();
            out.push((start, end, said[..taken_over].to_owned()));
        } else if text.classes[start] == Class::Upper && text.classes[end] == Class::Letter {
            out.push((start, end + 1, capital(text.letters[end])));
        } else {
            out.push((start, end, String::new()));
        }
    }
    for &n in gone.iter().filter(|&&n| n > leading && n < clauses.len()) {
        out.push((clauses[n - 1].end as usize, clauses[n].end as usize, String::new()));
    }
}

/// The capital of a Latin, Greek or Cyrillic letter; in others Python and Rust follow different Unicode versions.
fn capital(char: char) -> String {
    match char {
        ..'\u{180}' | '\u{370}'..'\u{530}' => char.to_uppercase().collect(),
        other => other.to_string(),
    }
}

/// The words that name the subject of a clause, with a space behind, for the clause that took it over.
fn subject(clause: &str) -> String {
    let parsed = parse(clause, &NO_ALIASES);
    let named = |token: &Said<'_>| {
        matches!(token.kind, Kind::User | Kind::Name)
            || token.relation.is_some()
            || token.possessive
            || is_particle(Particle::Determiner, token.form)
    };
    let Some(last) = parsed.tokens().take_while(named).last().filter(|last| last.end > 0) else {
        return String::new();
    };
    let end = last.end as usize;
    let mut out: String = clause.chars().take(end).collect();
    if !out.chars().last().is_some_and(|char| char_class(char).is_cjk()) {
        out.push(' ');
    }
    out
}
