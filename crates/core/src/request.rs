//! What a request is about, and how it may be answered.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What a request is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// May this tool call run?
    #[default]
    Call,
    /// Questions that only a person can answer.
    Questions(Arc<[Question]>),
}

/// One question to a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Question {
    /// The question. Untrusted.
    pub question: String,
    /// What may be chosen; empty: free text. Untrusted.
    pub choices: Vec<String>,
    /// Whether several choices may be taken.
    pub multiple: bool,
}

/// What the protocol wants answered together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchRule {
    /// Decisions are held until every open request of the batch is decided.
    pub held: bool,
    /// One word for all: once one is decided, the others offer only that kind.
    pub uniform: bool,
    /// Where one request is rejected, the backend runs none of them.
    pub rejects_all: bool,
}

/// What an edit does on this wire, and which edits it can express.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EditRule {
    /// The backend lays the edit over the original, so a removed member would silently stay.
    pub merges: bool,
    /// An edit that changes nothing is an approval.
    pub unchanged_approves: bool,
    /// An edit to an empty object may be sent.
    pub empty_allowed: bool,
    /// The backend reads numbers as 64-bit floats: an edit with digits that those do not keep is refused.
    #[serde(skip)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub floats: bool,
}

impl EditRule {
    /// The backend merges the edited members over the original arguments.
    pub const MERGE: EditRule =
        EditRule { merges: true, unchanged_approves: true, empty_allowed: true, floats: false };
    /// The backend replaces the arguments as a whole.
    pub const REPLACE: EditRule =
        EditRule { merges: false, unchanged_approves: false, empty_allowed: true, floats: false };
}
