//! Versions of programs.

use std::fmt;

/// Three numbers; what follows them (`-beta.1`) is not looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    pub(crate) major: u32,
    pub(crate) minor: u32,
    pub(crate) patch: u32,
}

impl Version {
    pub(crate) const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// Reads the first version in what a program prints: `trunk 0.21.14`, `v20.1.0`, `Python 3.11.7`.
    pub(crate) fn in_text(text: &str) -> Option<Self> {
        text.split_whitespace().find_map(Self::in_word)
    }

    fn in_word(word: &str) -> Option<Self> {
        let word = word.trim_start_matches('v');
        let mut numbers = word.split(['.', '-', '+', ')']).map(str::parse::<u32>);
        let mut next = || numbers.next()?.ok();
        Some(Self { major: next()?, minor: next()?, patch: next()? })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_print() {
        let check = |text, expected: Option<(u32, u32, u32)>| {
            let found = Version::in_text(text).map(|version| (version.major, version.minor, version.patch));
            assert_eq!(found, expected, "{text}");
        };
        check("trunk 0.21.14\n", Some((0, 21, 14)));
        check("trunk 0.22.0-beta.1", Some((0, 22, 0)));
        check("v20.20.2", Some((20, 20, 2)));
        check("Python 3.11.7", Some((3, 11, 7)));
        check("Chromium 143.0.7499.40 built on Debian", Some((143, 0, 7499)));
        check("usage: tool [options]", None);
    }

    #[test]
    fn versions_are_ordered_by_number() {
        assert!(Version::new(0, 21, 9) < Version::new(0, 21, 14));
        assert!(Version::new(3, 9, 0) < Version::new(3, 11, 0));
    }
}
