//! Identifiers that look random and are the same for the same seed.

use serde::{Deserialize, Serialize};

/// A source of identifiers: the same seed gives the same ones in the same order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ids {
    state: u64,
    requests: u32,
}

impl Ids {
    /// Starts the sequence of `seed`.
    #[must_use]
    pub(crate) fn new(seed: u64) -> Ids {
        Ids { state: seed, requests: 0 }
    }

    /// The next identifier, in the form of a UUID of version 4.
    pub(crate) fn uuid(&mut self) -> String {
        let (high, low) = (self.next(), self.next());
        random_uuid(high, low)
    }

    /// The next identifier of a call or a confirmation, as ADK spells them.
    pub(crate) fn call(&mut self) -> String {
        format!("adk-{}", self.uuid())
    }

    /// The id of the next JSON-RPC exchange.
    pub(crate) fn exchange(&mut self) -> String {
        self.requests = self.requests.saturating_add(1);
        format!("req-{}", self.requests)
    }

    /// SplitMix64: tiny, and good enough for identifiers that nobody must guess.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }
}

/// The UUID of version 4 that these random bits make.
#[must_use]
pub fn random_uuid(high: u64, low: u64) -> String {
    let high = high & !0xF000 | 0x4000;
    let low = low & !(0b11 << 62) | 0b10 << 62;
    let (first, second, third) = (high >> 32, high >> 16 & 0xFFFF, high & 0xFFFF);
    let (fourth, fifth) = (low >> 48, low & 0xFFFF_FFFF_FFFF);
    format!("{first:08x}-{second:04x}-{third:04x}-{fourth:04x}-{fifth:012x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_gives_one_sequence_of_different_ids() {
        let (mut one, mut other) = (Ids::new(7), Ids::new(7));
        let first = one.uuid();
        assert_eq!(first, other.uuid());
        assert_ne!(first, one.uuid());
        assert_eq!(first.len(), 36);
        assert_eq!(first.as_bytes()[14], b'4');
    }
}
