//! What a text is read into: its tokens with their letters, packed so that a million texts fit in memory.
//!
//! [`Parsed`] is all that the rules read of a text; `tokens` makes it.

use std::borrow::Cow;
use std::ops::Deref;

use crate::language::Language;
use crate::lexemes::Kind;
use crate::lexicon::Number;
use crate::text::index;
use crate::wordnet::UNKNOWN_RARITY;
use crate::words::Relation;

/// How much a token claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Role {
    /// It carries a claim.
    Content,
    /// It carries none (have, mention, probably).
    Soft,
    /// It says what a line is about.
    Label,
    /// A function word.
    Stop,
}

impl Role {
    /// Its name in the fixtures.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Soft => "soft",
            Self::Label => "label",
            Self::Stop => "stop",
        }
    }
}

/// One thing that was said, less its letters: they stand in the [`Parsed`] that holds it.
///
/// `start` and `end` count code points of the cleaned text. `rarity`: 0 frequent to 15 rare. `clause` counts up at marks
/// that end a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // answers about one token, as in the Python twin
pub struct Token {
    /// Where the token starts.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// In which clause it stands.
    pub clause: u32,
    pub(crate) key: Span,
    pub(crate) form: Span,
    /// What it is.
    pub kind: Kind,
    /// How much it claims.
    pub role: Role,
    /// The class of a relation word.
    pub relation: Relation,
    /// How rare it is.
    pub rarity: u8,
    /// Whether it ended in 's.
    pub possessive: bool,
    /// Whether it is a common first name.
    pub person: bool,
    /// Whether a negation reaches it.
    pub negated: bool,
    /// Whether -free followed.
    pub privative: bool,
    /// What stands on which side of it.
    pub(crate) direction: Direction,
    /// What the tables of synonyms and antonyms say of its stem, and WordNet of it.
    pub(crate) meaning: Number,
    pub(crate) senses: Number,
}

/// Bytes of the letters of a [`Parsed`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    end: u32,
}

/// A token with its letters: `key` is what equal tokens share (the stem of a word), `form` the folded letters.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    token: &'a Token,
    /// What equal tokens share.
    pub key: &'a str,
    /// The folded letters.
    pub form: &'a str,
}

impl Deref for Said<'_> {
    type Target = Token;

    fn deref(&self) -> &Token {
        self.token
    }
}

/// A text as the rules see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The exact form, then the letters of tokens that do not stand in it.
    letters: Box<str>,
    tokens: Box<[Token]>,
    exact: u32,
    /// What the rules ask of a text again and again, found once.
    pub(crate) frames: Box<[Frame]>,
    pub(crate) passive: bool,
    /// The language by vote.
    pub language: Language,
    /// The text says that something was so and is no longer.
    pub ceased: bool,
}

impl Parsed {
    /// Equal for texts that differ in case, punctuation and the spelling of quantities only.
    #[must_use]
    pub fn exact(&self) -> &str {
        &self.letters[..self.exact as usize]
    }

    /// How many tokens there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The token at `i`.
    #[must_use]
    pub fn at(&self, i: usize) -> Said<'_> {
        self.said(&self.tokens[i])
    }

    /// The token at `i`, if there is one.
    #[must_use]
    pub fn get(&self, i: usize) -> Option<Said<'_>> {
        self.tokens.get(i).map(|token| self.said(token))
    }

    /// The tokens in order.
    #[must_use]
    pub fn tokens(&self) -> impl DoubleEndedIterator<Item = Said<'_>> + ExactSizeIterator {
        self.tokens.iter().map(|token| self.said(token))
    }

    fn said<'a>(&'a self, token: &'a Token) -> Said<'a> {
        let letters = |span: Span| &self.letters[span.start as usize..span.end as usize];
        Said { token, key: letters(token.key), form: letters(token.form) }
    }
}

/// What stands on which side of a direction word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Direction {
    #[default]
    None,
    Before,
    After,
    Over,
    Source,
    Goal,
}

/// What a frame does to what it frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Framing {
    All,
    Some,
    /// Another quantity: most, none, any.
    Other,
    Modal,
    Change,
}

/// A frame and where it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) start: u32,
    pub(crate) framing: Framing,
}

/// A token in the making, with its letters. `stem`: that of its form where it is not the key; a phrase stands under its key.
#[derive(Clone, Debug)]
pub(crate) struct Draft<'a> {
    pub(crate) token: Token,
    pub(crate) key: Cow<'a, str>,
    pub(crate) form: Cow<'a, str>,
    pub(crate) stem: Option<Cow<'a, str>>,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(kind: Kind, key: Cow<'a, str>, form: Cow<'a, str>, start: u32, end: u32) -> Self {
        let token = Token {
            start,
            end,
            clause: 0,
            key: Span::default(),
            form: Span::default(),
            kind,
            role: Role::Content,
            relation: Relation::None,
            rarity: UNKNOWN_RARITY,
            possessive: false,
            person: false,
            negated: false,
            privative: false,
            direction: Direction::None,
            meaning: 0,
            senses: 0,
        };
        Self { token, key, form, stem: None }
    }

    /// What forms of one word share.
    pub(crate) fn stem(&self) -> &str {
        self.stem.as_ref().unwrap_or(&self.key)
    }
}

/// Tokens with their letters, packed: most letters stand in the exact form already.
pub(crate) fn pack(drafts: &[Draft<'_>], frames: Box<[Frame]>, language: Language, ceased: bool) -> Parsed {
    let mut letters = String::with_capacity(drafts.iter().map(|draft| draft.form.len() + 2).sum());
    let mut tokens: Vec<Token> = drafts.iter().map(|draft| draft.token).collect();
    let add = |letters: &mut String, text: &str| {
        let start = index(letters.len());
        letters.push_str(text);
        Span { start, end: index(letters.len()) }
    };
    let mut first = true;
    for (token, draft) in tokens.iter_mut().zip(drafts).filter(|(token, _)| token.kind != Kind::Mark) {
        if !first {
            letters.push(' ');
        }
        first = false;
        if token.kind == Kind::Word {
            token.form = add(&mut letters, &draft.form);
        } else {
            token.key = add(&mut letters, &draft.key);
        }
    }
    let exact = index(letters.len());
    for (token, draft) in tokens.iter_mut().zip(drafts) {
        // The other one of the two is mostly the same letters, or a part of them.
        let (known, have, want, open) = match token.kind {
            Kind::Word => (token.form, &draft.form, &draft.key, &mut token.key),
            Kind::Mark => {
                token.key = add(&mut letters, &draft.key);
                (token.key, &draft.key, &draft.form, &mut token.form)
            }
            _ => (token.key, &draft.key, &draft.form, &mut token.form),
        };
        *open = if have.starts_with(&**want) {
            Span { start: known.start, end: known.start + index(want.len()) }
        } else {
            add(&mut letters, want)
        };
    }
    Parsed { letters: letters.into(), tokens: tokens.into(), exact, frames, passive: false, language, ceased }
}
