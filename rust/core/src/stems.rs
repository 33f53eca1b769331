//! The key under which forms of one word meet.

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::language::Language;
use crate::lexicon::{self, ByWord};

const STEM_PASSES: usize = 2;

static IRREGULAR: LazyLock<ByWord<&'static str>> =
    LazyLock::new(|| lexicon::IRREGULAR.rows_by_language().map(|(lang, [form, lemma])| (lang, form, lemma)).collect());

#[derive(Clone, Copy)]
struct Suffix {
    text: &'static str,
    length: usize,
    replacement: &'static str,
    least: usize,
    again: bool,
}

/// The suffixes of a language by their last character, longest first: few of them are looked at for one word.
static SUFFIXES: LazyLock<FxHashMap<(Language, char), Vec<Suffix>>> = LazyLock::new(|| {
    let mut table: FxHashMap<_, Vec<Suffix>> = FxHashMap::default();
    for (language, [text, replacement, least, again]) in lexicon::SUFFIX.rows_by_language() {
        let last = text.chars().last().expect("a suffix is not empty");
        table.entry((language, last)).or_default().push(Suffix {
            text,
            length: text.chars().count(),
            replacement,
            least: least.parse().expect("the least stem of a suffix is a number"),
            again: again == "1",
        });
    }
    for suffixes in table.values_mut() {
        suffixes.sort_by_key(|suffix| (usize::MAX - suffix.length, suffix.text));
    }
    table
});

/// The key under which forms of one word meet: the irregular table first, then suffixes, longest first.
///
/// A form that the irregular table gives as its own lemma is left alone.
pub(crate) fn stem(form: &str, language: Language) -> Cow<'_, str> {
    let mut form = match IRREGULAR.get(language, form) {
        Some(&lemma) => {
            if lemma == form || IRREGULAR.get(language, lemma) == Some(&lemma) {
                return Cow::Borrowed(lemma);
            }
            Cow::Borrowed(lemma)
        }
        None => Cow::Borrowed(form),
    };
    for _ in 0..STEM_PASSES {
        let Some(suffix) = suffix_of(&form, language) else {
            break;
        };
        let kept = form.len() - suffix.text.len();
        form = match form {
            Cow::Borrowed(form) if suffix.replacement.is_empty() => Cow::Borrowed(&form[..kept]),
            form => Cow::Owned([&form[..kept], suffix.replacement].concat()),
        };
        if !suffix.again {
            break;
        }
    }
    form
}

/// The longest listed suffix of `form` that leaves enough of it.
fn suffix_of(form: &str, language: Language) -> Option<Suffix> {
    let suffixes = SUFFIXES.get(&(language, form.chars().last()?))?;
    let length = form.chars().count();
    suffixes.iter().find(|suffix| length >= suffix.least + suffix.length && ends_with(form, suffix.text)).copied()
}

/// `form.ends_with(suffix)`, with a look at one byte first: nearly all the suffixes that are tried differ there.
fn ends_with(form: &str, suffix: &str) -> bool {
    let (form, suffix) = (form.as_bytes(), suffix.as_bytes());
    let Some(start) = form.len().checked_sub(suffix.len()) else {
        return false;
    };
    form.get(start) == suffix.first() && &form[start..] == suffix
}

/// Whether the table of irregular forms knows a word of this language.
pub(crate) fn is_irregular(form: &str, language: Language) -> bool {
    IRREGULAR.contains(language, form)
}
