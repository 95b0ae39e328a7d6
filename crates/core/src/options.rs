//! How an inbox behaves.

use std::fmt;
use std::sync::Arc;

use countersign_json::Limits;

use crate::ids::Millis;
use crate::policy::Policy;
use crate::risk::RiskOptions;

/// Checks arguments against a schema: both are JSON texts; the error says what is wrong and where.
pub type ArgsCheck = fn(schema: &str, args: &str) -> Result<(), String>;

/// How an inbox behaves.
pub struct InboxOptions {
    /// From what identifiers of outbound messages are derived.
    ///
    /// The caller brings the randomness; two inboxes must never share a seed.
    pub seed: Arc<str>,
    /// How long a rejection is held so that it can be undone, in milliseconds. `0`: sent at once.
    pub hold_rejections: Millis,
    /// How long the decisions of a batch that is answered together are held once the last is taken, so that they can be
    /// looked at as a whole and changed, in milliseconds. `0`: sent at once.
    pub hold_batches: Millis,
    /// The largest and deepest arguments that can still be approved.
    pub args_limits: Limits,
    /// What checks edited arguments where their schema is known. Without it the backend alone does.
    pub args_check: Option<ArgsCheck>,
    /// Tools, each with the JSON Schema of its arguments, for requests that bring none.
    pub schemas: Vec<(Arc<str>, Arc<str>)>,
    /// How long a received message may be, in bytes.
    pub message_bytes: usize,
    /// How long a reason, a note or a response may be, in characters.
    pub words: usize,
    /// Reasons for care besides the arguments.
    pub risk: RiskOptions,
    /// The rules that answer without a person; `None`: a person answers everything.
    pub policy: Option<Box<dyn Policy>>,
}

impl InboxOptions {
    /// The options of an inbox that holds nothing back and asks a person about everything.
    ///
    /// `seed` is random and new for each inbox, also after a reload: a UUID, or 16 bytes of `crypto.getRandomValues` or of
    /// the system. Under an id that a message had before, a backend drops it as one that it has already.
    #[must_use]
    pub fn new(seed: impl Into<Arc<str>>) -> InboxOptions {
        InboxOptions {
            seed: seed.into(),
            hold_rejections: Millis(0),
            hold_batches: Millis(0),
            args_limits: Limits::ARGUMENTS,
            args_check: None,
            schemas: Vec::new(),
            message_bytes: 256 << 20,
            words: 10_000,
            risk: RiskOptions::default(),
            policy: None,
        }
    }
}

/// For tests: the ids of all messages are known, and the same in each inbox.
#[cfg(any(test, feature = "testing"))]
impl Default for InboxOptions {
    fn default() -> InboxOptions {
        InboxOptions::new("testing")
    }
}

// A policy need not say what it is: that would carry the words for it into every build.
impl fmt::Debug for InboxOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InboxOptions")
            .field("hold_rejections", &self.hold_rejections)
            .field("has_policy", &self.policy.is_some())
            .finish_non_exhaustive()
    }
}
