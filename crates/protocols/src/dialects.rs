//! What each dialect can do, as data: for documentation, for tests, and for hosts that offer a choice of backends.

use countersign_core::OfferKind;

/// One wire dialect of an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The name, unique within the adapter.
    pub name: &'static str,
    /// The system that speaks it, as people call it.
    pub system: &'static str,
    /// The name of the adapter, as [`adapter`](crate::adapter) takes it.
    pub adapter: &'static str,
    /// The kinds of decision that may be offered; a single request often offers fewer.
    pub decisions: &'static [OfferKind],
    /// Whether requests that were made together are answered together: decisions are held until the last one is taken.
    pub held: bool,
    /// What a reload can show.
    pub recovery: Recovery,
}

/// What the backend's own history shows after a reload. Decisions that had not left are never in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recovery {
    /// Every card, with what was decided and what came of it.
    Everything,
    /// Every card where the host also reads the backend's log or chat history; without it, what waits.
    Log,
    /// Every card, but of a settled one only what its tool returned: these may be a person's words.
    Unexplained,
    /// What waits. What was settled is gone.
    Waiting,
    /// What was settled. What waits leaves no trace.
    Settled,
    /// What the host itself kept: the backend has no history.
    Kept,
    /// Nothing: the backend repeats nothing.
    Nothing,
}
