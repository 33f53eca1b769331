//! Where a sentence's clauses begin and end, and whose subject each takes over.

use crate::alignment::is_content;
use crate::blocks::Chars;
use crate::language::Language;
use crate::lexemes::Kind;
use crate::parsed::{Parsed, Role, Said};
use crate::text::{char_class, index};
use crate::tokens::is_alias;
use crate::words::{List, Particle, is_any_particle, is_listed, is_particle};

pub(crate) const ENDS: &str = ".!?…";
pub(crate) const CJK_ENDS: &str = "。！？｡";
const COMMAS: &str = ",;，；、､—–";
/// Least content words of a clause of its own; one is enough behind a subject or a form of be.
const CLAUSE_WORDS: usize = 2;
/// Words among which the verb of a clause stands.
const VERB_WITHIN: usize = 3;
/// Tokens from its start within which a clause has said something; a limit, so that the time stays linear.
const CLAUSE_REACH: usize = 16;

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

/// A sentence with its tokens.
struct Spoken<'a> {
    text: Chars<'a>,
    tokens: Vec<Said<'a>>,
    language: Language,
}

/// A clause as those behind it take its subject over.
///
/// `place`: its position among its sentence's clauses. `subject`: the words that name it, with a space behind.
/// `predicate`: those with their verb, for a piece that has neither ("User likes" for "strong coffee"). `is_another`:
/// whether the subject names somebody, be it the user by an alias.
struct Owner {
    place: usize,
    subject: String,
    predicate: String,
    is_another: bool,
}

/// The clauses of one sentence: cut at commas and conjunctions where both sides say something.
pub(crate) fn clauses(text: &Chars<'_>, start: usize, end: usize, parsed: &Parsed) -> Vec<Clause> {
    let own = text.slice(start, end);
    let whole = || vec![Clause { start: index(start), end: index(end), text: own.to_owned(), inherits: None }];
    let joins = [Particle::Conjunction, Particle::Consequence, Particle::Subordinator, Particle::Premise];
    let may_join = |token: Said<'_>| token.kind == Kind::Mark || is_any_particle(&joins, token.form);
    if !parsed.tokens().any(may_join) {
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
        let opening = self.connective(&self.tokens);
        let pieces = self.pieces(opening);
        let mut out: Vec<Clause> = Vec::with_capacity(pieces.len());
        let mut owner: Option<Owner> = None;
        for (n, &(i, j)) in pieces.iter().enumerate() {
            let mut words = if n > 0 { self.words(i, j) } else { &self.tokens[i..j] };
            let mut has_own = opens_with_subject(words) || (n > 0 && is_connective(self.tokens[j - words.len() - 1]));
            if let ([she, rest @ ..], Some(Owner { is_another: true, .. })) = (words, &owner) {
                if !rest.is_empty() && is_particle(Particle::Third, she.form) {
                    (has_own, words) = (false, rest); // "she" is the one who was named last
                }
            }
            let begin = words[0].start as usize;
            let stop = self.tokens.get(j).map_or(self.text.len(), |next| next.start as usize);
            let stop = trim_joint(&self.text, begin, stop);
            let own = self.text.slice(begin, stop);
            let (text, inherits) = match &owner {
                Some(owner) if !has_own => {
                    let is_bare = self.language == Language::En && !self.opens_with_verb(words);
                    let before = if is_bare { &owner.predicate } else { &owner.subject };
                    ([before, own].concat(), Some(owner.place))
                }
                _ => {
                    // Nothing is taken over from "Because she is ill, …".
                    if n > 0 || opening == 0 {
                        owner = Some(self.owner(n, words));
                    }
                    (own.to_owned(), None)
                }
            };
            out.push(Clause { start: index(begin), end: index(stop), text, inherits });
        }
        out
    }

    /// The clause in this place, of these tokens, as those behind it take its subject over.
    fn owner(&self, place: usize, tokens: &[Said<'_>]) -> Owner {
        let (named, behind) = tokens.split_at(self.length_of_subject(tokens));
        let start = tokens[0].start as usize;
        let mut subject = named.last().map_or("", |last| self.text.slice(start, last.end as usize)).to_owned();
        if subject.chars().last().is_some_and(|char| !char_class(char).is_cjk()) {
            subject.push(' ');
        }
        let mut behind = behind.iter().filter(|token| token.kind != Kind::Mark).take(VERB_WITHIN);
        let verb = behind.find(|&&token| is_verb(&self.text, token));
        let predicate =
            verb.map_or_else(|| subject.clone(), |verb| [self.text.slice(start, verb.end as usize), " "].concat());
        let is_another = named.iter().any(|&token| {
            token.kind == Kind::Name || token.relation.is_some() || token.person || is_alias(token, self.language)
        });
        Owner { place, subject, predicate, is_another }
    }

    /// How many tokens name the subject, the full stop behind "Dr" among them.
    ///
    /// In capitals everything is a name: then a function word ends it ("USER IS ALLERGIC"), or the first token is all of
    /// it.
    fn length_of_subject(&self, tokens: &[Said<'_>]) -> usize {
        let mut length = 0;
        for (n, &token) in tokens.iter().enumerate() {
            if names(token) && !(token.kind == Kind::Name && is_listed(List::Stop, token.form, self.language)) {
                length = n + 1;
            } else if token.form != "." {
                return length;
            }
        }
        length.min(1)
    }

    /// The tokens of each clause, by their first and the one behind their last. `opening`: tokens of a connective that
    /// opens the sentence.
    fn pieces(&self, opening: usize) -> Vec<(usize, usize)> {
        let joints = self.joints();
        let mut out = Vec::new();
        let (mut first, mut listing) = (0, false);
        for (n, &i) in joints.iter().enumerate() {
            let following = joints.get(n + 1).copied().unwrap_or(self.tokens.len());
            let right = self.words(i, following);
            let begin = if first > 0 { first } else { opening };
            if is_clause(&self.tokens[begin.min(i)..i.min(begin + CLAUSE_REACH)])
                && is_clause(right)
                && (!listing || says_who(right))
            {
                out.push((first, i));
                (first, listing) = (i, false);
            } else {
                listing = self.tokens[i].kind == Kind::Mark && !is_relative(right);
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

    /// Where a clause may begin: at a comma, semicolon or dash, or at a word that joins, with no comma before it.
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
            } else if i > 0 && (self.is_conjunction(token) || self.connective(&self.tokens[i..]) > 0) {
                let between = paired || self.is_between_amounts(i);
                let opened = out.last() == Some(&(i - 1)) || self.is_conjunction(self.tokens[i - 1]);
                if !quoted && depth == 0 && !between && !opened {
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

    /// The tokens behind the comma, the conjunction and the connective that open a piece.
    fn words(&self, start: usize, end: usize) -> &[Said<'_>] {
        let tokens = &self.tokens[start..end];
        let last = tokens.len().saturating_sub(1);
        let opening = |token: &&Said<'_>| token.kind == Kind::Mark || self.is_conjunction(**token);
        let words = &tokens[tokens[..last].iter().take_while(opening).count()..];
        &words[self.connective(words)..]
    }

    /// How many tokens tell that what follows is a clause: one ("because"), two ("so that", "even though"), else none.
    ///
    /// A clause names who or what does something ("because she left", "since the shop closed"), which an adverbial
    /// ("since the summer") and a degree ("so tall") do not, or asks for something ("so try the soup").
    fn connective(&self, tokens: &[Said<'_>]) -> usize {
        let [first, second, ..] = tokens else { return 0 };
        // Most tokens open none: one look tells.
        if !is_any_particle(&[Particle::Consequence, Particle::Premise, Particle::Subordinator], first.form) {
            return 0;
        }
        let is = |token: &Said<'_>, class| is_particle(class, token.form);
        let follows = is(first, Particle::Consequence);
        let mut length = if is(second, Particle::Complement) { 2 } else { 1 };
        if is(first, Particle::Premise) && (length == 2 || is(second, Particle::Subordinator)) {
            length = 2;
        } else if !follows && !is(first, Particle::Subordinator) {
            return 0;
        }
        let behind = &tokens[length..tokens.len().min(CLAUSE_REACH).max(length)];
        let behind = &behind[..behind.iter().take_while(|token| token.kind != Kind::Mark).count()];
        let asks = match behind {
            [first, second, ..] => first.role == Role::Content && is_particle(Particle::Determiner, second.form),
            _ => false,
        };
        if self.acts(behind) || (asks && follows) { length } else { 0 }
    }

    /// Whether a piece says that somebody or something does something: a person or a pronoun, or a thing and a verb.
    fn acts(&self, tokens: &[Said<'_>]) -> bool {
        let Some(&first) = tokens.first() else { return false };
        if !opens_with_subject(tokens) {
            return false;
        }
        if is_particle(Particle::Pronoun, first.form) || tokens.iter().take(2).any(|&token| is_somebody(token)) {
            return true;
        }
        if self.language != Language::En {
            return tokens.len() > 2;
        }
        tokens.iter().any(|&token| is_be(token)) || tokens.iter().skip(2).any(|&token| is_verb(&self.text, token))
    }
}

fn is_connective(token: Said<'_>) -> bool {
    is_any_particle(&[Particle::Consequence, Particle::Subordinator, Particle::Complement], token.form)
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
    if opens_with_preposition(tokens) || is_relative(tokens) {
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

/// Whether a piece only tells more of what it follows (", who lives in Porto, …").
fn is_relative(tokens: &[Said<'_>]) -> bool {
    tokens.first().is_some_and(|first| is_particle(Particle::Relative, first.form))
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

// -- what a clause takes over -----------------------------------------------------------------------------------------

/// Whether the first words name somebody or something: the user, a name, a relation, a pronoun, or an article.
fn opens_with_subject(tokens: &[Said<'_>]) -> bool {
    is_somebody(tokens[0]) || is_particle(Particle::Determiner, tokens[0].form)
}

fn is_somebody(token: Said<'_>) -> bool {
    matches!(token.kind, Kind::User | Kind::Name) || token.relation.is_some() || token.person
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

/// Whether a token belongs to the words that name a subject.
fn names(token: Said<'_>) -> bool {
    matches!(token.kind, Kind::User | Kind::Name)
        || token.relation.is_some()
        || token.possessive
        || is_particle(Particle::Determiner, token.form)
}
