//! `size-budget.toml`: limits per artefact.

use crate::failure::{Attempt, Failure};

use super::weight::Weight;

/// Limits in bytes, by artefact and measure (`raw`, `gzip`, `brotli`).
pub(super) struct Budget(toml::Table);

impl Budget {
    pub(super) fn read(text: &str) -> Result<Self, Failure> {
        Ok(Self(text.parse().attempting(|| "read size-budget.toml".into())?))
    }

    /// The limit after brotli.
    pub(super) fn brotli(&self, artefact: &str) -> Option<u64> {
        self.limit(artefact, "brotli")
    }

    /// The weight after brotli that is aimed at, where the limit is not there yet.
    pub(super) fn goal(&self, artefact: &str) -> Option<u64> {
        self.limit(artefact, "goal")
    }

    fn limit(&self, artefact: &str, measure: &str) -> Option<u64> {
        u64::try_from(self.0.get(artefact)?.get(measure)?.as_integer()?).ok()
    }

    /// Fails with one sentence for everything that is over its limit, or has none, or is no artefact.
    pub(super) fn compare(&self, weights: &[(&str, Weight)]) -> Result<(), Failure> {
        let mut found = Vec::new();
        for (name, weight) in weights {
            if ["raw", "gzip", "brotli"].iter().all(|measure| self.limit(name, measure).is_none()) {
                found.push(format!("`{name}` has no limit in size-budget.toml"));
            }
            for (measure, bytes) in [("raw", weight.raw), ("gzip", weight.gzip), ("brotli", weight.brotli)] {
                if let Some(limit) = self.limit(name, measure).filter(|limit| bytes > *limit) {
                    let over = bytes.saturating_sub(limit);
                    found.push(format!("`{name}` is {bytes} bytes ({measure}), {over} over its limit"));
                }
            }
        }
        for name in self.0.keys().filter(|key| !weights.iter().any(|(name, _)| name == key)) {
            found.push(format!("size-budget.toml limits `{name}`, which is not measured"));
        }
        if found.is_empty() { Ok(()) } else { Err(Failure::new(found.join("; "))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: &str = "[element]\nbrotli = 130_000\nraw = 500_000\n[headless]\nbrotli = 70_000\n";

    fn compare(weights: &[(&str, Weight)]) -> Result<(), String> {
        Budget::read(BUDGET).unwrap().compare(weights).map_err(|failure| failure.to_string())
    }

    fn weight(raw: u64, brotli: u64) -> Weight {
        Weight { raw, gzip: raw, brotli }
    }

    #[test]
    fn the_limit_itself_is_allowed() {
        assert_eq!(
            compare(&[("element", weight(500_000, 130_000)), ("headless", weight(1, 70_000))]),
            Ok(())
        );
    }

    #[test]
    fn a_goal_is_told_and_fails_nothing() {
        let budget = Budget::read("[element]\nbrotli = 150_000\ngoal = 130_000\n").unwrap();
        assert_eq!((budget.goal("element"), budget.goal("headless")), (Some(130_000), None));
        assert!(budget.compare(&[("element", weight(1, 140_000))]).is_ok());
    }

    #[test]
    fn every_excess_is_named() {
        let found = compare(&[("element", weight(500_010, 130_001)), ("headless", weight(1, 1))]);
        let expected = "`element` is 500010 bytes (raw), 10 over its limit; \
                        `element` is 130001 bytes (brotli), 1 over its limit";
        assert_eq!(found, Err(expected.into()));
    }

    #[test]
    fn what_has_no_limit_and_what_is_not_measured_are_told() {
        let found = compare(&[("element", weight(1, 1)), ("other", weight(1, 1))]);
        let expected = "`other` has no limit in size-budget.toml; \
                        size-budget.toml limits `headless`, which is not measured";
        assert_eq!(found, Err(expected.into()));
    }
}
