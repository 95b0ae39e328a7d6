//! What a person asked for.

use std::sync::Arc;

use countersign_core::{Decision, Refusal, RefusalCode, Shown};

/// What a person asked for by pressing something.
///
/// The components report it and forget it; the inbox judges it, and the next views show what came of it.
///
/// # Shape
/// `request` is the scoped id, [`RequestView::id`](countersign_core::RequestView::id); `seen` is what was on screen of the
/// call when the person acted: its tool, and the digest of its arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum Intent {
    /// Decide one request.
    Decide {
        /// The request's scoped id.
        request: String,
        /// What was decided.
        decision: Decision,
        /// What was on screen.
        seen: Shown,
    },
    /// Decide several requests with the same words.
    DecideAll {
        /// Each request's scoped id, with what was on screen of it.
        requests: Vec<(String, Shown)>,
        /// What was decided for each.
        decision: Decision,
    },
    /// Take back a decision that was not sent yet; the request's scoped id.
    Undo(String),
    /// Send again what could not be delivered; the request's scoped id.
    Retry(String),
    /// Approve one request, keep a grant, and let it approve other requests that were named with it.
    Grant {
        /// The request's scoped id.
        request: String,
        /// What was on screen.
        seen: Shown,
        /// The grant that was on screen, literally: its JSON text.
        grant: Arc<str>,
        /// Each other request's scoped id, with what was on screen of it.
        siblings: Vec<(String, Shown)>,
    },
    /// Take a grant back; its id.
    Revoke(String),
    /// Ask the agent to wait longer; the request's scoped id.
    Extend(String),
    /// Save the record of all decisions.
    Export,
    /// Nothing: the interface itself refused an act, for the host to know.
    Refused(Refusal),
}

/// An act that the inbox did not take; the component that reported it says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The request's scoped id.
    pub request: String,
    /// The stable code, for the words of a catalogue; absent: only the sentence is known.
    pub code: Option<RefusalCode>,
    /// Why, in one sentence.
    pub message: String,
    /// It was the wish for more time, which the host did not fulfil.
    pub more_time: bool,
}
