//! What a person asked for.

use std::sync::Arc;

use countersign_core::Decision;

/// What a person asked for by pressing something.
///
/// The components report it and forget it; the inbox judges it, and the next views show what came of it.
///
/// # Shape
/// `request` is the scoped id, [`RequestView::id`](countersign_core::RequestView::id); `seen` is the digest of the
/// arguments that were on screen when the person acted.
#[derive(Clone, Debug, PartialEq)]
pub enum Intent {
    /// Decide one request.
    Decide {
        /// The request's scoped id.
        request: String,
        /// What was decided.
        decision: Decision,
        /// The digest of the arguments on screen.
        seen: Arc<str>,
    },
    /// Decide several requests with the same words.
    DecideAll {
        /// Each request's scoped id, with the digest of the arguments on screen.
        requests: Vec<(String, Arc<str>)>,
        /// What was decided for each.
        decision: Decision,
    },
    /// Take back a decision that was not sent yet; the request's scoped id.
    Undo(String),
    /// Send again what could not be delivered; the request's scoped id.
    Retry(String),
}
