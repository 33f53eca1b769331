//! Which rules these are.

/// Changes whenever any text could get another answer than before. The fixtures carry the same number.
pub const RULES_VERSION: &str = "1";

/// The version of the rules that this implementation follows.
#[must_use]
pub const fn rules_version() -> &'static str {
    RULES_VERSION
}

#[cfg(test)]
mod tests {
    use super::rules_version;

    #[test]
    fn the_version_is_a_plain_number() {
        assert!(rules_version().parse::<u32>().is_ok_and(|number| number > 0));
    }
}
