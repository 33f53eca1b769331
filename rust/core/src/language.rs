//! The languages that the rules tell apart.

/// A language, or any of them (`*` in the tables).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Language {
    /// English.
    En,
    /// Portuguese.
    Pt,
    /// Spanish.
    Es,
    /// French.
    Fr,
    /// German.
    De,
    /// Chinese.
    Zh,
    /// Japanese.
    Ja,
    /// Korean.
    Ko,
    /// Any language; no text has it.
    Any,
}

impl Language {
    /// How many there are, [`Language::Any`] with them.
    pub(crate) const COUNT: usize = Self::ALL.len();

    /// All of them, in the order of their numbers.
    pub(crate) const ALL: [Self; 9] =
        [Self::En, Self::Pt, Self::Es, Self::Fr, Self::De, Self::Zh, Self::Ja, Self::Ko, Self::Any];

    /// The language of a code of the tables.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Self> {
        Some(match code {
            "en" => Self::En,
            "pt" => Self::Pt,
            "es" => Self::Es,
            "fr" => Self::Fr,
            "de" => Self::De,
            "zh" => Self::Zh,
            "ja" => Self::Ja,
            "ko" => Self::Ko,
            "*" => Self::Any,
            _ => return None,
        })
    }

    /// Its code in the tables.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Pt => "pt",
            Self::Es => "es",
            Self::Fr => "fr",
            Self::De => "de",
            Self::Zh => "zh",
            Self::Ja => "ja",
            Self::Ko => "ko",
            Self::Any => "*",
        }
    }
}
