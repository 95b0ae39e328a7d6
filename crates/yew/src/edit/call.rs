//! The call from which a draft is made.

use std::sync::Arc;

use countersign_core::{RequestView, Status};
use countersign_json::sha256_hex;

/// What a draft was made from, and what somebody has heard of a call: the digest of its arguments, its tool, its schema.
#[derive(Debug, PartialEq)]
pub(crate) struct Call(Arc<str>, Arc<str>, Option<Arc<str>>);

impl Call {
    pub(crate) fn of(view: &RequestView) -> Call {
        Call(Arc::clone(&view.args_digest), Arc::clone(&view.tool), view.args_schema.clone())
    }

    /// Whether the other one is this with a schema, where there was none.
    pub(super) fn gains_schema(&self, other: &Call) -> bool {
        (&self.0, &self.1) == (&other.0, &other.1) && self.2.is_none() && other.2.is_some()
    }

    /// One digest of all three.
    pub(super) fn digest(&self) -> String {
        let Call(args, tool, schema) = self;
        let schema = schema.as_deref().unwrap_or_default();
        // With its length a name cannot be taken for another one with a part of the schema.
        sha256_hex(&[args, " ", &tool.len().to_string(), " ", tool, schema].concat())
    }
}

/// Whether an answer to the call has left, ours or another one.
///
/// What is decided and waits for others, or could not be sent, is lost with the page: its draft is still needed.
pub(super) fn has_left(view: &RequestView) -> bool {
    view.status.is_settled() || matches!(view.status, Status::Sent | Status::Approved | Status::Running)
}
