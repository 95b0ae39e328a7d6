//! What must be sent.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::ids::{OutboundId, RequestRef};

/// What an adapter wrote for one or more complete batches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The requests that this body answers, in the order of the requests.
    pub requests: Vec<RequestRef>,
    /// The protocol's payload, as JSON text.
    pub body: String,
    /// What the host needs to know to send it, as the text of a JSON object.
    pub transport: String,
}

/// A message to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outbound {
    /// Also the idempotency key: a retry carries the same one.
    pub id: OutboundId,
    /// The adapter that wrote it.
    pub adapter: &'static str,
    /// The requests that it answers.
    pub requests: Vec<RequestRef>,
    /// The protocol's payload, as JSON text.
    pub body: Arc<str>,
    /// What the host needs to know to send it, as the text of a JSON object.
    pub transport: Arc<str>,
}

/// What became of an outbound message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum OutboundState {
    /// Due; the host has not taken it.
    Queued,
    /// The host has taken it and not said more.
    Sending,
    /// The host reported that it arrived.
    Delivered,
    /// It did not arrive, or the backend did not take it. Where the card is `drafted` it can be sent again unchanged.
    Failed,
}
