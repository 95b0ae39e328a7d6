//! Where a request stands.

use serde::{Deserialize, Serialize};

/// Where a request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Status {
    /// A call was seen, and nobody can answer for it now: nothing gates it, or its request is only announced.
    Requested,
    /// Its arguments are still arriving.
    Streaming,
    /// Waits for a person.
    Pending,
    /// Decided here, held until it may be sent, or did not arrive and waits to be sent again.
    Drafted,
    /// Due, or handed to the host; its fate is not known.
    Sending,
    /// Delivered; the backend is silent so far.
    Sent,
    /// The backend confirmed the approval, or history shows it; outcome unknown.
    Approved,
    /// The tool runs.
    Running,
    /// The tool ran.
    Completed,
    /// The tool ran and failed, or the backend refused it after approval, or its run failed and nothing is known of the call.
    Failed,
    /// It was refused and did not run.
    Rejected,
    /// Words went back instead of a run; also answered questions.
    Responded,
    /// The run was called off.
    Cancelled,
    /// Nobody answered in time, or its run ended before an answer.
    Expired,
    /// The conversation moved on; it can no longer be answered.
    Superseded,
    /// Someone else decided differently first.
    Conflict,
    /// It waits, but cannot be answered from here.
    Blocked,
    /// Settled; the outcome cannot be derived.
    Unknown,
}

impl Status {
    /// Whether it is over, as far as is known. It waits again only where it was missing or forgotten and is asked anew, or
    /// where the backend refuses the message on which it rested. What the backend says later may still correct how it ended.
    #[must_use]
    pub fn is_settled(self) -> bool {
        matches!(
            self,
            Status::Completed
                | Status::Failed
                | Status::Rejected
                | Status::Responded
                | Status::Cancelled
                | Status::Expired
                | Status::Superseded
                | Status::Conflict
                | Status::Unknown
        )
    }

    /// Whether it waits, or its decision is still a draft.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Status::Pending | Status::Drafted)
    }

    /// The status as JSON and CSS spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Requested => "requested",
            Status::Streaming => "streaming",
            Status::Pending => "pending",
            Status::Drafted => "drafted",
            Status::Sending => "sending",
            Status::Sent => "sent",
            Status::Approved => "approved",
            Status::Running => "running",
            Status::Completed => "completed",
            Status::Failed => "failed",
            Status::Rejected => "rejected",
            Status::Responded => "responded",
            Status::Cancelled => "cancelled",
            Status::Expired => "expired",
            Status::Superseded => "superseded",
            Status::Conflict => "conflict",
            Status::Blocked => "blocked",
            Status::Unknown => "unknown",
        }
    }
}
