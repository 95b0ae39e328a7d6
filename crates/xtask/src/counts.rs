//! Counting what passed and what failed, from the lines that test runners print.

use std::fmt;
use std::ops::AddAssign;

/// What a step counted, and the names of the tests that failed as far as they were printed.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) counts: Counts,
    pub(crate) failed: Vec<String>,
    /// Those that failed, and passed when they ran once more.
    pub(crate) unsteady: Vec<String>,
}

impl Tally {
    /// Reads a line of any runner for the name of a failed or an unsteady test.
    pub(crate) fn read_name(&mut self, line: &str) {
        let line = line.trim();
        if let Some(name) = line.strip_prefix("unsteady: ") {
            self.failed.retain(|failed| failed != name);
            self.unsteady.push(name.to_owned());
            return;
        }
        let of_cargo = || {
            line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")).map(str::to_owned)
        };
        // `✖ name (12.5ms)`; Node prints the names once more under a heading of their own, without its time.
        let of_node = || {
            let named = line.strip_prefix("✖ ")?;
            let (name, took) = named.rsplit_once(" (")?;
            took.ends_with("ms)").then(|| name.to_owned())
        };
        if let Some(name) = of_cargo().or_else(of_node)
            && !self.failed.contains(&name)
        {
            self.failed.push(name);
        }
    }
}

impl From<Counts> for Tally {
    fn from(counts: Counts) -> Self {
        Self { counts, ..Self::default() }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, mut other: Self) {
        self.counts += other.counts;
        self.failed.append(&mut other.failed);
        self.unsteady.append(&mut other.unsteady);
    }
}

/// How much passed and how much failed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl Counts {
    pub(crate) const ONE_PASSED: Self = Self { passed: 1, failed: 0 };
    pub(crate) const ONE_FAILED: Self = Self { passed: 0, failed: 1 };

    /// Reads the result line of a Rust test program: `test result: ok. 12 passed; 0 failed; 1 ignored; …`.
    ///
    /// An ignored test counts as failed: nothing here is skipped.
    pub(crate) fn of_cargo_line(line: &str) -> Option<Self> {
        let result = line.trim().strip_prefix("test result: ")?;
        let (_, numbers) = result.split_once(". ")?;
        let of = |word: &str| {
            numbers.split(';').find_map(|part| part.trim().strip_suffix(word)?.trim().parse::<u64>().ok())
        };
        Some(Self { passed: of("passed")?, failed: of("failed")?.saturating_add(of("ignored").unwrap_or(0)) })
    }

    /// Reads the last line of our own runners: `12 passed, 0 failed`.
    pub(crate) fn of_runner_line(line: &str) -> Option<Self> {
        let (passed, failed) = line.trim().split_once(", ")?;
        Some(Self {
            passed: passed.strip_suffix(" passed")?.parse().ok()?,
            failed: failed.strip_suffix(" failed")?.parse().ok()?,
        })
    }

    /// What counts in the end for a program that counted itself and ended well or not.
    ///
    /// A program that failed without naming a failed test counts as one failure, so does one that counted nothing.
    pub(crate) fn settle(mut self, ended_well: bool) -> Self {
        if self.failed == 0 && (!ended_well || self.passed == 0) {
            self.failed = 1;
        }
        self
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed = self.passed.saturating_add(other.passed);
        self.failed = self.failed.saturating_add(other.failed);
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(passed: u64, failed: u64) -> Counts {
        Counts { passed, failed }
    }

    #[test]
    fn cargo_lines_are_read() {
        let check = |line: &str, expected| assert_eq!(Counts::of_cargo_line(line), expected, "{line}");
        let rest = "0 measured; 0 filtered out; finished in 0.01s";
        check(&format!("test result: ok. 12 passed; 0 failed; 0 ignored; {rest}"), Some(counts(12, 0)));
        check(&format!("test result: FAILED. 3 passed; 2 failed; 0 ignored; {rest}"), Some(counts(3, 2)));
        check("test inbox::tests::approving_twice_sends_once ... ok", None);
        check("running 12 tests", None);
    }

    #[test]
    fn names_of_failed_tests_are_read_once() {
        let mut tally = Tally::default();
        for line in [
            "test inbox::tests::approving_twice_sends_once ... FAILED",
            "test inbox::tests::undo ... ok",
            "✔ kagent: questions are answered (1006.400961ms)",
            "✖ kagent: a call (again) runs once (5301.1ms)",
            "✖ failing tests:",
            "✖ kagent: a call (again) runs once (5301.1ms)",
        ] {
            tally.read_name(line);
        }
        assert_eq!(
            tally.failed,
            ["inbox::tests::approving_twice_sends_once", "kagent: a call (again) runs once"]
        );
    }

    #[test]
    fn a_test_that_passed_when_it_ran_once_more_is_named_apart() {
        let mut tally = Tally::default();
        for line in ["✖ a (5.1ms)", "✖ b (5.1ms)", "✔ b (2.0ms)", "unsteady: b"] {
            tally.read_name(line);
        }
        assert_eq!((tally.failed, tally.unsteady), (vec!["a".to_owned()], vec!["b".to_owned()]));
    }

    #[test]
    fn an_ignored_test_counts_as_failed() {
        let line = "test result: ok. 3 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out";
        assert_eq!(Counts::of_cargo_line(line), Some(counts(3, 2)));
    }

    #[test]
    fn runner_lines_are_read_only_in_their_exact_form() {
        let check = |line, expected| assert_eq!(Counts::of_runner_line(line), expected, "{line}");
        check("7 passed, 1 failed", Some(counts(7, 1)));
        check("7 passed, 1 failed, 2 skipped", None);
        check("about 7 passed, 1 failed", None);
        check("# pass 7", None);
    }

    #[test]
    fn a_bad_end_without_a_failed_test_is_one_failure() {
        assert_eq!(counts(5, 0).settle(false), counts(5, 1));
        assert_eq!(counts(5, 2).settle(false), counts(5, 2));
        assert_eq!(counts(5, 0).settle(true), counts(5, 0));
    }

    #[test]
    fn a_runner_that_ran_nothing_fails() {
        assert_eq!(counts(0, 0).settle(true), counts(0, 1));
    }

    #[test]
    fn sums_are_printed_in_the_fixed_form() {
        let mut sum = counts(3, 0);
        sum += counts(4, 1);
        assert_eq!(sum.to_string(), "7 passed, 1 failed");
    }
}
