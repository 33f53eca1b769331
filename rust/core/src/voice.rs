//! Active or passive.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::language::Language;
use crate::lexemes::Kind;
use crate::lexicon;
use crate::parsed::{Parsed, Role, Said};
use crate::words::{Particle, is_particle};

/// Endings of irregular English forms that are no past.
const NO_PAST_ENDINGS: [&str; 4] = ["ing", "s", "er", "est"];

/// A form of *be* (or *werden*) and, behind it, a participle.
pub(crate) fn is_passive(parsed: &Parsed) -> bool {
    if parsed.language == Language::De {
        return parsed
            .tokens()
            .skip_while(|token| !is_particle(Particle::Werden, token.form))
            .any(|token| looks_participle(token, Language::De));
    }
    parsed
        .tokens()
        .zip(parsed.tokens().skip(1))
        .any(|(be, next)| is_particle(Particle::Be, be.form) && looks_participle(next, parsed.language))
}

static IRREGULAR_FORMS: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    lexicon::IRREGULAR
        .rows_by_language()
        .filter(|&(language, [form, lemma])| language == Language::En && lemma != form)
        .map(|(_, [form, _])| form)
        .filter(|form| !NO_PAST_ENDINGS.iter().any(|ending| form.ends_with(ending)))
        .collect()
});

/// Whether an English word looks like a past form or a participle.
pub(crate) fn is_past(token: Said<'_>) -> bool {
    if token.kind != Kind::Word || token.role != Role::Content {
        return false;
    }
    let first = token.form.split(' ').next().unwrap_or("");
    first.ends_with("ed") || IRREGULAR_FORMS.contains(first)
}

fn looks_participle(token: Said<'_>, language: Language) -> bool {
    if token.kind != Kind::Word || token.role != Role::Content {
        return false;
    }
    match language {
        Language::En => is_past(token),
        Language::De => token.form.starts_with("ge"),
        _ => ["ado", "ada", "ido", "ida", "ados", "adas", "idos", "idas", "e", "ee", "i", "u"]
            .iter()
            .any(|ending| token.form.ends_with(ending)),
    }
}
